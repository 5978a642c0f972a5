// workflow: create, status, list, advance, skip, rollback, override, verdict, cancel.
#include <fmt/format.h>

#include <algorithm>

#include "api/work.h"
#include "base/json_value.h"
#include "cli/json_out.h"
#include "cli/session.h"
#include "cli/verb_flags.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMostUnfinished = 10;

Json workflow_json(const Workflow& workflow) {
  Json json = to_json(workflow);
  const Phase* open = workflow.open();
  json["open"] = open == nullptr ? Json(nullptr) : Json(encode_path(open->name));
  if (!workflow.cancelled) json["cancelled"] = nullptr;
  return json;
}

Json evidence_json(const std::vector<PhaseEvidence>& gates) {
  Json list = Json::array();
  for (const PhaseEvidence& gate : gates) list.push_back(to_json(gate));
  return list;
}

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
  switch (state) {
    case PhaseState::kOpen:
      return Colour::kYellow;
    case PhaseState::kDone:
      return Colour::kGreen;
    case PhaseState::kOverridden:
    case PhaseState::kCancelled:
      return Colour::kRed;
    default:
      return Colour::kDim;
  }
}

std::string gate_line(const PhaseEvidence& gate, const Style& style) {
  const std::string word = gate.passed ? "holds" : "does not hold";
  return fmt::format("    gate {}  {}{}\n", clean(gate.gate.str()),
                     style.paint(gate.passed ? Colour::kGreen : Colour::kRed, word),
                     gate.why.empty() ? "" : ": " + clean(gate.why));
}

