#include "semantic/manifest/feeds.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_ascii_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view first_part(std::string_view name, char end) {
  return name.substr(0, name.find(end));
}
std::string_view last_part(std::string_view name, char before) {
  return name.substr(name.rfind(before) + 1);
}

// What nobody's code is made with.
bool is_about(std::string_view name) {
  return is_any(name,
                {"name",          "version",       "description", "license",         "license-file",
                 "licenses",      "author",        "authors",     "contributors",    "developers",
                 "maintainers",   "keywords",      "categories",  "repository",      "homepage",
                 "url",           "scm",           "bugs",        "issueManagement", "organization",
                 "inceptionYear", "funding",       "readme",      "documentation",   "private",
                 "publish",       "publishConfig", "files",       "include",         "exclude",
                 "workspaces",    "members",       "$schema",     "lockfileVersion", "requires",
                 "eslintConfig",  "prettier",      "jest",        "lint-staged",     "husky",
                 "retract"});
}

// npm's: what others depend on by being run, not by being imported.
bool is_tool(std::string_view package) {
  return is_any(package,
                {"typescript", "webpack", "vite", "rollup", "esbuild", "parcel", "tsup"}) ||
         package.starts_with("@babel/") || package.starts_with("@swc/");
}

bool is_build_script(std::string_view name) {
  return has_any(name, {"build", "compile", "prepare", "install", "generate"});
}

Feeds option_feeds(const Manifest& manifest, std::string_view path, const BuildSymbol& symbol) {
  if (!manifest.opaque.empty()) return Feeds::kEverything;
  if (manifest.ecosystem == Ecosystem::kCMake) {
    const std::string_view command = first_part(symbol.name, ' ');
    const bool other = is_any(command, {"install", "message", "enable_testing", "target_sources",
                                        "set_tests_properties", "list", "endif", "endforeach"});
    return other ? Feeds::kNothing : Feeds::kEverything;
  }
  if (is_lock(path) || is_about(last_part(symbol.name, '.'))) return Feeds::kNothing;
  return is_about(first_part(symbol.name, '.')) ? Feeds::kNothing : Feeds::kEverything;
}

Feeds dependency_feeds(const Manifest& manifest, const BuildSymbol& symbol) {
  switch (manifest.ecosystem) {
    case Ecosystem::kNpm:
      if (is_any(symbol.target, {"overrides", "resolutions"})) return Feeds::kEverything;
      if (symbol.name.empty()) return Feeds::kNothing;  // the package itself, in its lock file
      return is_tool(imported_as(manifest.ecosystem, symbol)) ? Feeds::kEverything
                                                              : Feeds::kImporters;
    case Ecosystem::kCargo:
      return symbol.target == "build" ? Feeds::kEverything : Feeds::kImporters;
    case Ecosystem::kGo:
      return is_any(symbol.target, {"tool", "use"}) ? Feeds::kNothing : Feeds::kImporters;
    case Ecosystem::kBazel:
      return is_any(symbol.version, {"srcs", "hdrs", "data"}) ? Feeds::kNothing
                                                              : Feeds::kEverything;
    default:
      return Feeds::kEverything;
  }
}

// Lines of `text` that `before` does not have.
std::vector<std::string_view> new_lines(std::string_view before, std::string_view text) {
  std::map<std::string_view, int> there;
  for (const std::string_view line : lines_of(before)) ++there[line];
  std::vector<std::string_view> lines = lines_of(text);
  std::erase_if(lines, [&](std::string_view line) { return --there[line] >= 0; });
  return lines;
}

// `use a;`, `extern crate a;`, `a::b`.
bool is_crate_at(std::string_view text, std::size_t at, std::size_t size) {
  if (at > 0 && is_ascii_word(text[at - 1])) return false;
  const std::string_view behind = text.substr(at + size);
  if (!behind.empty() && is_ascii_word(behind.front())) return false;
  if (behind.starts_with("::")) return true;
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::string_view line = text.substr(begin, at - begin);
  return line.contains("use ") || line.contains("crate ");
}

// A string that is the package, or something of it.
bool is_module_at(std::string_view text, std::size_t at, std::size_t size) {
  constexpr std::string_view kQuotes = "\"'`";
  if (at == 0 || !kQuotes.contains(text[at - 1])) return false;
  const std::string_view behind = text.substr(at + size);
  return !behind.empty() && (behind.front() == '/' || kQuotes.contains(behind.front()));
}

bool mentions(Ecosystem ecosystem, std::string_view imported, std::string_view text) {
  for (std::size_t at = text.find(imported); at != std::string_view::npos;
       at = text.find(imported, at + 1)) {
    const bool found = ecosystem == Ecosystem::kCargo ? is_crate_at(text, at, imported.size())
                                                      : is_module_at(text, at, imported.size());
    if (found) return true;
  }
  return false;
}

// What imports of it, and values that are made of it, are called in the file.
std::set<std::string, std::less<>> names_from(Ecosystem ecosystem, std::string_view imported,
                                              const FileSymbols& file, std::string_view text) {
  std::set<std::string, std::less<>> names;
  std::vector<std::string_view> imports;  // ids
  for (const Symbol& symbol : file.symbols) {
    if (!is_any(symbol.kind, {"import", "variable"})) continue;
    bool from = std::ranges::any_of(imports,
                                    [&](std::string_view id) { return symbol.id.starts_with(id); });
    for (const Extent& extent : symbol.extents) {
      from = from ||
             mentions(ecosystem, imported, text.substr(extent.begin, extent.end - extent.begin));
    }
    if (!from) continue;
    imports.push_back(symbol.id);
    names.insert(symbol.defines.begin(), symbol.defines.end());
  }
  if (ecosystem == Ecosystem::kCargo) names.insert(std::string(imported));
  return names;
}

}  // namespace

