// One more of what has to be said completely, beside what says all that there was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

// A type with `more` in it, something that stands between, and `behind`.
struct Demand {
  std::string_view language;
  std::string open, more, close, apart;

  Sides<std::string> beside(const std::string& behind) const {
    return {open + close + apart, open + more + close + apart, open + close + apart + behind};
  }
};

TEST(LeftOutOfCases, OfAMatchInRust) {
  const Demand shape{"rust", "pub enum Shape {\n    Round(f64),\n    Square(f64),\n", "    Unit,\n",
                     "}\n", "\nfn apart() -> i32 {\n    1\n}\n"};
  const auto match = [](const std::string& arms) {
    return "\nfn name(s: &Shape) -> &str {\n    match s {\n" + arms + "    }\n}\n";
  };
  const std::string round = "        Shape::Round(_) => \"round\",\n";
  const std::string square = "        Shape::Square(_) => \"square\",\n";
  EXPECT_THAT(why_not_as("rust", shape.beside(match(round + square))),
              HasSubstr("added 'Unit' to Shape, and the other side adds cases of all but that"));
  EXPECT_TRUE(merged_as("rust", shape.beside(match(round + "        _ => \"other\",\n"))).clean());
  EXPECT_TRUE(
      merged_as("rust", shape.beside(match(round + square + "        other => \"\",\n"))).clean());
  EXPECT_TRUE(merged_as("rust", shape.beside("\nfn f(s: &Shape) -> bool {\n    matches!(s, "
                                             "Shape::Round(_) | Shape::Square(_))\n}\n"))
                  .clean());
}

TEST(LeftOutOfCases, NotWhereEachSideHasACaseOfItsOwn) {
  const auto file = [](const std::string& variants, const std::string& arms) {
    return "enum Shape {\n    Round,\n" + variants + "}\n\nfn name(s: Shape) -> i32 {\n" +
           "    match s {\n        Shape::Round => 1,\n" + arms + "    }\n}\n";
  };
  const std::string a = "        Shape::A => 2,\n", b = "        Shape::B => 3,\n";
  EXPECT_EQ(merged_as("rust", {file("", ""), file("    A,\n", a), file("    B,\n", b)}).text,
            file("    A,\n    B,\n", a + b));
}

TEST(LeftOutOfCases, OfAWhenAndOfASwitchWithAValue) {
  const Demand color{"kotlin", "enum class Color {\n    RED,\n    BLUE,\n", "    GREEN,\n", "}\n",
                     "\nfun apart() = 1\n"};
  const auto when = [](const std::string& last) {
    return "\nfun name(c: Color) = when (c) {\n    Color.RED -> 1\n    " + last + " -> 2\n}\n";
  };
  why_not_as("kotlin", color.beside(when("Color.BLUE")));
  EXPECT_TRUE(merged_as("kotlin", color.beside(when("else"))).clean());
  const Demand state{"java", "enum State {\n    OPEN,\n    SHUT,\n", "    HELD,\n",
                     "}\n\nclass A {\n    int apart() {\n        return 1;\n    }\n", ""};
  const auto method = [](const std::string& before, const std::string& last) {
    return "\n    int of(State s) {\n        " + before +
           "switch (s) {\n            case OPEN -> 1;\n            " + last +
           " -> 2;\n        };\n    }\n";
  };
  const auto inside = [&](const std::string& more) {
    Sides<std::string> sides = state.beside(more);
    for (std::string& side : sides) side += "}\n";
    return sides;
  };
  why_not_as("java", inside(method("return ", "case SHUT")));
  EXPECT_TRUE(merged_as("java", inside(method("return ", "default"))).clean());
  EXPECT_TRUE(merged_as("java", inside(method("", "case SHUT"))).clean());  // may leave out some
}

