// A version that is parsed with the help of another one has the tree that it has alone. SEED=n
// replays a run.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/fs.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "semantic/read/text_lines.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t at(const Tree& tree, const Node& node) {
  return node.text.data() - tree.text().data();
}

bool same_node(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  const bool same = x.kind == y.kind && x.field == y.field && at(a, x) == at(b, y) &&
                    x.text == y.text && x.role == y.role && x.decl == y.decl && x.name == y.name &&
                    x.detail == y.detail && x.hash == y.hash && x.leaf == y.leaf &&
                    x.leaves == y.leaves && x.part == y.part && x.says == y.says &&
                    x.is_name == y.is_name && x.named == y.named && x.comment == y.comment &&
                    x.error == y.error && x.wrong == y.wrong && x.kids.size() == y.kids.size();
  if (!same) return false;
  for (std::size_t i = 0; i < x.kids.size(); ++i) {
    if (!same_node(a, *x.kids[i], b, *y.kids[i])) return false;
  }
  return true;
}

// `with` is of the text, parsed with others.
void expect_as_alone(const Language& language, const std::unique_ptr<Tree>& with,
                     const std::string& text) {
  const auto alone = Tree::parse(language, text, {}, Detail::kFacts);
  ASSERT_EQ(with == nullptr, alone == nullptr);
  if (with == nullptr) return;
  EXPECT_EQ(with->error_bytes(), alone->error_bytes());
  EXPECT_EQ(with->comments().size(), alone->comments().size());
  EXPECT_TRUE(same_node(*with, with->root(), *alone, alone->root())) << language.name << ":\n"
                                                                     << text;
}

void expect_same(const Language& language, Versions* versions, const std::string& text) {
  expect_as_alone(language, versions->parse(text), text);
}

// Tokens of the text itself, so that many a result parses: doubled, removed, put elsewhere.
std::string edited(const Tree& tree, Random& random) {
  std::string text = tree.text();
  const auto token = [&] {
    const Node& leaf = *tree.leaves()[random.below(tree.leaves().size())];
    return std::pair(static_cast<std::size_t>(at(tree, leaf)), std::string(leaf.text));
  };
  for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
    const auto [place, word] = token();
    const std::size_t from = std::min(place, text.size());
    switch (random.below(5)) {
      case 0:
        text.erase(from, word.size());
        break;
      case 1:
        text.insert(from, token().second + (random.below(2) == 0 ? " " : "\n"));
        break;
      case 2:
        text.replace(from, std::min(word.size(), text.size() - from), token().second);
        break;
      case 3:
        text.insert(from, random.below(2) == 0 ? "\n" : "  ");
        break;
      default: {
        const std::size_t end = text.find('\n', from);
        const std::size_t line = text.rfind('\n', from);
        if (end != text.npos && line != text.npos && end > line) {
          text.insert(end, text.substr(line, end - line));
        }
      }
    }
  }
  return text;
}

TEST(VersionsProperty, AreTheTreesOfTheTextsAlone) {
  Random random(gittxn::testing::told_seed());
  std::size_t taken = 0, parsed = 0;
  for (const auto& folder :
       fs::directory_iterator(fs::path(__FILE__).parent_path().parent_path() / "languages")) {
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().stem() != "sample") continue;
      const Language& language = *language_of_path(file.path().string());
      const std::string text = *read_file(file.path().string());
      const auto tree = Tree::parse(language, text, {});
      Versions versions(language, {}, Detail::kFacts);
      expect_same(language, &versions, text);
      expect_same(language, &versions, text);
      for (int i = 0; i < 60; ++i, ++parsed) {
        expect_same(language, &versions, edited(*tree, random));
      }
      taken += versions.taken();
    }
  }
  EXPECT_GT(taken, parsed / 8);  // the others do not parse
}

