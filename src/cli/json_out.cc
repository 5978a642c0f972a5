#include "cli/json_out.h"

#include <algorithm>

#include "base/clock.h"
#include "base/hash.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

void waiting_field(FieldIo& io, const Txn& txn) {
  if (!io.or_null("waiting", txn.waiting_reason)) return;
  io.group("waiting", [&](FieldIo& waiting) {
    waiting.thing("waiting");
    waiting.each_text({{"reason", txn.waiting_reason}, {"subject", txn.waiting_subject}});
  });
}

void txn_fields(FieldIo& io, const Txn& txn) {
  io.each_text({{"txn", txn.id.str()}, {"name", txn.name}});
  io.choice("state", txn.state, state_name);
  io.text_or_null("workflow", txn.workflow);
  io.text_or_null("phase", txn.phase);
  io.text_or_null({"clone", "Of a hub: the one that has its work."}, txn.clone);
  waiting_field(io, txn);
  io.text("branch", txn.target.str());
  io.oid_or_null("base", txn.attempts.empty() ? Oid() : txn.attempts.back().base);
  io.oid_or_null("commit", txn.landed_commit);
  io.choice("isolation", txn.isolation, isolation_name);
  io.text("owner", txn.owner);
  io.integer("priority", txn.priority);
  io.texts("command", txn.command);
  io.integer("attempts", txn.attempts.size(), kNotNegative);
  io.text_or_null("worktree", worktree_of(txn));
  io.text({"begun", "", "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$"}, format_utc(txn.created_wall_ms));
}

void process_field(FieldIo& io, int process) {
  io.integer_or_null(
      {"process", "Of git-txn, where it runs a command of this on this machine now."}, process,
      kPositive);
}

void phase_field(FieldIo& io, const api::StatusReport::Line& line) {
  io.text_or_null({"doing", "What its landing does right now, for people."}, line.phase);
}

void command_exit_field(FieldIo& io, const Txn& txn) {
  const bool none = txn.attempts.empty();
  io.integer_or_null("command_exit", none ? std::nullopt : txn.attempts.back().command_exit);
}

void commit_now_field(FieldIo& io, const Oid& landed, const api::LandingNow& now) {
  using enum api::LandingNow::How;
  io.oid_or_null({"commit_now",
                  "What the commit is on the branch today: another one after a rebase over it; "
                  "null where it is not there any more."},
                 now.how == kGone        ? Oid()
                 : now.how == kRewritten ? now.commit
                                         : landed);
}

void admitted_field(FieldIo& io, const Admission& admitted) {
  if (!io.or_null("admitted", admitted)) return;
  io.group({"admitted",
            "What it landed by beside reads that hold as they are: exceptions of its level, and "
            "questions by their answers, with what asking took."},
           field_list(admitted));
}

void to_ask_field(FieldIo& io, const std::vector<std::string>& commands) {
  io.texts({"to_ask", "Commands that landing would run again: what they looked at has changed."},
           commands);
}

void working_field(FieldIo& io, const api::StatusReport::Line& line) {
  if (!io.or_null("working", line.working.has_value())) return;
  const api::Working working = line.working.value_or(api::Working());
  const auto used = [&](store::Kind kind) {
    return working.used ? std::optional((*working.used)[static_cast<std::size_t>(kind)])
                        : std::nullopt;
  };
  io.group({"working", "Of that command until now; null: what cannot be told."}, [&](FieldIo& of) {
    of.text_or_null({"tool", "The newest tool call that the agent's hooks told."}, working.tool);
    of.text_or_null("tool_time", working.tool_wall_ms == 0 ? "" : format_utc(working.tool_wall_ms));
    of.integer_or_null({"input", "Tokens of prompts, without caches."}, used(store::Kind::kInput));
    of.integer_or_null({"output", "Tokens of answers."}, used(store::Kind::kOutput));
    of.integer_or_null({"cache", "Tokens that caches gave or took."}, used(store::Kind::kCache));
    of.integer_or_null({"changed", "Files that its worktree has changed."}, working.changed);
  });
}

