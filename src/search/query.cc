#include "search/query.h"

#include <array>
#include <span>

#include "base/json_value.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kTools[] = {"grep", "rg", "git grep", "find", "fd", "ls"};
constexpr std::string_view kKinds[] = {"lines", "files", "names"};
constexpr std::string_view kDialects[] = {"none", "fixed", "basic", "extended", "perl", "rust"};
constexpr std::string_view kShown[] = {"lines",      "only-matching", "count",
                                       "with-match", "without-match", "entries"};
constexpr std::string_view kNames[] = {"auto", "always", "never"};
constexpr std::string_view kEffects[] = {"include", "exclude", "exclude-dir"};
constexpr std::string_view kOps[] = {"name", "path", "type", "prune", "print",
                                     "true", "not",  "and",  "or",    "iname"};
constexpr std::size_t kMaxItems = 10'000;

Error corrupt(std::string message) {
  return Error{Code::kCorrupt, std::move(message), {}, {}};
}

Json strings_json(const std::vector<std::string>& strings) {
  Json json = Json::array();
  for (const std::string& text : strings) json.push_back(encode_path(text));
  return json;
}

// Takes the members of an object one by one; the last look says whether any was left over.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  Result<std::string> text(const char* key) {
    const Json* value = take(key);
    if (value == nullptr || !value->is_string()) return std::unexpected(corrupt(bad(key)));
    return decode_path(value->get_ref<const std::string&>());
  }
  Result<bool> flag(const char* key) {
    const Json* value = take(key);
    if (value == nullptr || !value->is_boolean()) return std::unexpected(corrupt(bad(key)));
    return value->get<bool>();
  }
  Result<std::uint32_t> number(const char* key) {
    const Json* value = take(key);
    if (value == nullptr || !value->is_number_unsigned() ||
        value->get<std::uint64_t>() > Query::kNoDepth) {
      return std::unexpected(corrupt(bad(key)));
    }
    return value->get<std::uint32_t>();
  }
  template <typename E>
  Result<E> word(const char* key, std::span<const std::string_view> words) {
    const std::string name = TRY(text(key));
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == name) return static_cast<E>(i);
    }
    return std::unexpected(corrupt(bad(key)));
  }
  Result<const Json*> array(const char* key) {
    const Json* value = take(key);
    if (value == nullptr || !value->is_array() || value->size() > kMaxItems) {
      return std::unexpected(corrupt(bad(key)));
    }
    return value;
  }
  Result<std::vector<std::string>> texts(const char* key) {
    const Json* list = TRY(array(key));
    std::vector<std::string> strings;
    for (const Json& item : *list) {
      if (!item.is_string()) return std::unexpected(corrupt(bad(key)));
      strings.push_back(decode_path(item.get_ref<const std::string&>()));
    }
    return strings;
  }
  Status end() const {
    if (!json_.is_object() || json_.size() != taken_) {
      return std::unexpected(corrupt("a search has members nobody knows"));
    }
    return {};
  }

 private:
  static std::string bad(const char* key) {
    return std::string("member '") + key + "' of a search is missing or wrong";
  }
  const Json* take(const char* key) {
    if (!json_.is_object()) return nullptr;
    const auto at = json_.find(key);
    if (at == json_.end()) return nullptr;
    ++taken_;
    return &*at;
  }
  const Json& json_;
  std::size_t taken_ = 0;
};

Status read_where(Members& members, Query& query) {
  query.cwd = TRY(members.text("cwd"));
  for (const Json& item : *TRY(members.array("roots"))) {
    Members root(item);
    query.roots.push_back({TRY(root.text("given")), TRY(root.text("path"))});
    TRY(root.end());
  }
  query.recursive = TRY(members.flag("recursive"));
  for (const Json& item : *TRY(members.array("rules"))) {
    Members rule(item);
    const auto effect = TRY(rule.word<NameRule::Effect>("effect", kEffects));
    query.rules.push_back({effect, TRY(rule.text("glob"))});
    TRY(rule.end());
  }
  query.types = TRY(members.text("types"));
  query.extensions = TRY(members.texts("extensions"));
  query.hidden = TRY(members.flag("hidden"));
  query.ignore_files = TRY(members.flag("ignore_files"));
  query.min_depth = TRY(members.number("min_depth"));
  query.max_depth = TRY(members.number("max_depth"));
  for (const Json& item : *TRY(members.array("expression"))) {
    Members term(item);
    const auto op = TRY(term.word<Term::Op>("op", kOps));
    query.expression.push_back({op, TRY(term.text("text"))});
    TRY(term.end());
  }
  query.mark_directories = TRY(members.flag("mark_directories"));
  query.git_index = TRY(members.flag("git_index"));
  return {};
}

