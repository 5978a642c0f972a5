// Tables of programs and their options, and the one engine that splits an argument vector by them.
// Private to this module.
//
// Options stand in a text, parted by blanks: "n|lines=" is the letter n and the name lines, with a
// value. Behind the names:
//   (nothing)  takes no value       =   takes one, attached or in the next word
//   =?         attached or not      =+  the next word, if there is one
//   ==         the next two words
// A list behind '=' or '=?' closes the values: "color=?always,never". Long names count only whole:
// an abbreviation depends on all the options that a version has. The first name is the one that
// Given has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "questions/question.h"

namespace gittxn::questions {

template <typename T>
using Asked = std::expected<T, NoQuestion>;

// Reasons that many options share.
inline constexpr std::string_view kWrites = "writes files";
inline constexpr std::string_view kExecutes = "runs other programs";
inline constexpr std::string_view kTells = "shows times, sizes, owners or numbers that no tree has";
inline constexpr std::string_view kClock = "depends on the time";
inline constexpr std::string_view kWaits = "waits for changes";
inline constexpr std::string_view kUnread = "takes what it is to do from a file";
inline constexpr std::string_view kUnordered = "shows the order of a directory";
inline constexpr std::string_view kRandom = "is random";
inline constexpr std::string_view kAnother = "asks another question than whether it passes";
inline constexpr std::string_view kCached = "depends on an earlier run";

struct Refused {
  std::string_view why;
  std::string_view options;
};

struct Given {
  std::string_view name;  // the first of its row
  std::string value;
};

struct Arguments {
  std::vector<Given> options;
  std::vector<std::string> operands;      // those before "--", or all
  std::vector<std::string> after_dashes;  // behind it
  bool dashes = false;

  bool has(std::string_view name) const;
  bool has_any(std::string_view names) const;  // parted by blanks
  std::size_t count(std::string_view name) const;
  std::vector<std::string> all() const;  // operands, then what is behind the dashes
};

// kClusters: "-nE", "--name". kSingle: one letter in a word, "--name". kWords: whole names behind
// one dash or two, and a letter may have its value attached.
enum class Dashes : std::uint8_t { kClusters, kSingle, kWords };
enum class Digits : std::uint8_t { kNo, kNumber };          // kNumber: "-5" is an option
enum class NextWord : std::uint8_t { kAny, kWithoutDash };  // what a value in the next word may be

struct Program {
  std::string_view names;  // "egrep fgrep grep"; of git and others its command: "log show"
  std::string_view options[3] = {};
  Refused refused[6] = {};
  std::size_t most_operands = SIZE_MAX;
  Dashes dashes = Dashes::kClusters;
  Digits digits = Digits::kNo;
  NextWord next = NextWord::kAny;
  History history = History::kNone;
  Order order = Order::kItsOwn;
  // Checks what the table cannot say; may refine the question.
  Asked<void> (*check)(const Arguments& arguments, Question& question) = nullptr;
  // Instead of the table, for programs that have no options in this sense.
  Asked<void> (*parse)(std::span<const std::string> words, Question& question) = nullptr;
  // Only runners have these.
  bool tests = false;
  std::optional<int> none_ran = {};
};

using Words = std::span<const std::string>;

bool among(std::string_view list, std::string_view word);  // of words with a blank between them
const Program* find_program(std::span<const Program> table, std::string_view name);
const Program* find_pure(std::string_view name);  // in all families but git

// `name` is what a reason calls the program; `words` begin behind it.
Asked<Arguments> split_words(const Program& program, std::string_view name, Words words);

// Classifies by the row. `name` becomes the question's name.
Classified ask(const Program& program, const std::string& name, Words words);

// A row of a table as tests go through it.
enum class Takes : std::uint8_t { kNothing, kValue, kOptional, kNext, kTwo };
struct OptionRow {
  std::vector<std::string_view> names;
  Takes takes = Takes::kNothing;
  std::vector<std::string_view> values;  // empty: any
};
std::vector<OptionRow> rows_of(std::string_view options);

// The families.
std::span<const Program> coreutils_programs();  // streams of bytes and lines
std::span<const Program> text_programs();       // comparing, dumping, and sed and jq
std::span<const Program> name_programs();       // ls, tree, find
std::span<const Program> search_programs();
std::span<const Program> git_commands();
std::span<const Program> git_history_commands();

Asked<void> check_sed(const Arguments& arguments, Question& question);
// kShows: its status tells nothing of what it read. kEdits: each command changes lines and nothing
// else (s, d, a, i and c).
enum class SedUse : std::uint8_t { kPrints, kShows, kEdits };
Asked<void> check_sed_script(const Arguments& arguments, SedUse use);
Asked<void> check_jq(const Arguments& arguments, Question& question);

// Programs that lead to another family or row: git, python -m, npx, go test.
Classified classify_git(Words words);
Classified classify_runner(std::string_view name, Words words);  // not on its list: no reason

}  // namespace gittxn::questions
