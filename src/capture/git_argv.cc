#include "capture/git_argv.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/git_options.h"

namespace gittxn::capture {
namespace {

using Words = std::vector<std::string>;
using What = GitRead::What;

// Commands that look at worktree, index and refs for git's own sake, or write what the transaction
// then owns. Their opens are git's, and nothing of the repository's contents reaches who called
// them beyond the transaction's own changes.
constexpr std::string_view kOwnWork[] = {
    "add",
    "am",
    "bisect",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "clone",
    "column",
    "commit",
    "commit-graph",
    "commit-tree",
    "config",
    "count-objects",
    "credential",
    "credential-cache",
    "credential-store",
    "diff-files",
    "fast-import",
    "fetch",
    "fetch-pack",
    "fsck",
    "gc",
    "help",
    "init",
    "index-pack",
    "interpret-trailers",
    "maintenance",
    "merge",
    "mktag",
    "mktree",
    "multi-pack-index",
    "mv",
    "notes",
    "pack-objects",
    "pack-refs",
    "prune",
    "prune-packed",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "receive-pack",
    "refresh",
    "remote",
    "remote-http",
    "remote-https",
    "repack",
    "rerere",
    "reset",
    "restore",
    "revert",
    "rm",
    "send-pack",
    "sh-setup",
    "sparse-checkout",
    "stage",
    "stash",
    "status",
    "stripspace",
    "submodule",
    "switch",
    "symbolic-ref",
    "txn",
    "unpack-objects",
    "update-index",
    "update-ref",
    "update-server-info",
    "upload-archive",
    "upload-pack",
    "var",
    "verify-pack",
    "version",
    "worktree",
    "write-tree",
};

// They tell about refs and history as such.
constexpr std::string_view kHistory[] = {
    "branch",    "cherry",      "describe", "for-each-ref", "format-patch",  "fmt-merge-msg",
    "ls-remote", "merge-base",  "name-rev", "range-diff",   "reflog",        "rev-list",
    "shortlog",  "show-branch", "show-ref", "tag",          "verify-commit", "verify-tag",
};

// Plain programs on worktree files: what they open was asked for.
constexpr std::string_view kPlain[] = {"apply",         "check-attr",       "check-ignore",
                                       "check-mailmap", "check-ref-format", "hash-object",
                                       "merge-file",    "patch-id"};

// May put files of another commit than the snapshot into the worktree and make it the base.
constexpr std::string_view kMovers[] = {"am",        "checkout", "cherry-pick", "merge",  "pull",
                                        "read-tree", "rebase",   "reset",       "revert", "switch"};

GitRead ref_read(std::string revision) {
  GitRead read;
  read.what = What::kRef;
  read.revision = std::move(revision);
  return read;
}

GitRead path_read(What what, std::string revision, std::string path) {
  GitRead read;
  read.what = what;
  read.revision = std::move(revision);
  read.path = std::move(path);
  return read;
}

GitRead everything() {
  GitRead read;
  read.what = What::kEverything;
  return read;
}

// "REV:path" names a path from the top, "REV:./path" from where git runs. ":path" and ":0:path" are
// the index's. False for ":/text" and for what has no colon.
bool split_object(const std::string& text, GitRead& read) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.starts_with(":/")) return false;
  read.what = What::kPath;
  read.revision = text.substr(0, colon);
  read.path = text.substr(colon + 1);
  if (colon == 0 && read.path.size() > 1 && read.path[1] == ':' && read.path[0] >= '0' &&
      read.path[0] <= '3') {
    read.path.erase(0, 2);
  }
  read.from_top = !read.path.starts_with("./") && !read.path.starts_with("../");
  return true;
}

// Global options before the command. Returns the index of the command.
std::size_t skip_globals(const Words& argv, GitUse& use) {
  static constexpr std::string_view kWithValue[] = {"-C",           "-c",          "--git-dir",
                                                    "--work-tree",  "--namespace", "--super-prefix",
                                                    "--config-env", "--exec-path", "--attr-source"};
  std::size_t i = 1;
  for (; i < argv.size() && argv[i].starts_with('-'); ++i) {
    const std::string& word = argv[i];
    if (word == "--version" || word == "-v" || word == "--help" || word == "-h") {
      use.command = word == "--version" || word == "-v" ? "version" : "help";
      return argv.size();
    }
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (name == "--git-dir" || name == "--work-tree" || name == "--namespace") use.elsewhere = true;
    if (word == "--exec-path") continue;  // prints it; with a value there is an '='
    if (among(kWithValue, word)) ++i;
  }
  return i;
}

// The words of log, show and diff. Before "--" (or without it) git takes what exists as a path.
void read_words(const GitArguments& arguments, GitUse& use) {
  for (const std::string& word : arguments.before_dashes) {
    GitRead read;
    if (!split_object(word, read)) {
      if (names_head(word)) continue;
      read = arguments.saw_dashes ? ref_read(word) : path_read(What::kPath, "", word);
      read.perhaps_revision = !arguments.saw_dashes;
    }
    use.reads.push_back(std::move(read));
  }
  for (const std::string& path : arguments.after_dashes) {
    use.reads.push_back(path_read(What::kPath, "", path));
  }
  for (const std::string& path : arguments.line_range_files) {
    use.reads.push_back(path_read(What::kPath, "", path));
  }
}

