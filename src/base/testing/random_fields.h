// Random values of any type that has a field list (base/fields.h): what its JSON has to bring back.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/random.h"

namespace gittxn::testing {

// Bytes as file names and arguments have them: percent signs, newlines, broken and whole UTF-8.
inline std::string random_bytes(Random& random) {
  static const std::vector<std::string> kPieces{
      "a", "Z", "%",    "%41", "\n",       "\t",       "\"",           "\\",   "\xff",
      " ", "/", "\x01", "é",   "\xc3\x28", "\xed\xa0", "\xf0\x9f\x98", "\x7f", "\xf0\x9f\x98\x80"};
  std::string out;
  const std::uint64_t pieces = random.below(8);
  for (std::uint64_t i = 0; i < pieces; ++i) out += kPieces[random.below(kPieces.size())];
  if (random.below(8) == 0) out += static_cast<char>(random.below(256));
  return out;
}

// Fills what a list names with values that it allows. What may lack is there half of the time.
class RandomFields final : public FieldIo {
 public:
  explicit RandomFields(Random& random) : random_(random) {}
  bool refused() const { return refused_; }  // by the list itself: these do not go together

  void wrong(const Field& /*field*/, std::string_view /*reason*/) override { refused_ = true; }

 private:
  std::string hex(std::size_t digits) {
    std::string out;
    while (out.size() < digits) out += "0123456789abcdef"[random_.below(16)];
    return out;
  }
  bool coin() { return random_.below(2) == 0; }
  bool must_be_there(const Field& field) const { return std::string_view(field.key) == there_; }

  void on_text(const Field& field, std::string& value) override {
    const std::string_view pattern = field.pattern;
    value = random_bytes(random_);
    if (value.empty() && must_be_there(field)) value = "x";
    if (pattern == "^[0-9a-f]{64}$") value = hex(64);
    if (pattern == "^p-[0-9]+$") value = "p-" + std::to_string(random_.below(100));
  }
  void on_oid(const Field& field, std::string& value) override {
    const bool some = must_be_there(field) || *field.pattern != '\0' || random_.below(4) != 0;
    value = some ? hex(40) : "";
  }
  void on_integer(const Field& field, std::int64_t& value, Bounds bounds) override {
    constexpr std::int64_t kFar = 1'000'000'000;
    const std::int64_t least = std::max(bounds.least, -kFar);
    const std::int64_t most = std::min(bounds.most, kFar);
    value = least +
            static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least) + 1));
    if (value == 0 && must_be_there(field)) value = std::min<std::int64_t>(most, 7);
  }
  void on_boolean(const Field& field, bool& value) override {
    value = must_be_there(field) || coin();
  }
  std::size_t on_word(const Field& /*field*/, std::span<const std::string_view> words,
                      std::size_t /*at*/) override {
    return random_.below(words.size());
  }
  void on_object(const Field& /*field*/, const FieldList& list) override {
    RandomFields io(random_);
    list(io);
    refused_ = refused_ || io.refused_;
  }
  void on_items(const Field& field, const Items& items) override {
    const auto least = static_cast<std::size_t>(items.bounds.least);
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(items.bounds.most, 4));
    std::size_t count = least + random_.below(most - least + 1);
    if (count == 0 && must_be_there(field)) count = 1;
    items.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      RandomFields io(random_);
      items.each(io, i);
      refused_ = refused_ || io.refused_;
    }
  }
  void on_any(const Field& /*field*/, Json& /*value*/, Any /*kind*/) override {}  // as it was made
  bool on_maybe(std::span<const char* const> keys, There /*there*/) override {
    const bool there = coin();
    if (there) there_ = keys.front();
    return there;
  }
  bool on_null(const char* /*key*/, There /*there*/) override { return coin(); }

  Random& random_;
  std::string_view there_;  // the field that may lack, and does not
  bool refused_ = false;
};

template <typename T>
T random_value(Random& random) {
  constexpr int kTries = 10'000;
  for (int i = 0; i < kTries; ++i) {
    T value{};
    RandomFields io(random);
    fields(io, value);
    if (!io.refused()) return value;
  }
  return {};  // which whoever asked for it finds refused
}

}  // namespace gittxn::testing
