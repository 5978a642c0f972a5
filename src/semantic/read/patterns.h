// Rules of shape.scm and facts.scm: patterns in tree-sitter's query language, as much of it as the
// folders use.
//
//   (kind ...)  (_)  _  "token"   a node of that kind, any named one, any one, that token
//   name: X     !name             X, in that field; a node that has nothing in that field
//   [X Y]                         one of them
//   . X                           with no named node between X and what the pattern has before it
//   X .                           X is the last named node
//   X @capture                    what X is found at has that capture
//   (#eq? @c "t")  (#any-of? @c "t" "u")   the text of each @c is one of these
//
// The children that a pattern names are found in order, with anything before, between and behind
// them; each way to find them is a match. tree-sitter's own engine is not used for it: it analyses
// every pattern against the whole grammar first, which took 8 to 38 ms a language, and then carries
// what may still match through all of the tree. A test holds the two side by side.
//
// Immutable when compiled; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct TSLanguage;

namespace gittxn::semantic {

// tree-sitter's tree as one list, each node before what is in it. Comments and strings, which are
// never looked into, have nothing in them.
inline constexpr std::uint16_t kErrorSymbol = 0xffff;

struct FlatNode {
  std::uint32_t begin = 0, end = 0;  // bytes, as the grammar has them
  std::uint32_t next = 0;            // index of the first node behind it that is not in it
  std::uint16_t symbol = 0;          // the grammar's number for its kind, or kErrorSymbol
  std::uint16_t field = 0;           // the grammar's number for its place; 0 when it has none
  bool named : 1 = false;
  bool comment : 1 = false;
  bool wrong : 1 = false;  // an ERROR, a missing token, or misread
  bool error : 1 = false;  // one of these, here or below
};

using FlatTree = std::vector<FlatNode>;

struct Captured {
  std::uint32_t node = 0;     // index in the FlatTree
  std::uint32_t capture = 0;  // index in Patterns::captures()
};

struct Match {
  std::uint32_t pattern = 0;
  // Where its last node was found. Of two matches of a pattern the one that ends later comes later.
  std::uint32_t last = 0;
  std::span<const Captured> captured;
};

class Patterns {
 public:
  // What is wrong with `text`, and where, is put into `fault`; no patterns then. They have parts of
  // `text` in them, which must outlive them.
  static Patterns compile(const TSLanguage* grammar, std::string_view text, std::string* fault);

  const std::vector<std::string_view>& captures() const { return captures_; }

  // Every match, by the nodes that they begin at and there pattern by pattern. The work at a node
  // is bounded by a multiple of what is in it; what is beyond that is not found.
  void match(const FlatTree& tree, std::string_view text,
             const std::function<void(const Match&)>& use) const;

 private:
  friend class PatternReader;
  friend class PatternMatcher;

  struct Child;
  // A node of a pattern.
  struct Shape {
    enum class Of : std::uint8_t { kSymbol, kNamed, kAny };
    Of of = Of::kSymbol;
    std::uint16_t symbol = 0;
    std::vector<std::uint16_t> absent;  // fields
    std::vector<std::uint32_t> captures;
    std::vector<Child> children;
  };
  struct Child {
    std::uint16_t field = 0;  // 0: any or none
    bool next = false;        // no named node before it
    bool last = false;        // no named node behind it
    std::vector<Shape> one_of;
  };
  struct Condition {
    std::uint32_t capture = 0;
    std::vector<std::string_view> texts;
  };
  struct Pattern {
    std::vector<Shape> one_of;
    std::vector<Condition> conditions;
  };
  // A way that a pattern begins.
  struct Start {
    std::uint32_t pattern = 0, shape = 0;
  };

  std::vector<Pattern> patterns_;
  std::vector<std::string_view> captures_;
  std::vector<std::vector<Start>> starts_;  // by symbol
};

// The bytes of a node without white space at its ends.
std::string_view text_of(const FlatNode& node, std::string_view text);
bool is_space(char c);
// Of an identifier: bytes of other alphabets count as letters.
inline bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace gittxn::semantic
