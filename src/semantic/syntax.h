// A parsed file as plain values. tree-sitter's tree is copied once and let go, with the roles that
// the language's folder gives to nodes; everything above works on this.
//
// White space around a node is never part of it. A node whose white space counts (strings,
// templates, heredocs: any with bytes that no child covers) is a leaf. So two nodes with the same
// tokens and the same shape are the same code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantic/read/parse.h"

namespace gittxn::semantic {

// A text that the Language or the tree has as a view: half as large as a copy of the view, and a
// tree has many nodes.
class Word {
 public:
  Word() = default;
  explicit Word(const std::string_view* of) : of_(of) {}

  operator std::string_view() const { return *of_; }
  bool empty() const { return of_->empty(); }
  std::size_t size() const { return of_->size(); }
  bool contains(std::string_view part) const { return of_->contains(part); }
  bool starts_with(std::string_view part) const { return of_->starts_with(part); }
  bool ends_with(std::string_view part) const { return of_->ends_with(part); }
  std::string_view substr(std::size_t from, std::size_t length = std::string_view::npos) const {
    return of_->substr(from, length);
  }
  friend bool operator==(Word a, Word b) { return *a.of_ == *b.of_; }
  friend bool operator==(Word a, std::string_view b) { return *a.of_ == b; }

 private:
  static constexpr std::string_view kNone = {};
  const std::string_view* of_ = &kNone;
};

struct Node {
  Word kind;
  Word field;             // the name of its place in the parent; empty when it has none
  std::string_view text;  // in the bytes of its Tree
  std::span<Node* const> kids;
  Node* parent = nullptr;
  Word decl;                           // kind class of a declaration, "import" of an import
  Word name;                           // of a declaration; the tokens of an import
  Word detail;                         // what tells it from others of that name
  std::uint64_t hash = 0;              // of shape and tokens
  std::uint32_t leaf = 0, leaves = 0;  // its tokens: Tree::leaves[leaf, leaf + leaves)
  Role role = Role::kNone;             // one that shape.scm gives: none of declarations
  Fact part = Fact::kNone;             // kBody to kDoc
  Fact says = Fact::kNone;             // of a name: kCall to kDefine
  bool is_name = false;                // of a declaration, or part of it
  bool named = false;
  bool comment = false;
  bool error = false;  // an ERROR, a missing token or what parse.h calls misread, here or below
  bool wrong = false;  // it is one itself
};

// What is asked of the language's folder: shape.scm alone, or facts.scm too.
enum class Detail : std::uint8_t { kShape, kFacts };

// A name that means something of its own in the bytes behind `after` and in `scope`.
struct LocalName {
  const char* after = nullptr;
  std::string_view scope;
};

// A declaration and what it is in: "type Token/method validate(int)".
struct Declared {
  std::string path;
  const Node* node = nullptr;
};

class Tree {
 public:
  // Nothing when the file is opaque: over the budget, or a byte 0 in it.
  static std::unique_ptr<Tree> parse(const Language& language, std::string text,
                                     const Budget& budget, Detail detail = Detail::kShape);

  const Node& root() const { return nodes_.front(); }
  const std::string& text() const { return text_; }
  const Language& language() const { return *language_; }
  // Tokens in order, comments left out.
  const std::vector<const Node*>& leaves() const { return leaves_; }
  const std::vector<const Node*>& comments() const { return comments_; }
  std::size_t error_bytes() const { return error_bytes_; }
  // The declarations in the order of the text; found when first asked for, by one thread at a time.
  const std::vector<Declared>& declarations() const;
  // Proven by the place alone: `leaf` is a name that a parameter or a declaration before it binds,
  // or where one binds it. Needs Detail::kFacts.
  bool is_local(const Node& leaf) const;
  // A parameter or a declaration before it binds `name`, which is a part of the text of `leaf`.
  bool is_local_in(const Node& leaf, std::string_view name) const;

 private:
  friend class TreeBuilder;
  friend class Versions;
  Tree() = default;
  void find_locals();

