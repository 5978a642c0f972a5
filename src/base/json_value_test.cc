#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/random.h"

namespace gittxn {
namespace {

using Theirs = nlohmann::json;

std::string their_dump(const Theirs& value, int indent) {
  return value.dump(indent, ' ', false, Theirs::error_handler_t::replace);
}

// The same value, made by each of the two.
std::pair<Json, Theirs> some_text(Random& random) {
  constexpr std::string_view kBytes(
      "a\"\\\n\x01/\x7f\x80\xbf\xc3\xa9\xe2\x82\xac\xed\xa0\xf0\x9f\x98\x80\xf4\x90\xff", 22);
  std::string text;
  for (std::uint64_t i = random.below(9); i > 0; --i) text += kBytes[random.below(kBytes.size())];
  return {text, text};
}

std::pair<Json, Theirs> some_value(Random& random, int depth) {
  const std::uint64_t kind = random.below(depth == 0 ? 7 : 9);
  if (kind == 0) return {nullptr, nullptr};
  if (kind == 1) return {true, true};
  if (kind == 2) return some_text(random);
  if (kind == 3) return {7, 7};
  const std::uint64_t bits = random.next() >> random.below(64);
  if (kind == 4) return {bits, bits};
  if (kind == 5)
    return {-static_cast<std::int64_t>(bits >> 1), -static_cast<std::int64_t>(bits >> 1)};
  if (kind == 6) {
    const double any = std::bit_cast<double>(random.next());
    const double real = random.below(2) == 0 ? any : static_cast<double>(bits) / 64;
    return {real, real};
  }
  std::pair<Json, Theirs> made{kind == 7 ? Json::array() : Json::object(),
                               kind == 7 ? Theirs::array() : Theirs::object()};
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    auto [ours, theirs] = some_value(random, depth - 1);
    if (kind == 7) {
      made.first.push_back(std::move(ours));
      made.second.push_back(std::move(theirs));
    } else {
      const std::string key = some_text(random).first.text();
      made.first[key] = std::move(ours);
      made.second[key] = std::move(theirs);
    }
  }
  return made;
}

std::optional<Theirs> they_parse(const std::string& text) {
  Theirs value = Theirs::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

TEST(JsonValue, IsWrittenAndReadAsTheLibraryDoes) {
  Random random(3);
  for (int round = 0; round < 20'000; ++round) {
    const auto [ours, theirs] = some_value(random, 3);
    const std::string line = dump_json(ours);
    ASSERT_EQ(line, their_dump(theirs, -1));
    ASSERT_EQ(dump_json(ours, 2), their_dump(theirs, 2));
    const Json again = parse_json(line).value();
    ASSERT_EQ(dump_json(again), their_dump(they_parse(line).value(), -1));
    const std::string canonical = canonical_json(again);
    ASSERT_EQ(canonical_json(parse_json(canonical).value()), canonical);
  }
}

TEST(JsonValue, IsReadOfNoTextThatTheLibraryRefuses) {
  Random random(5);
  int refused = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text = dump_json(some_value(random, 3).first);
    for (std::uint64_t i = random.below(3); i > 0; --i) {
      constexpr std::string_view kBytes = "{}[]\",:0e+-.\\un\x80 ";
      text[random.below(text.size())] = kBytes[random.below(kBytes.size())];
    }
    const Result<Json> ours = parse_json(text);
    const std::optional<Theirs> theirs = they_parse(text);
    ASSERT_EQ(ours.has_value(), theirs.has_value()) << text;
    if (ours) ASSERT_EQ(dump_json(*ours), their_dump(*theirs, -1)) << text;
    refused += ours ? 0 : 1;
  }
  EXPECT_GT(refused, 10'000);
}

TEST(JsonValue, OfTwoMembersWithOneKeyTheLastCounts) {
  std::string repeated;
  const JsonLimits limits{.repeated = &repeated};
  EXPECT_EQ(dump_json(parse_json(R"({"b":{"a":1,"a":2},"c":1})", limits).value()),
            R"({"b":{"a":2},"c":1})");
  EXPECT_EQ(repeated, "");
  EXPECT_EQ(dump_json(parse_json(R"({"a":[1],"b":2,"a":{"c":3}})", limits).value()),
            R"({"a":{"c":3},"b":2})");
  EXPECT_EQ(repeated, "a");
}

TEST(JsonValue, OfAListOfMembersIsAnObject) {
  const Json object{{"text", "a"}, {"none", nullptr}, {"deep", {{"text", true}}}};
  EXPECT_EQ(dump_json(object), R"({"deep":{"text":true},"none":null,"text":"a"})");
  EXPECT_EQ(dump_json(Json{object}), dump_json(object));
  EXPECT_EQ(dump_json(Json::array({object["text"], 1, "b"})), R"(["a",1,"b"])");
  EXPECT_EQ(dump_json(Json(std::vector<std::string>{"a", "b"})), R"(["a","b"])");
}

TEST(JsonValue, WhatIsNotThereIsANull) {
  const Json json{{"list", Json::array({1})}, {"text", "a"}};
  EXPECT_TRUE(json["none"]["at"][3].is_null());
  EXPECT_TRUE(json["list"][1].is_null());
  EXPECT_TRUE(json["text"]["a"].is_null());
  EXPECT_EQ(json["text"].size(), 1u);
  EXPECT_EQ(json["none"].size(), 0u);
  EXPECT_EQ(json["text"].begin(), json["text"].end());
  EXPECT_TRUE(json["list"].items().empty());
  EXPECT_EQ(json["list"].text_or("b"), "b");
  EXPECT_EQ(json["list"][0].integer_or(2), 1);
  EXPECT_EQ(json["text"].integer_or(2), 2);
}

TEST(JsonValue, IsTakenForNothingElse) {
  Json json{{"list", Json::array({1})}, {"text", "a"}};
  EXPECT_ANY_THROW(json.at("none"));
  EXPECT_ANY_THROW(json["list"].at(1));
  EXPECT_ANY_THROW(json["list"].text());
  EXPECT_ANY_THROW(json["text"].get<int>());
  EXPECT_ANY_THROW(Json(1.5).get<int>());
  EXPECT_ANY_THROW(Json(1).get<bool>());
  EXPECT_ANY_THROW(json["text"].push_back(1));
  EXPECT_ANY_THROW(json["list"]["a"] = 1);
  EXPECT_EQ(dump_json(json), R"({"list":[1],"text":"a"})");
}

TEST(JsonValue, MayBecomeAPartOfItself) {
  Json json{{"a", {{"b", Json::array({1, 2})}}}};
  json = json["a"];
  json = json["b"];
  json.push_back(json[0]);
  EXPECT_EQ(dump_json(json), "[1,2,1]");
}

TEST(JsonValue, NumbersAreEqualByWhatTheyCount) {
  EXPECT_EQ(Json(1), Json(1u));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(1), Json(1.5));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_NE(Json(~std::uint64_t{0}), Json(-1));
}

}  // namespace
}  // namespace gittxn
