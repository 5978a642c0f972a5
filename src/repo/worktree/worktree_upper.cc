// The walk descends only into directories that the upper has. In one that is all new it looks for
// moved directories alone; the files are left to git's own listing.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/bug.h"
#include "base/fs.h"
#include "repo/worktree/worktree_take.h"

namespace gittxn::repo {
namespace {

constexpr int kMostUpperDepth = 256;
constexpr int kReadDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool is_whiteout(const struct stat& info) {
  return S_ISCHR(info.st_mode) && info.st_rdev == makedev(0, 0);
}

// A mark of the overlay on an open directory; empty: it has none.
Result<std::string> mark_of(int fd, OverlayMarks marks, const char* name) {
  const std::string attribute = fmt::format("{}.overlay.{}", name_in(kOverlayMarks, marks), name);
  std::array<char, 4096> value{};
  const ssize_t size = ::fgetxattr(fd, attribute.c_str(), value.data(), value.size());
  if (size >= 0) return std::string(value.data(), static_cast<std::size_t>(size));
  if (errno == ENODATA || errno == EOPNOTSUPP) return std::string();
  return fail_errno(errno, "read " + attribute);
}

// What a directory of the upper is laid over: a path below; nullopt: it stands for itself.
Result<std::optional<std::string>> below_of(int fd, OverlayMarks marks,
                                            const std::optional<std::string>& parent,
                                            const std::string& name) {
  if (TRY(mark_of(fd, marks, "opaque")) == "y") return std::optional<std::string>{};
  const std::string redirect = TRY(mark_of(fd, marks, "redirect"));
  if (normal_path("/" + redirect) != "/" + redirect.substr(redirect.starts_with('/') ? 1 : 0) &&
      !redirect.empty()) {
    return fail(Code::kCorrupt, "a mark of the overlay leads elsewhere: " + quote_path(redirect));
  }
  if (redirect.starts_with('/')) {
    return std::optional<std::string>(redirect.substr(redirect.find_first_not_of('/')));
  }
  if (!parent) return std::optional<std::string>{};
  return std::optional<std::string>(join_tree(*parent, redirect.empty() ? name : redirect));
}

}  // namespace

Result<std::optional<std::string>> path_on_disk(const Worktree& worktree, std::string_view path) {
  std::optional<std::string> below;
  std::string upper = worktree.files;
  UniqueFd dir = TRY(open_fd(upper, kReadDirectory));
  if (worktree.kind == WorktreeKind::kOverlay) below = std::string();
  bool have_upper = true;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    struct stat info{};
    const bool there =
        have_upper && ::fstatat(dir.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && is_whiteout(info)) return std::optional<std::string>{};
    if (!there) {
      have_upper = false;
      if (!below) return std::optional<std::string>{};
      *below = join_tree(*below, name);
      continue;
    }
    upper = join_path(upper, name);
    if (!S_ISDIR(info.st_mode)) {
      if (!rest.empty()) return std::optional<std::string>{};
      return std::optional<std::string>(upper);
    }
    dir = UniqueFd(::openat(dir.get(), name.c_str(), kReadDirectory));
    if (!dir.valid()) return std::optional<std::string>{};
    if (worktree.kind == WorktreeKind::kOverlay) {
      below = TRY(below_of(dir.get(), worktree.marks, below, name));
    }
  }
  if (have_upper) return std::optional<std::string>(upper);
  std::string shared = join_path(worktree.shared, *below);
  if (!TRY(exists(shared))) return std::optional<std::string>{};
  return std::optional<std::string>(std::move(shared));
}

namespace internal {
namespace {

class Scanner {
 public:
  Scanner(const Worktree& worktree, const Objects& objects, Oid base_tree)
      : worktree_(worktree), objects_(objects), base_tree_(std::move(base_tree)) {}

  Result<UpperScan> scan() {
    const UniqueFd root = TRY(open_fd(worktree_.files, kReadDirectory));
    TRY(directory(root.get(), "", base_tree_, std::string(), 0));
    if (found_.untouched) found_.attributes.clear();  // there is nothing that they apply to
    return std::move(found_);
  }

 private:
  using Files = std::map<std::string, TreeEntry>;