void status_line_fields(FieldIo& io, const api::StatusReport::Line& line) {
  txn_fields(io, line.txn);
  io.boolean("owner_alive", line.owner_alive);
  io.texts("stale", line.stale);
  to_ask_field(io, line.to_ask);
  process_field(io, line.process);
  phase_field(io, line);
  io.text_or_null({"last_call", "When that command made its newest call on record."},
                  line.last_call_wall_ms == 0 ? "" : format_utc(line.last_call_wall_ms));
  working_field(io, line);
  command_exit_field(io, line.txn);
  commit_now_field(io, line.txn.landed_commit, line.landing);
  if (!io.or_null("owed", line.owed)) return;
  io.group(
      {"owed", "Of one that ended without landing: what has yet to undo its effects elsewhere."},
      [&](FieldIo& owed) {
        owed.integer("compensations", line.owed, kPositive);
        owed.text_or_null(
            {"next", "What runs them; null: it is to be typed in the clone that has it."},
            line.owed_next);
      });
}

void stale_fields(FieldIo& io, const api::StaleRead& one) {
  io.each_text({{"subject", one.subject},
                {"changed_by", one.changed_by},
                {"read_by", one.read_by},
                {"diff", one.diff}});
  io.boolean({"rejudged", "It counts as read as it is on the branch; else it stays stale."},
             one.rejudged);
}

void witness_fields(FieldIo& io, const api::WhyReport::Witness& witness) {
  io.each_text({{"path", witness.path}, {"diff", witness.diff}});
}

void gate_fields(FieldIo& io, const GateSpec& gate) {
  io.thing("gate of policy");
  io.text("name", gate.name.str());
  io.texts("command", gate.command);
  io.integer("timeout_ms", gate.timeout_ms, kNotNegative);
  io.texts("env", gate.env);
  io.boolean("carry", gate.carry);
  io.texts("blind", gate.blind);
  io.integer({"fresh", "0: none"}, gate.fresh, kNotNegative);
  io.integer("retries", gate.retries, kNotNegative);
  io.word("flaky", gate.allow_flaky ? "allow" : "block", {"block", "allow"});
  if (io.or_null("units", gate.units.has_value())) {
    const UnitsSpec units = gate.units.value_or(UnitsSpec());
    io.group("units", [&](FieldIo& of) {
      of.texts("list", units.list);
      of.texts("names", units.names);
      of.list_of("prepare", units.prepare,
                 [](FieldIo& each, const std::vector<std::string>& argv) { each.texts("", argv); });
      of.texts("caches", units.caches);
      of.integer({"jobs", "0: as many as there are processors"}, units.jobs, kNotNegative);
      of.boolean("network", units.network);
    });
  }
  io.text("version", gate.version.str());
}

void judged_fields(FieldIo& io, const gates::GateReport& report) {
  const Certificate& one = report.certificate;
  io.thing("gate");
  io.each_text({{"name", one.gate.str()}, {"version", one.gate_version.str()}});
  io.word("result", api::gate_word(one), {"passed", "failed", "timed out"});
  io.boolean("reused", report.reused);
  io.oid_or_null({"carried_from", "the tree that it ran on"}, one.carried_from);
  io.boolean({"flaky", "it passed after it had failed"}, one.flaky);
  if (io.or_null("units", std::as_const(one.units))) {
    io.group({"units", "of a gate that is made of them"}, field_list(one.tally));
  }
  io.text_or_null("certificate", sha256(canonical_text(field_list(one))).str());
}

void read_set_fields(FieldIo& io, const ReadSet& set) {
  io.word("status", set.complete ? "complete" : "unknown", {"complete", "unknown"});
  io.text_or_null("reason", set.complete ? "" : set.unknown_reason);
  io.integer("count", set.reads.size(), kNotNegative);
  io.text_or_null("tool_env", set.tool_env_digest.str());
  io.group("by_source", [&](FieldIo& sources) {
    using enum ReadSource;
    for (const auto source : {kTrace, kHook, kMcp, kTranscript, kDeclared, kCoarse, kKernel}) {
      const char* const name = source_name(source).data();
      const auto count = std::ranges::count(set.reads, source, &Read::source);
      if (sources.maybe(name, count)) sources.integer(name, count, kNotNegative);
    }
  });
}

void write_fields(FieldIo& io, const PathChange& change) {
  io.text("path", change.path);
  io.texts("symbols", std::vector<std::string>());
}

void conflict_fields(FieldIo& io, const Conflict& conflict) {
  io.thing("conflict");
  io.choice("kind", conflict.kind, conflict_kind_name);
  io.text("subject", conflict.subject);
  io.text_or_null("read_digest", conflict.read_digest);
  io.text_or_null("head_digest", conflict.head_digest);
  io.text_or_null("changed_by", conflict.changed_by);
  io.text_or_null("hint", conflict.hint);
  io.text_or_null("read_by", conflict.read_by);
  io.text_or_null("cause", conflict.cause);
  io.text_or_null({"question", "The command that looked at the subject."}, conflict.question);
  io.text_or_null({"answer", "What became of its answer, where it was run again."},
                  conflict.answer);
  io.text_or_null({"shown", "Lines of what it printed then."}, conflict.shown);
}

