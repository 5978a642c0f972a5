// Manifests as build symbols: what a change of package.json, Cargo.toml, go.mod, pom.xml,
// CMakeLists.txt, a Bazel BUILD file or a lock file changes, named, so that a transaction that
// relied on one dependency is not in the way of one that changed another.
//
// Complete: every token of a manifest is part of some symbol's name or version, so a change of
// anything but white space and comments is a change of at least one symbol. What a reader does not
// understand is not guessed at: then the whole file is one symbol. Nothing is evaluated: a
// condition in CMake or a cfg in Cargo is part of a symbol's name or version.
//
// Pure; bounded by Budget (syntax.h) and kMaxManifest; may be used by several threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gittxn::semantic {

enum class Ecosystem : std::uint8_t { kNone, kNpm, kCargo, kGo, kMaven, kCMake, kBazel };
enum class BuildKind : std::uint8_t { kDependency, kToolchain, kTarget, kScript, kOption };
std::string_view build_kind_name(BuildKind kind);

struct BuildSymbol {
  BuildKind kind = BuildKind::kOption;
  std::string name;
  std::string version;  // as it stands there when it is one short token, else "#" and a digest
  std::string target;   // what it feeds; empty: everything that the manifest governs
  auto operator<=>(const BuildSymbol&) const = default;
};

struct Manifest {
  Ecosystem ecosystem = Ecosystem::kNone;
  std::vector<BuildSymbol> symbols;  // in the order of the file
  bool ordered = false;              // a program: its order is part of what it says
  std::string opaque;                // why the whole file is one symbol; else empty
  // Of a lock file that is read: what the record of a package names besides itself.
  std::map<std::string, std::vector<std::string>> needs;
};

inline constexpr std::size_t kMaxManifest = 4u << 20;

// By the name of a file; kNone when it is no manifest and no lock file that is known.
Ecosystem ecosystem_of(std::string_view path);
bool is_lock(std::string_view path);
// Of a path that is none, an opaque manifest without an ecosystem.
Manifest read_manifest(std::string_view path, std::string_view text);

enum class BuildChangeKind : std::uint8_t { kAdded, kRemoved, kChanged, kMoved };
struct BuildChange {
  BuildChangeKind what = BuildChangeKind::kChanged;
  BuildSymbol before, after;  // only one of them when it was added or removed
};
// The one that it is about: as it was, where it was.
const BuildSymbol& symbol_in(const BuildChange& change);
// Sorted by kind, name and target. Empty when the manifests say the same; for a file that is not
// there an empty Manifest stands.
std::vector<BuildChange> manifest_changes(const Manifest& before, const Manifest& after);

// Those of `manifests` (paths) whose change may change what is made of `source`: of every
// ecosystem that takes such files the nearest directory upward that has a manifest, and the
// nearest that has a lock file. CMake reads from the top and includes, so there it is every
// directory upward, and every *.cmake. A file
// of no known language may be read by any of them. In the order of `manifests`.
std::vector<std::string> manifests_governing(std::string_view source,
                                             std::span<const std::string> manifests);
// Files of a language that the ecosystem is there for: narrower, a page or an image is none.
bool is_source_of(Ecosystem ecosystem, std::string_view path);

}  // namespace gittxn::semantic
