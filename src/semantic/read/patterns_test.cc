// What a pattern finds, and that tree-sitter's own engine finds the same in every sample.
#include "semantic/read/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tree_sitter/api.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/fs.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "capture:text ..." of each match, in the order they are found.
std::vector<std::string> found(std::string_view language, std::string_view patterns,
                               const std::string& text) {
  const Language& of = *find_language(language);
  std::string fault;
  const Patterns compiled = Patterns::compile(of.grammar, patterns, &fault);
  EXPECT_EQ(fault, "");
  const std::optional<FlatTree> tree = VersionParser(of, {}).parse(text);
  std::vector<std::string> matches;
  compiled.match(*tree, text, [&](const Match& match) {
    std::string said;
    for (const Captured& captured : match.captured) {
      said += (said.empty() ? "" : " ") + std::string(compiled.captures()[captured.capture]) + ":" +
              std::string(text_of((*tree)[captured.node], text));
    }
    matches.push_back(std::move(said));
  });
  return matches;
}

std::string fault_of(std::string_view patterns) {
  std::string fault;
  Patterns::compile(find_language("go")->grammar, patterns, &fault);
  return fault;
}

TEST(Patterns, ChildrenAreFoundInOrderWithAnythingBetween) {
  EXPECT_THAT(found("c", "(declaration type: (_) @t declarator: (identifier) @d)", "int a, b;"),
              ElementsAre("t:int d:a", "t:int d:b"));
  EXPECT_THAT(found("c", "(declaration declarator: (_) @d type: (_) @t)", "int a;"), IsEmpty());
  EXPECT_THAT(found("json", "(array (number) @a (number) @b)", "[1, 2, 3]"),
              ElementsAre("a:1 b:2", "a:1 b:3", "a:2 b:3"));
}

TEST(Patterns, APointBindsToTheNamedNodeBefore) {
  EXPECT_THAT(found("json", "(array . (number) @a)", "[1, 2]"), ElementsAre("a:1"));
  EXPECT_THAT(found("json", "(array (number) @a . (number) @b)", "[1, 2, 3]"),
              ElementsAre("a:1 b:2", "a:2 b:3"));
  EXPECT_THAT(found("json", "(array . (number) @a)", "[\"x\", 2]"), IsEmpty());
  EXPECT_THAT(found("json", "(array (number) @a .)", "[1, 2]"), ElementsAre("a:2"));
  EXPECT_THAT(found("json", "(array . (number) @a .)", "[1, 2]"), IsEmpty());
}

TEST(Patterns, OneOfSeveralAndTokensAndWhatIsAbsent) {
  EXPECT_THAT(found("json", "[(true) (false)] @x", "[true, null, false]"),
              ElementsAre("x:true", "x:false"));
  EXPECT_THAT(found("json", "(array [(true) @t (number) @n])", "[true, 1]"),
              ElementsAre("t:true", "n:1"));
  EXPECT_THAT(found("go", "(type_declaration \"(\" @p (type_spec name: (_) @n))",
                    "package a\ntype b int\ntype (\n c int\n)\n"),
              ElementsAre("p:( n:c"));
  EXPECT_THAT(found("go", "(field_declaration !name type: (_) @t)",
                    "package a\ntype b struct { c int; D }\n"),
              ElementsAre("t:D"));
  EXPECT_THAT(found("csharp", "(operator_declaration operator: _ @o)",
                    "class A { public static A operator +(A a, A b) { return a; } }"),
              ElementsAre("o:+"));
}

TEST(Patterns, PredicatesCompareTheText) {
  const std::string text = "source a\nprintf b\n. c\n";
  EXPECT_THAT(found("bash",
                    "((command name: (command_name (word) @_how)) @c\n"
                    "  (#any-of? @_how \"source\" \".\"))",
                    text),
              ElementsAre("c:source a _how:source", "c:. c _how:."));
  EXPECT_THAT(found("bash", "(command name: (command_name (word) @w) (#eq? @w \"printf\"))", text),
              ElementsAre("w:printf"));
}

TEST(Patterns, AFaultSaysWhereAndWhy) {
  EXPECT_THAT(fault_of("(nothing) @a"), HasSubstr("there is no node 'nothing'"));
  EXPECT_THAT(fault_of("(type_spec nothing: (_))"), HasSubstr("there is no field 'nothing'"));
  EXPECT_THAT(fault_of("(type_spec name: (_)"), HasSubstr("')' is missing"));
  EXPECT_THAT(fault_of("[(type_spec)"), HasSubstr("']' is missing"));
  EXPECT_THAT(fault_of("(_) @a"), HasSubstr("begins with a kind"));
  EXPECT_THAT(fault_of("(_expression) @a"), HasSubstr("stands for others"));
  EXPECT_THAT(fault_of("(type_spec)+ @a"), HasSubstr("'(' is missing"));
  EXPECT_THAT(fault_of("((type_spec) @a (#match? @a \"x\"))"), HasSubstr("no predicate #match?"));
  EXPECT_THAT(fault_of("((type_spec) @a (#eq? @a))"), HasSubstr("nothing to compare"));
  EXPECT_THAT(fault_of("(type_spec \"a"), HasSubstr("at byte"));
  EXPECT_THAT(fault_of("(type_spec .)"), HasSubstr("no node before"));
  EXPECT_EQ(fault_of("; nothing\n"), "");
}

