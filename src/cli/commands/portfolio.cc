// portfolio status, add, needs, remove, relay.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/work.h"
#include "base/json.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

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

std::string workflow_line(const Workflow& workflow) {
  const Phase* open = workflow.open();
  const std::string where = workflow.cancelled ? "cancelled"
                            : open == nullptr  ? "finished"
                                               : "phase " + clean(open->name) + " is open";
  return fmt::format("  {} ({}): {}\n", clean(workflow.id.str()), clean(workflow.name), where);
}

Json line_json(const api::MemberLine& line) {
  Json json = member_json(line.member);
  json["problem"] = or_null(line.problem);
  json["workflows"] = each_of(line.workflows, [](const Workflow& workflow) {
    const Phase* open = workflow.open();
    return Json{{"id", encode_path(workflow.id.str())},
                {"name", encode_path(workflow.name)},
                {"open", open == nullptr ? Json() : Json(encode_path(open->name))},
                {"cancelled", workflow.cancelled.has_value()}};
  });
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
  out += first_of(line.workflows, kWorkflowsShown, workflow_line, "  ");
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

Result<int> portfolio_status_command(Session& session, api::Kernel& kernel) {
  const api::PortfolioReport report = TRY(portfolio_status(kernel));
  const bool well = std::ranges::all_of(
      report.members, [](const api::MemberLine& line) { return line.problem.empty(); });
  std::string out;
  for (const api::MemberLine& line : report.members) out += line_text(line, session.style);
  for (const store::Relayed& one : report.relayed) {
    out += fmt::format("told by {}: {} of {}, {}\n", clean(one.place), one.type, clean(one.subject),
                       one.time);
  }
  if (out.empty()) out = "no portfolio; add a repository with: git txn portfolio add REPO\n";
  session.show({{"members", each_of(report.members, line_json)},
                {"relayed", each_of(report.relayed, relayed_json)}},
               out);
  return well ? kExitDone : kExitNo;
}

Result<int> tell(Session& session, const store::Member& member) {
  return session.done(member_json(member), "member " + member_sentence(member));
}

Result<int> portfolio_add(Session& session, api::Kernel& kernel) {
  api::MemberRequest request;
  request.path = session.args.operands[0];
  request.name = session.flag("--as");
  if (session.args.has("--needs")) request.needs = session.args.texts("--needs");
  request.actor = session.text_of("--actor");
  return tell(session, TRY(add_member(kernel, request)));
}

Result<int> portfolio_needs(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  const std::vector<std::string> names(operands.begin() + 1, operands.end());
  return tell(session, TRY(set_needs(kernel, operands[0], names, session.text_of("--actor"))));
}

Result<int> portfolio_remove(Session& session, api::Kernel& kernel) {
  const std::string& name = session.id();
  TRY(remove_member(kernel, name, session.text_of("--actor")));
  return session.done({{"name", encode_path(name)}, {"removed", true}},
                      fmt::format("{} is no member any more\n", clean(name)));
}

Result<int> portfolio_relay(Session& session, api::Kernel& kernel) {
  const auto how = session.args.has("--anew") ? store::Relay::kAnew : store::Relay::kOn;
  const api::RelayReport report = TRY(relay_events(kernel, how));
  std::string text, json;
  for (const api::RelayLine& line : report.told) {
    json += json_line({{"name", line.name}, {"events", line.events}});
    if (line.events == 0) continue;
    text += fmt::format("{} was told {}\n", clean(line.name), counted(line.events, "event"));
  }
  if (text.empty() && !report.left) {
    text = report.told.empty() ? "the portfolio has no member\n" : "every member knows all\n";
  }
  session.out->text(session.json() ? json : session.quiet() ? "" : text);
  if (report.left) return std::unexpected(*report.left);
  return kExitDone;
}

constexpr OperandSpec kMemberName{"NAME", Value::kText, 1, 1, "the name of a member", "portfolio"};

const CommandSpec kPortfolioCommand{
    .name = "portfolio",
    .summary = "multi-repository changes: workflows that span repositories here",
    .description =
        "The repository you are in keeps the list of its members, what needs what (a circle is "
        "refused), and the workflow that leads. A gate members = \"WORKFLOW/PHASE\" of one of its "
        "phases holds when every member has left that phase of its own newest workflow of that "
        "name; members = \"WORKFLOW\" when each has finished it.\n\nrelay tells the members how "
        "the workflows here moved: each such event is in a member's log once, however often it is "
        "relayed. One that cannot be told is named, and keeps no other from being told (exit 2). "
        "[on.\"phase.advanced\"] run = \"git txn portfolio relay\" in .gittxn.toml does it each "
        "time; [on.\"portfolio.relayed\"] in a member's policy is given what it was told. All but "
        "status are refused inside of a transaction.",
    .group = Group::kPolicy,
    .subcommands =
        {{.name = "portfolio status",
          .summary = "show its members, what others need first, and how far each is",
          .handler = portfolio_status_command,
          .examples = {{"git txn portfolio",
                        "its members, what others need first, and how far each is"}},
          .outputs = {{"portfolio"}}},
         {.name = "portfolio add",
          .summary = "add a repository",
          .effect = Effect::kWrites,
          .handler = portfolio_add,
          .operands = {{"REPO", Value::kFolder, 1, 1, "the path of a repository"}},
          .flags = {{"--as", "NAME", "what to call it (default: the name of its folder)"},
                    {"--needs", "NAME",
                     "a member that comes before it; may be given several times"},
                    kActor},
          .examples = {{"git txn portfolio add ../api",
                        "a repository whose work belongs to this one's"},
                       {"git txn portfolio add ../web --needs api", "and one that comes after it"}},
          .outputs = {{"member"}}},
         {.name = "portfolio needs",
          .summary = "say which members come before one",
          .effect = Effect::kWrites,
          .handler = portfolio_needs,
          .operands = {kMemberName, {"NEEDED", Value::kText, 0, 63}},
          .flags = {kActor},
          .examples = {{"git txn portfolio needs web api shared", "what web needs, from now on"}},
          .outputs = {{"member"}}},
         {.name = "portfolio remove",
          .summary = "take a member off the list",
          .effect = Effect::kWrites,
          .handler = portfolio_remove,
          .operands = {kMemberName},
          .flags = {kActor},
          .examples = {{"git txn portfolio remove api", "its repository is left as it is"}},
          .outputs = {{"member-removed"}}},
         {.name = "portfolio relay",
          .summary = "tell the members how this repository's workflows moved",
          .effect = Effect::kWrites,
          .handler = portfolio_relay,
          .flags = {{"--anew", "",
                     "after an older copy of this log was put back, take back what it does not "
                     "have any more"}},
          .examples = {{"git txn portfolio relay",
                        "tell the members how this repository's workflows moved"}},
          .outputs = {{"relayed", "", Lines::kMany}}}},
    .otherwise = "status"};

}  // namespace

std::vector<CommandSpec> portfolio_commands() {
  return {kPortfolioCommand};
}

}  // namespace gittxn::cli
