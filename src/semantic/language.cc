#include "semantic/language.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

extern "C" {
const TSLanguage* tree_sitter_c();
const TSLanguage* tree_sitter_cpp();
const TSLanguage* tree_sitter_python();
const TSLanguage* tree_sitter_go();
const TSLanguage* tree_sitter_java();
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_typescript();
const TSLanguage* tree_sitter_tsx();
const TSLanguage* tree_sitter_rust();
const TSLanguage* tree_sitter_json();
const TSLanguage* tree_sitter_yaml();
const TSLanguage* tree_sitter_toml();
const TSLanguage* tree_sitter_c_sharp();
const TSLanguage* tree_sitter_ruby();
const TSLanguage* tree_sitter_php();
const TSLanguage* tree_sitter_kotlin();
const TSLanguage* tree_sitter_bash();
}

namespace gittxn::semantic {
namespace {

// Words with a blank behind each: endings of file names, and whole names of files. `programs` are
// those a "#!" line names, without a version.
struct Row {
  std::string_view name;
  const TSLanguage* (*grammar)();
  std::string_view folder;
  std::string_view endings;
  std::string_view files = {};
  std::string_view programs = {};
};

constexpr Row kRows[] = {
    {"c", tree_sitter_c, "c", ".c .h "},
    {"cpp", tree_sitter_cpp, "cpp", ".cc .cpp .cxx .hh .hpp .hxx .ipp .inl .tcc .cu "},
    {"python", tree_sitter_python, "python", ".py .pyi ", "SConstruct SConscript wscript ",
     "python pypy "},
    {"go", tree_sitter_go, "go", ".go "},
    {"java", tree_sitter_java, "java", ".java "},
    {"javascript", tree_sitter_javascript, "javascript", ".js .jsx .mjs .cjs ", {}, "node nodejs "},
    {"typescript", tree_sitter_typescript, "typescript", ".ts .mts .cts ", {}, "ts-node tsx deno "},
    {"tsx", tree_sitter_tsx, "typescript", ".tsx "},
    {"rust", tree_sitter_rust, "rust", ".rs "},
    {"json", tree_sitter_json, "json", ".json "},
    {"yaml", tree_sitter_yaml, "yaml", ".yml .yaml "},
    {"toml", tree_sitter_toml, "toml", ".toml "},
    {"csharp", tree_sitter_c_sharp, "csharp", ".cs .csx ", {}, "dotnet-script "},
    {"ruby", tree_sitter_ruby, "ruby", ".rb .rake .gemspec .ru .podspec ",
     "Rakefile Gemfile Guardfile Capfile Vagrantfile Podfile Fastfile Brewfile ",
     "ruby jruby rake "},
    {"php", tree_sitter_php, "php", ".php .phtml ", {}, "php "},
    {"kotlin", tree_sitter_kotlin, "kotlin", ".kt .kts ", {}, "kotlin "},
    {"bash",
     tree_sitter_bash,
     "bash",
     ".sh .bash .bashrc .bash_profile .bash_aliases .profile ",
     {},
     "bash sh dash "},
};

// `word` is one of the words of a row, as a whole.
bool among(std::string_view words, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = words.find(' ', at);
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

template <typename Test>
const Language* row_where(Test test) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), test);
  return row == std::end(kRows) ? nullptr : find_language(row->name);
}

Capture capture_of(std::string_view name) {
  if (name.starts_with("decl.")) return {Role::kDecl, name.substr(5)};
  if (name == "name") return {Role::kName, {}};
  if (name == "key") return {Role::kKey, {}};
  if (name == "import") return {Role::kImport, {}};
  if (name == "members") return {Role::kMembers, {}};
  if (name == "set") return {Role::kSet, {}};
  if (name == "prefix") return {Role::kPrefix, {}};
  if (name == "free") return {Role::kFree, {}};
  if (name == "leaf") return {Role::kLeaf, {}};
  return {};
}

Fact fact_of(std::string_view name) {
  constexpr std::pair<std::string_view, Fact> kNames[] = {
      {"body", Fact::kBody},         {"visibility", Fact::kVisibility},
      {"contract", Fact::kContract}, {"build", Fact::kBuild},
      {"doc", Fact::kDoc},           {"call", Fact::kCall},
      {"type", Fact::kType},         {"super", Fact::kSuper},
      {"local", Fact::kLocal},       {"parameter", Fact::kParameter},
      {"define", Fact::kDefine},     {"member", Fact::kMember},
  };
  for (const auto& [text, fact] : kNames) {
    if (text == name) return fact;
  }
  return Fact::kNone;
}

// nullptr, and why in `fault`, when the grammar does not know what `text` speaks of.
const TSQuery* compile(const Language& language, std::string_view file, std::string_view text,
                       std::string* fault) {
  std::uint32_t offset = 0;
  TSQueryError error = TSQueryErrorNone;
  const TSQuery* query = ts_query_new(language.grammar, text.data(),
                                      static_cast<std::uint32_t>(text.size()), &offset, &error);
  if (query == nullptr) {
    *fault = std::string(file) + " at byte " + std::to_string(offset) + ": " +
             std::string(text.substr(offset, 40));
  }
  return query;
}

std::vector<std::string_view> capture_names(const TSQuery* query) {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; query != nullptr && i < ts_query_capture_count(query); ++i) {
    std::uint32_t length = 0;
    const char* name = ts_query_capture_name_for_id(query, i, &length);
    names.emplace_back(name, length);
  }
  return names;
}

