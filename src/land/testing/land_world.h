// A repository, its store, and transactions that ask to land, made without worktrees or tracing:
// what a test of landing needs and no more. For tests.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/random.h"
#include "land/judge/rules.h"
#include "land/land.h"
#include "repo/testing/scratch_repo.h"
#include "store/events.h"
#include "store/store.h"
#include "store/work/workflows.h"

namespace gittxn::land::testing {

using repo::testing::must;
namespace events = store::events;

inline constexpr Isolation kEveryLevel[] = {Isolation::kReadCommitted, Isolation::kSnapshot,
                                            Isolation::kSemantic, Isolation::kSerializable,
                                            Isolation::kStrict};

// Path -> new content; nullopt removes it.
using FileEdits = std::map<std::string, std::optional<std::string>>;

// `text` with `from`, which has to be in it, replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "' in the text");
  return text.replace(at, from.size(), to);
}

// The failpoints whose names begin like this.
inline std::vector<std::string> failpoints_of(std::string_view prefix) {
  std::vector<std::string> points;
  for (const std::string& name : Failpoint::names()) {
    if (name.starts_with(prefix)) points.push_back(name);
  }
  return points;
}

struct Proposal {
  std::string id;
  FileEdits edits{};
  std::vector<std::string> reads{};  // paths that its agent was shown, whole, from the base
  Isolation isolation = kDefaultIsolation;
  std::string message = "a change\n";
  int priority = 0;
  bool complete = true;             // the read set
  std::vector<std::string> refs{};  // read as they are
  std::string workflow{};           // it belongs to its open phase
  RefName target{"refs/heads/main"};
  std::vector<std::string> left_out{};             // ignored by the base
  std::vector<std::string> other_modes{};          // made executable, or no longer
  std::vector<std::string> run{};                  // a run of the tests whose looks `reads` are
  Question::Kind asked = Question::Kind::kRunner;  // ... or another question
  std::string program;                             // its file; "": /usr/bin/ and its first word
  bool in_between = false;                         // it met a file that changed again
  ReaderClass reader = ReaderClass::kShown;        // of `reads`, but for those of a run
};

// A clone of a hub, and the store that it shares with the others.
struct Member {
  std::string store_dir;
  Hub hub;
};

// What one process would have opened.
struct Process {
  Process(const repo::testing::ScratchRepo& scratch, Clock& clock, Random& random,
          const std::optional<Member>& member = {})
      : repository(scratch.open()),
        store(must(store::Store::open(member ? member->store_dir : repository.txn_dir(), clock))) {
    if (member) context.hub = member->hub;
    context.repository = &repository;
    context.store = &store;
    context.clock = &clock;
    context.random = &random;
    context.gates.repository = &repository;
    context.gates.store = &store;
    context.gates.clock = &clock;
    context.gates.caller = scratch.runner().env();
    context.gates.worktree_root = scratch.root() + "/worktrees";
    context.gates.main_checkout = scratch.path();
    must(make_dirs(context.gates.worktree_root));
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  repo::Repository repository;
  store::Store store;
  Context context;
};

class LandWorld {
 public:
  LandWorld() {
    for (int i = 0; i < 6; ++i) scratch.write("f" + std::to_string(i), "line\n");
    scratch.commit("start");
  }
  // A clone of the bare repository at `url`.
  LandWorld(const std::string& url, Member known) : member(std::move(known)) {
    scratch.git({"remote", "add", member->hub.remote, url});
    scratch.git({"fetch", "-q", member->hub.remote});
    scratch.git({"reset", "-q", "--hard", member->hub.remote + "/main"});
  }

  repo::testing::ScratchRepo scratch;
  SystemClock clock;
  Random random{1};
  std::optional<Member> member;

  Process process() { return Process(scratch, clock, random, member); }

