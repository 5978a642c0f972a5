// From records to reads: which of the things a process tree asked the kernel are observations of
// the repository, and which are its own writes, its tools, its environment, or git keeping its
// index. The rules are in docs/design/0002-reads.md; each has a test.
//
// One pass over the record files, in order: a model of the worktree (tree_model.h) follows what was
// written, paths get their one repository name (path_resolver.h), and each record becomes reads
// (observer.h, other_checkout.h, git_reads.h), part of the tool digest, a note, or nothing.
// Reads the disk outside the worktree; writes the tool cache and nothing else. One call per thread
// and Objects; no state is kept between calls.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/observed.h"
#include "capture/trace/trace.h"
#include "model/change.h"
#include "model/read.h"
#include "repo/objects.h"
#include "search/argv.h"

namespace gittxn::capture {

// Where things are, so that a path can be told from a path. All of them real paths.
struct Places {
  std::string tree;             // the worktree
  std::string private_git_dir;  // tree/.git
  std::string git_dir_on_disk;  // ... where its bytes are for us; empty: there
  std::string first_refs;       // a directory whose packed-refs are the refs as they were when the
                           // worktree was made; empty: they are those of the private git directory
  std::string common_git_dir;          // the repository's own: its object store and refs
  std::vector<std::string> checkouts;  // other checkouts of the same repository (the person's)
  // Where the private worktrees of the repository's transactions are, and of it what belongs to
  // this attempt. Empty: there is no such place.
  std::string transactions = {};
  std::string attempt = {};
};

// What searches depend on outside their arguments and the tree (search_settings.h). By default
// nothing is known, and no search is refined.
struct SearchSettings {
  bool known = false;
  search::Vouched git = search::Vouched::kNo;             // none changes what git grep prints
  search::Vouched outside_rules = search::Vouched::kNo;   // none keeps what would be hidden
  search::Vouched plain_checkout = search::Vouched::kNo;  // none converts files at checkout
  search::Vouched same_lines = search::Vouched::kNo;      // ... in more than how lines end
  // Variables that say where these were looked up, with their values: a searcher with others looks
  // elsewhere.
  std::map<std::string, std::string> variables;
};

struct InterpretInput {
  Places places;
  std::vector<std::string> record_files;  // one per command, in order
  Oid snapshot;                           // the commit the reads are read from
  Changes writes;                         // what the transaction took, for masking
  // What `writes` are against: another commit than the snapshot when the agent merged, pulled or
  // reset to the target. Empty: the snapshot. Some reads then carry it as their snapshot.
  Oid base;
  RefName target;  // the branch it lands on, whose history the snapshot is; empty: none
  // True when the snapshot's ignore rules ignore this untracked file, by itself or by a directory.
  std::function<Result<bool>(const std::string& path)> ignored;
  // Where the bytes of an untracked file of the tree are for us; empty: below places.tree. "" is an
  // answer too: nowhere any more.
  std::function<Result<std::string>(const std::string& path)> on_disk;
  // Cache of tool digests across runs, by (dev, ino, size, ctime): a file in the kernel's
  // directory.
  std::string tool_cache_file;
  // What other sources say, in any order.
  std::vector<Observed> observations;
  // Called once, and only when somebody searched. Empty: searches are not refined.
  std::function<SearchSettings()> search_settings;
};

// kCorrupt never: damaged records make the set unknown with the reason. An error means that the
// repository could not be read.
Result<ReadSet> interpret(const repo::Objects& objects, const InterpretInput& input);

// Digest of a listing read: names and types, in any order given.
Digest listing_digest(std::vector<repo::NamedEntry> entries);

}  // namespace gittxn::capture
