// What landings moved out of a checkout, looked at again: an editor that had the file open may have
// written to the displaced inode since. Nothing is changed but by prune_displaced, which removes
// what is unchanged; a directory is removed whole or kept whole.
#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/bug.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "repo/checkout/checkout_stage.h"

namespace gittxn::repo {

using internal::Manifest;
using internal::Slot;

namespace {

// Written to within a second of its last change before the landing: equal stat data proves nothing.
constexpr std::int64_t kGrain_ns = 1'000'000'000;

Result<std::vector<std::string>> landing_directories(const CheckoutPlace& place) {
  std::vector<std::string> found;
  auto root = TRY(if_there(internal::staging_root(place)));
  if (!root) return found;  // removed meanwhile
  for (const DirEntry& entry : TRY(or_empty(list_dir(*root)))) {
    if (entry.type == DT_DIR) found.push_back(*root + "/" + entry.name);
  }
  return found;
}

// ctime is later than any write, and the rename that displaced the file set it too.
Result<bool> is_unchanged(const FoundSpot& found, const Slot& slot) {
  const internal::Seen now = internal::seen_now(found.info);
  const std::int64_t changed_ns =
      std::int64_t{found.info.st_ctim.tv_sec} * 1'000'000'000 + found.info.st_ctim.tv_nsec;
  const bool same_stat = slot.old.ino == now.ino && slot.old.size == now.size &&
                         slot.old.mtime_ns == now.mtime_ns && slot.old.mode == now.mode;
  if (same_stat && now.mtime_ns + kGrain_ns < changed_ns) return true;
  if (slot.old.digest.empty()) return same_stat;
  const auto digest = TRY(if_there(digest_at(found)));
  return !digest || *digest == slot.old.digest;
}

Result<std::vector<LateSave>> saves_in(const std::string& directory) {
  std::vector<LateSave> saves;
  auto manifest = internal::read_manifest(directory);
  if (!manifest && manifest.error().code == Code::kNotFound) return saves;  // being staged
  // One that cannot be read accounts for nothing: everything beside it is reported and kept.
  if (!manifest && manifest.error().code == Code::kCorrupt) manifest = Manifest{};
  if (!manifest) return std::unexpected(std::move(manifest).error());
  const TreeRoot root = TRY(TreeRoot::open(directory));
  for (const std::string& file : TRY(internal::files_below(directory, "old"))) {
    const std::string path = file.substr(4);
    const auto slot = manifest->slots.find(path);
    const auto found = TRY(root.look(file));
    if (!found) continue;
    if (slot == manifest->slots.end()) {
      // "<path>~<n>": a save that another one overtook in the middle of a move.
      saves.push_back({path.substr(0, path.rfind('~')), directory + "/" + file});
      continue;
    }
    if (!TRY(is_unchanged(*found, slot->second))) saves.push_back({path, directory + "/" + file});
  }
  return saves;
}

Result<std::uint64_t> bytes_in(const std::string& directory) {
  std::uint64_t bytes = 0;
  const TreeRoot root = TRY(TreeRoot::open(directory));
  for (const std::string& file : TRY(internal::files_below(directory, "old"))) {
    const auto info = TRY(root.stat(file));
    if (info) bytes += static_cast<std::uint64_t>(info->st_size);
  }
  return bytes;
}

std::int64_t age_ms(const struct stat& info, const PruneOptions& options) {
  return options.now_wall_ms - std::int64_t{info.st_mtim.tv_sec} * 1000;
}

// What a killed process left between making a file and removing it, or while it staged. A live one
// is done with each of them in seconds.
constexpr std::int64_t kAbandoned_ms = 24 * 3600 * 1000;

Status remove_leftovers(const CheckoutPlace& place, const PruneOptions& options) {
  const std::string beside = place.git_dir + "/txn";
  auto root = TRY(if_there(internal::staging_root(place)));
  if (!root) return {};
  for (const std::string& directory : {beside, *root}) {
    for (const DirEntry& entry : TRY(or_empty(list_dir(directory)))) {
      const std::string path = directory + "/" + entry.name;
      const bool ours = directory == beside
                            ? entry.name.starts_with("lock-") || entry.name.starts_with("index-")
                            : entry.type == DT_DIR || entry.name.starts_with("probe-");
      struct stat info{};
      if (!ours || ::lstat(path.c_str(), &info) != 0 || age_ms(info, options) < kAbandoned_ms) {
        continue;
      }
      if (entry.type != DT_DIR) {
        TRY(remove_file(path));
      } else if (!TRY(exists(path + "/manifest.json"))) {
        // Killed while it staged: nothing has moved without a manifest.
        TRY(internal::retire_staging(path, internal::Retire::kKeepName));
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<LateSave>> find_late_saves(const CheckoutPlace& place) {
  std::vector<LateSave> saves;
  if (INJECTED_BUG("checkout.no_late_saves")) return saves;
  for (const std::string& directory : TRY(landing_directories(place))) {
    for (LateSave& save : TRY(saves_in(directory))) saves.push_back(std::move(save));
  }
  return saves;
}

Result<PruneReport> prune_displaced(const CheckoutPlace& place, const PruneOptions& options) {
  PruneReport report;
  TRY(remove_leftovers(place, options));
  for (const std::string& directory : TRY(landing_directories(place))) {
    struct stat info{};
    if (::lstat((directory + "/manifest.json").c_str(), &info) != 0) continue;  // being staged
    // In the middle of a landing, or of its recovery.
    if (age_ms(info, options) < options.min_age_ms || TRY(exists(directory + "/new")) ||
        TRY(exists(directory + "/out"))) {
      continue;
    }
    std::vector<LateSave> saves;
    if (!INJECTED_BUG("checkout.no_late_saves")) saves = TRY(saves_in(directory));
    if (!saves.empty()) {
      for (LateSave& save : saves) report.kept.push_back(std::move(save));
      continue;
    }
    report.bytes_freed += TRY(bytes_in(directory));
    TRY(remove_tree(directory));
    report.removed.push_back(directory);
  }
  return report;
}

}  // namespace gittxn::repo
