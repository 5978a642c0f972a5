// What becomes a query and what must not.
#include "search/argv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/json.h"
#include "base/subprocess.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

using Words = std::vector<std::string>;

Surroundings vouched() {
  Surroundings around;
  around.top = "/tree";
  around.git_settings = Vouched::kYes;
  around.outside_rules = Vouched::kYes;
  around.is_revision = [](const std::string& word) { return word == "main"; };
  return around;
}

Refined<Query> ask(const Words& argv, const Surroundings& around = vouched()) {
  return query_from_argv("/usr/bin/" + argv[0], argv, around);
}

std::string reason(const Words& argv, const Surroundings& around = vouched()) {
  const Refined<Query> query = ask(argv, around);
  return query ? "refined" : query.error().reason;
}

TEST(SearchArgv, ReadsGrep) {
  const Refined<Query> query =
      ask({"grep", "-rnE", "-C2", "--include=*.cc", "fo+|bar", "src/", "/tree/lib"});
  ASSERT_TRUE(query) << query.error().reason;
  EXPECT_EQ(query->tool, Tool::kGrep);
  EXPECT_EQ(query->dialect, Dialect::kExtended);
  EXPECT_EQ(query->patterns, Words{"fo+|bar"});
  EXPECT_TRUE(query->recursive && query->line_numbers);
  EXPECT_EQ(query->before, 2U);
  EXPECT_EQ(query->after, 2U);
  ASSERT_EQ(query->roots.size(), 2U);
  EXPECT_EQ(query->roots[0], (Root{"src/", "src"}));
  EXPECT_EQ(query->roots[1], (Root{"/tree/lib", "lib"}));
}

TEST(SearchArgv, KnowsTheVariablesOfATransaction) {
  Surroundings around = vouched();
  around.env = {{"GIT_EXEC_PATH", "/usr/lib/git-core"}, {"GIT_TXN_ID", "t-1"}};
  EXPECT_EQ(reason({"git", "grep", "x"}, around), "refined");
  around.env["GIT_DIR"] = "/elsewhere";
  EXPECT_EQ(reason({"git", "grep", "x"}, around), "environment: GIT_DIR");
}

TEST(SearchArgv, TakesWhatChangesNoAnswer) {
  EXPECT_EQ(*ask({"rg", "-j4", "--sort", "path", "x"}), *ask({"rg", "x"}));
  EXPECT_EQ(*ask({"rg", "-u", "x"}), *ask({"rg", "--no-ignore", "x"}));
  EXPECT_EQ(*ask({"rg", "-uu", "x"}), *ask({"rg", "--no-ignore", "--hidden", "x"}));
  EXPECT_EQ(*ask({"rg", "-u", "--no-ignore", "x"}), *ask({"rg", "--no-ignore", "x"}));
  EXPECT_EQ(*ask({"grep", "--line-buffered", "-r", "x"}), *ask({"grep", "-r", "x"}));
  EXPECT_EQ(*ask({"ls", "-r", "src"}), *ask({"ls", "src"}));
}

// The programs that find runs have vectors of their own; here it is the names they are given.
TEST(SearchArgv, FindThatRunsPrograms) {
  for (const Words& end : {Words{"cat", "{}", ";"}, Words{"grep", "-n", "x", "{}", "+"}}) {
    Words argv{"find", "src", "-iname", "*.C", "-exec"};
    argv.insert(argv.end(), end.begin(), end.end());
    EXPECT_EQ(*ask(argv), *ask({"find", "src", "-iname", "*.C", "-print"}));
  }
}

