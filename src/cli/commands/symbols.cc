// symbols and impact: nothing is changed.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_value.h"
#include "cli/json_out.h"
#include "cli/render_symbols.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::int64_t kMostSymbols = 2000;
constexpr std::int64_t kMostAffected = 200;

std::size_t limit_of(const Session& session, std::int64_t otherwise) {
  return static_cast<std::size_t>(session.args.number("--limit", otherwise));
}

void tell(const Session& session, const std::vector<std::string>& notes) {
  if (session.quiet()) return;
  for (const std::string& note : notes) session.reporter->note(note);
}

}  // namespace

Result<int> symbols_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::SymbolsRequest request;
  request.at = session.flag("--at");
  request.paths = session.args.operands;
  request.kind = session.flag("--kind").value_or("");
  request.name = session.flag("--name").value_or("");
  request.limit = limit_of(session, kMostSymbols);
  const api::SymbolsReport report = TRY(kernel.symbols(request, session.reporter->progress()));
  session.reporter->finish();
  tell(session, report.notes);
  session.out->text(session.json() ? symbols_json_lines(report)
                                   : symbols_lines(report, session.style));
  return kExitDone;
}

Result<int> impact_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::ImpactRequest request;
  request.of = session.args.operands.at(0);
  request.at = session.flag("--at");
  request.limit = limit_of(session, kMostAffected);
  const api::ImpactReport report = TRY(kernel.impact(request, session.reporter->progress()));
  session.reporter->finish();
  if (session.json()) {
    session.out->json(impact_json(report));
  } else if (report.ambiguous) {
    session.out->text(subjects_lines(report, session.style));
  } else {
    session.out->text(impact_lines(report, session.style));
  }
  if (!report.ambiguous) return kExitDone;
  Printer(2).text(fmt::format("git txn: {} are called '{}'; ask for one of them as it is listed\n",
                              counted(static_cast<std::int64_t>(report.subjects.size()), "symbol"),
                              clean(request.of)));
  return kExitUsage;
}

}  // namespace gittxn::cli
