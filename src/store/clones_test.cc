#include "store/clones.h"

#include <gtest/gtest.h>

#include "store/log/pruning.h"
#include "store/testing/check.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Clones, ANameIsOnesForGood) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(claim_clone(store, "one", "aaaa"));
  const Seq head = store.head().value();
  ASSERT_OK(claim_clone(store, "one", "aaaa"));
  EXPECT_EQ(store.head().value(), head) << "a repeat says nothing new";
  EXPECT_CODE(claim_clone(store, "one", "bbbb"), Code::kExists);
  EXPECT_EQ(id_of_clone(store, "one").value(), "aaaa");
  EXPECT_FALSE(id_of_clone(store, "two").value());
  ASSERT_OK(claim_clone(store, "two", "bbbb"));
  ASSERT_OK(prune(
      store, {.before = store.head().value() + 1, .older_than_ms = std::nullopt, .actor = "Ada"}));
  EXPECT_CODE(claim_clone(store, "one", "bbbb"), Code::kExists);  // pruned or not
  ASSERT_OK(claim_clone(store, "one", "aaaa"));
}

}  // namespace
}  // namespace gittxn::store
