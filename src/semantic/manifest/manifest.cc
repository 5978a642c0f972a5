#include "semantic/manifest/manifest.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "semantic/kinds.h"
#include "semantic/manifest/reader.h"

namespace gittxn::semantic {
namespace {

enum class Part : std::uint8_t { kManifest, kLock, kToolchain };

struct ManifestRow {
  std::string_view name;  // of a file; "*.x" an ending
  Ecosystem ecosystem;
  Part part;
  std::string (*read)(std::string_view, Manifest*);  // nullptr: opaque
};

constexpr ManifestRow kManifestRows[] = {
    {"package.json", Ecosystem::kNpm, Part::kManifest, read_package_json},
    {"package-lock.json", Ecosystem::kNpm, Part::kLock, read_package_lock},
    {"npm-shrinkwrap.json", Ecosystem::kNpm, Part::kLock, read_package_lock},
    {"yarn.lock", Ecosystem::kNpm, Part::kLock, nullptr},
    {"pnpm-lock.yaml", Ecosystem::kNpm, Part::kLock, nullptr},
    {"pnpm-workspace.yaml", Ecosystem::kNpm, Part::kLock, nullptr},
    {".nvmrc", Ecosystem::kNpm, Part::kToolchain, read_toolchain_version},
    {".node-version", Ecosystem::kNpm, Part::kToolchain, read_toolchain_version},
    {"Cargo.toml", Ecosystem::kCargo, Part::kManifest, read_cargo_toml},
    {"Cargo.lock", Ecosystem::kCargo, Part::kLock, read_cargo_lock},
    {"rust-toolchain.toml", Ecosystem::kCargo, Part::kToolchain, read_rust_toolchain},
    {"rust-toolchain", Ecosystem::kCargo, Part::kToolchain, read_toolchain_version},
    {"go.mod", Ecosystem::kGo, Part::kManifest, read_go_mod},
    {"go.sum", Ecosystem::kGo, Part::kLock, read_go_sum},
    {"go.work", Ecosystem::kGo, Part::kToolchain, read_go_mod},
    {"go.work.sum", Ecosystem::kGo, Part::kToolchain, read_go_sum},
    {"pom.xml", Ecosystem::kMaven, Part::kManifest, read_pom},
    {"CMakeLists.txt", Ecosystem::kCMake, Part::kManifest, read_cmake_lists},
    {"*.cmake", Ecosystem::kCMake, Part::kManifest, read_cmake_lists},
    {"CMakePresets.json", Ecosystem::kCMake, Part::kManifest, nullptr},
    {"BUILD", Ecosystem::kBazel, Part::kManifest, read_bazel},
    {"BUILD.bazel", Ecosystem::kBazel, Part::kManifest, read_bazel},
    {"MODULE.bazel", Ecosystem::kBazel, Part::kToolchain, read_bazel},
    {"WORKSPACE", Ecosystem::kBazel, Part::kToolchain, read_bazel},
    {"WORKSPACE.bazel", Ecosystem::kBazel, Part::kToolchain, read_bazel},
    {"MODULE.bazel.lock", Ecosystem::kBazel, Part::kLock, nullptr},
    {".bazelversion", Ecosystem::kBazel, Part::kToolchain, read_toolchain_version},
};

const ManifestRow* row_of(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const auto* row = std::ranges::find_if(kManifestRows, [&](const ManifestRow& one) {
    return one.name == file || (one.name.starts_with('*') && file.ends_with(one.name.substr(1)));
  });
  return row == std::end(kManifestRows) ? nullptr : row;
}

// Whether it builds files of a language. C is compiled by cargo's and cgo's builds too.
bool builds(Ecosystem ecosystem, const Language& language) {
  switch (ecosystem) {
    case Ecosystem::kNpm:
      return is_any(language.name, {"javascript", "typescript", "tsx"});
    case Ecosystem::kCargo:
      return is_any(language.name, {"rust", "c", "cpp"});
    case Ecosystem::kGo:
      return is_any(language.name, {"go", "c", "cpp"});
    case Ecosystem::kMaven:
      return is_any(language.name, {"java", "kotlin"});
    case Ecosystem::kCMake:
      return is_any(language.name, {"c", "cpp"});
    case Ecosystem::kBazel:
      return !is_data(language);
    case Ecosystem::kNone:
      break;
  }
  return false;
}

bool takes(Ecosystem ecosystem, std::string_view source) {
  const Language* language = language_of_path(source);
  if (language == nullptr || ecosystem == Ecosystem::kBazel) return true;
  // What only Bazel builds, data and scripts, may be read by any.
  return builds(ecosystem, *language) ||
         std::ranges::none_of(kManifestRows, [&](const ManifestRow& row) {
           return row.ecosystem != Ecosystem::kBazel && builds(row.ecosystem, *language);
         });
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

using Key = std::tuple<BuildKind, std::string, std::string>;
Key key_of(const BuildSymbol& symbol) {
  return {symbol.kind, symbol.name, symbol.target};
}

// Of programs: what both have stands in another order.
std::vector<BuildChange> moved(const Manifest& before, const Manifest& after) {
  const auto only = [](const Manifest& manifest, const std::multiset<BuildSymbol>& others) {
    std::multiset<BuildSymbol> left = others;
    std::vector<BuildSymbol> kept;
    for (const BuildSymbol& symbol : manifest.symbols) {
      const auto found = left.find(symbol);
      if (found == left.end()) continue;
      left.erase(found);
      kept.push_back(symbol);
    }
    return kept;
  };
  const auto was = only(before, {after.symbols.begin(), after.symbols.end()});
  const auto is = only(after, {before.symbols.begin(), before.symbols.end()});
  std::vector<BuildChange> changes;
  std::set<BuildSymbol> told;
  for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
    if (was[i] == is[i] || !told.insert(is[i]).second) continue;
    changes.push_back({BuildChangeKind::kMoved, is[i], is[i]});
  }
  return changes;
}

}  // namespace

std::string_view build_kind_name(BuildKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"dependency", "toolchain", "target", "script",
                                                      "option"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 80;
  const bool plain = !text.starts_with('#') &&
                     std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
  if (plain && text.size() <= kShown) return std::string(text);
  return "#" + sha256(text).str();
}

std::string tokens_of(const Tree& tree, const Node& node) {
  std::string out;
  for (std::uint32_t i = 0; i < node.leaves; ++i) {
    if (i > 0) out += '\0';
    out += tree.leaves()[node.leaf + i]->text;
  }
  return out;
}

std::string unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text[0] == '"' && text.back() == '"';
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

Ecosystem ecosystem_of(std::string_view path) {
  const ManifestRow* row = row_of(path);
  return row == nullptr ? Ecosystem::kNone : row->ecosystem;
}

Manifest read_manifest(std::string_view path, std::string_view text) {
  Manifest manifest;
  const ManifestRow* row = row_of(path);
  if (row != nullptr) manifest.ecosystem = row->ecosystem;
  if (row == nullptr) {
    manifest.opaque = "it is no manifest that is known";
  } else if (row->read == nullptr) {
    manifest.opaque = "files of this name are not looked into";
  } else if (text.size() > kMaxManifest) {
    manifest.opaque = "it is too large";
  } else if (text.contains('\0')) {
    manifest.opaque = "it is no text";
  } else {
    manifest.opaque = row->read(text, &manifest);
  }
  if (manifest.opaque.empty()) return manifest;
  manifest.ordered = false;
  manifest.needs.clear();
  const std::string file(path.substr(path.rfind('/') + 1));
  manifest.symbols = {{BuildKind::kOption, file, "#" + sha256(text).str(), {}}};
  return manifest;
}

std::vector<BuildChange> manifest_changes(const Manifest& before, const Manifest& after) {
  std::vector<BuildChange> changes;
  std::map<Key, std::pair<std::vector<BuildSymbol>, std::vector<BuildSymbol>>> keys;
  for (const BuildSymbol& symbol : before.symbols) keys[key_of(symbol)].first.push_back(symbol);
  for (const BuildSymbol& symbol : after.symbols) keys[key_of(symbol)].second.push_back(symbol);
  for (const auto& [key, both] : keys) {
    const auto& [left, right] = both;
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      if (i >= left.size()) {
        changes.push_back({BuildChangeKind::kAdded, {}, right[i]});
      } else if (i >= right.size()) {
        changes.push_back({BuildChangeKind::kRemoved, left[i], {}});
      } else if (left[i] != right[i]) {
        changes.push_back({BuildChangeKind::kChanged, left[i], right[i]});
      }
    }
  }
  if (!before.ordered || !after.ordered) return changes;
  for (BuildChange& change : moved(before, after)) changes.push_back(std::move(change));
  std::ranges::stable_sort(changes, {},
                           [](const BuildChange& change) { return key_of(symbol_in(change)); });
  return changes;
}

