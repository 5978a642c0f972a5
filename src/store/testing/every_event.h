// A life in which every type of event happens, for tests that hold something of each of them.
#pragma once

#include <vector>

#include "model/event.h"
#include "store/store.h"

namespace gittxn::store::testing {

class Teller {
 public:
  virtual ~Teller() = default;
  // To append it to the store before it returns: what comes next follows from it.
  virtual void tell(const NewEvent& event) = 0;
  void tell_all(const std::vector<NewEvent>& events) {
    for (const NewEvent& event : events) tell(event);
  }
};

// Tells of each type in an order in which it is allowed, on a store without an event. `store`: what
// the next event follows from is looked up there.
void tell_every_event(Teller& teller, Store& store);

}  // namespace gittxn::store::testing
