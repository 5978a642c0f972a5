// The whole list of git's commands. A row says what a process reads that runs one of its commands.
// A command that is in no row is not understood, and a git that is not understood and opened the
// object store has read everything. docs/design/0031-what-git-reads.md has the decisions; a test
// runs every command it can under the trace and compares its row with what git opened.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/git/git_argv.h"

namespace gittxn::capture {

// How the command's looks at files of the worktree count.
enum class GitLooks : std::uint8_t {
  kUpkeep,   // git's own business: its index, its rules, what it checks out. But the files that
             // its options name were read.
  kCounted,  // an observation, like any program's
};

// The part of the object store that the command shows. The test of the table holds it to
// that.
enum class GitShows : std::uint8_t {
  kNothing,     // no file of a commit and no directory
  kStore,       // none either, though it looks after them: what it says is about the store
  kHistory,     // commits, and their patches: which commit a name stands for is what can be stale
  kContents,    // files and directories, which its words name; each is a read of its path
  kWorktree,    // what it checks out or compares for the transaction, which then owns it
  kEverything,  // all that there is
  kOthers,      // it runs other programs, and each of them speaks for itself
};

using GitWords = std::vector<std::string>;

struct GitCommand {
  std::string_view names;  // "log show": all that are alike
  GitLooks looks = GitLooks::kUpkeep;
  GitShows shows = GitShows::kNothing;
  // Parses the words behind the command. Null: they name nothing that is read.
  void (*parse)(const GitWords& words, GitUse& use) = nullptr;
  // kUpkeep: options whose values are files that are read ("-F --file"); or without a dash the
  // name of a file that the command reads by itself; or "*": each of its words may be one.
  std::string_view files = {};
  std::uint8_t traits = 0;
};

std::span<const GitCommand> git_commands();  // each name once
const GitCommand* find_git_command(std::string_view name);

}  // namespace gittxn::capture
