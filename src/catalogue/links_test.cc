#include "catalogue/links.h"

#include <gtest/gtest.h>

#include "catalogue/build_targets.h"

namespace gittxn::catalogue {
namespace {

struct Case {
  std::string_view language, from, text, to;
  Link link;
  std::vector<std::string> also;  // namesakes of the file
};

Link link(const Case& one, const std::map<std::string, std::string, std::less<>>& modules = {}) {
  const std::string name = std::string(one.from);
  const semantic::FileFacts facts = semantic::facts_of(name, one.text, {});
  EXPECT_EQ(facts.language, one.language) << one.text;
  EXPECT_FALSE(facts.imports.empty()) << one.text;
  std::vector<std::string> namesakes = one.also;
  namesakes.emplace_back(one.to);
  Link best = Link::kNo;
  for (const semantic::Import& import : facts.imports) {
    best = std::max(best, link_of(one.language, one.from, import, {one.to, {namesakes, modules}}));
  }
  return best;
}

TEST(Links, WhatAnImportNames) {
  const Case cases[] = {
      {"python", "src/a.py", "import auth\n", "src/auth.py", Link::kYes, {}},
      {"python", "a.py", "import auth\n", "vendor/x/auth.py", Link::kPerhaps, {}},
      {"python", "src/a.py", "import auth\n", "src/auth.py", Link::kPerhaps, {"lib/auth.py"}},
      {"python", "src/a.py", "import authx\n", "src/auth.py", Link::kNo, {}},
      {"python", "app/a.py", "from shop.auth import Token\n", "shop/auth.py", Link::kYes, {}},
      {"python", "app/a.py", "from shop import auth\n", "shop/auth.py", Link::kYes, {}},
      {"python", "app/a.py", "from shop import auth\n", "shop/__init__.py", Link::kYes, {}},
      {"python", "shop/a.py", "from .auth import Token\n", "shop/auth.py", Link::kYes, {}},
      {"python", "shop/a.py", "from . import auth as x\n", "shop/auth.py", Link::kYes, {}},
      {"python", "shop/b/a.py", "from ..auth import Token\n", "shop/auth.py", Link::kYes, {}},
      {"python", "shop/b/a.py", "from .auth import Token\n", "shop/auth.py", Link::kNo, {}},
      {"javascript", "src/a.js", "import { x } from './auth';\n", "src/auth.js", Link::kYes, {}},
      {"javascript",
       "src/a.js",
       "const x = require('../lib/auth');\n",
       "lib/auth.js",
       Link::kYes,
       {}},
      {"javascript",
       "src/a.js",
       "export { x } from './auth';\n",
       "src/auth/index.js",
       Link::kYes,
       {}},
      {"javascript", "src/a.js", "import x from 'auth';\n", "src/auth.js", Link::kPerhaps, {}},
      {"typescript", "src/a.ts", "import { x } from './auth.js';\n", "src/auth.ts", Link::kYes, {}},
      {"typescript", "src/a.ts", "import { x } from './auth';\n", "lib/auth.ts", Link::kNo, {}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(link(one), one.link) << one.from << " " << one.text << one.to;
  }
}

TEST(Links, WhatAnImportNamesInCompiledLanguages) {
  const Case cases[] = {
      {"c", "src/a.c", "#include \"auth.h\"\n", "src/auth.h", Link::kYes, {"lib/auth.h"}},
      {"c", "src/a.c", "#include \"auth.h\"\n", "include/auth.h", Link::kYes, {}},
      {"c", "src/a.c", "#include \"auth.h\"\n", "include/auth.h", Link::kPerhaps, {"lib/auth.h"}},
      {"c", "src/a.c", "#include <auth.h>\n", "include/auth.h", Link::kPerhaps, {}},
      {"cpp", "src/a.cc", "#include <shop/auth.h>\n", "include/shop/auth.h", Link::kYes, {}},
      {"cpp", "src/a.cc", "#include \"myauth.h\"\n", "src/auth.h", Link::kNo, {}},
      {"java",
       "a/B.java",
       "import com.shop.Token;\nclass B {}\n",
       "src/main/java/com/shop/Token.java",
       Link::kYes,
       {}},
      {"java",
       "a/B.java",
       "import static com.shop.Token.load;\nclass B {}\n",
       "com/shop/Token.java",
       Link::kYes,
       {}},
      {"java",
       "a/B.java",
       "import com.shop.*;\nclass B {}\n",
       "com/shop/Token.java",
       Link::kYes,
       {}},
      {"java",
       "a/B.java",
       "import org.other.Token;\nclass B {}\n",
       "com/shop/Token.java",
       Link::kNo,
       {}},
      {"rust", "src/a.rs", "use crate::auth::Token;\n", "src/auth.rs", Link::kYes, {}},
      {"rust",
       "src/a.rs",
       "use crate::{keys, auth::{self, Token as T}};\n",
       "src/auth/mod.rs",
       Link::kYes,
       {}},
      {"rust", "src/lib.rs", "mod auth;\n", "src/auth.rs", Link::kYes, {}},
      {"rust", "src/shop/a.rs", "use super::auth::Token;\n", "src/shop/auth.rs", Link::kYes, {}},
      {"rust", "one/src/a.rs", "use crate::auth::Token;\n", "two/src/auth.rs", Link::kNo, {}},
      {"rust", "one/src/a.rs", "use two::auth::Token;\n", "two/src/auth.rs", Link::kPerhaps, {}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(link(one), one.link) << one.from << " " << one.text << one.to;
  }
}

TEST(Links, GoAsksTheModule) {
  const Case one{
      "go",       "cmd/a.go", "package a\n\nimport \"example.com/shop/auth\"\n", "auth/token.go",
      Link::kYes, {}};
  EXPECT_EQ(link(one, {{"", "example.com/shop"}}), Link::kYes);
  EXPECT_EQ(link(one, {{"", "example.com/other"}}), Link::kNo);
  EXPECT_EQ(link(one), Link::kPerhaps);
  const Case nested{"go",
                    "cmd/a.go",
                    "package a\n\nimport x \"example.com/tool/auth\"\n",
                    "tools/auth/token.go",
                    Link::kYes,
                    {}};
  EXPECT_EQ(link(nested, {{"", "example.com/shop"}, {"tools", "example.com/tool"}}), Link::kYes);
  EXPECT_EQ(go_module("// a module\nmodule example.com/shop // it\n\ngo 1.22\n"),
            "example.com/shop");
  EXPECT_EQ(go_module("modules x\ngo 1\n"), "");
  EXPECT_TRUE(same_package("go", "auth/a.go", "auth/b.go"));
  EXPECT_FALSE(same_package("go", "auth/a.go", "b.go"));
  EXPECT_TRUE(same_package("java", "src/test/java/com/shop/TokenTest.java",
                           "src/main/java/com/shop/Token.java"));
  EXPECT_FALSE(same_package("python", "a/b.py", "a/c.py"));
}

TEST(Links, TestsAreToldByTheirNames) {
  EXPECT_EQ(tested_stem("tests/test_auth.py"), "auth");
  EXPECT_EQ(tested_stem("auth/token_test.go"), "token");
  EXPECT_EQ(tested_stem("src/TokenTest.java"), "Token");
  EXPECT_EQ(tested_stem("src/auth.spec.ts"), "auth");
  EXPECT_EQ(tested_stem("src/auth.ts"), "");
  EXPECT_EQ(tested_stem("test.py"), "");
  EXPECT_TRUE(is_test_path("pkg/__tests__/a.js"));
  EXPECT_TRUE(is_test_path("test_a.py"));
  EXPECT_FALSE(is_test_path("src/contest.py"));
}

bool has(const std::vector<BuildTarget>& targets, std::string_view name, bool names_file) {
  return std::any_of(targets.begin(), targets.end(), [&](const BuildTarget& target) {
    return target.name.find(name) != std::string::npos && target.names_file == names_file;
  });
}

TEST(BuildTargets, OfAManifest) {
  const std::string cmake =
      "# add_library(none src/auth.c)\nadd_library(shop STATIC src/auth.c\n  src/table.c)\n"
      "add_executable(tool tool.c)\n";
  const auto shop = build_targets("lib/CMakeLists.txt", cmake, "lib/src/auth.c");
  EXPECT_EQ(shop.size(), 1u);
  EXPECT_TRUE(has(shop, "shop", true));
  const auto any = build_targets("lib/CMakeLists.txt", cmake, "lib/src/other.c");
  EXPECT_TRUE(has(any, "shop", false));
  EXPECT_TRUE(has(any, "tool", false));
  EXPECT_TRUE(build_targets("lib/CMakeLists.txt", cmake, "src/auth.c").empty());
  const auto bazel =
      build_targets("BUILD", "cc_library(name = \"shop\", srcs = [\"auth.cc\"])\n", "auth.cc");
  EXPECT_TRUE(has(bazel, "shop", true));
}

}  // namespace
}  // namespace gittxn::catalogue
