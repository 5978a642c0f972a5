// The facade: everything a face (cli, later mcp and web) can ask for, and the only header of the
// lower floors a face needs beside model/. It never prints, reads the environment or exits: the
// face passes in what it knows and gets values and progress calls back.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/symbol_reports.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "model/policy.h"
#include "model/read.h"
#include "model/txn.h"
#include "model/verdict.h"

namespace gittxn::api {

struct Host {  // what the face knows about its process
  std::string cwd;
  std::string program;  // its own file, absolute: what agents are told to call; "" not known
  Environment env;
  Clock* clock = nullptr;
  Random* random = nullptr;
  Log log;
  bool stdin_is_terminal = false;
  bool json = false;  // the command's stdout goes to our stderr
};

struct Progress {
  std::function<void(std::string_view phase)> on_phase;  // "running", "gate test"
  std::function<void(std::string_view gate, std::string_view bytes)> on_gate_output;
  std::function<void(std::string_view reason, std::string_view subject)> on_wait;  // "" ends it
  std::function<void(std::string_view text)> on_note;  // one line for a person
  std::function<bool()> interrupted;
  std::function<bool(std::string_view question)> on_ask;  // yes or no; unset: nobody is there
};

struct RunOptions {
  std::optional<std::string> onto;
  std::optional<std::string> isolation;
  std::string name;
  std::string trace = "auto";
  std::optional<std::string> confine;  // writes or off; unset: txn.confine, else off
  std::optional<std::string>
      worktree;  // auto, plain, overlay or reflink; unset: txn.worktree, else auto
  std::string owner;
  // begin and run: the transaction begun under this key is returned, and none begins. "": no key.
  std::string key;
  std::optional<std::string>
      instead;  // run: of another transaction, which is aborted once this began
  std::optional<std::string> workflow;  // belongs to this one's open phase
  std::optional<std::string> phase;     // refused when another is open
  std::optional<std::string> author;    // "Name <mail>"
  int retries = 2;
  int priority = 0;
  std::int64_t timeout_ms = -1;
  std::optional<std::int64_t> wait_ms;   // unset: for ever with a terminal, else 0
  std::vector<std::string> leases = {};  // held while it runs and lands, as store/leases.h has it
  std::vector<std::string> budget = {};  // KIND=VALUE each
  bool no_land = false;
  bool keep = false;          // keep the worktree after landing
  bool keep_commits = false;  // the command's own commits land as they are
  bool keep_running = false;
  bool inject = true;  // hooks into an agent that the command starts; also needs txn.inject
  std::vector<std::string> command;
};

struct GateLine {
  std::string name;
  Digest version;
  std::string result;  // "passed", "failed", "timed out"
  bool reused = false;
  std::string certificate;  // SHA-256 of the certificate, as the log has it
};

// The one object --json prints last, and what the one-line summary is made of.
struct Outcome {
  Txn txn;
  Oid head_before;
  std::vector<Conflict> conflicts;
  std::vector<GateLine> gates;
  ReadSet reads;  // of the last attempt
  Changes writes;
  std::vector<std::string> untracked;
  std::vector<std::string> notes;
  std::size_t notes_told = 0;        // so many of them, from the first, went to on_note already
  std::vector<std::string> repairs;  // one line a repair, for a person
  struct Repair {
    std::string rung, subject, result;
  };
  std::vector<Repair> repair_steps;  // the same, for programs
  int command_exit = 0;
  std::int64_t command_ms = 0;
  std::int64_t total_ms = 0;
  std::string next;             // the line to type next; empty: nothing to do
  bool as_asked = false;        // left open because --no-land asked for it
  bool command_failed = false;  // and changed nothing, so that there is nothing to land
  int process = 0;              // of git-txn, where it runs a command of this now; 0: none is known
};
Json to_json(const Outcome& outcome);
int exit_code(const Outcome& outcome);  // 0 landed or nothing (or open as asked), 1 not landed
// The meaning of exit statuses 0 and 1: landed, merged, nothing, open (as asked), command-failed,
// conflict, rejected, waiting, aborted, unfinished.
std::string_view outcome_name(const Outcome& outcome);

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
    std::vector<std::string> stale;  // reads that no longer hold right now
    bool refused = false;            // with its phase: asking for it is answered with a no
    std::size_t owed = 0;            // compensations that are due and have not ended
    std::string owed_next;           // what to type for them; "" is another clone's to do
    bool elsewhere = false;          // another clone of the hub has its work
    int process = 0;                 // of git-txn, where it runs a command of this now; 0: unknown
    std::int64_t last_call_wall_ms = 0;  // of that command, as it was seen last; 0: none yet
    LandingNow landing;
  };
  std::vector<Line> lines;
  std::vector<std::string> holders;  // who holds which turn or landing lock
  std::vector<std::string> notes;    // late saves, branches that need a person
  bool uncommitted = false;          // the person's checkout has edits that no snapshot contains
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
  std::vector<std::string> history;  // its events, one line each
  std::vector<std::string> next;     // what to do
  int process = 0;  // of git-txn, where it runs a command of this now; 0: none is known
};

struct GcReport {
  std::vector<std::string> removed;  // worktrees, displaced files, leftovers, events
  std::uint64_t bytes_freed = 0;
  std::vector<std::string> kept;  // with the reason
};

struct ImportReport {
  TxnId txn;
  std::uint64_t observations = 0;
  std::uint64_t damaged = 0;   // spans and lines that were not understood
  std::uint64_t left_out = 0;  // beyond the bounds
};

struct DoctorLine {
  std::string subject;
  bool ok = true;
  std::string detail;
};

