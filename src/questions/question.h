// Finds argument vectors that are questions (docs/design/0040-answers.md): a process whose answer
// may stand for what it looked at. Pure: no file, setting or variable is looked at. A program, an
// option or a word of a script that is on no list makes the vector no question.
//
// The caller has to hold still, or to make part of the question, what else the answer depends on:
// - which program it is: the name is looked at, and a program of another origin may do anything;
// - the standard input: each program may read it;
// - git's settings (an alias of a command, diff.external, a textconv or filter driver, a relative
//   date format, core.fsmonitor) and jq's ~/.jq;
// - the environment: LANG, LANGUAGE, LC_* (C or UTF-8), TZ, COLUMNS, TERM, NO_COLOR, PATH, HOME,
//   TMPDIR, POSIXLY_CORRECT, _POSIX2_VERSION, BLOCK_SIZE, TABSIZE, QUOTING_STYLE, TIME_STYLE,
//   LS_COLORS, TREE_COLORS, GREP_COLOR, GREP_COLORS, GREP_OPTIONS, JQ_COLORS, MAGIC,
//   RIPGREP_CONFIG_PATH, GIT_*, XDG_CONFIG_HOME, PAGER, LD_*; of runners PYTEST_*, PYTHON*, NODE_*,
//   npm_config_*, JEST_*, VITEST_*, CI, MAKEFLAGS, MAKEFILES, GNUMAKEFLAGS, NINJA_STATUS, CTEST_*,
//   CMAKE_*, GO*, CGO_*, CARGO_*, RUST*, MAVEN_*, MVN_*, JAVA_*, GRADLE_*, DOTNET_*, MYPY*, RUFF_*,
//   ESLINT_*, TSC_*, CC, CXX and the flags of compilers. A program's own rules may depend on a
//   variable that is not here; a digest of the whole environment covers all.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gittxn::questions {

// kPure: a function of its arguments, of what it read and of its input; its answer is what it
// printed and its status. kRunner: tests, a build or a linter; its answer is its status.
enum class Kind : std::uint8_t { kPure, kRunner };

// How much of the answer is history: ids, subjects, people, dates and counts of commits, and names
// of branches and tags. What else it has is of files.
enum class History : std::uint8_t { kNone, kSome, kAll };

// kAny: lines come in the order in which directories or threads give them, which no two copies of a
// tree share; a sorted answer says the same.
enum class Order : std::uint8_t { kItsOwn, kAny };

// The part of a repository that the answer is made from. kHead: the commit that is checked out, and
// what it reaches. kWorktree: the index and the files as well. kMore: also other references,
// reflogs, settings or the rest of a git directory, which nobody but the repository itself has.
enum class GitState : std::uint8_t { kNone, kHead, kWorktree, kMore };

struct Question {
  Kind kind = Kind::kPure;
  std::string name;  // "cat", "git log", "npm run lint"
  History history = History::kNone;
  Order order = Order::kItsOwn;
  GitState git = GitState::kNone;
  bool tests = false;           // a runner of tests: that one ran has to be shown by what it opened
  bool builds_tests = false;    // ... or by a program that it has built and started
  std::optional<int> none_ran;  // the status that says that no test ran, where there is one
  bool operator==(const Question&) const = default;
};

// Why not, as the part of a sentence: "sed with the option -i writes files".
struct NoQuestion {
  std::string reason;
};

using Classified = std::expected<Question, NoQuestion>;

inline std::unexpected<NoQuestion> no_question(std::string reason) {
  return std::unexpected(NoQuestion{std::move(reason)});
}

// argv[0]: a path or a name; of a path the last part counts. Two vectors of a runner ask the same
// when they are equal in every word.
Classified classify(const std::vector<std::string>& argv);

// True if some vectors of a program of this name are questions of kind kPure; git is not looked at.
bool only_prints(std::string_view program);

// True if the command lists names of directories and does nothing else that anybody could see who
// is not shown its output: ls with any option that follows no link, tree and find as questions of
// theirs. Its status says nothing of names.
bool lists_names(const std::vector<std::string>& argv);

// True if the command prints what is in files and does nothing else that anybody could see who is
// not shown its output: its status says no more than whether they are there. Searches are none,
// for they hold by their answers.
bool only_shows(const std::vector<std::string>& argv);
// True if one of these prints lines of a file as they are, all of them or some, so that lines that
// come into the file besides make nothing of its output wrong.
bool shows_lines(const std::vector<std::string>& argv);

// True if the command changes the files that it is given by an edit that stands in its arguments or
// in a patch, and does nothing else with what is in them: sed -i with commands that change lines,
// patch, git apply; and chmod, which changes a mode.
bool only_edits(const std::vector<std::string>& argv);

// True if the command is an editor that shows files on a screen and was given nothing but their
// names and lines. At a terminal whoever types sees the file and makes an edit in it; with another
// input it may be a script, which computes.
bool edits_on_screen(const std::vector<std::string>& argv);

// True if a command that somebody wrote down is these words by themselves: given as a list, or as
// ["sh", "-c", LINE] with a line of plain words, which a shell takes as they are.
bool is_command(const std::vector<std::string>& command, const std::vector<std::string>& argv);

}  // namespace gittxn::questions
