// The parts of a repository that git's reading commands answer from. A closed list: a command that
// is not here needs the repository itself, and so do the options that are named here.
//
// A reference that a word names is not looked for here, since the same word may be a path. Where
// only HEAD is there, git ends with an error instead of answering; the options that let it go on
// are among those that need more.
#include <algorithm>

#include "questions/git.h"

namespace gittxn::questions {
namespace {

struct Row {
  std::string_view commands;
  GitState state = GitState::kHead;
  std::string_view more = {};      // options that show what only the repository has
  std::string_view worktree = {};  // ... that show files of the worktree, of kHead
};

constexpr std::string_view kEveryReference =
    "all branches tags remotes glob exclude decorate decorate-refs decorate-refs-exclude "
    "clear-decorations source simplify-by-decoration notes ignore-missing bisect";

constexpr Row kRows[] = {
    {"log whatchanged show rev-list shortlog", GitState::kHead, kEveryReference},
    {"diff-tree", GitState::kHead, "submodule"},
    {"ls-tree", GitState::kHead},
    {"cat-file", GitState::kHead, "batch batch-check batch-command follow-symlinks"},
    {"rev-parse", GitState::kHead,
     "all branches tags remotes glob exclude disambiguate default revs-only no-revs flags no-flags "
     "git-common-dir git-path show-superproject-working-tree shared-index-path local-env-vars "
     "show-ref-format"},
    {"archive", GitState::kHead, "l", "worktree-attributes"},
    // Ignored files and empty directories are in the one worktree alone. Only the name of an
    // untracked file is part of an answer.
    {"ls-files", GitState::kWorktree,
     "i k resolve-undo with-tree recurse-submodules directory empty-directory x X "
     "exclude-per-directory eol"},
    {"status", GitState::kWorktree, "ignored"},
    {"diff diff-index diff-files", GitState::kWorktree, "no-index base ours theirs submodule"},
    {"grep", GitState::kWorktree, "no-index untracked no-exclude-standard recurse-submodules f"},
    {"blame annotate", GitState::kWorktree},
};

bool names_references(std::string_view format) {
  for (std::size_t at = format.find('%'); at != format.npos; at = format.find('%', at + 1)) {
    std::string_view rest = format.substr(at + 1);
    if (!rest.empty() && std::string_view("+- ").contains(rest.front())) rest.remove_prefix(1);
    if (rest.starts_with("(trailers")) continue;
    if (!rest.empty() && std::string_view("dDSN(").contains(rest.front())) return true;
  }
  return false;
}

bool shows_references(std::string_view command, const Arguments& arguments) {
  if (!among("log whatchanged show rev-list shortlog diff-tree", command)) return false;
  return std::ranges::any_of(arguments.options, [](const Given& option) {
    return (option.name == "pretty" || option.name == "format") && names_references(option.value);
  });
}

}  // namespace

GitState git_state_of(std::string_view command, const Arguments& arguments) {
  const auto* const row =
      std::ranges::find_if(kRows, [&](const Row& one) { return among(one.commands, command); });
  if (row == std::end(kRows) || arguments.has_any(row->more)) return GitState::kMore;
  if (shows_references(command, arguments)) return GitState::kMore;
  const bool ignored_too =
      command == "ls-files" && arguments.has("o") && !arguments.has("exclude-standard");
  if (ignored_too) return GitState::kMore;
  // ":/text" is the youngest commit of any reference with that text; ":path" is the index's.
  const auto starts = [&](std::string_view sign) {
    return std::ranges::any_of(arguments.operands,
                               [&](const std::string& word) { return word.starts_with(sign); });
  };
  if (row->state == GitState::kHead && starts(":/")) return GitState::kMore;
  const bool worktree = starts(":") || arguments.has_any(row->worktree);
  return worktree ? GitState::kWorktree : row->state;
}

}  // namespace gittxn::questions
