// Every folder of languages/ says what its sample declares: languages/NAME/declarations.txt. With
// GIT_TXN_GOLDEN=write in the environment the files are written anew.
#include "semantic/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/fs.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

namespace fs = std::filesystem;

fs::path languages_folder() {
  return fs::path(__FILE__).parent_path() / "languages";
}

std::string said(const Tree& tree) {
  std::string out;
  for (const Declared& declared : declarations(tree)) out += declared.path + "\n";
  return out;
}

TEST(Language, EveryShapeIsUnderstood) {
  for (const Language* language : all_languages()) EXPECT_EQ(language->fault, "") << language->name;
}

TEST(Language, DeclarationsOfTheSamples) {
  const char* mode = std::getenv("GIT_TXN_GOLDEN");
  const bool write = mode != nullptr && std::string(mode) == "write";
  int seen = 0;
  for (const auto& folder : fs::directory_iterator(languages_folder())) {
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().stem() != "sample") continue;
      ++seen;
      const Language* language = language_of_path(file.path().string());
      ASSERT_NE(language, nullptr) << file.path();
      EXPECT_EQ(language->name, folder.path().filename().string());
      const auto text = read_file(file.path().string());
      ASSERT_TRUE(text);
      const auto tree = Tree::parse(*language, *text, {});
      ASSERT_NE(tree, nullptr);
      EXPECT_EQ(tree->error_bytes(), 0u) << file.path();
      const std::string golden = (folder.path() / "declarations.txt").string();
      if (write) {
        ASSERT_TRUE(write_file(golden, said(*tree), Sync::kNo, 0644));
      }
      const auto expected = read_file(golden);
      ASSERT_TRUE(expected) << golden;
      EXPECT_EQ(said(*tree), *expected) << golden;
    }
  }
  EXPECT_EQ(seen, 11);
}

TEST(Language, IsToldByTheNameOfTheFile) {
  EXPECT_EQ(language_of_path("a/b.cc")->name, "cpp");
  EXPECT_EQ(language_of_path("b.tsx")->name, "tsx");
  EXPECT_EQ(language_of_path("x.c/y"), nullptr);
  EXPECT_EQ(language_of_path("Makefile"), nullptr);
  EXPECT_EQ(language_of_path("a.c "), nullptr);
  EXPECT_EQ(language_of_path(""), nullptr);
}

TEST(Language, AHeaderIsWhatItParsesAs) {
  EXPECT_EQ(language_of("a.h", "struct a { int x; };\nint f(struct a *class);\n")->name, "c");
  EXPECT_EQ(language_of("a.h", "namespace x {\nclass A : public B { A() = default; };\n}\n")->name,
            "cpp");
}

TEST(Syntax, WhiteSpaceBetweenTokensIsNoCode) {
  const Language& c = *find_language("c");
  const auto a = Tree::parse(c, "int f(int x) { return x+1; }\n", {});
  const auto b = Tree::parse(c, "int f( int x )\n{\n\treturn x + 1; // one more\n}\n", {});
  const auto other = Tree::parse(c, "int f(int x) { return x+2; }\n", {});
  EXPECT_TRUE(same_code(*a, a->root(), *b, b->root()));
  EXPECT_FALSE(same_code(*a, a->root(), *other, other->root()));
}

TEST(Syntax, WhiteSpaceInStringsAndPythonsBlocksCounts) {
  const Language& python = *find_language("python");
  const auto differ = [&](const char* x, const char* y) {
    const auto a = Tree::parse(python, x, {});
    const auto b = Tree::parse(python, y, {});
    return !same_code(*a, a->root(), *b, b->root());
  };
  EXPECT_TRUE(differ("x = 'a b'\n", "x = 'a  b'\n"));
  EXPECT_TRUE(differ("x = f'a {b} c'\n", "x = f'a {b}  c'\n"));
  EXPECT_TRUE(differ("if a:\n  b()\n  c()\n", "if a:\n  b()\nc()\n"));
  EXPECT_FALSE(differ("if a:\n  b()\n", "if a:\n    b( )\n"));
}

TEST(Syntax, AnOpaqueFileHasNoTree) {
  const Language& c = *find_language("c");
  EXPECT_EQ(Tree::parse(c, std::string("int a\0;", 7), {}), nullptr);
  Budget small;
  small.bytes = 10;
  EXPECT_EQ(Tree::parse(c, "int long_name;", small), nullptr);
  small.bytes = 1000;
  small.nodes = 3;
  EXPECT_EQ(Tree::parse(c, "int a; int b; int c;", small), nullptr);
}

TEST(Syntax, DeepNestingIsCutOff) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const auto tree = Tree::parse(*find_language("json"), deep, {});
  if (tree != nullptr) {
    EXPECT_GT(tree->leaves().size(), 0u);
  }
}

}  // namespace
}  // namespace gittxn::semantic
