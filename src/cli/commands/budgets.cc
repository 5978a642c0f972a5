// budget set, show, report, reconcile.
#include <fmt/format.h>

#include <algorithm>

#include "api/work.h"
#include "base/fs.h"
#include "cli/command_areas.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMaxBill = 4u << 20;

api::BudgetOf of_flags(const Session& session) {
  return {session.flag("--txn"), session.flag("--owner"), session.flag("--workflow")};
}

std::string_view level_word(store::Budget::Level level) {
  if (level == store::Budget::Level::kWithin) return "";
  return level == store::Budget::Level::kWarned ? "warned" : "exceeded";
}

bool is_measured(store::Kind kind) {
  return store::trust_of(kind) == store::Trust::kMeasured;
}

constexpr const char* kScopePattern = "^(txn|owner|workflow):";

constexpr Printed<api::BudgetLine> kBudgetJson{
    "budget",
    "How much of something was used, and how much may be. One a line. cost is in millionths, wall "
    "in milliseconds.",
    [](FieldIo& io, const api::BudgetLine& line) {
      io.text({"of", "", kScopePattern}, scope_text(line.of));
      io.choice("kind", line.kind, store::kind_name);
      io.integer_or_null("limit", line.limit, kPositive);
      io.integer("used", line.used, kNotNegative);
      const std::string level(level_word(line.level));
      if (io.or_null("level", level)) io.word("level", level, {"warned", "exceeded"});
      io.boolean("measured", is_measured(line.kind));
    }};

std::string budget_text(const api::BudgetLine& line) {
  std::string text =
      fmt::format("{}  {} {}", clean(scope_text(line.of)), store::kind_name(line.kind),
                  api::amount_text(line.kind, line.used));
  if (line.limit) text += " of " + api::amount_text(line.kind, *line.limit);
  text += is_measured(line.kind) ? "  measured" : "  as reported";
  const std::string_view level = level_word(line.level);
  return text + (level.empty() ? "" : "  ") + std::string(level) + "\n";
}

int tell(Session& session, const std::vector<api::BudgetLine>& lines) {
  if (session.quiet() && !session.json()) return kExitDone;
  return session.list(lines, kBudgetJson, budget_text);
}

Result<int> budget_set(Session& session, api::Kernel& kernel) {
  return tell(session, TRY(api::set_budget(kernel, of_flags(session), session.args.operands)));
}

Result<int> budget_show(Session& session, api::Kernel& kernel) {
  const api::BudgetOf of = of_flags(session);
  const bool one = of.txn || of.owner || of.workflow;
  const std::string_view none =
      one ? "it has no budget, and nothing of it was counted yet\n"
          : "no budgets; set one with: git txn budget set --txn ID KIND=VALUE\n";
  return session.list(TRY(api::show_budgets(kernel, one ? std::optional(of) : std::nullopt)),
                      kBudgetJson, budget_text, session.quiet() ? "" : none);
}

Result<int> budget_report(Session& session, api::Kernel& kernel) {
  const std::vector<std::string>& words = session.args.operands;
  const std::vector<std::string> values(words.begin() + 1, words.end());
  const std::string key = session.text_of("--key");
  for (const std::string& note : TRY(api::report_budget(kernel, words[0], values, key))) {
    session.reporter->note(note);
  }
  api::BudgetOf of;
  of.txn = words[0];
  return tell(session, TRY(api::show_budgets(kernel, of)));
}

constexpr Printed<store::Reconciled> kReconciledJson{
    "reconciled", "A figure beside the one that was billed. One a line.",
    [](FieldIo& io, const store::Reconciled& line) {
      io.text({"of", "", kScopePattern}, scope_text(line.scope));
      io.choice("kind", line.kind, store::kind_name);
      io.each_count({{"reported", line.reported}, {"billed", line.billed}});
      io.boolean("within", line.within());
    }};

std::string reconciled_text(const store::Reconciled& line) {
  return fmt::format("{}  {}: {} reported, {} billed{}\n", clean(scope_text(line.scope)),
                     store::kind_name(line.kind), api::amount_text(line.kind, line.reported),
                     api::amount_text(line.kind, line.billed), line.within() ? "" : "  differs");
}

