#include "land/judge/symbols.h"

#include <gtest/gtest.h>

#include "semantic/merge.h"

namespace gittxn::land {
namespace {

// The line that the real merge has once; "" for none, "(conflict)" where it does not merge.
std::string once(const std::string& path, const std::string& base, const std::string& left,
                 const std::string& right) {
  const semantic::Language* language = semantic::language_of_path(path);
  const semantic::Sides<std::string> texts{base, left, right};
  const auto merged = semantic::merge_file(language, texts, {});
  if (!merged || !merged->clean()) return "(conflict)";
  return made_once(language, texts, merged->text).value_or("");
}

const std::string kList = "1\n2\n3\n4\n5\n6\n7\n";

TEST(MadeOnce, ALineThatBothAppended) {
  EXPECT_EQ(once("log", kList, kList + "job\n", "0\n" + kList + "job\n"), "job");
  EXPECT_EQ(once("log", kList, kList + "\n", "0\n" + kList + "\n"), "") << "found, and it is empty";
  const semantic::Sides<std::string> blank{kList, kList + "\n", "0\n" + kList + "\n"};
  EXPECT_TRUE(made_once(nullptr, blank, "0\n" + kList + "\n"));
}

TEST(MadeOnce, ANumberThatBothCountedUp) {
  EXPECT_EQ(
      once("state", "n 1\n" + kList, "n 2\n" + kList + "a\n", "n 2\n1\n2\n3\n0\n4\n5\n6\n7\n"),
      "n 1");
  EXPECT_EQ(once("a.py", "N = 1\n\n\ndef f():\n    return N\n",
                 "N = 2\n\n\ndef f():\n    return N\n\n\ndef g():\n    return 0\n",
                 "N = 2\n\n\ndef e():\n    return 1\n\n\ndef f():\n    return N\n"),
            "N = 1");
}

TEST(MadeOnce, ALineThatBothTookOut) {
  EXPECT_EQ(once("queue", "job\n" + kList, kList + "a\n", "1\n2\n3\nx\n4\n5\n6\n7\n"), "job");
}

TEST(MadeOnce, NotWhatEachDidByItself) {
  EXPECT_EQ(once("log", kList, kList + "a\n", "0\n" + kList), "");
  EXPECT_EQ(once("log", kList, "0\n" + kList, "1\n2\n3\n0\n4\n5\n6\n7\n"), "") << "both are there";
}

TEST(MadeOnce, NotAnImportThatBothNeedNorABracket) {
  const std::string base = "import os\n\n\ndef f():\n    return os.sep\n";
  const std::string with = "import os\nimport re\n\n\ndef f():\n    return os.sep\n";
  EXPECT_EQ(once("a.py", base, with + "\n\ndef g():\n    return re.A\n",
                 "import os\nimport re\n\n\ndef e():\n    return re.I\n\n\ndef f():\n    return "
                 "os.sep\n"),
            "");
  EXPECT_EQ(once("a.c", "int a(void) {\n  return 1;\n}\n",
                 "int a(void) {\n  return 1;\n}\nint b(void) {\n  return 2;\n}\n",
                 "int z(void) {\n  return 0;\n}\nint a(void) {\n  return 1;\n}\n"),
            "");
}

}  // namespace
}  // namespace gittxn::land
