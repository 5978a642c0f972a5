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
struct LanguageRow {
  std::string_view name;
  const TSLanguage* (*grammar)();
  std::string_view folder;
  std::string_view endings;
  std::string_view files = {};
  std::string_view programs = {};
  std::string_view more_shape = {};  // patterns besides those of the folder
};

// JSX is a part of two grammars. What an element is given is told by its names.
constexpr std::string_view kJsx = "(jsx_attribute (property_identifier) @key) @keyed";

constexpr LanguageRow kLanguageRows[] = {
    {"c", tree_sitter_c, "c", ".c .h "},
    {"cpp", tree_sitter_cpp, "cpp", ".cc .cpp .cxx .hh .hpp .hxx .ipp .inl .tcc .cu "},
    {"python", tree_sitter_python, "python", ".py .pyi ", "SConstruct SConscript wscript ",
     "python pypy "},
    {"go", tree_sitter_go, "go", ".go "},
    {"java", tree_sitter_java, "java", ".java "},
    {"javascript",
     tree_sitter_javascript,
     "javascript",
     ".js .jsx .mjs .cjs ",
     {},
     "node nodejs ",
     kJsx},
    {"typescript", tree_sitter_typescript, "typescript", ".ts .mts .cts ", {}, "ts-node tsx deno "},
    {"tsx", tree_sitter_tsx, "typescript", ".tsx ", {}, {}, kJsx},
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
  if (word.empty() || word.contains(' ')) return false;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = words.find(' ', at);
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

constexpr std::pair<std::string_view, Role> kRoles[] = {
    {"name", Role::kName},       {"key", Role::kKey},   {"import", Role::kImport},
    {"members", Role::kMembers}, {"set", Role::kSet},   {"prefix", Role::kPrefix},
    {"free", Role::kFree},       {"leaf", Role::kLeaf}, {"keyed", Role::kKeyed},
    {"list", Role::kList},
};

constexpr std::pair<std::string_view, Fact> kFacts[] = {
    {"body", Fact::kBody},
    {"visibility", Fact::kVisibility},
    {"contract", Fact::kContract},
    {"build", Fact::kBuild},
    {"doc", Fact::kDoc},
    {"call", Fact::kCall},
    {"type", Fact::kType},
    {"super", Fact::kSuper},
    {"local", Fact::kLocal},
    {"define", Fact::kDefine},
    {"parameter", Fact::kParameter},
    {"member", Fact::kMember},
};

template <typename T, std::size_t N>
T meant_by(std::string_view name, const std::pair<std::string_view, T> (&table)[N]) {
  const auto* row = std::ranges::find(table, name, &std::pair<std::string_view, T>::first);
  return row == std::end(table) ? T::kNone : row->second;
}

Capture capture_of(std::string_view name) {
  if (name.starts_with("decl.")) return {Role::kDecl, name.substr(5)};
  return {meant_by(name, kRoles), {}};
}

Kind kind_of(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.contains(part); };
  return {name, has("comment"), has("string") || has("char") || has("regex")};
}

void name_kinds(Language* language) {
  const TSLanguage* grammar = language->grammar;
  const std::uint32_t kinds = ts_language_symbol_count(grammar);
  language->kinds.reserve(kinds + 1);
  for (std::uint32_t i = 0; i < kinds; ++i) {
    const char* name = ts_language_symbol_name(grammar, static_cast<TSSymbol>(i));
    language->kinds.push_back(kind_of(name == nullptr ? "" : name));
  }
  language->kinds.push_back(kind_of("ERROR"));
  language->fields.emplace_back();
  for (std::uint32_t i = 1; i <= ts_language_field_count(grammar); ++i) {
    const char* name = ts_language_field_name_for_id(grammar, static_cast<TSFieldId>(i));
    language->fields.emplace_back(name == nullptr ? "" : name);
  }
}

Patterns compile(const TSLanguage* grammar, std::string_view file, std::string_view text,
                 std::string* fault) {
  std::string wrong;
  Patterns patterns = Patterns::compile(grammar, text, &wrong);
  if (!wrong.empty()) *fault = std::string(file) + " " + wrong;
  return patterns;
}

Language load(const LanguageRow& row) {
  Language language;
  language.name = row.name;
  language.grammar = row.grammar();
  const LanguageText folder = *std::ranges::find(language_texts(), row.folder, &LanguageText::name);
  name_kinds(&language);
  language.shape_text.assign(folder.shape.begin(), folder.shape.end());
  std::ranges::copy(row.more_shape, std::back_inserter(language.shape_text));
  const std::string_view shape(language.shape_text.data(), language.shape_text.size());
  language.shape = compile(language.grammar, "shape.scm", shape, &language.fault);
  for (const std::string_view name : language.shape.captures()) {
    language.captures.push_back(capture_of(name));
    if (language.captures.back().role == Role::kNone && !name.starts_with('_')) {
      language.fault = "shape.scm: there is no role @" + std::string(name);
    }
  }
  language.facts = compile(language.grammar, "facts.scm", folder.facts, &language.fault);
  for (const std::string_view name : language.facts.captures()) {
    language.fact_captures.push_back(meant_by(name, kFacts));
    if (language.fact_captures.back() == Fact::kNone && !name.starts_with('_')) {
      language.fault = "facts.scm: there is no fact @" + std::string(name);
    }
  }
  return language;
}

// Made at the first use, since nobody needs all of them, and kept.
const Language& loaded(const LanguageRow& row) {
  static std::array<std::once_flag, std::size(kLanguageRows)> once;
  static std::array<Language, std::size(kLanguageRows)> languages;
  const auto at = static_cast<std::size_t>(&row - kLanguageRows);
  std::call_once(once[at], [&] { languages[at] = load(row); });
  return languages[at];
}

template <typename Test>
const Language* language_where(Test test) {
  const auto* row = std::ranges::find_if(kLanguageRows, test);
  return row == std::end(kLanguageRows) ? nullptr : &loaded(*row);
}

}  // namespace

const Language* find_language(std::string_view name) {
  return language_where([&](const LanguageRow& row) { return row.name == name; });
}

const Language* language_of_path(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : file.substr(dot);
  return language_where(
      [&](const LanguageRow& row) { return among(row.endings, ending) || among(row.files, file); });
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
    if (word.starts_with('-') || word.contains('=')) continue;
    word = word.substr(word.rfind('/') + 1);
    if (word == "env") continue;
    word = word.substr(0, word.find_last_not_of("0123456789.") + 1);
    return language_where([&](const LanguageRow& row) { return among(row.programs, word); });
  }
  return nullptr;
}

std::vector<const Language*> all_languages() {
  std::vector<const Language*> all;
  for (const LanguageRow& row : kLanguageRows) all.push_back(&loaded(row));
  return all;
}

}  // namespace gittxn::semantic
