// Outputs of the set-up and the build of a gate in its checkout, as a layer that units see over the
// candidate's files. It is named by its content: two builds that came out the same are one, and a
// unit that looked at none of what differs has seen the same.
//
//   <dir>/<digest>/files      the files, with the times that the build gave them
//   <dir>/<digest>/inventory  their paths, modes and content, the last thing that is written
//   <dir>/last                which of them the next build may go on from (last_build.h)
//   <dir>/new.*               being made; a kill leaves it, and the next one is made without it
//
// Nothing is durable: what is missing is built again. Only files, links and the directories around
// them are kept; .git is not, wherever it is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "repo/objects.h"

namespace gittxn::gates {

inline constexpr std::size_t kMostOutputFiles = 200'000;
inline constexpr std::uint64_t kMostOutputBytes = 4ULL << 30;
inline constexpr std::size_t kKeptOutputs = 4;

struct Outputs {
  std::vector<std::pair<std::string, TreeEntry>> files;  // sorted by path
  Digest digest;                                         // of the inventory; empty: nothing
  std::string layer;                                     // the directory; "": nothing
  bool operator==(const Outputs&) const = default;
};

std::string outputs_to_lines(const Outputs& outputs);
// Reads them, without the layer. kCorrupt: damaged, or of another version.
Result<Outputs> outputs_from_lines(std::string_view lines);

// Moves what is in `checkout` and not, or otherwise, in `tree` into `dir`. `since_ns`: a time of
// the file system's clock before which nothing was changed. kRefused, with the path: a file of the
// tree is gone, or there is more than is kept.
Result<Outputs> take_outputs(const repo::Objects& objects, const Oid& tree,
                             const std::string& checkout, std::int64_t since_ns,
                             const std::string& dir);
// Finds those of this name. kNotFound: they are not.
Result<Outputs> kept_outputs(const std::string& dir, const Digest& digest);
// Removes all but the newest few, and those of nobody (`new.*`). Whoever uses one that goes finds
// out afterwards, by kept_outputs.
Status prune_outputs(const std::string& dir);

// The tree with the outputs in it. `objects` are in memory: of what is in the layer they are given
// the links, whose text leads further, and no file. kStale: an output has to be where the tree has
// a directory, or the other way round.
Result<Oid> with_outputs(repo::Objects& objects, const Oid& tree, const Outputs& outputs);

}  // namespace gittxn::gates
