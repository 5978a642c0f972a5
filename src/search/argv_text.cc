// grep, rg and git grep.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "search/glob.h"
#include "search/options.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

enum Id : int {
  kBefore = 1000,
  kAfter,
  kContext,
  kMax,
  kInclude,
  kExclude,
  kExcludeDir,
  kColor,
  kHarmless,
  kFilesOnly,
  kNoIgnore,
  kHiddenToo,
  kDepth,
  kOrder,
};

// Which of the three has an option; most are the same in all.
enum Of : unsigned { kOfGrep = 1, kOfGitGrep = 2, kOfRipgrep = 4 };

constexpr Option kTextOptions[] = {
    {'n', "line-number", Value::kNone, 'n'},
    {'i', "ignore-case", Value::kNone, 'i'},
    {'v', "invert-match", Value::kNone, 'v'},
    {'w', "word-regexp", Value::kNone, 'w'},
    {'l', "files-with-matches", Value::kNone, 'l'},
    {'c', "count", Value::kNone, 'c'},
    {'F', "fixed-strings", Value::kNone, 'F'},
    {'A', "after-context", Value::kNeeded, kAfter},
    {'B', "before-context", Value::kNeeded, kBefore},
    {'C', "context", Value::kNeeded, kContext},
    {'H', "with-filename", Value::kNone, 'H', kOfGrep | kOfRipgrep},
    {'x', "line-regexp", Value::kNone, 'x', kOfGrep | kOfRipgrep},
    {'L', "files-without-match", Value::kNone, 'L', kOfGrep | kOfGitGrep},
    {'o', "only-matching", Value::kNone, 'o', kOfGrep | kOfRipgrep},
    {'e', "regexp", Value::kNeeded, 'e', kOfGrep | kOfRipgrep},
    {'E', "extended-regexp", Value::kNone, 'E', kOfGrep | kOfGitGrep},
    {'G', "basic-regexp", Value::kNone, 'G', kOfGrep | kOfGitGrep},
    // A binary file's answer is never certain.
    {'I', "", Value::kNone, kHarmless, kOfGrep | kOfGitGrep},
    {'m', "max-count", Value::kNeeded, kMax, kOfGrep | kOfRipgrep},
    {0, "line-buffered", Value::kNone, kHarmless, kOfGrep | kOfRipgrep},
    {0, "color", Value::kOptional, kColor, kOfGrep | kOfGitGrep},
    {'r', "recursive", Value::kNone, 'r', kOfGrep},
    {'h', "no-filename", Value::kNone, 'h', kOfGrep},
    {'P', "perl-regexp", Value::kNone, 'P', kOfGrep},
    {'s', "no-messages", Value::kNone, kHarmless, kOfGrep},
    {0, "include", Value::kNeeded, kInclude, kOfGrep},
    {0, "exclude", Value::kNeeded, kExclude, kOfGrep},
    {0, "exclude-dir", Value::kNeeded, kExcludeDir, kOfGrep},
    {0, "colour", Value::kOptional, kColor, kOfGrep},
    {'H', "", Value::kNone, 'H', kOfGitGrep},
    {'h', "", Value::kNone, 'h', kOfGitGrep},
    {'l', "name-only", Value::kNone, 'l', kOfGitGrep},
    {'e', "", Value::kNeeded, 'e', kOfGitGrep},
    {0, "no-color", Value::kNone, kHarmless, kOfGitGrep},
    {'N', "no-line-number", Value::kNone, 'N', kOfRipgrep},
    {'I', "no-filename", Value::kNone, 'h', kOfRipgrep},
    {'s', "case-sensitive", Value::kNone, 's', kOfRipgrep},
    {'S', "smart-case", Value::kNone, 'S', kOfRipgrep},
    {0, "files-without-match", Value::kNone, 'L', kOfRipgrep},
    {'g', "glob", Value::kNeeded, 'g', kOfRipgrep},
    {'t', "type", Value::kNeeded, 't', kOfRipgrep},
    {'.', "hidden", Value::kNone, kHiddenToo, kOfRipgrep},
    {'u', "unrestricted", Value::kNone, 'u', kOfRipgrep},
    {'j', "threads", Value::kNeeded, kOrder, kOfRipgrep},
    {0, "sort", Value::kNeeded, kOrder, kOfRipgrep},
    {0, "no-ignore", Value::kNone, kNoIgnore, kOfRipgrep},
    {0, "files", Value::kNone, kFilesOnly, kOfRipgrep},
    {0, "max-depth", Value::kNeeded, kDepth, kOfRipgrep},
    {0, "no-config", Value::kNone, kHarmless, kOfRipgrep},
    {0, "no-heading", Value::kNone, kHarmless, kOfRipgrep},
    {0, "no-messages", Value::kNone, kHarmless, kOfRipgrep},
    {0, "color", Value::kNeeded, kColor, kOfRipgrep},
};

