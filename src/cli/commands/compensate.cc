// What abort and show say of compensations.
#include "cli/commands/compensate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_value.h"

namespace gittxn::cli {
namespace {

std::string state_of(const Compensation& one) {
  if (!one.ended && one.runs == 0) return "registered";
  if (!one.ended) return fmt::format("was started {} and did not end", counted(one.runs, "time"));
  if (one.timed_out) return "took too long";
  return one.exit_status == 0 ? "ran" : fmt::format("failed, exit {}", one.exit_status);
}

}  // namespace

std::string compensation_lines(const std::vector<Compensation>& all) {
  std::string out;
  for (const Compensation& one : all) {
    out += fmt::format("  compensation {}  {}: {}\n", one.number, state_of(one),
                       clean(one.name.empty() ? quote_argv(one.argv) : one.name));
  }
  return out;
}

Json with_compensations(Json said, const std::vector<Compensation>& all) {
  for (const Compensation& one : all) said["compensations"].push_back(to_json(one));
  return said;
}

bool undone(const std::vector<Compensation>& compensations) {
  return std::ranges::all_of(compensations, [](const Compensation& one) {
    return one.ended && !one.timed_out && one.exit_status == 0;
  });
}

}  // namespace gittxn::cli
