// The hooks of a private git directory. They run for the agent's own commands as they would for the
// person, except that pushes are refused: what an agent did lands by git txn, or not at all.
//
//   core.hooksPath unset          <git dir>/hooks, a copy of the repository's
//   inside the git directory      the same, a copy of that directory
//   elsewhere (husky, a person's  <git dir>/git-txn-hooks, which hands every hook over to whatever
//   own global hooks), or a tree  core.hooksPath says at that moment, and is put before it by a
//   that sets it on install       file included last: a tool that sets core.hooksPath works as it
//                                 expects, and pushes stay refused
#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <set>

#include "base/if_there.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::size_t kMostHookFiles = 1000;
constexpr std::size_t kMostHookBytes = 16u << 20;

// Those that people use; others are handed over when they are there from the start. (A hand-over
// that leads to nothing costs a process, and git runs reference-transaction for every ref it
// touches.)
constexpr std::array<std::string_view, 13> kHandedOver = {
    "applypatch-msg", "pre-applypatch",     "post-applypatch", "pre-commit", "pre-merge-commit",
    "commit-msg",     "prepare-commit-msg", "post-commit",     "pre-rebase", "post-checkout",
    "post-merge",     "post-rewrite",       "pre-auto-gc"};

std::string shell_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

Status write_script(const std::string& path, const std::string& text) {
  return write_file(path, "#!/bin/sh\n" + text, Sync::kNo, 0755);
}

// Files that hooks need lie beside them, in directories too. Samples are no hooks.
Status copy_hooks(const std::string& from, const std::string& to, std::size_t* files) {
  auto entries = TRY(if_there(list_dir(from)));
  if (!entries) return {};
  TRY(make_dirs(to, 0755));
  for (const DirEntry& entry : *entries) {
    const std::string source = from + "/" + entry.name;
    const std::string target = to + "/" + entry.name;
    if (entry.name.ends_with(".sample")) continue;
    if (++*files > kMostHookFiles) {
      return fail(Code::kUnsupported, fmt::format("more than {} files in {}", kMostHookFiles, from),
                  "point core.hooksPath at a directory that holds hooks only");
    }
    struct stat info{};
    if (::stat(source.c_str(), &info) != 0) continue;  // a link to nowhere runs for nobody
    if (S_ISDIR(info.st_mode) && entry.type == DT_DIR) TRY(copy_hooks(source, target, files));
    if (!S_ISREG(info.st_mode)) continue;
    const std::string bytes = TRY(read_file(source, kMostHookBytes));
    TRY(write_file(target, bytes, Sync::kNo, info.st_mode & 0777));
  }
  return {};
}

std::string refusal(const Repository& repository, const WorktreeSpec& spec) {
  const std::string branch = short_branch(spec.target);
  const std::string id = spec.txn.str();
  const RepositoryPlace& place = repository.place();
  std::string text = fmt::format(
      "git-txn: push refused: this is the private worktree of transaction {0}.\n"
      "What is in it lands on {1} by git txn, after its checks: when the command ends, or with\n"
      "    git txn commit {0}\n"
      "run in {2}.\n"
      "To publish on another remote, land first, then push {1} from there.\n",
      id.empty() ? "(none)" : id, branch, place.worktree.value_or(place.common_dir));
  return "printf %s " + shell_quote(text) + " >&2\nexit 1\n";
}

Status write_dispatcher(const std::string& directory, const std::string& fallback,
                        const std::string& fallback_on_disk) {
  std::set<std::string> names(kHandedOver.begin(), kHandedOver.end());
  if (const auto present = list_dir(fallback_on_disk)) {
    for (const DirEntry& entry : *present) {
      const bool runs = ::access((fallback_on_disk + "/" + entry.name).c_str(), X_OK) == 0;
      if (runs && entry.type != DT_DIR && entry.name.find('.') == entry.name.npos) {
        names.insert(entry.name);
      }
    }
  }
  names.erase("pre-push");
  TRY(make_dirs(directory, 0755));
  for (const std::string& name : names) {
    // --no-includes: the value that the person or a tool set, not the one that leads here.
    TRY(write_script(
        directory + "/" + name,
        fmt::format("# Hands over to the hook of core.hooksPath; git-txn stands before it "
                    "because pushes are refused.\n"
                    "directory=$(git config --no-includes --type=path core.hooksPath) ||\n"
                    "  directory={}\n"
                    "[ -x \"$directory/{}\" ] || exit 0\n"
                    "exec \"$directory/{}\" \"$@\"\n",
                    shell_quote(fallback), name, name)));
  }
  return {};
}

std::string expand_home(const Repository& repository, const std::string& path) {
  const auto home = repository.git().env().find("HOME");
  if (!path.starts_with("~/") || home == repository.git().env().end()) return path;
  return join_path(home->second, path.substr(2));
}

}  // namespace

std::string refusal_path(const std::string& git_dir) {
  return shell_quote(git_dir + "/git-txn-refuses-push");
}

Result<std::string> install_hooks(const Repository& repository, const WorktreeSpec& spec,
                                  const Worktree& worktree, const Inherited& inherited) {
  const RepositoryPlace& place = repository.place();
  // Scripts and configuration name the place where commands see it; they are written where it is.
  const std::string here = worktree.files + "/.git";
  const std::string hooks = worktree.git_dir + "/hooks";
  const std::string refuse = refusal(repository, spec);
  std::string source = place.common_dir + "/hooks";
  bool dispatch = TRY(path_on_disk(worktree, ".husky")).has_value();
  std::string configured;  // relative ones are meant from the top of the worktree
  if (inherited.hooks_path && !inherited.hooks_path->empty()) {
    configured = expand_home(repository, *inherited.hooks_path);
    const std::string absolute =
        normal_path(join_path(place.worktree.value_or(place.common_dir), configured));
    if (path_below(absolute, place.common_dir, nullptr)) {
      source = absolute;
    } else {
      dispatch = true;
    }
  }
  std::size_t files = 0;
  TRY_IN("copying hooks", copy_hooks(source, here + "/hooks", &files));
  TRY(make_dirs(here + "/hooks", 0755));
  TRY(write_script(here + "/hooks/pre-push", refuse));
  TRY(write_script(here + "/git-txn-refuses-push", refuse));
  if (!dispatch) {
    // Also against a core.hooksPath of the person's global configuration.
    return configured.empty() ? std::string() : config_text({{"core.hookspath", hooks}});
  }
  const bool handed_over = !configured.empty() && source == place.common_dir + "/hooks";
  const std::string fallback = handed_over ? configured : hooks;
  const std::string front = worktree.git_dir + "/git-txn-hooks";
  const std::string front_here = here + "/git-txn-hooks";
  std::string fallback_here = join_path(worktree.tree, fallback);
  if (std::string below; path_below(fallback_here, worktree.tree, &below)) {
    fallback_here = TRY(path_on_disk(worktree, below)).value_or("");
  }
  TRY(write_dispatcher(front_here, fallback, fallback_here));
  TRY(write_script(front_here + "/pre-push", refuse));
  TRY(write_file(here + "/git-txn.config", config_text({{"core.hookspath", front}}), Sync::kNo,
                 0644));
  std::string text;
  if (handed_over) text = config_text({{"core.hookspath", *inherited.hooks_path}});
  return text + config_text({{"include.path", "git-txn.config"}});
}

}  // namespace gittxn::repo::internal
