// Where a body of C ends, read without the grammar; and that a function whose body does not parse
// is opaque alone, as long as that is certain. SEED=n replays a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/random.h"
#include "base/testing/campaign.h"
#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/symbol.h"
#include "semantic/syntax.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using testing::replaced_once;

bool matches(std::string_view text) {
  return matched_brackets(text).has_value();
}

TEST(Brackets, PairsWithTheirDepth) {
  const auto pairs = matched_brackets("a { b({ }) } [0]");
  ASSERT_TRUE(pairs);
  ASSERT_EQ(pairs->size(), 4u);
  const auto expect = [&](std::size_t i, std::size_t open, std::size_t close, std::size_t depth) {
    EXPECT_EQ((*pairs)[i].open, open) << i;
    EXPECT_EQ((*pairs)[i].close, close) << i;
    EXPECT_EQ((*pairs)[i].depth, depth) << i;
  };
  expect(0, 2, 11, 0);
  expect(1, 5, 9, 1);
  expect(2, 6, 8, 2);
  expect(3, 13, 15, 0);
}

TEST(Brackets, ThoseInTextsAndCommentsAreNone) {
  for (const char* text :
       {"\"{\"", "'{'", "\"\\\"{\"", "'\\''", "// {\n", "// a \\\n {\n", "/* { */",
        "R\"x({ \" )\" )x\"", "u8R\"({)\"", "1'000'000 {}", "#define A {\n", "#define A \\\n {\n",
        "#define A /* \n { */ {\n", "\"a \\\n { b\"", "#error it's\n"}) {
    const auto pairs = matched_brackets(text);
    ASSERT_TRUE(pairs) << text;
    for (const Brackets& pair : *pairs) EXPECT_LT(pair.open, pair.close) << text;
  }
  EXPECT_EQ(matched_brackets("1'000 {}")->size(), 1u);
  EXPECT_EQ(matched_brackets("#define A {\n{}")->size(), 1u);
}

TEST(Brackets, WhatDoesNotPairIsRefused) {
  for (const char* text : {"{", "}", "{)", "(}", "{ ( } )", "\"", "'", "\"a\nb\"", "/*", "R\"x(\"",
                           "R\"", "#if A\n", "#endif\n", "#else\n"}) {
    EXPECT_FALSE(matches(text)) << text;
  }
}

TEST(Brackets, ABranchLeavesOpenWhatItFound) {
  EXPECT_TRUE(matches("{\n#if A\n{}\n#elif B\n{}\n#else\n#endif\n}\n"));
  EXPECT_FALSE(matches("#if A\nf(int a) {\n#else\nf(void) {\n#endif\n}\n"));
  EXPECT_FALSE(matches("{\n#if A\n} {\n#endif\n}\n"));
  EXPECT_FALSE(matches("#ifdef A\n{\n#endif\n#ifdef A\n}\n#endif\n"));
}

const std::string kHead = "int f(int a) {\n  return a;\n}\n";
const std::string kBroken = "int g(int a) {\n  each(a, b) {\n    a = 1;\n  }\n  return a;\n}\n";
const std::string kTail = "int h(void) {\n  return 8;\n}\n";

FileSymbols c_symbols(const std::string& text) {
  return symbols_of(find_language("c"), "a.c", text, {});
}

const Symbol* find_c_symbol(const FileSymbols& file, const std::string& id) {
  for (const Symbol& symbol : file.symbols) {
    if (symbol.id == "a.c/" + id) return &symbol;
  }
  return nullptr;
}

TEST(BrokenBody, IsOpaqueAlone) {
  const FileSymbols file = c_symbols(kHead + kBroken + kTail);
  EXPECT_FALSE(file.opaque);
  for (const auto& [id, opaque] : {std::pair("f().", false), {"g().", true}, {"h().", false}}) {
    const Symbol* symbol = find_c_symbol(file, id);
    ASSERT_NE(symbol, nullptr) << id;
    EXPECT_EQ(symbol->opaque, opaque) << id;
  }
}