std::string unfinished_text(const std::vector<Txn>& txns) {
  std::string out;
  for (std::size_t i = 0; i < std::min(txns.size(), kMostUnfinished); ++i) {
    const Txn& txn = txns[i];
    out += fmt::format("    {} {}{}\n", padded(state_name(txn.state), 11), clean(txn.id.str()),
                       txn.name.empty() ? "" : fmt::format(" \"{}\"", clean(txn.name)));
  }
  if (txns.size() > kMostUnfinished) {
    out += fmt::format("    and {} more\n", txns.size() - kMostUnfinished);
  }
  return out;
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

Json moved_json(const std::optional<api::PhaseWhy>& moved) {
  if (!moved) return nullptr;
  return {{"what", moved->what},
          {"actor", encode_path(moved->actor)},
          {"reason", encode_path(moved->reason)}};
}

Json unfinished_json(const std::vector<Txn>& txns) {
  Json unfinished = Json::array();
  for (const Txn& txn : txns) {
    unfinished.push_back({{"txn", encode_path(txn.id.str())},
                          {"name", encode_path(txn.name)},
                          {"state", state_name(txn.state)},
                          {"priority", txn.priority},
                          {"owner", encode_path(txn.owner)}});
  }
  return unfinished;
}

Json status_object(const api::WorkflowReport& report) {
  Json json = workflow_json(report.workflow);
  Json phases = Json::array();
  for (const api::PhaseLine& line : report.phases) {
    Json verdicts = Json::array();
    for (const PhaseVerdict& verdict : line.verdicts) verdicts.push_back(to_json(verdict));
    phases.push_back({{"name", encode_path(line.phase.name)},
                      {"state", phase_state_name(line.phase.state)},
                      {"version", line.phase.version},
                      {"moved", moved_json(line.moved)},
                      {"gates", evidence_json(line.gates)},
                      {"verdicts", std::move(verdicts)},
                      {"unfinished", unfinished_json(line.unfinished)}});
  }
  json["phases"] = std::move(phases);
  return json;
}

// What a verb is given, as a line to type.
std::string workflow_usage(const std::string& action) {
  if (action == "create") return "git txn workflow create NAME";
  const std::string line = fmt::format("git txn workflow {} ID", action);
  if (action == "rollback") return line + " --to PHASE --reason TEXT";
  return action == "skip" || action == "override" ? line + " --reason TEXT" : line;
}

Result<int> create(Session& session, api::Kernel& kernel) {
  api::WorkflowRequest request;
  request.name =
      TRY(last_operand(session, workflow_usage, 1, "the name of a workflow of the policy"));
  request.id = session.flag("--as");
  request.key = session.flag("--key");
  request.onto = session.flag("--onto");
  request.actor = session.flag("--actor").value_or("");
  const Workflow workflow = TRY(api::create_workflow(kernel, request));
  if (session.json()) {
    session.out->json(workflow_json(workflow));
  } else if (session.quiet()) {
    session.out->text(workflow.id.str() + "\n");
  } else {
    session.out->text("created " + workflow_sentence(workflow, session.style));
  }
  return kExitDone;
}

Result<int> list_workflows(Session& session, api::Kernel& kernel) {
  if (session.args.operands.size() > 1) {
    return fail(Code::kUsage, "git txn workflow list takes no name",
                "git txn workflow status ID shows one");
  }
  const std::vector<Workflow> all = TRY(api::list_workflows(kernel));
  for (const Workflow& workflow : all) {
    if (session.json()) {
      session.out->json(workflow_json(workflow));
    } else {
      session.out->text(workflow_sentence(workflow, session.style));
    }
  }
  if (all.empty() && !session.json()) {
    session.out->text("no workflow; make one with: git txn workflow create NAME\n");
  }
  return kExitDone;
}

Result<int> tell_workflow(Session& session, api::Kernel& kernel) {
  const std::string id = TRY(last_operand(session, workflow_usage, 1, "the id of a workflow"));
  const api::WorkflowReport report = TRY(api::workflow_status(kernel, id));
  if (session.json()) {
    session.out->json(status_object(report));
  } else {
    session.out->text(status_text(report, session.style));
  }
  return kExitDone;
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

Json move_object(const api::PhaseMoveReport& report) {
  Json not_judged = texts_json(report.not_judged);
  std::vector<std::string> cancelled;
  for (const TxnId& txn : report.cancelled) cancelled.push_back(txn.str());
  const auto or_null = [](const std::string& name) {
    return name.empty() ? Json(nullptr) : Json(encode_path(name));
  };
  return Json{{"workflow", workflow_json(report.workflow)},
              {"moved", report.moved},
              {"from", or_null(report.from)},
              {"to", or_null(report.to)},
              {"gates", evidence_json(report.gates)},
              {"not_judged", std::move(not_judged)},
              {"cancelled", texts_json(cancelled)}};
}

Result<int> move(Session& session, api::Kernel& kernel, const std::string& action) {
  api::PhaseMoveRequest request;
  request.id = TRY(last_operand(session, workflow_usage, 1, "the id of a workflow"));
  request.from = session.flag("--from");
  request.to = session.flag("--to").value_or("");
  request.reason = session.flag("--reason").value_or("");
  request.actor = session.flag("--actor").value_or("");
  if (action == "rollback" && request.to.empty()) {
    return fail(Code::kUsage, "git txn workflow rollback needs the phase to go back to",
                "git txn workflow rollback ID --to PHASE --reason TEXT");
  }
  const api::Progress progress = session.reporter->progress();
  api::PhaseMoveReport report;
  if (action == "advance") report = TRY(api::advance_workflow(kernel, request, progress));
  if (action == "skip") report = TRY(api::skip_workflow(kernel, request, progress));
  if (action == "rollback") report = TRY(api::rollback_workflow(kernel, request, progress));
  if (action == "override") report = TRY(api::override_workflow(kernel, request, progress));
  session.reporter->finish();
  if (session.json()) {
    session.out->json(move_object(report));
  } else if (!session.quiet() || !report.moved) {
    session.out->text(move_text(report, session.style));
  }
  return report.moved ? kExitDone : kExitNo;
}

Result<int> cancel(Session& session, api::Kernel& kernel) {
  api::PhaseMoveRequest request;
  request.id = TRY(last_operand(session, workflow_usage, 1, "the id of a workflow"));
  request.reason = session.flag("--reason").value_or("");
  request.actor = session.flag("--actor").value_or("");
  const api::CancelReport report =
      TRY(api::cancel_workflow(kernel, request, session.reporter->progress()));
  session.reporter->finish();
  if (session.json()) {
    session.out->json({{"workflow", workflow_json(report.workflow)},
                       {"already", report.already},
                       {"unfinished", unfinished_json(report.unfinished)}});
  } else if (!session.quiet()) {
    session.out->text(workflow_sentence(report.workflow, session.style));
    if (!report.unfinished.empty()) {
      session.out->text("  these cannot land any more; git txn abort ID gives one up:\n" +
                        unfinished_text(report.unfinished));
    }
  }
  return kExitDone;
}

Result<int> verdict(Session& session, api::Kernel& kernel) {
  const bool pass = session.args.has("--pass");
  if (pass == session.args.has("--fail")) {
    return fail(Code::kUsage, "a verdict is either --pass or --fail",
                "git txn workflow verdict ID NAME --pass");
  }
  if (session.args.operands.size() != 3) {
    return fail(Code::kUsage, "git txn workflow verdict needs the id of a workflow and a name",
                "git txn workflow verdict ID NAME --pass");
  }
  api::VerdictRequest request;
  request.id = session.args.operands[1];
  request.name = session.args.operands[2];
  request.verdict = pass ? api::VerdictIs::kPass : api::VerdictIs::kFail;
  request.actor = session.flag("--actor").value_or("");
  request.note = session.flag("--note").value_or("");
  const PhaseVerdict given = TRY(api::give_verdict(kernel, request));
  if (session.json()) {
    session.out->json(to_json(given));
  } else if (!session.quiet()) {
    session.out->text(fmt::format("verdict {} of phase {}: {} by {}\n", clean(given.name),
                                  clean(given.phase), given.passed ? "pass" : "fail",
                                  clean(given.actor)));
  }
  return kExitDone;
}

}  // namespace

Result<int> workflow_command(Session& session) {
  const std::string& action = session.args.operands.at(0);
  constexpr VerbFlag kFlags[] = {
      {"--onto", "create"},
      {"--as", "create"},
      {"--key", "create"},
      {"--from", "advance skip override"},
      {"--to", "rollback"},
      {"--reason", "skip rollback override cancel"},
      {"--actor", "create advance skip rollback override verdict cancel"},
      {"--pass", "verdict"},
      {"--fail", "verdict"},
      {"--note", "verdict"}};
  TRY(check_verb_flags(session.args, action, kFlags));
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (action == "create") return create(session, kernel);
  if (action == "list") return list_workflows(session, kernel);
  if (action == "status") return tell_workflow(session, kernel);
  if (action == "verdict") return verdict(session, kernel);
  if (action == "cancel") return cancel(session, kernel);
  return move(session, kernel, action);
}

}  // namespace gittxn::cli
