// Random files in which one side renames a definition and the other uses it, beside all that looks
// like a use and is none: what is carried is what renaming by hand gives, byte by byte, and what is
// left of the two goes together. SEED=n replays a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bug.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "semantic/merge.h"
#include "semantic/testing/carrying.h"
#include "semantic/testing/commuting.h"

namespace gittxn::semantic {
namespace {

using testing::carried;
using testing::FilesOfThree;
using testing::replaced;

// A language in pieces: "@" is the name where it means the definition, "%" a number of its own.
struct Pieces {
  std::string home, user;  // the paths
  std::string definition;
  std::string import;  // in the user's file
  std::vector<std::string> uses;
  std::vector<std::string> decoys;  // they have "check" in them, and no use of it
  std::vector<std::string>
      by_names;  // what is known by the name alone: with one nothing is carried
};

const Pieces kPython{
    "a.py",
    "b.py",
    "def @(token):\n    if token:\n        return @(token[1:])\n    return 0\n",
    "from a import @\n",
    {"def use_%(x):\n    return @(x) + @('%')\n", "value_% = [@(each) for each in 'ab']\n",
     "class Use%:\n    def run(self):\n        return self.go(@)\n",
     "def later_%():\n    from z import other\n    return other(@(1))\n"},
    {"def shadow_%(check):\n    return check(%)\n", "# check it: check(%)\n",
     "def say_%():\n    return 'please check %'\n", "checks_% = 1\n", "check_use_% = None\n",
     "def doc_%():\n    \"\"\"To check (%).\"\"\"\n"},
    {"def member_%(it):\n    return it.check(%)\n", "def give_%(f):\n    return f(check=%)\n",
     "def text_%(x):\n    return f'{check(x)} %'\n",
     "def half_%(x):\n    if x:\n        check = %\n    return check\n",
     "def made_%(x):\n    return [check for check in x]\n"}};

const Pieces kScript{
    "a.js",
    "b.js",
    "export function @(token) {\n  return token ? @(token.slice(1)) : 0;\n}\n",
    "import { @ } from './a.js';\n",
    {"function use_%(x) {\n  return @(x) + @('%');\n}\n", "const value_% = [1, 2].map(@);\n",
     "class Use% {\n  run() {\n    return this.go(@);\n  }\n}\n"},
    {"function shadow_%(check) {\n  return check(%);\n}\n", "// check it: check(%)\n",
     "function say_%() {\n  return 'please check %';\n}\n", "const checks_% = 1;\n"},
    {"function member_%(it) {\n  return it.check(%);\n}\n",
     "function give_%(f) {\n  return f({ check });\n}\n",
     "function half_%(x) {\n  check = x;\n}\n"}};

const Pieces kGo{
    "p/a.go",
    "p/b.go",
    "package p\n\nfunc @(token int) int {\n\tif token > 0 {\n\t\treturn @(token - "
    "1)\n\t}\n\treturn 0\n}\n",
    "package p\n",
    {"func use_%(x int) int {\n\treturn @(x) + @(%)\n}\n", "var value_% = @(%)\n"},
    {"func shadow_%(check func(int) int) int {\n\treturn check(%)\n}\n", "// check it: check(%)\n",
     "func say_%() string {\n\treturn \"please check %\"\n}\n", "const checks_% = 1\n"},
    {"func member_%(it T) int {\n\treturn it.check(%)\n}\n"}};

class World {
 public:
  World(const Pieces& pieces, Random& random) : pieces_(pieces), random_(random) {}

  // Some pieces, each with an empty line before it.
  std::string some(std::size_t most, bool by_names = false) {
    std::string text;
    for (std::size_t n = random_.below(most + 1); n > 0; --n) {
      const bool use = random_.below(2) == 0;
      text += "\n" + one_of(use ? pieces_.uses : pieces_.decoys);
    }
    if (by_names) text += "\n" + one_of(pieces_.by_names);
    return text;
  }
  std::string use() { return "\n" + one_of(pieces_.uses); }

 private:
  std::string one_of(const std::vector<std::string>& list) {
    return replaced(list[random_.below(list.size())], "%", std::to_string(++number_));
  }

