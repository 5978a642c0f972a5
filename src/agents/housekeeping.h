// Lists what the programs of agents do by themselves, for each digest of a program's file, made by
// driving that very file and watching it (./dev agents --together). A version that is not here is
// an unknown program, of which nothing is known.
//
// Looks on it are of names, kinds and sizes, and of git's index; never of what is in a file. A tool
// that runs inside of the agent's process makes looks of the same kinds and shows them, so the list
// also has the tools that make none: when another was used, nothing is housekeeping.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/observation.h"

namespace gittxn::agents {

struct KnownProgram {
  Program program = Program::kUnknown;
  std::string_view digest;  // SHA-256 of the file
  // Names that it is run by to be a searcher: one that is built into it, or the one that it is.
  std::span<const std::string_view> searchers;
  // Tools that list no directory; but where they fail they may, to name a file with a like name.
  std::span<const std::string_view> tools;
  // Vectors by which it asks git, of whose answer it shows only changes of the transaction's own:
  // the words behind the program's, each ended by a newline, which begin with those of `git`.
  std::string_view git;
  std::span<const std::string_view> children;
  // Part of the path of git directories of its own, which nobody's settings are in.
  std::string_view own_git;
  // Its own process lists directories and reads the index, for the same purpose.
  bool keeps_house = false;
};

// Null: it is not known.
const KnownProgram* known_program(std::string_view digest);
// True if a file of this name may be one of them, so that only the digests of such are looked at.
bool may_be_known(std::string_view file_name);

// A tool that belongs to one of git-txn's own servers, whichever name the agent gives it.
bool is_own_tool(std::string_view tool);
bool is_harmless_tool(const KnownProgram& program, std::string_view tool);
bool is_known_child(const KnownProgram& program, const std::vector<std::string>& argv);

}  // namespace gittxn::agents
