// What a git command line says about what git read: git opens objects, not files, so its own opens
// say little, and its index refresh opens and stats files that nobody asked about.
//
// A closed list. A command or an option outside it is not understood, and a git that is not
// understood and opened the object store has read everything (docs/design/0002-reads.md has the
// table). Pure: which argument is a path and which a revision may need the tree, so both stay
// undecided here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gittxn::capture {

struct GitRead {
  enum class What {
    kPath,        // the contents at and below `path`
    kNames,       // the names of the directories at and below it
    kRef,         // what a revision named, as history
    kEverything,  // cannot be told
  };
  What what = What::kRef;
  std::string revision;   // empty: what is checked out
  std::string path;       // a pathspec as given; relative to the directory git ran in
  bool from_top = false;  // ... or to the top of the tree: "HEAD:path", ":/path"
  // `path` may just as well be a revision: git takes what exists. The interpreter asks the
  // snapshot.
  bool perhaps_revision = false;
  // Taken only when none of the command's other words is a path: "everything below here".
  bool fallback = false;
};

struct GitUse {
  std::string command;  // "log"; empty: none
  bool understood = false;
  bool keeps_opens = false;  // its opens of worktree files are reads like anybody's
  bool moves_base = false;   // may bring another commit's files into the worktree
  bool pushes = false;
  bool needs_revision = false;  // diff: without one but HEAD it shows the transaction's own changes
  bool elsewhere = false;       // --git-dir, --work-tree: the directory it ran in says nothing
  std::vector<GitRead> reads;
};

// True for git's own programs by the path that was executed: ".../git", ".../git-core/git-foo".
bool is_git_program(std::string_view path);
// True for the one way to run git-txn that shows an agent what is in the worktree, `git-txn mcp`:
// what it opens there is read, like by any program.
bool serves_worktree(std::string_view path, const std::vector<std::string>& argv);

// argv of such a program; `path` tells "git-upload-pack" and the like.
GitUse parse_git(std::string_view path, const std::vector<std::string>& argv);

// "HEAD", "@", "HEAD^{tree}", "@~0": the commit that is checked out.
bool names_head(std::string_view revision);

// The part of a pathspec before its first wildcard, as a directory, and whether anything was cut.
struct PlainPathspec {
  std::string path;
  bool from_top = false;
  bool excludes = false;  // ":!x": takes away, never adds
  bool wild = false;      // what is below `path` and more
};
PlainPathspec plain_pathspec(std::string_view pathspec);

}  // namespace gittxn::capture
