// Assertions about Result and Status that show the error.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/result.h"

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