TEST(Patterns, TheWorkAtANodeIsBounded) {
  std::string text = "[";
  for (int i = 0; i < 3000; ++i) text += "1,";
  text += "1]";
  const auto all = found("json", "(array (number) @a (number) @b (number) @c)", text);
  EXPECT_LT(all.size(), 1'000'000u);
  EXPECT_GT(all.size(), 1'000u);
}

struct Delete {
  void operator()(TSParser* x) const { ts_parser_delete(x); }
  void operator()(TSTree* x) const { ts_tree_delete(x); }
  void operator()(TSQuery* x) const { ts_query_delete(x); }
  void operator()(TSQueryCursor* x) const { ts_query_cursor_delete(x); }
};

// "pattern capture begin-end kind ..." of a match.
using Found = std::set<std::string>;

std::string one(std::string_view capture, std::uint32_t begin, std::uint32_t end,
                std::string_view kind) {
  return " " + std::string(capture) + " " + std::to_string(begin) + "-" + std::to_string(end) +
         " " + std::string(kind);
}

Found by_engine(const Language& language, const TSQuery* query, const std::string& text,
                const std::set<std::string>& known) {
  const std::unique_ptr<TSParser, Delete> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), language.grammar);
  const std::unique_ptr<TSTree, Delete> tree(ts_parser_parse_string(
      parser.get(), nullptr, text.data(), static_cast<std::uint32_t>(text.size())));
  const std::unique_ptr<TSQueryCursor, Delete> cursor(ts_query_cursor_new());
  ts_query_cursor_exec(cursor.get(), query, ts_tree_root_node(tree.get()));
  Found all;
  for (TSQueryMatch match; ts_query_cursor_next_match(cursor.get(), &match);) {
    std::uint32_t conditions = 0;
    ts_query_predicates_for_pattern(query, match.pattern_index, &conditions);
    std::string said = std::to_string(match.pattern_index);
    bool seen = conditions == 0;
    for (std::uint16_t i = 0; i < match.capture_count; ++i) {
      const TSNode node = match.captures[i].node;
      std::uint32_t length = 0;
      const char* name = ts_query_capture_name_for_id(query, match.captures[i].index, &length);
      const std::string place =
          one({}, ts_node_start_byte(node), ts_node_end_byte(node), ts_node_type(node));
      seen = seen && known.contains(place);
      said +=
          one({name, length}, ts_node_start_byte(node), ts_node_end_byte(node), ts_node_type(node));
    }
    if (seen) all.insert(said);
  }
  return all;
}

Found by_us(const Language& language, const Patterns& patterns, const TSQuery* query,
            const FlatTree& tree, const std::string& text) {
  Found all;
  patterns.match(tree, text, [&](const Match& match) {
    std::uint32_t conditions = 0;
    ts_query_predicates_for_pattern(query, match.pattern, &conditions);
    std::string said = std::to_string(match.pattern);
    for (const Captured& captured : match.captured) {
      const FlatNode& node = tree[captured.node];
      said += one(patterns.captures()[captured.capture], node.begin, node.end,
                  language.kind(node.symbol).name);
    }
    if (conditions == 0) all.insert(said);
  });
  return all;
}

void compare(const Language& language, std::string_view scm, const Patterns& patterns,
             const std::string& text) {
  std::uint32_t offset = 0;
  TSQueryError error = TSQueryErrorNone;
  const std::unique_ptr<TSQuery, Delete> query(ts_query_new(
      language.grammar, scm.data(), static_cast<std::uint32_t>(scm.size()), &offset, &error));
  // It also says which patterns can match nothing, by the grammar.
  ASSERT_NE(query, nullptr) << language.name << ": " << scm.substr(offset, 60);
  const std::optional<FlatTree> tree = VersionParser(language, {}).parse(text);
  ASSERT_TRUE(tree);
  std::set<std::string> known;
  for (const FlatNode& node : *tree) {
    known.insert(one({}, node.begin, node.end, language.kind(node.symbol).name));
  }
  EXPECT_EQ(by_us(language, patterns, query.get(), *tree, text),
            by_engine(language, query.get(), text, known))
      << language.name;
}

TEST(Patterns, TheEngineOfTreeSitterFindsTheSame) {
  int seen = 0;
  for (const LanguageText& folder : language_texts()) {
    const Language& language = *find_language(folder.name);
    const fs::path path =
        fs::path(__FILE__).parent_path().parent_path() / "languages" / folder.name;
    for (const auto& file : fs::directory_iterator(path)) {
      if (file.path().stem() != "sample") continue;
      ++seen;
      const std::string text = *read_file(file.path().string());
      const std::string shape(language.shape_text.begin(), language.shape_text.end());
      compare(language, shape, language.shape, text);
      compare(language, folder.facts, language.facts, text);
    }
  }
  EXPECT_EQ(seen, static_cast<int>(language_texts().size()));
}

}  // namespace
}  // namespace gittxn::semantic
