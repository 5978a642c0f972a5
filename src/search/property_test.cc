// The searchers themselves are the judges: on random trees, edits and command lines, what the
// evaluator says of the snapshot is what the program prints there, and where a read is said to hold
// the program prints the same on the new tree.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "base/subprocess.h"
#include "base/testing/campaign.h"
#include "base/testing/temp_dir.h"
#include "search/argv.h"
#include "search/evaluate.h"
#include "search/testing/world.h"

namespace gittxn::search {
namespace {

using gittxn::testing::TempDir;
using testing::Files;
using testing::Maker;
using testing::MapTree;
using testing::Store;

std::uint64_t seed() {
  return gittxn::testing::campaign_seed(20261121);
}
constexpr int kUsualRounds = 12;
int rounds() {
  return std::max(3, gittxn::testing::campaign_rounds(kUsualRounds));  // of fewer some never refine
}

struct Program {
  std::string name;  // argv[0]
  std::string path;
};

std::string installed(const std::string& name) {
  for (const char* directory : {"/usr/bin/", "/bin/"}) {
    if (::access((directory + name).c_str(), X_OK) == 0) return directory + name;
  }
  return {};
}

std::vector<std::string> sorted_lines(const std::string& text, bool names_alone) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (names_alone) {  // ls writes headings and itself between them
    std::erase_if(lines, [](const std::string& line) {
      return line.empty() || line.ends_with(':') || line == "." || line == ".." || line == "./" ||
             line == "../";
    });
  }
  // git's own directory is no part of a tree.
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with(".git/") || line.starts_with("./.git/");
  });
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string show(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "  |" + line + "\n";
  return text;
}

std::string show(const Files& files, const Store& store) {
  std::string text;
  for (const auto& [path, entry] : files) {
    text += "== " + path + " " + std::string(mode_text(entry.mode)) + "\n" + store.get(entry.oid) +
            "\n";
  }
  return text;
}

