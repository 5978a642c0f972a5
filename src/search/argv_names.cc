// find, fd and ls.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "search/glob.h"
#include "search/options.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

constexpr int kMaxNesting = 30;
constexpr std::size_t kMaxTerms = 300;

Refined<void> check_find_type(std::string_view letter) {
  if (letter == "f" || letter == "d" || letter == "l") return {};
  return not_refined("find: -type " + std::string(letter));
}

// Tests that take a value.
struct FindTest {
  std::string_view word;
  Term::Op op;
  Refined<void> (*check)(std::string_view);
};
constexpr FindTest kFindTests[] = {
    {"-name", Term::Op::kName, check_name_glob}, {"-iname", Term::Op::kNameNoCase, check_name_glob},
    {"-path", Term::Op::kPath, check_path_glob}, {"-wholename", Term::Op::kPath, check_path_glob},
    {"-type", Term::Op::kType, check_find_type},
};

// find's expression, by precedence: "!", then "-a" or nothing, then "-o".
class FindParser {
 public:
  FindParser(std::span<const std::string> words, Query& query) : words_(words), query_(query) {}

  Refined<void> parse() {
    if (words_.empty()) return {};
    TRY(alternatives());
    if (at_ != words_.size()) return not_refined("find: '" + words_[at_] + "'");
    const auto prints = std::ranges::count_if(
        query_.expression, [](const Term& t) { return t.op == Term::Op::kPrint; });
    if (prints > 1) return not_refined("find: -print twice");
    return {};
  }

 private:
  bool next_is(std::string_view a, std::string_view b = {}) const {
    return at_ < words_.size() && (words_[at_] == a || (!b.empty() && words_[at_] == b));
  }
  Refined<void> push(Term::Op op, std::string text = {}) {
    if (query_.expression.size() >= kMaxTerms) return not_refined("find: a long expression");
    query_.expression.push_back({op, std::move(text)});
    return {};
  }

  Refined<void> alternatives() {
    if (++nesting_ > kMaxNesting) return not_refined("find: deep nesting");
    TRY(sequence());
    while (next_is("-o", "-or")) {
      ++at_;
      TRY(sequence());
      TRY(push(Term::Op::kOr));
    }
    --nesting_;
    return {};
  }

  Refined<void> sequence() {
    TRY(negation());
    while (at_ < words_.size() && !next_is("-o", "-or") && !next_is(")")) {
      if (next_is("-a", "-and")) ++at_;
      TRY(negation());
      TRY(push(Term::Op::kAnd));
    }
    return {};
  }

  Refined<void> negation() {
    std::size_t count = 0;
    for (; next_is("!", "-not"); ++at_) ++count;
    TRY(primary());
    for (; count > 0; --count) TRY(push(Term::Op::kNot));
    return {};
  }

  Refined<void> primary() {
    if (at_ == words_.size()) return not_refined("find: an expression that ends early");
    const std::string& word = words_[at_++];
    if (word == "(") {
      TRY(alternatives());
      if (!next_is(")")) return not_refined("find: '(' without ')'");
      ++at_;
      return {};
    }
    if (word == "-prune") return push(Term::Op::kPrune);
    if (word == "-print") return push(Term::Op::kPrint);
    if (word == "-exec") return exec();
    const auto* test = std::ranges::find(kFindTests, word, &FindTest::word);
    const bool depth = word == "-maxdepth" || word == "-mindepth";
    if (test == std::end(kFindTests) && !depth) return not_refined("find: '" + word + "'");
    if (at_ == words_.size()) return not_refined("find: " + word + " needs a value");
    const std::string& value = words_[at_++];
    if (depth) {  // it holds for the whole of find wherever it stands
      (word == "-maxdepth" ? query_.max_depth : query_.min_depth) = TRY(parse_number(value));
      return push(Term::Op::kTrue);
    }
    TRY(test->check(value));
    return push(test->op, value);
  }

  // What it runs has a vector of its own, and is given the names that would be printed here. As the
  // last word of all nothing depends on how that ends.
  Refined<void> exec() {
    const bool each = words_.back() == ";";
    const bool all = words_.back() == "+" && words_.size() > 1 && words_[words_.size() - 2] == "{}";
    if (!(each || all) || at_ + 1 >= words_.size()) return not_refined("find: -exec in the middle");
    for (std::size_t i = at_; i + 1 < words_.size(); ++i) {
      if (words_[i] == ";" || (words_[i] == "+" && words_[i - 1] == "{}")) {
        return not_refined("find: -exec twice");
      }
    }
    at_ = words_.size();
    return push(Term::Op::kPrint);
  }