Feeds feeds_of(std::string_view path, const Manifest& manifest, const BuildChange& change) {
  const BuildSymbol& symbol = symbol_in(change);
  const bool npm = manifest.ecosystem == Ecosystem::kNpm;
  switch (symbol.kind) {
    case BuildKind::kToolchain:
      return Feeds::kEverything;
    case BuildKind::kDependency:
      // A part of the tree more is nothing to the others; one less may be.
      if (manifest.ecosystem == Ecosystem::kCMake && symbol.name.starts_with("add_subdirectory")) {
        return change.what == BuildChangeKind::kAdded ? Feeds::kNothing : Feeds::kEverything;
      }
      return dependency_feeds(manifest, symbol);
    case BuildKind::kTarget:
      return (change.what == BuildChangeKind::kRemoved && !npm) ||
                     (manifest.ecosystem == Ecosystem::kCargo && symbol.name == "lib")
                 ? Feeds::kEverything
                 : Feeds::kNothing;
    case BuildKind::kScript:
      return (npm ? is_build_script(symbol.name) : !symbol.name.starts_with("add_test"))
                 ? Feeds::kEverything
                 : Feeds::kNothing;
    case BuildKind::kOption:
      return option_feeds(manifest, path, symbol);
  }
  return Feeds::kEverything;
}

std::string title_of(const BuildChange& change) {
  const BuildSymbol& symbol = symbol_in(change);
  std::string title = std::string(build_kind_name(symbol.kind)) + " " + symbol.name;
  if (!symbol.target.empty()) title += " (" + symbol.target + ")";
  return title;
}

std::string imported_as(Ecosystem ecosystem, const BuildSymbol& dependency) {
  std::string_view name = dependency.name;
  switch (ecosystem) {
    case Ecosystem::kNpm: {
      constexpr std::string_view kFolder = "node_modules/";
      const std::size_t at = name.rfind(kFolder);
      if (at != std::string_view::npos) name.remove_prefix(at + kFolder.size());
      if (!name.starts_with("@types/")) return std::string(name);
      name.remove_prefix(7);
      const std::size_t scope = name.find("__");
      if (scope == std::string_view::npos) return std::string(name);
      return "@" + std::string(name.substr(0, scope)) + "/" + std::string(name.substr(scope + 2));
    }
    case Ecosystem::kCargo: {
      name = first_part(name, '[');
      std::string crate(is_any(dependency.target, {"patch", "replace"}) ? last_part(name, '.')
                                                                        : name);
      std::ranges::replace(crate, '-', '_');
      return crate;
    }
    default:
      return std::string(first_part(first_part(name, ' '), '@'));
  }
}

std::set<std::string, std::less<>> imports_in(Ecosystem ecosystem, std::string_view text) {
  constexpr std::size_t kMaxImport = 300;
  std::set<std::string, std::less<>> names;
  if (ecosystem == Ecosystem::kCargo) {
    for (const std::string_view word : words_of(text)) {
      const auto at = static_cast<std::size_t>(word.data() - text.data());
      if (is_crate_at(text, at, word.size())) names.emplace(word);
    }
    return names;
  }
  constexpr std::string_view kQuotes = "\"'`";
  for (std::size_t at = text.find_first_of(kQuotes); at != std::string_view::npos;
       at = text.find_first_of(kQuotes, at + 1)) {
    const std::string_view rest = text.substr(at + 1, kMaxImport);
    const std::string_view inner = rest.substr(0, rest.find_first_of("\"'`\n"));
    for (std::size_t slash = inner.find('/'); slash != std::string_view::npos;
         slash = inner.find('/', slash + 1)) {
      names.emplace(inner.substr(0, slash));
    }
    names.emplace(inner);
  }
  return names;
}

Reliance reliance_on(Ecosystem ecosystem, std::string_view imported, const FileChange& source,
                     const Budget& budget) {
  if (!source.after || imported.empty()) return Reliance::kNone;
  const std::string_view text = *source.after;
  if (!mentions(ecosystem, imported, text)) return Reliance::kNone;
  const std::string_view before = source.before ? std::string_view(*source.before) : "";
  for (const std::string_view line : new_lines(before, text)) {
    if (mentions(ecosystem, imported, line)) return Reliance::kNew;
  }
  const auto* language = language_of(source.path, text);
  const FileSymbols file = symbols_of(language, source.path, text, budget);
  // What is not understood may use anything.
  if (file.opaque) return Reliance::kNew;
  const auto names = names_from(ecosystem, imported, file, text);
  const Footprint footprint = footprint_of({source}, budget);
  const bool fresh = std::ranges::any_of(footprint.uses, [&](const Use& use) {
    return use.state == UseState::kGained && !use.local && names.contains(use.name);
  });
  return fresh ? Reliance::kNew : Reliance::kKept;
}

}  // namespace gittxn::semantic
