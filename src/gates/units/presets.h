// Gates of units for well-known runners of tests; bench/RESULTS.md has what those for pytest and go
// come to on real histories. The content of a preset is part of the gate's version, so that units
// run anew when it changes.
#pragma once

#include <span>
#include <string_view>

#include "model/policy.h"

namespace gittxn::gates {

struct GatePreset {
  std::string_view name;  // "pytest"
  GateSpec gate;          // without a name
};
std::span<const GatePreset> gate_presets();

}  // namespace gittxn::gates
