// Symbols, what depends on them and what a change did to them, as text and as JSON. Pure functions;
// every string that came from a repository goes through clean() or encode_path() on the way.
#pragma once

#include <string>

#include "api/kernel.h"
#include "base/json.h"
#include "cli/text.h"

namespace gittxn::cli {

std::string symbols_lines(const api::SymbolsReport& report, const Style& style);
std::string symbols_json_lines(const api::SymbolsReport& report);

std::string impact_lines(const api::ImpactReport& report, const Style& style);
Json impact_json(const api::ImpactReport& report);
std::string subjects_lines(const api::ImpactReport& report, const Style& style);

std::string footprint_lines(const api::FootprintReport& report, const Style& style);
std::string footprint_json_lines(const api::FootprintReport& report);

}  // namespace gittxn::cli
