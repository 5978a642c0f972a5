// The merge of words for people: comments, and strings that document what they stand in.
//
// Pure.
#pragma once

#include <optional>
#include <string>

#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// A comment, or a string that is a statement of its own, or that statement.
bool is_for_people(const Node& node);

// A merge by lines. Lines that both sides added at one place stand one behind the other, left
// before right, without those with which both begin or end. Nothing where both changed or removed a
// line of the base differently, and when libgit2 has no memory.
std::optional<std::string> merge_prose(const Sides<std::string_view>& texts);

// The side with the higher number of a release, "1.2.0" of "1.1" and "1.2.0"; quotes do not count.
// Nothing where a text is no such number, where the two differ behind the numbers alone, where a
// side has a lower one than the base, and where the lower one of the sides says a word besides.
std::optional<Side> higher_release(const Sides<std::string_view>& texts);

// The three with all that the sides derive, "#[derive(…)]" of Rust, which has no order: nothing
// where a side derives less than the base, or derives are not one on one line.
std::optional<Sides<std::string>> with_one_derive(const Sides<std::string_view>& texts);

}  // namespace gittxn::semantic
