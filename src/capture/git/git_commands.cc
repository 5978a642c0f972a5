#include "capture/git/git_commands.h"

#include <algorithm>

#include "capture/git/git_options.h"
#include "capture/git/git_words.h"

namespace gittxn::capture {
namespace {

using enum GitLooks;
using enum GitShows;

// By what they show. What is not here is not understood.
constexpr GitCommand kGitCommands[] = {
    {"bugreport count-objects diagnose env--helper help http-fetch init init-db pack-refs refs "
     "remote remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https symbolic-ref "
     "txn update-ref update-server-info version",
     kUpkeep, kNothing},
    {"clone daemon http-backend upload-archive upload-archive--writer upload-pack", kUpkeep,
     kNothing, nullptr, "", kServes},
    {"http-push push send-pack", kUpkeep, kNothing, nullptr, "", kPushes},
    {"apply check-attr check-ignore check-mailmap check-ref-format column credential "
     "credential-cache credential-cache--daemon credential-store fast-import get-tar-commit-id "
     "hash-object imap-send index-pack interpret-trailers mailinfo mailsplit merge-file mktag "
     "mktree patch-id sh-i18n--envsubst show-index stripspace unpack-objects url-parse var "
     "verify-pack",
     kCounted, kNothing},
    {"commit-tree", kCounted, kNothing, words::starts},
    {"backfill commit-graph fetch fetch-pack fsck fsck-objects gc maintenance multi-pack-index "
     "pack-redundant prune prune-packed receive-pack repack",
     kUpkeep, kStore},
    {"branch", kUpkeep, kHistory, words::refs},
    {"cherry", kUpkeep, kHistory, words::cherry},
    {"describe last-modified merge-base name-rev range-diff shortlog show-branch verify-commit "
     "verify-tag",
     kUpkeep, kHistory, words::log},
    {"for-each-ref ls-remote reflog show-ref", kUpkeep, kHistory, words::history},
    {"replace", kUpkeep, kHistory, words::starts},
    {"rev-list", kUpkeep, kHistory, words::rev_list},
    {"fmt-merge-msg", kUpkeep, kHistory, words::history, "-F --file"},
    {"format-patch", kUpkeep, kHistory, words::log, "-O --signature-file --description-file"},
    {"log show whatchanged", kUpkeep, kHistory, words::log, "-O"},
    {"tag", kUpkeep, kHistory, words::refs, "-F --file"},
    {"notes", kCounted, kHistory},
    {"ls-tree", kUpkeep, kContents, words::ls_tree},
    {"merge-tree", kUpkeep, kContents, words::merge_tree},
    {"rev-parse", kUpkeep, kContents, words::rev_parse},
    {"unpack-file", kUpkeep, kContents, words::cat_file},
    {"write-tree", kUpkeep, kContents, words::whole_tree},
    {"diff diff-index difftool", kUpkeep, kContents, words::diff, "-O"},
    {"diff-tree", kUpkeep, kContents, words::diff_tree, "-O"},
    {"grep", kUpkeep, kContents, words::grep, "-f"},
    {"ls-files", kUpkeep, kContents, words::ls_files, "-X --exclude-from"},
    {"annotate blame pickaxe", kCounted, kContents, words::blame},
    {"archive", kCounted, kContents, words::archive},
    {"bundle", kCounted, kContents, words::bundle},
    {"cat-file", kCounted, kContents, words::cat_file},
    {"config", kCounted, kContents, words::config},
    {"add--interactive mv rerere update-index", kUpkeep, kWorktree},
    {"status", kUpkeep, kWorktree, words::status},
    {"add stage", kUpkeep, kWorktree, nullptr, "--pathspec-from-file"},
    {"clean", kUpkeep, kWorktree, nullptr, ".gitignore"},
    {"commit", kUpkeep, kWorktree, nullptr, "-F --file -t --template --pathspec-from-file"},
    {"diff-files", kUpkeep, kWorktree, nullptr, "-O"},
    {"rm", kUpkeep, kWorktree, words::remove, "--pathspec-from-file"},
    {"submodule submodule--helper", kUpkeep, kWorktree, words::submodule, ".gitmodules"},
    {"am", kUpkeep, kWorktree, nullptr, "*", kMovesBase | kWritesFiles},
    {"bisect bisect--helper merge-index merge-octopus merge-one-file merge-ours merge-recursive "
     "merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree",
     kUpkeep, kWorktree, words::starts, "", kWritesFiles},
    {"checkout reset", kUpkeep, kWorktree, words::starts, "--pathspec-from-file",
     kMovesBase | kWritesFiles},
    {"checkout--worker sparse-checkout", kUpkeep, kWorktree, nullptr, "", kWritesFiles},
    {"checkout-index", kUpkeep, kWorktree, words::checkout_index, "", kWritesFiles},
    {"cherry-pick read-tree rebase revert switch", kUpkeep, kWorktree, words::starts, "",
     kMovesBase | kWritesFiles},
    {"merge", kUpkeep, kWorktree, words::starts, "-F --file", kMovesBase | kWritesFiles},
    {"pull", kUpkeep, kWorktree, nullptr, "", kMovesBase | kWritesFiles},
    {"restore", kUpkeep, kWorktree, words::restore, "--pathspec-from-file", kWritesFiles},
    {"stash", kUpkeep, kWorktree, nullptr, "--pathspec-from-file", kWritesFiles},
    {"worktree", kUpkeep, kWorktree, words::worktree, "", kWritesFiles},
    {"fast-export pack-objects", kUpkeep, kEverything},
    {"archimport citool cvsexportcommit cvsimport cvsserver diff-pairs difftool--helper "
     "filter-branch for-each-repo fsmonitor--daemon gui history hook instaweb mergetool "
     "mergetool--lib p4 quiltimport replay repo request-pull scalar send-email sh-i18n sh-setup "
     "shell subtree survey svn web--browse",
     kCounted, kOthers},
};

}  // namespace

std::span<const GitCommand> git_commands() {
  return kGitCommands;
}

const GitCommand* find_git_command(std::string_view name) {
  const auto* const row = std::ranges::find_if(
      kGitCommands, [&](const GitCommand& one) { return among(one.names, name); });
  return row != std::end(kGitCommands) ? row : nullptr;
}

}  // namespace gittxn::capture
