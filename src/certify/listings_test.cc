// Listings that an agent alone was shown: which names that came or went it cannot have depended on.
#include "certify/listings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/bug.h"
#include "certify/testing/scene.h"

namespace gittxn::certify {
namespace {

using ::testing::ElementsAre;
using testing::file;
using ::testing::IsEmpty;

using Why = Excuse::Why;

TEST(Series, IsWhatAgreesUpToItsFirstDigit) {
  const std::pair<const char*, const char*> kOne[] = {{"0008_users", "0008_orders"},
                                                      {"0008_users", "12-orders.sql"},
                                                      {"1", "2"},
                                                      {"v1.md", "v2.md"},
                                                      {"V1.md", "v2.md"},
                                                      {"notes.md", "notes-2.md"},
                                                      {"notes 2", "Notes.txt"},
                                                      {"test_a1.py", "test_a22.py"},
                                                      {"x", "x1"},
                                                      {"0008_users", "0008_users"}};
  for (const auto& [a, b] : kOne) {
    EXPECT_TRUE(of_one_series(a, b)) << a << " " << b;
    EXPECT_TRUE(of_one_series(b, a)) << b << " " << a;
  }
  const std::pair<const char*, const char*> kNone[] = {
      {"users", "orders"}, {"0008_users", "orders"}, {"v1.md", "w1.md"}, {"guide.md", "plan2.md"},
      {"", "1"},           {"notes", "noted-2"}};
  for (const auto& [a, b] : kNone) {
    EXPECT_FALSE(of_one_series(a, b)) << a << " " << b;
    EXPECT_FALSE(of_one_series(b, a)) << b << " " << a;
  }
}

TEST(Names, AreNearlyEqualButForCaseAndExtensions) {
  EXPECT_TRUE(nearly_equal("Readme.md", "README"));
  EXPECT_TRUE(nearly_equal("a.js", "a.test.ts"));
  EXPECT_TRUE(nearly_equal(".Env", ".env.local"));
  EXPECT_FALSE(nearly_equal(".env", "env"));
  EXPECT_FALSE(nearly_equal("a.js", "b.js"));
  EXPECT_EQ(stem_of("a.tar.gz"), "a");
  EXPECT_EQ(stem_of("..a.b"), "..a");
  EXPECT_EQ(stem_of("."), ".");
  EXPECT_EQ(stem_of(""), "");
}

class Listed : public testing::Scene {
 protected:
  Listed() {
    base = {{"a", file("a0")},
            {"docs/guide.md", file("g0")},
            {"docs/plan.md", file("p0")},
            {"docs/s/y", file("y0")}};
    ours = head = base;
    names.named = [this](std::string_view word) { return words.contains(std::string(word)); };
  }
  void SetUp() override {
    Scene::SetUp();
    listed("docs");
  }
  Read& listed(const char* directory) {
    Read& read = saw(ReadKind::kListing, directory, "l");
    read.reader = ReaderClass::kShown;
    return read;
  }
  // Certifies at semantic, and checks that an excuse is named if it lands.
  bool lands() {
    const Verdict verdict = semantic();
    if (verdict.commit) {
      EXPECT_THAT(verdict.excused, ElementsAre(Excuse{Why::kListing, "docs"}));
    } else {
      EXPECT_EQ(verdict.conflicts.at(0).kind, ConflictKind::kReadStale);
    }
    return verdict.commit;
  }
  std::set<std::string> words;
};

TEST_F(Listed, ANameThatCameIsNoConcernOfOneThatAddsAnother) {
  head["docs/faq.md"] = file("f");
  EXPECT_TRUE(lands());
  ours["docs/terms.md"] = file("t");
  EXPECT_TRUE(lands());
}

TEST_F(Listed, ExactLevelsTakeItForRead) {
  head["docs/faq.md"] = file("f");
  EXPECT_FALSE(strict().commit);
  EXPECT_FALSE(at(Isolation::kSerializable).commit);
}

TEST_F(Listed, SoItIsOfAnybodyWhoMayHaveComputedWithIt) {
  head["docs/faq.md"] = file("f");
  reads.reads[0].reader = ReaderClass::kAny;
  EXPECT_FALSE(lands());
  reads.reads[0].reader = ReaderClass::kShown;
  EXPECT_TRUE(lands());
  saw(ReadKind::kListing, "docs", "l").question = 1;  // that one of nobody's
  reads.questions.emplace_back().number = 1;
  EXPECT_FALSE(lands());
}

TEST_F(Listed, ANumberTakenFromItIsRefused) {
  head["docs/0008_users.md"] = file("u");
  ours["docs/terms.md"] = file("t");
  EXPECT_TRUE(lands());
  ours["docs/0008_orders.md"] = file("o");
  EXPECT_FALSE(lands());
  ours.erase("docs/0008_orders.md");
  ours["docs/0009/x"] = file("o");
  EXPECT_FALSE(lands()) << "a directory is an entry as well";
}

TEST_F(Listed, NumbersElsewhereAreNoneOfIt) {
  head["docs/0008_users.md"] = file("u");
  ours["docs/s/0008_orders.md"] = ours["0008_a"] = file("o");
  EXPECT_TRUE(lands());
}

TEST_F(Listed, SoIsTheSameNameButForCaseOrExtension) {
  head["docs/faq.md"] = file("f");
  ours["docs/FAQ.txt"] = file("t");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, AFileThatItRenamedToThereIsOneThatItAdds) {
  head["docs/v2.md"] = file("f");
  ours.erase("docs/plan.md");
  ours["docs/v3.md"] = file("p0");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, ANameThatCameAndStandsInWhatItWroteIsOneItMissed) {
  head["docs/faq.md"] = file("f");
  words = {"faq"};
  EXPECT_TRUE(lands());
  words = {"faq.md"};
  EXPECT_FALSE(lands());
}

TEST_F(Listed, ANameThatWentAndThatNobodyUsedIsNoConcern) {
  head.erase("docs/guide.md");
  EXPECT_TRUE(lands());
  head["docs/manual.md"] = file("g0");
  EXPECT_TRUE(lands()) << "it was renamed";
}

TEST_F(Listed, OneThatItNamedIsRefusedWithOrWithoutItsExtension) {
  head.erase("docs/guide.md");
  for (const char* word : {"guide.md", "guide"}) {
    words = {word};
    EXPECT_FALSE(lands()) << word;
  }
  words = {"plan.md", "plan"};
  EXPECT_TRUE(lands());
}

TEST_F(Listed, WhatCannotBeLookedIntoHasEveryName) {
  head.erase("docs/guide.md");
  names.named = {};
  EXPECT_FALSE(lands());
  head = base;
  head["docs/faq.md"] = file("f");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, OneThatItReadOrWroteBelowIsRefused) {
  head.erase("docs/s/y");
  EXPECT_TRUE(lands()) << "the directory went with it";
  Read& read = saw(ReadKind::kContent, "docs/s/y", "y0");
  read.strength = Strength::kSoft;
  EXPECT_FALSE(lands()) << "however it was read";
  reads.reads.resize(1);
  ours["docs/s/z"] = file("z");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, OneThatBecameSomethingElseIsRefused) {
  head["docs/plan.md"] = testing::link("l");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, SoIsTheDirectoryThatDid) {
  std::erase_if(head, [](const auto& entry) { return entry.first.starts_with("docs/"); });
  EXPECT_FALSE(lands());
  head["docs"] = file("d");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, OneNameOfSeveralIsEnoughToRefuse) {
  for (const char* name : {"b.md", "0009_x", "z.md"}) head[std::string("docs/") + name] = file("n");
  EXPECT_TRUE(lands());
  ours["docs/0009_y"] = file("n");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, PolicyKeepsListingsHardByPath) {
  head["docs/faq.md"] = file("f");
  for (const char* prefix : {"docs", "docs/", ""}) {
    hard_listings = {"other", prefix};
    EXPECT_FALSE(lands()) << prefix;
  }
  for (const char* prefix : {"doc", "docs/s", "docs/faq.md", "docsx/"}) {
    hard_listings = {prefix};
    EXPECT_TRUE(lands()) << prefix;
  }
}

TEST_F(Listed, TheTopIsADirectoryLikeAnyOther) {
  reads.reads.clear();
  listed("");
  head["b"] = file("b");
  EXPECT_THAT(semantic().excused, ElementsAre(Excuse{Why::kListing, ""}));
  ours["B.md"] = file("b");
  EXPECT_FALSE(semantic().commit);
}

TEST_F(Listed, WhatTheListingDidNotShowIsNoExcuse) {
  head["docs/s/new"] = head["b"] = file("n");
  EXPECT_TRUE(semantic().commit);
  EXPECT_THAT(semantic().excused, IsEmpty());
}

TEST_F(Listed, EqualWritesOfBothHideNothing) {
  head["docs/faq.md"] = ours["docs/faq.md"] = file("f");
  EXPECT_FALSE(lands());
}

TEST_F(Listed, OtherLooksOfTheSameProcessHaveToHold) {
  head["docs/faq.md"] = file("f");
  saw(ReadKind::kAbsence, "docs/faq.md", "");
  EXPECT_FALSE(lands());
}

// A search by names is judged by its query, which the certifier does not know.
class Searched : public Listed {
 protected:
  Searched() {
    contents = [](const Read& read, const SnapshotDiff& diff, const Changes&) {
      return std::optional(Stale{read.subject, "", diff.changes.front().path});
    };
    names.part_of_search = [](const Read&, std::string_view path) {
      if (path == "docs") return NamePart::kRoot;
      return path.starts_with("docs/") ? NamePart::kEntry : NamePart::kNone;
    };
  }
  void SetUp() override {
    Listed::SetUp();
    reads.reads[0].kind = ReadKind::kSearch;
    reads.reads[0].query = "{}";
  }
};

TEST_F(Searched, NamesFarBelowAreEntriesToo) {
  head["docs/s/new"] = head["b"] = file("n");
  EXPECT_TRUE(lands());
  ours["docs/s/NEW.md"] = file("n");
  EXPECT_FALSE(lands());
  ours = base;
  ours["docs/NEW.md"] = file("n");
  EXPECT_TRUE(lands()) << "of another directory";
  hard_listings = {"docs/s/"};
  EXPECT_FALSE(lands());
}

TEST_F(Searched, WhereItBeganHasToBeThere) {
  std::erase_if(head, [](const auto& entry) { return entry.first.starts_with("docs/"); });
  EXPECT_FALSE(lands());
}

TEST_F(Searched, OneThatNobodyUnderstandsWasRead) {
  head["docs/s/new"] = file("n");
  names.part_of_search = {};
  EXPECT_FALSE(lands());
}

TEST_F(Searched, ContentsAreNoNames) {
  head["docs/guide.md"] = file("other");
  saw(ReadKind::kContent, "docs/guide.md", "g0").reader = ReaderClass::kShown;
  EXPECT_FALSE(semantic().commit);
}

#ifdef GIT_TXN_BUGS
TEST_F(Listed, EachBugWouldBeNoticed) {
  const auto lands_with = [this](const char* bug) {
    arm_bug(bug);
    const bool lands = semantic().commit;
    arm_bug("");
    return lands;
  };
  head["docs/0008_users.md"] = file("u");
  ours["docs/0008_orders.md"] = file("o");
  EXPECT_FALSE(semantic().commit);
  EXPECT_TRUE(lands_with("certify.series_ignored"));
  ours = head = base;
  head.erase("docs/guide.md");
  words = {"guide.md"};
  EXPECT_FALSE(semantic().commit);
  EXPECT_TRUE(lands_with("certify.gone_names_ignored"));
  words.clear();
  hard_listings = {"docs/"};
  EXPECT_FALSE(semantic().commit);
  EXPECT_TRUE(lands_with("certify.soft_listings"));
  hard_listings.clear();
  reads.reads[0].reader = ReaderClass::kAny;
  EXPECT_FALSE(semantic().commit);
  EXPECT_TRUE(lands_with("certify.listings_of_anybody"));
}
#endif

}  // namespace
}  // namespace gittxn::certify
