// workflow: create, status, list, advance, skip, rollback, override, verdict, cancel.
#include <fmt/format.h>

#include <algorithm>

#include "api/work.h"
#include "base/fields.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMostUnfinished = 10;

void workflow_fields_but_phases(FieldIo& io, const Workflow& workflow) {
  const Phase* open = workflow.open();
  io.each_text({{"id", workflow.id.str()},
                {"name", workflow.name},
                {"branch", workflow.branch.str()},
                {"actor", workflow.actor}});
  io.integer("version", workflow.version, kPositive);
  io.text_or_null("open", open == nullptr ? "" : open->name);
  if (!io.or_null("cancelled", workflow.cancelled.has_value())) return;
  const Cancelled cancelled = workflow.cancelled.value_or(Cancelled{});
  io.value(
      {"cancelled", "Who cancelled it, and why (\"\" when no reason was given); null: nobody did."},
      cancelled);
}

void workflow_fields(FieldIo& io, const Workflow& workflow) {
  io.thing("workflow");
  workflow_fields_but_phases(io, workflow);
  io.list("phases", workflow.phases);
}

constexpr Printed<Workflow> kWorkflowJson{"workflow", "A workflow and its phases.",
                                          workflow_fields};

std::string where_it_is(const Workflow& workflow) {
  if (workflow.cancelled) return "cancelled by " + clean(workflow.cancelled->actor);
  const Phase* open = workflow.open();
  return open == nullptr ? "finished" : fmt::format("phase {} is open", clean(open->name));
}

// "w-auth (feature) on main: phase build is open"
std::string workflow_sentence(const Workflow& workflow, const Style& style) {
  return fmt::format("{} ({}) on {}: {}\n", style.paint(Colour::kBold, clean(workflow.id.str())),
                     clean(workflow.name), short_branch(workflow.branch), where_it_is(workflow));
}

Colour colour_of(PhaseState state) {
  using enum PhaseState;
  if (state == kOpen) return Colour::kYellow;
  if (state == kDone) return Colour::kGreen;
  return state == kOverridden || state == kCancelled ? Colour::kRed : Colour::kDim;
}

std::string gate_line(const PhaseEvidence& gate, const Style& style) {
  const std::string word = gate.passed ? "holds" : "does not hold";
  return fmt::format("    gate {}  {}{}\n", clean(gate.gate.str()),
                     style.paint(gate.passed ? Colour::kGreen : Colour::kRed, word),
                     gate.why.empty() ? "" : ": " + clean(gate.why));
}

std::string unfinished_text(const std::vector<Txn>& txns) {
  const auto line = [](const Txn& txn) {
    return fmt::format("    {} {}{}\n", padded(state_name(txn.state), 11), clean(txn.id.str()),
                       txn.name.empty() ? "" : fmt::format(" \"{}\"", clean(txn.name)));
  };
  return first_of(txns, kMostUnfinished, line, "    ");
}

std::string status_text(const api::WorkflowReport& report, const Style& style) {
  std::string out = workflow_sentence(report.workflow, style);
  for (const api::PhaseLine& line : report.phases) {
    const std::string word(phase_state_name(line.phase.state));
    out += fmt::format("  {} {}\n", style.paint(colour_of(line.phase.state), padded(word, 10)),
                       clean(line.phase.name));
    if (line.moved) {
      const std::string& reason = line.moved->reason;
      out += fmt::format("    {} by {}{}\n", line.moved->what, clean(line.moved->actor),
                         reason.empty() ? "" : ": " + clean(reason));
    }
    for (const PhaseEvidence& gate : line.gates) out += gate_line(gate, style);
    for (const PhaseVerdict& verdict : line.verdicts) {
      out += fmt::format("    verdict {}  {} by {}{}\n", clean(verdict.name),
                         verdict.passed ? "pass" : "fail", clean(verdict.actor),
                         verdict.note.empty() ? "" : ": " + clean(verdict.note));
    }
    out += unfinished_text(line.unfinished);
  }
  return out;
}

void moved_fields(FieldIo& io, const api::PhaseWhy& moved) {
  io.word("what", moved.what, {"skipped", "overridden", "rolled back to", "cancelled"});
  io.each_text({{"actor", moved.actor}, {"reason", moved.reason}});
}

