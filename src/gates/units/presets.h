// Gates of units for well-known runners of tests, measured on real histories (bench/RESULTS.md).
// What a preset is made of is part of the gate's version, so that one that changes is run anew.
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
