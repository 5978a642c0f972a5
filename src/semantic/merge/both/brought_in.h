// Changes of two sides that cannot both hold, though each of the two is right: found by what
// they brought in alone, whoever merged them.
//
// Pure.
#pragma once

#include "semantic/merge/merge_tree.h"

namespace gittxn::semantic {

// The first of: both sides gave one new name in one function a value of their own, of which the
// later one hides the other; both raised a number alike while each added something that it may
// count; both gave one number to a new member of a type whose members are told apart by theirs; one
// side gave a field another type, and the other side gives it a value more; one side moved what it
// imports from to another path, and the other side imports something more from the old one; one
// side removed the import of a name, or a declaration, and the other side uses it anew; both sides
// bring one new name into the file, from two places; and what numbers.h, called.h, answers.h,
// shapes.h and demands.h say.
Broken brought_in_twice(const Sides<const Tree*>& sides);

// The other side's new uses of a name mean something else: the name is one of one function of the
// base, which binds it and in which the user says it as often; or all that says it in the merged
// text is in functions that give it a value first.
bool is_something_else(const Sides<const Tree*>& sides, Side user, std::string_view name,
                       const Tree& merged);

}  // namespace gittxn::semantic