  const Pieces& pieces_;
  Random& random_;
  int number_ = 0;
};

std::string named(const std::string& text, const std::string& name) {
  return replaced(text, "@", name);
}

struct Story {
  std::string home, user;          // as templates: of the base
  std::string home_now, user_now;  // what the user made of them
};

Story story_of(const Pieces& pieces, Random& random, bool by_names) {
  World world(pieces, random);
  Story story;
  story.home = pieces.definition + world.some(2);
  story.user = pieces.import + world.some(3);
  // A new use for sure, before or behind what else is new.
  const std::string use = world.use(), more = world.some(2, by_names);
  story.user_now = story.user + (random.below(2) == 0 ? use + more : more + use);
  story.home_now = story.home + (random.below(3) == 0 ? world.use() : "");
  return story;
}

FilesOfThree sides_of(const Pieces& pieces, const Story& story) {
  return {{pieces.home, named(story.home, "check"), named(story.home, "validate"),
           named(story.home_now, "check")},
          {pieces.user, named(story.user, "check"), named(story.user, "validate"),
           named(story.user_now, "check")}};
}

std::string shown(const FilesOfThree& files) {
  std::string out;
  for (const ThreeVersions& file : files) {
    out += "--- " + file.path + "\n" + *file.user + "\n";
  }
  return out;
}

TEST(MendProperty, ARenameIsCarriedAsByHandAndWhatIsLeftCommutes) {
  const std::uint64_t seed = gittxn::testing::told_seed();
  Random random(seed);
  int rounds = 0;
  for (; rounds < gittxn::testing::campaign_rounds(150); ++rounds) {
    for (const Pieces* pieces : {&kPython, &kScript, &kGo}) {
      const Story story = story_of(*pieces, random, false);
      const FilesOfThree files = sides_of(*pieces, story);
      const Carried all = carried(files);
      ASSERT_EQ(all.renames.size(), 1u) << shown(files) << "SEED=" << seed;
      const FilesOfThree made = testing::mended(files, all);
      EXPECT_EQ(made[0].base, named(story.home, "validate"));
      EXPECT_EQ(made[0].user, named(story.home_now, "validate"));
      EXPECT_EQ(made[1].base, named(story.user, "validate"));
      EXPECT_EQ(made[1].user, named(story.user_now, "validate"));
      const testing::Both both = testing::footprints_of(made);
      const Commuted left = commute(both.renamer, both.user);
      // Where a local of the name is in the file of the definition, checks judge, as without.
      for (const Finding& finding : all.left) EXPECT_EQ(finding.verdict, Verdict::kValidate);
      EXPECT_EQ(left.verdict, Verdict::kCommute) << testing::said(left) << shown(made);
      for (const ThreeVersions& file : made) {
        const Language* language = language_of(file.path, *file.base);
        const auto merged = merge_file(language, {*file.base, *file.renamer, *file.user}, {});
        ASSERT_TRUE(merged);
        EXPECT_TRUE(merged->clean()) << merged->why;
        EXPECT_EQ(merged->text, *file.user) << "the renamer made nothing else";
      }
      if (HasFailure()) FAIL() << shown(files) << "SEED=" << seed;
    }
  }
  std::printf("%d stories in each of three languages\n", rounds);
}

TEST(MendProperty, WithAUseThatIsKnownByItsNameNothingIsCarried) {
  const std::uint64_t seed = gittxn::testing::told_seed();
  Random random(seed);
  for (int round = 0; round < gittxn::testing::campaign_rounds(60); ++round) {
    for (const Pieces* pieces : {&kPython, &kScript, &kGo}) {
      const FilesOfThree files = sides_of(*pieces, story_of(*pieces, random, true));
      ASSERT_THAT(carried(files).renames, ::testing::IsEmpty()) << shown(files) << "SEED=" << seed;
    }
  }
}

TEST(MendProperty, ABugThatRewritesByTheNameWouldBeNoticed) {
#ifdef GIT_TXN_BUGS
  Random random(1);
  arm_bug("semantic.mend_by_name");
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    const FilesOfThree files = sides_of(kPython, story_of(kPython, random, true));
    wrong += carried(files).renames.empty() ? 0 : 1;
  }
  arm_bug("");
  EXPECT_GT(wrong, 0);
#else
  GTEST_SKIP() << "built without bugs";
#endif
}

}  // namespace
}  // namespace gittxn::semantic
