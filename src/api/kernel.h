// The facade: everything a face (cli, mcp) can ask for. What a face needs beside it is in the other
// headers of this folder. It never prints, reads the environment or exits: the face passes in what
// it knows and gets values and progress calls back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/audit.h"
#include "catalogue/impact.h"
#include "gates/suggest.h"
#include "model/policy.h"
#include "model/read.h"
#include "model/txn.h"
#include "model/verdict.h"
#include "txn/footprints.h"
#include "txn/host.h"
#include "txn/outcome.h"
#include "txn/serve/agent_run.h"
#include "txn/serve/instructions.h"
#include "txn/working.h"

namespace gittxn::api {

// The state of a landing's commit on its branch.
struct LandingNow {
  enum class How { kThere, kRewritten, kGone };  // kRewritten: another commit has its trailers now
  How how = How::kThere;
  Oid commit;  // of kRewritten
};

enum class StatusScope { kOpen, kAll };  // kAll: what has ended as well
struct StatusReport {
  struct Line {
    Txn txn;
    bool owner_alive = false;
    std::vector<std::string> stale;   // reads that no longer hold right now
    std::vector<std::string> to_ask;  // commands that looked at them, which landing runs again
    bool refused = false;             // with its phase: asking for it is answered with a no
    bool unjudged = false;            // its agent has still to be told of something (txn/go_on.h)
    std::size_t owed = 0;             // compensations that are due and have not ended
    std::string owed_next;            // what to type for them; "" is another clone's to do
    bool elsewhere = false;           // another clone of the hub has its work
    int process = 0;                  // of git-txn, where it runs a command of this now; 0: unknown
    std::int64_t last_call_wall_ms = 0;  // of that command, as it was seen last; 0: none yet
    std::optional<Working> working;      // of that command; nullopt: none runs
    std::string phase;  // what its landing does right now, where that is under way in this clone
    LandingNow landing;
  };
  std::vector<Line> lines;
  std::vector<std::string> holders;  // who holds which turn or landing lock
  std::vector<std::string> notes;    // late saves, branches that need a person
  bool uncommitted = false;          // the person's checkout has edits that no snapshot contains
};

// One transaction that is about to land, in the order that is expected: those that wait for the
// turn, then those whose landing is under way, then those that nobody lands.
struct QueueLine {
  int place = 1;  // on its branch
  StatusReport::Line line;
};

struct LogLine {
  Seq seq = 0;
  std::string time;
  Oid commit;
  TxnId txn;  // empty: outside move
  std::string name;
  RefName branch;
  std::string who;
  LandingNow landing{};
  Admission admitted{};  // of a transaction
};

struct WhyReport {
  Txn txn;
  std::vector<Conflict> conflicts;
  struct Witness {
    std::string path;
    std::string diff;  // unified, old (what was read) against head
  };
  std::vector<Witness> witnesses;
  std::vector<std::string> excused;  // what it landed past, or would, because semantic lets it
  Admission admitted;                // the same, and what answers held
  std::vector<std::string> to_ask;   // commands that landing would run again: what they looked at
                                     // has changed
  std::vector<std::string> history;  // its events, one line each
  std::vector<std::string> next;     // what to do
  int process = 0;  // of git-txn, where it runs a command of this now; 0: none is known
};

struct SymbolsRequest {
  std::optional<std::string> at;  // a commit; unset: the files as they are on disk
  std::vector<std::string>
      paths;              // relative to the current directory; none: all of the tree of `at`
  std::string kind;       // empty: all
  std::string name;       // as people say it; empty: all
  std::size_t limit = 0;  // 0: no limit
};
struct SymbolLine {
  std::string path;
  std::string language;  // empty: unknown
  std::string id;
  std::string kind;
  std::string name;
  std::uint32_t first = 0, last = 0;  // lines, from 1
  std::string opaque;                 // why it could not be looked into; empty: it could
  std::vector<std::pair<std::string, Digest>> hashes;  // by capability; those that it has
};
struct SymbolsReport {
  Oid commit;  // empty: the files on disk
  std::vector<SymbolLine> lines;
  std::size_t more = 0;  // over the limit
  std::size_t files = 0;
  std::vector<std::string> notes;
};

struct ImpactRequest {
  std::string of;                 // a path, a symbol, or a transaction
  std::optional<std::string> at;  // unset: the commit that is checked out
  std::size_t limit = 0;
};
struct ImpactReport {
  Oid commit;
  std::vector<catalogue::Subject> subjects;
  bool ambiguous = false;  // `subjects` are several things, and nothing was looked for
  std::vector<catalogue::Affected> lines;
  std::size_t more = 0;
  std::vector<std::string> notes;
};

struct GcReport {
  std::vector<std::string> removed;  // worktrees, displaced files, leftovers, events
  std::uint64_t bytes_freed = 0;
  std::vector<std::string> kept;  // with the reason
};

struct DoctorLine {
  std::string subject;
  bool ok = true;
  std::string detail;
};

// What this program speaks, for `git txn version`.
int schema_version();                    // of the store it writes; older ones are migrated
std::vector<std::string> event_types();  // every type that the log may hold, sorted

// Joining a hub: a remote that many clones land on, with one store on a PostgreSQL server.
struct JoinRequest {
  std::string store;               // postgresql://..., without a password
  std::string hub;                 // a remote of this clone, by name
  std::string schema = "git_txn";  // on the server; one for each hub
  std::string clone;  // what this clone is called; "": the host's name and a few letters
};
struct JoinReport {
  std::string store, schema, hub, clone;
  std::string log;       // which was joined, as its events name it
  bool already = false;  // it was so before
};
// Makes the store where there is none, marks the hub as its (refs/txn/log), claims the clone's name
// in the log (txn/clone.h), and writes this clone's configuration last: a kill before leaves a
// clone that has joined nothing, and the same again goes on from there. kRefused: transactions of
// this repository alone are unfinished; the hub or the store belongs to another log; the name is
// another clone's. kUsage; kFault: no server, no hub.
Result<JoinReport> join_hub(State& state, const JoinRequest& request);

// Puts GIT_TXN_ID back where a command of a transaction of this repository's store has taken it
// away, so that everything that asks the variable is told the truth. One that is there stays: which
// transaction is meant a command may say (a child's, that it has begun), not that it is in none.
// What is below a transaction of another store (a test of a program that uses git-txn, in a
// repository of its own) is inside of nothing here, as long as it does not say so itself.
void restore_fence(Host& host);

// The state of one gate on a candidate: the certificate that counts, or what keeps it from
// counting.
struct GateExplained {
  GateName gate;
  std::optional<Certificate> counts;  // for the candidate, as it is; unset: the gate has to run
  Oid nearest;      // the tree of the certificate that was looked at first; "" it never passed
  std::string why;  // that one does not count: "src/a has changed"
  std::string not_carried;  // why no certificate of another tree is looked at; "" they are
  std::string diff;         // ... of the path whose change did it, from there to the candidate
  // Units of the gate: how many there are, and those that would run, each with the reason.
  std::size_t units = 0;
  std::vector<std::pair<std::string, std::string>> would_run = {};
};

// Gates that a repository may want, by what is in it.
struct SuggestedPolicy {
  std::vector<gates::SuggestedGate> gates;
  std::string text;  // .gittxn.toml
};

// Runs of one gate, among the newest certificates.
struct GateStats {
  GateName gate;
  std::int64_t runs = 0, failed = 0, carried = 0;
  std::int64_t run_ms = 0, saved_ms = 0;  // saved: what those took that were carried over
  struct Cause {
    std::string why;
    std::int64_t times = 0;
  };
  std::vector<Cause> missed;  // why it ran although it had passed before; the most frequent first
  std::string limited;        // why its last pass counts for nothing else; "" it counts
  // Units of the gate, the slowest first; counted in the newest 200 tables.
  struct Unit {
    std::string name;
    std::int64_t runs = 0, failed = 0, flaky = 0, carried = 0;
    std::int64_t run_ms = 0, saved_ms = 0;
    std::string missed;  // why it ran the last time
  };
  std::vector<Unit> units;
};

// What git-txn enforces, what it only records, and by what: the table of docs/enforces.md.
struct Enforced {
  std::string_view what;
  std::string_view enforced;  // "enforced", "recorded", or both with the line between them
  std::string_view mechanism;
  std::string_view answers = {};     // "F1, K1, A7, [gate]": see the page; or nothing
  std::string_view since = "0.1.0";  // version
};
std::span<const Enforced> enforces();
std::string enforces_page();  // docs/enforces.md, byte for byte

class Kernel {
 public:
  // For the verbs about work that are functions (api/work.h): they take a kernel for it. What it is
  // faces cannot see.
  operator State&() { return *state_; }
  static Result<Kernel> open(Host host);

