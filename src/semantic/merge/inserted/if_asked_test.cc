// Statements that both sides insert at one place, and that do nothing where nobody asks for them.
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

// Both sides give a type a parameter, and put something into one function.
struct Asking {
  std::string parameter, inserted;
};

Merged merged_in_python(const Asking& left, const Asking& right) {
  const auto text = [](const std::string& one, const std::string& two, const std::string& more) {
    return "class A:\n    def __init__(self" + one + "):\n        pass\n\n\nclass B:\n" +
           "    def __init__(self" + two + "):\n        pass\n\n\n" +
           "cmd = 1\n\n\ndef f(a):\n    h(a)\n" + more + "    g(a)\n";
  };
  const Sides<std::string> texts = {text("", "", ""), text(left.parameter, "", left.inserted),
                                    text("", right.parameter, right.inserted)};
  const Merged merged = merged_as("python", texts);
  const Merged turned = merged_as("python", {texts[kBase], texts[kRight], texts[kLeft]});
  EXPECT_EQ(turned.clean(), merged.clean()) << left.inserted << right.inserted;
  if (merged.clean()) {
    EXPECT_EQ(merged.text, text(left.parameter, right.parameter, left.inserted + right.inserted));
  }
  return merged;
}

const Asking kSize = {", size=None", "    if a.size is not None:\n        a.resize(1)\n"};

TEST(IfAsked, StandInEitherOrder) {
  const Asking rows[] = {
      {", title=\"\"", "    if a.title:\n        show(a)\n"},
      {", title: str = None", "    if a and a.title is not None:\n        show(a)\n"},
      {", title=None",
       "    at = None\n    if a.title:\n        at = show(a)\n        a.rows(at)\n"},
      {", title=False",
       "    if a.title:\n        import os\n        cmd = os.name\n    else:\n"
       "        cmd = a.b\n"},
      {", title=None",
       "    if a.title:\n        def shown():\n            for each in a:\n"
       "                if each:\n                    return each\n"
       "        run(shown)\n"},
      {", title=None",
       "    if a.title:\n        try:\n            at = a.b\n"
       "        except KeyError:\n            pass\n"},
      // Both ask something else for what neither of them brought in.
      {", title=None", "    if a.title:\n        show(a.resize)\n"},
  };
  for (const Asking& row : rows) {
    EXPECT_TRUE(merged_in_python(kSize, row).clean()) << row.inserted;
  }
}

TEST(IfAsked, AreInConflictWhereTheyMayDoSomethingUnasked) {
  const Asking rows[] = {
      {", title=\"\"", "    show(a)\n"},
      {", title=\"\"", "    if a.title:\n        show(a)\n    show(a)\n"},
      {", title=\"\"", "    if a.title:\n        show(a)\n    else:\n        hide(a)\n"},
      {", title=\"\"", "    if a.title:\n        show(a)\n    elif a.b:\n        hide(a)\n"},
      {", title=\"\"", "    at = find(a)\n    if a.title:\n        show(at)\n"},
      {", title=\"\"", "    if a.title or a.b:\n        show(a)\n"},
      {", title=\"\"", "    if not a.title:\n        show(a)\n"},
      {", title=\"\"", "    if a.title is None:\n        show(a)\n"},
      {", title=\"\"", "    if a.title != 3:\n        show(a)\n"},
      {", title=\"\"", "    if a.title and check(a):\n        show(a)\n"},
      // It is always there, or nobody knows; or it is nothing new.
      {", title=True", "    if a.title:\n        show(a)\n"},
      {", title", "    if a.title:\n        show(a)\n"},
      {"", "    if a.title:\n        show(a)\n"},
      {", title=\"\"", "    if a.b:\n        show(a)\n"},
      // Statements that follow may not be done.
      {", title=\"\"", "    if a.title:\n        return\n"},
      {", title=\"\"", "    if a.title:\n        raise show(a)\n"},
      // Something of the base, or of the other side, is another thing then.
      {", title=\"\"", "    if a.title:\n        a = show(a)\n"},
      {", title=\"\"", "    if a.title:\n        a[0] = 1\n"},
      {", title=\"\"", "    if a.title:\n        a.cmd = 1\n"},
      {", title=\"\"", "    if a.title:\n        a.size = 1\n"},
      {", title=\"\"", "    if a.title:\n        show(a.size)\n"},
      {", title=\"\"", "    if a.title:\n        global cmd\n        show(a)\n"},
  };
  for (const Asking& row : rows) {
    EXPECT_FALSE(merged_in_python(kSize, row).clean()) << row.inserted;
  }
}

TEST(IfAsked, OnlyValuesStandBesideWhatIsAlwaysDone) {
  struct {
    std::string left, right;
    bool clean;
  } rows[] = {
      {"\tstart := time.Now()\n", "\tif known {\n\t\tsetAll(a)\n\t}\n", true},
      {"\tsetAll(a)\n", "\tleast, most := 1, \"a\"\n", true},
      {"\tstart := a.b\n", "\tx.limit = a\n", true},
      // The call may change what is read; the value is made by one; it is for both.
      {"\tstart := a.b\n", "\tsetAll(a)\n", false},
      {"\tstart := find(a)\n", "\tsetAll(a)\n", false},
      {"\tstart := 1\n", "\tsetAll(start)\n", false},
      {"\tstart := 1\n", "\tstart, most := 2, 3\n", false},
      {"\tstart := 1\n", "\tif known {\n\t\treturn\n\t}\n", false},
      {"\tstart := 1\n", "\tdefer setAll(a)\n", false},
      {"\ta := 1\n", "\tsetAll(1)\n", false},
      {"\tx.start = 1\n", "\tsetAll(1)\n", false},
      // These may be one thing under two names.
      {"\tstart := a.b\n", "\tlimit := a\n", false},
  };
  const std::string head = "package a\n\nfunc f(a B) {\n\th(a)\n", tail = "\tg(a)\n}\n";
  for (const auto& [left, right, clean] : rows) {
    const Sides<std::string> texts = {head + tail, head + left + tail, head + right + tail};
    const Merged merged = merged_as("go", texts);
    EXPECT_EQ(merged.clean(), clean) << left << right << merged.why;
    EXPECT_EQ(merged_as("go", {texts[kBase], texts[kRight], texts[kLeft]}).clean(), clean) << left;
    if (clean) EXPECT_EQ(merged.text, head + left + right + tail);
  }
}

TEST(IfAsked, AFieldInGoIsNoneAtFirst) {
  const auto with = [](const std::string& fields, const std::string& inserted) {
    return "package a\n\ntype B struct {\n\tall []int\n" + fields +
           "}\n\nfunc (b *B) f() {\n\th(b)\n" + inserted + "\tg(b)\n}\n";
  };
  const std::string size = "\tif b.size != nil {\n\t\tb.resize(1)\n\t}\n";
  const std::string title = "\tif b.title {\n\t\tshow(b)\n\t}\n";
  EXPECT_TRUE(
      merged_as("go", {with("", ""), with("\tsize *int\n", size), with("\ttitle bool\n", title)})
          .clean());
  EXPECT_FALSE(
      merged_as("go", {with("", ""), with("", size), with("\ttitle bool\n", title)}).clean());
}

}  // namespace
}  // namespace gittxn::semantic