void unfinished_fields(FieldIo& io, const Txn& txn) {
  io.each_text({{"txn", txn.id.str()}, {"name", txn.name}});
  io.choice("state", txn.state, state_name);
  io.integer("priority", txn.priority);
  io.text("owner", txn.owner);
}

void phase_fields(FieldIo& io, const api::PhaseLine& line) {
  io.text("name", line.phase.name);
  io.choice("state", line.phase.state, phase_state_name);
  io.integer("version", line.phase.version, kPositive);
  if (io.or_null("moved", line.moved.has_value())) {
    io.group({"moved", "Who brought it where it is past its gates, and why."},
             [&](FieldIo& moved) { moved_fields(moved, line.moved.value_or(api::PhaseWhy{})); });
  }
  io.list("gates", line.gates);
  io.list("verdicts", line.verdicts);
  io.list_of("unfinished", line.unfinished, unfinished_fields);
}

constexpr Printed<api::WorkflowReport> kWorkflowStatusJson{
    "workflow-status",
    "A workflow, and of each phase its gates, verdicts and unfinished transactions.",
    [](FieldIo& io, const api::WorkflowReport& report) {
      workflow_fields_but_phases(io, report.workflow);
      io.list_of("phases", report.phases, phase_fields);
    }};

constexpr Printed<api::PhaseMoveReport> kWorkflowMoveJson{
    "workflow-move", "Whether a workflow moved, and what its gates said.",
    [](FieldIo& io, const api::PhaseMoveReport& report) {
      io.group("workflow", [&](FieldIo& one) { workflow_fields(one, report.workflow); });
      io.boolean("moved", report.moved);
      io.text_or_null("from", report.from);
      io.text_or_null("to", report.to);
      io.list("gates", report.gates);
      io.texts("not_judged", report.not_judged);
      io.list_of("cancelled", report.cancelled,
                 [](FieldIo& each, const TxnId& txn) { each.text("", txn.str()); });
    }};

constexpr Printed<api::CancelReport> kWorkflowCancelledJson{
    "workflow-cancelled",
    "A workflow that was cancelled, and which transactions of it cannot land any more.",
    [](FieldIo& io, const api::CancelReport& report) {
      io.group("workflow", [&](FieldIo& one) { workflow_fields(one, report.workflow); });
      io.boolean({"already", "It had been cancelled before; who and why is what it was then."},
                 report.already);
      io.list_of("unfinished", report.unfinished, unfinished_fields);
    }};

constexpr Printed<PhaseVerdict> kVerdictJson{"verdict", "A verdict on a phase.", fields_of};

Result<int> workflow_create(Session& session, api::Kernel& kernel) {
  api::WorkflowRequest request;
  request.name = session.args.operands[0];
  request.id = session.flag("--as");
  request.key = session.flag("--key");
  request.onto = session.flag("--onto");
  request.actor = session.text_of("--actor");
  const Workflow workflow = TRY(api::create_workflow(kernel, request));
  return session.made(kWorkflowJson(workflow), workflow.id.str(),
                      "created " + workflow_sentence(workflow, session.style));
}

Result<int> workflow_list(Session& session, api::Kernel& kernel) {
  return session.list(
      TRY(api::list_workflows(kernel)), kWorkflowJson,
      [&](const Workflow& workflow) { return workflow_sentence(workflow, session.style); },
      "no workflow; make one with: git txn workflow create NAME\n");
}

Result<int> workflow_status(Session& session, api::Kernel& kernel) {
  const api::WorkflowReport report = TRY(api::workflow_status(kernel, session.id()));
  return session.show(kWorkflowStatusJson(report), status_text(report, session.style));
}

std::string move_text(const api::PhaseMoveReport& report, const Style& style) {
  std::string out;
  for (const PhaseEvidence& gate : report.gates) out += gate_line(gate, style);
  for (const std::string& gate : report.not_judged) {
    out += fmt::format("    gate {}  was not run\n", clean(gate));
  }
  for (const TxnId& txn : report.cancelled) {
    out += fmt::format("    {} aborted, its work is kept\n", clean(txn.str()));
  }
  if (report.moved) return out + workflow_sentence(report.workflow, style);
  return out + fmt::format("{} stays in phase {}: not every gate holds\n",
                           clean(report.workflow.id.str()), clean(report.from));
}

