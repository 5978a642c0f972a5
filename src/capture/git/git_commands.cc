#include "capture/git/git_commands.h"

#include <algorithm>
#include <span>

#include "capture/git/git_options.h"
#include "capture/git/git_revisions.h"

namespace gittxn::capture {

// What the words behind a command name: each parser adds to `use` what they say was read. Pure.
namespace words {
namespace {

using What = GitRead::What;

GitRead in_tree(What what, std::string revision, std::string path = {}) {
  return {.what = what, .revision = std::move(revision), .path = std::move(path), .from_top = true};
}

void add_everything(GitUse& use) {
  use.reads.push_back({.what = What::kEverything});
}

// Without a revision among its words the command goes by HEAD.
void or_head(GitUse& use) {
  use.reads.push_back({.what = What::kRevision, .revision = "HEAD", .fallback = true});
}

// The object that a word names as a file, a directory or a whole tree. False when it names a
// commit, if anything.
bool add_object(const std::string& word, What what, GitUse& use) {
  GitRead read;
  const auto commit = without_tree(word);
  if (split_object(word, read)) {
    read.what = what;
  } else if (commit) {
    read = in_tree(what, *commit);
  } else {
    return false;
  }
  use.reads.push_back(std::move(read));
  return true;
}

void add_commits(const std::string& word, What what, GitUse& use) {
  for (std::string& end : ends_of_range(word)) {
    use.reads.push_back({.what = what, .revision = std::move(end)});
  }
}

void add_paths(const std::vector<std::string>& paths, What what, GitUse& use) {
  for (const std::string& path : paths) use.reads.push_back({.what = what, .path = path});
}

// The commits that the values of these options name, to build on.
void add_starts(const GitWords& words, std::string_view options, GitUse& use) {
  for (const std::string& value : option_values(words, options)) {
    add_commits(value, What::kStart, use);
  }
}

// Before "--" (or without it) git takes what exists as a path.
void revisions_and_paths(const GitArguments& arguments, GitUse& use) {
  for (const std::string& word : arguments.before_dashes) {
    if (add_object(word, What::kPath, use)) continue;
    if (arguments.saw_dashes || names_head(word) || is_range(word)) {
      add_commits(word, What::kRevision, use);
    } else {
      use.reads.push_back({.what = What::kPath, .path = word, .perhaps_revision = true});
    }
  }
  add_paths(arguments.after_dashes, What::kPath, use);
  add_paths(arguments.line_range_files, What::kPath, use);
}

std::vector<std::string> all_words(const GitArguments& arguments) {
  std::vector<std::string> all = arguments.before_dashes;
  all.insert(all.end(), arguments.after_dashes.begin(), arguments.after_dashes.end());
  return all;
}

bool has_any(const GitArguments& arguments, std::string_view options) {
  return std::ranges::any_of(arguments.options,
                             [&](const std::string& option) { return among(options, option); });
}

// "TREE", "TREE PATH ..." or "REV:path".
void tree_and_paths(const GitArguments& arguments, What what, GitUse& use) {
  const std::vector<std::string> all = all_words(arguments);
  if (all.empty()) return;
  if (add_object(all.front(), what, use)) return;
  const bool from_top = arguments.has("--full-tree");
  if (all.size() == 1) use.reads.push_back({.what = what, .revision = all.front(), .path = "."});
  for (std::size_t i = 1; i < all.size(); ++i) {
    use.reads.push_back({.what = what, .revision = all.front(), .path = all[i]});
  }
  for (GitRead& read : use.reads) read.from_top = from_top;
}

// The history, whatever the words are.
void history(const GitWords&, GitUse& use) {
  use.reads.push_back({.what = What::kHistory});
}

// Revisions, then paths.
void log(const GitWords& words, GitUse& use) {
  revisions_and_paths(split_arguments(kLogOptions, words), use);
  or_head(use);
}

// Revisions, one of them perhaps HEAD.
void cherry(const GitWords& words, GitUse& use) {
  log(words, use);
  history(words, use);
}

// branch, tag: lists, or makes one.
void refs(const GitWords& words, GitUse& use) {
  constexpr std::string_view kLists =
      "-l --list -a --all -r --remotes -v --verbose --contains --merged --no-merged "
      "--no-contains -n --points-at --format --sort --column --verify";
  constexpr std::string_view kRemoves = "-d -D --delete";
  const GitArguments arguments = split_arguments(kStartOptions, words);
  if (arguments.has("--show-current")) return;  // the name of the target, which stays
  const std::vector<std::string> all = all_words(arguments);
  const bool annotates = use.command == "tag" && arguments.has("-a");
  const bool lists = has_any(arguments, kLists) && !annotates;
  if (all.empty() || lists) return history(words, use);
  if (has_any(arguments, kRemoves)) return;
  // A new one, and what it starts from.
  if (all.size() > 1) add_commits(all[1], What::kStart, use);
}

// Compares trees, or one with the worktree.
void diff(const GitWords& words, GitUse& use) {
  if (std::ranges::find(words, "--no-index") != words.end()) {
    use.keeps_opens = true;  // two files, git or not
    return;
  }
  use.compares = true;
  const GitArguments arguments = split_arguments(kLogOptions, words);
  revisions_and_paths(arguments, use);
  use.from_merge_base = arguments.has("--merge-base") ||
                        std::ranges::any_of(arguments.before_dashes, [](const std::string& word) {
                          return word.find("...") != word.npos;
                        });
}

// Of one commit: its patch.
void diff_tree(const GitWords& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kLogOptions, words);
  const bool patch = arguments.before_dashes.size() < 2 && !arguments.has("--merge-base");
  if (patch) return log(words, use);
  diff(words, use);
}

void blame(const GitWords& words, GitUse& use) {
  GitArguments arguments = split_arguments(kBlameOptions, words);
  const bool dashes = !arguments.after_dashes.empty();
  const std::vector<std::string>& files = dashes ? arguments.after_dashes : arguments.before_dashes;
  if (files.empty()) return;  // its own usage message
  if (dashes) {
    for (const std::string& word : arguments.before_dashes) {
      add_commits(word, What::kRevision, use);
    }
  }
  // "blame [REV] FILE" and, of old, "blame FILE REV": both words count as paths if they are.
  for (const std::string& word : files) {
    const bool perhaps = !dashes && files.size() > 1;
    use.reads.push_back({.what = What::kPath, .path = word, .perhaps_revision = perhaps});
  }
}

void grep(const GitWords& words, GitUse& use) {
  GitArguments arguments = split_arguments(kGrepOptions, words);
  if (arguments.unknown_option) return add_everything(use);
  // Other than git's own files: what it opens was searched.
  use.keeps_opens = arguments.has("--no-index") || arguments.has("--untracked");
  if (arguments.has("--no-index")) return;
  std::vector<std::string>& before = arguments.before_dashes;
  const bool pattern_by_option = arguments.has("-e") || arguments.has("-f");
  if (!pattern_by_option && !before.empty()) before.erase(before.begin());
  revisions_and_paths(arguments, use);
  use.reads.push_back({.what = What::kPath, .path = ".", .fallback = true});
}

// Names, or with -s and the like contents.
void ls_files(const GitWords& words, GitUse& use) {
  constexpr std::string_view kContents =
      "-s --stage -u --unmerged --format --debug --eol --with-tree";
  const GitArguments arguments = split_arguments(kLsFilesOptions, words);
  const bool contents = arguments.unknown_option || has_any(arguments, kContents);
  const What what = contents ? What::kPath : What::kNames;
  std::vector<std::string> paths = all_words(arguments);
  if (paths.empty()) paths.emplace_back(".");
  add_paths(paths, what, use);
  add_starts(words, "--with-tree", use);
}

void ls_tree(const GitWords& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kLsTreeOptions, words);
  const bool names =
      !arguments.unknown_option && (arguments.has("--name-only") || arguments.has("--name-status"));
  tree_and_paths(arguments, names ? What::kNames : What::kPath, use);
}

void archive(const GitWords& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kArchiveOptions, words);
  if (arguments.unknown_option) return add_everything(use);
  if (arguments.has("--remote") || arguments.has("--list") || arguments.has("-l")) return;
  tree_and_paths(arguments, What::kPath, use);
  const std::vector<std::string> all = all_words(arguments);
  if (all.size() < 2) return;
  use.reads.push_back(in_tree(What::kPath, all.front(), ".gitattributes"));  // what is left out
}