// What an option says by being there.
constexpr std::pair<int, bool Query::*> kFlags[] = {
    {'r', &Query::recursive}, {'n', &Query::line_numbers}, {'v', &Query::invert},
    {'w', &Query::word},      {'x', &Query::whole_line},   {kHiddenToo, &Query::hidden},
};
constexpr std::pair<int, Shown> kShownBy[] = {
    {'l', Shown::kWithMatch},
    {'L', Shown::kWithoutMatch},
    {'c', Shown::kCount},
    {'o', Shown::kOnlyMatching},
};
constexpr std::pair<int, Dialect> kDialectsBy[] = {
    {'E', Dialect::kExtended},
    {'F', Dialect::kFixed},
    {'G', Dialect::kBasic},
    {'P', Dialect::kPerl},
};
constexpr std::pair<int, NameRule::Effect> kRulesBy[] = {
    {kInclude, NameRule::Effect::kInclude},
    {kExclude, NameRule::Effect::kExclude},
    {kExcludeDir, NameRule::Effect::kExcludeDir},
};

template <typename T, std::size_t N>
const T* said_by(const std::pair<int, T> (&table)[N], int id) {
  const auto* row = std::ranges::find(table, id, &std::pair<int, T>::first);
  return row == std::end(table) ? nullptr : &row->second;
}

// Which of two options wins depends on the program.
template <typename T>
Refined<void> say_once(T& there, T unsaid, T wanted, const char* twice) {
  if (there != unsaid && there != wanted) return not_refined(twice);
  there = wanted;
  return {};
}

// Reads the options that the three share; the rest is each one's own.
class Builder {
 public:
  explicit Builder(Tool tool) { query.tool = tool; }
  Query query;

  Refined<void> take(const Given& given) {
    if (const auto* flag = said_by(kFlags, given.id)) {
      query.*(*flag) = true;
      return {};
    }
    if (const auto* shown = said_by(kShownBy, given.id)) {
      return say_once(query.shown, Shown::kLines, *shown, "two options of what is shown");
    }
    if (const auto* dialect = said_by(kDialectsBy, given.id)) {
      return say_once(query.dialect, Dialect::kNone, *dialect, "two kinds of pattern");
    }
    if (const auto* effect = said_by(kRulesBy, given.id)) {
      TRY(check_name_glob(given.value));
      query.rules.push_back({*effect, given.value});
      return {};
    }
    switch (given.id) {
      case 'i':
      case 's':
      case 'S':  // they override one another by order; more than one is left to rg
        return say_once(case_option_, 0, given.id, "two options of case");
      case 'N':
        query.line_numbers = false;
        return {};
      case 'H':
        query.names = NameShown::kAlways;
        return {};
      case 'h':
        query.names = NameShown::kNever;
        return {};
      case 'e':
        query.patterns.push_back(given.value);
        return {};
      case kColor:
        return check_colors(given.value);
      case kHarmless:
        return {};
      default:
        return take_number(given);
    }
  }