// Three at once are the trees of each alone, and so is what comes after them.
TEST(VersionsProperty, AreTheSameBesideEachOther) {
  Random random(gittxn::testing::told_seed());
  for (const char* name : {"c", "python", "go", "typescript", "yaml"}) {
    const Language& language = *find_language(name);
    const fs::path folder = fs::path(__FILE__).parent_path().parent_path() / "languages" / name;
    std::string sample;
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().stem() == "sample") sample = *read_file(file.path().string());
    }
    ASSERT_FALSE(sample.empty()) << name;
    while (sample.size() < 4000) sample += sample;  // long enough for a thread
    const auto tree = Tree::parse(language, sample, {});
    for (int i = 0; i < 10; ++i) {
      std::array<std::string, 3> texts = {sample, edited(*tree, random), edited(*tree, random)};
      if (i % 3 == 1) std::swap(texts[0], texts[1]);  // a first one that often has an error
      Versions versions(language, {}, Detail::kFacts);
      const auto trees = versions.parse_three(texts);
      for (std::size_t k = 0; k < 3; ++k) expect_as_alone(language, trees[k], texts[k]);
      expect_same(language, &versions, edited(*tree, random));
    }
  }
}

// What was reduced with the next token in view, and that token is another one now.
TEST(Versions, WhatStandsBehindATokenCounts) {
  struct Case {
    const char* language;
    const char* before;
    const char* after;
  };
  for (const auto& [name, before, after] : {
           Case{"c", "int a = b - c\n;\n", "int a = b - c\n* d\n;\n"},
           Case{"c", "int a = b - c /* x */\n;\n", "int a = b - c /* x */\n* d\n;\n"},
           Case{"c", "void f() { if (a) b();\n}\n", "void f() { if (a) b();\nelse c();\n}\n"},
           Case{"javascript", "a = b\nc()\n", "a = b\n(c)\nc()\n"},
           Case{"javascript", "a = b\n// x\n[c]\n", "a = b\n// x\n;\n[c]\n"},
           Case{"python", "if a:\n  b()\n# x\nc()\n", "if a:\n  b()\n# x\n  c()\n"},
           Case{"python", "a = (b\n+ c)\n", "a = (b\n)\n+ c\n"},
           Case{"ruby", "a = b\n  .c\nd\n", "a = b\n  .c\n  .d\nd\n"},
           Case{"go", "package a\nvar b = c +\n\td\n", "package a\nvar b = c +\n\te *\n\td\n"},
           Case{"yaml", "a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\n    x\n  c: 2\n"},
           Case{"kotlin", "val a = b\nval c = d\n", "val a = b\n  ?: e\nval c = d\n"},
       }) {
    const Language& language = *find_language(name);
    Versions versions(language, {}, Detail::kFacts);
    expect_same(language, &versions, before);
    expect_same(language, &versions, after);
  }
}

TEST(Versions, AnErrorIsParsedAlone) {
  const Language& c = *find_language("c");
  Versions versions(c, {}, Detail::kFacts);
  expect_same(c, &versions, "int a;\nint ( b;\n");  // no first one
  expect_same(c, &versions, "int a;\nint b;\n");
  EXPECT_EQ(versions.taken(), 0u);
  expect_same(c, &versions, "int a;\nint b;\nint c;\n");
  EXPECT_EQ(versions.taken(), 1u);
  expect_same(c, &versions, "int a;\nint ( b;\n");
  EXPECT_EQ(versions.taken(), 1u);
  expect_same(c, &versions, std::string("int a;\0", 7));
  expect_same(c, &versions, "");
  expect_same(c, &versions, "int a;\nint b;\nint d;");
}

// A declaration that is the same is looked at with its direct children, and no further in.
TEST(Versions, LookAtWhatChanged) {
  const Language& c = *find_language("c");
  const auto text = [](int functions, int edited) {
    std::string out;
    for (int i = 0; i < functions; ++i) {
      const std::string n = std::to_string(i);
      out += "int f" + n + "(int a, char *b) {\n  if (a > " + n + ") g(a, b[" + n + "], 1);\n";
      out += std::string(i == edited ? "  h(a);\n" : "") + "  return a + " + n + ";\n}\n\n";
    }
    return out;
  };
  for (const int functions : {100, 1000}) {
    Versions versions(c, {});
    ASSERT_NE(versions.parse(text(functions, -1)), nullptr);
    const std::size_t whole = versions.walked();
    ASSERT_NE(versions.parse(text(functions, functions / 2)), nullptr);
    EXPECT_LT(versions.walked() - whole, static_cast<std::size_t>(5 * functions + 100));
    EXPECT_GT(whole, static_cast<std::size_t>(40 * functions));
  }
}

