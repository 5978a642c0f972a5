// The programs themselves are the judges of the tables: every option of every row is given to the
// installed program on a small folder. It has to know the option, to write nothing, and to print
// the same over the same folder that was made in another order and at another time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/testing/campaign.h"
#include "base/testing/temp_dir.h"
#include "base/text.h"
#include "questions/options.h"
#include "questions/runners.h"
#include "questions/testing/world.h"

namespace gittxn::questions {
namespace {

using gittxn::testing::TempDir;
using testing::everything_in;
using testing::Made;
using testing::run_in;

using Line = std::vector<std::string>;

// Programs that may lack; all others are in the package groups build and test of ./dev.
constexpr std::string_view kMayLack =
    "tree bfs ugrep xxd hexdump hd file gsed pytest py.test jest vitest mocha _mocha tsc eslint "
    "ruff "
    "mypy gmake ninja-build samu cargo mvn mvnw gradle gradlew go dotnet";

// Options that the programs of Debian 12 have not, or only with words that are not given here.
constexpr std::pair<std::string_view, std::string_view> kNewer[] = {
    {"wc", "total"},
    {"rg", "no-context-separator no-invert-match stop-on-nonmatch"},
    {"ugrep", "ascii"},
    {"jq", "raw-output0 stream-errors yaml-input yaml-output version v"},
    {"gojq", "V S sort-keys a ascii-output seq unbuffered stream-errors raw-output0"},
    {"git diff", "default-prefix merge-base"},
    {"git cat-file", "Z"},
    {"git config", "all regexp show-names value"},
    {"git check-attr", "source"},
    {"git remote", "all push"},
    {"git log", "dd"},
    {"git branch", "omit-empty"},
    {"git for-each-ref", "exclude include-root-refs"},
    {"git show-ref", "branches exists"},
    {"git stash", "only-untracked"},
    {"cmake", "build preset"},
    {"node",
     "test-skip-pattern test-isolation experimental-strip-types test-force-exit "
     "test-concurrency test-timeout max-old-space-size env-file "
     "experimental-test-module-mocks"},
};

bool may_be_new(const std::string& program, const std::string& option) {
  return std::ranges::any_of(
      kNewer, [&](const auto& row) { return row.first == program && among(row.second, option); });
}

// The words in front of an option, and behind it. Without an entry: nothing, and one file.
struct Around {
  Line before;
  Line operands;
};

struct AroundRow {
  std::string_view program;
  std::string_view before;  // parted by blanks
  std::string_view operands;
};
constexpr AroundRow kAround[] = {
    {"tr", "", "a b"},
    {"join", "", "a.txt b.txt"},
    {"comm", "", "a.txt b.txt"},
    {"diff", "--label x --label y", "a.txt b.txt"},
    {"cmp", "", "a.txt b.txt"},
    {"cut", "-f1", "a.txt"},
    {"seq", "", "3"},
    {"md5sum", "", "sums"},
    {"sed", "", "p a.txt"},
    {"jq", "", ". data.json"},
    {"gojq", "", ". data.json"},
    {"ls", "", "."},
    {"dir", "", "."},
    {"tree", "", "."},
    {"grep", "", "one a.txt sub"},
    {"egrep", "", "one a.txt sub"},
    {"fgrep", "", "one a.txt sub"},
    {"rg", "", "one ."},
    {"ugrep", "", "one a.txt sub"},
    {"git diff-index", "", "HEAD"},
    {"git diff-tree", "", "HEAD"},
    {"git ls-tree", "", "HEAD"},
    {"git cat-file", "", "HEAD:a.txt"},
    {"git grep", "", "one"},
    {"git config", "", "user.name"},
    {"git check-attr", "", "text a.txt"},
    {"git archive", "", "HEAD"},
    {"git show", "", "HEAD"},
    {"git rev-list", "", "HEAD"},
    {"git shortlog", "", "HEAD"},
    {"git rev-parse", "", "HEAD"},
    {"git describe", "", "HEAD"},
    {"git symbolic-ref", "", "HEAD"},
    {"git merge-base", "", "HEAD v1"},
    {"git name-rev", "", "HEAD"},
    {"git stash", "", "show"},
    {"git blame", "", "HEAD a.txt"},
    {"git annotate", "", "HEAD a.txt"},
    {"cmake", "--build built", ""},
    {"ctest", "--test-dir built", ""},
    {"unittest", "-m unittest discover", ""},
    {"node", "--test", "x.test.js"},
    {"git ls-files", "", ""},
    {"git status", "", ""},
    {"git diff", "", ""},
    {"git diff-files", "", ""},
    {"git remote", "", ""},
    {"git version", "", ""},
    {"git log", "", ""},
    {"git whatchanged", "", ""},
    {"git branch", "", ""},
    {"git tag", "", ""},
    {"git for-each-ref", "", ""},
    {"git show-ref", "", ""},
    {"make", "", ""},
    {"ninja", "", ""},
};

Line words_in(std::string_view text) {
  Line words;
  for (const std::string_view word : pieces_of(text, ' ')) words.emplace_back(word);
  return words;
}

Around around(const std::string& program) {
  const auto* const row = std::ranges::find(kAround, program, &AroundRow::program);
  if (row == std::end(kAround)) return {{}, {"a.txt"}};
  return {words_in(row->before), words_in(row->operands)};
}

// Values of options that take one; "1" where there is no entry. First by program, then by name.
constexpr std::pair<std::string_view, std::string_view> kValues[] = {
    {"since", "2026-01-01T00:00:00Z"},
    {"until", "2026-03-01T00:00:00Z"},
    {"date", "iso"},
    {"pretty", "%h"},
    {"git log format", "%h"},
    {"git branch format", "%(refname)"},
    {"git for-each-ref format", "%(refname)"},
    {"git ls-files format", "%(path)"},
    {"git ls-tree format", "%(path)"},
    {"git log L", "1,1:a.txt"},
    {"git blame L", "1,1"},
    {"git blame since", "2026-01-01T00:00:00Z"},
    {"git cat-file batch", "%(objectname)"},
    {"sort", "refname"},
    {"merged", "HEAD"},
    {"no-merged", "HEAD"},
    {"contains", "HEAD"},
    {"no-contains", "HEAD"},
    {"points-at", "HEAD"},
    {"diff-algorithm", "patience"},
    {"sort k", "2"},
    {"sort t", " "},
    {"sort S", "1M"},
    {"cut d", " "},
    {"join t", " "},
    {"join o", "1.1"},
    {"od A", "d"},
    {"od t", "x1"},
    {"nl n", "ln"},
    {"nl b", "a"},
    {"nl h", "a"},
    {"nl f", "a"},
    {"nl d", "x"},
    {"seq f", "%g"},
    {"cksum a", "md5"},
    {"b2sum l", "8"},
    {"sed e", "p"},
    {"jq arg", "x"},
    {"cmake build", "built"},
    {"cmake t", "all"},
    {"ctest test-dir", "built"},
    {"make f", "Makefile"},
    {"make C", "."},
    {"ninja C", "."},
    {"ninja f", "build.ninja"},
    {"rg engine", "default"},
    {"rg colors", "path:none"},
    {"rg t", "c"},
    {"rg T", "c"},
    {"rg encoding", "utf-8"},
    {"rg E", "utf-8"},
    {"rg f", "sums"},
    {"rg type-clear", "c"},
    {"rg type-add", "x:*.x"},
    {"grep f", "sums"},
    {"node import", "./x.test.js"},
    {"node r", "./x.test.js"},
    {"unittest s", "."},
    {"unittest t", "."},
    {"unittest p", "test*.py"},
};

std::string value_of(const std::string& program, const OptionRow& row) {
  if (!row.values.empty()) return std::string(row.values.front());
  const std::string name(row.names.front());
  for (const std::string& key : {program + " " + name, name}) {
    for (const auto& [option, value] : kValues) {
      if (option == key) return std::string(value);
    }
  }
  return "1";
}

std::string installed(const std::string& name) {
  for (const char* directory : {"/usr/bin/", "/bin/"}) {
    if (::access((directory + name).c_str(), X_OK) == 0) return directory + name;
  }
  return {};
}

// One program with one option.
struct Case {
  std::string program;  // "cat", "git log"
  std::string option;   // its name
  bool first = true;    // of the names of its row
  Line argv;
};

Line with_option(const std::string& name, const OptionRow& row, const std::string& value,
                 Dashes dashes) {
  const bool two = name.size() > 1 && dashes != Dashes::kWords;
  const std::string dash = two || name.size() > 2 ? "--" : "-";
  Line words{dash + name};
  switch (row.takes) {
    case Takes::kNothing:
      break;
    case Takes::kOptional:
      words[0] += row.values.empty() ? "" : (dash == "-" ? "" : "=") + value;
      break;
    case Takes::kValue:
    case Takes::kNext:
      words.push_back(value);
      break;
    case Takes::kTwo:
      words.push_back("x");
      words.push_back(row.names.front().ends_with("file") ? "data.json" : value);
      break;
  }
  return words;
}

void add_cases(const Program& program, const std::string& name, const Line& start,
               std::set<const char*>& seen, std::vector<Case>& cases) {
  const Around here = around(name);
  for (const std::string_view options : program.options) {
    const bool shared = name.starts_with("git ") && !seen.insert(options.data()).second;
    if (options.empty() || shared) continue;  // git's commands share texts: the first has it
    for (const OptionRow& row : rows_of(options)) {
      for (const std::string_view one : row.names) {
        Case made{name, std::string(one), one == row.names.front(), start};
        made.argv.insert(made.argv.end(), here.before.begin(), here.before.end());
        const Line words = with_option(made.option, row, value_of(name, row), program.dashes);
        made.argv.insert(made.argv.end(), words.begin(), words.end());
        made.argv.insert(made.argv.end(), here.operands.begin(), here.operands.end());
        cases.push_back(std::move(made));
      }
    }
  }
}

bool has_to_be_tried(const std::string& program) {
  if (!installed(program).empty()) return true;
  EXPECT_TRUE(among(kMayLack, program)) << program << " is not installed";
  std::printf("not tried, for it is not installed: %s\n", program.c_str());
  return false;
}

bool is_known(const Output& ran) {
  static constexpr const char* kComplaints[] = {
      "unrecognized option",   "invalid option",   "unknown option",  "nknown argument",
      "unexpected argument",   "Found argument",   "wasn't expected", "bad option",
      "unrecognized argument", "unknown argument", "nknown switch",   "unknown flag",
      "Unknown arguments"};
  const std::string said = ran.err.substr(0, 400) + ran.out.substr(0, 400);
  return std::ranges::none_of(kComplaints, [&](const char* one) { return said.contains(one); });
}

std::string answer_of(const Case& asked, const Output& ran) {
  std::string text = ran.out;
  if (classify(asked.argv)->order == Order::kAny) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::ranges::sort(lines);
    text.clear();
    for (const std::string& line : lines) text += line + "\n";
  }
  return std::to_string(ran.exit.status) + "\n" + ran.err + text;
}

std::string ask_one(const Case& one, const std::string& top) {
  const Output ran = run_in(top, one.argv);
  EXPECT_TRUE(is_known(ran) || may_be_new(one.program, one.option)) << quote_argv(one.argv) << "\n"
                                                                    << ran.err << ran.out;
  EXPECT_FALSE(ran.exit.timed_out) << quote_argv(one.argv);
  return answer_of(one, ran);
}

enum class Names { kAll, kFirst };

// The answers in a folder, which each program has to leave as it is.
std::vector<std::string> ask_all(const std::vector<Case>& cases, const std::string& top,
                                 Names names) {
  std::vector<std::string> answers;
  auto before = everything_in(top);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    answers.emplace_back();
    const bool asked = names == Names::kAll || one.first;
    if (asked) answers.back() = ask_one(one, top);
    if (i + 1 < cases.size() && cases[i + 1].program == one.program) continue;
    auto after = everything_in(top);
    EXPECT_EQ(before, after) << one.program;
    before = std::move(after);
  }
  return answers;
}

