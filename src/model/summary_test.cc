// The manifest of a summary, there and back, and what a name may be.
#include "model/summary.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "model/fields.h"

namespace gittxn {
namespace {

Summary example() {
  return {"overview",
          Digest(std::string(64, 'b')),
          12,
          "t-1",
          {{ReadKind::kAbsence, "docs/none", ""},
           {ReadKind::kContent, "src/a\xff%.c", std::string(40, 'a')},
           {ReadKind::kTree, "src", "040000 " + std::string(40, 'c')}}};
}

TEST(Summary, ComesBackAsItWasWithItsSourcesSortedAndOnce) {
  Summary mixed = example();
  std::swap(mixed.sources[0], mixed.sources[2]);
  mixed.sources.push_back(mixed.sources[0]);
  const auto back = read_fields<Summary>(*parse_json(manifest_text(mixed)));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->sources.size(), 3u);
  EXPECT_EQ(manifest_text(*back), manifest_text(example()));
  EXPECT_EQ(back->name, "overview");
  EXPECT_EQ(back->bytes, 12);
}

TEST(Summary, IsReadStrictly) {
  const Json good = *parse_json(manifest_text(example()));
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    EXPECT_FALSE(read_fields<Summary>(bad)) << "without " << key;
    bad[key] = Json::object();
    EXPECT_FALSE(read_fields<Summary>(bad)) << "wrong " << key;
  }
  Json bad = good;
  bad["more"] = 1;
  EXPECT_FALSE(read_fields<Summary>(bad));
  bad = good;
  bad["v"] = 2;
  EXPECT_FALSE(read_fields<Summary>(bad));
  for (const char* kind : {"kernel", "summary", "external", "ref", "glance"}) {
    bad = good;
    bad["sources"][0]["kind"] = kind;
    EXPECT_FALSE(read_fields<Summary>(bad)) << kind << " is no look-up in a tree";
  }
}

TEST(Summary, ANameIsOnlyAName) {
  EXPECT_TRUE(check_summary_name("how src/ is laid out"));
  EXPECT_TRUE(check_summary_name("../../etc/passwd"));
  EXPECT_TRUE(check_summary_name(std::string(200, 'x')));
  EXPECT_FALSE(check_summary_name(""));
  EXPECT_FALSE(check_summary_name(std::string(201, 'x')));
  EXPECT_FALSE(check_summary_name("two\nlines"));
  EXPECT_FALSE(check_summary_name("\xff"));
  EXPECT_FALSE(check_summary_name(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace gittxn
