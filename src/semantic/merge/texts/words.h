// Lists of words without an order: files of a Makefile or of CMake, packages of a Dockerfile; and
// the columns of a table in SQL.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {

// The file has lists of words that both_words() knows, or tables.
bool has_word_lists(std::string_view path);

// A run in which both sides only added words, or columns, of which no two are the same: left before
// right. `before` is the text that it stands behind. Nothing where that is not certain, or a word
// is an option or takes the value of something.
std::optional<std::string> both_words(std::string_view path, std::string_view before,
                                      const Sides<std::string_view>& run);

}  // namespace gittxn::semantic
