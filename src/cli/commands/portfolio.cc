// portfolio status, add, needs, remove, relay.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/work.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kWorkflowsShown = 3;

void member_fields(FieldIo& io, const store::Member& member) {
  io.each_text({{"name", member.name}, {"place", member.place}, {"log", member.log}});
  io.texts("needs", member.needs);
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

void open_phase_fields(FieldIo& io, const Workflow& workflow) {
  const Phase* open = workflow.open();
  io.each_text({{"id", workflow.id.str()}, {"name", workflow.name}});
  io.text_or_null({"open", "The open phase; null: it is finished, or cancelled."},
                  open == nullptr ? "" : open->name);
  io.boolean("cancelled", workflow.cancelled.has_value());
}

void member_line_fields(FieldIo& io, const api::MemberLine& line) {
  member_fields(io, line.member);
  io.text_or_null("problem", line.problem);
  io.list_of("workflows", line.workflows, open_phase_fields);
  io.each_count({{"head", line.head}, {"told", line.told}, {"waiting", line.waiting}});
}

void relayed_fields(FieldIo& io, const store::Relayed& one) {
  io.each_text({{"source", one.source}, {"place", one.place}});
  io.integer("seq", one.seq, kPositive);
  io.each_text({{"time", one.time}, {"type", one.type}, {"subject", one.subject}});
}

constexpr Printed<api::PortfolioReport> kPortfolioJson{
    "portfolio",
    "The members of a portfolio in the order of what needs what, and what this repository was told "
    "by others.",
    [](FieldIo& io, const api::PortfolioReport& report) {
      io.list_of("members", report.members, member_line_fields);
      io.list_of("relayed", report.relayed, relayed_fields);
    }};

constexpr Printed<store::Member> kMemberJson{"member", "A member of a portfolio.", member_fields};

constexpr Printed<std::string> kMemberRemovedJson{
    "member-removed", "A repository that is no member any more.", removed_fields};

constexpr Printed<api::RelayLine> kRelayedJson{"relayed", "How many events a member was told.",
                                               [](FieldIo& io, const api::RelayLine& line) {
                                                 io.text("name", line.name);
                                                 io.integer("events", line.events, kNotNegative);
                                               }};

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
  session.show(kPortfolioJson(report), out);
  return well ? kExitDone : kExitNo;
}

Result<int> tell(Session& session, const store::Member& member) {
  return session.done(kMemberJson(member), "member " + member_sentence(member));
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
  return session.done(kMemberRemovedJson(name),
                      fmt::format("{} is no member any more\n", clean(name)));
}

Result<int> portfolio_relay(Session& session, api::Kernel& kernel) {
  const auto how = session.args.has("--anew") ? store::Relay::kAnew : store::Relay::kOn;
  const api::RelayReport report = TRY(relay_events(kernel, how));
  std::string text;
  for (const api::RelayLine& line : report.told) {
    if (line.events == 0) continue;
    text += fmt::format("{} was told {}\n", clean(line.name), counted(line.events, "event"));
  }
  if (text.empty() && !report.left) {
    text = report.told.empty() ? "the portfolio has no member\n" : "every member knows all\n";
  }
  session.out->text(session.json()    ? json_lines(report.told, kRelayedJson)
                    : session.quiet() ? ""
                                      : text);
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
          .outputs = {{kPortfolioJson}}},
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
          .outputs = {{kMemberJson}}},
         {.name = "portfolio needs",
          .summary = "say which members come before one",
          .effect = Effect::kWrites,
          .handler = portfolio_needs,
          .operands = {kMemberName, {"NEEDED", Value::kText, 0, 63}},
          .flags = {kActor},
          .examples = {{"git txn portfolio needs web api shared", "what web needs, from now on"}},
          .outputs = {{kMemberJson}}},
         {.name = "portfolio remove",
          .summary = "take a member off the list",
          .effect = Effect::kWrites,
          .handler = portfolio_remove,
          .operands = {kMemberName},
          .flags = {kActor},
          .examples = {{"git txn portfolio remove api", "its repository is left as it is"}},
          .outputs = {{kMemberRemovedJson}}},
         {.name = "portfolio relay",
          .summary = "tell the members how this repository's workflows moved",
          .effect = Effect::kWrites,
          .handler = portfolio_relay,
          .flags = {{"--anew", "",
                     "after an older copy of this log was put back, take back what it does not "
                     "have any more"}},
          .examples = {{"git txn portfolio relay",
                        "tell the members how this repository's workflows moved"}},
          .outputs = {{kRelayedJson, "", Lines::kMany}}}},
    .otherwise = "status"};

}  // namespace

std::vector<CommandSpec> portfolio_commands() {
  return {kPortfolioCommand};
}

}  // namespace gittxn::cli