TEST(BrokenBody, AMistakeInTheParametersIsLikeOneInTheBody) {
  const FileSymbols file = c_symbols(kHead + "int g(int a +, int b) {\n  return b;\n}\n" + kTail);
  EXPECT_FALSE(file.opaque);
  EXPECT_TRUE(find_c_symbol(file, "g().")->opaque);
  EXPECT_FALSE(find_c_symbol(file, "h().")->opaque);
}

TEST(BrokenBody, IsOpaqueAloneInRustGoAndJava) {
  const auto opaque = [](const char* language, const std::string& text) {
    std::string names;
    for (const Symbol& symbol : symbols_of(find_language(language), "a", text, {}).symbols) {
      if (symbol.opaque) names += symbol.name + " ";
    }
    return names;
  };
  EXPECT_EQ(opaque("rust", "fn f<'a>(a: &'a str) { try!(g('{')); }\nfn g() {}\n"), "f ");
  EXPECT_EQ(opaque("rust", "fn f() { a = + ; r#\"{\"#; /* /* { */ */ }\nfn g() {}\n"), "f ");
  EXPECT_EQ(opaque("go", "package p\nfunc f() {\n\ta = + ;\n\t_ = `{`\n}\nfunc g() {}\n"), "f ");
  EXPECT_EQ(opaque("java", "class A { void f() { a = + ; } void g() {} }\n"), "f ");
  EXPECT_EQ(opaque("java", "class A { void f() { a = + ; String b = \"\"\"\n{\"\"\"; } int g; }\n"),
            "f ");
}

TEST(BrokenBody, IsOpaqueAloneInAClassAndANamespace) {
  const std::string text =
      "namespace n {\nclass A {\n  int f() { return 1; }\n  int g() { a = + ; }\n};\n}\n";
  const FileSymbols file = symbols_of(find_language("cpp"), "a.cc", text, {});
  EXPECT_FALSE(file.opaque);
  int opaque = 0;
  for (const Symbol& symbol : file.symbols) {
    opaque += symbol.opaque ? 1 : 0;
    EXPECT_EQ(symbol.opaque, symbol.name == "g") << symbol.id;
  }
  EXPECT_EQ(opaque, 1);
}

bool is_opaque_at(const FileSymbols& file, std::size_t at) {
  return std::ranges::any_of(file.symbols, [at](const Symbol& symbol) {
    return symbol.opaque && std::ranges::any_of(symbol.extents, [at](const Extent& extent) {
             return extent.begin <= at && at < extent.end;
           });
  });
}

TEST(BrokenDeclaration, IsOpaqueAloneUpToWhereOneEnds) {
  for (const char* broken :
       {"int g +(int a) {\n  return a;\n}\n", "int g(int, +);\n", "MADE(a) int +;\n",
        "struct g { int a; MADE(b) };\n", "static int g[] = { + };\n"}) {
    const std::string text = kHead + broken + kTail;
    const FileSymbols file = c_symbols(text);
    EXPECT_FALSE(file.opaque) << broken;
    EXPECT_TRUE(find_c_symbol(file, "f().") != nullptr && !find_c_symbol(file, "f().")->opaque);
    EXPECT_TRUE(find_c_symbol(file, "h().") != nullptr && !find_c_symbol(file, "h().")->opaque);
    EXPECT_TRUE(is_opaque_at(file, text.find_first_of("+M", kHead.size()))) << broken;
  }
}

TEST(BrokenBody, OfWhichTheEndIsNotCertainMakesTheFileOpaque) {
  EXPECT_TRUE(c_symbols(kHead + "int g(int a) {\n  if (a) {\n    a = + ;\n}\n" + kTail).opaque);
  EXPECT_TRUE(
      c_symbols(kHead + "int g(int a) {\n#if A\n  if (a) {\n#endif\n  a = + ;\n}\n}\n" + kTail)
          .opaque);
  EXPECT_TRUE(c_symbols(kHead + kBroken + "int h( {\n  return 8;\n}\n").opaque);
}

