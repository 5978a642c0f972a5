// The parts of a gate that is made of units (units.h), and what each said: the table that a
// certificate of such a gate has as an artifact. A part counts for every tree on which its looks
// see the same, as a certificate does; so one table is also what the next landing starts from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/policy.h"

namespace gittxn::gates {

struct UnitSaid {
  enum class Part { kPrepared, kListed, kUnit } part = Part::kUnit;
  std::string unit;  // kUnit: its name
  Oid tree;          // the candidate that it ran on
  Digest outputs;    // outputs.h: what kPrepared left there, and what the others had
  Digest looks;      // artifact (evidence/carry.h); empty: it counts for its run alone
  Digest survey;     // artifact (evidence/survey.h)
  bool passed = false;
  int exit_status = 0;
  bool timed_out = false;
  bool flaky = false;  // it passed after it had failed
  bool ran = false;    // in the run of the gate that the table is of; else it was carried into it
  Digest output;       // artifact: what it printed; kListed: the names, one on a line
  std::int64_t duration_ms = 0;
  std::string limited, missed, elsewhere;  // as in a certificate
  bool operator==(const UnitSaid&) const = default;
};
using UnitTable = std::vector<UnitSaid>;  // in the order in which the gate has them

std::string units_to_lines(const UnitTable& table);
// kCorrupt: damaged, or of another version.
Result<UnitTable> units_from_lines(std::string_view lines);

// Counts them for the certificate.
UnitTally tally_of(const UnitTable& table);

// Says what became of one, for people: "it passed", "exit status 3".
std::string outcome_of(const UnitSaid& said);

}  // namespace gittxn::gates
