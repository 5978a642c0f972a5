// Tests of what came beside what was shown, in real files and by real queries.
#include "land/judge/beside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bug.h"
#include "land/testing/land_world.h"
#include "repo/testing/scratch_repo.h"
#include "search/argv.h"

namespace gittxn::land {
namespace {

using certify::Came;
using repo::testing::must;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::replaced;
using ::testing::UnorderedElementsAre;

class CameBeside : public ::testing::Test {
 protected:
  repo::testing::ScratchRepo repo;

  // The file as it was read, and as the head has it.
  std::optional<Came> in_file(const std::string& path, const std::string& before,
                              const std::string& after, const Question* question = nullptr) {
    repo.write(path, before);
    const Oid from = repo.commit("before");
    repo.write(path, after);
    const Oid to = repo.commit("after");
    Read read;
    read.kind = ReadKind::kContent;
    read.subject = path;
    read.snapshot = from;
    return judged(read, question, from, to, {});
  }
  std::optional<Came> judged(const Read& read, const Question* question, const Oid& from,
                             const Oid& to, const Changes& own) {
    const repo::Objects objects = repo.objects();
    const SnapshotDiff diff{from, must(objects.diff(from, to))};
    return only_came(objects, must(objects.tree_of(to)))(read, question, diff, own);
  }
  bool came(const std::string& path, const std::string& before, const std::string& after) {
    return in_file(path, before, after).has_value();
  }
};

const std::string kPython =
    "import os\n"
    "\n"
    "LIMIT = 5\n"
    "\n"
    "\n"
    "def first(x):\n"
    "    return os.path.join(x, 'a')\n"
    "\n"
    "\n"
    "class Box:\n"
    "    def put(self, x):\n"
    "        return x\n";

TEST_F(CameBeside, AFileMayDeclareMore) {
  const auto function = in_file("a.py", kPython, kPython + "\n\ndef second(x):\n    return x\n");
  ASSERT_TRUE(function);
  EXPECT_THAT(function->names, ElementsAre("second"));
  const auto type = in_file("b.py", kPython,
                            kPython +
                                "\n\nclass Bag(Box):\n    size = 1\n\n    def get(self):\n"
                                "        return self\n");
  ASSERT_TRUE(type);
  EXPECT_THAT(type->names, ElementsAre("Bag")) << "what is in it is new with it";
  const auto import = in_file("c.py", kPython, "import json\n" + kPython);
  ASSERT_TRUE(import);
  EXPECT_THAT(import->names, ElementsAre("json"));
  const auto method =
      in_file("d.py", kPython, kPython + "\n    def take(self):\n        return first(self)\n");
  ASSERT_TRUE(method);
  EXPECT_THAT(method->names, ElementsAre("take"));
}

TEST_F(CameBeside, InOtherLanguagesToo) {
  const std::string go = "package a\n\nfunc One() int {\n\treturn 1\n}\n";
  EXPECT_TRUE(came("a.go", go, go + "\nfunc Two() int {\n\treturn 2\n}\n"));
  EXPECT_FALSE(came("b.go", go, go + "\nfunc init() {\n\tOne()\n}\n"));
  EXPECT_FALSE(came("c.go", go, go + "\nvar two = One() + 1\n"));
  const std::string ts = "export function one(): number {\n  return 1;\n}\n";
  EXPECT_TRUE(came("a.ts", ts, ts + "\nexport function two(): number {\n  return 2;\n}\n"));
  const std::string c = "int one(void) {\n  return 1;\n}\n";
  EXPECT_FALSE(came("a.c", c, c + "\n#define ONE one()\n"));
}

TEST_F(CameBeside, WhatWasSeenHasToStandAsItStood) {
  EXPECT_FALSE(came("a.py", kPython, replaced(kPython, "'a'", "'b'")));
  EXPECT_FALSE(came("b.py", kPython, replaced(kPython, "LIMIT = 5", "LIMIT = 6")));
  EXPECT_FALSE(came("c.py", kPython, replaced(kPython, "def first", "# of two\ndef first")));
  EXPECT_FALSE(came("d.py", kPython, replaced(kPython, "    def put", "    def place")));
  const std::string grown = kPython + "\n\ndef second(x):\n    return x\n";
  EXPECT_FALSE(came("e.py", kPython, replaced(grown, "'a'", "'b'")));
  EXPECT_FALSE(came("f.py", grown, kPython)) << "gone";
}

TEST_F(CameBeside, ValuesAndStatementsAreReadByOthers) {
  EXPECT_FALSE(came("a.py", kPython, kPython + "\n\nOTHER = 6\n"));
  EXPECT_FALSE(came("b.py", kPython, kPython + "\n\nfirst('x')\n"));
  EXPECT_FALSE(came("c.py", kPython, kPython + "    size = 1\n"));
}

TEST_F(CameBeside, ANameThatTheFileHasAlreadyMayMeanSomethingElseNow) {
  EXPECT_FALSE(came("a.py", kPython, kPython + "\n\ndef join(x):\n    return x\n"));
  EXPECT_FALSE(came("b.py", kPython, "from other import first\n" + kPython));
  EXPECT_FALSE(came("c.py", kPython, "from other import *\n" + kPython));
  EXPECT_FALSE(came("d.py", kPython, kPython + "\n    def __eq__(self, o):\n        return 1\n"));
}

TEST_F(CameBeside, DataAndProseAreReadAsTheyAre) {
  EXPECT_FALSE(came("a.json", "{\"a\": 1}\n", "{\"a\": 1, \"b\": 2}\n"));
  EXPECT_FALSE(came("README.md", "# a\n", "# a\n\n# b\n"));
  EXPECT_FALSE(came("plain", "a\n", "a\nb\n"));
}

TEST_F(CameBeside, WhoeverCountsLinesIsAnsweredOtherwise) {
  const std::string grown = kPython + "\n\ndef second(x):\n    return x\n";
  Question question;
  for (const auto& [argv, shows] :
       std::vector<std::pair<std::vector<std::string>, bool>>{{{"cat", "a.py"}, true},
                                                              {{"sed", "-n", "1,9p", "a.py"}, true},
                                                              {{"head", "a.py"}, true},
                                                              {{"wc", "-l", "a.py"}, false},
                                                              {{"md5sum", "a.py"}, false},
                                                              {{"grep", "x", "a.py"}, false}}) {
    question.argv = argv;
    EXPECT_EQ(in_file("a.py", kPython, grown, &question).has_value(), shows) << argv[0];
  }
}

TEST_F(CameBeside, AFileThatBecameSomethingElseIsNotTheSame) {
  repo.write("a.py", kPython);
  const Oid from = repo.commit("before");
  repo.remove("a.py");
  const Oid to = repo.commit("after");
  Read read;
  read.kind = ReadKind::kContent;
  read.subject = "a.py";
  EXPECT_FALSE(judged(read, nullptr, from, to, {}));
}

// A search at a first commit, a head, and a transaction that started at the first.
class FoundBeside : public CameBeside {
 protected:
  FoundBeside() {
    repo.write("src/box.py", kPython);
    repo.write("src/use.py", "from box import Box\n\n\ndef use():\n    return Box()\n");
    repo.write("docs/a.md", "A Box holds things.\n");
    repo.write("data.json", "{\"Box\": 1}\n");
    from = repo.commit("before");
  }
  Oid from;
  std::vector<std::string> argv = {"grep", "-rn", "Box", "src"};