TEST(SearchArgv, KnowsWhereItRan) {
  Surroundings around = vouched();
  around.cwd = "src/sub";
  EXPECT_EQ(ask({"grep", "-r", "x"}, around)->roots[0].path, "src/sub");
  EXPECT_EQ(ask({"grep", "-r", "x", "../a"}, around)->roots[0].path, "src/a");
  EXPECT_EQ(reason({"grep", "-r", "x", "../../.."}, around), "'../../..' is outside the tree");
  EXPECT_EQ(reason({"grep", "-r", "x", "a/../b"}, around), "path 'a/../b'");
  EXPECT_EQ(reason({"grep", "-r", "x", "./a/.."}, around), "path './a/..'");
  EXPECT_EQ(reason({"grep", "-r", "x", "/etc"}, around), "'/etc' is outside the tree");
  EXPECT_EQ(reason({"grep", "-r", "x", "/tree2"}, around), "'/tree2' is outside the tree");
  EXPECT_EQ(reason({"rg", "-g", "*.c", "x", "../a"}, around), "a path above where it ran");
}

TEST(SearchArgv, RefusesWhatItDoesNotKnow) {
  const std::vector<Words> refused = {
      {"grep", "x"},
      {"grep", "-R", "x", "."},
      {"grep", "-r", "-f", "patterns", "."},
      {"grep", "-r", "-z", "x", "."},
      {"grep", "-r", "-3", "x", "."},
      {"grep", "-r", "--recurs", "x", "."},
      {"grep", "-r", "--color", "x", "."},
      {"grep", "-r", "-E", "-P", "x", "."},
      {"grep", "-r", "-q", "x", "."},
      {"grep", "-r", "-m0", "x", "."},
      {"grep", "-r", "--include=[ab].c", "x", "."},
      {"grep", "-r", "--exclude-dir=src", "x", "src"},
      {"grep", "-r", "x", "-"},
      {"grep", "-r", "a\nb", "."},
      {"grep", "-r", "", "."},
      {"rg", "--pre", "cat", "x"},
      {"rg", "-f", "patterns"},
      {"rg", "-z", "x"},
      {"rg", "-L", "x"},
      {"rg", "-t", "cpp", "x"},
      {"rg", "-g", "*.{c,h}", "x"},
      {"rg", "--ignore-file", "i", "x"},
      {"find", "-L", "."},
      {"find", ".", "-newer", "a"},
      {"find", ".", "-mtime", "1"},
      {"find", ".", "-delete"},
      {"find", ".", "-exec", "cat", "{}", ";", "-print"},
      {"find", ".", "-exec", "cat", "{}", ";", "-exec", "wc", "{}", "+"},
      {"find", ".", "-exec", ";"},
      {"find", ".", "-print", "-exec", "cat", "{}", ";"},
      {"find", ".", "-execdir", "cat", "{}", ";"},
      {"rg", "-uuu", "x"},
      {"rg", "--sort=modified", "x"},
      {"find", ".", "-name", "a", ","},
      {"find", ".", "(", "-name", "a"},
      {"find", ".", "-name", "a", ")"},
      {"find", ".", "-name"},
      {"fd", "-x", "cat"},
      {"fd", "-g", "*.c"},
      {"fd", "-E", "a", "x"},
      {"fd", "--changed-within", "1d"},
      {"fd", "a/b"},
      {"ls", "-l"},
      {"ls", "-t"},
      {"ls", "-L"},
      {"git", "grep", "x", "main"},
      {"git", "grep", "--cached", "x"},
      {"git", "grep", "--untracked", "x"},
      {"git", "grep", "x", "--", "*.c"},
      {"git", "grep", "x", "--", ":!a"},
      {"git", "-C", "a", "grep", "x"},
      {"git", "status"},
      {"ugrep", "-r", "x"},
      {"cat", "x"},
  };
  for (const Words& argv : refused) EXPECT_NE(reason(argv), "refined") << quote_argv(argv);
}

