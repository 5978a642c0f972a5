// Symbols and names of the samples, beside them in languages/NAME/symbols.txt and names.txt, which
// GIT_TXN_GOLDEN=write writes anew; and that no change of code is without a changed hash.
#include "semantic/symbol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/fs.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/outline.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

std::string_view role_name(UseRole role) {
  constexpr std::string_view kNames[] = {"use",    "call",   "type", "supertype",
                                         "import", "member", "text"};
  return kNames[static_cast<std::size_t>(role)];
}

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::symbols;

const Symbol& find_symbol(const FileSymbols& file, const std::string& id) {
  static const Symbol kNone;
  for (const Symbol& symbol : file.symbols) {
    if (symbol.id == file.path + "/" + id) return symbol;
  }
  ADD_FAILURE() << "no " << id << " in " << file.path;
  return kNone;
}

// What of `id` differs between two texts of one file.
std::string changed(const std::string& path, const std::string& id, const std::string& before,
                    const std::string& after) {
  const FileSymbols a = symbols(path, before), b = symbols(path, after);
  const Symbol &x = find_symbol(a, id), &y = find_symbol(b, id);
  std::string out;
  for (std::size_t i = 0; i < kCapabilities; ++i) {
    if (x.hashes[i] != y.hashes[i]) {
      out += std::string(capability_name(static_cast<Capability>(i))) + " ";
    }
  }
  if (x.comments != y.comments) out += "comments ";
  return out;
}

std::map<std::string, std::string> sample_files() {
  std::map<std::string, std::string> paths;
  const fs::path folders = fs::path(__FILE__).parent_path() / "languages";
  for (const auto& folder : fs::directory_iterator(folders)) {
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().stem() == "sample") {
        paths[folder.path().string()] = file.path().filename().string();
      }
    }
  }
  return paths;
}

void expect_golden(const std::string& path, const std::string& said) {
  const char* mode = std::getenv("GIT_TXN_GOLDEN");
  if (mode != nullptr && std::string(mode) == "write") {
    ASSERT_TRUE(write_file(path, said, Sync::kNo, 0644));
  }
  const auto expected = read_file(path);
  ASSERT_TRUE(expected) << path;
  EXPECT_EQ(said, *expected) << path;
}

TEST(Symbols, OfTheSamples) {
  for (const auto& [folder, name] : sample_files()) {
    const auto text = read_file(folder + "/" + name);
    ASSERT_TRUE(text);
    std::string said;
    for (const Symbol& symbol : symbols(name, *text).symbols) {
      said += symbol.id;
      for (std::size_t i = 0; i < kCapabilities; ++i) {
        if (symbol.hashes[i].empty()) continue;
        said += " " + std::string(capability_name(static_cast<Capability>(i)));
      }
      said += symbol.opaque ? " opaque\n" : "\n";
    }
    expect_golden(folder + "/symbols.txt", said);
  }
}

TEST(Symbols, NamesOfTheSamples) {
  for (const auto& [folder, name] : sample_files()) {
    const auto text = read_file(folder + "/" + name);
    ASSERT_TRUE(text);
    const Outline outline = outline_of(language_of(name, *text), name, *text, {});
    ASSERT_NE(outline.tree, nullptr) << name;
    std::string said;
    std::size_t tokens = 0;
    for (const Outlined& symbol : outline.symbols) {
      said += symbol.id + "\n";
      for (const Unit& unit : symbol.units) {
        for (const std::uint32_t token : unit.tokens) {
          ++tokens;
          std::vector<NameRead> names;
          names_of(*outline.tree, token, &names);
          for (const NameRead& read : names) {
            said += "  " + std::string(role_name(read.role)) + " ";
            if (!read.qualifier.empty()) said += std::string(read.qualifier) + " ";
            said += read.name;
            if (read.arity >= 0) said += "/" + std::to_string(read.arity);
            said += read.local ? " local\n" : "\n";
          }
        }
      }
    }
    // Each token stands in one symbol.
    EXPECT_EQ(tokens, outline.tree->leaves().size()) << name;
    expect_golden(folder + "/names.txt", said);
  }
}

