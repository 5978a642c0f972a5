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
  for (const Declared& declared : tree.declarations()) out += declared.path + "\n";
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
  EXPECT_EQ(seen, 16);
}

TEST(Language, IsToldByTheNameOfTheFile) {
  EXPECT_EQ(language_of_path("a/b.cc")->name, "cpp");
  EXPECT_EQ(language_of_path("b.tsx")->name, "tsx");
  EXPECT_EQ(language_of_path("x.c/y"), nullptr);
  EXPECT_EQ(language_of_path("Makefile"), nullptr);
  EXPECT_EQ(language_of_path("a.c "), nullptr);
  EXPECT_EQ(language_of_path(""), nullptr);
}

TEST(Language, IsToldByAWholeNameOrAnEndingWithoutAName) {
  for (const char* ruby : {"a/Gemfile", "Rakefile", "x.gemspec", "lib/tasks/db.rake"}) {
    ASSERT_NE(language_of_path(ruby), nullptr) << ruby;
    EXPECT_EQ(language_of_path(ruby)->name, "ruby");
  }
  EXPECT_EQ(language_of_path("build.gradle.kts")->name, "kotlin");
  EXPECT_EQ(language_of_path("a.csx")->name, "csharp");
  EXPECT_EQ(language_of_path("home/.bashrc")->name, "bash");
  for (const char* none : {"Gemfile.lock", "MyGemfile", "Gemfile ", "Rakefile Gemfile", "."}) {
    EXPECT_EQ(language_of_path(none), nullptr) << none;
  }
}

TEST(Language, IsToldByTheProgramThatRunsAScript) {
  const auto name = [](const char* path, const char* text) {
    const Language* language = language_of(path, text);
    return language == nullptr ? std::string_view("none") : language->name;
  };
  EXPECT_EQ(name("run", "#!/bin/sh\necho\n"), "bash");
  EXPECT_EQ(name("bin/run", "#! /usr/bin/env -S bash -eu\n"), "bash");
  EXPECT_EQ(name("run", "#!/usr/bin/python3.11 -I\r\n"), "python");
  EXPECT_EQ(name("run", "#!/usr/bin/env -i PATH=/bin ruby"), "ruby");
  EXPECT_EQ(name("run.in", "#!/usr/bin/env node"), "javascript");
  EXPECT_EQ(name("run.py", "#!/bin/sh\n"), "python");
  EXPECT_EQ(name("run", "#!/usr/bin/awk -f bash\n"), "none");
  EXPECT_EQ(name("run", "#!\nbash\n"), "none");
  EXPECT_EQ(name("run", "#!/usr/bin/env\n"), "none");
  EXPECT_EQ(name("run", " #!/bin/sh\n"), "none");
  EXPECT_EQ(name("run", ""), "none");
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

TEST(Syntax, WhiteSpaceInHereDocumentsCounts) {
  const auto differ = [](const char* language, const char* x, const char* y) {
    const auto a = Tree::parse(*find_language(language), x, {});
    const auto b = Tree::parse(*find_language(language), y, {});
    return !same_code(*a, a->root(), *b, b->root());
  };
  EXPECT_TRUE(differ("ruby", "a(<<~A)\n    one\n  two\nA\n", "a(<<~A)\n  one\n  two\nA\n"));
  EXPECT_TRUE(differ("bash", "cat <<A\n  one\nA\n", "cat <<A\none\nA\n"));
  EXPECT_TRUE(differ("bash", "a=\"${b:-c  d}\"\n", "a=\"${b:-c d}\"\n"));
  EXPECT_TRUE(differ("php", "<?php\n$a = <<<A\n  b\n A;\n", "<?php\n$a = <<<A\n b\n A;\n"));
  EXPECT_TRUE(differ("kotlin", "val a = \"\"\"b\n c\"\"\"\n", "val a = \"\"\"b\n  c\"\"\"\n"));
  EXPECT_TRUE(differ("csharp", "var a = @\"b  c\";\n", "var a = @\"b c\";\n"));
  EXPECT_FALSE(differ("bash", "f() { a  b; }\n", "f() {\n  a b\n}\n") &&
               differ("bash", "f() {  a  b; }\n", "f() { a b; }\n"));
}

// Scanners are code of the grammars: what they do with a text that ends too early, or with names
// longer than they keep.
TEST(Syntax, ScannersEndWithTheText) {
  const std::string word(300, 'A');
  const auto parse = [](const char* language, const std::string& text) {
    return Tree::parse(*find_language(language), text, {});
  };
  EXPECT_NE(parse("kotlin", "class A\n@b"), nullptr);
  EXPECT_NE(parse("kotlin", "val a = 1\n@get("), nullptr);
  EXPECT_NE(parse("kotlin", "val a = \"\"\"b"), nullptr);
  EXPECT_NE(parse("ruby", "a(<<" + word + ")\nb\n" + word + "\n"), nullptr);
  std::string many;
  for (int i = 0; i < 300; ++i) many += "<<A" + std::to_string(i) + ",";
  for (const char* language : {"ruby", "bash", "php"}) {
    EXPECT_NE(parse(language, "<?php f(" + many + "1)\nx"), nullptr) << language;
    EXPECT_NE(parse(language, "cat <<" + word + " <<'" + word + word + "'\n$x"), nullptr);
  }
  for (std::size_t length = 180; length < 260;
       ++length) {  // five of them, up to what there is room for
    std::string line = "f(";
    for (int i = 0; i < 5; ++i) line += "<<" + std::string(length, 'B') + ",";
    EXPECT_NE(parse("ruby", line + "1)\nx\n"), nullptr);
  }
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// Each of them makes a scanner look as far as the end, from every line.
TEST(Syntax, WhatIsLookedAtAgainAndAgainIsOpaque) {
  EXPECT_EQ(Tree::parse(*find_language("kotlin"), times(40'000, "/* a\n"), {}), nullptr);
  const std::pair<const char*, const char*> others[] = {
      {"kotlin", "val a=1\nset(x\n"},
      {"kotlin", "val a=1\n@b("},
      {"kotlin", "val a = \"\"\"$b "},
      {"bash", "a`b "},
      {"bash", "cat <<A\n"},
      {"bash", "\"$("},
      {"ruby", "<<A\n"},
      {"ruby", "%q(a "},
      {"ruby", "=begin\n"},
      {"php", "<?php <<<A\n"},
      {"php", "<?php ?>"},
      {"php", "<?php \"{$a "},
      {"csharp", "$\"{"},
      {"csharp", "\"\"\"a "},
      {"csharp", "@\"a"},
  };
  for (const auto& [language, text] : others) {  // a tree or none, but an end
    const auto tree = Tree::parse(*find_language(language), times(3'000, text), {});
    EXPECT_TRUE(tree == nullptr || !tree->leaves().empty()) << language << " " << text;
  }
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
