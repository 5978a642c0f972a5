// Words of declarations: what signatures are compared by (signatures.cc and the files beside it).
#pragma once

#include <string_view>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

using Words = std::vector<std::string_view>;

// The words of a node, comments aside; without those of a node in it, where one is given.
void add_words(const Node& node, const Node* without, Words* words);
Words words_in_node(const Node& node);

// All of a symbol but its body, and the names of parameters apart from that.
struct Head {
  Words words, parameters;
};
Head head_in(const Outline& outline, const Outlined& symbol);

// None of both stands in one place in `a` and in another one in `b`.
bool keep_places(const Words& a, const Words& b);

// The function itself, of one that is exported or decorated.
const Node* without_wrapping(const Node* node);

// The count of parameters that one declaration has: in Go `a, b string` are two.
int parameters_at(const Node& declaration);

// Both have the same of it, where one of them stands beside another in its declaration.
bool is_shared(const Outlined& was, const Outlined& is, Capability capability);

}  // namespace gittxn::semantic