TEST(Symbols, CapabilitiesOfAFunction) {
  const std::string f = "class A {\n  public int f(int a) { return a; }\n}\n";
  const auto is = [&](const std::string& after) {
    return changed("A.java", "A#f(int).", f, after);
  };
  EXPECT_EQ(is("class A {\n\n  public int f(\n    int a) { return a ; } }\n"), "");
  EXPECT_EQ(is("class A {\n  public int f(int a) { return a + 1; }\n}\n"), "body ");
  EXPECT_EQ(is("class A {\n  public long f(int a) { return a; }\n}\n"), "signature ");
  EXPECT_EQ(is("class A {\n  public int f(int b) { return a; }\n}\n"), "signature ");
  EXPECT_EQ(is("class A {\n  private int f(int a) { return a; }\n}\n"), "visibility ");
  EXPECT_EQ(is("class A {\n  // one\n  public int f(int a) { return a; }\n}\n"),
            "contract comments ");
  EXPECT_EQ(is("class A {\n  public int f(int a) { return /* it */ a; }\n}\n"), "comments ");
  EXPECT_EQ(is("class A {\n  @Deprecated public int f(int a) { return a; }\n}\n"), "contract ");
  EXPECT_EQ(is("class A {\n  public int f(int a) throws E { return a; }\n}\n"), "contract ");
}

TEST(Symbols, CapabilitiesElsewhere) {
  EXPECT_EQ(changed("a.py", "f().", "def f(a=1):\n  return a\n", "def f(a=2):\n  return a\n"),
            "contract ");
  EXPECT_EQ(changed("a.py", "f().", "def f(a):\n  return a\n", "@x\ndef f(a):\n  return a\n"),
            "contract ");
  EXPECT_EQ(
      changed("a.py", "f().", "def f(a):\n  'x'\n  return a\n", "def f(a):\n  'y'\n  return a\n"),
      "contract comments ");
  EXPECT_EQ(changed("a.ts", "f().", "function f() {}\n", "export function f() {}\n"),
            "visibility ");
  EXPECT_EQ(changed("a.cc", "A#f().", "class A {\n  int f();\n};\n",
                    "class A {\n public:\n  int f();\n};\n"),
            "visibility ");
  EXPECT_EQ(changed("a.rs", "f().", "fn f() {}\n", "#[cfg(test)]\nfn f() {}\n"), "build ");
  EXPECT_EQ(changed("a.rs", "f().", "fn f() {}\n", "#[inline]\nfn f() {}\n"), "contract ");
  EXPECT_EQ(changed("a.c", "DEBUG:f().", "#ifdef DEBUG\nint f();\n#else\n#endif\n",
                    "#ifdef DEBUG\n#else\nint f();\n#endif\n"),
            "build ");
}

TEST(Symbols, WhiteSpaceInATokenCounts) {
  EXPECT_EQ(changed("a.c", "f().", "int f() { return ' '; }\n", "int f() { return '\t'; }\n"),
            "body ");
  EXPECT_EQ(
      changed("a.js", "f().", "function f() { return / a/; }\n", "function f() { return /a/; }\n"),
      "body ");
  EXPECT_EQ(changed("a.jsx", "f().", "function f() { return <b>a </b>; }\n",
                    "function f() { return <b>a</b>; }\n"),
            "body ");
  EXPECT_EQ(changed("a.py", "f().", "def f():\n  if a:\n    b()\n    c()\n",
                    "def f():\n  if a:\n    b()\n  c()\n"),
            "body ");
}

