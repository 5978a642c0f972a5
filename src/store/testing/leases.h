// Leases for tests: what is asked for, and whether it is had or kept off.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "store/testing/check.h"
#include "store/testing/temp_store.h"
#include "store/work/lease_moves.h"

namespace gittxn::store::testing {

inline LeaseAsk wants(const std::string& owner, const std::string& on,
                      std::int64_t ttl_ms = kMinute) {
  LeaseAsk ask;
  ask.subjects = {parse_lease_subject(on).value()};
  ask.owner = owner;
  ask.ttl_ms = ttl_ms;
  return ask;
}

inline LeaseAsk attached(LeaseAsk ask) {
  ask.attach = LeaseAsk::Attach::kAttached;
  return ask;
}

inline LeaseAsk shared(LeaseAsk ask) {
  ask.sharing = Sharing::kShared;
  return ask;
}

inline LeaseAnswer had(Store& store, const LeaseAsk& ask) {
  auto answer = ask_lease(store, ask, Line::kGoAway);
  EXPECT_TRUE(answer.has_value()) << told(answer);
  if (!answer) return {};
  EXPECT_TRUE(answer->lease.held) << ask.owner << " is kept off by "
                                  << (answer->blockers.empty() ? "nobody"
                                                               : answer->blockers[0].owner);
  return *std::move(answer);
}

inline bool kept_off(Store& store, const LeaseAsk& ask) {
  const auto answer = ask_lease(store, ask, Line::kGoAway);
  EXPECT_TRUE(answer.has_value()) << told(answer);
  return answer && !answer->lease.held && !answer->blockers.empty();
}

}  // namespace gittxn::store::testing
