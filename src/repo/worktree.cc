// Making and removing private worktrees. Files are written by git (filters, line ends, sparse
// patterns); everything around them is small enough to be written here, because each git process
// costs more than all of it. What was rejected: `git worktree add` (shares refs, configuration,
// hooks and stash with the person) and `git clone --shared` (three processes more, and the result
// has to be undone by half).
//
// On disk if we die: <path> with its marker, in whatever state; remove_worktree removes it whole.
#include "repo/worktree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "repo/worktree_gitdir.h"
#include "repo/worktree_index.h"
#include "repo/worktree_paths.h"

namespace gittxn::repo {
namespace {

using internal::ConfigEntry;
using internal::Inherited;

FAILPOINT(fp_after_marker, "worktree.after_marker");
FAILPOINT(fp_before_checkout, "worktree.before_checkout");
FAILPOINT(fp_after_checkout, "worktree.after_checkout");
FAILPOINT(fp_mid_remove, "worktree.mid_remove");

constexpr std::string_view kMarker = "/git-txn.worktree";
constexpr std::string_view kMarkerText = "git-txn worktree ";
constexpr std::int64_t kBackdate_s = 3600;

std::string branch_of(const RefName& target) {
  constexpr std::string_view kHeads = "refs/heads/";
  return target.str().starts_with(kHeads) ? target.str().substr(kHeads.size()) : target.str();
}

std::vector<ConfigEntry> private_config(const Repository& repository, const WorktreeSpec& spec,
                                        const std::string& git_dir, const Inherited& inherited) {
  std::vector<ConfigEntry> config = {
      {"core.repositoryformatversion", inherited.partial_clone ? "1" : "0"},
      {"core.bare", "false"}};
  config.insert(config.end(), inherited.entries.begin(), inherited.entries.end());
  // Packing and fetching in the background is for directories that live; a daemon or a cache bound
  // to this directory would outlive it.
  config.insert(config.end(), {{"gc.auto", "0"},
                               {"maintenance.auto", "false"},
                               {"core.fsmonitor", "false"},
                               {"core.untrackedcache", "false"},
                               {"core.splitindex", "false"}});
  if (!spec.with_remote) return config;
  const std::string branch = branch_of(spec.target);
  config.insert(config.end(), {{"remote.txn-target.url", repository.place().common_dir},
                               {"remote.txn-target.fetch",
                                fmt::format("+refs/heads/{0}:refs/remotes/txn-target/{0}", branch)},
                               {"remote.txn-target.tagopt", "--no-tags"},
                               {"remote.txn-target.receivepack", internal::refusal_path(git_dir)}});
  const std::string upstream = "branch." + branch + ".remote";
  for (const ConfigEntry& entry : inherited.entries) {
    if (entry.key == upstream) return config;
  }
  config.insert(config.end(),
                {{upstream, "txn-target"}, {"branch." + branch + ".merge", spec.target.str()}});
  return config;
}

// Back-dates the files that git has just written and tells the index, which then needs no look at
// them. Without this every file is as young as the index, so git would open and hash each one when
// asked for the status: racy by git's rule, and reads of everything to whoever traces the agent.
Status settle_index(const Repository& repository, const std::string& tree, const GitOptions& git) {
  const std::string file = tree + "/.git/index";
  const timespec past = {.tv_sec = SystemClock().wall_ms() / 1000 - kBackdate_s, .tv_nsec = 0};
  const timespec times[2] = {past, past};
  // A sparse index, where the person's configuration asks for one, is written out whole: git makes
  // it sparse again when it next writes.
  IndexFile index = TRY(load_index({repository.git(), git, file}, tree + "/.git/index.whole"));
  TRY(remove_file(tree + "/.git/index.whole"));
  UniqueFd root = TRY(open_fd(tree, O_RDONLY | O_DIRECTORY));
  std::string name;
  for (const IndexEntry& entry : index.entries()) {
    const auto kind = static_cast<FileMode>(entry.mode);
    if (entry.skip_worktree || kind == FileMode::kSubmodule) continue;
    name = index.path(entry);
    struct stat info{};
    if (::utimensat(root.get(), name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0 ||
        ::fstatat(root.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return fail_errno(errno, fmt::format("back-date '{}'", name));
    }
    index.set_stat(entry, info);
  }
  return write_index(file, index, IndexTime::kNow);
}

Status fill_worktree(Repository& repository, const WorktreeSpec& spec, const Worktree& worktree) {
  const Inherited inherited = TRY(internal::inherited_config(repository));
  const auto borrowed =
      TRY(internal::object_directories(repository.place().common_dir + "/objects"));
  TRY(make_dirs(worktree.tree, 0777));
  TRY(make_dirs(worktree.git_dir, 0700));
  const auto config = private_config(repository, spec, worktree.git_dir, inherited);
  TRY(internal::make_git_directory(repository, worktree.git_dir, spec.target, borrowed, config));
  TRY(internal::copy_refs(repository, worktree.git_dir, spec.target, spec.base));
  if (spec.with_remote) {
    const std::string ref = worktree.git_dir + "/refs/remotes/txn-target/" + branch_of(spec.target);
    TRY(make_dirs(parent_dir(ref), 0755));
    TRY(write_file(ref, spec.base.str() + "\n", Sync::kNo, 0644));
  }
  TRY(fp_before_checkout.hit());
  GitOptions git{.dir = worktree.tree,
                 .extra = {{"GIT_DIR", worktree.git_dir}, {"GIT_WORK_TREE", worktree.tree}}};
  TRY_IN("checking out " + spec.base.str(),
         repository.git().must(
             {"-c", "submodule.recurse=false", "read-tree", "-m", "-u", spec.base.str()}, git));
  TRY(fp_after_checkout.hit());
  TRY_IN("settling the index", settle_index(repository, worktree.tree, git));
  TRY(copy_index(worktree.git_dir + "/index", worktree.path + "/index"));
  const std::string more = TRY(internal::install_hooks(repository, spec, worktree.tree, inherited));
  if (more.empty()) return {};
  return write_file(worktree.git_dir + "/config", internal::config_text(config) + more, Sync::kNo,
                    0644);
}

// Something mounted inside is somebody's data: a bind mount has our device number.
Status check_nothing_mounted(const std::string& path) {
  const std::string table = TRY(read_file("/proc/self/mountinfo", 16u << 20));
  for (std::string_view rest = table; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    std::string_view field = line;
    for (int i = 0; i < 4; ++i)
      field.remove_prefix(std::min(field.find(' '), field.size() - 1) + 1);
    std::string point;
    for (std::string_view text = field.substr(0, field.find(' ')); !text.empty();) {
      // Blanks and line breaks are written as three octal digits.
      const bool octal = text[0] == '\\' && text.size() >= 4;
      point += octal ? static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0')
                     : text[0];
      text.remove_prefix(octal ? 4 : 1);
    }
    std::string below;
    if (!path_below(point, path, &below)) continue;
    return fail(Code::kBusy, "something is mounted on " + point, "unmount it and try again");
  }
  return {};
}

}  // namespace

Worktree worktree_at(const std::string& path) {
  return {path, path + "/tree", path + "/tree/.git"};
}

Result<Worktree> create_worktree(Repository& repository, const WorktreeSpec& spec) {
  const Worktree worktree = worktree_at(spec.path);
  if (spec.path.empty() || spec.path[0] != '/') {
    return fail(Code::kUsage, "a worktree needs an absolute path, not '" + spec.path + "'");
  }
  TRY(make_dirs(parent_dir(spec.path)));
  if (::mkdir(spec.path.c_str(), 0700) != 0) {
    return fail_errno(errno, "make the worktree '" + spec.path + "'");
  }
  const std::string marker = spec.path + std::string(kMarker);
  Status made = write_file(marker, fmt::format("{}{}\n", kMarkerText, spec.txn.str()), Sync::kNo);
  if (made) made = fp_after_marker.hit();
  if (made) made = fill_worktree(repository, spec, worktree);
  if (made) return worktree;
  Error error = std::move(made).error();
  // The first error is the one to report; what stays behind is still marked as ours.
  if (const Status removed = remove_worktree(spec.path); !removed && error.hint.empty()) {
    error.hint = "also, '" + spec.path + "' could not be removed: " + removed.error().message;
  }
  return std::unexpected(std::move(error).in("making the worktree " + spec.path));
}

Status remove_worktree(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return fail_errno(errno, "stat '" + path + "'");
  }
  if (!S_ISDIR(info.st_mode)) return fail(Code::kRefused, "'" + path + "' is not a directory");
  // Made, but not marked yet; or all but removed.
  if (::rmdir(path.c_str()) == 0) return {};
  const std::string marker = path + std::string(kMarker);
  auto text = read_file(marker, 4096);
  if (!text || !text->starts_with(kMarkerText)) {
    return fail(Code::kRefused, "'" + path + "' is not a worktree of git-txn: it has no mark",
                "look into it, and remove it by hand if nothing in it is wanted");
  }
  TRY(check_nothing_mounted(path));
  for (const DirEntry& entry : TRY(list_dir(path))) {
    if ("/" + entry.name == kMarker) continue;
    TRY(remove_tree(path + "/" + entry.name));
    TRY(fp_mid_remove.hit());
  }
  TRY(remove_file(marker));
  if (::rmdir(path.c_str()) != 0) return fail_errno(errno, "remove '" + path + "'");
  return {};
}

}  // namespace gittxn::repo