  // A directory of the upper: `base` is what the base has at that path (empty: no directory),
  // `below` what it is laid over.
  Status directory(int fd, const std::string& path, const Oid& base,
                   const std::optional<std::string>& below, int depth) {
    if (depth > kMostUpperDepth) {
      return fail(Code::kUnsupported, "directories nested too deeply: " + quote_path(path));
    }
    std::map<std::string, TreeEntry> was;
    if (!base.empty()) {
      for (NamedEntry& entry : TRY(objects_.list(base))) was[entry.name] = entry.entry;
    }
    // What is new git lists by itself, but not what is seen through a directory that was moved
    // here.
    const bool all_new = base.empty() && (!below || *below == path);
    std::map<std::string, bool> here;
    for (const DirEntry& entry : TRY(list_dir(fmt::format("/proc/self/fd/{}", fd)))) {
      if (entry.name == ".git") continue;  // git stores nothing of that name
      found_.untouched = false;
      if (all_new && entry.type != DT_DIR) continue;
      here[entry.name] = true;
      const auto before = was.find(entry.name);
      const TreeEntry old = before == was.end() ? TreeEntry{} : before->second;
      TRY(one(fd, join_tree(path, entry.name), entry.name, old, below, depth));
    }
    const bool in_place = below && *below == path;
    if (in_place) {
      const auto rules = was.find(".gitattributes");
      if (rules != was.end() && !here.contains(rules->first)) {
        found_.attributes[join_tree(path, rules->first)] = rules->second;
      }
      return {};
    }
    return elsewhere(path, was, here, below);
  }

  // The names that a directory laid over nothing, or over another one, does not have itself.
  Status elsewhere(const std::string& path, const std::map<std::string, TreeEntry>& was,
                   const std::map<std::string, bool>& here,
                   const std::optional<std::string>& below) {
    Files before;
    for (const auto& [name, entry] : was) {
      if (!here.contains(name)) TRY(collect(join_tree(path, name), entry, before));
    }
    std::map<std::string, TreeEntry> shown;
    if (below) {
      const TreeEntry source = TRY(objects_.entry_at(base_tree_, *below));
      if (source.mode == FileMode::kTree) {
        for (NamedEntry& entry : TRY(objects_.list(source.oid))) shown[entry.name] = entry.entry;
      }
    }
    for (const auto& [name, entry] : shown) {
      if (here.contains(name)) continue;
      Files files;
      TRY(collect(join_tree(*below, name), entry, files));
      for (const auto& [source, file] : files) {
        if (file.mode == FileMode::kSubmodule) continue;  // an empty directory
        const std::string now =
            join_tree(path, source.substr(below->empty() ? 0 : below->size() + 1));
        found_.moved[now] = source;
        if (const auto old = before.find(now); old != before.end()) {
          found_.touched.insert(*old);
          before.erase(old);
        }
      }
    }
    found_.gone.merge(before);
    return {};
  }

  Status one(int parent, const std::string& path, const std::string& name, const TreeEntry& old,
             const std::optional<std::string>& below, int depth) {
    struct stat info{};
    if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return {};  // a process that is left running took it away
      return fail_errno(errno, "stat " + quote_path(path));
    }
    if (is_whiteout(info)) {
      if (INJECTED_BUG("overlay.whiteouts_kept")) return {};
      return collect(path, old, found_.gone);
    }
    const bool was_directory = old.mode == FileMode::kTree;
    if (old.present() && !was_directory) found_.touched[path] = old;
    if (!S_ISDIR(info.st_mode)) {
      if (was_directory) return collect(path, old, found_.gone);
      return {};
    }
    if (old.mode == FileMode::kSubmodule) return {};
    const UniqueFd fd(::openat(parent, name.c_str(), kReadDirectory));
    if (!fd.valid() && errno == EACCES && !was_directory) return {};  // git says what that means
    if (!fd.valid()) return fail_errno(errno, "open " + quote_path(path));
    const auto laid_over = TRY(below_of(fd.get(), worktree_.marks, below, name));
    return directory(fd.get(), path, was_directory ? old.oid : Oid(), laid_over, depth + 1);
  }

  // Every file at or below a path of the base.
  Status collect(const std::string& path, const TreeEntry& entry, Files& files) {
    if (!entry.present()) return {};
    if (entry.mode != FileMode::kTree) {
      files[path] = entry;
      return {};
    }
    for (const NamedEntry& below : TRY(objects_.list(entry.oid))) {
      TRY(collect(join_tree(path, below.name), below.entry, files));
    }
    return {};
  }

  const Worktree& worktree_;
  const Objects& objects_;
  Oid base_tree_;
  UpperScan found_;
};

}  // namespace

Result<UpperScan> scan_upper(const Worktree& worktree, const Objects& objects, const Oid& base) {
  const Oid tree = TRY(objects.tree_of(base));
  return Scanner(worktree, objects, tree).scan();
}

}  // namespace internal
}  // namespace gittxn::repo
