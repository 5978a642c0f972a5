// The build graph in landing: a change of a toolchain, a dependency, a lock file or a build script
// against what it feeds, whichever of the two landed first.
//
//   both changed one symbol of a manifest to different things      BLOCKS
//   a dependency changed or went, the other imports or uses it anew   BLOCKS
//   a dependency changed, the other edited a file that imports it   NEEDS CHECKS
//   a toolchain or an option, the other edited a source it governs  NEEDS CHECKS
//   records of a lock file of which one names what the other changed  BLOCKS
//
// What a build or a test read, a manifest and a lock file, are reads of paths and certified as
// such. Only looks. Time grows with the files both sides changed; over kMostBytes (symbols.h) of
// sources the rest counts as relying on everything.
#pragma once

#include "land/judge/symbols.h"

namespace gittxn::land {

// Adds what it finds to `findings`, and takes out of it what it can prove better: two changes of
// one manifest in different symbols of it, when the merged file has both and nothing else. `head`
// and `work`: what each changed since one base.
Status look_at_builds(const repo::Objects& objects, const Oid& head_tree, const Changes& head,
                      const Changes& work, SymbolFindings& findings);

}  // namespace gittxn::land
