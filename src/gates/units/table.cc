#include "gates/units/table.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "gates/evidence/rows.h"
#include "model/names.h"

namespace gittxn::gates {
namespace {

constexpr NameTable<UnitSaid::Part, 3> kParts{{{UnitSaid::Part::kPrepared, "prepared"},
                                               {UnitSaid::Part::kListed, "listed"},
                                               {UnitSaid::Part::kUnit, "unit"}}};

enum Cell : std::size_t {
  kPart,
  kName,
  kTree,
  kOutputs,
  kLooks,
  kSurvey,
  kPassed,
  kExitStatus,
  kTimedOut,
  kFlaky,
  kRan,
  kOutput,
  kDuration,
  kLimited,
  kMissed,
  kElsewhere,
  kCells
};
constexpr RowsHead kTable{"units", 2, kCells};

bool read_part(std::span<std::string> cells, UnitSaid& said) {
  const auto part = value_in(kParts, "part of a gate", cells[kPart]);
  const auto status = number_in(cells[kExitStatus]);
  const auto duration_ms = number_in(cells[kDuration]);
  if (!part || !status || !duration_ms) return false;
  said = {.part = *part,
          .unit = std::move(cells[kName]),
          .tree = Oid(cells[kTree]),
          .outputs = Digest(cells[kOutputs]),
          .looks = Digest(cells[kLooks]),
          .survey = Digest(cells[kSurvey]),
          .passed = !cells[kPassed].empty(),
          .exit_status = static_cast<int>(*status),
          .timed_out = !cells[kTimedOut].empty(),
          .flaky = !cells[kFlaky].empty(),
          .ran = !cells[kRan].empty(),
          .output = Digest(cells[kOutput]),
          .duration_ms = *duration_ms,
          .limited = std::move(cells[kLimited]),
          .missed = std::move(cells[kMissed]),
          .elsewhere = std::move(cells[kElsewhere])};
  return true;
}

}  // namespace

std::string units_to_lines(const UnitTable& table) {
  std::string text = rows_head(kTable, table.size());
  for (const UnitSaid& said : table) {
    add_row(text, {name_in(kParts, said.part), said.unit, said.tree.str(), said.outputs.str(),
                   said.looks.str(), said.survey.str(), flag_cell(said.passed),
                   std::to_string(said.exit_status), flag_cell(said.timed_out),
                   flag_cell(said.flaky), flag_cell(said.ran), said.output.str(),
                   std::to_string(said.duration_ms), said.limited, said.missed, said.elsewhere});
  }
  return text;
}

Result<UnitTable> units_from_lines(std::string_view text) {
  UnitTable table;
  TRY(each_row(text, kTable, [&table](std::span<std::string> cells) {
    return read_part(cells, table.emplace_back());
  }));
  return table;
}

UnitTally tally_of(const UnitTable& table) {
  UnitTally tally;
  for (const UnitSaid& said : table) {
    if (said.part != UnitSaid::Part::kUnit) continue;
    ++tally.units;
    ++(said.ran ? tally.ran : tally.carried);
    if (!said.ran) tally.saved_ms += said.duration_ms;
    if (!said.passed) ++tally.failed;
    if (said.flaky) ++tally.flaky;
    if (!said.passed && tally.first_failed.empty()) tally.first_failed = said.unit;
  }
  return tally;
}

std::string outcome_of(const UnitSaid& said) {
  if (said.passed) return said.flaky ? "it passed after it had failed" : "it passed";
  if (said.timed_out) return "it did not end within its time limit";
  if (said.flaky) return "it failed, and passed when it was repeated";
  if (said.exit_status != 0) return fmt::format("exit status {}", said.exit_status);
  return fmt::format("it tested {}, not the candidate", said.elsewhere);
}

}  // namespace gittxn::gates
