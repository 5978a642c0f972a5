// Reads of git as its command line tells them: git opens objects, not files, so its own opens say
// little, and its index refresh opens and stats files that nobody asked about.
//
// A closed list (git_commands.h). A command or an option outside it is not understood, and a git
// that is not understood and opened the object store has read everything. Pure: which argument is a
// path and which a revision may need the tree, so both stay undecided here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gittxn::capture {

struct GitRead {
  enum class What {
    kPath,        // the contents at and below `path`
    kNames,       // the names of the directories at and below it
    kRevision,    // the commit that `revision` names: its patch, its id, its ancestors
    kStart,       // ... as something to build on: read only where it is another branch
    kHistory,     // the branch's history, without naming a commit
    kEverything,  // cannot be told
  };
  What what = What::kHistory;
  std::string revision = {};  // empty: what is checked out
  std::string path = {};      // a pathspec as given; relative to the directory git ran in
  bool from_top = false;      // ... or to the top of the tree: "HEAD:path", ":/path"
  // `path` may just as well be a revision: git takes what exists. The interpreter asks the
  // snapshot. Of kStart: `revision` may just as well be a path.
  bool perhaps_revision = false;
  // Taken only when none of the command's other words is one of its kind: "everything below here"
  // of paths, "HEAD" of revisions.
  bool fallback = false;
};

// Further traits of a command.
enum GitTrait : std::uint8_t {
  kMovesBase = 1,    // may bring another commit's files into the worktree and make it the base
  kPushes = 2,       // sends objects elsewhere, if it is let
  kWritesFiles = 4,  // writes files of commits; those outside of the worktree are read by others
  kServes = 8,       // gives objects to another repository
};

struct GitUse {
  std::string command;  // "log"; empty: none
  bool understood = false;
  std::uint8_t traits = 0;
  bool keeps_opens = false;      // its opens of worktree files are reads like anybody's
  bool compares = false;         // diff: without a revision but HEAD it shows own changes alone
  bool from_merge_base = false;  // ... "A...B": what B has since both were one
  bool elsewhere = false;        // --git-dir, --work-tree: the directory it ran in says nothing
  std::vector<GitRead> reads;
  // Files that it reads because it was told to, though its other opens are git's own: the ends of
  // their paths, as "src/message.txt".
  std::vector<std::string> files;

  bool is(GitTrait trait) const { return (traits & trait) != 0; }
};

// True for git's own programs by the path that was executed: ".../git", ".../git-core/git-foo".
bool is_git_program(std::string_view path);
// True for the two ways to run git-txn that tell an agent what is in the worktree, `git-txn mcp`
// and `git-txn read`: what it opens there is read, like by any program.
bool serves_worktree(std::string_view path, const std::vector<std::string>& argv);

// argv of such a program; `path` tells "git-upload-pack" and the like.
GitUse parse_git(std::string_view path, const std::vector<std::string>& argv);

// True when an absolute path may be one of the files that a command was told to read.
bool asks_for(const GitUse& use, std::string_view path);

// The part of a pathspec before its first wildcard, as a directory, and whether anything was cut.
struct PlainPathspec {
  std::string path;
  bool from_top = false;
  bool excludes = false;  // ":!x": takes away, never adds
  bool wild = false;      // what is below `path` and more
  // ":(icase)x/y" and nothing else: the entries whose names are these but for the case of letters,
  // and what is below them; empty: it is not of that kind. `path` is "" then, and `wild` is true.
  std::vector<std::string> any_case = {};
};
PlainPathspec plain_pathspec(std::string_view pathspec);

}  // namespace gittxn::capture