void parse_log(const Words& words, GitUse& use) {
  use.reads.push_back(ref_read("HEAD"));
  read_words(split_arguments(kLogOptions, words), use);
}

void parse_diff(const Words& words, GitUse& use) {
  if (std::find(words.begin(), words.end(), "--no-index") != words.end()) {
    use.keeps_opens = true;  // two files, git or not
    return;
  }
  use.needs_revision = true;
  read_words(split_arguments(kLogOptions, words), use);
}

void parse_blame(const Words& words, GitUse& use) {
  GitArguments arguments = split_arguments(kBlameOptions, words);
  std::vector<std::string>& files =
      arguments.after_dashes.empty() ? arguments.before_dashes : arguments.after_dashes;
  if (files.empty()) return;  // its own usage message
  // "blame [REV] FILE" and, of old, "blame FILE REV": both words count as paths if they are.
  for (const std::string& word : files) {
    GitRead read = path_read(What::kPath, "", word);
    read.perhaps_revision = arguments.after_dashes.empty() && files.size() > 1;
    use.reads.push_back(std::move(read));
  }
}

void parse_grep(const Words& words, GitUse& use) {
  GitArguments arguments = split_arguments(kGrepOptions, words);
  if (arguments.unknown_option) {
    use.reads.push_back(everything());
    return;
  }
  // Other than git's own files: what it opens was searched.
  use.keeps_opens = arguments.has("--no-index") || arguments.has("--untracked");
  if (arguments.has("--no-index")) return;
  Words& before = arguments.before_dashes;
  const bool pattern_by_option = arguments.has("-e") || arguments.has("-f");
  if (!pattern_by_option && !before.empty()) before.erase(before.begin());
  read_words(arguments, use);
  GitRead here = path_read(What::kPath, "", ".");
  here.fallback = true;
  use.reads.push_back(std::move(here));
}

void parse_ls_files(const Words& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kLsFilesOptions, words);
  const bool contents =
      arguments.unknown_option || arguments.has("-s") || arguments.has("--stage") ||
      arguments.has("-u") || arguments.has("--unmerged") || arguments.has("--format") ||
      arguments.has("--debug") || arguments.has("--eol") || arguments.has("--with-tree");
  const What what = contents ? What::kPath : What::kNames;
  Words paths = arguments.before_dashes;
  paths.insert(paths.end(), arguments.after_dashes.begin(), arguments.after_dashes.end());
  if (paths.empty()) paths.emplace_back(".");
  for (const std::string& path : paths) use.reads.push_back(path_read(what, "", path));
}

void parse_ls_tree(const Words& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kLsTreeOptions, words);
  const bool names =
      !arguments.unknown_option && (arguments.has("--name-only") || arguments.has("--name-status"));
  const What what = names ? What::kNames : What::kPath;
  Words all = arguments.before_dashes;
  all.insert(all.end(), arguments.after_dashes.begin(), arguments.after_dashes.end());
  if (all.empty()) return;
  GitRead object;
  if (split_object(all.front(), object)) {
    object.what = what;
    use.reads.push_back(object);
    return;
  }
  if (all.size() == 1) {
    GitRead read = path_read(what, all.front(), ".");
    read.from_top = arguments.has("--full-tree");
    use.reads.push_back(std::move(read));
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    GitRead read = path_read(what, all.front(), all[i]);
    read.from_top = arguments.has("--full-tree");
    use.reads.push_back(std::move(read));
  }
}

void parse_cat_file(const Words& words, GitUse& use) {
  const GitArguments arguments = split_arguments(kCatFileOptions, words);
  if (arguments.unknown_option || arguments.has("--batch") || arguments.has("--batch-check") ||
      arguments.has("--batch-command") || arguments.has("--batch-all-objects")) {
    use.reads.push_back(everything());
    return;
  }
  for (const std::string& word : arguments.before_dashes) {
    GitRead read;
    use.reads.push_back(split_object(word, read) ? read : ref_read(word));
  }
}

void parse_rev_parse(const Words& words, GitUse& use) {
  for (const std::string& word : words) {
    if (word.starts_with('-')) continue;
    GitRead read;
    use.reads.push_back(split_object(word, read) ? read : ref_read(word));
  }
}

