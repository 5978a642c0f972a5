// Which summaries were stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/event.h"
#include "store/store.h"

namespace gittxn::event_type {
inline constexpr std::string_view kSummaryRemoved = "summary.removed";
}

namespace gittxn::store {

struct StoredSummary {
  std::string name;
  Digest manifest;   // artifact
  std::string time;  // when it was stored
};
// The newest of each name, by name.
Result<std::vector<StoredSummary>> summaries(const View& view);

namespace events {
// A transaction that was shown it before still depends on its sources.
NewEvent summary_removed(const std::string& name, const std::string& actor);
}  // namespace events

}  // namespace gittxn::store
