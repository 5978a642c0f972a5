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

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "base/text.h"
#include "repo/checkout/shared_checkout.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_index.h"
#include "repo/worktree/worktree_mount.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo {
namespace {

using internal::Inherited;

FAILPOINT(fp_after_marker, "worktree.after_marker");
FAILPOINT(fp_before_checkout, "worktree.before_checkout");
FAILPOINT(fp_after_checkout, "worktree.after_checkout");
FAILPOINT(fp_mid_remove, "worktree.mid_remove");

constexpr std::string_view kMarker = "/git-txn.worktree";
constexpr std::string_view kMarkerText = "git-txn worktree ";

std::vector<ConfigEntry> private_config(const Repository& repository, const WorktreeSpec& spec,
                                        const std::string& git_dir, const Inherited& inherited) {
  // A daemon or a cache bound to this directory would outlive it; packing and fetching in the
  // background is for directories that live.
  std::vector<ConfigEntry> config = internal::brief_config(inherited);
  config.insert(config.end(), {{"gc.auto", "0"}, {"maintenance.auto", "false"}});
  // Files below an overlay have other names in other checkouts, which come and go.
  if (spec.kind == WorktreeKind::kOverlay) config.push_back({"core.trustctime", "false"});
  if (!spec.with_remote) return config;
  const std::string branch = short_branch(spec.target);
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

// The private git directory, all but the index.
Status make_private_git(Repository& repository, const WorktreeSpec& spec, const Worktree& worktree,
                        const std::vector<ConfigEntry>& config) {
  const std::string git_dir = worktree.files + "/.git";
  TRY(make_dirs(worktree.files, 0777));
  TRY(make_dirs(git_dir, 0700));
  TRY(internal::make_git_directory(repository, git_dir, spec.target,
                                   TRY(internal::object_directories(repository)), config));
  TRY(internal::copy_refs(repository, git_dir, spec.target, spec.base));
  const std::string refs = TRY(read_file(git_dir + "/packed-refs"));
  TRY(write_file(worktree.path + "/packed-refs", refs, Sync::kNo, 0644));
  if (!spec.with_remote) return {};
  const std::string ref = git_dir + "/refs/remotes/txn-target/" + short_branch(spec.target);
  TRY(make_dirs(parent_dir(ref), 0755));
  return write_file(ref, spec.base.str() + "\n", Sync::kNo, 0644);
}

// The git directory of an overlay is laid over that of the shared checkout, which holds the index
// and nothing else: so the index of a hundred thousand files is not copied until the agent's git
// first writes one.
Status make_overlay_directories(const Worktree& worktree, const TxnId& txn) {
  TRY(make_dirs(worktree.path + "/work", 0755));
  TRY(make_dirs(worktree.tree, 0755));
  // For whoever comes here without the mount.
  return write_file(worktree.tree + "/this-is-an-overlay",
                    fmt::format("Only processes inside the mount see the files. Enter it with:\n"
                                "    git txn open {0} --shell\n"
                                "or make plain files of it with:\n"
                                "    git txn open {0}\n",
                                txn.str()),
                    Sync::kNo, 0444);
}

Status add_hooks(const Repository& repository, const WorktreeSpec& spec, const Worktree& worktree,
                 const Inherited& inherited, const std::vector<ConfigEntry>& config) {
  const std::string more = TRY(internal::install_hooks(repository, spec, worktree, inherited));
  if (more.empty()) return {};
  return write_file(worktree.files + "/.git/config", internal::config_text(config) + more,
                    Sync::kNo, 0644);
}

Status fill_worktree(Repository& repository, const WorktreeSpec& spec, const Worktree& worktree,
                     const Inherited& inherited) {
  const auto config = private_config(repository, spec, worktree.git_dir, inherited);
  TRY(make_private_git(repository, spec, worktree, config));
  TRY(fp_before_checkout.hit());
  if (worktree.kind == WorktreeKind::kOverlay) {
    TRY(make_overlay_directories(worktree, spec.txn));
  } else {
    TRY(worktree.kind == WorktreeKind::kReflink
            ? internal::reflink_checkout(repository, worktree)
            : internal::check_out(repository, worktree.git_dir, worktree.tree, spec.base));
    TRY(copy_index(worktree.git_dir + "/index", worktree.path + "/index"));
  }
  TRY(fp_after_checkout.hit());
  return add_hooks(repository, spec, worktree, inherited, config);
}

// Something mounted inside is somebody's data: a bind mount has our device number.
Status check_nothing_mounted(const std::string& path) {
  const std::string table = TRY(read_file("/proc/self/mountinfo", 16u << 20));
  for (const std::string_view line : lines_of(table)) {
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

// "git-txn worktree <id>", and for the kinds that need a shared checkout a second line with the
// kind, whose marks an overlay has, and the path of the shared checkout.
std::string marker_text(const WorktreeSpec& spec, const Worktree& worktree) {
  std::string text = fmt::format("{}{}\n", kMarkerText, spec.txn.str());
  if (worktree.kind == WorktreeKind::kPlain) return text;
  return text + fmt::format("{} {} {}\n", name_in(kWorktreeKinds, worktree.kind),
                            name_in(kOverlayMarks, worktree.marks), parent_dir(worktree.shared));
}

std::unexpected<Error> bad_mark(const std::string& path) {
  return fail(Code::kCorrupt, "the mark of the worktree '" + path + "' is damaged",
              "what was kept of it is under refs/txn; remove the directory by hand");
}

// What the kind needs before anything is made.
Result<Worktree> plan_worktree(const WorktreeSpec& spec, const Inherited& inherited) {
  Worktree worktree = worktree_at(spec.path, spec.kind);
  if (spec.kind == WorktreeKind::kPlain) return worktree;
  if (inherited.sparse) {
    return fail(Code::kUnsupported,
                fmt::format("{} worktrees do not know sparse checkouts",
                            name_in(kWorktreeKinds, spec.kind)),
                "use --worktree plain");
  }
  if (spec.shared.find('\n') != spec.shared.npos) {
    return fail(Code::kUnsupported, "the worktree root has a line break in its path",
                "choose another with: git config txn.worktreeRoot /absolute/path");
  }
  worktree.shared = shared_checkout_path(inherited.checkout, spec.base, spec.shared) + "/tree";
  worktree.marks = spec.marks ? *spec.marks : overlay_marks();
  return worktree;
}

}  // namespace

Worktree worktree_at(const std::string& path, WorktreeKind kind) {
  const std::string tree = path + "/tree";
  Worktree worktree{path, tree, tree + "/.git", kind, tree, {}, OverlayMarks::kTrusted};
  if (kind == WorktreeKind::kOverlay) worktree.files = path + "/upper";
  return worktree;
}

Result<WorktreeKind> kind_from_name(std::string_view name) {
  if (auto kind = value_in(kWorktreeKinds, "kind", name)) return kind;
  return fail(Code::kUsage, fmt::format("'{}' is no kind of worktree", name),
              "use auto, plain, overlay or reflink");
}

Result<Worktree> find_worktree(const std::string& path) {
  auto text = read_file(path + std::string(kMarker), 16384);
  if (!text && text.error().code == Code::kNotFound) {
    return fail(Code::kNotFound, "the worktree '" + path + "' is gone",
                "what was kept of it before is under refs/txn; start again with: git txn resume");
  }
  if (!text) return std::unexpected(std::move(text).error());
  if (!text->starts_with(kMarkerText) || !text->ends_with('\n')) return bad_mark(path);
  const std::string second = text->substr(text->find('\n') + 1);
  if (second.empty()) return worktree_at(path);
  const std::size_t kind_end = second.find(' ');
  const std::size_t marks_end = second.find(' ', kind_end + 1);
  if (kind_end == second.npos || marks_end == second.npos) return bad_mark(path);
  const auto kind = kind_from_name(second.substr(0, kind_end));
  const auto marks =
      value_in(kOverlayMarks, "marks", second.substr(kind_end + 1, marks_end - kind_end - 1));
  const std::string shared = second.substr(marks_end + 1, second.size() - marks_end - 2);
  if (!kind || !marks || !shared.starts_with('/')) return bad_mark(path);
  Worktree worktree = worktree_at(path, *kind);
  worktree.marks = *marks;
  worktree.shared = shared + "/tree";
  return worktree;
}

Result<Worktree> mark_plain(const Worktree& worktree) {
  const std::string marker = worktree.path + std::string(kMarker);
  const std::string text = TRY(read_file(marker, 16384));
  if (!text.starts_with(kMarkerText)) return bad_mark(worktree.path);
  TRY(write_file(marker, text.substr(0, text.find('\n') + 1), Sync::kYes));
  return worktree_at(worktree.path);
}

Result<bool> has_files(const std::string& path) {
  const auto worktree = TRY(if_there(find_worktree(path)));
  if (!worktree) return false;
  return exists(worktree->files + "/.git");
}

Result<Worktree> create_worktree(Repository& repository, const WorktreeSpec& spec) {
  if (spec.path.empty() || spec.path[0] != '/') {
    return fail(Code::kUsage, "a worktree needs an absolute path, not '" + spec.path + "'");
  }
  const Inherited inherited = TRY(internal::inherited_config(repository));
  const Worktree worktree = TRY(plan_worktree(spec, inherited));
  TRY(make_dirs(parent_dir(spec.path)));
  if (::mkdir(spec.path.c_str(), 0700) != 0) {
    return fail_errno(errno, "make the worktree '" + spec.path + "'");
  }
  // The mark is first: from here on nobody collects the shared checkout.
  const std::string marker = spec.path + std::string(kMarker);
  Status made = write_file(marker, marker_text(spec, worktree), Sync::kNo);
  if (made) made = fp_after_marker.hit();
  if (made && spec.kind != WorktreeKind::kPlain) {
    made = make_shared_checkout(repository, inherited, spec.base, parent_dir(worktree.shared));
  }
  if (made) made = fill_worktree(repository, spec, worktree, inherited);
  if (made) return worktree;
  Error error = std::move(made).error();
  // The first error is the one to report; what stays behind is still marked as ours.
  if (const Status removed = remove_worktree(spec.path); !removed && error.hint.empty()) {
    error.hint = "also, '" + spec.path + "' could not be removed: " + removed.error().message;
  }
  return std::unexpected(std::move(error).in("making the worktree " + spec.path));
}

namespace {

// Uses a git directory that the agent never saw, whose index is that of the new files afterwards.
Status move_files(Repository& repository, const Worktree& worktree, const Inherited& inherited,
                  const std::string& git_dir, const Oid& from, const Oid& to) {
  TRY(remove_tree(git_dir));
  TRY(make_dirs(git_dir, 0700));
  TRY(internal::make_git_directory(repository, git_dir, RefName("refs/heads/moving"),
                                   TRY(internal::object_directories(repository)),
                                   internal::brief_config(inherited)));
  GitOptions git = internal::checkout_options(git_dir, worktree.tree);
  git.extra["GIT_INDEX_FILE"] = git_dir + "/index";
  TRY(repository.git().must({"read-tree", from.str()}, git));
  TRY(repository.git().run({"update-index", "-q", "--refresh"}, git));
  auto moved = repository.git().must(
      {"-c", "submodule.recurse=false", "read-tree", "-m", "-u", from.str(), to.str()}, git);
  if (moved) return {};
  Error error = std::move(moved).error();
  error.code = Code::kRefused;
  return std::unexpected(std::move(error));
}

}  // namespace

Status put_worktree_onto(Repository& repository, const WorktreeSpec& spec, const Worktree& worktree,
                         const Oid& from, const Oid& to) {
  const Inherited inherited = TRY(internal::inherited_config(repository));
  const std::string moving = worktree.path + "/moving";
  TRY(move_files(repository, worktree, inherited, moving, from, to));
  Worktree inside = worktree;
  inside.files = worktree.tree;
  TRY(remove_tree(inside.git_dir));
  const auto config = private_config(repository, spec, inside.git_dir, inherited);
  TRY(make_private_git(repository, spec, inside, config));
  TRY(copy_index(moving + "/index", inside.git_dir + "/index"));
  // Entries that are the same keep what they know of their files.
  TRY(repository.git().must({"read-tree", "-m", spec.base.str()},
                            internal::checkout_options(inside.git_dir, inside.tree)));
  TRY(copy_index(inside.git_dir + "/index", worktree.path + "/index"));
  TRY(add_hooks(repository, spec, inside, inherited, config));
  return remove_tree(moving);
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