// The macros are put away in each, and what is left parses.
TEST(Versions, TakeFromTheFirstWithoutMacros) {
  const Language& c = *find_language("c");
  Versions versions(c, {}, Detail::kFacts);
  const std::string head = "API_EXPORT(x) int f(void);\nint g(void);\n";
  expect_same(c, &versions, head);
  EXPECT_EQ(versions.taken(), 0u);
  expect_same(c, &versions, head + "int h(void);\n");
  expect_same(c, &versions, "int h(void);\n" + head);
  EXPECT_EQ(versions.taken(), 2u);
}

TEST(Versions, WhatWouldCostMoreThanItSavesIsParsedAlone) {
  const Language& json = *find_language("json");
  Versions deep(json, {}, Detail::kFacts);
  const std::string many(3'000, '[');
  const std::string end(3'000, ']');
  expect_same(json, &deep, many + "\n1\n" + end);
  expect_same(json, &deep, many + "\n2\n" + end);
  EXPECT_EQ(deep.taken(), 0u);
  std::string lines[2];
  for (int i = 0; i < 1'500; ++i) {
    lines[0] += "[" + std::to_string(i) + "]\n[0]\n";
    lines[1] += "[" + std::to_string(i) + "]\n[1]\n";
  }
  Versions edited(json, {}, Detail::kFacts);
  for (const std::string& text : lines) expect_same(json, &edited, text);
  EXPECT_EQ(edited.taken(), 0u);
}

std::string applied(const std::vector<LineHunk>& hunks, const std::string& old_text,
                    const std::string& new_text) {
  const TextLines before(old_text), after(new_text);
  std::string out;
  std::size_t done = 0;
  for (const LineHunk& hunk : hunks) {
    out += before.of({done, hunk.before.from});
    EXPECT_EQ(out.size(), after.start(hunk.after.from));
    out += after.of(hunk.after);
    done = hunk.before.to;
  }
  return out.append(before.of({done, before.count()}));
}

TEST(LineDifference, MakesTheOneOfTheOther) {
  Random random(gittxn::testing::told_seed());
  for (int i = 0; i < 2000; ++i) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (std::uint64_t n = random.below(12); n > 0; --n) {
        text += static_cast<char>('a' + random.below(6));
        if (random.below(4) != 0) text += '\n';
      }
    }
    EXPECT_EQ(applied(*line_difference(texts[0], texts[1]), texts[0], texts[1]), texts[1]);
    const auto rough = RoughDifference(texts[0]).to(TextLines(texts[1]));
    EXPECT_EQ(applied(rough, texts[0], texts[1]), texts[1]);
  }
}

TEST(LineDifference, IsWhereTheTextsDiffer) {
  const auto hunks = *line_difference("a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\nf\ng\n");
  ASSERT_EQ(hunks.size(), 3u);
  EXPECT_EQ(hunks[0].before.from, 1u);
  EXPECT_EQ(hunks[0].before.to, 2u);
  EXPECT_EQ(hunks[1].before.from, 4u);
  EXPECT_EQ(hunks[1].after.to, hunks[1].after.from);
  EXPECT_EQ(hunks[2].before.from, 6u);
  EXPECT_TRUE(line_difference("a\n", "a\n")->empty());
}

TEST(RoughDifference, FindsWhatChangedApart) {
  const auto hunks = [](std::string_view before, std::string_view after) {
    std::string out;
    for (const LineHunk& hunk : RoughDifference(before).to(TextLines(after))) {
      for (const LineRange& range : {hunk.before, hunk.after}) {
        out += std::to_string(range.from) + "-" + std::to_string(range.to) + " ";
      }
    }
    return out;
  };
  EXPECT_EQ(hunks("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(hunks("", "a\n"), "0-0 0-1 ");
  EXPECT_EQ(hunks("a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\ne\nx\nf\n"), "1-2 1-2 5-5 5-6 ");
  EXPECT_EQ(hunks("a\nb\n}\nc\nd\n", "a\nx\n}\nc\nd\n"), "1-2 1-2 ");
  EXPECT_EQ(hunks("}\na\nb\n}\nc\nd\n", "}\n}\nc\nd\n"), "1-3 1-1 ");
}

}  // namespace
}  // namespace gittxn::semantic
