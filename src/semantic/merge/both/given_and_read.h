// Statements that follow one another, of which one side wrote anew what gives a name its value, and
// the other side what reads the name.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "semantic/merge/lists.h"

namespace gittxn::semantic {

// Two items with what stands between them, which are a conflict.
struct GivenToNext {
  std::size_t next = 0;  // the place of the second one
  Sides<std::string_view> texts;
  std::string why;
};

// The item at `place` of a list of statements and the next one that all versions have. One side
// gives a name its value in another way in the first, and the other side reads it in another way in
// the second: "wait = 30" and "connect(wait)", of which the one becomes "wait = 30_000" and the
// other "connect(wait * 1000)". Only what both statements of the base say counts, so that what a
// side added alone is none. Nothing where there is no such name, and where git merges their lines.
std::optional<GivenToNext> given_to_next(const Sides<const Tree*>& trees, const Sides<Items>& lists,
                                         const ListOrder& order, std::size_t place);

}  // namespace gittxn::semantic
