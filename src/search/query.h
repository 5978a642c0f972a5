// A query as a known searcher was asked it, a plain value: all that its answer depends on besides
// the tree. It is made from an argument vector (argv.h), kept in a read, and judged when the change
// lands (judge.h). Processes and records are not known here.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gittxn::search {

enum class Tool { kGrep, kRipgrep, kGitGrep, kFind, kFd, kLs };
// kLines: the lines that match. kFiles: which files match, or how often. kNames: entries by name.
enum class Kind { kLines, kFiles, kNames };
// kNone: every name. kRust: the subset that means the same to PCRE2 (pattern.h).
enum class Dialect { kNone, kFixed, kBasic, kExtended, kPerl, kRust };
enum class Shown { kLines, kOnlyMatching, kCount, kWithMatch, kWithoutMatch, kEntries };
enum class NameShown { kAuto, kAlways, kNever };  // kAuto: when more than one file may be searched

struct Root {
  std::string given;  // as on the command line; empty: none was given, it is where it ran
  std::string path;   // in the repository; "" is the top
  bool operator==(const Root&) const = default;
};

// A glob of a name or a path. Last match wins where a tool says so.
struct NameRule {
  enum class Effect { kInclude, kExclude, kExcludeDir };
  Effect effect = Effect::kInclude;
  std::string glob;
  bool operator==(const NameRule&) const = default;
};

// find's expression in postfix order.
struct Term {
  enum class Op { kName, kPath, kType, kPrune, kPrint, kTrue, kNot, kAnd, kOr, kNameNoCase };
  Op op = Op::kTrue;
  std::string text;  // the glob, or the letters of -type
  bool operator==(const Term&) const = default;
};

struct Query {
  Tool tool = Tool::kGrep;
  Kind kind = Kind::kLines;
  Dialect dialect = Dialect::kNone;
  std::vector<std::string> patterns;  // one of them matches
  bool ignore_case = false;           // smart case is decided when the query is made
  bool word = false;
  bool whole_line = false;
  bool invert = false;
  Shown shown = Shown::kLines;
  std::uint32_t before = 0;  // lines of context
  std::uint32_t after = 0;
  std::uint32_t max_per_file = 0;  // selected lines; 0: no limit
  bool line_numbers = false;
  NameShown names = NameShown::kAuto;

  std::string cwd;  // where it ran, in the repository
  std::vector<Root> roots;
  bool recursive = false;
  std::vector<NameRule> rules;
  std::string types;  // letters of f, d and l; empty: all
  std::vector<std::string> extensions;
  bool hidden = false;        // names that begin with a dot are looked at
  bool ignore_files = false;  // .gitignore and its kin govern
  std::uint32_t min_depth = 0;
  std::uint32_t max_depth = kNoDepth;
  std::vector<Term> expression;
  bool mark_directories = false;  // a '/' after their names
  // git's index was searched as a file like any other: it holds the names of all files, and a name
  // that matches makes it print. Not from the argument vector; whoever saw the index opened sets
  // it.
  bool git_index = false;
  static constexpr std::uint32_t kNoDepth = 1'000'000;

  bool operator==(const Query&) const = default;
};

// Why an argument vector, an environment or a tree does not allow refinement: the opens stay reads.
struct NotRefined {
  std::string reason;
};
template <typename T>
using Refined = std::expected<T, NotRefined>;
inline std::unexpected<NotRefined> not_refined(std::string reason) {
  return std::unexpected(NotRefined{std::move(reason)});
}

// Canonical JSON: the query's identity. Byte strings are encoded with encode_path.
std::string query_text(const Query& query);
// Strict: an unknown or a missing key is kCorrupt. Also checks that the patterns are ones this
// version evaluates, so a query from an older log is never evaluated by other rules.
Result<Query> query_from_text(std::string_view text);

}  // namespace gittxn::search
