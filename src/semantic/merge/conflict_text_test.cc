#include <gtest/gtest.h>

#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {
namespace {

struct ConflictCase {
  Sides<std::string> texts;
  std::string merged;  // git's
};

ConflictCase merged(const std::string& base, const std::string& left, const std::string& right) {
  const auto lines = merge_lines({base, left, right}, {});
  EXPECT_TRUE(lines && lines->clean);
  return {{base, left, right}, lines ? lines->text : ""};
}

std::string conflict(const ConflictCase& of, const std::vector<Span>& spans,
                     const MergeLabels& labels = {}) {
  const auto text = conflict_at(of.texts, of.merged, spans, labels);
  EXPECT_TRUE(text);
  return text ? text->text : "";
}

Span span(std::size_t version, const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return {version, at, at + part.size()};
}

const std::string kBaseText = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const std::string kLeftText = "1\nL\n3\n4\n5\n6\n7\n8\n9\n";
const std::string kRightText = "1\n2\n3\n4\n5\n6\n7\nR\n9\n";

TEST(ConflictText, OnlyTheChangeThatIsTouched) {
  const ConflictCase of = merged(kBaseText, kLeftText, kRightText);
  EXPECT_EQ(conflict(of, {span(kMergedText, of.merged, "L")}),
            "1\n<<<<<<< left\nL\n=======\n2\n>>>>>>> right\n3\n4\n5\n6\n7\nR\n9\n");
  EXPECT_EQ(conflict(of, {span(kRight, kRightText, "R\n9")}),
            "1\nL\n3\n4\n5\n6\n7\n<<<<<<< left\n8\n=======\nR\n>>>>>>> right\n9\n");
}

TEST(ConflictText, AllThatASpanTouchesIsOneConflict) {
  const ConflictCase of = merged(kBaseText, kLeftText, kRightText);
  const auto all = conflict_at(of.texts, of.merged, {{kBase, 0, kBaseText.size()}}, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->conflicts, 1);
  EXPECT_EQ(
      all->text,
      "1\n<<<<<<< left\nL\n3\n4\n5\n6\n7\n8\n=======\n2\n3\n4\n5\n6\n7\nR\n>>>>>>> right\n9\n");
  const auto two =
      conflict_at(of.texts, of.merged,
                  {span(kMergedText, of.merged, "R"), span(kMergedText, of.merged, "L")}, {});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->conflicts, 2);
}

// Found by fuzzing: the sides differ from the base alike, but their differences have other edges.
TEST(ConflictText, WhatBothChangedAlikeIsNone) {
  const std::string base = "\na\n\nb\n\nc\n\na\n\nb\n\n\n\n";
  const std::string left = "\n\n\n\n\n\n\n";
  const std::string right = "d\n\n\na\n\nb\n\n\n\n\n\n";
  for (const ConflictText style :
       {ConflictText::kMarkers, ConflictText::kDiff3, ConflictText::kZdiff3}) {
    const auto merged = merge_lines({base, left, right}, {.style = style});
    ASSERT_TRUE(merged);
    EXPECT_TRUE(merged->clean);
    EXPECT_FALSE(merged->text.contains("<<<<<<<"));
  }
}

TEST(ConflictText, WhatWasAddedOrRemovedHasAnEmptySide) {
  const ConflictCase added =
      merged("a\nb\nc\nd\ne\nf\n", "a\nnew\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\n");
  EXPECT_EQ(conflict(added, {span(kLeft, added.texts[kLeft], "new")}),
            "a\n<<<<<<< left\nnew\n=======\n>>>>>>> right\nb\nc\nd\ne\n");
  EXPECT_EQ(conflict(added, {span(kBase, added.texts[kBase], "f")}),
            "a\nnew\nb\nc\nd\ne\n<<<<<<< left\nf\n=======\n>>>>>>> right\n");
}

TEST(ConflictText, NoChangeTouchedIsAConflictOfTheWhole) {
  const ConflictCase of = merged(kBaseText, kLeftText, kRightText);
  const std::string whole =
      "<<<<<<< left\n" + kLeftText + "=======\n" + kRightText + ">>>>>>> right\n";
  EXPECT_EQ(conflict(of, {span(kBase, kBaseText, "5")}), whole);
  EXPECT_EQ(conflict(of, {}), whole);
  ConflictCase other = of;
  other.merged = "something else\n";
  EXPECT_EQ(conflict(other, {span(kLeft, kLeftText, "L")}), whole);
}

TEST(ConflictText, MarkersAreAsAsked) {
  const ConflictCase of =
      merged("1\r\n2\r\n3\r\n4\r\n5", "0\r\n2\r\n3\r\n4\r\n5", "1\r\n2\r\n3\r\n4\r\n6");
  MergeLabels labels{"o", "a", "b", ConflictText::kDiff3, 3};
  EXPECT_EQ(conflict(of, {span(kLeft, of.texts[kLeft], "0")}, labels),
            "<<< a\r\n0\r\n||| o\r\n1\r\n===\r\n1\r\n>>> b\r\n2\r\n3\r\n4\r\n6");
  EXPECT_EQ(conflict(of, {span(kRight, of.texts[kRight], "6")}, {}),
            "0\r\n2\r\n3\r\n4\r\n<<<<<<< left\n5\n=======\n6\n>>>>>>> right\n");
}

}  // namespace
}  // namespace gittxn::semantic
