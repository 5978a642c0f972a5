#include "gates/units/table.h"

#include <fmt/format.h>

#include "base/fields.h"
#include "base/text.h"
#include "model/names.h"

namespace gittxn::gates {
namespace {

constexpr int kTableFormat = 1;
constexpr NameTable<UnitSaid::Part, 3> kParts{{{UnitSaid::Part::kPrepared, "prepared"},
                                               {UnitSaid::Part::kListed, "listed"},
                                               {UnitSaid::Part::kUnit, "unit"}}};

struct TableHead {
  int format = kTableFormat;
  std::int64_t parts = 0;  // that follow
};
void fields(FieldIo& io, TableHead& head) {
  io.thing("units");
  io.integer("format", head.format, {.least = kTableFormat, .most = kTableFormat});
  io.integer("parts", head.parts, {.least = 0});
}

}  // namespace

static void fields(FieldIo& io, UnitSaid& said) {
  io.thing("unit");
  io.choice("part", said.part, kParts);
  io.text("unit", said.unit);
  io.oid("tree", said.tree);
  io.name("outputs", said.outputs);
  io.name("looks", said.looks);
  io.name("survey", said.survey);
  io.boolean("passed", said.passed);
  io.integer("exit_status", said.exit_status);
  io.boolean("timed_out", said.timed_out);
  io.boolean("flaky", said.flaky);
  io.boolean("ran", said.ran);
  io.name("output", said.output);
  io.integer("duration_ms", said.duration_ms);
  if (io.maybe("limited", said.limited)) io.text("limited", said.limited);
  if (io.maybe("missed", said.missed)) io.text("missed", said.missed);
  if (io.maybe("elsewhere", said.elsewhere)) io.text("elsewhere", said.elsewhere);
}

std::string units_to_lines(const UnitTable& table) {
  const TableHead head{.parts = std::ssize(table)};
  std::string lines = canonical_text(field_list(head)) + "\n";
  for (const UnitSaid& said : table) lines += canonical_text(field_list(said)) + "\n";
  return lines;
}

Result<UnitTable> units_from_lines(std::string_view text) {
  if (!text.ends_with('\n')) return fail(Code::kCorrupt, "units of a gate: cut off");
  const std::vector<std::string_view> lines = lines_of(text);
  TableHead head;
  TRY(read_text(lines.front(), "units of a gate", field_list(head)));
  UnitTable table(lines.size() - 1);
  if (head.parts != std::ssize(table)) return fail(Code::kCorrupt, "units of a gate: some lack");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    TRY(read_text(lines[i], "units of a gate", field_list(table[i - 1])));
  }
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