TEST(SearchArgv, RefusesSurroundingsThatChangeTheMeaning) {
  const Words grep = {"grep", "-r", "x", "."};
  ASSERT_EQ(reason(grep), "refined");
  for (const char* name : {"GREP_OPTIONS", "POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH"}) {
    Surroundings around = vouched();
    around.env[name] = "";
    EXPECT_EQ(reason(grep, around), std::string("environment: ") + name);
  }
  Surroundings around = vouched();
  around.env = {{"GREP_COLORS", "mt=1"}, {"LS_COLORS", "x"}, {"LANG", "en_US.UTF-8"}};
  EXPECT_EQ(reason(grep, around), "refined");
  around.env["LC_ALL"] = "tr_TR.UTF-8";
  EXPECT_EQ(reason(grep, around), "locale tr_TR.UTF-8");
  around.env["LC_ALL"] = "ja_JP.SJIS";
  EXPECT_NE(reason(grep, around), "refined");

  around = vouched();
  const Words git = {"git", "grep", "x", "--", "src"};
  ASSERT_EQ(reason(git, around), "refined");
  around.env["GIT_DIR"] = "elsewhere";
  EXPECT_EQ(reason(git, around), "environment: GIT_DIR");
  around = vouched();
  around.git_settings = Vouched::kNo;
  EXPECT_NE(reason(git, around), "refined");
  around = vouched();
  around.is_revision = nullptr;
  EXPECT_NE(reason({"git", "grep", "x", "src"}, around), "refined");
  EXPECT_EQ(reason({"git", "grep", "x", "src"}), "refined");

  around = vouched();
  around.outside_rules = Vouched::kNo;
  EXPECT_NE(reason({"rg", "x"}, around), "refined");
  EXPECT_NE(reason({"fd", "x"}, around), "refined");
  EXPECT_EQ(reason({"rg", "--no-ignore", "x"}, around), "refined");
}

TEST(SearchArgv, RefusesAProgramUnderAnotherName) {
  EXPECT_FALSE(query_from_argv("/opt/agent", {"grep", "-r", "x", "."}, vouched()));
  EXPECT_FALSE(query_from_argv("/bin/busybox", {"grep", "-r", "x", "."}, vouched()));
  EXPECT_FALSE(query_from_argv("/opt/agent", {"bfs", "."}, vouched()));
  EXPECT_TRUE(query_from_argv("/usr/bin/fdfind", {"fd", "x"}, vouched()));
}

