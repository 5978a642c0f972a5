// The working half of a transaction: its beginning, its attempts, the commands run in it, and
// taking what they did. run, begin, exec and commit are made of these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "capture/trace/trace.h"
#include "model/workflow.h"
#include "repo/worktree/worktree_mount.h"
#include "store/server/locks.h"
#include "txn/state.h"

namespace gittxn::api {

enum class Ownership { kAttached, kDetached };

// A transaction as it is now, with nobody else at it for as long as the lock is held, which proves
// that its owner lives.
struct Held {
  Txn txn;
  store::Lock owner;
};
// The part of an id that a key stands for: the same for the same key, so that who asks again finds
// what was made the first time. kUsage: the key is empty, or longer than 500 bytes.
Result<std::string> name_of_key(std::string_view key);
// The transaction begun under the key of these options. kUsage: it had another command.
Result<std::optional<Txn>> begun_before(State& state, const RunOptions& options);
// Records a new transaction; nothing is checked out yet. Refuses what policy and trust refuse.
Result<Held> begin_txn(State& state, const RunOptions& options, Ownership ownership,
                       const Progress& progress, std::vector<std::string>& notes);

// `known`: as it was seen before. kBusy: a live process is at it.
Result<Held> hold(State& state, Txn known);
Result<Held> hold_named(State& state, const std::string& id_or_name);

// Says of this process that it is at what a file stands for, until the descriptor is closed; nobody
// else in this process may open that file. kFault: another process is.
Result<UniqueFd> mark_process(const std::string& path);
int process_at(const std::string& path);  // 0: none on this machine

// Says of this process that it runs a command of the attempt, until it is closed.
Result<UniqueFd> mark_running(const Attempt& attempt);

// Folder of a detached run's output (api/output.h), and the process that keeps it; 0: none.
std::string output_folder(const State& state, const TxnId& id);
int supervisor_of(const State& state, const TxnId& id);

struct Running {
  int process = 0;                     // 0: none that is known on this machine
  std::int64_t last_call_wall_ms = 0;  // of the newest call on record; 0: none
};
Running running_now(const Txn& txn);

// Asks that process, or the supervisor of a detached run, to end what runs, a second time after
// some seconds, and waits until it has. kUsage: none runs. kTimeout: it does not end.
Status end_running(State& state, const Txn& txn, const Progress& progress);

// Why nothing of a transaction's work can be shown yet.
std::unexpected<Error> no_work_yet(const Txn& txn);

// The files of its last attempt are on disk.
Result<bool> has_worktree(const Txn& txn);

// Takes what the worktree has, and makes reads that were left, where that is not on record yet. The
// caller holds it.
Status keep_work(State& state, const Txn& txn, const Progress& progress);

// The file that a program named without a slash is on the PATH of the environment; "" none.
std::string on_path(const Environment& env, const std::string& program);
// Refuses, before anything happened, a program that is on no PATH. One named relative to the
// worktree can only be looked for there.
Status find_program(const Host& host, const std::string& program);

// Puts a ref of ours where it is to be, whatever it is now; empty: it is to be gone.
Status set_ref(State& state, const std::string& name, const Oid& desired,
               repo::RefDurable durable = repo::RefDurable::kWhole);
// Keeps the commit that the attempt started from out of reach of `git gc`; durably it need not be.
Status pin_base(State& state, const TxnId& id, const Attempt& attempt);

// A worktree of the kind that was asked for: --worktree, else txn.worktree, else "auto", which the
// machine and the size of the tree decide (repo/worktree/worktree_mount.h).
inline constexpr std::string_view kAutomaticKind = "auto";
// Where it goes is noted in the attempt; nothing is there any more, and the folder around it is.
Result<repo::WorktreeSpec> place_worktree(State& state, const Txn& txn, Attempt& attempt,
                                          const std::optional<std::string>& kind);

// A fresh snapshot of the branch and a worktree of it, prepared as the policy there says. When it
// fails, what it made is removed and the log does not know of it. Where a command is started next,
// its start makes the attempt durable, too.
Result<Attempt> start_attempt(State& state, const Txn& txn, const RunOptions& options,
                              const Progress& progress, std::vector<std::string>& notes,
                              store::Store::Durable durable);

// The transaction is aborted, for it never was. The error, or that of saying so.
std::unexpected<Error> could_not_start(State& state, const Txn& txn, const Error& error);

// Where observations of an attempt that are not the trace's are kept
// (docs/formats/observations.md): one file a source, mode 0700, made before the first command runs
// and gone with the worktree.
std::string observed_dir(const Attempt& attempt);

struct Executed {
  Txn txn;  // as the log has it after the end
  capture::TraceResult trace;
  std::int64_t duration_ms = 0;
  std::vector<std::string> notes;  // of the agent in it, for a person
  std::string over_budget = {};    // which budget ended it; "" none did
  // The mount that the command ran in. It is let go of after the work is taken: to unmount, the
  // kernel forgets file by file what was looked at, which keeps a processor busy.
  repo::Mount mount = {};
};
// Runs a command in the last attempt's worktree under the tracer. kNotFound: no such program;
// nothing ran.
Result<Executed> execute(State& state, const Txn& txn, const std::vector<std::string>& argv,
                         const RunOptions& options, const Progress& progress);

// A command where the transaction's files are seen, beside whatever works there: nothing of it is
// traced, and nothing is taken. Its exit status.
Result<int> enter(State& state, const std::string& id, const std::vector<std::string>& command);

// Of a command that failed: a note on files that it looked for, which the person's checkout has and
// a fresh worktree has not, with what to write into the policy; none where there is nothing so.
Status tell_lacking(State& state, const Oid& snapshot, const ReadSet& reads,
                    std::vector<std::string>& notes);

struct TakenWork {
  Changes changes;
  ReadSet reads;
  bool reads_left = false;
  std::vector<std::string> untracked;
  std::vector<std::string> notes;
  // The tree is its snapshot's: it is over, wherever the branch is now. One that is another one,
  // and adds nothing to the commit it is based on, has seen both and is certified.
  bool nothing = false;
};
// Whether the worktree may hold changes that no trace saw: a person's, made between commands.
enum class Untraced {
  kNo,     // a traced command has just ended
  kCheck,  // they are there when the worktree differs from what was last taken
  kYes,
};
// When the reads are made. Left are those of traces, for whoever asks for them first, where making
// them then gives the same: the transaction is open, its last command ended well, no agent worked
// in it whose conversation may go on elsewhere, and its log is of this clone alone.
enum class MakeReads { kNow, kMayBeLeft };
// Takes the last attempt's worktree: its change, the reads of all its commands, a commit that keeps
// it. Reads that are left are not in what is returned, which then is not complete.
Result<TakenWork> take_work(State& state, const Txn& txn, Untraced untraced,
                            const Progress& progress, MakeReads when = MakeReads::kNow);
// The commit that the commands of the last attempt saw when they started. The attempt's base is
// another one once the agent has merged or reset to the target; what was read before stays read
// from here.
Result<Oid> snapshot_of(State& state, const Txn& txn);
// kRunning: the agents' sessions have not ended, and what they have said until now counts as all.
enum class Sessions { kEnded, kRunning };
// What the commands of the last attempt read in one worktree of that snapshot: its own, or a
// child's (children.h). `writes`: what the transaction changes, against `base`.
Result<ReadSet> reads_in(State& state, const Txn& txn, const Oid& snapshot,
                         const repo::Worktree& worktree, const Changes& writes, const Oid& base,
                         Sessions sessions = Sessions::kEnded);
// What the commands of the last attempt have read until now, while one of them runs. What they
// wrote counts as read, because what becomes of it is not known yet. Not complete, by its nature;
// kept nowhere.
Result<ReadSet> reads_until_now(State& state, const Txn& txn);
// True when the worktree differs from what was last taken, or from the snapshot.
Result<bool> changed_since_taken(State& state, const Txn& txn);
// Why a read set is unknown, for good: the worktree was changed outside a traced command; its
// command has no recorded end; or something else that its reason says. The words are the log's.
enum class Unknown { kUntraced, kKilled, kElse };
std::string_view unknown_words(Unknown why);
Unknown unknown_of(const ReadSet& reads);

// Prepared, then land(). Fills what the outcome knows of it. An interrupted wait is a waiting
// outcome.
Result<land::LandResult> ask_to_land(State& state, const Txn& txn, const RunOptions& options,
                                     const Progress& progress, Outcome& outcome);

// What every outcome ends with: the transaction as the log has it, its reads and writes, and the
// next line to type. `started_ns` is of the monotonic clock.
Status finish_outcome(State& state, const TxnId& id, std::int64_t started_ns, Outcome& outcome);
std::string next_line(const Txn& txn);
// The same, where its worktree is: of one whose agent has still to be told of something, too.
Result<std::string> next_here(const Txn& txn);
// Its phase was left and the policy drops it: who asks for its landing is told no. For a look.
Result<bool> dropped_with_phase(State& state, const Txn& txn);

// kRefused: nothing is begun in a workflow that was cancelled, and it moves no more.
std::unexpected<Error> was_cancelled(const Workflow& workflow);

// The transaction as the store has it now.
Result<Txn> reload(State& state, const TxnId& id);
// Removes the worktrees of all attempts and says so in the log.
Status remove_worktrees(State& state, const Txn& txn);

}  // namespace gittxn::api
