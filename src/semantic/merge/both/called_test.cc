// Functions that one side gave other parameters, and that the other side calls anew as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

TEST(Called, AMethodOfTheOwnObjectAsItWas) {
  const CalledAnew all[] = {
      {"python", "class A:\n    def get(self, key", "", ", region",
       "):\n        return key\n\n    def size(self):\n        return 1\n",
       "\n    def both(self, a):\n        return self.get(a)\n",
       "\n    def both(self, a):\n        return self.data.get(a)\n"},
      {"python", "class A:\n    def __init__(self, key", "", ", region",
       "):\n        self.key = key\n\n    def size(self):\n        return 1\n",
       "\n\ndef make(a):\n    return A(a)\n", "\n\ndef make(a):\n    return b.A(a)\n"},
      {"typescript", "class A {\n  get(key: string", "", ", ttl: number",
       "): X {\n    return key;\n  }\n\n  size(): number {\n    return 1;\n  }\n",
       "\n  two() {\n    return this.get(\"a\");\n  }\n",
       "\n  two() {\n    return this.b.get(1);\n  }\n", "}\n"},
      {"typescript", "class A {\n  constructor(key: string", "", ", ttl: number",
       ") {\n    this.key = key;\n  }\n\n  size(): number {\n    return 1;\n  }\n}\n",
       "\nexport const first = new A(\"a\");\n", "\nexport const first = new b.A(\"a\");\n"},
      {"java", "class A {\n  Row find(int id", "", ", boolean deep",
       ") {\n    return rows.get(id);\n  }\n\n  int size() {\n    return 1;\n  }\n\n",
       "  String name(int id) {\n    return find(id).name;\n  }\n\n",
       "  String name(int id) {\n    return b.find(2, 3).name;\n  }\n\n", "}\n"},
      {"go", "package a\n\nfunc (s *Store) Get(key string", "", ", ttl int",
       ") int {\n\treturn 1\n}\n\nfunc (s *Store) Size() int {\n\treturn 1\n}\n",
       "\nfunc (s *Store) Two(a string) int {\n\treturn s.Get(a)\n}\n",
       "\nfunc (s *Other) Two(a string) int {\n\treturn s.Get(first(2), 3)\n}\n"},
      {"rust", "struct A;\n\nimpl A {\n    fn get(&self, key: u32", "", ", ttl: u32",
       ") -> u32 {\n        key\n    }\n\n    fn size(&self) -> u32 {\n        1\n    }\n",
       "\n    fn two(&self) -> u32 {\n        self.get(2)\n    }\n",
       "\n    fn two(&self) -> u32 {\n        self.map.get(2)\n    }\n", "}\n"},
  };
  for (const CalledAnew& each : all) {
    EXPECT_THAT(why_not_as(each.language, each.sides(each.call)), HasSubstr("the other"))
        << each.call;
    EXPECT_TRUE(merged_as(each.language, each.sides(each.apart)).clean()) << each.apart;
  }
}

TEST(Called, AVariableWithArgumentsIsNoCall) {
  const auto with = [](const std::string& first, const std::string& last) {
    return "int f() {\n  const std::vector<int> all" + first +
           ";\n  return use(all);\n}\n\nint g() {\n" + last + "  return 1;\n}\n";
  };
  const std::string more = "  const std::vector<int> all(9);\n  use(all);\n";
  EXPECT_EQ(merged_as("cpp", {with("(8)", ""), with("(8, 'x')", ""), with("(8)", more)}).text,
            with("(8, 'x')", more));
}

}  // namespace
}  // namespace gittxn::semantic