  // `head`, `own`: path and text.
  using Files = std::vector<std::pair<std::string, std::string>>;
  Oid with(const Files& files) {
    repo.git({"checkout", "-q", "--detach", from.str()});
    for (const auto& [path, text] : files) repo.write(path, text);
    return repo.commit("change");
  }
  std::optional<Came> found(const Files& head, const Files& own = {}) {
    search::Surroundings around;
    around.top = "/top";
    around.git_settings = around.outside_rules = search::Vouched::kYes;
    const auto query = search::query_from_argv("/usr/bin/" + argv[0], argv, around);
    EXPECT_TRUE(query) << query.error().reason;
    Read read;
    read.kind = ReadKind::kSearch;
    read.query = search::query_text(*query);
    read.snapshot = from;
    const Oid to = with(head), work = with(own);
    return judged(read, nullptr, from, to, must(repo.objects().diff(from, work)));
  }
  const Files kOneMore = {
      {"src/more.py", "from box import Box\n\n\ndef more():\n    return Box()\n"}};
};

TEST_F(FoundBeside, ItMayFindMore) {
  const auto more = found(kOneMore);
  ASSERT_TRUE(more);
  EXPECT_THAT(more->names, IsEmpty());
  EXPECT_FALSE(more->found_before) << "nobody has looked";
  const std::string use = repo.git({"show", from.str() + ":src/use.py"}) + "\n";
  const auto in_one = found({{"src/use.py", "# first\n" + use + "\n\nprint(Box())\n"}});
  ASSERT_TRUE(in_one) << "other numbers of lines are no others";
  EXPECT_TRUE(in_one->found_before);
  argv = {"grep", "-rl", "Box", "src"};
  EXPECT_TRUE(found(kOneMore));
  argv = {"grep", "-rn", "Box", "."};
  EXPECT_TRUE(found({{"docs/b.md", "Another Box.\n"}}));
}

TEST_F(FoundBeside, NotLess) {
  EXPECT_FALSE(found({{"src/use.py", "def use():\n    return 0\n"}}));
  EXPECT_FALSE(found({{"src/use.py", "from box import Box\n\n\ndef use():\n    return Box(1)\n"}}));
  argv = {"grep", "-rc", "Box", "src"};
  EXPECT_FALSE(found(kOneMore)) << "a number is another one";
  argv = {"grep", "-rv", "Box", "src"};
  EXPECT_FALSE(found(kOneMore));
}

TEST_F(FoundBeside, NotWhereWhatItLookedForIsDeclared) {
  EXPECT_FALSE(found({{"src/other.py", "class Box:\n    pass\n"}}));
  argv = {"grep", "-rn", "def use", "src"};
  EXPECT_FALSE(found({{"src/other.py", "def use_all():\n    pass\n"}}));
}

TEST_F(FoundBeside, NotInData) {
  argv = {"grep", "-rn", "Box", "."};
  EXPECT_FALSE(found({{"more.json", "{\"Box\": 2}\n"}}));
  EXPECT_FALSE(found({{"plain", "Box\n"}}));
}

TEST_F(FoundBeside, AListOfWorkIsNoExample) {
  const std::string use = "from box import Bag\n\n\ndef use():\n    return Bag()\n";
  EXPECT_FALSE(found(kOneMore, {{"src/use.py", use}})) << "it changes what it found";
  EXPECT_FALSE(found(kOneMore, {{"src/use.py",
                                 "from box import Box\n\n\ndef use():\n    # boxed\n"
                                 "    return Box()\n"}}))
      << "it changes what stands beside it";
  EXPECT_TRUE(found(kOneMore, {{"src/use.py",
                                "from box import Box\n\n\ndef use():\n    return Box()\n\n\n"
                                "def own():\n    return 1\n"}}));
  EXPECT_TRUE(found(kOneMore, {{"src/new.py", "x = 1\n"}, {"docs/a.md", "none\n"}}));
  argv = {"grep", "-rl", "Box", "src"};
  EXPECT_FALSE(found(
      kOneMore, {{"src/use.py", "# own\nfrom box import Box\n\n\ndef use():\n    return Box()\n"}}))
      << "of files alone any change of one is work";
}

#ifdef GIT_TXN_BUGS
TEST_F(FoundBeside, EachBugWouldBeNoticed) {
  const auto lands_with = [](const char* bug, const auto& look) {
    EXPECT_FALSE(look()) << bug;
    arm_bug(bug);
    const bool lands = look();
    arm_bug("");
    return lands;
  };
  EXPECT_TRUE(lands_with("land.beside_anything", [this] {
    return came("a.py", kPython, replaced(kPython, "'a'", "'b'"));
  }));
  EXPECT_TRUE(lands_with("land.beside_what_it_looked_for", [this] {
    return found({{"src/other.py", "class Box:\n    pass\n"}}).has_value();
  }));
  EXPECT_TRUE(lands_with("land.beside_a_list_of_work", [this] {
    return found(kOneMore, {{"src/use.py", "x = 1\n"}}).has_value();
  }));
}
#endif

}  // namespace
}  // namespace gittxn::land