template <api::PhaseVerb kVerb>
Result<int> move(Session& session, api::Kernel& kernel) {
  api::PhaseMoveRequest request;
  request.id = session.id();
  request.from = session.flag("--from");
  request.to = session.text_of("--to");
  request.reason = session.text_of("--reason");
  request.actor = session.text_of("--actor");
  const api::PhaseMoveReport report =
      TRY(api::move_workflow(kernel, kVerb, request, session.progress()));
  const std::string text = move_text(report, session.style);
  session.show(kWorkflowMoveJson(report), session.quiet() && report.moved ? "" : text);
  return report.moved ? kExitDone : kExitNo;
}

Result<int> workflow_cancel(Session& session, api::Kernel& kernel) {
  api::PhaseMoveRequest request;
  request.id = session.id();
  request.reason = session.text_of("--reason");
  request.actor = session.text_of("--actor");
  const api::CancelReport report = TRY(api::cancel_workflow(kernel, request, session.progress()));
  std::string text = workflow_sentence(report.workflow, session.style);
  if (!report.unfinished.empty()) {
    text += "  these cannot land any more; git txn abort ID gives one up:\n" +
            unfinished_text(report.unfinished);
  }
  return session.done(kWorkflowCancelledJson(report), text);
}

Result<int> workflow_verdict(Session& session, api::Kernel& kernel) {
  const bool pass = session.args.has("--pass");
  if (pass == session.args.has("--fail")) {
    return fail(Code::kUsage, "a verdict is either --pass or --fail",
                "git txn workflow verdict ID NAME --pass");
  }
  PhaseVerdict verdict;
  verdict.name = session.args.operands[1];
  verdict.passed = pass;
  verdict.actor = session.text_of("--actor");
  verdict.note = session.text_of("--note");
  const PhaseVerdict given = TRY(api::give_verdict(kernel, session.id(), verdict));
  return session.done(
      kVerdictJson(given),
      fmt::format("verdict {} of phase {}: {} by {}\n", clean(given.name), clean(given.phase),
                  given.passed ? "pass" : "fail", clean(given.actor)));
}

constexpr FlagSpec kPhaseFrom{"--from", "PHASE", "only when this phase is open"};
constexpr FlagSpec kPhaseReason{"--reason", "TEXT", "why; for the record"};
constexpr OperandSpec kWorkflowId{"ID", Value::kText,           1,
                                  1,    "the id of a workflow", "workflow list"};