const BuildSymbol& symbol_in(const BuildChange& change) {
  return change.what == BuildChangeKind::kAdded ? change.after : change.before;
}

bool is_source_of(Ecosystem ecosystem, std::string_view path) {
  const Language* language = language_of_path(path);
  return language != nullptr && row_of(path) == nullptr && builds(ecosystem, *language);
}

bool is_lock(std::string_view path) {
  const ManifestRow* row = row_of(path);
  return row != nullptr && row->part == Part::kLock;
}

std::vector<std::string> manifests_governing(std::string_view source,
                                             std::span<const std::string> manifests) {
  // A file *.cmake may be included from anywhere.
  const auto above = [&](const std::string& path) {
    return path.ends_with(".cmake") || source.starts_with(directory_of(path));
  };
  std::map<std::pair<Ecosystem, Part>, std::size_t> nearest;  // length of the directory
  for (const std::string& path : manifests) {
    const ManifestRow* row = row_of(path);
    if (row == nullptr || !above(path)) continue;
    std::size_t& length = nearest[{row->ecosystem, row->part}];
    length = std::max(length, directory_of(path).size());
  }
  std::vector<std::string> found;
  for (const std::string& path : manifests) {
    const ManifestRow* row = row_of(path);
    if (row == nullptr || !above(path) || !takes(row->ecosystem, source)) continue;
    const bool all = row->ecosystem == Ecosystem::kCMake || source == path;
    const std::size_t length = nearest[{row->ecosystem, row->part}];
    if (all || directory_of(path).size() == length) found.push_back(path);
  }
  return found;
}

}  // namespace gittxn::semantic