class Searchers : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tool = GetParam();
    program = {tool, installed(tool)};
    if (tool == "fd" && program.path.empty()) program = {"fdfind", installed("fdfind")};
    if (program.path.empty()) GTEST_SKIP() << tool << " is not installed";
  }

  // A tree on disk as the program would meet it. git's own directory would be searched by programs
  // that know nothing of it, and is no part of a tree.
  void place(const Files& files, const std::string& top) {
    testing::write_tree(files, store, top);
    ASSERT_TRUE(make_dirs(top, 0755));
    const bool filters = tool == "rg" || tool == "fd";
    ASSERT_TRUE(!filters || make_dirs(top + "/.git", 0755));
    if (tool != "git") return;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"git", "init", "-q"}, {"git", "add", "-f", "-A"}}) {
      const Result<Output> ran = run({words, top, environment(), {}, 20'000, 1 << 24, {}});
      ASSERT_TRUE(ran && ran->exit.success());
    }
  }

  Environment environment() const {
    return {{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}, {"LC_ALL", locale}};
  }

  Output print(const std::vector<std::string>& words, const std::string& cwd) {
    std::vector<std::string> argv = words;
    argv.insert(argv.begin(), program.path);
    Result<Output> ran = run({argv, cwd, environment(), {}, 20'000, 1 << 24, {}});
    if (!ran) return {{127, false}, ran.error().message, {}};
    return *std::move(ran);
  }

  Surroundings around(const std::string& top) const {
    Surroundings s;
    s.top = top;
    s.env = {{"LC_ALL", locale}};
    s.git_settings = Vouched::kYes;
    s.outside_rules = Vouched::kYes;
    return s;
  }

  void compare_snapshot(const Query& query, const Answer& answer, const Output& real,
                        const std::string& told) {
    std::vector<std::string> said;
    for (const auto& [path, about] : answer.paths) {
      if (about.certain) said.insert(said.end(), about.lines.begin(), about.lines.end());
    }
    std::vector<std::string> is = sorted_lines(real.out, query.tool == Tool::kLs);
    if (query.before + query.after > 0) {
      std::erase(said, "--");
      std::erase(is, "--");
    }
    std::sort(said.begin(), said.end());
    if (answer.certain) {
      EXPECT_EQ(show(said), show(is)) << told;
    } else {
      EXPECT_TRUE(std::includes(is.begin(), is.end(), said.begin(), said.end()))
          << told << "said\n"
          << show(said) << "is\n"
          << show(is);
    }
    ++(answer.certain ? certain : uncertain);
  }

  void one(Maker& maker, const Files& before, const Files& after, const std::string& a,
           const std::string& b);

  std::string tool;
  std::string locale = "C.UTF-8";
  Program program;
  Store store;
  int refined = 0;
  int certain = 0;
  int uncertain = 0;
  int held = 0;
  int stale = 0;
  int stale_and_equal = 0;
};

void Searchers::one(Maker& maker, const Files& before, const Files& after, const std::string& a,
                    const std::string& b) {
  const std::vector<std::string> words = maker.command(tool);
  std::vector<std::string> argv = words;
  argv.insert(argv.begin(), program.name);
  const Refined<Query> made = query_from_argv(program.path, argv, around(a));
  if (!made) return;
  const Result<Query> again = query_from_text(query_text(*made));
  ASSERT_TRUE(again) << again.error().message << quote_argv(argv);
  ASSERT_EQ(*again, *made);
  const MapTree old_tree(before, store);
  const MapTree new_tree(after, store);
  const Refined<Answer> answer = evaluate(*again, old_tree);
  if (!answer) return;
  ++refined;
  const Output was = print(words, a);
  const std::string told = "seed " + std::to_string(seed()) + ": " + quote_argv(argv) + "\n" +
                           was.err + show(before, store);
  compare_snapshot(*made, *answer, was, told);
  const Refined<Answer> scope = scope_of(*again, old_tree);
  ASSERT_TRUE(scope) << told;
  EXPECT_EQ(scope->files, answer->files) << told;
  EXPECT_EQ(scope->directories, answer->directories) << told;
  const Judgement verdict =
      judge(*again, old_tree, new_tree, gittxn::testing::diff(before, after), {});
  const Output is = print(words, b);
  const bool same = sorted_lines(was.out, false) == sorted_lines(is.out, false) &&
                    was.exit.status == is.exit.status;
  if (!verdict.holds) {
    ++stale;
    stale_and_equal += same ? 1 : 0;
    return;
  }
  ++held;
  EXPECT_TRUE(same) << told << "AFTER\n"
                    << show(after, store) << "was\n"
                    << was.out << "is\n"
                    << is.out << is.err;
}

TEST_P(Searchers, PrintTheSameWhereTheReadHolds) {
  Random random(seed());
  Maker maker(random, store);
  for (int round = 0; round < rounds(); ++round) {
    const TempDir directory;
    const Files before = maker.tree();
    const Files after = maker.edit(before);
    locale = maker.chance(3) ? "C" : "C.UTF-8";
    place(before, directory.at("a"));
    place(after, directory.at("b"));
    for (int i = 0; i < 20; ++i) {
      one(maker, before, after, directory.at("a"), directory.at("b"));
      if (HasFailure()) return;
    }
  }
  RecordProperty("refined", refined);
  std::cout << tool << ": " << refined << " refined, " << certain << " certain, " << held
            << " held, " << stale << " stale, of them " << stale_and_equal << " the same\n";
  // A run that never refines, or never holds, shows nothing.
  EXPECT_GT(refined, rounds() * 3);
  EXPECT_GT(certain, rounds());
  EXPECT_GT(held, rounds());
  if (rounds() < kUsualRounds) return;  // too few rounds for the shares below
  EXPECT_GT(stale, 0);
  EXPECT_LT(stale_and_equal, refined / 4);
}

INSTANTIATE_TEST_SUITE_P(Each, Searchers,
                         ::testing::Values("grep", "rg", "git", "find", "fd", "ls"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace gittxn::search
