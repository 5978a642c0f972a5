// What came of deliveries to commands: which event may follow which.
#include "store/log/handlers.h"

#include <gtest/gtest.h>

#include "store/events.h"
#include "store/log/consumers.h"
#include "store/testing/check.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

events::HandlerEnd ended(Seq event, int attempt, HandlerState state) {
  events::HandlerEnd end;
  end.event = event;
  end.attempt = attempt;
  end.state = state;
  end.exit = state == HandlerState::kDone ? 0 : 1;
  return end;
}

class Handlers : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.append(std::vector<NewEvent>(9, events::slot_reserved())));
  }
  TempStore place_;
  Store store_ = place_.open();
};

TEST_F(Handlers, AttemptsAreCountedAndEnded) {
  using enum HandlerState;
  EXPECT_CODE(store_.append({events::handler_started("tell", 99, 1)}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_started("tell", 3, 2)}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_ended("tell", ended(3, 1, kDone))}), Code::kStale);
  ASSERT_OK(store_.append({events::handler_started("tell", 3, 1)}));
  // Nobody else may begin it, whatever it counts.
  EXPECT_CODE(store_.append({events::handler_started("tell", 3, 1)}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_started("tell", 3, 2)}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_ended("tell", ended(3, 2, kDone))}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_ended("tell", ended(3, 1, kRunning))}), Code::kStale);
  ASSERT_OK(store_.append({events::handler_ended("tell", ended(3, 1, kFailing))}));
  EXPECT_CODE(store_.append({events::handler_started("tell", 3, 1)}), Code::kStale);
  ASSERT_OK(store_.append({events::handler_started("tell", 3, 2)}));
  ASSERT_OK(store_.append({events::handler_ended("tell", ended(3, 2, kDone))}));
  EXPECT_CODE(store_.append({events::handler_started("tell", 3, 3)}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_retried("tell", 3, "Ada")}), Code::kStale);
  ASSERT_OK(store_.append({events::handler_started("tell", 4, 1)}));
  EXPECT_EQ(handlers(store_)->size(), 1u);
  EXPECT_TRUE(store_.verify_replay()->problems.empty());
}

TEST_F(Handlers, OneThatStoppedWaitsForAPerson) {
  using enum HandlerState;
  ASSERT_OK(store_.append({events::handler_started("tell", 3, 1)}));
  ASSERT_OK(store_.append({events::handler_ended("tell", ended(3, 1, kStopped))}));
  EXPECT_CODE(store_.append({events::handler_started("tell", 3, 2)}), Code::kStale);
  EXPECT_CODE(store_.append({events::handler_retried("tell", 4, "Ada")}), Code::kStale);
  ASSERT_OK(store_.append({events::handler_retried("tell", 3, "Ada")}));
  EXPECT_EQ(handler(store_, "tell").value()->state, kFailing);
  ASSERT_OK(store_.append({events::handler_started("tell", 3, 1)}));
  EXPECT_FALSE(handler(store_, "other").value());
  EXPECT_TRUE(store_.verify_replay()->problems.empty());
}

TEST_F(Handlers, AFailureIsOverWhenItsEventIsPassedOrItsConsumerGone) {
  const auto why = [this] {
    const HandlerRow row = *handler(store_, "tell").value();
    return why_not_due(store_, row).value();
  };
  Registration registration;
  registration.name = handler_consumer("tell");
  registration.from = Registration::From::kStart;
  ASSERT_OK(register_consumer(store_, registration));
  ASSERT_OK(store_.append({events::handler_started("tell", 3, 1)}));
  ASSERT_OK(store_.append({events::handler_ended("tell", ended(3, 1, HandlerState::kFailing))}));
  EXPECT_EQ(why(), "");
  ASSERT_OK(acknowledge(store_, "on/tell", 2));
  EXPECT_EQ(why(), "");
  ASSERT_OK(acknowledge(store_, "on/tell", 3));
  EXPECT_EQ(why(), "event 3 was passed over");
  ASSERT_OK(remove_consumer(store_, "on/tell", "by hand"));
  EXPECT_EQ(why(), "there is no consumer 'on/tell' any more");
  registration.from = Registration::From::kNow;
  ASSERT_OK(register_consumer(store_, registration));
  EXPECT_EQ(why(), "event 3 was passed over") << "it begins at the end of the log";
}

}  // namespace
}  // namespace gittxn::store
