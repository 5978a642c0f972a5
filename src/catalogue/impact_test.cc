#include "catalogue/impact.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/testing/world.h"

namespace gittxn::catalogue {
namespace {

using testing::must;
using testing::World;

class Impacts : public ::testing::Test {
 protected:
  // "caller resolved src/login.py:4", each on a line.
  std::string of(const std::string& text, Uses uses = Uses::kAll) {
    const Oid tree = world_.repo().tree();
    const auto catalogue = world_.open();
    const FoundSubjects found = must(find_subjects(*catalogue, tree, text));
    EXPECT_EQ(found.subjects.size(), 1u) << text;
    if (found.subjects.size() != 1) return {};
    std::vector<Subject> subjects = found.subjects;
    if (subjects.front().symbol.empty()) {
      const std::string path = subjects.front().path;
      subjects = must(subjects_in(*catalogue, path, world_.entry(path)));
    }
    const Impact impact = must(impact_of(*catalogue, tree, subjects, uses));
    std::string said;
    for (const Affected& affected : impact.affected) {
      said += std::string(relation_name(affected.relation)) + " " +
              std::string(certainty_name(affected.certainty)) + " " + affected.path + ":" +
              std::to_string(affected.line) + "\n";
    }
    return said;
  }
  std::vector<std::string> named(const std::string& text) {
    const Oid tree = world_.repo().tree();
    std::vector<std::string> ids;
    for (const Subject& subject : must(find_subjects(*world_.open(), tree, text)).subjects) {
      ids.push_back(subject.symbol.empty() ? subject.path : subject.symbol);
    }
    return ids;
  }

