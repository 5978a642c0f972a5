// The whole way, by the programs themselves: a random tree is checked out as a private worktree, a
// random searcher runs there under the tracer, its reads are certified against a random other tree,
// and where the certifier says that they hold the same command must print the same lines there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/testing/campaign.h"
#include "capture/search_settings.h"
#include "capture/trace/trace.h"
#include "certify/certify.h"
#include "land/judge/judge_contents.h"
#include "repo/testing/agent.h"
#include "search/testing/world.h"

namespace gittxn::land {
namespace {

using repo::testing::Agent;
using repo::testing::must;
using repo::testing::ScratchRepo;
using search::testing::Files;
using search::testing::Maker;

std::uint64_t seed() {
  return gittxn::testing::campaign_seed(20261121);
}
int rounds() {
  return gittxn::testing::campaign_rounds(2);
}

// What git keeps in its own directory is of one worktree and one moment; that its index names a
// file is of the tree.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const bool index = line.find(".git/index") != std::string::npos;
    const bool git = line.find(".git/") != std::string::npos || line == ".git" || line == "./.git";
    if (!git || index) lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct Ran {
  std::vector<std::string> lines;
  int status = 0;
};

class SearchesThatHold : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    using capture::Backend;
    for (const capture::Capability& capability : capture::probe_backends()) {
      if (capability.backend == Backend::kNotify && capability.usable) return;
    }
    GTEST_SKIP() << "no back end that is quick enough";
  }

  Oid commit(const Files& files) {
    repo::Objects objects = repo.objects();
    Changes changes;
    for (const auto& [path, entry] : files) {
      changes.push_back({path, {}, {entry.mode, must(objects.write_blob(store.get(entry.oid)))}});
    }
    const std::string who = "A <a@example.org> 1700000000 +0000";
    const Oid tree = must(objects.apply(Oid{}, changes));
    const Oid made = must(objects.write_commit({tree, {}, who, who, "a tree\n", ""}));
    repo.git({"update-ref", "refs/heads/main", made.str()});
    return made;
  }

  std::string out_file() { return repo.root() + "/out-" + std::to_string(++files_made); }
  capture::TraceSpec spec_of(const std::vector<std::string>& argv, const Agent& agent, int out) {
    capture::TraceSpec spec;
    spec.argv = argv;
    spec.cwd = agent.worktree().tree;
    spec.env = repo.env();
    spec.record_file = repo.root() + "/records-" + std::to_string(++files_made);
    spec.stdin_fd = null.get();
    spec.stdout_fd = out;
    spec.stderr_fd = null.get();
    return spec;
  }

  Ran run_in(const Agent& agent, const std::vector<std::string>& argv, ReadSet* reads,
             Changes* writes) {
    const std::string file = out_file();
    const UniqueFd out = must(open_fd(file, O_WRONLY | O_CREAT | O_TRUNC));
    capture::TraceSpec spec = spec_of(argv, agent, out.get());
    spec.backend = reads != nullptr ? capture::Backend::kNotify : capture::Backend::kOff;
    const capture::TraceResult result = must(capture::run_traced(spec));
    if (reads != nullptr) {
      *writes = const_cast<Agent&>(agent).take_all().changes;
      capture::InterpretInput input;
      input.places.tree = agent.worktree().tree;
      input.places.private_git_dir = agent.worktree().git_dir;
      input.places.common_git_dir = repo.git_dir();
      input.record_files = {spec.record_file};
      input.snapshot = agent.base();
      input.writes = *writes;
      input.tool_cache_file = repo.root() + "/tools";
      input.search_settings = [&] { return capture::search_settings(input.places, repo.env()); };
      *reads = must(capture::interpret(repo.objects(), input));
    }
    return {lines_of(must(read_file(file))), result.exit_status};
  }

  bool holds(const ReadSet& reads, const Changes& writes, const Oid& before, const Oid& after) {
    const repo::Objects objects = repo.objects();
    const Oid tree = must(objects.tree_of(after));
    Footprint footprint{TxnId("t-1"), reads, writes, before};
    const std::vector<SnapshotDiff> diffs{{before, must(objects.diff(before, after))}};
    certify::Input input{&footprint, diffs};
    input.contents = judge_contents(objects, tree, input.level);
    return certify::certify(input).commit;
  }

  void round(Maker& maker, const std::string& tool, int number);

  ScratchRepo repo;
  search::testing::Store store;
  UniqueFd null = must(open_fd("/dev/null", O_RDWR));
  int files_made = 0;
  int refined = 0;
  int held = 0;
  int stale = 0;
  int needlessly = 0;
};

std::string shell_of(const std::vector<std::string>& argv) {
  return quote_argv(argv);
}

void SearchesThatHold::round(Maker& maker, const std::string& tool, int number) {
  const Files before = maker.tree();
  const Files after = maker.edit(before);
  repo.env()["LC_ALL"] = maker.chance(3) ? "C" : "C.UTF-8";
  const Oid a = commit(before);
  Agent there(repo, "a" + std::to_string(number));
  const Oid b = commit(after);
  Agent here(repo, "b" + std::to_string(number));
  for (int i = 0; i < 10; ++i) {
    std::vector<std::string> argv = maker.command(tool);
    argv.insert(argv.begin(), tool == "fd" ? "fdfind" : tool);
    // Own writes before the search, taken back by the next round's fresh worktrees.
    const std::string own = maker.chance(4)
                                ? "printf 'foo\\nbar\\n' > own-" + std::to_string(i) + ".txt; "
                                : std::string();
    const std::string script =
        own + "cd " + (maker.chance(4) ? "src 2>/dev/null || :" : ".") + "; " + shell_of(argv);
    const std::vector<std::string> command{"/bin/sh", "-c", script};
    ReadSet reads;
    Changes writes;
    const Ran was = run_in(there, command, &reads, &writes);
    const auto searched = [](const Read& read) { return read.kind == ReadKind::kSearch; };
    const bool is_refined = std::any_of(reads.reads.begin(), reads.reads.end(), searched);
    const Ran is = run_in(here, command, nullptr, nullptr);
    if (!is_refined || !reads.complete) continue;
    ++refined;
    const bool same = was.lines == is.lines && was.status == is.status;
    if (!holds(reads, writes, a, b)) {
      ++stale;
      needlessly += same ? 1 : 0;
      continue;
    }
    ++held;
    ASSERT_TRUE(same) << "seed " << seed() << " round " << number << ": " << script << "\nwas "
                      << was.status << " " << ::testing::PrintToString(was.lines) << "\nis "
                      << is.status << " " << ::testing::PrintToString(is.lines) << "\n"
                      << changes_to_lines(must(repo.objects().diff(a, b))) << reads_to_lines(reads);
  }
}

TEST_P(SearchesThatHold, PrintTheSameOnTheNewHead) {
  const std::string tool = GetParam();
  const std::string program = "/usr/bin/" + (tool == "fd" ? std::string("fdfind") : tool);
  if (::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << tool << " is not installed";
  Random random(seed());
  Maker maker(random, store);
  for (int number = 0; number < rounds(); ++number) {
    round(maker, tool, number);
    if (HasFatalFailure()) return;
  }
  fmt::print("{}: {} refined, {} held, {} stale, of them {} the same\n", tool, refined, held, stale,
             needlessly);
  EXPECT_GT(refined, rounds()) << "a test that never refines shows nothing";
  EXPECT_GT(held, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, SearchesThatHold,
                         ::testing::Values("grep", "rg", "git", "find", "fd", "ls"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace gittxn::land