  Result<Outcome> run(const RunOptions& options, const Progress& progress);
  Result<Txn> begin(const RunOptions& options, const Progress& progress);
  Result<int> exec(const std::string& id, const std::vector<std::string>& command,
                   const RunOptions& options, const Progress& progress);
  // Runs the command of a transaction that did not land once more, as another one on the present
  // head; the old one is aborted once that has begun, and its work kept. Of `options` what says how
  // to run counts.
  Result<Outcome> retry(const std::string& id, RunOptions options, const Progress& progress);
  // Reverts what a transaction landed, as git revert does it, in a transaction of its own.
  Result<Outcome> undo(const std::string& id, RunOptions options, const Progress& progress);
  Result<Outcome> commit(const std::string& id, const RunOptions& options,
                         const Progress& progress);
  // Those of this clone that asked to land and wait, with nobody at them; oldest first.
  Result<std::vector<TxnId>> waiting();
  // The line of each branch, or of one.
  Result<std::vector<QueueLine>> queue(const std::optional<std::string>& onto);
  Result<Txn> abort(const std::string& id, const std::string& reason, const Progress& progress);
  // Asks the process that runs a command of it to end that, and waits until it has: the work is
  // kept, nothing lands. A second request after some seconds ends everything it started.
  Result<Txn> stop(const std::string& id, const Progress& progress);
  // Back to open, and its owner is the caller. One that was refused, or whose command was cut
  // short, goes on: with its agent, as run() does it, where that can be asked (txn/serve/round.h);
  // else, and by hand, from the head of its branch (txn/go_on.h). Of `options` what says how to run
  // counts.
  enum class By { kItsAgent, kHand };
  Result<Resumed> resume(const std::string& id, By by, const RunOptions& options,
                         const Progress& progress);
  Result<std::string> worktree_of(const std::string& id);  // for open
  // A command where the transaction's files are seen, beside whatever works there: nothing of it is
  // traced, and nothing is taken. Its exit status.
  Result<int> enter(const std::string& id, const std::vector<std::string>& command);
  Result<TxnId> id_of(const std::string& id_or_name);

