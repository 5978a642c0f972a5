// The names of units, and the command that one of them is run with. Names come from the candidate,
// which is not trusted: they are arguments of a command and never text of a shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/policy.h"
#include "repo/objects.h"

namespace gittxn::gates {

inline constexpr std::size_t kMostUnits = 20'000;
inline constexpr std::size_t kMostUnitName = 4096;  // bytes

// One on each line of what the gate's list command printed; empty lines are none. Each is there
// once, in the order of the first. kRefused, with the reason: none, too many, or one that cannot be
// a unit (longer than kMostUnitName, or with a dash in front, as that is an option to most
// commands).
Result<std::vector<std::string>> unit_names(std::string_view printed);
// Expands those that policy names: with a '*' the files of the tree that match (gates/generated.h
// says how globs are read), sorted; else as they stand. Errors likewise.
Result<std::vector<std::string>> unit_names(const UnitsSpec& units, const repo::Objects& objects,
                                            const Oid& tree);

// Puts the name in the place of each "{unit}".
std::vector<std::string> unit_command(const std::vector<std::string>& command,
                                      std::string_view name);

// Says why a command cannot run units, as the rest of a sentence; nullopt: it can.
std::optional<std::string> unit_command_problem(const std::vector<std::string>& command);

}  // namespace gittxn::gates
