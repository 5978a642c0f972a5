// Runs the parts of a gate with units that need a checkout: its set-up and build, whose outputs
// units see, and everything where there are no namespaces for units.
#pragma once

#include <string>
#include <vector>

#include "gates/checkout.h"
#include "gates/gate.h"
#include "gates/units/last_build.h"
#include "gates/units/outputs.h"
#include "gates/units/run_parts.h"
#include "gates/units/table.h"

namespace gittxn::gates {

struct PrepareRequest {
  const GateContext& context;
  const Policy& policy;
  const GateSpec& gate;
  const Candidate& candidate;
  const Environment& env;
  UnitEvidence& evidence;
  UnitTrees& trees;
  std::string outputs_dir;
};

// The commands up to the first that does not pass.
struct Built {
  std::int64_t start_wall_ms = 0;
  std::vector<std::string> records;
  std::string set_up_record;  // of the set-up; "": there is none
  bool passed = false;
  int exit_status = 0;
  bool timed_out = false;
  std::string printed;
  std::string limited;  // why the run counts for itself alone
};
Result<Built> build_in(const PrepareRequest& request, const GateCheckout& checkout);

// Builds in a checkout of the lane, which is gone afterwards; the lane is not. `outputs` are there
// when it passed. Where policy says `incremental` it goes on from the last build if it can, unless
// `from` says no; and when that fails, it is done again from nothing.
struct Prepared {
  UnitSaid said;
  Outputs outputs;
  std::string printed;
};
enum class From { kLastBuild, kNothing };
Result<Prepared> prepare_units(const PrepareRequest& request, From from, GateLane* lane);

// One command in a checkout that was built, as if it were run where nothing that it writes stays;
// so it counts for its run alone.
Result<PartRan> run_in_checkout(const PrepareRequest& request, const GateCheckout& checkout,
                                const std::vector<std::string>& command);

}  // namespace gittxn::gates
