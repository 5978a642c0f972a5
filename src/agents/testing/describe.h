// Observations as short lines, and the fixtures: payloads of the real programs, shortened.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/observation.h"

namespace gittxn::agents::testing {

// The fields that are not what they usually are: "read src/a.c first=10 count=5 via=edit", with the
// first letters of the sub-agent's id before and the outcome after. Paths are those in the
// fixtures' repository.
std::string describe(const Observation& observation);
std::vector<std::string> describe(const std::vector<Observation>& observations);

std::string fixture(std::string_view name);  // bytes of a file in fixtures/; "" when not there
std::vector<std::string> lines_of(const std::string& text);

// A sink that keeps everything.
struct Kept {
  std::vector<Observation> all;
  Sink sink() {
    return [this](Observation&& observation) { all.push_back(std::move(observation)); };
  }
  std::vector<std::string> lines() const { return describe(all); }
};

}  // namespace gittxn::agents::testing
