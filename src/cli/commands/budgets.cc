// budget set, show, report, reconcile.
#include <fmt/format.h>

#include "api/work.h"
#include "base/fs.h"
#include "base/json_value.h"
#include "cli/session.h"
#include "cli/verb_flags.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMaxBill = 4u << 20;

api::BudgetOf of_flags(const Session& session) {
  return {session.flag("--txn"), session.flag("--owner"), session.flag("--workflow")};
}

void tell(Session& session, const std::vector<api::BudgetLine>& lines) {
  for (const api::BudgetLine& line : lines) {
    if (session.json()) {
      session.out->json({{"of", encode_path(line.of)},
                         {"kind", line.kind},
                         {"limit", line.limit ? Json(*line.limit) : Json()},
                         {"used", line.used},
                         {"level", line.level.empty() ? Json() : Json(line.level)},
                         {"measured", line.measured}});
      continue;
    }
    std::string text =
        fmt::format("{}  {} {}", clean(line.of), line.kind, api::amount_text(line.kind, line.used));
    if (line.limit) text += " of " + api::amount_text(line.kind, *line.limit);
    text += line.measured ? "  measured" : "  as reported";
    if (!line.level.empty()) text += "  " + line.level;
    session.out->text(text + "\n");
  }
}

Result<int> set(Session& session, const std::vector<std::string>& values) {
  if (values.empty()) {
    return fail(Code::kUsage, "git txn budget set needs KIND=VALUE", "such as cost=20 or wall=8h");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const auto lines = TRY(api::set_budget(kernel, of_flags(session), values));
  if (!session.quiet() || session.json()) tell(session, lines);
  return kExitDone;
}

Result<int> show_budget(Session& session, const std::vector<std::string>& words) {
  if (!words.empty()) {
    return fail(Code::kUsage, "git txn budget show takes no names",
                "git txn budget show --txn ID, --owner OWNER or --workflow ID");
  }
  const api::BudgetOf of = of_flags(session);
  const bool one = of.txn || of.owner || of.workflow;
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const auto lines = TRY(api::show_budgets(kernel, one ? std::optional(of) : std::nullopt));
  tell(session, lines);
  if (lines.empty() && !session.json() && !session.quiet()) {
    session.out->text(one ? "it has no budget, and nothing of it was counted yet\n"
                          : "no budgets; set one with: git txn budget set --txn ID KIND=VALUE\n");
  }
  return kExitDone;
}

Result<int> report(Session& session, const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return fail(Code::kUsage, "git txn budget report needs an ID and KIND=VALUE",
                "such as: git txn budget report t-7k2m input=12000 calls=3");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const std::vector<std::string> values(words.begin() + 1, words.end());
  const std::string key = session.flag("--key").value_or("");
  for (const std::string& note : TRY(api::report_budget(kernel, words[0], values, key))) {
    session.reporter->note(note);
  }
  api::BudgetOf of;
  of.txn = words[0];
  if (!session.quiet() || session.json()) tell(session, TRY(api::show_budgets(kernel, of)));
  return kExitDone;
}

Result<int> reconcile(Session& session, const std::vector<std::string>& words) {
  constexpr std::int64_t kTolerance = 5;
  constexpr std::int64_t kMostTolerance = 100;
  if (words.size() != 1) {
    return fail(Code::kUsage, "git txn budget reconcile needs one FILE",
                "of JSON lines, such as {\"owner\": NAME, \"cost\": 17.20}");
  }
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
  bool all = true;
  for (const api::ReconcileLine& line : TRY(api::reconcile_budgets(kernel, *bill, tolerance))) {
    all = all && line.within;
    if (session.json()) {
      session.out->json({{"of", encode_path(line.of)},
                         {"kind", line.kind},
                         {"reported", line.reported},
                         {"billed", line.billed},
                         {"within", line.within}});
      continue;
    }
    session.out->text(fmt::format("{}  {}: {} reported, {} billed{}\n", clean(line.of), line.kind,
                                  api::amount_text(line.kind, line.reported),
                                  api::amount_text(line.kind, line.billed),
                                  line.within ? "" : "  differs"));
  }
  return all ? kExitDone : kExitNo;
}

}  // namespace

Result<int> budget_command(Session& session) {
  const std::string& verb = session.args.operands.at(0);
  const std::vector<std::string> words(session.args.operands.begin() + 1,
                                       session.args.operands.end());
  constexpr VerbFlag kFlags[] = {{"--txn", "set show"},
                                 {"--owner", "set show"},
                                 {"--workflow", "set show"},
                                 {"--key", "report"},
                                 {"--tolerance", "reconcile"}};
  TRY(check_verb_flags(session.args, verb, kFlags));
  if (verb == "set") return set(session, words);
  if (verb == "show") return show_budget(session, words);
  if (verb == "report") return report(session, words);
  return reconcile(session, words);
}

}  // namespace gittxn::cli
