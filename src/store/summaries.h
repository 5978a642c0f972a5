// Which summaries were stored.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/store.h"

namespace gittxn::store {

struct StoredSummary {
  std::string name;
  Digest manifest;   // artifact
  std::string time;  // when it was stored
};
// The newest of each name, by name.
Result<std::vector<StoredSummary>> summaries(const View& view);

}  // namespace gittxn::store
