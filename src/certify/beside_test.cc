// Tests of the rule for what came beside something that an agent alone was shown.
#include "certify/beside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/bug.h"
#include "certify/testing/scene.h"

namespace gittxn::certify {
namespace {

using ::testing::ElementsAre;
using testing::file;

class Beside : public testing::Scene {
 protected:
  std::optional<Came> came = Came{{"added"}};
  std::set<std::string> words;

  void SetUp() override {
    Scene::SetUp();
    head["a"] = file("a1");
    saw(ReadKind::kContent, "a", "a0").reader = ReaderClass::kShown;
    names.named = [this](std::string_view word) { return words.contains(std::string(word)); };
    only_came = [this](const Read&, const Question*, const SnapshotDiff&, const Changes&) {
      return came;
    };
  }
  // A search of the whole tree in place of the read, which its judge finds stale.
  Read& search() {
    reads.reads.clear();
    contents = [](const Read& read, const SnapshotDiff&, const Changes&) {
      return std::optional(Stale{read.subject, "another answer"});
    };
    Read& read = saw(ReadKind::kSearch, "", "q");
    read.reader = ReaderClass::kShown;
    return read;
  }
  void asked(Read& read, int status) {
    read.question = 1;
    Question& question = reads.questions.emplace_back();
    question.number = 1;
    question.status = status;
  }
  bool lands() {
    const Verdict verdict = semantic();
    if (verdict.commit) {
      EXPECT_THAT(verdict.excused,
                  ElementsAre(Excuse{Excuse::Why::kBeside, reads.reads[0].subject}));
    }
    return verdict.commit;
  }
};

TEST_F(Beside, AFileThatDeclaresMoreIsNoConcernOfWhoWasShownIt) {
  EXPECT_TRUE(lands());
  ours["b"] = file("b1");
  EXPECT_TRUE(lands());
  EXPECT_FALSE(strict().commit);
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
}

TEST_F(Beside, WhatTheTransactionNamesIs) {
  words = {"added"};
  EXPECT_FALSE(lands());
  words = {"another"};
  EXPECT_TRUE(lands());
  came->names.emplace_back("another");
  EXPECT_FALSE(lands());
  names.named = {};
  came->names = {"added"};
  EXPECT_FALSE(lands()) << "nobody knows what it names";
}

TEST_F(Beside, WhoeverMayHaveComputedWithItHasReadItsBytes) {
  for (const ReaderClass reader : {ReaderClass::kAny, ReaderClass::kEdits, ReaderClass::kShown}) {
    reads.reads[0].reader = reader;
    EXPECT_EQ(lands(), reader == ReaderClass::kShown);
  }
}

TEST_F(Beside, SomethingElseThatIsDifferentRefuses) {
  came.reset();
  EXPECT_FALSE(lands());
  only_came = {};
  EXPECT_FALSE(lands());
}

TEST_F(Beside, OfAPartOfAFileItsOwnLinesCount) {
  contents = [](const Read& read, const SnapshotDiff&, const Changes&) {
    return std::optional(Stale{read.subject, "lines"});
  };
  reads.reads[0].lines = {1, 3};
  EXPECT_FALSE(lands());
}

TEST_F(Beside, WhatNoCommitHadIsAnotherMatter) {
  reads.reads[0].digest = std::string(kUncommitted) + "a0";
  EXPECT_FALSE(lands());
}

TEST_F(Beside, AFileThatItWritesItselfIsOneThatBothChanged) {
  ours["a"] = file("a2");
  EXPECT_FALSE(lands());
}

TEST_F(Beside, ASearchHasToHaveFoundSomething) {
  asked(search(), 0);
  EXPECT_TRUE(lands());
  reads.questions[0].status = 1;  // whether there is any was the question
  EXPECT_FALSE(lands());
  reads.questions.clear();
  search();
  EXPECT_FALSE(lands());
  came->found_before = true;
  EXPECT_TRUE(lands());
}

#ifdef GIT_TXN_BUGS
TEST_F(Beside, EachBugWouldBeNoticed) {
  const auto lands_with = [this](const char* bug) {
    EXPECT_FALSE(semantic().commit) << bug;
    arm_bug(bug);
    const bool lands = semantic().commit;
    arm_bug("");
    return lands;
  };
  words = {"added"};
  EXPECT_TRUE(lands_with("certify.beside_named"));
  words.clear();
  reads.reads[0].reader = ReaderClass::kAny;
  EXPECT_TRUE(lands_with("certify.beside_anybody"));
  asked(search(), 1);
  EXPECT_TRUE(lands_with("certify.beside_nothing"));
}
#endif

}  // namespace
}  // namespace gittxn::certify