TEST(SearchArgv, TakesOnlyPatternsOfOneMeaning) {
  const std::vector<std::pair<Dialect, std::string>> refused = {
      {Dialect::kBasic, "a\\1"},
      {Dialect::kBasic, "*a"},
      {Dialect::kBasic, "a^b"},
      {Dialect::kBasic, "a$b"},
      {Dialect::kBasic, "\\d"},
      {Dialect::kBasic, "[a"},
      {Dialect::kBasic, "[[.a.]]"},
      {Dialect::kBasic, "[A-z]"},
      {Dialect::kBasic, "[\\w]"},
      {Dialect::kExtended, "a**"},
      {Dialect::kExtended, "a|"},
      {Dialect::kExtended, "()"},
      {Dialect::kExtended, "(a"},
      {Dialect::kExtended, "a)"},
      {Dialect::kExtended, "a{,2}"},
      {Dialect::kExtended, "a{99}"},
      {Dialect::kExtended, "\\`a"},
      {Dialect::kExtended, "{"},
      {Dialect::kPerl, "(*UTF)a"},
      {Dialect::kPerl, "(?i)a"},
      {Dialect::kPerl, "a\\Kb"},
      {Dialect::kPerl, "(?R)"},
      {Dialect::kPerl, "a*+"},
      {Dialect::kPerl, "a\\1"},
      {Dialect::kRust, "(?=a)"},
      {Dialect::kRust, "[a&&b]"},
      {Dialect::kRust, "[a--b]"},
      {Dialect::kRust, "[[a]b]"},
      {Dialect::kRust, "\\p{L}"},
      {Dialect::kRust, "foo {"},
      {Dialect::kRust, "a\\/b"},
      {Dialect::kRust, "\\<a"},
      {Dialect::kRust, "[--]"},
      {Dialect::kRust, "caf\xc3\xa9"},
      {Dialect::kFixed, "\xff"},
      {Dialect::kFixed, "a\nb"},
      {Dialect::kRust, std::string(2'000, 'a')}};
  for (const auto& [dialect, pattern] : refused) {
    EXPECT_FALSE(check_pattern(dialect, pattern)) << pattern;
  }
  EXPECT_TRUE(check_pattern(Dialect::kRust, "^\\s*(?:fn|struct)\\s+\\w+[a-z_-]{2,3}?$"));
  EXPECT_TRUE(check_pattern(Dialect::kPerl, "(?<!x)foo(?=\\()"));
  EXPECT_TRUE(check_pattern(Dialect::kBasic, "^foo\\(bar\\)* {x}$"));
}

TEST(SearchArgv, ReadsBackOnlyWhatItWrote) {
  const Refined<Query> query = ask({"find", ".", "-name", "*.c", "-o", "-type", "d"});
  ASSERT_TRUE(query);
  const auto parsed = parse_json(query_text(*query));
  ASSERT_TRUE(parsed);
  const Json& good = *parsed;
  const auto read = [](const Json& json) { return query_from_text(canonical_json(json)); };
  EXPECT_EQ(*read(good), *query);
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    EXPECT_FALSE(read(bad)) << key;
    bad = good;
    bad[key] = Json::object();
    EXPECT_FALSE(read(bad)) << key;
  }
  Json bad = good;
  bad["more"] = 1;
  EXPECT_FALSE(read(bad));
  bad = good;
  bad["expression"] = Json::array({{{"op", "and"}, {"text", ""}}});
  EXPECT_FALSE(read(bad));
  bad = good;
  bad["dialect"] = "perl";
  bad["patterns"] = Json::array({"(*UTF)a"});
  EXPECT_FALSE(read(bad));
  bad = good;
  bad["version"] = 2;
  EXPECT_EQ(read(bad).error().code, Code::kNewer);
  EXPECT_FALSE(read(Json(1)));
}

// Every option that a program's own help names and the closed list does not have.
struct Closed {
  std::string tool;
  Words help;
  std::set<std::string> known;
};

Words options_in(const std::string& text) {
  Words found;
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '-')) {
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                 text[end] == '-' || text[end] == '.')) {
      ++end;
    }
    while (end > at && text[end - 1] == '.') --end;
    if (end - at >= 2 && text.substr(at, end - at) != "--")
      found.push_back(text.substr(at, end - at));
  }
  return found;
}

class ClosedList : public ::testing::TestWithParam<Closed> {};

