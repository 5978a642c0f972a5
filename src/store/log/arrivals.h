// Waiting for events that somebody else appends, without asking again and again: a file's store is
// watched as a folder, a server tells (LISTEN).
#pragma once

#include <memory>

#include "base/result.h"
#include "store/store.h"

namespace gittxn::store {

class Arrivals {
 public:
  // From here on: look at the log once after this, and again after each wait.
  static Result<std::unique_ptr<Arrivals>> of(const Store& store, Clock& clock);
  virtual ~Arrivals() = default;
  // Returns when there may be something new; sometimes there is not. Never later than in a second
  // or so, and when a signal handler ran.
  virtual Status wait() = 0;
};

}  // namespace gittxn::store
