#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "base/fs.h"
#include "base/text.h"
#include "bench/measures.h"
#include "capture/interpret.h"
#include "capture/search_settings.h"
#include "certify/certify.h"
#include "land/judge/judge_contents.h"
#include "repo/repository.h"
#include "repo/worktree.h"

namespace gittxn::bench {
namespace {

constexpr int kNeighbours = 5;
constexpr std::size_t kFilesLookedAt = 3;

struct Judged {
  std::size_t reads = 0;  // all agents together
  int refused = 0;
  int falsely = 0;  // refused although the commands print the same
  int missed = 0;   // held although they do not: must be 0

  void add(bool held, bool same) {
    refused += held ? 0 : 1;
    falsely += !held && same ? 1 : 0;
    missed += held && !same ? 1 : 0;
  }
};

struct RefineFigures {
  int agents = 0;  // commits that were replayed
  int moves = 0;   // (agent, neighbouring commit) pairs that were judged
  int stale = 0;   // where the agent's commands really print something else
  Judged before;   // searches are refined
  Judged after;
};

// What an author looks for and at, from what they changed.
std::string script_of(const Changes& changes) {
  std::string script = "exec 2>/dev/null\n";
  std::set<std::string> stems;
  std::set<std::string> directories;
  for (const PathChange& change : files_of(changes)) {
    if (!change.before.present() || !change.after.present()) continue;
    if (stems.size() == kFilesLookedAt) break;
    std::string stem = base_name(change.path);
    stem = stem.substr(0, stem.find('.', 1));
    const bool plain = !stem.empty() && std::all_of(stem.begin(), stem.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    });
    if (!plain || !stems.insert(stem).second) continue;
    script += fmt::format("grep -rn -e {} src\nrg -n -e {}\ngit grep -n -e {}\n", stem, stem, stem);
    script += fmt::format("find . -name '{}*' -not -path './.git/*'\n", stem);
    const std::string directory = parent_dir(change.path);
    if (directories.insert(directory).second) script += "ls " + quote_argv({directory}) + "\n";
    script += "cat " + quote_argv({change.path}) + "\n";
  }
  return stems.empty() ? std::string() : script + "exit 0\n";
}

class Replay {
 public:
  Replay(std::string dir, repo::Repository repository, Environment env)
      : dir_(std::move(dir)), repository_(std::move(repository)), env_(std::move(env)) {}

  Status agent(const std::vector<Oid>& commits, std::size_t at, RefineFigures& figures);

 private:
  struct Ran {
    repo::Worktree worktree;
    std::string records;
    std::vector<std::string> lines;
  };
  Result<Ran> look(const std::string& script, const Oid& commit, capture::Backend backend) {
    Ran ran;
    const std::string place = fmt::format("{}/w{}", dir_, ++made_);
    ran.worktree = TRY(repo::create_worktree(
        repository_, {place, commit, RefName("refs/heads/main"), TxnId("t-bench"), true}));
    ran.records = place + "/records";
    const UniqueFd out = TRY(open_fd(place + "/out", O_WRONLY | O_CREAT | O_TRUNC));
    const UniqueFd null = TRY(open_fd("/dev/null", O_RDWR));
    capture::TraceSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.cwd = ran.worktree.tree;
    spec.env = env_;
    spec.record_file = ran.records;
    spec.backend = backend;
    spec.stdin_fd = spec.stderr_fd = null.get();
    spec.stdout_fd = out.get();
    TRY(capture::run_traced(spec));
    const std::string text = TRY(read_file(place + "/out"));
    for (const std::string_view line : lines_of(text)) ran.lines.emplace_back(line);
    std::ranges::sort(ran.lines);
    return ran;
  }

  enum class Refine { kNo, kYes };
  Result<ReadSet> reads_of(const Ran& ran, const Oid& snapshot, const Changes& own, Refine refine) {
    capture::InterpretInput input;
    input.places.tree = ran.worktree.tree;
    input.places.private_git_dir = ran.worktree.git_dir;
    input.places.common_git_dir = repository_.place().common_dir;
    input.record_files = {ran.records};
    input.snapshot = snapshot;
    input.writes = own;
    input.tool_cache_file = dir_ + "/tools";
    if (refine == Refine::kYes) {
      input.search_settings = [&] { return capture::search_settings(input.places, env_); };
    }
    return capture::interpret(repository_.objects(), input);
  }

