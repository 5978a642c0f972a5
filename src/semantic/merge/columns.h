// Lists of which every line stands in columns, as formatters lay them out: a cell is as wide as the
// widest of it in the lines that follow one another, and one space more. Two sides that each made
// a column wider agree on the rule, though not on the width.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "semantic/sides.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

enum class Columns { kNone, kNarrow, kWide };
// kNarrow and kWide: all white space inside of the lines of `list` is what that rule says; kWide:
// and somewhere it is more than one space.
Columns columns_of(const Node& list);

// The text of `merged` with the columns of every list of one of `kinds` that none of the sides has
// as it is.
std::string with_columns(const Tree& merged, const Sides<const Tree*>& sides,
                         const std::set<std::string_view>& kinds);

}  // namespace gittxn::semantic
