#include "asking/place.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "asking/real_paths.h"
#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::asking {
namespace {

bool is_directory(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool at_or_below(const std::string& path, const std::string& root) {
  return path_below(path, root, nullptr);
}

Status check_paths(const AskSpec& spec) {
  std::vector<std::string> paths = spec.hidden;
  paths.insert(paths.end(), {spec.at, spec.cwd});
  for (const std::string& path : paths) {
    if (!path.starts_with('/') || normal_path(path) == "/") {
      return fail(Code::kUsage, fmt::format("'{}' is no place for an asking", path));
    }
  }
  if (!at_or_below(normal_path(spec.cwd), normal_path(spec.at))) {
    return fail(Code::kUsage, fmt::format("'{}' is not below '{}'", spec.cwd, spec.at));
  }
  return {};
}

class Planner {
 public:
  explicit Planner(const AskSpec& spec) : spec_(spec) {}

  Result<PlacePlan> plan(const repo::LayeredTrees::Layers& layers, const std::string& now) {
    TRY(check_paths(spec_));
    plan_.at = real_.of(spec_.at);
    std::string below;
    path_below(normal_path(spec_.cwd), normal_path(spec_.at), &below);
    plan_.cwd = join_path(plan_.at, below);
    plan_.layers = layers;
    plan_.now = now;
    plan_.over = spec_.over;
    plan_.network = spec_.network;
    for (const std::string& path : spec_.hidden) hide(path);
    hide("/run");
    empty("/dev", EmptyPlace::Kind::kDevices);
    for (const char* path : {"/tmp", "/var/tmp", "/dev/shm"}) temporary(path);
    if (const auto own = spec_.env.find("TMPDIR"); own != spec_.env.end()) temporary(own->second);
    keep_outer_ones();
    // TMPDIR is followed only to a place of the asking's own. One in the tree does not count: a
    // link there may lead out of it.
    std::erase_if(plan_.temporary, [this](const std::string& path) {
      return at_or_below(path, plan_.at) || !(is_empty_place(path) || is_below_one(path));
    });
    plan_.folders = plan_.temporary;
    plan_.folders.push_back(plan_.at);
    std::erase_if(plan_.folders, [this](const std::string& path) { return !is_below_one(path); });
    for (const std::string& path : spec_.caches) cache(path);
    const std::string run = real_.of("/run");
    if (!is_empty_place(run) && !is_below_one(run)) {
      return fail(Code::kUnsupported, "an asking needs a directory /run to make empty");
    }
    if (!is_below_one(plan_.at) && !is_directory(plan_.at)) {
      return fail(Code::kNotFound, fmt::format("there is no directory '{}'", plan_.at));
    }
    return std::move(plan_);
  }

 private:
  void hide(const std::string& path) {
    plan_.hidden.push_back(real_.of(path));
    if (INJECTED_BUG("asking.nothing_hidden") && path != "/run") return;
    empty(path, EmptyPlace::Kind::kHidden);
  }
  void temporary(const std::string& path) {
    if (!path.starts_with('/') || normal_path(path) == "/") return;
    plan_.temporary.push_back(real_.of(path));
    empty(path, EmptyPlace::Kind::kTemporary);
  }
  void cache(const std::string& path) {
    if (!path.starts_with('/') || !is_directory(path)) return;
    const std::string real = real_.of(path);
    const auto meets = [&real](const std::string& other) {
      return at_or_below(real, other) || at_or_below(other, real);
    };
    bool alone = real != "/" && !meets(plan_.at) && std::ranges::none_of(plan_.caches, meets);
    for (const EmptyPlace& place : plan_.empty) alone = alone && !meets(place.path);
    if (alone) plan_.caches.push_back(real);
  }
  void empty(const std::string& path, EmptyPlace::Kind kind) {
    const std::string real = real_.of(path);
    if (!at_or_below(real, plan_.at)) plan_.empty.push_back({real, kind});
  }
  // Nothing exists below an empty place, so there is nothing to make empty.
  void keep_outer_ones() {
    std::ranges::stable_sort(plan_.empty, {},
                             [](const EmptyPlace& place) { return place.path.size(); });
    std::vector<EmptyPlace> outer;
    for (EmptyPlace& place : plan_.empty) {
      const bool inner = std::ranges::any_of(
          outer, [&](const EmptyPlace& other) { return at_or_below(place.path, other.path); });
      if (!inner && is_directory(place.path)) outer.push_back(std::move(place));
    }
    plan_.empty = std::move(outer);
  }
  bool is_empty_place(const std::string& path) const {
    return std::ranges::any_of(plan_.empty,
                               [&](const EmptyPlace& place) { return path == place.path; });
  }
  bool is_below_one(const std::string& path) const {
    return std::ranges::any_of(plan_.empty, [&](const EmptyPlace& place) {
      return path != place.path && at_or_below(path, place.path);
    });
  }

  const AskSpec& spec_;
  RealPaths real_;
  PlacePlan plan_;
};

}  // namespace

std::string cache_dir(const PlacePlan& plan, std::size_t cache) {
  return fmt::format("{}/cache.{}", plan.now, cache);
}

Result<PlacePlan> plan_places(const AskSpec& spec, const repo::LayeredTrees::Layers& layers,
                              const std::string& now) {
  return Planner(spec).plan(layers, now);
}

std::vector<std::string> own_places_of(const PlacePlan& plan) {
  std::vector<std::string> places = plan.caches;
  for (const EmptyPlace& place : plan.empty) places.push_back(place.path);
  return places;
}

capture::Confine confine_to(const PlacePlan& plan,
                            const std::optional<capture::Confine>& original) {
  std::vector<std::string> own = plan.temporary;
  own.insert(own.end(), plan.caches.begin(), plan.caches.end());
  own.insert(own.end(), {plan.at, "/dev"});
  capture::Confine confine;
  confine.tree = plan.at;
  confine.mounts = true;
  confine.kept = {std::string(kRecordsInside)};
  if (!original) {
    confine.write = std::move(own);
    return confine;
  }
  for (const std::string& place : own) {
    if (capture::may_write(*original, place)) confine.write.push_back(place);
    if (place == plan.at) continue;  // a path in the tree may be a link, which leads out of it
    for (const std::string& path : original->write) {
      if (path != place && at_or_below(path, place)) confine.write.push_back(path);
    }
  }
  return confine;
}

}  // namespace gittxn::asking
