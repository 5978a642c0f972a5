// Marks of gates whose certificates were carried wrongly: a unit of such a gate passed on one tree
// and fails on another one, although all that it was seen to look at is the same. Until a person
// has looked, nothing of that gate is carried.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "store/store.h"

namespace gittxn::event_type {
inline constexpr std::string_view kGateUnsound = "gate.unsound";  // UnsoundGate
inline constexpr std::string_view kGateCleared = "gate.cleared";  // gate, actor
}  // namespace gittxn::event_type

namespace gittxn::store {

struct UnsoundGate {
  GateName gate;
  Digest version;
  std::string unit;  // "": the whole gate
  Oid passed_on, failed_on;
  std::vector<std::string> landed;  // transactions that landed by certificates carried from there
  bool operator==(const UnsoundGate&) const = default;
};

// The mark of a gate in this version; nullopt: there is none, or a person has looked since.
Result<std::optional<UnsoundGate>> unsound_gate(const Store& store, const GateName& gate,
                                                const Digest& version);

namespace events {
NewEvent gate_unsound(const UnsoundGate& mark);
NewEvent gate_cleared(const GateName& gate, const std::string& actor);
}  // namespace events

}  // namespace gittxn::store