const CommandSpec kWorkflowCommand{
    .name = "workflow",
    .summary = "move work through phases that gates guard",
    .description =
        "A workflow is an ordered chain of phases, defined as [workflow.NAME] in .gittxn.toml of "
        "the target branch, with what must hold before each is left: a command on the branch's "
        "head, a path that is there, no transaction of the phase unfinished, a verdict, how far "
        "the members of a portfolio are. Transactions are begun in the phase that is open (git txn "
        "run --workflow ID). One whose phase was left before it landed is dropped, or carried over "
        "to the open one, as the policy says (on_close).\n\nadvance moves on when every gate holds "
        "(exit 1 when one does not), skip leaves a phase that has no gates, override moves past "
        "gates that do not hold, rollback goes back to an earlier phase and aborts what is "
        "unfinished in the later ones. Each is on record with who and why, which status shows, and "
        "two at a time cannot both succeed.\n\ncancel ends a workflow before its last phase is "
        "left: nothing is begun in it and nothing moves it any more. Its unfinished transactions "
        "go on, agents that run in them are told, and none of them lands. To cancel it again "
        "changes nothing. Its id is not used again. One whose work is done early is moved on phase "
        "by phase, with skip or override, so that no gate is passed without a word.\n\nInside a "
        "transaction only status and list are allowed; what they show counts as read.",
    .group = Group::kPolicy,
    .subcommands = {
        {.name = "workflow create",
         .summary = "begin a workflow that the policy defines",
         .effect = Effect::kWrites,
         .handler = workflow_create,
         .operands = {{"NAME", Value::kText, 1, 1, "the name of a workflow of the policy"}},
         .flags =
             {{"--onto", "BRANCH",
               "the branch whose policy and head it is judged on (default: the one checked out)",
               Value::kBranch},
              {"--as", "ID", "its id (default: made up)"},
              {"--key", "KEY", "when it was created under this key before, give that one back"},
              kActor},
         .examples = {{"git txn workflow create feature --as w-auth", "its first phase is open"},
                      {"git txn run --workflow w-auth -- claude -p 'write the plan'",
                       "a transaction of the open phase"}},
         .outputs = {{kWorkflowJson}}},
        {.name = "workflow status",
         .summary = "show its phases, their gates, and what is unfinished in them",
         .handler = workflow_status,
         .operands = {kWorkflowId},
         .examples = {{"git txn workflow status w-auth", "how far it is, and what holds it up"}},
         .outputs = {{kWorkflowStatusJson}}},
        {.name = "workflow list",
         .summary = "list the workflows, the newest first",
         .handler = workflow_list,
         .examples = {{"git txn workflow list", "each with the phase that is open"}},
         .outputs = {{kWorkflowJson, "", Lines::kMany}}},
        {.name = "workflow advance",
         .summary = "leave the open phase for the next, when every gate holds",
         .effect = Effect::kWrites,
         .handler = move<api::PhaseVerb::kAdvance>,
         .operands = {kWorkflowId},
         .flags = {kPhaseFrom, kActor},
         .examples = {{"git txn workflow advance w-auth",
                       "to the next phase, when every gate holds"}},
         .outputs = {{kWorkflowMoveJson}}},
        {.name = "workflow skip",
         .summary = "leave the open phase, which has no gates, without working it",
         .effect = Effect::kWrites,
         .handler = move<api::PhaseVerb::kSkip>,
         .operands = {kWorkflowId},
         .flags = {kPhaseFrom, kPhaseReason, kActor},
         .examples = {{"git txn workflow skip w-auth --reason 'nothing to plan'",
                       "a phase without gates"}},
         .outputs = {{kWorkflowMoveJson}}},
        {.name = "workflow rollback",
         .summary = "go back to an earlier phase",
         .effect = Effect::kWrites,
         .handler = move<api::PhaseVerb::kRollback>,
         .operands = {kWorkflowId},
         .flags = {needed({"--to", "PHASE", "the phase to go back to"}), kPhaseReason, kActor},
         .examples = {{"git txn workflow rollback w-auth --to plan --reason 'the plan was wrong'",
                       "back; what runs in later phases is aborted, its work kept"}},
         .outputs = {{kWorkflowMoveJson}}},
        {.name = "workflow override",
         .summary = "leave the open phase although gates of it do not hold",
         .effect = Effect::kWrites,
         .handler = move<api::PhaseVerb::kOverride>,
         .operands = {kWorkflowId},
         .flags = {kPhaseFrom, kPhaseReason, kActor},
         .examples = {{"git txn workflow override w-auth --reason 'the gate is broken'",
                       "past gates that do not hold; who and why is on record"}},
         .outputs = {{kWorkflowMoveJson}}},
        {.name = "workflow verdict",
         .summary = "say whether what a gate of the open phase asks about is good",
         .effect = Effect::kWrites,
         .handler = workflow_verdict,
         .operands = {kWorkflowId, {"NAME", Value::kText, 1, 1, "the name of the verdict"}},
         .flags = {{"--pass", "", "it is good"},
                   {"--fail", "", "it is not"},
                   {"--note", "TEXT", "what to say with it"},
                   kActor},
         .examples = {{"git txn workflow verdict w-auth review --pass",
                       "what a gate of the phase may ask for"}},
         .outputs = {{kVerdictJson}}},
        {.name = "workflow cancel",
         .summary = "end a workflow before its last phase is left",
         .effect = Effect::kWrites,
         .handler = workflow_cancel,
         .operands = {kWorkflowId},
         .flags = {kPhaseReason, kActor},
         .examples = {{"git txn workflow cancel w-auth --reason 'made by mistake'",
                       "its end; what is unfinished in it cannot land any more"}},
         .outputs = {{kWorkflowCancelledJson}}}}};

}  // namespace

std::vector<CommandSpec> workflow_commands() {
  return {kWorkflowCommand};
}

}  // namespace gittxn::cli