  Refined<void> finish(Dialect fallback) {
    if (query.dialect == Dialect::kNone) query.dialect = fallback;
    const bool context = query.before + query.after > 0;
    if (context && query.shown != Shown::kLines) return not_refined("context of what has no lines");
    if (context && query.max_per_file != 0) return not_refined("context and a limit");
    if (query.shown == Shown::kOnlyMatching && (query.invert || query.max_per_file != 0)) {
      return not_refined("-o with -v or a limit");
    }
    if (query.word && query.whole_line) return not_refined("-w with -x");
    if (query.shown == Shown::kOnlyMatching && query.word) return not_refined("-o with -w");
    if (query.shown != Shown::kLines && query.shown != Shown::kOnlyMatching) {
      query.kind = Kind::kFiles;
    }
    query.ignore_case = case_option_ == 'i';
    if (case_option_ == 'S') {
      if (query.patterns.size() != 1) return not_refined("smart case of many patterns");
      query.ignore_case = TRY(smart_case_ignores(query.patterns[0]));
    }
    // Compiles it, to say now what cannot be evaluated later.
    TRY(Matcher::compile(query));
    return {};
  }

 private:
  Refined<void> take_number(const Given& given) {
    const std::uint32_t number = TRY(parse_number(given.value));
    if (given.id == kMax) {
      query.max_per_file = number;
      return {};
    }
    // Which of -C and -A wins depends on their order to some.
    if (given.id == kContext && query.before + query.after > 0)
      return not_refined("-C with -A or -B");
    if (given.id == kBefore && query.before > 0) return not_refined("-B twice");
    if (given.id == kAfter && query.after > 0) return not_refined("-A twice");
    if (given.id != kAfter) query.before = number;
    if (given.id != kBefore) query.after = number;
    return {};
  }

  int case_option_ = 0;
};

// The pattern, when no -e gave one; the words that are left are paths.
Refined<std::vector<std::string>> take_pattern(Query& query, std::vector<std::string> paths) {
  if (!query.patterns.empty()) return paths;
  if (paths.empty()) return not_refined("no pattern");
  query.patterns.push_back(paths.front());
  paths.erase(paths.begin());
  return paths;
}

Refined<void> check_grep_rules(const Query& query) {
  bool include = false;
  bool exclude = false;
  for (const NameRule& rule : query.rules) {
    include = include || rule.effect == NameRule::Effect::kInclude;
    exclude = exclude || rule.effect == NameRule::Effect::kExclude;
    if (rule.effect != NameRule::Effect::kExcludeDir) continue;
    // Whether it excludes a directory that was named depends on how it was written.
    for (const Root& root : query.roots) {
      for (const auto name : std::views::split(root.given, '/')) {
        const bool excluded = glob_matches(rule.glob, std::string_view(name));
        if (excluded) return not_refined("--exclude-dir of a path given");
      }
    }
  }
  // Which of the two wins depends on their order, and the first decides for what neither matches.
  if (include && exclude) return not_refined("--include with --exclude");
  return {};
}

// rg's own options; false when it is none of them.
Refined<bool> take_ripgrep(const Given& given, Query& query) {
  if (given.id == 'g') {
    const bool exclude = given.value.starts_with('!');
    const std::string glob = given.value.substr(exclude ? 1 : 0);
    if (glob.starts_with('!')) return not_refined("glob: !!");
    TRY(parse_rule(glob));
    const auto effect = exclude ? NameRule::Effect::kExclude : NameRule::Effect::kInclude;
    query.rules.push_back({effect, glob});
  } else if (given.id == 't') {
    // Types whose globs are the same in every version that is known.
    if (given.value != "rust" && given.value != "go") return not_refined("type " + given.value);
    query.extensions.emplace_back(given.value == "go" ? ".go" : ".rs");
  } else if (given.id == kOrder) {
    // In which order lines come is no part of the answer.
    if (given.value.find_first_not_of("0123456789") != std::string::npos && given.value != "path" &&
        given.value != "none") {
      return not_refined("the order of " + given.value);
    }
  } else if (given.id == kNoIgnore) {
    query.ignore_files = false;
  } else if (given.id == kDepth) {
    query.max_depth = TRY(parse_number(given.value));
  } else {
    return false;
  }
  return true;
}

}  // namespace

