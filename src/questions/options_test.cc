// The engine: what a table says of a vector.
#include "questions/options.h"

#include <gtest/gtest.h>

#include "base/bug.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::words_of;

constexpr Program kSample{.names = "sample",
                          .options = {"a|all n|lines= w|when=? k|pair== r|last=+", "mode=?one,two"},
                          .refused = {{kWrites, "o|output="}},
                          .digits = Digits::kNumber};

std::string split(std::string_view line, Dashes dashes = Dashes::kClusters,
                  NextWord next = NextWord::kAny) {
  Program program = kSample;
  program.dashes = dashes;
  program.next = next;
  const std::vector<std::string> words = words_of(line);
  const Asked<Arguments> split = split_words(program, "sample", words);
  if (!split) return "no: " + split.error().reason;
  std::string text;
  for (const auto& [name, value] : split->options) text += std::string(name) + "(" + value + ") ";
  for (const std::string& word : split->operands) text += word + " ";
  for (const std::string& word : split->after_dashes) text += "/" + word + " ";
  return text;
}

TEST(QuestionOptions, AreSplitAsGetoptDoes) {
  EXPECT_EQ(split("-an5 x"), "a() n(5) x ");
  EXPECT_EQ(split("x -n 5 -a"), "n(5) a() x ");
  EXPECT_EQ(split("-n -5"), "n(-5) ");
  EXPECT_EQ(split("--lines=5 --lines 6"), "n(5) n(6) ");
  EXPECT_EQ(split("-w x"), "w() x ");
  EXPECT_EQ(split("-wx --when --when=y"), "w(x) w() w(y) ");
  EXPECT_EQ(split("-k x y z"), "k(x=y) z ");
  EXPECT_EQ(split("-r x -r"), "r(x) r() ");
  EXPECT_EQ(split("-12 -a3"), "NUMBER(12) a() ");
  EXPECT_EQ(split("- a -- -o -- b"), "- a /-o /-- /b ");
  EXPECT_EQ(split("--mode --mode=two"), "mode() mode(two) ");
}

TEST(QuestionOptions, AreNotGuessed) {
  EXPECT_EQ(split("-x"), "no: sample with the option -x is not on the list");
  EXPECT_EQ(split("-ao"), "no: sample with the option -o writes files");
  EXPECT_EQ(split("-aofile"), "no: sample with the option -o writes files");
  EXPECT_EQ(split("--output=x"), "no: sample with the option --output writes files");
  EXPECT_EQ(split("--out=x"), "no: sample with the option --out is not on the list");
  EXPECT_EQ(split("--lin=5"), "no: sample with the option --lin is not on the list");
  EXPECT_EQ(split("--all=x"), "no: sample with a value of the option --all is not understood");
  EXPECT_EQ(split("--pair=x"), "no: sample with a value of the option --pair is not understood");
  EXPECT_EQ(split("-n"), "no: sample lacks the value of the option -n");
  EXPECT_EQ(split("-k x"), "no: sample lacks the value of the option -k");
  EXPECT_EQ(split("--a"), "no: sample with the word --a is not understood");
  EXPECT_EQ(split("--=x"), "no: sample with the word --=x is not understood");
  EXPECT_EQ(split("--mode=three"),
            "no: sample with the value 'three' of the option mode is not on the list");
  EXPECT_EQ(split("-n -a", Dashes::kClusters, NextWord::kWithoutDash),
            "no: sample with a value that begins with a dash is not understood");
}

TEST(QuestionOptions, OfOneLetterAWordAndOfWholeWords) {
  EXPECT_EQ(split("-a -n5 -n 5 -5", Dashes::kSingle), "a() n(5) n(5) NUMBER(5) ");
  EXPECT_EQ(split("-an5", Dashes::kSingle), "no: sample with the word -an5 is not understood");
  EXPECT_EQ(split("-all -lines 5 -lines=6 --all -n5", Dashes::kWords), "a() n(5) n(6) a() n(5) ");
  EXPECT_EQ(split("-an5", Dashes::kWords), "no: sample with the option -an5 is not on the list");
  EXPECT_EQ(split("-output x", Dashes::kWords), "no: sample with the option -output writes files");
}

TEST(QuestionOptions, ThatAreOnNoListWouldBeNoticed) {
  arm_bug("questions.any_option");
  EXPECT_EQ(split("-x"), "any() ");
  arm_bug("");
}

}  // namespace
}  // namespace gittxn::questions
