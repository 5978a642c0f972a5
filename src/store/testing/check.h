// Assertions about Result and Status that show the error, and about a whole store.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/result.h"
#include "store/store.h"

namespace gittxn::store::testing {

template <typename T>
std::string told(const Result<T>& result) {
  if (result) return "success";
  const Error& error = result.error();
  return std::string(code_name(error.code)) + ": " + error.where + ": " + error.message;
}

}  // namespace gittxn::store::testing

#define ASSERT_OK(expr)                                                  \
  do {                                                                   \
    const auto& ok_ = (expr);                                            \
    ASSERT_TRUE(ok_.has_value()) << ::gittxn::store::testing::told(ok_); \
  } while (false)

#define EXPECT_CODE(expr, expected)                                                       \
  do {                                                                                    \
    const auto& coded_ = (expr);                                                          \
    if (coded_.has_value()) {                                                             \
      ADD_FAILURE() << #expr << " succeeded";                                             \
    } else {                                                                              \
      EXPECT_EQ(coded_.error().code, expected) << ::gittxn::store::testing::told(coded_); \
    }                                                                                     \
  } while (false)

namespace gittxn::store::testing {

// Replaying its log gives what it holds.
inline void expect_sound(const Store& store) {
  const auto report = store.verify_replay();
  ASSERT_OK(report);
  EXPECT_TRUE(report->problems.empty()) << report->problems.front();
}

}  // namespace gittxn::store::testing
