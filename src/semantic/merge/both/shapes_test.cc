// A struct or a variant of another shape, and one more that is made or taken apart as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

TEST(Shapes, AsItWasBeforeOneSideChangedIt) {
  const CalledAnew variant = {
      "rust",
      "enum Event {\n    Key",
      "(u32),\n    Quit,\n}\n\nfn name(e: &Event) -> u32 {\n    match e {\n"
      "        Event::Key(n) => n,\n",
      " { code: u32 },\n    Quit,\n}\n\nfn name(e: &Event) -> u32 {\n    match e {\n"
      "        Event::Key { code } => code,\n",
      "        Event::Quit => 1,\n    }\n}\n\nfn quit() -> Event {\n    Event::Quit\n}\n",
      "\nfn enter() -> Event {\n    Event::Key(13)\n}\n",
      "\nfn enter() -> Event {\n    other::Key(13)\n}\n"};
  EXPECT_THAT(why_not_as("rust", variant.sides(variant.call)),
              HasSubstr("one side gave Event::Key other fields"));
  EXPECT_TRUE(merged_as("rust", variant.sides(variant.apart)).clean());
  const auto is = [&](const std::string& what) {
    return "\nimpl Event {\n    fn b(&self) -> bool {\n        if let " + what +
           " = self {\n            return true;\n        }\n        false\n    }\n}\n";
  };
  EXPECT_NE(why_not_as("rust", variant.sides(is("Self::Key(n)"))), "");
  EXPECT_TRUE(merged_as("rust", variant.sides(is("Self::Key(..)"))).clean());
  const CalledAnew fields = {"rust",
                             "pub struct Point {\n    x: i32,\n    y: i32,\n",
                             "",
                             "    z: i32,\n",
                             "}\n\npub fn norm(p: &Point) -> i32 {\n    p.x\n}\n\n"
                             "pub fn x(p: &Point) -> i32 {\n    p.x\n}\n",
                             "\nfn zero() -> Point {\n    Point { x: 0, y: 0 }\n}\n",
                             "\nfn zero() -> Point {\n    Point { x: 0, ..one() }\n}\n"};
  EXPECT_THAT(why_not_as("rust", fields.sides(fields.call)),
              HasSubstr("one side gave Point other fields"));
  EXPECT_TRUE(merged_as("rust", fields.sides(fields.apart)).clean());
}

}  // namespace
}  // namespace gittxn::semantic