  // Whether the reads hold; that both sides wrote the same path is another matter.
  bool holds(const ReadSet& reads, const Changes& own, const SnapshotDiff& diff, const Oid& tree) {
    const Footprint footprint{TxnId("t-bench"), reads, own, diff.snapshot};
    const std::vector<SnapshotDiff> diffs{diff};
    certify::Input input{&footprint, diffs};
    input.contents = land::judge_contents(repository_.objects(), tree, input.level);
    const Verdict verdict = certify::certify(input);
    return std::none_of(
        verdict.conflicts.begin(), verdict.conflicts.end(),
        [](const Conflict& conflict) { return conflict.kind == ConflictKind::kReadStale; });
  }

  std::string dir_;
  repo::Repository repository_;
  Environment env_;
  int made_ = 0;
};

Status Replay::agent(const std::vector<Oid>& commits, std::size_t at, RefineFigures& figures) {
  repo::Objects& objects = repository_.objects();
  const Oid& base = commits[at];
  const Oid base_tree = TRY(objects.tree_of(base));
  const Changes own = TRY(objects.diff(base, commits[at + 1]));
  const std::string script = script_of(own);
  if (script.empty()) return {};
  const Ran was = TRY(look(script, base, capture::Backend::kAuto));
  const ReadSet before = TRY(reads_of(was, base, own, Refine::kNo));
  const ReadSet after = TRY(reads_of(was, base, own, Refine::kYes));
  if (!after.complete) return fail(Code::kFault, after.unknown_reason);
  ++figures.agents;
  figures.before.reads += before.reads.size();
  figures.after.reads += after.reads.size();
  for (std::size_t next = at + 2; next < std::min(at + 2 + kNeighbours, commits.size()); ++next) {
    const Changes landed = TRY(objects.diff(commits[next - 1], commits[next]));
    const auto tree = objects.apply(base_tree, landed);
    if (!tree) continue;  // it builds on what came between
    const std::string who = "A <a@example.org> 1700000000 +0000";
    const Oid head = TRY(objects.write_commit({*tree, {base}, who, who, "a landing\n", ""}));
    const SnapshotDiff diff{base, TRY(objects.diff(base_tree, *tree))};
    const Ran is = TRY(look(script, head, capture::Backend::kOff));
    const bool same = was.lines == is.lines;
    ++figures.moves;
    figures.stale += same ? 0 : 1;
    figures.before.add(holds(before, own, diff, *tree), same);
    figures.after.add(holds(after, own, diff, *tree), same);
    TRY(repo::remove_worktree(is.worktree.path));
  }
  return repo::remove_worktree(was.worktree.path);
}

}  // namespace

Status measure_refinement(const Asked& asked) {
  const std::string& dir = asked.dir;
  TRY(make_dirs(dir + "/home"));
  Environment env = repo::without_repository(asked.env);
  env["HOME"] = dir + "/home";
  env["XDG_CONFIG_HOME"] = dir + "/home/.config";
  env["LC_ALL"] = "C.UTF-8";
  const repo::Git git(env);
  const std::string copy = dir + "/repo.git";
  TRY(git.must({"clone", "-q", "--bare", "--no-local", asked.words[1], copy}, {}));
  const repo::GitOptions in_copy{.dir = copy};
  TRY(git.must({"update-ref", "refs/heads/main", "HEAD"}, in_copy));
  const std::string list =
      TRY(git.must({"rev-list", "--first-parent", "--no-merges", "--reverse", "HEAD"}, in_copy));
  std::vector<Oid> all;
  for (std::size_t at = 0; at + 40 <= list.size(); at += 41) all.emplace_back(list.substr(at, 40));
  const auto wanted = static_cast<std::size_t>(asked.number(30)) + 1;
  if (all.size() > wanted) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(wanted));
  Replay replay(dir, TRY(repo::Repository::open(copy, env)), env);
  RefineFigures figures;
  for (std::size_t at = 0; at + 2 < all.size(); ++at) TRY(replay.agent(all, at, figures));
  if (figures.moves == 0) return fail(Code::kUsage, "the history is too short to replay");
  fmt::print("refine agents={} moves={} really_stale={}\n", figures.agents, figures.moves,
             figures.stale);
  for (const auto& [when, judged] :
       {std::pair("before:", &figures.before), {"after: ", &figures.after}}) {
    fmt::print("refine {} reads={} refused={} falsely={} missed={}\n", when, judged->reads,
               judged->refused, judged->falsely, judged->missed);
  }
  if (figures.after.missed == 0) return {};
  return fail(Code::kFault, "a read was said to hold that did not");
}

}  // namespace gittxn::bench
