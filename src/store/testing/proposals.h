// Proposals for tests, what is asked of them, and the rules that they are judged by.
#pragma once

#include <string>

#include "store/work/proposals.h"

namespace gittxn::store::testing {

inline RulesNow rules_now(const ProposalRules& these = {}) {
  return [these]() -> Result<ProposalRules> { return these; };
}

inline ProposalRequest new_proposal(const std::string& text, int score) {
  ProposalRequest request;
  request.text = text;
  request.score = score;
  request.actor = "bot";
  return request;
}

inline PromoteRequest asking(const std::string& id, Yes yes = Yes::kItself) {
  PromoteRequest request;
  request.id = id;
  request.yes = yes;
  if (yes == Yes::kOverride) request.reason = "because";
  request.actor = "Ada";
  return request;
}

// No two of them say the same.
inline constexpr const char* kTexts[] = {
    "leak in the parser of empty files", "split the configuration module in two",
    "the queue of writers is not fair", "document how a lease is transferred",
    "pin the compiler of continuous integration"};

}  // namespace gittxn::store::testing
