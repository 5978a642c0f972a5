#include "capture/git/git_argv.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"
#include "base/text.h"
#include "capture/git/git_commands.h"
#include "capture/git/git_options.h"

namespace gittxn::capture {
namespace {

// Global options before the command. Returns the index of the command.
std::size_t skip_globals(const GitWords& argv, GitUse& use) {
  constexpr std::string_view kWithValue =
      "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path "
      "--attr-source";
  std::size_t i = 1;
  for (; i < argv.size() && argv[i].starts_with('-'); ++i) {
    const std::string& word = argv[i];
    const bool version = among("--version -v", word);
    if (version || among("--help -h", word)) {
      use.command = version ? "version" : "help";
      return argv.size();
    }
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (among("--git-dir --work-tree --namespace", name)) use.elsewhere = true;
    if (word == "--exec-path") continue;  // prints it; with a value there is an '='
    if (among(kWithValue, word)) ++i;
  }
  return i;
}

// The end of a path by which it can be told, wherever git ran: "../a/./b" -> "a/b".
std::string path_end(std::string_view word) {
  std::string path = normal_path(word);
  while (path.starts_with("../")) path.erase(0, 3);
  return path.starts_with('/') ? path.substr(1) : path;
}

void add_file(std::string_view word, GitUse& use) {
  const std::string path = path_end(word);
  if (!path.empty() && path != "." && path != ".." && path != "-") use.files.push_back(path);
}

void find_files(const GitCommand& row, const GitWords& words, GitUse& use) {
  if (row.files == "*") {
    for (const std::string& word : words) add_file(word, use);
  } else if (row.files.starts_with('-')) {
    for (const std::string& value : option_values(words, row.files)) add_file(value, use);
  } else if (!row.files.empty()) {
    use.files.emplace_back(row.files);
  }
}

void parse_command(const GitWords& words, GitUse& use) {
  const GitCommand* row = find_git_command(use.command);
  if (row == nullptr || row->shows == GitShows::kOthers) {
    use.keeps_opens = true;
    return;
  }
  use.understood = true;
  use.keeps_opens = row->looks == GitLooks::kCounted;
  use.traits = row->traits;
  // Commands that show an author look the name up in .mailmap.
  const bool authors = row->shows == GitShows::kHistory || row->shows == GitShows::kContents;
  if (authors && !INJECTED_BUG("interpret.no_mailmap")) use.files.emplace_back(".mailmap");
  if (row->parse != nullptr) row->parse(words, use);
  if (row->shows == GitShows::kEverything) {
    use.reads.push_back({.what = GitRead::What::kEverything});
  }
  if (!INJECTED_BUG("interpret.no_git_files")) find_files(*row, words, use);
}

}  // namespace

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
  return std::ranges::any_of(
      argv, [](const std::string& word) { return word == "mcp" || word == "read"; });
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
  GitWords words;
  if (at < argv.size()) words.assign(argv.begin() + static_cast<std::ptrdiff_t>(at), argv.end());
  parse_command(words, use);
  return use;
}

bool asks_for(const GitUse& use, std::string_view path) {
  return std::ranges::any_of(use.files, [&](const std::string& file) {
    if (!path.ends_with(file)) return false;
    return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
  });
}

namespace {

// The names on the way to it. Of letters that are not ASCII nobody here knows the other case.
std::vector<std::string> plain_names(std::string_view path) {
  const auto strange = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::string_view("*?[]{}\\").contains(c);
  };
  if (std::ranges::any_of(path, strange)) return {};
  std::vector<std::string> names;
  if (path.ends_with('/')) path.remove_suffix(1);
  for (const std::string_view name : pieces_of(path, '/')) {
    if (name.empty() || name == "." || name == "..") return {};
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

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
      const bool any_case = words == "icase" || words == "top,icase" || words == "icase,top";
      if (any_case && close != pathspec.npos) {
        plain.any_case = plain_names(pathspec.substr(close + 1));
      }
      return plain;
    }
    while (!pathspec.empty() && (pathspec[0] == '/' || pathspec[0] == '!' || pathspec[0] == '^')) {
      (pathspec[0] == '/' ? plain.from_top : plain.excludes) = true;
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
