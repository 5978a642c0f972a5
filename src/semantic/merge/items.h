// The children of a node as a list that can be put together anew: every byte of the node belongs to
// the opening, to one item, or to the closing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::semantic {

struct Item {
  const Node* node = nullptr;
  std::string_view lead;   // white space, comments and attributes before it
  std::string_view sep;    // from its end through the separator behind it; empty when it has none
  std::string_view trail;  // a comment on its last line
  std::string key;         // kind, name and detail; empty when nothing tells it but its code
  std::string name_key;    // kind and name
};

struct Items {
  std::string_view open, close;
  std::vector<Item> items;
  bool set = false;  // of a node with that role: an element is another one as soon as it changed
  std::string_view separator;  // what stands between every two items; empty when nothing must
};

Items items_of(const Node& node);

}  // namespace gittxn::semantic
