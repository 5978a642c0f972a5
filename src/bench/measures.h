// What is measured, each printed in lines of name=value.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace gittxn::bench {

struct Asked {
  std::string dir;                 // all is made below it
  std::vector<std::string> words;  // behind the name of what is asked for
  Environment env;
  int number(int otherwise, std::size_t i = 0) const {
    return words.size() > i ? std::stoi(words[i]) : otherwise;
  }
};

// FILES ROUNDS: landing.cc.
Status measure_landing(const Asked& asked);
// COMMITS REPOSITORY: false invalidations before and after searches are refined, counted on the
// history of a repository, which is cloned. For each of the last commits an agent stands on its
// parent and looks as its author may have: for the names of up to three of the changed files it
// runs grep -rn, rg, git grep and find, lists their directories and prints the files. It is then
// judged against each of the next five commits, put on top of where it stands as if it had just
// landed; those that do not apply are left out. The change of the agent itself counts as its own
// paths.
Status measure_refinement(const Asked& asked);
// REPOSITORY, a checkout of this one: what looking into files costs, in processor time. A line for
// each language whose sample is there, and one for its C++. kFault when a sample does not parse.
Status measure_semantic(const Asked& asked);
// The processor time that merging one file takes as a whole process, by `git merge-file` and by
// git-txn as git's merge driver; both programs are those of the PATH. A line for each kind of file
// and of changes. kFault when a program does not merge.
Status measure_merge(const Asked& asked);
// FILES SOURCES...: the catalogue of a repository made of real sources: from nothing, after a
// change of ten files, and asked for a name. The files are taken in turn from what is below the
// sources in a known language; the second and later time that one is used lines are put behind it,
// so that no two blobs are one.
Status measure_catalogue(const Asked& asked);
// EVENTS [POSTGRES-URL]: the kernel's store: appending against the disk's own rate, alone and in
// groups, on a small log and on a large one, reading the log as a stream, pruning, and bytes an
// event. DIR is the folder of the larger store, the smaller one is beside it.
Status measure_kernel(const Asked& asked);
// COMMITS REPOSITORY POLICY: the last commits of a bare repository of the caller's, along first
// parents, as if each had landed after the one before it, under a policy of one gate with units. A
// line for each unit of each commit: whether it was carried, and what a run of it says, which is
// done for every one. The repository gets a store.
Status measure_carry(const Asked& asked);
// UNITS LANDINGS: how long landings after each other hold the turn, each with an edit of three
// files, under a gate of so many units that look at a file each.
Status measure_turn(const Asked& asked);

}  // namespace gittxn::bench
