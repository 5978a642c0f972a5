#include "store/work/likeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/json.h"
#include "base/text.h"

namespace gittxn::store {
namespace {

constexpr int kThousand = 1000;
constexpr std::size_t kQuoted = 60;  // bytes of what somebody gave, in an error

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Bytes above ASCII belong to words: letters of other scripts, whatever they are.
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

template <typename T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

std::unexpected<Error> bad(std::string_view why) {
  return fail(Code::kUsage, fmt::format("this is no embedding: {}", why),
              "write it as a JSON array of numbers, such as [0.12, -0.4, 0.9]");
}

}  // namespace

Result<Embedding> parse_embedding(std::string_view text) {
  const auto json = parse_json(text, {.max_bytes = kMaxEmbeddingBytes, .max_depth = 2});
  if (!json) return bad(std::string_view(json.error().message).substr(0, kQuoted * 3));
  if (!json->is_array() || json->empty()) return bad("it is not an array with numbers in it");
  if (json->size() > kMaxDimensions) {
    return bad(fmt::format("{} numbers, and at most {} are taken", json->size(), kMaxDimensions));
  }
  double largest = 0;
  for (const Json& one : *json) {
    if (!one.is_number() || !std::isfinite(one.get<double>())) {
      const std::string shown = dump_json(one);
      return bad(fmt::format("'{}{}' is not a finite number", shown.substr(0, kQuoted),
                             shown.size() > kQuoted ? "..." : ""));
    }
    largest = std::max(largest, std::abs(one.get<double>()));
  }
  if (largest == 0) return bad("all of its numbers are 0");
  Embedding embedding;
  embedding.reserve(json->size());
  for (const Json& one : *json) {
    embedding.push_back(static_cast<int>(std::lround(one.get<double>() / largest * kMaxComponent)));
  }
  return embedding;
}

Shingles shingles_of(std::string_view text) {
  Shingles shingles;
  std::string plain = " ";
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (std::ranges::any_of(word, is_digit)) shingles.numbers.push_back(word);
    plain += word + " ";
    word.clear();
  };
  for (const char c : lower_ascii(text)) {
    if (is_word(c)) {
      word += c;
    } else {
      end_word();
    }
  }
  end_word();
  for (std::size_t i = 0; i + 2 < plain.size(); ++i) {
    std::uint32_t run = 0;
    for (const char c : plain.substr(i, 3)) run = run << 8 | static_cast<unsigned char>(c);
    shingles.runs.push_back(run);
  }
  sort_unique(shingles.runs);
  sort_unique(shingles.numbers);
  return shingles;
}

bool may_be_alike(const Shingles& a, const Shingles& b, int likeness) {
  // At most all of the fewer are in both, and at least all of the more in either.
  const std::size_t fewer = std::min(a.runs.size(), b.runs.size());
  const std::size_t more = std::max(a.runs.size(), b.runs.size());
  return fewer * kThousand >= more * static_cast<std::size_t>(std::max(likeness, 0));
}

int text_likeness(const Shingles& a, const Shingles& b) {
  if (a.numbers != b.numbers) return 0;
  if (a.runs.empty() || b.runs.empty()) return 0;  // punctuation alone says nothing
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(a.runs, b.runs, std::back_inserter(both));
  const std::size_t either = a.runs.size() + b.runs.size() - both.size();
  return static_cast<int>(both.size() * kThousand / either);
}

int embedding_likeness(const Embedding& a, const Embedding& b) {
  if (a.size() != b.size() || a.empty()) return 0;
  std::int64_t dot = 0;
  std::int64_t length_a = 0;
  std::int64_t length_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    dot += std::int64_t{a[i]} * b[i];
    length_a += std::int64_t{a[i]} * a[i];
    length_b += std::int64_t{b[i]} * b[i];
  }
  if (dot <= 0) return 0;
  const double cosine = static_cast<double>(dot) / (std::sqrt(static_cast<double>(length_a)) *
                                                    std::sqrt(static_cast<double>(length_b)));
  return std::clamp(static_cast<int>(std::lround(cosine * kThousand)), 0, kThousand);
}

}  // namespace gittxn::store
