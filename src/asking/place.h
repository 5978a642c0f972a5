// The places of an asking: what it sees under which name. The caller decides it, by names as they
// are outside; the first process of the asking's namespaces mounts it, and nobody else ever sees
// it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "asking/ask.h"
#include "base/result.h"
#include "repo/checkout/layered_tree.h"

namespace gittxn::asking {

struct EmptyPlace {
  std::string path;
  enum class Kind { kHidden, kTemporary, kDevices } kind = Kind::kHidden;
};

// All paths are absolute and real.
struct PlacePlan {
  std::string at, cwd;
  repo::LayeredTrees::Layers layers;
  std::string now;                   // the asking's own directory, with `upper`, `work`, `records`
  std::vector<EmptyPlace> empty;     // the outer ones first, none below another one
  std::vector<std::string> folders;  // to be made below those
  std::vector<std::string> temporary;  // its own
  std::vector<std::string> hidden;
  std::string over;                        // of which the files are seen over the tree's
  std::vector<std::string> caches;         // with a layer each, <now>/cache.N
  std::vector<repo::SeenObjects> objects;  // with a git directory
  Network network = Network::kNone;
};

// The directory, with `upper` and `work`, of a cache's layer.
std::string cache_dir(const PlacePlan& plan, std::size_t cache);

// kUsage: paths that make no sense. kNotFound: `at` is nowhere.
Result<PlacePlan> plan_places(const AskSpec& spec, const repo::LayeredTrees::Layers& layers,
                              const std::string& now);
// Returns the asking's own places outside the tree, so that nothing there is a file of this
// machine.
std::vector<std::string> own_places_of(const PlacePlan& plan);
// Returns what the command may write: the places of its own, as far as the original command could.
// Exceptions within them (`kept`) do not matter: nothing stays of what is written there.
capture::Confine confine_to(const PlacePlan& plan, const std::optional<capture::Confine>& original);

// Mounts the places. Called in the first process, which has the rights of its namespaces.
// kUnsupported, with what is refused.
Status mount_places(const PlacePlan& plan);

}  // namespace gittxn::asking