void repair_fields(FieldIo& io, const api::Outcome::Repair& repair) {
  io.each_text({{"rung", repair.rung}, {"subject", repair.subject}, {"result", repair.result}});
  io.integer({"command_ms", "What its command took."}, repair.ms, kNotNegative);
  io.integer({"tokens", "What its agent told of, input and output."}, repair.tokens, kNotNegative);
}

void mended_fields(FieldIo& io, const Mended& mended) {
  io.word({"rule", "As in the policy."}, mended.rule, {"rename", "rerere"});
  io.text("path", mended.path);
}

// What a program sees of the states in between: they are on their way, and not landed.
std::string_view state_for_programs(TxnState state) {
  const bool between = state == TxnState::kLanding || state == TxnState::kRepairing;
  return state_name(between ? TxnState::kPrepared : state);
}

void outcome_fields(FieldIo& io, const api::Outcome& outcome) {
  const Txn& txn = outcome.txn;
  Changes files = outcome.writes;
  std::erase_if(files, [](const PathChange& change) { return change.is_directory(); });
  io.each_text({{"txn", txn.id.str()}, {"name", txn.name}});
  io.choice("state", txn.state, state_for_programs);
  io.word("outcome", outcome_name(outcome),
          {"landed", "merged", "nothing", "open", "command-failed", "conflict", "rejected",
           "waiting", "aborted", "unfinished"});
  waiting_field(io, txn);
  io.text("branch", txn.target.str());
  io.oid_or_null("base", txn.attempts.empty() ? Oid() : txn.attempts.back().base);
  io.oid_or_null("head_before", outcome.head_before);
  io.oid_or_null("commit", txn.landed_commit);
  io.choice("isolation", txn.isolation, isolation_name);
  io.group("read_set", [&](FieldIo& reads) { read_set_fields(reads, outcome.reads); });
  io.list_of("writes", files, write_fields);
  io.texts("untracked", outcome.untracked);
  io.list_of("conflicts", outcome.conflicts, conflict_fields);
  admitted_field(io, outcome.admitted);
  io.list_of({"mended", "What of it landed otherwise than it was written."}, outcome.mended,
             mended_fields);
  io.integer({"asked_ms", "What running commands again took."}, outcome.asked_ms, kNotNegative);
  io.list_of("repairs", outcome.repair_steps, repair_fields);
  process_field(io, outcome.process);
  io.list_of("gates", outcome.gates, judged_fields);
  io.integer("attempts", txn.attempts.size(), kNotNegative);
  command_exit_field(io, txn);
  io.group("duration_ms", [&](FieldIo& times) {
    times.each_count({{"command", outcome.command_ms}, {"total", outcome.total_ms}});
  });
  io.texts("notes", outcome.notes);
  io.text_or_null("next", outcome.next);
}

template <typename T, void (*kList)(FieldIo&, const T&)>
void with_compensations(FieldIo& io, const WithCompensations<T>& both) {
  kList(io, both.first);
  if (io.maybe("compensations", !both.second.empty())) {
    io.list("compensations", both.second, {.least = 1});
  }
}

}  // namespace

constinit const Printed<Txn> kTxnJson{
    "transaction", "A transaction that was begun, stopped or resumed.", txn_fields};

constinit const Printed<api::Resumed> kResumedJson{
    "resumed", "A transaction that is open again.", [](FieldIo& io, const api::Resumed& resumed) {
      txn_fields(io, resumed.txn);
      const api::WentOn went = resumed.went_on.value_or(api::WentOn());
      if (io.or_null("went_on", went.head)) {
        io.group({"went_on", "The branch was merged into its worktree."}, [&went](FieldIo& on) {
          Oid head = went.head;
          on.oid("head", head);
          on.texts({"marked", "Files with conflict markers."}, went.marked);
          on.texts({"kept", "Paths of which one side was taken, and why."}, went.kept);
          on.list_of("stale", went.stale, stale_fields);
        });
      }
      const api::Outcome outcome = resumed.outcome.value_or(api::Outcome());
      if (io.or_null("outcome", outcome.txn.id)) {
        io.group({"outcome", "Its agent went on, and this came of it."},
                 [&outcome](FieldIo& of) { outcome_fields(of, outcome); });
      }
    }};

