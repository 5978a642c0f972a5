// One of several declarations of a name, which one side removed and the other moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

TEST(RemovedAndAgain, AnElementOfAnArrayOfTables) {
  const std::string head = "name = \"cart\"\n", table = "[dependencies]\nserde = \"1\"\n";
  const auto bin = [](const std::string& path) { return "[[bin]]\npath = \"" + path + "\"\n"; };
  const std::string base = head + table + bin("a") + bin("b");
  const std::string moved = head + bin("a") + table + bin("b"), removed = head + table + bin("b");
  EXPECT_EQ(merged_as("toml", {base, moved, removed}).text, removed);
  EXPECT_EQ(merged_as("toml", {base, removed, moved}).text, removed);
}

TEST(RemovedAndAgain, AnOverload) {
  const std::string a = "int size(int a);\n", b = "int size(long b);\n";
  const std::string x = "int x(void);\nint y(void);\nint z(void);\n", w = "int w(void);\n";
  EXPECT_EQ(merged_as("cpp", {a + x + b + w, x + a + b + w, x + b + w}).text, x + b + w);
  EXPECT_TRUE(
      merged_as("cpp", {a + x + b + w, a + x + w, a + x + b + w + "int v(void);\n"}).clean());
}

TEST(RemovedAndAgain, AFieldOfOneTypeThatAnotherOneGets) {
  const auto type = [](const std::string& name, const std::string& field) {
    return "struct " + name + " {\n  int x;\n" + field + "};\n";
  };
  const std::string id = "  int id;\n", x = "int f(void);\nint g(void);\n";
  EXPECT_TRUE(merged_as("c", {type("a", id) + x + type("b", ""), type("a", "") + x + type("b", ""),
                              type("a", id) + x + type("b", id)})
                  .clean());
}

}  // namespace
}  // namespace gittxn::semantic