  // A transaction on its branch from its present head, in state prepared.
  TxnId propose(const Proposal& proposal) {
    Process opened(scratch, clock, random, member);
    const Context& context = opened.context;
    const TxnId id(proposal.id);
    const Oid base = must(current_head(context, proposal.target));
    Txn txn;
    txn.id = id;
    txn.target = proposal.target;
    txn.isolation = proposal.isolation;
    txn.command = {"true"};
    txn.owner = "owner@example.com";
    txn.priority = proposal.priority;
    txn.committer = {"Owner", "owner@example.com"};
    txn.slot = must(opened.store.next_slot());
    if (member) txn.clone = member->hub.clone;
    Attempt attempt;
    attempt.base = base;
    std::vector<NewEvent> beginning = begun(opened, txn, proposal.workflow, base);
    beginning.push_back(events::attempt_started(id, attempt));
    must(opened.store.append(beginning));
    take(opened, proposal, base);
    must(opened.store.append({events::prepared(id, 1)}));
    return id;
  }

  // Lands with a short wait; everything opened anew, as a process of its own would.
  Result<LandOutcome> land(const TxnId& id, std::int64_t wait_ms = 0,
                           const std::string& trust_offered = "") {
    Process opened(scratch, clock, random, member);
    LandOptions options;
    options.wait_ms = wait_ms;
    options.trust_offered = trust_offered;
    options.turn_wait_ms = 10'000;
    return land::land(opened.context, id, options);
  }
  RecoveryReport recover() {
    Process opened(scratch, clock, random, member);
    return must(land::recover(opened.context));
  }
  // The same in a process that dies at the failpoint; true: it was killed there.
  bool killed_at(const std::string& failpoint, const TxnId& id,
                 const std::string& trust_offered = "") {
    return dies([&] {
      must(Failpoint::arm(failpoint));
      return land(id, 0, trust_offered).has_value();
    });
  }
  bool recovery_killed_at(const std::string& failpoint) {
    return dies([&] {
      must(Failpoint::arm(failpoint));
      recover();
      return true;
    });
  }

  Oid person_commits(const std::string& path, const std::string& text) {
    scratch.write(path, text);
    scratch.git({"add", path});
    scratch.git({"commit", "-q", "-m", "a person edits " + path, "--", path});
    return scratch.head();
  }

  Txn txn(const TxnId& id) {
    Process opened(scratch, clock, random, member);
    return must(opened.store.txn(id)).value();
  }
  Oid main() const { return scratch.oid(kBranch.str()); }
  std::string status() const { return scratch.git({"status", "--porcelain"}); }
  std::string shown(const std::string& path) const {
    return scratch.git({"show", kBranch.str() + ":" + path});
  }
  std::vector<Event> log() {
    Process opened(scratch, clock, random, member);
    return must(opened.store.events(1, 0));
  }
  int events_of_type(std::string_view type) {
    const std::vector<Event> events = log();
    return static_cast<int>(std::ranges::count(events, type, &Event::type));
  }
  Seq last_event() {
    Process opened(scratch, clock, random, member);
    return must(opened.store.head());
  }
  std::vector<std::string> problems() {
    Process opened(scratch, clock, random, member);
    return must(opened.store.verify_replay()).problems;
  }
  bool locks_left() const {
    return must(exists(scratch.git_dir() + "/index.lock")) ||
           must(exists(scratch.git_dir() + "/refs/heads/main.lock"));
  }

  static inline const RefName kBranch{"refs/heads/main"};

 private:
  static std::vector<NewEvent> begun(Process& opened, Txn& txn, const std::string& workflow,
                                     const Oid& base) {
    if (workflow.empty()) return {events::txn_begun(txn)};
    const Workflow now = must(store::workflow(opened.store, WorkflowId(workflow))).value();
    const Policy policy = must(policy_at(opened.context, base));
    PhaseMember member{now.id, now.open()->name, now.version, now.open()->version, Digest()};
    member.gates = policy.workflow(now.name)->phase(member.phase)->version;
    txn.workflow = workflow;
    txn.phase = member.phase;
    return {events::txn_begun(txn), events::phase_joined(txn.id, member)};
  }