  Result<StatusReport> status(StatusScope scope = StatusScope::kOpen);
  Result<std::vector<LogLine>> log(int limit);
  Result<Outcome> show(const std::string& id);
  // Unified, as git prints it; while a command of it runs, of what is there now.
  Result<std::string> diff(const std::string& id);
  Result<ReadSet> reads(const std::string& id);
  Result<WhyReport> why(const std::string& id);

  // The next two keep a catalogue beside the store, and record nothing.
  Result<SymbolsReport> symbols(const SymbolsRequest& request, const Progress& progress);
  // kNotFound: nothing is called so; the hint has what is alike.
  Result<ImpactReport> impact(const ImpactRequest& request, const Progress& progress);
  // What a transaction writes, or what it has landed, in symbols.
  enum class FootprintOf { kWrites, kDiff };
  Result<FootprintReport> footprint(const std::string& id, FootprintOf of);

  Result<Policy> policy(const std::optional<std::string>& onto);
  Result<std::vector<gates::GateReport>> run_gates_on(const std::string& id_or_commit,
                                                      const std::vector<std::string>& names,
                                                      const Progress& progress);
  // Says for each gate whether it would have to run on the change, and why. Runs nothing and
  // records nothing.
  Result<std::vector<GateExplained>> explain_gates(const std::string& id_or_commit,
                                                   const std::vector<std::string>& names);
  // Carries certificates of a gate again that were carried wrongly. kUsage: there is no such mark.
  Status clear_gate(const std::string& name, const std::optional<std::string>& onto);
  // A policy for the tests that the branch has, as the text of a .gittxn.toml.
  Result<SuggestedPolicy> suggest_gates(const std::optional<std::string>& onto);
  // Counts the runs of each gate in the newest certificates.
  Result<std::vector<GateStats>> gate_stats();
  Result<std::vector<std::string>> trust_listing(const std::optional<std::string>& onto);
  Result<bool> trusted(const std::optional<std::string>& onto);
  Status trust(const std::optional<std::string>& onto, const std::string& hash);

  Result<audit::Report> verify(bool replay);
  Result<Json> state_at(Seq seq);
  Result<GcReport> gc(bool force, const Progress& progress);
  static Result<std::vector<DoctorLine>> doctor(
      const Host& host);  // works outside a repository too

 private:
  explicit Kernel(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace gittxn::api
