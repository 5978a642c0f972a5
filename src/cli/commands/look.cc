// status, log, show, diff, reads, writes, why: nothing is changed.
#include "base/json_value.h"
#include "cli/commands/compensate.h"
#include "cli/explain.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/render_symbols.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::int64_t kLogLines = 20;

}  // namespace

Result<int> status_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  using enum api::StatusScope;
  api::StatusReport report = TRY(kernel.status(session.args.has("--all") ? kAll : kOpen));
  if (session.json())
    session.out->json(status_json(report));
  else
    session.out->text(status_lines(report, session.host.clock->wall_ms(), session.style));
  return kExitDone;
}

Result<int> log_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  auto limit = static_cast<int>(
      std::min<std::int64_t>(session.args.number("--limit", kLogLines), 1'000'000'000));
  std::vector<api::LogLine> lines = TRY(kernel.log(limit));
  session.out->text(session.json() ? log_json_lines(lines) : log_lines(lines, session.style));
  return kExitDone;
}

Result<int> show_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Outcome outcome = TRY(kernel.show(session.id()));
  const auto compensations = TRY(api::compensations_of(kernel, session.id()));
  if (session.json()) {
    Json json = api::to_json(outcome);
    if (!compensations.empty()) json["compensations"] = compensations_json(compensations);
    session.out->json(json);
  } else {
    session.out->text(show_lines(outcome, session.style) + compensation_lines(compensations));
  }
  return kExitDone;
}

Result<int> diff_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (session.args.has("--symbols")) {
    const auto of = api::Kernel::FootprintOf::kDiff;
    const api::FootprintReport report = TRY(kernel.footprint(session.id(), of));
    session.out->text(session.json() ? footprint_json_lines(report)
                                     : footprint_lines(report, session.style));
    return kExitDone;
  }
  std::string diff = TRY(kernel.diff(session.id()));
  if (session.json()) {
    const TxnId id = TRY(kernel.id_of(session.id()));
    session.out->json({{"txn", encode_path(id.str())}, {"diff", encode_path(diff)}});
  } else {
    // Piped it is a patch, byte for byte; on a terminal it is something to look at.
    session.out->text(session.output_is_terminal ? diff_lines(diff, session.style) : diff);
  }
  return kExitDone;
}

Result<int> reads_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  ReadSet reads = TRY(kernel.reads(session.id()));
  if (session.args.has("--explain")) {
    session.out->text(session.json() ? explained_json_lines(reads)
                                     : explained_lines(reads, session.style));
  } else {
    session.out->text(session.json() ? reads_json_lines(reads) : reads_lines(reads, session.style));
  }
  return kExitDone;
}

Result<int> writes_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const auto of = api::Kernel::FootprintOf::kWrites;
  const api::FootprintReport report = TRY(kernel.footprint(session.id(), of));
  session.out->text(session.json() ? footprint_json_lines(report)
                                   : footprint_lines(report, session.style));
  return kExitDone;
}

Result<int> why_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::WhyReport report = TRY(kernel.why(session.id()));
  if (session.json())
    session.out->json(why_json(report));
  else
    session.out->text(why_lines(report, session.style));
  return kExitDone;
}

}  // namespace gittxn::cli
