// The staging directory of a landing and its manifest; checkout_stage.h says what is in it.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/if_there.h"
#include "base/sync.h"
#include "repo/checkout/checkout_stage.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::string_view kManifest = "/manifest.json";
constexpr std::size_t kMaxManifest = 256u << 20;
constexpr int kVersion = 1;

using NamedSlot = std::pair<std::string, Slot>;

FieldList fields_of(Manifest& manifest, int& version, std::vector<NamedSlot>& slots) {
  return [&](FieldIo& io) {
    io.integer("version", version);
    io.oid("new", manifest.new_commit);
    io.text("index", manifest.index_state);
    io.list_of("slots", slots, [](FieldIo& each, NamedSlot& named) {
      auto& [path, slot] = named;
      each.text("path", path);
      each.boolean("index_only", slot.index_only);
      each.boolean("persons", slot.persons);
      each.value("staged", slot.staged);
      each.value("old", slot.old);
    });
  };
}

Result<UniqueFd> open_directory(const std::string& path) {
  return open_fd(path, O_PATH | O_DIRECTORY);
}

}  // namespace

void fields(FieldIo& io, Seen& seen) {
  io.integer("dev", seen.dev);
  io.integer("ino", seen.ino);
  io.integer("size", seen.size);
  io.integer("mtime", seen.mtime_ns);
  io.integer("mode", seen.mode);
  io.name("sha256", seen.digest);
}

Seen seen_now(const struct stat& info) {
  Seen seen;
  seen.dev = static_cast<std::int64_t>(info.st_dev);
  seen.ino = static_cast<std::int64_t>(info.st_ino);
  seen.size = info.st_size;
  seen.mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  seen.mode = info.st_mode;
  return seen;
}

bool same_inode(const Seen& seen, const struct stat& info) {
  const Seen now = seen_now(info);
  return seen.ino == now.ino && seen.dev == now.dev;
}

bool same_kind(const struct stat& info, FileMode mode) {
  if (mode == FileMode::kLink) return S_ISLNK(info.st_mode);
  return S_ISREG(info.st_mode) && (mode == FileMode::kFile || mode == FileMode::kExecutable);
}

Result<std::string> draft_manifest(const std::string& directory, Manifest manifest) {
  std::vector<NamedSlot> slots(manifest.slots.begin(), manifest.slots.end());
  int version = kVersion;
  const Json json = json_of(fields_of(manifest, version, slots));
  std::string draft = directory + "/manifest.draft";
  TRY(write_draft(draft, dump_json(json) + "\n", Sync::kNo));
  return draft;
}

Status publish_manifest(const std::string& directory, const std::string& draft) {
  return rename_over(draft, directory + std::string(kManifest));
}

Result<Manifest> read_manifest(const std::string& directory) {
  const std::string text = TRY(read_file(directory + std::string(kManifest), kMaxManifest));
  const Json json = TRY(parse_json(text, {.max_bytes = kMaxManifest}));
  int version = kVersion;
  // What else is in it is not ours to know yet.
  (void)read_json(json, "", [&](FieldIo& io) { io.integer("version", version); });
  if (version != kVersion) {
    return fail(Code::kNewer, directory + " was written by another version of git-txn");
  }
  Manifest manifest;
  std::vector<NamedSlot> slots;
  TRY(read_json(json, directory + std::string(kManifest), fields_of(manifest, version, slots)));
  manifest.slots = {slots.begin(), slots.end()};
  return manifest;
}

Result<bool> same_mount(int a, int b) {
  struct statx one{}, two{};
  constexpr unsigned int kWanted = STATX_BASIC_STATS | STATX_MNT_ID;
  if (::statx(a, "", AT_EMPTY_PATH, kWanted, &one) != 0 ||
      ::statx(b, "", AT_EMPTY_PATH, kWanted, &two) != 0) {
    return fail_errno(errno, "statx");
  }
  if (one.stx_dev_major != two.stx_dev_major || one.stx_dev_minor != two.stx_dev_minor) {
    return false;
  }
  // Two mounts of one file system have one device number, and rename(2) refuses all the same.
  const bool known = (one.stx_mask & two.stx_mask & STATX_MNT_ID) != 0;
  return !known || one.stx_mnt_id == two.stx_mnt_id;
}

Result<std::string> staging_root(const CheckoutPlace& place) {
  const UniqueFd git_dir = TRY(open_directory(place.git_dir));
  const UniqueFd worktree = TRY(open_directory(place.worktree));
  const bool beside = TRY(same_mount(git_dir.get(), worktree.get()));
  return (beside ? place.git_dir + "/txn" : place.worktree + "/.git-txn") + "/displaced";
}