constinit const Printed<WithCompensations<Txn>> kAbortedJson{
    "aborted", "A transaction that was aborted, with what undid its effects.",
    with_compensations<Txn, txn_fields>};

constinit const Printed<api::Outcome> kOutcomeJson{
    "outcome", "What came of git txn run and commit: the last line on standard output.",
    outcome_fields};

constinit const Printed<WithCompensations<api::Outcome>> kShowJson{
    "show", "One transaction, with what it registered to undo.",
    with_compensations<api::Outcome, outcome_fields>};

constinit const Printed<Error> kErrorJson{
    "error", "Why a command did not do what it was asked; its exit status is 1, 2 or 3.",
    [](FieldIo& io, const Error& error) {
      io.group("error", [&](FieldIo& inner) {
        inner.choice("code", error.code, code_name);
        inner.text("message", error.message);
        inner.text_or_null("hint", error.hint);
      });
    }};

constinit const Printed<api::StatusReport> kStatusJson{
    "status",
    "What has not ended, or is not undone yet, what is stale of it, and who holds which lock.",
    [](FieldIo& io, const api::StatusReport& report) {
      io.list_of("transactions", report.lines, status_line_fields);
      io.texts("holders", report.holders);
      io.texts("notes", report.notes);
      io.boolean("uncommitted", report.uncommitted);
    }};

constinit const Printed<api::QueueLine> kQueueJson{
    "queue", "A transaction that is about to land. One a line, in the order of each branch's line.",
    [](FieldIo& io, const api::QueueLine& one) {
      io.integer({"place", "On its branch."}, one.place, kPositive);
      txn_fields(io, one.line.txn);
      phase_field(io, one.line);
      io.boolean({"alive", "Whether a process is at it."},
                 one.line.owner_alive || !one.line.phase.empty());
    }};

constinit const Printed<api::WhyReport> kWhyJson{"why", "Why a transaction waits or did not land.",
                                                 [](FieldIo& io, const api::WhyReport& report) {
                                                   txn_fields(io, report.txn);
                                                   io.list("conflicts", report.conflicts);
                                                   io.list_of("witnesses", report.witnesses,
                                                              witness_fields);
                                                   io.texts("excused", report.excused);
                                                   admitted_field(io, report.admitted);
                                                   to_ask_field(io, report.to_ask);
                                                   io.texts("history", report.history);
                                                   io.texts("next", report.next);
                                                   process_field(io, report.process);
                                                 }};

constinit const Printed<api::LogLine> kLogJson{
    "log",
    "One landing, or one move of a branch from outside (txn is null). One a line, the newest "
    "first.",
    [](FieldIo& io, const api::LogLine& line) {
      io.integer("seq", line.seq, kPositive);
      io.text("time", line.time);
      io.oid_or_null("commit", line.commit);
      commit_now_field(io, line.commit, line.landing);
      io.text_or_null("txn", line.txn.str());
      io.each_text({{"name", line.name}, {"branch", line.branch.str()}, {"who", line.who}});
      admitted_field(io, line.admitted);
    }};

constinit const Printed<GateSpec> kGateJson{"gate", "One gate of a branch.", gate_fields};

constinit const Printed<std::vector<gates::GateReport>> kGatesJson{
    "gates", "What gates said of a change.",
    [](FieldIo& io, const std::vector<gates::GateReport>& reports) {
      io.list_of("gates", reports, judged_fields);
    }};

constinit const Printed<Read> kReadJson{
    "read", "One read that a transaction depends on. One a line, sorted by subject.", fields_of};

constinit const Printed<Read> kReadExplainedJson{
    "read-explained", "One read, why it counts, and who made it. One a line, sorted by subject.",
    [](FieldIo& io, const Read& read) {
      fields_of(io, read);
      io.each_text({{"why", why_it_counts(read)}, {"by", who_made_it(read)}});
    }};

void removed_fields(FieldIo& io, const std::string& name) {
  io.text("name", name);
  io.yes("removed");
}

std::string reads_json_lines(const ReadSet& reads, const Printed<Read>& printed) {
  std::vector<Read> sorted = reads.reads;
  std::ranges::stable_sort(sorted, {}, &Read::subject);
  return json_lines(sorted, printed);
}

}  // namespace gittxn::cli
