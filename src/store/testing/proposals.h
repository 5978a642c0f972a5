// Proposals for tests, and the rules that they are judged by.
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

}  // namespace gittxn::store::testing