Refined<Query> parse_grep(std::span<const std::string> words, const Surroundings& around) {
  const Words split = TRY(split_words(kTextOptions, words, Order::kMixed, kOfGrep));
  Builder builder(Tool::kGrep);
  Query& query = builder.query;
  for (const Given& given : split.options) TRY(builder.take(given));
  const std::vector<std::string> paths = TRY(take_pattern(query, split.all()));
  if (paths.empty() && !query.recursive) return not_refined("standard input");
  TRY(add_roots(query, paths, around));
  TRY(check_grep_rules(query));
  if (!query.rules.empty() && !query.recursive) return not_refined("globs without -r");
  TRY(builder.finish(Dialect::kBasic));
  if (query.dialect == Dialect::kPerl && query.patterns.size() > 1) {
    return not_refined("-P with many patterns");
  }
  return std::move(query);
}

Refined<Query> parse_git_grep(std::span<const std::string> words, const Surroundings& around) {
  const Words split = TRY(split_words(kTextOptions, words, Order::kOptionsFirst, kOfGitGrep));
  Builder builder(Tool::kGitGrep);
  Query& query = builder.query;
  query.recursive = true;
  for (const Given& given : split.options) TRY(builder.take(given));
  std::vector<std::string> before = TRY(take_pattern(query, split.operands));
  for (const std::string& word : before) {
    const bool path = !split.dashes && around.is_revision && !around.is_revision(word);
    if (!path) return not_refined("'" + word + "' may be a revision");
  }
  before.insert(before.end(), split.after_dashes.begin(), split.after_dashes.end());
  for (const std::string& path : before) {
    if (path.find_first_of("*?[\\:") != std::string::npos || path.starts_with('/')) {
      return not_refined("pathspec '" + path + "'");
    }
  }
  TRY(add_roots(query, before, around));
  TRY(builder.finish(Dialect::kBasic));
  // git finds one more empty line behind the last newline.
  Match match;
  if (TRY(Matcher::compile(query)).find("", 0, match) != Found::kNo) {
    return not_refined("git grep for what may be empty");
  }
  // git looks for the next match, not a shorter one, when one is no word.
  if (query.word && query.dialect != Dialect::kFixed) return not_refined("git grep -w");
  return std::move(query);
}

Refined<Query> parse_ripgrep(std::span<const std::string> words, const Surroundings& around) {
  const Words split = TRY(split_words(kTextOptions, words, Order::kMixed, kOfRipgrep));
  Builder builder(Tool::kRipgrep);
  Query& query = builder.query;
  query.recursive = true;
  query.ignore_files = true;
  bool files = false;
  int unrestricted = 0;
  for (const Given& given : split.options) {
    if (given.id == kFilesOnly) {
      files = true;
    } else if (given.id == 'u') {
      ++unrestricted;
    } else if (!TRY(take_ripgrep(given, query))) {
      TRY(builder.take(given));
    }
  }
  // Once: no ignore files; twice: hidden names too; a third time would search binary files.
  if (unrestricted > 2) return not_refined("-u too often");
  if (unrestricted > 0) query.ignore_files = false;
  if (unrestricted > 1) query.hidden = true;
  if (query.ignore_files && around.outside_rules != Vouched::kYes) {
    return not_refined("ignore rules outside the tree are not known");
  }
  if (files) {
    if (!query.patterns.empty() || query.shown != Shown::kLines) {
      return not_refined("--files and more");
    }
    TRY(add_roots(query, split.all(), around));
    query.kind = Kind::kNames;
    query.shown = Shown::kEntries;
    return std::move(query);
  }
  const std::vector<std::string> paths = TRY(take_pattern(query, split.all()));
  TRY(add_roots(query, paths, around));
  if (query.patterns.size() > 1 && query.shown == Shown::kOnlyMatching) {
    return not_refined("-o of many patterns");
  }
  TRY(builder.finish(Dialect::kRust));
  return std::move(query);
}

}  // namespace gittxn::search