void parse_archive(const Words& words, GitUse& use) {
  GitArguments arguments = split_arguments(kArchiveOptions, words);
  if (arguments.unknown_option) {
    use.reads.push_back(everything());
    return;
  }
  if (arguments.has("--remote") || arguments.has("--list") || arguments.has("-l")) return;
  Words all = arguments.before_dashes;
  all.insert(all.end(), arguments.after_dashes.begin(), arguments.after_dashes.end());
  if (all.empty()) return;
  GitRead object;
  if (split_object(all.front(), object)) {
    use.reads.push_back(object);
    return;
  }
  if (all.size() == 1) use.reads.push_back(path_read(What::kPath, all.front(), "."));
  for (std::size_t i = 1; i < all.size(); ++i) {
    use.reads.push_back(path_read(What::kPath, all.front(), all[i]));
  }
}

struct Parser {
  std::string_view command;
  void (*parse)(const Words&, GitUse&);
};
constexpr Parser kParsers[] = {
    {"annotate", parse_blame},      {"archive", parse_archive},
    {"blame", parse_blame},         {"cat-file", parse_cat_file},
    {"diff", parse_diff},           {"diff-index", parse_diff},
    {"diff-tree", parse_diff},      {"difftool", parse_diff},
    {"grep", parse_grep},           {"log", parse_log},
    {"ls-files", parse_ls_files},   {"ls-tree", parse_ls_tree},
    {"rev-parse", parse_rev_parse}, {"show", parse_log},
    {"whatchanged", parse_log},
};

void parse_command(const Words& words, GitUse& use) {
  const std::string_view command = use.command;
  use.understood = true;
  use.moves_base = among(kMovers, command);
  use.pushes = command == "push" || command == "send-pack";
  if (among(kOwnWork, command)) return;
  if (among(kPlain, command)) {
    use.keeps_opens = true;
    return;
  }
  if (among(kHistory, command)) {
    use.reads.push_back(ref_read("HEAD"));
    return;
  }
  for (const Parser& parser : kParsers) {
    if (parser.command == command) return parser.parse(words, use);
  }
  use.understood = false;
  use.keeps_opens = true;
}

}  // namespace

bool names_head(std::string_view revision) {
  if (const std::size_t peel = revision.find("^{"); peel != std::string_view::npos) {
    if (revision.ends_with('}')) revision = revision.substr(0, peel);
  }
  if (revision.ends_with("~0") || revision.ends_with("^0")) revision.remove_suffix(2);
  return revision == "HEAD" || revision == "@";
}

bool is_git_program(std::string_view path) {
  const std::string name = base_name(path);
  if (name == "git" || name == "git-txn") return true;
  if (!name.starts_with("git-")) return false;
  if (path.find("/git-core/") != std::string_view::npos) return true;
  return name == "git-upload-pack" || name == "git-receive-pack" || name == "git-upload-archive";
}

bool serves_worktree(std::string_view path, const std::vector<std::string>& argv) {
  if (base_name(path) != "git-txn" || INJECTED_BUG("interpret.server_is_git")) return false;
  // Wherever the word stands: it may be the value of an option, and then more is read than was.
  return std::find(argv.begin(), argv.end(), "mcp") != argv.end();
}

GitUse parse_git(std::string_view path, const std::vector<std::string>& argv) {
  GitUse use;
  const std::string name = base_name(path);
  // git-core's "git-foo" are links to git, which goes by argv[0].
  const std::string called = argv.empty() ? name : base_name(argv.front());
  std::size_t at = 1;
  if (called.starts_with("git-")) {
    use.command = called.substr(4);
  } else if (name.starts_with("git-")) {
    use.command = name.substr(4);
  } else {
    at = skip_globals(argv, use);
    if (use.command.empty() && at >= argv.size()) use.command = "help";
    if (use.command.empty()) use.command = argv[at++];
  }
  Words words;
  if (at < argv.size()) words.assign(argv.begin() + static_cast<std::ptrdiff_t>(at), argv.end());
  parse_command(words, use);
  return use;
}

PlainPathspec plain_pathspec(std::string_view pathspec) {
  PlainPathspec plain;
  if (pathspec.starts_with(':')) {
    pathspec.remove_prefix(1);
    if (pathspec.starts_with('(')) {
      const std::size_t close = pathspec.find(')');
      const std::string_view words = pathspec.substr(1, close == pathspec.npos ? close : close - 1);
      plain.excludes = words.find("exclude") != words.npos;
      plain.from_top = words.find("top") != words.npos;
      // Any other word ("icase", "glob", "attr:") may match more than its letters say.
      plain.wild = true;
      return plain;
    }
    while (!pathspec.empty() && (pathspec[0] == '/' || pathspec[0] == '!' || pathspec[0] == '^')) {
      if (pathspec[0] == '/')
        plain.from_top = true;
      else
        plain.excludes = true;
      pathspec.remove_prefix(1);
    }
  }
  const std::size_t wildcard = pathspec.find_first_of("*?[\\");
  if (wildcard != pathspec.npos) {
    plain.wild = true;
    const std::size_t slash = pathspec.substr(0, wildcard).rfind('/');
    pathspec = slash == pathspec.npos ? std::string_view{} : pathspec.substr(0, slash);
  }
  plain.path = std::string(pathspec);
  return plain;
}

}  // namespace gittxn::capture
