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
#include <set>
#include <string>
#include <vector>

#include "agents/housekeeping.h"
#include "base/result.h"
#include "capture/git/git_settings.h"
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
  // The settings of git that matter (git_settings.h); all are unknown until they were listed.
  GitSettings git_answers = {.unknown = "all of them", .upstream = true, .filters = true};
};

// The agents' sessions of the transaction, as they say themselves (agents/observation.h).
struct Conversations {
  struct Failed {  // a call that a file was given to
    std::string path;
    std::string cwd;
  };
  bool whole = false;           // there is one, and all are known from their beginning to their end
  std::set<std::string> tools;  // that were called
  std::vector<Failed> failed;
};

// A command that a tool call of an agent ran, as the agent's hooks say: of a conversation that has
// ended, whose answer went to the model and to no program.
struct ToldCommand {
  std::string text;           // for a shell
  std::int64_t start_ms = 0;  // since 1970
  std::int64_t end_ms = 0;
};

struct InterpretInput {
  Places places;
  std::vector<std::string> record_files;  // one per command, in order
  Oid snapshot;                           // the commit the reads are read from
  Changes writes;                         // what the transaction took, for masking
  bool thrown_away = false;               // there are never any, whatever is written
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
  Conversations conversations;
  // Programs of agents by the digest of their file; null: not known.
  using KnownProgram = std::function<const agents::KnownProgram*(const std::string& digest)>;
  KnownProgram known_program = agents::known_program;
  std::vector<ToldCommand> commands;
  // Commands whose status is their answer, as policy says (questions::is_command).
  std::vector<std::vector<std::string>> runners;
  // Called once, and only when somebody searched or asked git. Empty: searches are not refined, and
  // git is not asked again.
  std::function<SearchSettings()> search_settings;
};

// kCorrupt never: damaged records make the set unknown with the reason. An error means that the
// repository could not be read.
Result<ReadSet> interpret(const repo::Objects& objects, const InterpretInput& input);

// Digest of a listing read: names and types, in any order given.
Digest listing_digest(std::vector<repo::NamedEntry> entries);

}  // namespace gittxn::capture
