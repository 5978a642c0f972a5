#include "semantic/language.h"

#include <tree_sitter/api.h>

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
}

namespace gittxn::semantic {
namespace {

struct Row {
  std::string_view name;
  const TSLanguage* (*grammar)();
  std::string_view folder;
  std::string_view endings;  // of file names, each with a blank behind it
};

constexpr Row kRows[] = {
    {"c", tree_sitter_c, "c", ".c .h "},
    {"cpp", tree_sitter_cpp, "cpp", ".cc .cpp .cxx .hh .hpp .hxx .ipp .inl .tcc .cu "},
    {"python", tree_sitter_python, "python", ".py .pyi "},
    {"go", tree_sitter_go, "go", ".go "},
    {"java", tree_sitter_java, "java", ".java "},
    {"javascript", tree_sitter_javascript, "javascript", ".js .jsx .mjs .cjs "},
    {"typescript", tree_sitter_typescript, "typescript", ".ts .mts .cts "},
    {"tsx", tree_sitter_tsx, "typescript", ".tsx "},
    {"rust", tree_sitter_rust, "rust", ".rs "},
    {"json", tree_sitter_json, "json", ".json "},
    {"yaml", tree_sitter_yaml, "yaml", ".yml .yaml "},
    {"toml", tree_sitter_toml, "toml", ".toml "},
};

Capture capture_of(std::string_view name) {
  if (name.starts_with("decl.")) return {Role::kDecl, name.substr(5)};
  if (name == "name") return {Role::kName, {}};
  if (name == "key") return {Role::kKey, {}};
  if (name == "import") return {Role::kImport, {}};
  if (name == "members") return {Role::kMembers, {}};
  if (name == "set") return {Role::kSet, {}};
  if (name == "prefix") return {Role::kPrefix, {}};
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
      {"define", Fact::kDefine},
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
    if (language.captures.back().role == Role::kNone) {
      language.fault = "shape.scm: there is no role @" + std::string(name);
    }
  }
  language.facts = compile(language, "facts.scm", folder.facts, &language.fault);
  for (const std::string_view name : capture_names(language.facts)) {
    language.fact_captures.push_back(fact_of(name));
    if (language.fact_captures.back() == Fact::kNone) {
      language.fault = "facts.scm: there is no fact @" + std::string(name);
    }
  }
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
  if (dot == std::string_view::npos) return nullptr;
  const std::string ending = std::string(file.substr(dot)) + " ";
  for (const Row& row : kRows) {
    const std::size_t at = row.endings.find(ending);
    if (at != std::string_view::npos && row.endings[at] == '.') return find_language(row.name);
  }
  return nullptr;
}

std::vector<const Language*> all_languages() {
  std::vector<const Language*> all;
  for (std::size_t row = 0; row < std::size(kRows); ++row) all.push_back(&loaded(row));
  return all;
}

}  // namespace gittxn::semantic