std::string_view text_of(const TSQuery* query, std::uint32_t id) {
  std::uint32_t length = 0;
  const char* text = ts_query_string_value_for_id(query, id, &length);
  return {text, length};
}

// One predicate: its steps without the end. What is wrong with it, or empty.
std::string read_condition(const TSQuery* query, std::span<const TSQueryPredicateStep> steps,
                           std::vector<Condition>* conditions) {
  const bool named = !steps.empty() && steps[0].type == TSQueryPredicateStepTypeString;
  const std::string_view name = named ? text_of(query, steps[0].value_id) : "";
  if (name != "eq?" && name != "any-of?") return "there is no predicate #" + std::string(name);
  Condition condition;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const bool capture = steps[i].type == TSQueryPredicateStepTypeCapture;
    if (capture != (i == 1)) return "#" + std::string(name) + " takes a capture and texts";
    if (capture) {
      condition.capture = steps[i].value_id;
    } else {
      condition.texts.push_back(text_of(query, steps[i].value_id));
    }
  }
  if (condition.texts.empty()) return "#" + std::string(name) + " has nothing to compare with";
  conditions->push_back(std::move(condition));
  return {};
}

std::string read_conditions(const TSQuery* query, std::uint32_t pattern,
                            std::vector<Condition>* conditions) {
  std::uint32_t count = 0;
  const TSQueryPredicateStep* steps = ts_query_predicates_for_pattern(query, pattern, &count);
  std::string fault;
  for (std::uint32_t from = 0, i = 0; i < count && fault.empty(); ++i) {
    if (steps[i].type != TSQueryPredicateStepTypeDone) continue;
    fault = read_condition(query, {steps + from, steps + i}, conditions);
    from = i + 1;
  }
  return fault;
}

// By pattern index.
std::vector<std::vector<Condition>> conditions_of(const TSQuery* query, std::string_view file,
                                                  std::string* fault) {
  std::vector<std::vector<Condition>> conditions;
  if (query == nullptr) return conditions;
  conditions.resize(ts_query_pattern_count(query));
  for (std::uint32_t i = 0; i < conditions.size() && fault->empty(); ++i) {
    const std::string wrong = read_conditions(query, i, &conditions[i]);
    if (!wrong.empty()) *fault = std::string(file) + ": " + wrong;
  }
  return conditions;
}

Language load(const Row& row) {
  Language language;
  language.name = row.name;
  language.grammar = row.grammar();
  LanguageText folder;
  for (const LanguageText& text : language_texts()) {
    if (text.name == row.folder) folder = text;
  }
  language.query = compile(language, "shape.scm", folder.shape, &language.fault);
  for (const std::string_view name : capture_names(language.query)) {
    language.captures.push_back(capture_of(name));
    if (language.captures.back().role == Role::kNone && !name.starts_with('_')) {
      language.fault = "shape.scm: there is no role @" + std::string(name);
    }
  }
  language.facts = compile(language, "facts.scm", folder.facts, &language.fault);
  for (const std::string_view name : capture_names(language.facts)) {
    language.fact_captures.push_back(fact_of(name));
    if (language.fact_captures.back() == Fact::kNone && !name.starts_with('_')) {
      language.fault = "facts.scm: there is no fact @" + std::string(name);
    }
  }
  language.conditions = conditions_of(language.query, "shape.scm", &language.fault);
  language.fact_conditions = conditions_of(language.facts, "facts.scm", &language.fault);
  return language;
}

// Made at the first use, since compiling a shape takes some milliseconds, and kept.
const Language& loaded(std::size_t row) {
  static std::array<std::once_flag, std::size(kRows)> once;
  static std::array<Language, std::size(kRows)> languages;
  std::call_once(once[row], [row] { languages[row] = load(kRows[row]); });
  return languages[row];
}

}  // namespace

const Language* find_language(std::string_view name) {
  for (std::size_t row = 0; row < std::size(kRows); ++row) {
    if (kRows[row].name == name) return &loaded(row);
  }
  return nullptr;
}

const Language* language_of_path(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : file.substr(dot);
  return row_where(
      [&](const Row& row) { return among(row.endings, ending) || among(row.files, file); });
}

const Language* language_of_first_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  if (!text.starts_with("#!")) return nullptr;
  std::string_view rest = text.substr(2, std::min<std::size_t>(text.find('\n'), 256) - 2);
  while (!rest.empty()) {
    const std::size_t from = std::min(rest.find_first_not_of(kBlanks), rest.size());
    const std::size_t end = std::min(rest.find_first_of(kBlanks, from), rest.size());
    std::string_view word = rest.substr(from, end - from);
    rest = rest.substr(end);
    // What env is told before the program: options, and variables.
    if (word.starts_with('-') || word.find('=') != std::string_view::npos) continue;
    word = word.substr(word.rfind('/') + 1);
    if (word == "env") continue;
    word = word.substr(0, word.find_last_not_of("0123456789.") + 1);
    return row_where([&](const Row& row) { return among(row.programs, word); });
  }
  return nullptr;
}

std::vector<const Language*> all_languages() {
  std::vector<const Language*> all;
  for (std::size_t row = 0; row < std::size(kRows); ++row) all.push_back(&loaded(row));
  return all;
}

}  // namespace gittxn::semantic
