// What the parts of the judge read events and journals with. Internal to the hammer.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "hammer/judge.h"

namespace gittxn::hammer {

Json payload_of(const Event& event);
std::string text_of(const Json& json, const char* key);
std::int64_t number_of(const Json& json, const char* key);
std::int64_t number_of(const Operation& op, const char* key);
std::string fact(const Operation& op, const char* key);

class Wrongs {
 public:
  template <typename... Values>
  void operator()(fmt::format_string<Values...> text, Values&&... values) {
    constexpr std::size_t kMost = 40;
    if (lines_.size() < kMost) lines_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

// Proposals, portfolios, what was relayed, compensations, who was created, and the limit.
void judge_others(const Told& told, Wrongs& wrong);

}  // namespace gittxn::hammer
