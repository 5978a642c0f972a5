// A property that must hold for any input; the fuzzer reports the input that breaks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#define CHECK(condition)            \
  do {                              \
    if (!(condition)) std::abort(); \
  } while (false)
