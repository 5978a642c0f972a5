// Text to a FlatTree, by tree-sitter: the only file that knows a parser.
//
// Versions of one file have most of their text in common, and of a version that is like the first
// one only what differs is parsed: tree-sitter takes the parts of the old tree that no edit
// touches. So that it can take nothing whose meaning an edit changes, an edit begins in the token
// before it (what was reduced with the next token in view is made anew), and where either tree has
// an error nothing is taken, since recovery depends on what was read before. What is in a node that
// was taken is copied from the first flat tree. What comes out is the tree that parsing the text
// alone gives; a test holds them side by side on random edits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantic/language.h"
#include "semantic/read/text_lines.h"

struct TSParser;
struct TSTree;

namespace gittxn::semantic {

// Over it a file is opaque. Counted in bytes and in steps of the parser, not in time, so that the
// answer for a file is the same on every machine.
struct Budget {
  std::size_t bytes = 4u << 20;
  std::size_t nodes = 2u << 20;
  std::size_t depth = 400;  // what is nested deeper is a leaf
};

// Nodes of a flat tree, by tree-sitter's own number for each: what a later version takes over has
// the same one there.
struct NodePlace {
  std::uint32_t at = 0;   // its index
  std::size_t depth = 0;  // of how many it is in
};
using NodePlaces = std::unordered_map<const void*, NodePlace>;

// kSeveral: more than one text will be parsed, so something is kept of the first.
enum class Texts { kOne, kSeveral };

// For one thread at a time.
class VersionParser {
 public:
  // `language` must outlive it.
  VersionParser(const Language& language, const Budget& budget, Texts texts = Texts::kSeveral);

  // Another one, for another thread: it takes from the first text that this one has by now.
  VersionParser beside() const;

  // Nothing when the text is over the budget or has a byte 0 in it.
  std::optional<FlatTree> parse(std::string_view text);
  // The number of texts that were parsed from a first one.
  std::size_t taken() const { return taken_; }
  // The number of nodes of all texts that were looked at, without those that were copied.
  std::size_t walked() const { return walked_; }

 private:
  struct Delete {
    void operator()(TSParser* parser) const;
    void operator()(TSTree* tree) const;
  };
  using TreePointer = std::unique_ptr<TSTree, Delete>;

  // A text without an error in it that is not nested too deep. While its tree is kept, no other
  // node can have the number of one that is in it.
  struct First {
    First(TreePointer its_tree, std::string_view its_text, FlatTree its_flat, NodePlaces its_places)
        : tree(std::move(its_tree)),
          text(its_text),
          lines(text),
          flat(std::move(its_flat)),
          places(std::move(its_places)) {}

    TreePointer tree;
    std::string text;
    RoughDifference lines;  // of `text`
    FlatTree flat;
    NodePlaces places;
  };

  TreePointer run(std::string_view text, const TSTree* old);
  TreePointer from_first(const First& first, std::string_view text);
  std::optional<FlatTree> flat_of(std::string_view text, std::shared_ptr<const First>* first);
  FlatTree without_macros(std::string_view text, FlatTree tree);

  const Language* language_;
  Budget budget_;
  Texts texts_;
  std::unique_ptr<TSParser, Delete> parser_;
  std::shared_ptr<const First> first_;
  std::shared_ptr<const First> first_masked_;  // the first one whose macros were put away
  std::size_t taken_ = 0;
  std::size_t walked_ = 0;
};

// --- misread.cc ---

// Text that a grammar accepts though its language does not, where that puts what follows into
// something else, or takes it out: marked as an error in the flat tree, so that who looks at errors
// sees it.
//
//   Python  a suite without a statement; a statement that is no deeper than what it is in, or not
//           as deep as the others of its block
//   Ruby    an "end" that ends nothing, which the grammar takes for a name
//   Bash    the same of "fi", "done", "esac", "}" and the words before them, taken for a command
//   PHP     a here-document that goes on behind its own last line, to that of a later one
//
// What is valid and read as it is meant is never marked.
//
// `tree` is of `text`. Time grows with both.
void mark_misread(const Language& language, std::string_view text, FlatTree* tree);

// --- macros.cc ---

// A text of C or C++ is no text of its grammar before the preprocessor has read it. Shapes that are
// known are put away before it is parsed again, where it did not parse: the halves of a guard
// `extern "C" {` that conditionals hold, a macro alone in its line, macros before a type and
// behind a declarator. Each stays in the tree as one token, so that nothing of it is unseen.
struct Mask {
  enum class As : std::uint8_t { kLine, kAttribute };
  std::size_t begin = 0, end = 0;
  As as = As::kLine;
};
// The masks come in order, and none is in another one; other languages have none.
std::vector<Mask> macros_in(const Language& language, std::string_view text);
// The text with a comment of the same length in place of each.
std::string without(std::string_view text, const std::vector<Mask>& masks);
// `tree` is of such a text.
void put_back(const Language& language, const std::vector<Mask>& masks, FlatTree* tree);

}  // namespace gittxn::semantic
