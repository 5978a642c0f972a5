// Renames that are carried to the uses of the other side, and those that are not.
#include "semantic/mend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/carrying.h"

namespace gittxn::semantic {
namespace {

using testing::carried;
using ::testing::ElementsAre;
using testing::file_of;
using testing::FilesOfThree;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kHome = "def check(token):\n    return token != ''\n";
constexpr const char* kRenamed = "def validate(token):\n    return token != ''\n";

// a.py is renamed in; b.py is the user's, from `base` to `user`.
Carried into_python(const std::string& base, const std::string& user) {
  return carried({{"a.py", kHome, kRenamed, kHome}, {"b.py", base, base, user}});
}

TEST(Mend, ARenameIsCarriedToANewUseInAnotherFile) {
  const std::string base = "from a import check\n\n\ndef one():\n    return check('1')\n";
  const std::string now = "from a import validate\n\n\ndef one():\n    return validate('1')\n";
  const std::string user = base + "\n\ndef two():\n    return check('2')  # check it\n";
  const Carried all = carried({{"a.py", kHome, kRenamed, kHome}, {"b.py", base, now, user}});
  ASSERT_EQ(all.renames.size(), 1u);
  EXPECT_EQ(all.renames[0].from + " " + all.renames[0].to, "check validate");
  EXPECT_EQ(file_of(all, "b.py").base, now);
  EXPECT_EQ(file_of(all, "b.py").user,
            now + "\n\ndef two():\n    return validate('2')  # check it\n");
  EXPECT_TRUE(file_of(all, "b.py").for_user);
  EXPECT_EQ(file_of(all, "a.py").base, kRenamed);
  EXPECT_FALSE(file_of(all, "a.py").for_user);
  EXPECT_THAT(all.left, IsEmpty());
}

TEST(Mend, ToANewFileAndByTheModule) {
  const Carried all =
      carried({{"a.py", kHome, kRenamed, kHome},
               {"new.py",
                {},
                {},
                "import a\n\n\ndef two():\n    return a.check('2') + a.other('check')\n"}});
  ASSERT_EQ(all.renames.size(), 1u);
  EXPECT_EQ(file_of(all, "new.py").user,
            "import a\n\n\ndef two():\n    return a.validate('2') + a.other('check')\n");
  ASSERT_EQ(all.left.size(), 1u) << "a string that is the name is for checks to judge";
  EXPECT_EQ(all.left[0].verdict, Verdict::kValidate);
}

TEST(Mend, AModuleByAnotherNameIsTheModule) {
  EXPECT_EQ(file_of(into_python("", "import a as q\n\n\nx = q.check(1)\n"), "b.py").user,
            "import a as q\n\n\nx = q.validate(1)\n");
  // A package may have another thing of the name.
  EXPECT_THAT(into_python("", "from . import a\n\n\nx = a.check(1)\n").renames, IsEmpty());
  EXPECT_THAT(into_python("", "import a\n\n\ndef two(a):\n    return a.check(1)\n").renames,
              IsEmpty());
}

TEST(Mend, InTheFileThatDefinesIt) {
  const Carried all = carried(
      {{"a.py", kHome, kRenamed, std::string(kHome) + "\n\ndef two():\n    return check('2')\n"}});
  EXPECT_EQ(file_of(all, "a.py").user,
            std::string(kRenamed) + "\n\ndef two():\n    return validate('2')\n");
}

TEST(Mend, BesideAnImportInAFunction) {
  const std::string use = "\n\ndef two():\n    from z import other\n    return other(check(1))\n";
  const Carried all = carried(
      {{"a.py", kHome + use, kRenamed + testing::replaced(use, "check", "validate"), kHome + use},
       {"b.py", "", "", "from a import check\n\n\nx = check(2)\n"}});
  EXPECT_EQ(all.renames.size(), 1u);
  EXPECT_EQ(into_python("", "from a import check\n" + use).renames.size(), 1u);
}

TEST(Mend, UsesInScriptsAndGo) {
  const std::string script = "export function check(a) {\n  return a;\n}\n";
  const std::string use = "import { check } from './a.js';\n\nconsole.log(check(1));\n";
  Carried all = carried({{"a.js", script, testing::replaced(script, "check", "validate"), script},
                         {"b.js", {}, {}, use}});
  EXPECT_EQ(file_of(all, "b.js").user, testing::replaced(use, "check", "validate"));
  const std::string whole = "import * as a from './a.js';\n\nconsole.log(a.check(1), check);\n";
  all = carried({{"a.js", script, testing::replaced(script, "check", "validate"), script},
                 {"b.js", {}, {}, whole}});
  EXPECT_THAT(all.renames, IsEmpty()) << "the other one is known by its name only";
  const std::string go = "package a\n\nfunc check(a int) int {\n\treturn a\n}\n";
  const std::string other = "package a\n\nfunc two() int {\n\treturn check(2)\n}\n";
  all = carried(
      {{"p/a.go", go, testing::replaced(go, "check", "validate"), go}, {"p/b.go", {}, {}, other}});
  EXPECT_EQ(file_of(all, "p/b.go").user, testing::replaced(other, "check", "validate"));
  all = carried({{"p/a.go", go, testing::replaced(go, "check", "validate"), go},
                 {"p/b.go", {}, {}, testing::replaced(other, "package a", "package a_test")}});
  EXPECT_THAT(all.renames, IsEmpty());
}

TEST(Mend, UsesThatAreKnownByTheirNameAreNotRewritten) {
  const char* const kUses[] = {
      "def two():\n    return check('2')\n",  // from nowhere
      "from other import check\n\n\ndef two():\n    return check('2')\n",
      "from a import *\n\n\ndef two():\n    return check('2')\n",
      "from a import check\nfrom b import *\n\n\ndef two():\n    return check('2')\n",
      "def two(it):\n    return it.check('2')\n",  // whose member it is
      "from a import check\n\n\ndef two(it):\n    return it.check('2') + check('2')\n",
      "from a import check\n\n\ndef two():\n    return call(check=1)\n",
      "from a import check\n\n\ndef two():\n    return [check for check in 'ab']\n",
      "from a import check\n\n\ndef two():\n    global check\n    check = 1\n",
      "from a import check\n\n\ndef check(a):\n    return a\n",
      "from a import check\n\n\ndef two():\n    def check(a):\n        pass\n    check(1)\n",
      "from a import check\n\n\ndef two(x):\n    if x:\n        check = 1\n    return check\n",
      "from a import check\n\n\ndef two():\n    from z import check\n    return check(1)\n",
      "from a import check\n\n\ndef two():\n    return f'{check(1)}' + check(1)\n",
      "from a import check as two\nfrom b import check\n\n\nx = check(2)\n",
  };
  for (const std::string use : kUses) {
    EXPECT_THAT(into_python("", use).renames, IsEmpty()) << use;
    EXPECT_THAT(into_python("", use).files, IsEmpty()) << use;
  }
}

TEST(Mend, AShadowingLocalStaysAsItIs) {
  const std::string shadow = "\n\ndef two(check):\n    return check('2')\n";
  const std::string use = "\n\ndef three():\n    return check('3')\n";
  const Carried all = into_python("from a import check\n", "from a import check\n" + shadow + use);
  EXPECT_EQ(file_of(all, "b.py").user,
            "from a import validate\n" + shadow + "\n\ndef three():\n    return validate('3')\n");
  EXPECT_THAT(all.left, IsEmpty());
}

TEST(Mend, ANameThatIsThereAlreadyIsAConflict) {
  const std::string use = "from a import check\n\n\ndef two():\n    return check('2')\n";
  for (const std::string& taken :
       {use + "\n\ndef validate():\n    return 1\n", "from c import validate\n" + use,
        use + "\n\ndef three(validate):\n    return check(validate)\n"}) {
    EXPECT_THAT(into_python("", taken).renames, IsEmpty()) << taken;
  }
  const std::string other = "def validate():\n    return 1\n";
  EXPECT_THAT(
      carried({{"a.py", kHome, kRenamed, kHome}, {"b.py", {}, {}, use}, {"c.py", {}, {}, other}})
          .renames,
      IsEmpty());
}

TEST(Mend, ANameThatTheRenamerHasFromElsewhereIsAConflict) {
  const std::string base = "from z import other\n\n\ndef one():\n    return other(1)\n";
  const std::string now = "from z import validate\n\n\ndef one():\n    return validate(1)\n";
  const std::string user = "from a import check\n" + base + "\n\nx = check(2)\n";
  EXPECT_THAT(carried({{"a.py", kHome, kRenamed, kHome}, {"b.py", base, now, user}}).renames,
              IsEmpty());
}

TEST(Mend, InOneFileOfCAndRust) {
  const std::string c = "static int check(int a) {\n  return a;\n}\n";
  const std::string c_use = "\nint two(void) {\n  return check(2);\n}\n";
  const auto renamed = [](const std::string& text) {
    return testing::replaced(text, "check", "validate");
  };
  EXPECT_EQ(file_of(carried({{"a.c", c, renamed(c), c + c_use}}), "a.c").user, renamed(c + c_use));
  EXPECT_THAT(carried({{"a.c", c, renamed(c), c + "\n#define TWO check(2)\n" + c_use}}).renames,
              IsEmpty());
  const std::string rust = "fn check(a: i32) -> i32 {\n    a\n}\n";
  const std::string use = "\nfn two() -> i32 {\n    check(2)\n}\n";
  EXPECT_EQ(file_of(carried({{"a.rs", rust, renamed(rust), rust + use}}), "a.rs").user,
            renamed(rust + use));
  for (const std::string other : {"\nfn two() -> i32 {\n    Other::check(2)\n}\n",
                                  "\nfn two() -> S {\n    let check = 1;\n    S { check }\n}\n",
                                  "\nmod m {\n    fn two() -> i32 {\n        check(2)\n    }\n}\n",
                                  "\nfn two() {\n    println!(\"{}\", check(2));\n}\n"}) {
    EXPECT_THAT(carried({{"a.rs", rust, renamed(rust), rust + use + other}}).renames, IsEmpty())
        << other;
  }
}

TEST(Mend, TwoRenamesOfOneNameAreAConflict) {
  const std::string use = "from a import check\n\n\ndef two():\n    return check('2')\n";
  // By one side in two files, and by each side.
  const std::string assess = testing::replaced(kHome, "check", "assess");
  EXPECT_THAT(
      carried(
          {{"a.py", kHome, kRenamed, kHome}, {"c.py", kHome, assess, kHome}, {"b.py", {}, {}, use}})
          .renames,
      IsEmpty());
  EXPECT_THAT(carried({{"a.py", kHome, kRenamed, assess}, {"b.py", {}, {}, use}}).renames,
              IsEmpty());
}

TEST(Mend, ARenameThatChangedMoreIsAConflict) {
  const std::string use = "from a import check\n\n\ndef two():\n    return check('2')\n";
  for (const std::string& renamed :
       {testing::replaced(kRenamed, "!= ''", "== ''"),
        testing::replaced(kRenamed, "(token)", "(a)"),
        std::string(kRenamed) + "\n\ndef check(token):\n    return validate(token)\n"}) {
    EXPECT_THAT(carried({{"a.py", kHome, renamed, kHome}, {"b.py", {}, {}, use}}).renames,
                IsEmpty())
        << renamed;
  }
  // What both did to the definition itself is nobody's use of it.
  EXPECT_THAT(carried({{"a.py", kHome, kRenamed, testing::replaced(kHome, "''", "None")},
                       {"b.py", {}, {}, use}})
                  .renames,
              IsEmpty());
}

TEST(Mend, SeveralAtOnceEvenWhereOneUsesTheOther) {
  const std::string base =
      "def check(a):\n    return a\n\n\ndef both(a):\n    return check(a) + check(a)\n";
  std::string renamed = testing::replaced(base, "check", "validate");
  renamed = testing::replaced(renamed, "both", "twice");
  const std::string use = "from a import both, check\n\n\ndef two():\n    return both(check(2))\n";
  const Carried all = carried({{"a.py", base, renamed, base}, {"b.py", {}, {}, use}});
  EXPECT_EQ(all.renames.size(), 2u);
  EXPECT_EQ(file_of(all, "b.py").user,
            "from a import twice, validate\n\n\ndef two():\n    return twice(validate(2))\n");
}

TEST(Mend, BesideARenameOfWhatNobodyElseUses) {
  const std::string base =
      "def check(a):\n    return a\n\n\ndef both(a):\n    return check(a) + check(a)\n";
  std::string renamed = testing::replaced(base, "check", "validate");
  renamed = testing::replaced(renamed, "both", "twice");
  const Carried all = carried(
      {{"a.py", base, renamed, base}, {"b.py", {}, {}, "from a import both\n\n\nx = both(2)\n"}});
  EXPECT_EQ(file_of(all, "b.py").user, "from a import twice\n\n\nx = twice(2)\n");
  ASSERT_EQ(all.renames.size(), 1u);
}

TEST(Mend, WhatCannotBeLookedIntoIsNotCarried) {
  const std::string use = "from a import check\n\n\ndef two():\n    return check('2'\n";
  EXPECT_THAT(into_python("", use).renames, IsEmpty());
  EXPECT_THAT(carried({{"a.py", kHome, kRenamed, kHome},
                       {"Makefile", "all:\n", "all:\n", "all:\n\tcheck\n"}})
                  .renames,
              IsEmpty())
      << "nothing in a language that is known uses it";
}

}  // namespace
}  // namespace gittxn::semantic