  World world_;
};

TEST_F(Impacts, OfAPythonFunction) {
  world_.commit({
      {"shop/auth.py", "def check(a):\n    return a\n\n\ndef again():\n    return check(1)\n"},
      {"shop/login.py", "from .auth import check\n\n\ndef login():\n    return check(2)\n"},
      {"shop/alias.py", "from .auth import check as c\n\n\ndef f():\n    return c(2)\n"},
      {"shop/module.py", "from . import auth\n\n\ndef g():\n    return auth.check(2)\n"},
      {"shop/stranger.py",
       "def h(check):\n    return check(2)\n\n\ndef i():\n    return check(1)\n"},
      {"shop/method.py", "def j(x):\n    return x.check()\n"},
      {"tests/test_login.py",
       "from shop.auth import check\n\n\ndef test():\n    assert check(1)\n"},
      {"tests/test_auth.py", "def test():\n    pass\n"},
      {"docs/notes.xyz", "call check first\n"},
      {"web/check.js", "export function f() { return check(1); }\n"},
  });
  EXPECT_EQ(of("check"),
            "caller resolved shop/alias.py:5\n"
            "caller resolved shop/auth.py:6\n"
            "caller resolved shop/login.py:5\n"
            "caller resolved shop/module.py:5\n"
            "caller by name shop/method.py:2\n"
            "caller by name shop/stranger.py:6\n"
            "importer resolved shop/alias.py:1\n"
            "importer resolved shop/login.py:1\n"
            "importer resolved shop/module.py:1\n"
            "importer resolved tests/test_login.py:1\n"
            "test resolved tests/test_login.py:5\n"
            "test by name tests/test_auth.py:1\n"
            "mention by name docs/notes.xyz:1\n");
  // A second definition: nothing is sure any more.
  world_.commit({{"other/auth.py", "def check():\n    pass\n"}});
  EXPECT_EQ(of("shop/auth.py/check().").find("caller resolved"), std::string::npos);
  EXPECT_EQ(named("check"),
            (std::vector<std::string>{"other/auth.py/check().", "shop/auth.py/check()."}));
}

TEST_F(Impacts, AFileThatDoesNotParseMakesNothingSure) {
  world_.commit({
      {"a.py", "def check(a):\n    return a\n"},
      {"b.py", "from a import check\n\n\ndef f():\n    return check(1)\n"},
  });
  EXPECT_EQ(of("check"), "caller resolved b.py:5\nimporter resolved b.py:1\n");
  world_.commit({{"broken.py", "def check(:\n  ((\n"}});
  EXPECT_EQ(of("check"),
            "caller by name b.py:5\nimporter resolved b.py:1\nmention by name broken.py:1\n");
}

TEST_F(Impacts, MembersTypesAndWhatOverridesThem) {
  world_.commit({
      {"src/main/java/com/shop/Base.java",
       "package com.shop;\n\npublic class Base {\n  public int total(int a) { return a; }\n"
       "  int twice() { return this.total(2); }\n}\n"},
      {"src/main/java/com/shop/Cart.java",
       "package com.shop;\n\npublic class Cart extends Base {\n"
       "  public int total(int a) { return 2 * a; }\n}\n"},
      {"src/main/java/com/app/App.java",
       "package com.app;\n\nimport com.shop.Base;\n\nclass App extends Base {\n"
       "  int f(Base b) { return b.total(1); }\n}\n"},
      {"src/test/java/com/shop/BaseTest.java",
       "package com.shop;\n\nclass BaseTest {\n"
       "  Base base() { return null; }\n}\n"},
  });
  const std::string total = of("Base.total");
  EXPECT_NE(total.find("override by name src/main/java/com/shop/Cart.java:4\n"), std::string::npos)
      << total;
  EXPECT_NE(total.find("caller by name src/main/java/com/app/App.java:6\n"), std::string::npos)
      << total;
  const std::string base = of("Base");
  EXPECT_NE(base.find("subtype resolved src/main/java/com/app/App.java:5\n"), std::string::npos)
      << base;
  EXPECT_NE(base.find("subtype resolved src/main/java/com/shop/Cart.java:3\n"), std::string::npos)
      << base;
  EXPECT_NE(base.find("test resolved src/test/java/com/shop/BaseTest.java"), std::string::npos)
      << base;
}

TEST_F(Impacts, CHeadersAndWhatIncludesThem) {
  world_.commit({
      {"CMakeLists.txt", "add_library(table src/table.c)\nadd_executable(tool src/tool.c)\n"},
      {"include/table.h", "int put(int key);\n"},
      {"include/all.h", "#include \"table.h\"\n"},
      {"src/table.c", "#include \"table.h\"\n\nint put(int key) {\n  return key;\n}\n"},
      {"src/tool.c", "#include \"all.h\"\n\nint main(void) {\n  return put(1);\n}\n"},
      {"src/alone.c", "int f(void) {\n  return put(1);\n}\n"},
  });
  EXPECT_EQ(named("put"), std::vector<std::string>{"src/table.c/put()."});
  EXPECT_EQ(of("include/table.h/put()."),
            "caller resolved src/tool.c:4\n"
            "caller by name src/alone.c:2\n"
            "importer resolved include/all.h:1\n"
            "importer resolved src/table.c:1\n"
            "target governed CMakeLists.txt:0\n"
            "target governed CMakeLists.txt:0\n");
  // By its declaration, too.
  EXPECT_NE(of("put").find("caller resolved src/tool.c:4\ncaller by name src/alone.c:2\n"),
            std::string::npos);
  const std::string file = of("src/table.c", Uses::kLinked);
  EXPECT_NE(file.find("target resolved CMakeLists.txt:0\n"), std::string::npos) << file;
}

TEST_F(Impacts, GoPackagesAndRustModules) {
  world_.commit({
      {"go.mod", "module example.com/shop\n\ngo 1.22\n"},
      {"auth/token.go", "package auth\n\nfunc Check(a int) int {\n\treturn a\n}\n"},
      {"auth/other.go", "package auth\n\nfunc two() int {\n\treturn Check(2)\n}\n"},
      {"cmd/main.go",
       "package main\n\nimport \"example.com/shop/auth\"\n\n"
       "func main() {\n\tauth.Check(1)\n}\n"},
      {"rust/src/lib.rs", "mod keys;\nuse crate::keys::load;\n\nfn f() -> u8 {\n    load()\n}\n"},
      {"rust/src/keys.rs", "pub fn load() -> u8 {\n    1\n}\n"},
  });
  const std::string check = of("Check");
  EXPECT_NE(check.find("caller resolved auth/other.go:4\n"), std::string::npos) << check;
  EXPECT_NE(check.find("caller resolved cmd/main.go:6\n"), std::string::npos) << check;
  const std::string load = of("load");
  EXPECT_NE(load.find("caller resolved rust/src/lib.rs:5\n"), std::string::npos) << load;
}

TEST_F(Impacts, AKeyOfALiteralOfGoIsNoUseOfAFunction) {
  world_.commit({
      {"go.mod", "module example.com/shop\n\ngo 1.22\n"},
      {"a/new.go", "package a\n\nfunc New() int {\n\treturn 1\n}\n"},
      {"a/pool.go",
       "package a\n\nimport \"sync\"\n\nvar pool = sync.Pool{New: func() any { return 1 }}\n\n"
       "func two() int {\n\treturn New()\n}\n"},
  });
  const std::string made = of("New");
  EXPECT_NE(made.find("resolved a/pool.go:8\n"), std::string::npos) << made;
  EXPECT_EQ(made.find("a/pool.go:5"), std::string::npos) << made;
}

TEST_F(Impacts, NamesAreFoundByWhatTheyAreIn) {
  world_.commit({
      {"a.py", "class Token:\n    def load(self):\n        pass\n"},
      {"b.py", "class Key:\n    def load(self):\n        pass\n"},
      {"c.cc",
       "namespace shop {\nclass Cart {\n public:\n  int load();\n};\n}\n"
       "int shop::Cart::load() { return 1; }\n"},
  });
  EXPECT_EQ(named("load").size(), 3u);
  EXPECT_EQ(named("Token.load"), std::vector<std::string>{"a.py/Token#load()."});
  EXPECT_EQ(named("Key#load"), std::vector<std::string>{"b.py/Key#load()."});
  EXPECT_EQ(named("a.py/Token#load()."), std::vector<std::string>{"a.py/Token#load()."});
  EXPECT_EQ(named("shop::Cart::load").size(), 1u);
  world_.commit({
      {"t.h",
       "namespace shop {\nclass Till {\n public:\n  explicit Till(int n);\n  ~Till();\n"
       "  int pay(shop::Cart* c);\n};\nclass Later;\n}\n"},
      {"t.cc",
       "#include \"t.h\"\nnamespace shop {\nTill::Till(int n) {}\nTill::~Till() {}\n"
       "int Till::pay(Cart* c) { return 1; }\n}\n"},
      {"u.cc", "#include \"t.h\"\nint g() {\n  shop::Till t(1);\n  return t.pay(nullptr);\n}\n"},
  });
  EXPECT_EQ(named("Till"), std::vector<std::string>{"t.h/shop/Till#"});
  EXPECT_EQ(named("pay").size(), 1u);
  EXPECT_NE(of("Till").find("resolved u.cc:3\n"), std::string::npos) << of("Till");
  EXPECT_EQ(named("./a.py"), std::vector<std::string>{"a.py"});
  EXPECT_TRUE(named("Nothing.load").empty());
  const FoundSubjects found = must(find_subjects(*world_.open(), world_.repo().tree(), "Tokem"));
  EXPECT_TRUE(found.subjects.empty());
  ASSERT_FALSE(found.near.empty());
  EXPECT_EQ(found.near.front(), "a.py/Token#");
}

}  // namespace
}  // namespace gittxn::catalogue