  std::span<const std::string> words_;
  Query& query_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

constexpr Option kFdOptions[] = {
    {'H', "hidden", Value::kNone, 'H'},         {'I', "no-ignore", Value::kNone, 'I'},
    {'u', "unrestricted", Value::kNone, 'u'},   {'t', "type", Value::kNeeded, 't'},
    {'e', "extension", Value::kNeeded, 'e'},    {'d', "max-depth", Value::kNeeded, 'd'},
    {0, "min-depth", Value::kNeeded, 'm'},      {'F', "fixed-strings", Value::kNone, 'F'},
    {'s', "case-sensitive", Value::kNone, 's'}, {'i', "ignore-case", Value::kNone, 'i'},
    {'c', "color", Value::kNeeded, 'c'},
};

constexpr Option kLsOptions[] = {
    {'1', "", Value::kNone, '1'},           {'a', "all", Value::kNone, 'a'},
    {'A', "almost-all", Value::kNone, 'a'}, {'R', "recursive", Value::kNone, 'R'},
    {'p', "", Value::kNone, 'p'},           {0, "color", Value::kOptional, 'c'},
    {'r', "reverse", Value::kNone, 'r'},
};

Refined<void> add_type(Query& query, const std::string& value) {
  static constexpr std::pair<std::string_view, char> kTypes[] = {
      {"f", 'f'}, {"file", 'f'}, {"d", 'd'}, {"directory", 'd'}, {"l", 'l'}, {"symlink", 'l'}};
  for (const auto& [name, letter] : kTypes) {
    if (name != value) continue;
    query.types += letter;
    return {};
  }
  return not_refined("type " + value);
}

Refined<void> add_extension(Query& query, std::string value) {
  if (value.starts_with('.')) value.erase(0, 1);
  const bool plain =
      std::ranges::all_of(value, [](unsigned char c) { return std::isalnum(c) != 0; });
  if (value.empty() || !plain) return not_refined("extension '" + value + "'");
  query.extensions.push_back(value);
  return {};
}

Refined<void> take_fd(const Given& given, Query& query, std::string& letters) {
  const auto id = static_cast<char>(given.id);
  if (id != 't' && id != 'e') {
    if (letters.contains(id)) return not_refined("an option twice");
    letters += id;
  }
  if (id == 'H' || id == 'u') query.hidden = true;
  if (id == 'I' || id == 'u') query.ignore_files = false;
  if (id == 't') return add_type(query, given.value);
  if (id == 'e') return add_extension(query, given.value);
  if (id == 'd') query.max_depth = TRY(parse_number(given.value));
  if (id == 'm') query.min_depth = TRY(parse_number(given.value));
  if (id == 'F') query.dialect = Dialect::kFixed;
  if (id == 'c') return check_colors(given.value);
  return {};  // -i and -s are looked at when the pattern is known
}

Query query_of_names(Tool tool) {
  Query query;
  query.tool = tool;
  query.kind = Kind::kNames;
  query.shown = Shown::kEntries;
  query.recursive = tool != Tool::kLs;
  return query;
}

}  // namespace

Refined<Query> parse_find(std::span<const std::string> words, const Surroundings& around) {
  Query query = query_of_names(Tool::kFind);
  query.hidden = true;
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    if (word.starts_with('-') || word == "(" || word == "!") break;
    if (word.starts_with(')') || word.starts_with(',')) return not_refined("find: '" + word + "'");
    paths.push_back(word);
  }
  TRY(add_roots(query, paths, around));
  TRY(FindParser(words.subspan(paths.size()), query).parse());
  return query;
}

// It prints what find prints, in another order; only as agents start it in the place of find.
Refined<Query> parse_bfs(std::span<const std::string> words, const Surroundings& around) {
  constexpr std::string_view kAsFind[] = {"-S", "dfs", "-regextype", "findutils-default"};
  if (words.size() < std::size(kAsFind) ||
      !std::ranges::equal(kAsFind, words.first(std::size(kAsFind)))) {
    return not_refined("bfs, but not as find");
  }
  return parse_find(words.subspan(std::size(kAsFind)), around);
}

Refined<Query> parse_fd(std::span<const std::string> words, const Surroundings& around) {
  const Words split = TRY(split_words(kFdOptions, words, Order::kMixed));
  Query query = query_of_names(Tool::kFd);
  query.ignore_files = true;
  std::string letters;
  for (const Given& given : split.options) TRY(take_fd(given, query, letters));
  if (query.ignore_files && around.outside_rules != Vouched::kYes) {
    return not_refined("ignore rules outside the tree are not known");
  }
  std::vector<std::string> paths = split.all();
  const bool fixed = query.dialect == Dialect::kFixed;
  if (!paths.empty()) {
    const std::string pattern = paths.front();
    paths.erase(paths.begin());
    if (pattern.contains('/')) return not_refined("pattern: a path");
    const bool sensitive = letters.contains('s');
    query.ignore_case = letters.contains('i');
    if (sensitive && query.ignore_case) return not_refined("two options of case");
    if (!sensitive && !query.ignore_case) query.ignore_case = TRY(smart_case_ignores(pattern));
    query.patterns.push_back(pattern);
    query.dialect = fixed ? Dialect::kFixed : Dialect::kRust;
    TRY(Matcher::compile(query));
  } else if (fixed) {
    query.dialect = Dialect::kNone;
  }
  TRY(add_roots(query, paths, around));
  return query;
}

Refined<Query> parse_ls(std::span<const std::string> words, const Surroundings& around) {
  const Words split = TRY(split_words(kLsOptions, words, Order::kMixed));
  Query query = query_of_names(Tool::kLs);
  for (const Given& given : split.options) {
    if (given.id == 'a') query.hidden = true;
    if (given.id == 'R') query.recursive = true;
    if (given.id == 'p') query.mark_directories = true;
    if (given.id == 'c') TRY(check_colors(given.value));
  }
  TRY(add_roots(query, split.all(), around));
  return query;
}

}  // namespace gittxn::search
