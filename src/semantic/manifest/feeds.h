// Effects of a change of a manifest on a source: which of its symbols may change what is made of
// it, and whether the source relies on the one that changed.
//
//   nothing     a description, a script that only people run, a package's own exports
//   importers   a dependency: who imports it, told by the text of the import (npm, cargo, go)
//   everything  a toolchain, an option, a build script, a lock file that is not understood, and the
//               dependencies of ecosystems whose imports do not name them (maven, cmake, bazel)
//
// Pure; any thread; bounded as symbol.h is.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "semantic/footprint.h"
#include "semantic/manifest/manifest.h"

namespace gittxn::semantic {

enum class Feeds : std::uint8_t { kNothing, kImporters, kEverything };
// `path` is the manifest's.
Feeds feeds_of(std::string_view path, const Manifest& manifest, const BuildChange& change);

// "toolchain package.edition", "dependency serde".
std::string title_of(const BuildChange& change);

// By what name a source imports a dependency: serde_json for serde-json, the module without its
// version, the package without the directory that a lock file puts it into.
std::string imported_as(Ecosystem ecosystem, const BuildSymbol& dependency);

// What a text may import: each string in quotes, up to every slash of it, and in Rust what stands
// where a crate may. More than it imports, never less.
std::set<std::string, std::less<>> imports_in(Ecosystem ecosystem, std::string_view text);

enum class Reliance : std::uint8_t {
  kNone,  // it is not imported, or no more
  kKept,  // imported, and no new line or statement uses it
  kNew,   // imported anew, or something new uses what an import of it brings
};
Reliance reliance_on(Ecosystem ecosystem, std::string_view imported, const FileChange& source,
                     const Budget& budget);

}  // namespace gittxn::semantic
