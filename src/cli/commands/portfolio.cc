// portfolio status, add, needs, remove, relay.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/work.h"
#include "base/json_value.h"
#include "cli/json_out.h"
#include "cli/session.h"
#include "cli/verb_flags.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kWorkflowsShown = 3;

Json member_json(const store::Member& member) {
  return Json{{"name", member.name},
              {"place", encode_path(member.place)},
              {"log", member.log},
              {"needs", texts_json(member.needs)}};
}

std::string member_sentence(const store::Member& member) {
  return fmt::format(
      "{} at {}{}\n", clean(member.name), clean(member.place),
      member.needs.empty() ? "" : clean(fmt::format(", needs {}", fmt::join(member.needs, ", "))));
}

std::string workflow_words(const Workflow& workflow) {
  const Phase* open = workflow.open();
  const std::string where = workflow.cancelled ? "cancelled"
                            : open == nullptr  ? "finished"
                                               : "phase " + clean(open->name) + " is open";
  return fmt::format("{} ({}): {}", clean(workflow.id.str()), clean(workflow.name), where);
}

Json line_json(const api::MemberLine& line) {
  Json json = member_json(line.member);
  Json workflows = Json::array();
  for (const Workflow& workflow : line.workflows) {
    const Phase* open = workflow.open();
    workflows.push_back({{"id", encode_path(workflow.id.str())},
                         {"name", encode_path(workflow.name)},
                         {"open", open == nullptr ? Json() : Json(encode_path(open->name))},
                         {"cancelled", workflow.cancelled.has_value()}});
  }
  json["problem"] = line.problem.empty() ? Json() : Json(encode_path(line.problem));
  json["workflows"] = std::move(workflows);
  json["head"] = line.head;
  json["told"] = line.told;
  json["waiting"] = line.waiting;
  return json;
}

std::string line_text(const api::MemberLine& line, const Style& style) {
  std::string out = style.paint(Colour::kBold, clean(line.member.name)) +
                    member_sentence(line.member).substr(clean(line.member.name).size());
  if (!line.problem.empty()) {
    return out + "  " + style.paint(Colour::kRed, clean(line.problem)) + "\n";
  }
  for (std::size_t i = 0; i < std::min(line.workflows.size(), kWorkflowsShown); ++i) {
    out += "  " + workflow_words(line.workflows[i]) + "\n";
  }
  if (line.workflows.size() > kWorkflowsShown) {
    out += fmt::format("  and {} more\n", line.workflows.size() - kWorkflowsShown);
  }
  if (line.waiting > 0) {
    out +=
        fmt::format("  {} to tell it: git txn portfolio relay\n", counted(line.waiting, "event"));
  }
  return out;
}

Json relayed_json(const store::Relayed& one) {
  return Json{{"source", one.source}, {"place", encode_path(one.place)},
              {"seq", one.seq},       {"time", one.time},
              {"type", one.type},     {"subject", encode_path(one.subject)}};
}

Result<int> tell_portfolio(Session& session, api::Kernel& kernel) {
  if (session.args.operands.size() > 1) {
    return fail(Code::kUsage, "git txn portfolio status takes no name",
                "git txn portfolio shows every member");
  }
  const api::PortfolioReport report = TRY(portfolio_status(kernel));
  const bool well = std::ranges::all_of(
      report.members, [](const api::MemberLine& line) { return line.problem.empty(); });
  if (session.json()) {
    Json members = Json::array();
    for (const api::MemberLine& line : report.members) members.push_back(line_json(line));
    Json relayed = Json::array();
    for (const store::Relayed& one : report.relayed) relayed.push_back(relayed_json(one));
    session.out->json({{"members", std::move(members)}, {"relayed", std::move(relayed)}});
    return well ? kExitDone : kExitNo;
  }
  std::string out;
  for (const api::MemberLine& line : report.members) out += line_text(line, session.style);
  for (const store::Relayed& one : report.relayed) {
    out += fmt::format("told by {}: {} of {}, {}\n", clean(one.place), one.type, clean(one.subject),
                       one.time);
  }
  if (out.empty()) out = "no portfolio; add a repository with: git txn portfolio add REPO\n";
  session.out->text(out);
  return well ? kExitDone : kExitNo;
}

Result<std::string> only_operand(const Session& session, std::string_view what) {
  const auto& operands = session.args.operands;
  if (operands.size() == 2) return operands[1];
  return fail(
      Code::kUsage, fmt::format("git txn portfolio {} needs one {}", operands[0], what),
      operands[0] == "add" ? "git txn portfolio add PATH" : "git txn portfolio remove NAME");
}

Result<int> tell(Session& session, const store::Member& member) {
  if (session.json()) {
    session.out->json(member_json(member));
  } else if (!session.quiet()) {
    session.out->text("member " + member_sentence(member));
  }
  return kExitDone;
}

Result<int> add(Session& session, api::Kernel& kernel) {
  api::MemberRequest request;
  request.path = TRY(only_operand(session, "repository"));
  request.name = session.flag("--as");
  if (session.args.has("--needs")) request.needs = session.args.texts("--needs");
  request.actor = session.flag("--actor").value_or("");
  return tell(session, TRY(add_member(kernel, request)));
}

Result<int> needs(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  if (operands.size() < 2) {
    return fail(Code::kUsage, "git txn portfolio needs: whose?",
                "git txn portfolio needs NAME [NAME...]");
  }
  const std::vector<std::string> names(operands.begin() + 2, operands.end());
  return tell(session,
              TRY(set_needs(kernel, operands[1], names, session.flag("--actor").value_or(""))));
}

Result<int> remove_member(Session& session, api::Kernel& kernel) {
  const std::string name = TRY(only_operand(session, "member"));
  TRY(remove_member(kernel, name, session.flag("--actor").value_or("")));
  if (session.json()) {
    session.out->json({{"name", encode_path(name)}, {"removed", true}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("{} is no member any more\n", clean(name)));
  }
  return kExitDone;
}

Result<int> relay(Session& session, api::Kernel& kernel) {
  if (session.args.operands.size() > 1) {
    return fail(Code::kUsage, "git txn portfolio relay takes no name", "it tells every member");
  }
  int events = 0;
  const auto how = session.args.has("--anew") ? store::Relay::kAnew : store::Relay::kOn;
  const api::RelayReport report = TRY(relay_events(kernel, how));
  for (const api::RelayLine& line : report.told) {
    events += line.events;
    if (session.json()) {
      session.out->json({{"name", line.name}, {"events", line.events}});
    } else if (!session.quiet() && line.events > 0) {
      session.out->text(
          fmt::format("{} was told {}\n", clean(line.name), counted(line.events, "event")));
    }
  }
  if (report.left) return std::unexpected(*report.left);
  if (session.json() || session.quiet() || events > 0) return kExitDone;
  session.out->text(report.told.empty() ? "the portfolio has no member\n"
                                        : "every member knows all\n");
  return kExitDone;
}

}  // namespace

Result<int> portfolio_command(Session& session) {
  constexpr VerbFlag kFlags[] = {
      {"--as", "add"}, {"--needs", "add"}, {"--anew", "relay"}, {"--actor", "add needs remove"}};
  const std::string verb = session.args.operands.empty() ? "status" : session.args.operands.front();
  TRY(check_verb_flags(session.args, verb, kFlags));
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (verb == "add") return add(session, kernel);
  if (verb == "needs") return needs(session, kernel);
  if (verb == "remove") return remove_member(session, kernel);
  if (verb == "relay") return relay(session, kernel);
  return tell_portfolio(session, kernel);
}

}  // namespace gittxn::cli
