// The repository's policy: .gittxn.toml as read from the target branch, never from the candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/txn.h"

namespace gittxn {

// A gate that is many questions: a command that is run once for each unit, of which each has a
// certificate of its own (gates/units/units.h).
struct UnitsSpec {
  std::vector<std::string> list;   // a command that prints a name on each line; empty: `names`
  std::vector<std::string> names;  // and globs of files of the candidate
  std::vector<std::vector<std::string>> prepare;  // set-up and build, before all units
  std::int64_t prepare_timeout_ms = 600'000;      // of each of these
  bool sets_up = false;             // the first of these is a set-up, which may use the network
  bool incremental = false;         // they go on from what was left the last time
  std::vector<std::string> caches;  // directories that units may write, to no effect
  int jobs = 0;                     // units at a time; 0: as many as there are processors
  bool network = false;             // units have the machine's
};

struct GateSpec {
  GateName name;
  std::vector<std::string> command;  // argv; a string in the file is run as ["sh", "-c", string]
  std::int64_t timeout_ms = 600'000;
  std::vector<std::string> env;  // names passed through besides the scrubbed set
  bool carry = true;             // what it said of one tree may count for another
  int fresh = 0;             // of what is carried one in so many is run after the landing; 0: none
  int retries = 0;           // how often a failure is repeated, on the same candidate
  bool allow_flaky = false;  // a pass after a failure is a pass
  std::vector<std::string> blind = {};  // "list:docs", "stat:**": looks that do not count
  std::optional<UnitsSpec> units = {};  // `command` has kUnitWord in it
  Digest version;                       // hash of the normalised definition
};

inline constexpr std::string_view kUnitWord = "{unit}";

// [[question]]: a command whose exit status is its answer, at every level.
struct QuestionRule {
  std::vector<std::string> command;  // argv; a string in the file as ["sh", "-c", string]
};

// [[quarantine]]: a unit that may fail before that day.
struct Quarantine {
  GateName gate;
  std::string unit;
  std::string until;  // "2026-12-31", by UTC
  std::string why;
};

struct WorktreeSpec {
  std::vector<std::string> copy;              // paths copied from the main checkout, e.g. ".env"
  std::vector<std::string> share;             // read-only shared folders, e.g. "node_modules"
  std::vector<std::vector<std::string>> run;  // set-up commands
  std::optional<std::pair<int, int>> ports;   // a free range from here is given as GIT_TXN_PORT
};

// True if a path of a policy ("src/auth/", "" for the whole repository) is `path` or above it.
bool covers(std::string_view prefix, std::string_view path);

struct PathRule {  // raises, never lowers
  std::string prefix;
  Isolation isolation = Isolation::kStrict;
};

// Kept in the repository, and made from other files of it.
struct GeneratedFile {
  std::string artifact;           // a path; with a slash at its end everything below
  std::vector<std::string> from;  // globs, sorted
};

// What must hold before a phase of a workflow is left.
struct PhaseGate {
  enum class Kind {
    kRun,           // a command, judged on the branch's head like any gate
    kArtifact,      // a path of the head's tree, or a summary in the store
    kTransactions,  // no transaction of the phase is unfinished
    kVerdict,       // somebody said yes to the phase as it is
    kMembers,       // every repository of the portfolio has got as far with its own workflow
  } kind = Kind::kRun;
  GateSpec gate;  // its name and version; kRun: the rest as well
  // kArtifact: the path or name; kVerdict: the name of the verdict; kMembers: "WORKFLOW", which is
  // finished, or "WORKFLOW/PHASE", which was left.
  std::string subject;
};
std::string_view phase_gate_kind_name(PhaseGate::Kind kind);

// What becomes of a transaction whose phase was left, or whose gates changed, before it landed.
enum class OnClose {
  kDrop,   // it is rejected; the work is kept
  kCarry,  // it is certified again under the phase that is open then
};
std::string_view on_close_name(OnClose action);
Result<OnClose> on_close_from_name(std::string_view name);

struct PhaseSpec {
  std::string name;
  std::vector<PhaseGate> gates;  // in file order
  OnClose on_close = OnClose::kDrop;
  Digest version;  // hash of the normalised definition; a kernel read of its transactions
};

struct WorkflowSpec {
  std::string name;
  std::vector<PhaseSpec> phases;  // in order, at least one