// A text that was made from parts of the repository, stored with what it was made from.
struct SummaryRequest {
  std::string name;
  std::string text;
  std::vector<std::string> paths;       // what it was made from, relative to the current directory
  std::optional<std::string> reads_of;  // else: all that this transaction read and changed
  std::optional<std::string> onto;      // the branch it was made from
};
struct SummaryLine {
  std::string name;
  Digest digest;  // of what says what it was made from; a read of the summary names it
  std::int64_t bytes = 0;
  std::string made_by;  // a transaction, or a person
  std::string time;
  std::size_t sources = 0;
  bool judged = false;  // the next four: where the look was made
  bool holds = false;
  std::string stale_source;  // the first path that changed
  std::string source_digest;
  std::string source_now;
};

// Inside a transaction: asks for a summary to be stored when the transaction has landed. Without
// paths it is made from all that the transaction reads and changes. kUsage, kRefused: a path
// outside of the tree.
Status request_summary(const Host& host, const SummaryRequest& request);

class Kernel {
 public:
  struct State;  // of the facade's own files, as is state()
  State& state() { return *state_; }
  static Result<Kernel> open(Host host);
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;
  ~Kernel();

  Result<Outcome> run(const RunOptions& options, const Progress& progress);
  Result<Txn> begin(const RunOptions& options, const Progress& progress);
  Result<int> exec(const std::string& id, const std::vector<std::string>& command,
                   const RunOptions& options, const Progress& progress);
  Result<Outcome> commit(const std::string& id, const RunOptions& options,
                         const Progress& progress);
  // Those of this clone that asked to land and wait, with nobody at them; oldest first.
  Result<std::vector<TxnId>> waiting();
  Result<Txn> abort(const std::string& id, const std::string& reason, const Progress& progress);
  // Asks the process that runs a command of it to end that, and waits until it has: the work is
  // kept, nothing lands. A second request after some seconds ends everything it started.
  Result<Txn> stop(const std::string& id, const Progress& progress);
  Result<Txn> resume(const std::string& id,
                     const Progress& progress);            // back to open, owner is the caller
  Result<std::string> worktree_of(const std::string& id);  // for open
  // A command where the transaction's files are seen, beside whatever works there: nothing of it is
  // traced, and nothing is taken. Its exit status.
  Result<int> enter(const std::string& id, const std::vector<std::string>& command);
  Result<TxnId> id_of(const std::string& id_or_name);

  // What a framework's OpenTelemetry export says its tools read, as observations of an open
  // transaction; without an id: the one this process is in, else the only open one. They count when
  // its change is taken next.
  Result<ImportReport> import_otel(const std::optional<std::string>& id, const std::string& file);

  Result<StatusReport> status(StatusScope scope = StatusScope::kOpen);
  Result<std::vector<LogLine>> log(int limit);
  Result<Outcome> show(const std::string& id);
  Result<std::string> diff(const std::string& id);  // unified, as git prints it
  Result<ReadSet> reads(const std::string& id);
  Result<WhyReport> why(const std::string& id);

  // The next two keep a catalogue beside the store, and record nothing.
  Result<SymbolsReport> symbols(const SymbolsRequest& request, const Progress& progress);
  // kNotFound: nothing is called so; the hint has what is alike.
  Result<ImpactReport> impact(const ImpactRequest& request, const Progress& progress);
  // What a transaction writes, or what it has landed, in symbols.
  enum class FootprintOf { kWrites, kDiff };
  Result<FootprintReport> footprint(const std::string& id, FootprintOf of);

  // Outside of transactions. kUsage: it would be made from nothing, or what the transaction read is
  // unknown; or a path is not there.
  Result<SummaryLine> add_summary(const SummaryRequest& request);
  // The newest of each name, or those named (kUsage: there is none), judged at the head of the
  // branch.
  Result<std::vector<SummaryLine>> summaries(const std::optional<std::string>& onto,
                                             const std::vector<std::string>& names);
  // Judged at the head of the branch; inside a transaction at its snapshot, and the use is on
  // record before this returns: the transaction depends on all that the summary was made from. Of
  // one that is stale there is no text, unless that is asked for; then nothing can be certified by
  // it, and it is a soft read.
  struct ShownSummary {
    SummaryLine line;
    std::optional<std::string> text;
  };
  enum class IfStale { kRefuse, kShow };
  Result<ShownSummary> summary(const std::string& name, const std::optional<std::string>& onto,
                               IfStale if_stale);
  // Outside of transactions. kUsage: there is none of that name. Who was shown it before still
  // depends on what it was made from.
  Status remove_summary(const std::string& name);

  Result<std::string> instructions();  // what agents are told: txn.instructions, else ours

  Result<Policy> policy(const std::optional<std::string>& onto);
  Result<std::vector<GateLine>> run_gates_on(const std::string& id_or_commit,
                                             const std::vector<std::string>& names,
                                             const Progress& progress);
  Result<std::vector<std::string>> trust_listing(const std::optional<std::string>& onto);
  Result<bool> trusted(const std::optional<std::string>& onto);
  Status trust(const std::optional<std::string>& onto, const std::string& hash);

  Result<std::vector<std::string>> recover(const Progress& progress);  // lines of what was done
  struct Verification {
    Seq events = 0;
    std::vector<std::string> problems;
    std::vector<std::string> notes;  // worth knowing, and no problem
  };
  Result<Verification> verify(bool replay);
  Result<Json> state_at(Seq seq);
  Result<GcReport> gc(bool force, const Progress& progress);
  static Result<std::vector<DoctorLine>> doctor(
      const Host& host);  // works outside a repository too

 private:
  explicit Kernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gittxn::api