Result<int> budget_reconcile(Session& session) {
  const std::vector<std::string>& words = session.args.operands;
  constexpr std::int64_t kTolerance = 5;
  constexpr std::int64_t kMostTolerance = 100;
  const std::int64_t tolerance = session.args.number("--tolerance", kTolerance);
  if (tolerance > kMostTolerance) {
    return fail(Code::kUsage, fmt::format("--tolerance: {} is above 100 percent", tolerance),
                "give a number from 0 to 100");
  }
  const auto bill = read_file(join_path(session.host.cwd, words[0]), kMaxBill);
  if (!bill) {
    return fail(Code::kUsage, fmt::format("'{}': {}", words[0], bill.error().message),
                "name a file of JSON lines of at most 4 MiB");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const auto lines = TRY(api::reconcile_budgets(kernel, *bill, tolerance));
  session.list(lines, kReconciledJson, reconciled_text);
  return std::ranges::all_of(lines, &store::Reconciled::within) ? kExitDone : kExitNo;
}

constexpr FlagSpec kBudgetTxn{"--txn", "ID", "of a transaction", Value::kTxn};
constexpr FlagSpec kBudgetOwner{"--owner", "OWNER", "of all that belongs to an owner"};
constexpr FlagSpec kBudgetWorkflow{"--workflow", "ID", "of all that belongs to a workflow"};

const CommandSpec kBudgetCommand{
    .name = "budget",
    .summary = "limit what transactions use up, and compare it with the bill",
    .description =
        "The kinds are input, output and cache (tokens), calls (of tools), cost (in the currency "
        "of your bill), wall (the time of commands) and bytes (what commands print). Each is added "
        "up for the transaction, its owner and its workflow. Numbers may end in k, M or G. With "
        "--json cost is in millionths and wall in milliseconds.\n\nwall and bytes are measured and "
        "enforced: a command that reaches one is ended, and its work is kept. The others are what "
        "agents' session files, hooks and people report. Nothing checks those, so their budgets "
        "are best effort: at 80 % there is an event budget.warning, at 100 % budget.exceeded. A "
        "report may come after its transaction has ended, and comes from the clone in which that "
        "was begun. reconcile compares with what was billed, and exits 1 when a figure is too far "
        "from it. git txn version --enforces has the whole list.",
    .group = Group::kSharing,
    .subcommands = {
        {.name = "budget set",
         .summary = "set budgets of a transaction, an owner or a workflow",
         .effect = Effect::kWrites,
         .handler = budget_set,
         .operands = {{"KIND=VALUE", Value::kText, 1, 16,
                       "KIND=VALUE, such as cost=20 or wall=8h"}},
         .flags = {kBudgetTxn, kBudgetOwner, kBudgetWorkflow},
         .examples = {{"git txn budget set --owner pat@example.org cost=20 wall=8h",
                       "for all that Pat's agents do"},
                      {"git txn budget set --txn t-7k2m input=none", "take one away"}},
         .outputs = {{kBudgetJson, "", Lines::kMany}}},
        {.name = "budget show",
         .summary = "show budgets, and how much of each is used",
         .handler = budget_show,
         .flags = {kBudgetTxn, kBudgetOwner, kBudgetWorkflow},
         .examples = {{"git txn budget show", "every budget, and how much of it is used"},
                      {"git txn budget show --txn t-7k2m", "all that a transaction has used up"}},
         .outputs = {{kBudgetJson, "", Lines::kMany}}},
        {.name = "budget report",
         .summary = "say what a transaction has used up",
         .effect = Effect::kWrites,
         .handler = budget_report,
         .operands = {{"ID", Value::kTxn},
                      {"KIND=VALUE", Value::kText, 1, 15,
                       "KIND=VALUE, such as input=12000 or calls=3"}},
         .flags = {{"--key", "NAME",
                    "what the report is of: the same one twice of one transaction, or of one that "
                    "goes on with its conversation, counts once, by its larger numbers (default: "
                    "it is a new one)"}},
         .examples = {{"git txn budget report t-7k2m input=12000 output=900 --key call-7",
                       "what its agent says"}},
         .outputs = {{kBudgetJson, "", Lines::kMany}}},
        {.name = "budget reconcile",
         .summary = "compare what was reported with a bill",
         .effect = Effect::kWrites,
         .handler = budget_reconcile,
         .operands = {{"FILE", Value::kFile, 1, 1,
                       "a FILE of JSON lines, such as {\"owner\": NAME, \"cost\": 17.20}"}},
         .flags = {{"--tolerance", "PERCENT", "how far from the bill a figure may be (default 5)",
                    Value::kNumber}},
         .examples = {{"git txn budget reconcile bill.jsonl --tolerance 2",
                       "compare with a bill: lines of {\"owner\": NAME, \"cost\": 17.20}"}},
         .outputs = {{kReconciledJson, "", Lines::kMany}}}}};

}  // namespace

std::vector<CommandSpec> budget_commands() {
  return {kBudgetCommand};
}

}  // namespace gittxn::cli