TEST(Symbols, ARenamedFunctionKeepsItsNamelessHash) {
  const FileSymbols a = symbols("a.go", "package p\nfunc f(a int) {}\n");
  const FileSymbols b = symbols("a.go", "package p\nfunc g(a int) {}\n");
  EXPECT_EQ(find_symbol(a, "f().").nameless, find_symbol(b, "g().").nameless);
  EXPECT_NE(find_symbol(a, "f().")[Capability::kSignature],
            find_symbol(b, "g().")[Capability::kSignature]);
}

TEST(Symbols, AParseErrorMakesOpaqueWhatItIsIn) {
  const FileSymbols whole = symbols("a.c", "int f() { return 1; }\nint g( { return 2;\n");
  EXPECT_TRUE(whole.opaque);
  EXPECT_EQ(whole.symbols.size(), 1u);
  const FileSymbols part = symbols(
      "A.java", "class A { int f() { return 1 +; } int g() { return 1; } }\nclass B { int h; }\n");
  EXPECT_FALSE(part.opaque);
  EXPECT_FALSE(find_symbol(part, "A#").opaque);
  EXPECT_TRUE(find_symbol(part, "A#f().").opaque);
  EXPECT_FALSE(find_symbol(part, "B#h.").opaque);
  const FileSymbols around = symbols("A.java", "class A { int f +; int g; }\nclass B { int h; }\n");
  EXPECT_TRUE(find_symbol(around, "A#").opaque);
  EXPECT_EQ(around.symbols.size(), 4u);
}

TEST(Symbols, WhatIsNotUnderstoodIsOneSymbol) {
  const FileSymbols unknown = symbols_of(nullptr, "Makefile", "all:\n\tcc a.c\n", {});
  EXPECT_TRUE(unknown.opaque);
  ASSERT_EQ(unknown.symbols.size(), 1u);
  EXPECT_EQ(unknown.symbols[0][Capability::kBody], unknown.symbols[0].raw);
  Budget small;
  small.bytes = 4;
  EXPECT_TRUE(symbols_of(find_language("c"), "a.c", "int a;\n", small).opaque);
}

TEST(Symbols, SameToAReader) {
  const auto file = [](const char* text) { return symbols("a.go", text); };
  const FileSymbols a = file("package p\nfunc f() { g(1) }\n");
  EXPECT_TRUE(same_to(Reader::kPerson, a, file("package p\n\nfunc f() {\n\tg(1)\n}\n")));
  EXPECT_FALSE(same_to(Reader::kPerson, a, file("package p\n// x\nfunc f() { g(1) }\n")));
  EXPECT_TRUE(same_to(Reader::kTool, a, file("package p\n// x\nfunc f() { g(1) }\n")));
  EXPECT_FALSE(same_to(Reader::kTool, a, file("package p\nfunc f() { g(2) }\n")));
  const FileSymbols two = file("package p\nfunc f() {}\nfunc g() {}\n");
  EXPECT_FALSE(same_to(Reader::kTool, two, file("package p\nfunc g() {}\nfunc f() {}\n")));
}

TEST(Symbols, AMappingInAListIsNoSymbol) {
  const FileSymbols file = symbols("a.json", "{\"a\": [{\"b\": 1}], \"c\": {\"d\": 2}}\n");
  std::vector<std::string> ids;
  for (const Symbol& symbol : file.symbols) ids.push_back(symbol.id);
  EXPECT_THAT(ids, Contains("a.json/`\"c\"`.`\"d\"`."));
  EXPECT_THAT(ids, Not(Contains("a.json/`\"a\"`.`\"b\"`.")));
}

// Everything that stands for the code of a file; not raw.
std::set<std::string> certified(const FileSymbols& file) {
  std::set<std::string> all;
  for (const Symbol& symbol : file.symbols) {
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      all.insert(symbol.id + " " + std::to_string(i) + " " + symbol.hashes[i].str());
    }
    all.insert(symbol.id + " order " + symbol.order.str());
  }
  return all;
}

