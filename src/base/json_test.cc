#include "base/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "base/hash.h"
#include "base/random.h"

namespace gittxn {
namespace {

std::string canonical(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << (value ? "" : value.error().message);
  return value ? canonical_json(*value) : "";
}

TEST(CanonicalJson, SerializesTheSampleOfRfc8785) {
  EXPECT_EQ(canonical(R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })"),
            "{\"literals\":[null,true,false],"
            "\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(CanonicalJson, SortsKeysByUtf16CodeUnits) {
  // RFC 8785 3.2.3: the emoji (a surrogate pair, D83D) comes before U+FB33, though its bytes do
  // not.
  EXPECT_EQ(canonical(
                R"({"\u20ac":"Euro Sign","\r":"Carriage Return",
          "\ufb33":"Hebrew Letter Dalet With Dagesh",
                          "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",
                          "\u00f6":"Latin Small Letter O With Diaeresis"})"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\","
            "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\",\"\xE2\x82\xAC\":\"Euro Sign\","
            "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
            "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(CanonicalJson, PrintsNumbersAsAppendixBOfRfc8785) {
  const std::pair<std::uint64_t, const char*> vectors[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& [bits, text] : vectors) {
    EXPECT_EQ(canonical_json(Json(std::bit_cast<double>(bits))), text) << std::hex << bits;
  }
}

TEST(CanonicalJson, PrintsIntegersAsTheDoublesTheyAreReadAs) {
  EXPECT_EQ(canonical("9007199254740992"), "9007199254740992");
  EXPECT_EQ(canonical("-9007199254740992"), "-9007199254740992");
  EXPECT_EQ(canonical("9007199254740993"), "9007199254740992");
  EXPECT_EQ(canonical("18446744073709551615"), "18446744073709552000");
  EXPECT_EQ(canonical("1.0"), "1");
}

TEST(CanonicalJson, IsAFixedPoint) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    Json value = Json::object();
    for (int i = 0; i < 8; ++i) {
      const std::string key = random.name(static_cast<int>(random.below(5)));
      const std::uint64_t pick = random.below(4);
      if (pick == 0) value[key] = std::bit_cast<double>(random.next() & ~(1ull << 62));
      if (pick == 1) value[key] = static_cast<std::int64_t>(random.next());
      if (pick == 2) value[key] = Json::array({key, nullptr, true});
      if (pick == 3) value[key] = {{"b", random.below(10)}, {"a", "\n\"\\\x01"}};
    }
    const std::string once = canonical_json(value);
    EXPECT_EQ(canonical(once), once);
  }
}

TEST(CanonicalJson, StaysJsonWhenAStringIsNotUtf8) {
  EXPECT_EQ(canonical_json(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

TEST(Json, WhatIsNoneIsSaidInWordsForPeople) {
  const auto said = [](std::string_view text) { return parse_json(text).error().message; };
  EXPECT_EQ(said(""), "not JSON: it is empty");
  EXPECT_EQ(said("{\"a\": "), "not JSON: it breaks off in the middle");
  EXPECT_EQ(said("{\n  \"a\": nope\n}"), "not JSON: it does not go on as JSON at line 2, column 9");
  EXPECT_EQ(said("\"\xff\""), "not JSON: it does not go on as JSON at line 1, column 2");
}

TEST(ParseJson, RefusesWhatIsTooLargeOrTooDeep) {
  EXPECT_EQ(parse_json("[1,2,3]", {.max_bytes = 6}).error().code, Code::kCorrupt);
  EXPECT_TRUE(parse_json("[1,2,3]", {.max_bytes = 7}));
  EXPECT_TRUE(parse_json("[[[]]]", {.max_depth = 3}));
  EXPECT_EQ(parse_json("[[[]]]", {.max_depth = 2}).error().code, Code::kCorrupt);
  EXPECT_TRUE(parse_json(R"(["[[[[\"[[[["])", {.max_depth = 1}));
  EXPECT_EQ(parse_json(std::string(1'000'000, '[')).error().code, Code::kCorrupt);
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\":1,}", "nul", "1 2", "\"\xff\"", "\"\\ud800\"", "1e999"}) {
    auto value = parse_json(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, Code::kCorrupt) << text;
  }
}

TEST(PathCodec, ReadsBackAnyBytes) {
  Random random(11);
  const std::string alphabet(
      "a%/\n\x80\xbf\xc3\xa9\xe2\x82\xac\xed\xa0\xf0\x9f\x98\xf8\xff"
      "2F",
      20);
  for (int round = 0; round < 20'000; ++round) {
    std::string path;
    const std::uint64_t length = random.below(12);
    for (std::uint64_t i = 0; i < length; ++i) {
      path += round % 2 == 0 ? alphabet[random.below(alphabet.size())]
                             : static_cast<char>(random.next() & 0xff);
    }
    const std::string text = encode_path(path);
    ASSERT_EQ(decode_path(text), path) << text;
    ASSERT_TRUE(parse_json(dump_json(Json(text)))) << "encoded text is UTF-8";
    ASSERT_EQ(parse_json(canonical_json(Json(text)))->text(), text);
  }
}

TEST(PathCodec, LeavesReadableNamesAlone) {
  EXPECT_EQ(encode_path("src/h\xc3\xa9.cc"), "src/h\xc3\xa9.cc");
  EXPECT_EQ(encode_path("100%"), "100%25");
  EXPECT_EQ(encode_path("\xc0\x80\xed\xa0\x80"), "%C0%80%ED%A0%80");  // over-long; a surrogate
  EXPECT_EQ(decode_path("%zz%4"), "%zz%4");
}

TEST(Hash, KnowsTheVectorsOfFips180) {
  EXPECT_EQ(sha256("").str(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 parts;
  parts.update("a");
  parts.update("");
  parts.update("bc");
  EXPECT_EQ(parts.finish(), sha256("abc"));
}

TEST(Hash, FieldsDoNotRunIntoEachOther) {
  EXPECT_NE(sha256_fields({"ab", "c"}), sha256_fields({"a", "bc"}));
  EXPECT_NE(sha256_fields({"", "a"}), sha256_fields({"a", ""}));
  EXPECT_NE(sha256_fields({}), sha256_fields({""}));
}

}  // namespace
}  // namespace gittxn