  const PhaseSpec* phase(std::string_view wanted) const;  // nullptr: there is none
};

// [on."transaction.landed"]: a command that is given each event of that type.
struct HandlerSpec {
  std::string name;  // by default the type
  std::string type;
  std::vector<std::string> command;
  std::int64_t timeout_ms = 30'000;
};

// How many transactions there may be at a time; unset: any number.
struct Limits {
  std::optional<int> concurrent = {};  // that are alive
  std::optional<int> per_owner = {};   // that are alive and one owner's
  int depth = 0;                       // how many above it one may have; 0: none begins another
  bool operator==(const Limits&) const = default;
};

// What may become of a proposal (store/work/proposals.h). Scores and likenesses in thousandths.
struct ProposalRules {
  static constexpr int kNever = 1001;  // above every score
  int start = 800;                     // from here on it may start by itself
  int person = 500;                    // from here on a person may say yes to it
  int log = 300;                       // from here on it is kept; below it is discarded
  int same_text = 800;                 // from here on two texts say the same
  int same_embedding = 950;            // from here on two embeddings mean the same
  bool operator==(const ProposalRules&) const = default;
};

// Rules by which a landing may mend (land/judge/mend.h).
struct MendRules {
  bool rename = true;   // carries a rename of the one side to the new uses of the other
  bool rerere = false;  // takes resolutions that a person recorded with git rerere
  bool operator==(const MendRules&) const = default;
};

// The answer to an agent's tool call that is the first to change a file, where the branch has
// changed it since the snapshot, or somebody else holds a lease on it or is changing it now.
enum class FirstWrite {
  kAdvise,  // the agent is told, and the call goes on
  kDeny,    // the call is refused, with what the agent would have been told
  kIgnore,
};

struct Policy {
  std::vector<GateSpec> gates;  // in file order
  WorktreeSpec worktree;
  std::vector<GeneratedFile> generated;  // sorted by artifact
  std::vector<PathRule> rules;
  std::optional<Isolation> default_isolation;  // of transactions that ask for no level
  std::vector<WorkflowSpec> workflows = {};    // sorted by name
  Limits limits = {};
  Digest version;     // hash of the normalised whole; a kernel read of every txn
  Digest trust_hash;  // of all commands in it; empty when it runs nothing
  std::vector<HandlerSpec> handlers = {};  // sorted by name
  ProposalRules proposals = {};
  std::vector<QuestionRule> questions = {};  // in file order
  std::vector<Quarantine> quarantine = {};   // in file order
  std::vector<std::string> listings = {};    // prefixes; sorted. Whoever listed these read them
  MendRules mend = {};
  FirstWrite first_write = FirstWrite::kAdvise;
  bool rejudge = true;  // whoever goes on may answer for a read that has changed
  // Landings wait so long for one that has lost, whose reads they would change; 0: not at all.
  std::int64_t patience_ms = 600'000;

  const WorkflowSpec* workflow(std::string_view name) const;  // nullptr: there is none
};

// The units of a gate, counted.
struct UnitTally {
  int units = 0;
  int ran = 0;      // in this run
  int carried = 0;  // the rest was not looked at, after one that failed
  int failed = 0;
  int flaky = 0;
  int quarantined = 0;        // of those that failed
  std::int64_t saved_ms = 0;  // what those that did not run took when they did
  std::string first_failed;   // its name
  bool operator==(const UnitTally&) const = default;
};
void fields(FieldIo& io, UnitTally& tally);

// A check on a candidate and the evidence. It counts for this tree on this parent and, where its
// looks are known, for every tree on which they see the same (gates/evidence/carry.h); always for
// this version of the gate and this environment.
struct Certificate {
  GateName gate;
  Digest gate_version;
  Oid tree;
  Oid parent;
  Digest tool_env;  // empty: unknown, then it is never reused
  Digest inputs;    // over traced reads; empty: unknown
  Digest looks;  // artifact: the looks at the tree; empty: it counts for this tree and parent only
  bool passed = false;
  int exit_status = 0;
  bool timed_out = false;
  Digest output;  // artifact: what it printed
  std::int64_t duration_ms = 0;
  TxnId txn;
  Oid carried_from;       // the tree that the gate ran on, when it did not run on this one
  std::string limited;    // why it counts for this run, or this tree and parent, alone
  std::string missed;     // why nothing counted that was known of the gate, so that it ran
  std::string elsewhere;  // a file of another checkout that it tested, so that it did not pass
  bool flaky = false;     // it passed after it had failed
  UnitTally tally;        // of a gate that is made of units
  std::string refused;    // why none of its units could be run
  Digest units;           // artifact: what each of them said (gates/units/table.h)
  bool operator==(const Certificate&) const = default;
};
void fields(FieldIo& io, Certificate& certificate);

}  // namespace gittxn