  static Oid edited(repo::Objects& objects, const Oid& base, const Proposal& proposal) {
    const Oid tree = must(objects.tree_of(base));
    std::map<std::string, PathChange> changed;
    for (const auto& [path, text] : proposal.edits) {
      const TreeEntry before = must(objects.entry_at(tree, path));
      changed[path] = {path, before, {}};
      if (!text) continue;
      changed[path].after = {before.present() ? before.mode : FileMode::kFile,
                             must(objects.write_blob(*text))};
    }
    for (const std::string& path : proposal.other_modes) {
      const TreeEntry before = must(objects.entry_at(tree, path));
      PathChange& change =
          changed.try_emplace(path, PathChange{path, before, before}).first->second;
      change.after.mode = before.mode == FileMode::kFile ? FileMode::kExecutable : FileMode::kFile;
    }
    Changes changes;
    for (auto& [path, change] : changed) changes.push_back(std::move(change));
    return must(objects.apply(tree, changes));
  }

  static ReadSet reads_of(const repo::Objects& objects, const Proposal& proposal, const Oid& base) {
    const Oid tree = must(objects.tree_of(base));
    ReadSet set;
    set.complete = proposal.complete;
    if (!set.complete) set.unknown_reason = "a test says so";
    for (const std::string& path : proposal.reads) {
      const TreeEntry entry = must(objects.entry_at(tree, path));
      Read read;
      read.kind = entry.present() ? ReadKind::kContent : ReadKind::kAbsence;
      read.subject = path;
      read.digest = entry.oid.str();
      read.snapshot = base;
      read.question = proposal.run.empty() ? 0 : 1;
      if (proposal.run.empty()) read.reader = proposal.reader;
      set.reads.push_back(std::move(read));
    }
    if (!proposal.run.empty()) {
      Question question;
      question.number = 1;
      question.kind = proposal.asked;
      question.in_between = proposal.in_between;
      question.argv = proposal.run;
      question.program =
          proposal.program.empty() ? "/usr/bin/" + proposal.run.front() : proposal.program;
      question.tree = "/tmp/worktrees/t/1/tree";
      set.questions.push_back(std::move(question));
    }
    normalize(set);
    return set;
  }

  static void add_refs(const Process& opened, const Proposal& proposal, const Oid& base,
                       ReadSet& set) {
    for (const std::string& ref : proposal.refs) {
      Read read;
      read.kind = ReadKind::kRef;
      read.subject = ref;
      read.digest = must(opened.repository.refs().read(RefName(ref))).str();
      read.snapshot = base;
      set.reads.push_back(std::move(read));
    }
    normalize(set);
  }

  static void take(Process& opened, const Proposal& proposal, const Oid& base) {
    repo::Objects& objects = opened.repository.objects();
    const Oid tree = edited(objects, base, proposal);
    const std::string who = "Agent <agent@example.com> 1700000000 +0000";
    const Oid kept = must(objects.write_commit({tree, {base}, who, who, proposal.message, ""}));
    repo::RefUpdate update;
    update.ref = RefName("refs/txn/" + proposal.id + "/1");
    update.desired = kept;
    must(opened.repository.refs().update(update));
    ReadSet reads = reads_of(objects, proposal, base);
    for (Read& read : land::left_out(proposal.left_out, base)) reads.reads.push_back(read);
    add_refs(opened, proposal, base, reads);
    events::Taken taken;
    taken.kept = kept;
    taken.reads = must(opened.store.put_artifact(reads_to_lines(reads)));
    taken.reads_complete = reads.complete;
    taken.unknown_reason = reads.unknown_reason;
    const Changes writes = must(objects.diff(must(objects.tree_of(base)), tree));
    taken.writes = must(opened.store.put_artifact(changes_to_lines(writes)));
    must(opened.store.append({events::taken(TxnId(proposal.id), taken)}));
  }

  static bool dies(const std::function<bool()>& work) {
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork");
    if (pid == 0) {
      bool ok = false;
      try {
        ok = work();
      } catch (const std::exception&) {
        ok = false;
      }
      ::_exit(ok ? 0 : 1);
    }
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid) throw std::runtime_error("waitpid");
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
};

}  // namespace gittxn::land::testing