// The evaluator relies on it, and a log is untrusted input.
Status check_expression(const std::vector<Term>& terms) {
  std::size_t depth = 0;
  for (const Term& term : terms) {
    const std::size_t needs = term.op == Term::Op::kNot                               ? 1
                              : term.op == Term::Op::kAnd || term.op == Term::Op::kOr ? 2
                                                                                      : 0;
    if (depth < needs) return std::unexpected(corrupt("the expression of a search is broken"));
    depth = depth - needs + 1;
  }
  if (depth > 1) return std::unexpected(corrupt("the expression of a search is broken"));
  return {};
}

}  // namespace

Json to_json(const Query& query) {
  Json roots = Json::array();
  for (const Root& root : query.roots) {
    roots.push_back({{"given", encode_path(root.given)}, {"path", encode_path(root.path)}});
  }
  Json rules = Json::array();
  for (const NameRule& rule : query.rules) {
    rules.push_back({{"effect", kEffects[static_cast<std::size_t>(rule.effect)]},
                     {"glob", encode_path(rule.glob)}});
  }
  Json expression = Json::array();
  for (const Term& term : query.expression) {
    expression.push_back(
        {{"op", kOps[static_cast<std::size_t>(term.op)]}, {"text", encode_path(term.text)}});
  }
  return {{"version", kVersion},
          {"tool", kTools[static_cast<std::size_t>(query.tool)]},
          {"kind", kKinds[static_cast<std::size_t>(query.kind)]},
          {"dialect", kDialects[static_cast<std::size_t>(query.dialect)]},
          {"patterns", strings_json(query.patterns)},
          {"ignore_case", query.ignore_case},
          {"word", query.word},
          {"whole_line", query.whole_line},
          {"invert", query.invert},
          {"shown", kShown[static_cast<std::size_t>(query.shown)]},
          {"before", query.before},
          {"after", query.after},
          {"max_per_file", query.max_per_file},
          {"line_numbers", query.line_numbers},
          {"names", kNames[static_cast<std::size_t>(query.names)]},
          {"cwd", encode_path(query.cwd)},
          {"roots", std::move(roots)},
          {"recursive", query.recursive},
          {"rules", std::move(rules)},
          {"types", encode_path(query.types)},
          {"extensions", strings_json(query.extensions)},
          {"hidden", query.hidden},
          {"ignore_files", query.ignore_files},
          {"min_depth", query.min_depth},
          {"max_depth", query.max_depth},
          {"expression", std::move(expression)},
          {"mark_directories", query.mark_directories},
          {"git_index", query.git_index}};
}

Result<Query> query_from_json(const Json& json) {
  Members members(json);
  Query query;
  if (TRY(members.number("version")) != kVersion) {
    return fail(Code::kNewer, "a search was recorded by another version");
  }
  query.tool = TRY(members.word<Tool>("tool", kTools));
  query.kind = TRY(members.word<Kind>("kind", kKinds));
  query.dialect = TRY(members.word<Dialect>("dialect", kDialects));
  query.patterns = TRY(members.texts("patterns"));
  query.ignore_case = TRY(members.flag("ignore_case"));
  query.word = TRY(members.flag("word"));
  query.whole_line = TRY(members.flag("whole_line"));
  query.invert = TRY(members.flag("invert"));
  query.shown = TRY(members.word<Shown>("shown", kShown));
  query.before = TRY(members.number("before"));
  query.after = TRY(members.number("after"));
  query.max_per_file = TRY(members.number("max_per_file"));
  query.line_numbers = TRY(members.flag("line_numbers"));
  query.names = TRY(members.word<NameShown>("names", kNames));
  TRY(read_where(members, query));
  TRY(members.end());
  TRY(check_expression(query.expression));
  for (const std::string& pattern : query.patterns) {
    const Refined<void> known = check_pattern(query.dialect, pattern);
    if (!known) return std::unexpected(corrupt("a search: " + known.error().reason));
  }
  return query;
}

}  // namespace gittxn::search
