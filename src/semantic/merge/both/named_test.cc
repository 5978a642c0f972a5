// Items of a list that both sides add under one name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

struct NamedList {
  std::string_view language;
  std::string head, middle, tail;
  std::string left, right, apart;  // two of one name, and one of another

  Sides<std::string> sides(const std::string& last) const {
    return {head + middle + tail, head + left + middle + tail, head + middle + last + tail};
  }
};

const NamedList kLists[] = {
    {"yaml", "a:\n  env:\n", "    - name: A\n      value: 1\n    - name: B\n      value: 2\n", "",
     "    - name: MODE\n      value: 3\n", "    - name: MODE\n      value: 4\n",
     "    - name: WAIT\n      value: 3\n"},
    {"json", "{\n  \"all\": [\n",
     "    {\"id\": \"a\", \"size\": 1},\n    {\"id\": \"b\", \"size\": 2},\n",
     "    {\"id\": \"z\", \"size\": 2}\n  ]\n}\n", "    {\"id\": \"new\", \"size\": 3},\n",
     "    {\"id\": \"new\", \"size\": 4},\n", "    {\"id\": \"other\", \"size\": 3},\n"},
    {"typescript", "const routes = [\n",
     "  { path: \"/\", view: A },\n  { path: \"/b\", view: B },\n", "];\n",
     "  { path: \"/new\", view: L },\n", "  { path: \"/new\", view: R },\n",
     "  { path: \"/other\", view: L },\n"},
    {"yaml", "a:\n  env:\n", "    - A=1\n    - B=2\n", "", "    - MODE=3\n", "    - MODE=4\n",
     "    - WAIT=3\n"},
    {"toml", "dependencies = [\n", "  \"a>=1\",\n  \"b[x]==2\",\n", "]\n", "  \"new>=3\",\n",
     "  \"new~=4\",\n", "  \"other>=3\",\n"},
    {"go", "package p\n\ntype User struct {\n",
     "\tID   int    `json:\"id\"`\n\tName string `json:\"name\"`\n\tAge  int    `json:\"age\"`\n",
     "}\n", "\tMail string `json:\"email\"`\n", "\tEmail string `json:\"email,omitempty\"`\n",
     "\tEmail string `json:\"-\"`\n"},
};

TEST(NamedItems, OfOneNameAtTwoPlaces) {
  for (const NamedList& each : kLists) {
    EXPECT_THAT(why_not_as(each.language, each.sides(each.right)),
                HasSubstr("both sides added one with the "))
        << each.left;
    EXPECT_TRUE(merged_as(each.language, each.sides(each.apart)).clean()) << each.apart;
  }
}

TEST(NamedItems, ThatAreNotToldByTheirNames) {
  const auto clean = [](const std::string& middle, const std::string& left,
                        const std::string& right) {
    const NamedList list{"yaml", "a:\n", middle, "", left, "", ""};
    return merged_as("yaml", list.sides(right)).clean();
  };
  const std::string a = "  - name: a\n    by: 1\n", b = "  - name: b\n    by: 1\n";
  const std::string left = "  - name: n\n    by: 2\n", right = "  - name: n\n    by: 3\n";
  EXPECT_FALSE(clean(a + b, left, right));
  EXPECT_TRUE(clean(a + b + "  - name: a\n    by: 2\n", left, right));  // one is there twice
  EXPECT_TRUE(clean(a + b + "  - run: x\n", left, right));
  EXPECT_TRUE(clean("  - by: 1\n    size: 1\n  - by: 2\n    size: 2\n", "  - by: 3\n    size: 1\n",
                    "  - by: 3\n    size: 2\n"));
}

}  // namespace
}  // namespace gittxn::semantic