// Under a sanitizer a part of them: the programs are not sanitized.
void keep_some(std::vector<Case>& cases) {
  if (!gittxn::testing::kSanitized) return;
  std::vector<Case> some;
  for (std::size_t i = 0; i < cases.size(); i += 25) some.push_back(cases[i]);
  cases = std::move(some);
}

TEST(PurePrograms, KnowTheirOptionsAndAnswerFromTheFolderAlone) {
  std::vector<Case> cases;
  std::set<const char*> seen;
  for (const auto table :
       {coreutils_programs(), text_programs(), name_programs(), search_programs()}) {
    for (const Program& program : table) {
      for (const OptionRow& row : rows_of(program.names)) {
        const std::string name(row.names.front());
        if (has_to_be_tried(name)) add_cases(program, name, {name}, seen, cases);
      }
    }
  }
  for (const auto table : {git_commands(), git_history_commands()}) {
    for (const Program& program : table) {
      for (const OptionRow& row : rows_of(program.names)) {
        const std::string name(row.names.front());
        add_cases(program, "git " + name, {"git", name}, seen, cases);
      }
    }
  }
  keep_some(cases);
  for (const Case& one : cases) {
    const Classified asked = classify(one.argv);
    ASSERT_TRUE(asked) << quote_argv(one.argv) << "\n" << asked.error().reason;
    ASSERT_EQ(asked->name, one.program);
  }
  TempDir dir;
  const std::string top = dir.at("tree");
  testing::make_world(top, Made::kFirst);
  testing::make_repository(top);
  const std::vector<std::string> first = ask_all(cases, top, Names::kAll);
  ASSERT_TRUE(rename_over(top, dir.at("old")));
  testing::make_world(top, Made::kLater);
  testing::make_repository(top);
  const std::vector<std::string> second = ask_all(cases, top, Names::kFirst);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].first) continue;
    EXPECT_EQ(first[i], second[i]) << quote_argv(cases[i].argv);
  }
}

TEST(RunnerPrograms, KnowTheirOptions) {
  std::vector<Case> cases;
  std::set<const char*> seen;
  for (const auto table : {script_runners(), build_runners()}) {
    for (const Program& program : table) {
      for (const OptionRow& row : rows_of(program.names)) {
        const std::string name(row.names.front());
        if (among("make ninja cmake ctest node", name) && has_to_be_tried(name)) {
          add_cases(program, name, {name}, seen, cases);
        } else if (name == "unittest" && has_to_be_tried("python3")) {
          add_cases(program, name, {"python3"}, seen, cases);
        } else {
          std::printf("not tried: %s\n", name.c_str());
        }
      }
    }
  }
  keep_some(cases);
  TempDir dir;
  testing::make_world(dir.path(), Made::kFirst);
  const Output made = run_in(dir.path(), {"cmake", "-B", "built", "-G", "Ninja"});
  ASSERT_TRUE(made.exit.success()) << made.out << made.err;
  for (const Case& one : cases) {
    EXPECT_TRUE(classify(one.argv)) << quote_argv(one.argv);
    if (classify(one.argv)) ask_one(one, dir.path());
  }
}

}  // namespace
}  // namespace gittxn::questions