  const Language* language_ = nullptr;
  std::string text_;
  std::vector<Node> nodes_;
  std::vector<Node*> kids_;  // of all nodes; those of one stand together
  struct Named {
    std::string_view name, detail;
  };
  std::deque<Named> named_;               // of the declarations
  std::deque<std::string> put_together_;  // names that do not stand in the text as they are
  std::vector<const Node*> leaves_;
  std::vector<const Node*> comments_;
  std::unordered_map<std::string_view, std::vector<LocalName>> locals_;
  std::size_t error_bytes_ = 0;
  mutable std::optional<std::vector<Declared>> declarations_;
};

// Parses versions of one file. Each tree is the one that Tree::parse makes; what a version has in
// common with the first one takes less time. For one thread at a time.
class Versions {
 public:
  // `language` must outlive it.
  Versions(const Language& language, const Budget& budget, Detail detail = Detail::kShape,
           Texts texts = Texts::kSeveral)
      : language_(language), budget_(budget), detail_(detail), parser_(language, budget, texts) {}

  // As Tree::parse.
  std::unique_ptr<Tree> parse(std::string text);
  // The same of each; where they are long, one of the later ones on a thread beside the others.
  std::array<std::unique_ptr<Tree>, 3> parse_three(const std::array<std::string, 3>& texts);
  // The number of trees made with the help of the first one, and of nodes that were looked at.
  std::size_t taken() const { return parser_.taken(); }
  std::size_t walked() const { return parser_.walked(); }

 private:
  std::unique_ptr<Tree> tree_of(std::string text, std::optional<FlatTree> flat) const;

  const Language& language_;
  Budget budget_;
  Detail detail_;
  VersionParser parser_;
};

// By the name of the file; where that tells nothing by a first line "#!...". A '.h' is what parses
// with the fewest bytes in errors, C when both do alike.
const Language* language_of(std::string_view path, std::string_view text);

// The same tokens in the same shape, white space and comments aside.
bool same_code(const Tree& a, const Node& x, const Tree& b, const Node& y);

// The first child in that field; nullptr when there is none.
const Node* kid_in(const Node& node, std::string_view field);

// `text` without white space.
std::string squeeze(std::string_view text);
// True if two texts are the same without white space.
bool same_squeezed(std::string_view a, std::string_view b);
bool is_blank(std::string_view text);

// --- brackets.cc: the brackets of a file by their characters alone, a second opinion on where a
// body ends, for a grammar that stumbled over a macro may have ended it elsewhere ---

struct Brackets {
  std::size_t open = 0, close = 0;  // the places of "{" and "}", "(" and ")", "[" and "]"
  std::size_t depth = 0;            // brackets of any kind that are open around it
};

// Every pair, in the order in which they open. Nothing when the brackets of the text do not pair,
// when a string or a comment has no end, or when a branch of a conditional (#if) leaves others open
// than it found: then what is inside of what is for the preprocessor to say.
enum class Dialect : std::uint8_t { kC, kGo, kJava, kRust };
std::optional<std::vector<Brackets>> matched_brackets(std::string_view text,
                                                      Dialect dialect = Dialect::kC);

// Those of a tree, of C and C++ without the macros that were put away (parse.h); nothing of other
// languages.
std::optional<std::vector<Brackets>> brackets_of(const Tree& tree);

// A function whose errors are all between the braces of its body or, in C, where it is
// known by its name alone, between the parentheses of its parameters; and of these the characters
// say that they are what the grammar takes for them: nothing outside was taken for a part of them.
// `brackets` are the tree's.
bool errs_inside_only(const Tree& tree, const std::vector<Brackets>& brackets,
                      const Node& function);

// A node of a list of declarations that did not parse, with the ones beside it up to where the
// characters say that a declaration ends: a ";", a "}" or a line of the preprocessor, as deep in
// brackets as the list is. Nothing else of the list is any part of them. Empty where that is not
// certain.
std::vector<const Node*> stand_alone(const Tree& tree, const std::vector<Brackets>& brackets,
                                     const Node& node);

}  // namespace gittxn::semantic
