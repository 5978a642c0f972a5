// The words for keys, errors and events, whose names in a footprint are not for people.
#include <gtest/gtest.h>

#include "semantic/compare/events.h"
#include "semantic/symbols/more_reads.h"

namespace gittxn::semantic {
namespace {

TEST(SaidOfGiven, ANameIsSaidAsWhatItIs) {
  EXPECT_EQ(shown_given(key_name("timeout")), "the key 'timeout'");
  EXPECT_EQ(shown_given("timeout"), "the key 'timeout'");
  EXPECT_EQ(shown_given(outcome_name("load", "KeyError")), "the error 'KeyError'");
  EXPECT_EQ(shown_given(outcome_name("load", kEndsInNothing)), "an empty result");
  EXPECT_EQ(shown_given(outcome_name("added", kHeard)), "the event 'added'");
}

TEST(SaidOfGiven, AChangeSaysWhereItWas) {
  Write write;
  write.kind = "given";
  write.symbol = "a.py/load().`{load!KeyError}`.";
  write.defines = {"load!KeyError"};
  write.change = Change::kRemoved;
  EXPECT_EQ(did(write), "removed the error 'KeyError' from a.py/load().");
  write.symbol = "a.js/config.`{timeout}`.";
  write.defines = {"timeout"};
  write.change = Change::kAdded;
  EXPECT_EQ(did(write), "added the key 'timeout' to a.js/config.");
}

TEST(SaidOfGiven, AUseSaysWhatItCountsOn) {
  Use use;
  use.language = "python";
  use.symbol = "b.py/f().";
  use.name = "load!KeyError";
  EXPECT_EQ(used(use), "expects the error 'KeyError' in b.py/f().");
  use.name = "[timeout]";
  EXPECT_EQ(used(use), "uses the key 'timeout' in b.py/f().");
  use.name = "total";
  EXPECT_EQ(used(use), "uses 'total' in b.py/f().");
  use.state = UseState::kKept;
  EXPECT_EQ(used(use), "edited a user of 'total' in b.py/f().");
  use.language = "ruby";  // where a method may be called so
  use.state = UseState::kGained;
  use.name = "save!";
  EXPECT_EQ(used(use), "uses 'save!' in b.py/f().");
}

}  // namespace
}  // namespace gittxn::semantic
