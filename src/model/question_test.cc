// Questions in read sets.
#include <gtest/gtest.h>

#include "model/read.h"

namespace gittxn {
namespace {

Read a_look() {
  Read read;
  read.subject = "a";
  read.digest = std::string(40, '1');
  read.snapshot = Oid(std::string(40, '2'));
  read.op = "openat";
  return read;
}

Question a_question(std::int64_t number) {
  Question question;
  question.number = number;
  question.kind = Question::Kind::kRunner;
  question.name = "pytest";
  question.program = "/usr/bin/pytest";
  question.argv = {"pytest", "-k", "a b"};
  question.tree = "/w/1";
  question.environment = Digest("e1");
  question.own = {"a"};
  question.unsettled = {"b"};
  return question;
}

TEST(Reads, QuestionsComeBackWithTheirLooks) {
  ReadSet set;
  set.complete = true;
  set.questions = {a_question(1)};
  set.reads = {a_look()};
  set.reads[0].question = 1;
  const auto back = reads_from_lines(reads_to_lines(set));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->questions, set.questions);
  EXPECT_EQ(back->reads, set.reads);
  ASSERT_NE(question_of(*back, 1), nullptr);
  EXPECT_EQ(question_of(*back, 2), nullptr);
}

TEST(Reads, ALookOfAQuestionIsDroppedWhereNobodysHasToHoldAnyway) {
  ReadSet set;
  for (const std::int64_t question : {2, 0, 1}) {
    set.reads.push_back(a_look());
    set.reads.back().question = question;
  }
  ReadSet softly = set;
  normalize(set);
  ASSERT_EQ(set.reads.size(), 1u);
  EXPECT_EQ(set.reads[0].question, 0);
  softly.reads[1].strength = Strength::kSoft;
  normalize(softly);
  EXPECT_EQ(softly.reads.size(), 3u) << "a soft one need not hold";
}

TEST(Reads, WhatAnybodyElseSawAsWellIsNoHousekeeping) {
  const auto look = [](bool itself, std::int64_t question, ReadSource source) {
    Read read;
    read.kind = ReadKind::kListing;
    read.subject = "src";
    read.digest = "d";
    if (itself) read.reader = ReaderClass::kItself;
    read.question = question;
    read.source = source;
    read.pid = itself ? 1 : 2;
    return read;
  };
  const ReadSource trace = ReadSource::kTrace;
  const ReadSource hook = ReadSource::kHook;
  for (const bool first : {false, true}) {
    ReadSet set;
    set.reads = {look(first, 0, trace), look(!first, 0, hook)};
    normalize(set);
    ASSERT_EQ(set.reads.size(), 1u);
    EXPECT_EQ(set.reads[0].reader, ReaderClass::kAny);
    EXPECT_EQ(set.reads[0].pid, 2) << "who has to be named";
  }
  ReadSet both;
  both.reads = {look(true, 0, trace), look(true, 0, hook)};
  normalize(both);
  ASSERT_EQ(both.reads.size(), 1u);
  EXPECT_EQ(both.reads[0].reader, ReaderClass::kItself);
  const auto again = reads_from_lines(reads_to_lines(both));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->reads, both.reads);
  ReadSet shown;
  shown.reads = {look(true, 0, trace), look(true, 0, hook)};
  shown.reads[1].reader = ReaderClass::kShown;
  normalize(shown);
  ASSERT_EQ(shown.reads.size(), 1u);
  EXPECT_EQ(shown.reads[0].reader, ReaderClass::kShown) << "the agent was shown it all the same";
  ReadSet asked;
  asked.reads = {look(true, 0, trace), look(false, 3, trace)};
  normalize(asked);
  EXPECT_EQ(asked.reads.size(), 2u) << "a question's look counts beside it";
}

TEST(Reads, OfTwoReadersTheOneOfWhomLessIsKnownCounts) {
  for (const bool first : {true, false}) {
    ReadSet set;
    set.reads = {a_look(), a_look()};
    set.reads[first ? 0 : 1].reader = ReaderClass::kShown;
    normalize(set);
    ASSERT_EQ(set.reads.size(), 1u);
    EXPECT_EQ(set.reads[0].reader, ReaderClass::kAny);
  }
  ReadSet set;
  for (const std::int64_t question : {0, 1}) {
    set.reads.push_back(a_look());
    set.reads.back().question = question;
    set.reads.back().reader = question == 1 ? ReaderClass::kAny : ReaderClass::kShown;
  }
  normalize(set);
  ASSERT_EQ(set.reads.size(), 2u) << "a question's look of anybody is not the agent's";
  EXPECT_EQ(set.reads[0].reader, ReaderClass::kShown);
  EXPECT_EQ(set.reads[1].question, 1);
  const auto back = reads_from_lines(reads_to_lines(set));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->reads, set.reads);
}

TEST(Reads, QuestionsOfAnotherSetGetNewNumbers) {
  ReadSet set;
  set.questions = {a_question(1), a_question(2)};
  ReadSet more;
  more.questions = {a_question(1)};
  more.reads = {a_look(), a_look()};
  more.reads[0].question = 1;
  add_reads(set, more);
  ASSERT_EQ(set.questions.size(), 3u);
  EXPECT_EQ(set.questions[2].number, 3);
  EXPECT_EQ(set.reads[0].question, 3);
  EXPECT_EQ(set.reads[1].question, 0);
}

}  // namespace
}  // namespace gittxn