// Bytes in comments, of which a change need not be one of code.
std::vector<char> comment_bytes(const Language& language, const std::string& text) {
  std::vector<char> in(text.size(), 0);
  const auto tree = Tree::parse(language, text, {});
  if (tree == nullptr) return in;
  for (const Node* comment : tree->comments()) {
    const auto begin = static_cast<std::size_t>(comment->text.data() - tree->text().data());
    std::fill_n(in.begin() + static_cast<std::ptrdiff_t>(begin), comment->text.size(), 1);
  }
  return in;
}

void mutate(const std::string& path, const std::string& text, Random& random, int rounds) {
  const Language* language = language_of(path, text);
  ASSERT_NE(language, nullptr) << path;
  const auto before = certified(symbols_of(language, path, text, {}));
  const std::vector<char> comments = comment_bytes(*language, text);
  constexpr std::string_view kBytes = "abcxyzABC019_+-*/=<>!&|.,;:(){}[]\"'#@";
  for (int i = 0; i < rounds; ++i) {
    const std::size_t at = random.below(text.size());
    if (is_space(text[at]) || comments[at] != 0) continue;
    std::string other = text;
    if (random.below(3) == 0) {
      other.erase(at, 1);
    } else {
      other[at] = kBytes[random.below(kBytes.size())];
    }
    if (other == text) continue;
    EXPECT_NE(certified(symbols_of(language, path, other, {})), before)
        << path << " byte " << at << " '" << text.substr(at, 30) << "' -> '" << other.substr(at, 30)
        << "'";
  }
}

bool is_import(const Symbol& symbol) {
  return symbol.kind == "import";
}

// Nobody can call an import: what is said above or behind one binds nobody. In every language.
TEST(SymbolsProperty, WordsAtAnImportAreNoContract) {
  std::map<std::string, int> seen;  // by language
  for (const auto& [folder, name] : sample_files()) {
    const std::string text = *read_file(folder + "/" + name);
    const FileSymbols whole = symbols(name, text);
    const std::string sign = is_any(whole.language, {"python", "ruby", "bash"}) ? "# " : "// ";
    for (const Symbol& import : whole.symbols) {
      if (!is_import(import)) continue;
      const std::size_t begin = text.rfind('\n', import.extents[0].begin) + 1;
      const std::size_t end = std::min(text.find('\n', import.extents[0].end), text.size());
      const auto words = [&](std::string_view what) {
        std::string other = text;
        other.insert(end, " " + sign + "behind, " + std::string(what));
        return symbols(name, other.insert(begin, sign + std::string(what) + "\n"));
      };
      const FileSymbols old = words("old"), now = words("new");
      ASSERT_EQ(old.symbols.size(), now.symbols.size()) << name;
      for (std::size_t i = 0; i < old.symbols.size(); ++i) {
        if (!is_import(old.symbols[i])) continue;
        ++seen[whole.language];
        EXPECT_EQ(old.symbols[i].hashes, now.symbols[i].hashes) << old.symbols[i].id;
      }
      EXPECT_FALSE(same_to(Reader::kPerson, old, now)) << name << ": who read the file read them";
    }
  }
  EXPECT_GE(seen.size(), 13u);
}

TEST(Symbols, WhatStandsAboveTheImportOfCgoIsCode) {
  EXPECT_THAT(changed("a.go", "`\"C\"`:", "package p\n\n// int f();\nimport \"C\"\n",
                      "package p\n\n// int f(int);\nimport \"C\"\n"),
              HasSubstr("contract"));
}

TEST(SymbolsProperty, EveryByteOfCodeIsInAHash) {
  Random random(gittxn::testing::told_seed());
  for (const auto& [folder, name] : sample_files()) {
    mutate(name, *read_file(folder + "/" + name), random, gittxn::testing::campaign_rounds(300));
  }
  const fs::path here = fs::path(__FILE__).parent_path();
  for (const char* name : {"names.cc", "symbols/imports.cc", "symbol.h", "merge/match.cc"}) {
    mutate(name, *read_file((here / name).string()), random, 40);
  }
}

}  // namespace
}  // namespace gittxn::semantic