Status make_staging_root(const CheckoutPlace& place, const std::string& root) {
  TRY(make_dirs(place.git_dir + "/txn"));
  if (!TRY(exists(root))) {
    TRY(make_dirs(root));
    // Once, and not at each landing: its name.
    TRY(fsync_all({parent_dir(root), parent_dir(parent_dir(root))}));
  }
  if (path_below(root, place.git_dir, nullptr)) return {};
  const std::string rule = parent_dir(root) + "/.gitignore";
  if (TRY(exists(rule))) return {};
  return write_file(rule, "*\n", Sync::kNo, 0644);
}

Result<std::string> staging_directory(const CheckoutPlace& place, const TxnId& txn) {
  if (txn.empty() || txn.str().find('/') != std::string::npos || txn.str()[0] == '.') {
    return fail(Code::kUsage, "'" + txn.str() + "' is not a transaction");
  }
  return TRY(staging_root(place)) + "/" + txn.str();
}

namespace {

// Keeps what a landing displaced and nobody has checked; removes what it staged.
Status clear_slot(const TreeRoot& root, const std::string& path, const Slot& slot) {
  for (const char* area : {"new/", "out/"}) {
    const auto from = TRY(root.look(area + path));
    if (!from || !is_file_or_link(from->info)) continue;
    const bool staged = area[0] == 'n' && same_inode(slot.staged, from->info);
    if (staged) {
      if (::unlinkat(from->dir.get(), from->name.c_str(), 0) != 0 && errno != ENOENT) {
        return fail_errno(errno, "remove staged '" + path + "'");
      }
      continue;
    }
    const Spot to = TRY(root.make("old/" + path, 0700));
    // What is there already is displaced too: then this one stays where it is.
    if (::renameat2(from->dir.get(), from->name.c_str(), to.dir.get(), to.name.c_str(),
                    RENAME_NOREPLACE) != 0 &&
        errno != EEXIST) {
      return fail_errno(errno, "keep displaced '" + path + "'");
    }
  }
  return {};
}

Status set_aside(const std::string& directory) {
  for (int i = 1;; ++i) {
    const Status moved = rename_noreplace(directory, fmt::format("{}.{}", directory, i));
    if (moved || moved.error().code != Code::kExists) return moved;
  }
}

}  // namespace

Result<std::vector<std::string>> files_below(const std::string& directory,
                                             const std::string& folder) {
  std::vector<std::string> files;
  for (const DirEntry& entry : TRY(or_empty(list_dir(directory + "/" + folder)))) {
    const std::string path = folder + "/" + entry.name;
    if (entry.type != DT_DIR) files.push_back(path);
    if (entry.type != DT_DIR) continue;
    for (std::string& file : TRY(files_below(directory, path))) files.push_back(std::move(file));
  }
  return files;
}

Status retire_staging(const std::string& directory, Retire how) {
  if (!TRY(exists(directory))) return {};
  const TreeRoot root = TRY(TreeRoot::open(directory));
  auto manifest = read_manifest(directory);
  if (!manifest && manifest.error().code == Code::kCorrupt) return set_aside(directory);
  if (!manifest && manifest.error().code != Code::kNotFound) {
    return std::unexpected(std::move(manifest).error());
  }
  // Without a manifest nothing has moved yet: it is written, and synced, before the first exchange.
  if (!manifest) TRY(remove_tree(directory + "/new"));
  if (manifest) {
    for (const auto& [path, slot] : manifest->slots) TRY(clear_slot(root, path, slot));
  }
  bool displaced = !TRY(files_below(directory, "old")).empty();
  for (const char* area : {"new", "out"}) {
    if (TRY(files_below(directory, area)).empty()) {
      TRY(remove_tree(directory + "/" + area));
    } else {
      displaced = true;
    }
  }
  if (!displaced) return remove_tree(directory);
  return how == Retire::kKeepName ? Status{} : set_aside(directory);
}

GitOptions checkout_options(const CheckoutPlace& place) {
  GitOptions options;
  options.dir = place.worktree;
  options.extra = {{"GIT_DIR", place.git_dir},
                   {"GIT_WORK_TREE", place.worktree},
                   {"GIT_LITERAL_PATHSPECS", "1"}};
  return options;
}

}  // namespace gittxn::repo::internal