TEST(LeftOutOfType, AMethodOfWhatIsImplementedAnew) {
  const std::string apart = "\nclass Apart {\n}\n";
  const auto expect_of = [&](const Demand& type, const std::string& with, const std::string& end,
                             const std::string& method) {
    EXPECT_THAT(why_not_as(type.language, type.beside(with + end)),
                HasSubstr("the other side adds one without it"));
    EXPECT_TRUE(merged_as(type.language, type.beside(with + method + end)).clean());
  };
  expect_of({"java", "interface Store {\n  int get();\n", "  int size();\n", "}\n", apart},
            "\nclass Empty implements Store {\n  public int get() { return 0; }\n", "}\n",
            "  public int size() { return 0; }\n");
  expect_of(
      {"typescript", "interface Store {\n  get(): number;\n", "  size(): number;\n", "}\n", apart},
      "\nclass Empty implements Store {\n  get() { return 0; }\n", "}\n",
      "  size() { return 0; }\n");
  expect_of({"csharp", "interface Store {\n  int Get();\n", "  int Size();\n", "}\n", apart},
            "\nclass Empty : Store {\n  public int Get() { return 0; }\n", "}\n",
            "  public int Size() { return 0; }\n");
  expect_of(
      {"kotlin", "interface Store {\n  fun get(): Int\n", "  fun size(): Int\n", "}\n", apart},
      "\nclass Empty : Store {\n  override fun get() = 0\n", "}\n", "  override fun size() = 0\n");
  expect_of({"rust", "trait Store {\n    fn get(&self) -> i32;\n", "    fn size(&self) -> i32;\n",
             "}\n\nstruct Empty;\n", "\nfn apart() {}\n"},
            "\nimpl Store for Empty {\n    fn get(&self) -> i32 { 0 }\n", "}\n",
            "    fn size(&self) -> i32 { 0 }\n");
  expect_of({"php", "<?php\ninterface Store {\n  public function get();\n",
             "  public function size();\n", "}\n", apart},
            "\nclass Nothing implements Store {\n  public function get() { return 0; }\n", "}\n",
            "  public function size() { return 0; }\n");
  expect_of({"python", "class Store(ABC):\n    @abstractmethod\n    def get(self):\n        pass\n",
             "\n    @abstractmethod\n    def size(self):\n        pass\n", "",
             "\n\ndef apart():\n    return 1\n"},
            "\n\nclass Empty(Store):\n    def get(self):\n        return 0\n", "",
            "\n    def size(self):\n        return 0\n");
}

TEST(LeftOutOfType, WhatNeedNotBeSaid) {
  const std::string empty =
      "\nclass Empty implements Store {\n  public int get() { return 0; }\n}\n";
  const auto clean = [&](const std::string& more, const std::string& behind) {
    const Demand type{"java", "interface Store {\n  int get();\n", more, "}\n",
                      "\nclass Apart {\n}\n"};
    return merged_as("java", type.beside(behind)).clean();
  };
  EXPECT_TRUE(clean("  default int size() { return 0; }\n", empty));
  EXPECT_TRUE(clean("  int size();\n", "\nabstract class Half implements Store {\n}\n"));
  EXPECT_TRUE(clean("  int size();\n", "\nclass More extends Apart implements Store {\n}\n"));
  EXPECT_TRUE(clean("  int size();\n", "\ninterface More extends Store {\n}\n"));
}

TEST(LeftOutOfType, AValueInTypeScript) {
  const auto with = [](const std::string& more, const std::string& fields) {
    const Demand type{"typescript", "interface Options {\n  port: number;\n", more, "}\n",
                      "\nfunction apart() {\n  return 1;\n}\n"};
    return type.beside("\nconst fallback: Options = { " + fields + " };\n");
  };
  why_not_as("typescript", with("  host: string;\n", "port: 1"));
  EXPECT_TRUE(merged_as("typescript", with("  host?: string;\n", "port: 1")).clean());
  EXPECT_TRUE(merged_as("typescript", with("  host: string;\n", "port: 1, ...defaults")).clean());
}

}  // namespace
}  // namespace gittxn::semantic