// Objects by name.
void cat_file(const GitWords& words, GitUse& use) {
  constexpr std::string_view kMany = "--batch --batch-check --batch-command --batch-all-objects";
  constexpr std::string_view kTypes = "blob tree commit tag";
  const GitArguments arguments = split_arguments(kCatFileOptions, words);
  if (arguments.unknown_option || has_any(arguments, kMany)) return add_everything(use);
  std::vector<std::string> names = arguments.before_dashes;
  const bool typed = names.size() == 2 && among(kTypes, names.front());
  const bool as_tree = typed && names.front() == "tree";
  if (typed) names.erase(names.begin());
  for (const std::string& word : names) {
    if (add_object(word, What::kPath, use)) continue;
    if (as_tree) use.reads.push_back(in_tree(What::kPath, word));
    if (!as_tree) use.reads.push_back({.what = What::kRevision, .revision = word});
  }
}

// Ids of objects by name.
void rev_parse(const GitWords& words, GitUse& use) {
  constexpr std::string_view kLists = "--all --branches --tags --remotes --glob --disambiguate";
  bool name_alone = false;  // the head's name is the target's, which stays
  for (const std::string& word : words) {
    const std::string_view option = std::string_view(word).substr(0, word.find('='));
    if (option == "--abbrev-ref" || option == "--symbolic-full-name") name_alone = true;
    if (among(kLists, option)) history(words, use);
    if (word.starts_with('-')) continue;
    if (add_object(word, What::kPath, use)) continue;
    if (!name_alone) add_commits(word, What::kRevision, use);
  }
}

