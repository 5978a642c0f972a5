// What stands between the items of a merged list: white space and separators, from three versions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "semantic/merge/merge_list.h"

namespace gittxn::semantic {

// The white space before the item at `place` of the result, and the separator behind it.
struct Spacing {
  std::string blank;
  std::string sep;
  bool clash = false;  // both sides laid it out differently
};
Spacing spacing_of(const Sides<Items>& lists, const ListOrder& order, std::size_t place);

// A lead without the white space it begins with.
std::string_view rest_of(std::string_view lead);

}  // namespace gittxn::semantic