Verdict verdict(const std::string& base, const std::string& left, const std::string& right) {
  const Footprint a = footprint_of({{"a.c", base, left}}, {});
  const Footprint b = footprint_of({{"a.c", base, right}}, {});
  return commute(a, b).verdict;
}

TEST(BrokenBody, AnEditOfItIsOneOfItsSymbol) {
  const std::string base = kHead + kBroken + kTail;
  const std::string other = replaced_once(base, "8", "4"),
                    broken = replaced_once(base, "a = 1", "a = 2");
  EXPECT_EQ(verdict(base, replaced_once(base, "return a", "return -a"), other), Verdict::kCommute);
  EXPECT_EQ(verdict(base, broken, other), Verdict::kValidate);
  EXPECT_NE(verdict(base, broken, replaced_once(base, "each", "any")), Verdict::kCommute);
  // A body that could be read before.
  const std::string whole = kHead + kTail;
  EXPECT_EQ(verdict(whole, replaced_once(whole, "8;", "8 + ;"),
                    replaced_once(whole, "return a", "return -a")),
            Verdict::kValidate);
}

std::map<std::string, std::string> hashes(const FileSymbols& file) {
  std::map<std::string, std::string> all;
  for (const Symbol& symbol : file.symbols) {
    std::string& said = all[symbol.id];
    for (const Digest& hash : symbol.hashes) said += hash.str() + " ";
    said += symbol.order.str() + " " + symbol.raw.str();
  }
  return all;
}

std::string braces_of(const std::string& text) {
  std::string braces;
  for (const char c : text) {
    if (c == '{' || c == '}') braces += c;
  }
  return braces;
}

TEST(BrokenBodyProperty, AnEditInsideChangesItsSymbolAlone) {
  Random random(gittxn::testing::told_seed());
  const std::string base = kHead + kBroken + kTail;
  const auto before = hashes(c_symbols(base));
  constexpr std::string_view kBytes = "abxy019_+-*/=<>!&|.,;:(){}[]\"'#\\ \n";
  int alone = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = base;
    bool in_body = random.below(2) == 0;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      const std::size_t first = kHead.size() + kBroken.find(in_body ? '{' : '(') + 1;
      const std::size_t at = first + random.below(text.size() - kTail.size() - 2 - first);
      if (random.below(3) == 0) {
        text.erase(at, 1);
      } else {
        text.insert(at, 1, kBytes[random.below(kBytes.size())]);
      }
    }
    // With other braces it may end elsewhere, for anyone who reads it.
    in_body = in_body && braces_of(text) == braces_of(base);
    const FileSymbols file = c_symbols(text);
    if (file.opaque || text == base) continue;
    const auto after = hashes(file);
    // What the grammar found outside is there as it was.
    for (const char* id : {"a.c/f().", "a.c/h()."}) {
      if (!after.contains(id) && std::string_view(id) == "a.c/h().") {
        ASSERT_TRUE(is_opaque_at(file, text.find("int h"))) << text;
        continue;
      }
      ASSERT_TRUE(after.contains(id)) << text;
      EXPECT_EQ(after.at(id), before.at(id)) << text;
    }
    if (!in_body) continue;  // it may be something else now
    const Symbol* broken = find_c_symbol(file, "g().");
    if (broken == nullptr) {
      ASSERT_TRUE(is_opaque_at(file, text.find("int g"))) << text;
      continue;
    }
    if (broken->opaque) ++alone;
    EXPECT_NE(after.at("a.c/g()."), before.at("a.c/g().")) << text;
  }
  EXPECT_GT(alone, 100);
}

}  // namespace
}  // namespace gittxn::semantic
