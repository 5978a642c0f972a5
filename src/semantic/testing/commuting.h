// Two changes of files that meet, and the verdict in words. For tests.
#pragma once

#include <string>

#include "semantic/commute.h"
#include "semantic/footprint.h"

namespace gittxn::semantic::testing {

inline std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"COMMUTE", "VALIDATE", "BLOCK"};
  return kNames[static_cast<std::size_t>(verdict)];
}

inline constexpr Verdict kCommute = Verdict::kCommute, kValidate = Verdict::kValidate,
                         kBlock = Verdict::kBlock;

inline Footprint edit(const std::string& path, const std::string& before,
                      const std::string& after) {
  return footprint_of({{path, before, after}}, {});
}

inline std::string said(const Commuted& commuted) {
  std::string out(verdict_name(commuted.verdict));
  for (const Finding& finding : commuted.findings) {
    out += "\n  " + std::string(verdict_name(finding.verdict)) + " " +
           std::string(rule_name(finding.rule)) + ": " + finding.why;
  }
  return out;
}

}  // namespace gittxn::semantic::testing