// With --objects it shows ids of every file.
void rev_list(const GitWords& words, GitUse& use) {
  const bool objects = std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("--objects") || word == "--disk-usage" || word == "--unpacked";
  });
  log(words, use);
  if (objects) add_everything(use);
}

// Its branch lines.
void status(const GitWords& words, GitUse& use) {
  constexpr std::string_view kShort = "-s --short --porcelain -z --null";
  const GitArguments arguments = split_arguments(kStatusOptions, words);
  const bool branch = arguments.has("-b") || arguments.has("--branch");
  if (branch || !has_any(arguments, kShort)) history(words, use);
}

// Commits that are built on.
void starts(const GitWords& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kStartOptions, words);
  for (const std::string& word : arguments.before_dashes) {
    for (std::string& end : ends_of_range(word)) {
      use.reads.push_back({.what = What::kStart,
                           .revision = std::move(end),
                           .perhaps_revision = !arguments.saw_dashes});
    }
  }
  add_starts(words, "--onto", use);
}

void restore(const GitWords& words, GitUse& use) {
  add_starts(words, "-s --source", use);
}

// The whole trees of its commits.
void merge_tree(const GitWords& words, GitUse& use) {
  for (const std::string& word : split_arguments(kStartOptions, words).before_dashes) {
    use.reads.push_back(in_tree(What::kPath, word));
  }
}

// The id of the whole index.
void whole_tree(const GitWords&, GitUse& use) {
  use.reads.push_back(in_tree(What::kPath, ""));
}

void checkout_index(const GitWords& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kCheckoutIndexOptions, words);
  const bool copies = arguments.has("--prefix") || arguments.has("--temp");
  if (!copies) return;  // puts back what is checked out already
  const bool all = arguments.has("-a") || arguments.has("--all") || arguments.has("--stdin");
  if (all) return whole_tree(words, use);
  add_paths(all_words(arguments), What::kPath, use);
}

// The contents of a directory that is removed whole. The trace tells of one that is moved.
void remove(const GitWords& words, GitUse& use) {
  add_paths(all_words(split_arguments(kStartOptions, words)), What::kNames, use);
}

// Another checkout of everything.
void worktree(const GitWords& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kStartOptions, words);
  const std::vector<std::string> all = all_words(arguments);
  if (all.empty()) return;
  if (all.front() == "list") return history(words, use);
  if (all.front() != "add") return;
  add_everything(use);
  if (all.size() > 2) add_commits(all[2], What::kStart, use);
}

void submodule(const GitWords&, GitUse& use) {
  use.reads.push_back(in_tree(What::kPath, "", ".gitmodules"));
}

void config(const GitWords& words, GitUse& use) {
  for (const std::string& blob : option_values(words, "--blob")) {
    GitRead read;
    if (split_object(blob, read)) use.reads.push_back(std::move(read));
  }
}

void bundle(const GitWords& words, GitUse& use) {
  if (!words.empty() && words.front() == "create") add_everything(use);
}

}  // namespace
}  // namespace words

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