TEST_P(ClosedList, RefinesNothingOutsideIt) {
  const Closed& list = GetParam();
  const Environment env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
  Words help = list.help;
  const Result<Output> ran = run({help, "", env, {}, 10'000, 1 << 22, {}});
  if (!ran) GTEST_SKIP() << list.tool << " is not installed";
  int tried = 0;
  const std::string program = list.help[0];
  for (const std::string& option : options_in(ran->out + ran->err)) {
    if (list.known.contains(option)) continue;
    ++tried;
    for (const Words& more : {Words{option}, Words{option, "1"}, Words{option + "=1"}}) {
      Words argv = list.tool == "git" ? Words{"git", "grep"} : Words{program};
      const Words end = list.tool == "ls" || list.tool == "find" ? Words{"src"} : Words{"x", "src"};
      if (list.tool == "grep") argv.emplace_back("-r");
      if (list.tool == "find") argv.emplace_back("src");
      argv.insert(argv.end(), more.begin(), more.end());
      if (list.tool != "find") argv.insert(argv.end(), end.begin(), end.end());
      EXPECT_NE(reason(argv), "refined") << quote_argv(argv);
    }
  }
  EXPECT_GT(tried, 10);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ClosedList,
    ::testing::Values(Closed{"grep",
                             {"grep", "--help"},
                             {"--line-buffered",
                              "-r",
                              "--recursive",
                              "-n",
                              "--line-number",
                              "-H",
                              "--with-filename",
                              "-h",
                              "--no-filename",
                              "-i",
                              "--ignore-case",
                              "-v",
                              "--invert-match",
                              "-w",
                              "--word-regexp",
                              "-x",
                              "--line-regexp",
                              "-l",
                              "--files-with-matches",
                              "-L",
                              "--files-without-match",
                              "-c",
                              "--count",
                              "-o",
                              "--only-matching",
                              "-e",
                              "--regexp",
                              "-E",
                              "--extended-regexp",
                              "-F",
                              "--fixed-strings",
                              "-G",
                              "--basic-regexp",
                              "-P",
                              "--perl-regexp",
                              "-s",
                              "--no-messages",
                              "-I",
                              "-A",
                              "--after-context",
                              "-B",
                              "--before-context",
                              "-C",
                              "--context",
                              "-m",
                              "--max-count",
                              "--include",
                              "--exclude",
                              "--exclude-dir"}},
                      Closed{"rg",
                             {"rg", "--help"},
                             {"-u",
                              "--unrestricted",
                              "-j",
                              "--threads",
                              "--sort",
                              "--line-buffered",
                              "-n",
                              "--line-number",
                              "-N",
                              "--no-line-number",
                              "-H",
                              "--with-filename",
                              "-I",
                              "--no-filename",
                              "-i",
                              "--ignore-case",
                              "-s",
                              "--case-sensitive",
                              "-S",
                              "--smart-case",
                              "-v",
                              "--invert-match",
                              "-w",
                              "--word-regexp",
                              "-x",
                              "--line-regexp",
                              "-l",
                              "--files-with-matches",
                              "--files-without-match",
                              "-c",
                              "--count",
                              "-o",
                              "--only-matching",
                              "-e",
                              "--regexp",
                              "-F",
                              "--fixed-strings",
                              "-A",
                              "--after-context",
                              "-B",
                              "--before-context",
                              "-C",
                              "--context",
                              "-m",
                              "--max-count",
                              "-g",
                              "--glob",
                              "--hidden",
                              "-.",
                              "--no-ignore",
                              "--files",
                              "--max-depth",
                              "--no-config",
                              "--no-heading",
                              "--no-messages"}},
                      Closed{"git",
                             {"git", "grep", "-h"},
                             {"-n",
                              "--line-number",
                              "-H",
                              "-h",
                              "-i",
                              "--ignore-case",
                              "-v",
                              "--invert-match",
                              "-w",
                              "--word-regexp",
                              "-l",
                              "--files-with-matches",
                              "--name-only",
                              "-L",
                              "--files-without-match",
                              "-c",
                              "--count",
                              "-e",
                              "-E",
                              "--extended-regexp",
                              "-F",
                              "--fixed-strings",
                              "-G",
                              "--basic-regexp",
                              "-I",
                              "-A",
                              "--after-context",
                              "-B",
                              "--before-context",
                              "-C",
                              "--context",
                              "--no-color"}},
                      Closed{"find",
                             {"find", "--help"},
                             {"-iname", "-name", "-path", "-wholename", "-type", "-maxdepth",
                              "-mindepth", "-not", "-prune", "-print", "-a", "-o", "-and", "-or"}},
                      Closed{"fd", {"fdfind", "--help"}, {"-H",          "--hidden",
                                                          "-I",          "--no-ignore",
                                                          "-u",          "--unrestricted",
                                                          "-e",          "-tf",
                                                          "-td",         "-tl",
                                                          "--extension", "-d",
                                                          "--max-depth", "--min-depth",
                                                          "-F",          "--fixed-strings",
                                                          "-s",          "--case-sensitive",
                                                          "-i",          "--ignore-case"}},
                      Closed{"ls",
                             {"ls", "--help"},
                             {"-r", "--reverse", "-1", "-a", "--all", "-A", "--almost-all", "-R",
                              "--recursive", "-p"}}),
    [](const auto& each) { return each.param.tool; });

}  // namespace
}  // namespace gittxn::search
