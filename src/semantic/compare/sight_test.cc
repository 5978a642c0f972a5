// Which definitions a use in another file can mean. What two whole changes then come to stands in
// tests/meaning.
#include "semantic/compare/sight.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "semantic/commute.h"
#include "semantic/testing/commuting.h"

namespace gittxn::semantic {
namespace {

using testing::kBlock;
using testing::kCommute;
using testing::said;

TEST(Modules, AreKnownByTheEndOfTheirName) {
  EXPECT_TRUE(may_be_module("./lib", "src/a.js", "src/lib.js"));
  EXPECT_TRUE(may_be_module("./lib.mjs", "src/a.mjs", "src/lib.mjs"));
  EXPECT_TRUE(may_be_module("../shop", "src/a.ts", "shop/index.ts"));
  EXPECT_TRUE(may_be_module("./shop/index", "a.ts", "shop/index.ts"));
  EXPECT_TRUE(may_be_module("shop.lib", "main.py", "src/shop/lib.py"));
  EXPECT_TRUE(may_be_module(".lib", "shop/a.py", "shop/lib.py"));
  EXPECT_TRUE(may_be_module("shop", "main.py", "src/shop/__init__.py"));
  EXPECT_TRUE(may_be_module(".", "shop/a.py", "shop/__init__.py"));
  EXPECT_TRUE(may_be_module("crate::shop::pay", "src/a.rs", "src/shop.rs"));
  EXPECT_TRUE(may_be_module("example.com/shop/go-lib", "main.go", "lib/lib.go"));
  EXPECT_TRUE(may_be_module("../one/add", "test/a.js", "one/add.js"));
  EXPECT_TRUE(may_be_module("one.add", "test/a.py", "src/one/add.py"));
  EXPECT_TRUE(may_be_module("app.one.add", "test/a.py", "one/add.py"));
  EXPECT_FALSE(may_be_module("../one/add", "test/a.js", "two/add.js"));
  EXPECT_FALSE(may_be_module("./add", "one/a.js", "two/add.js"));
  EXPECT_FALSE(may_be_module("one.add", "test/a.py", "two/add.py"));
  EXPECT_FALSE(may_be_module("./lib", "src/a.js", "src/other.js"));
  EXPECT_FALSE(may_be_module(".", "shop/a.py", "other/__init__.py"));
  EXPECT_FALSE(may_be_module("fs", "a.js", "disk.js"));
}

TEST(Modules, SayWhichFilesTheyMayBe) {
  using Files = std::vector<std::string>;
  EXPECT_EQ(files_of_module(".pay", "shop/__init__.py"),
            (Files{"shop/pay.py", "shop/pay/__init__.py"}));
  EXPECT_EQ(files_of_module("..", "shop/pay/lib.py"), (Files{"shop/__init__.py"}));
  EXPECT_EQ(files_of_module("shop.pay", "t/a.py"),
            (Files{"src/shop/pay.py", "src/shop/pay/__init__.py", "t/shop/pay.py",
                   "t/shop/pay/__init__.py", "shop/pay.py", "shop/pay/__init__.py"}));
  EXPECT_EQ(files_of_module("...pay", "a.py"), Files());
  EXPECT_EQ(files_of_module("./pay.js", "src/a.ts"),
            (Files{"src/pay.js", "src/pay.ts", "src/pay.tsx"}));
  EXPECT_EQ(files_of_module("../pay", "src/a.ts").front(), "pay.ts");
  EXPECT_EQ(files_of_module("../../pay", "src/a.ts"), Files());
  EXPECT_EQ(files_of_module("react", "src/a.ts"), Files());
  EXPECT_EQ(files_of_module("fmt", "a.go"), Files());
}

// The uses of a name that another file defines, as one file has them.
Sight sight(const FileChange& definition, const FileChange& user, const std::string& name) {
  const Footprint defined = footprint_of({definition}, {}), used = footprint_of({user}, {});
  const Write* write = nullptr;
  for (const Write& each : defined.writes) {
    if (std::ranges::find(each.defines, name) != each.defines.end()) write = &each;
  }
  const Sights sights(used);
  Sight most = Sight::kNone;
  for (const Use& use : used.uses) {
    if (use.name != name) continue;
    most = std::max(most, sights.of({name, write, Event::kStrong}, use));
  }
  return most;
}

TEST(Sights, OfAPlainNameInPython) {
  const FileChange gone{"lib.py", "def setup():\n    return 1\n", ""};
  const auto user = [](const char* text) { return FileChange{"a.py", {}, text}; };
  EXPECT_EQ(sight(gone, user("setup()\n"), "setup"), Sight::kMaybe);
  EXPECT_EQ(sight(gone, user("from lib import setup\nsetup()\n"), "setup"), Sight::kMaybe);
  EXPECT_EQ(sight(gone, user("from facade import setup\nsetup()\n"), "setup"), Sight::kMaybe);
  EXPECT_EQ(sight(gone, user("def setup():\n    pass\n\nsetup()\n"), "setup"), Sight::kNone);
  EXPECT_EQ(sight(gone, user("import lib\n\nlib.setup()\n"), "setup"), Sight::kSure);
  EXPECT_EQ(sight(gone, user("import lib as x\n\nx.setup()\n"), "setup"), Sight::kSure);
  EXPECT_EQ(sight(gone, user("import os\n\nos.setup()\n"), "setup"), Sight::kNone);
  EXPECT_EQ(sight(gone, user("import facade\n\nfacade.setup()\n"), "setup"), Sight::kMaybe);
  // The name is another one's, by way of a value.
  EXPECT_EQ(sight(gone, user("import facade\nsetup = facade.setup\n\nsetup()\n"), "setup"),
            Sight::kMaybe);
}

// The new definition may be meant where the name is bound nowhere.
TEST(Sights, ANameThatANewFileBindsIsNotADefinitionInAnother) {
  const auto added = [](const char* path, const char* text) {
    return footprint_of({{path, {}, text}}, {});
  };
  const Footprint js = added("a.test.js", "const test = require('x');\ntest('a', 1);\n");
  const Footprint twin = added("b.test.js", "const test = require('x');\ntest('b', 1);\n");
  const Footprint uses = added("c.js", "test('c', 1);\n");
  EXPECT_EQ(commute(js, twin).verdict, kCommute) << said(commute(js, twin));
  EXPECT_EQ(commute(js, uses).verdict, kBlock);
  const Footprint python = added("a.py", "def add(n):\n    return n\n");
  const Footprint imports = added("b.py", "from c import add\n\n\ndef f():\n    return add(1)\n");
  EXPECT_EQ(commute(python, imports).verdict, kCommute) << said(commute(python, imports));
}

}  // namespace
}  // namespace gittxn::semantic
