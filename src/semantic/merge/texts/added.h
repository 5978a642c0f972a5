// Additions of both sides at one place of a text without a grammar.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {

// Lines with their ends; the last one may have none.
std::vector<std::string_view> whole_lines(std::string_view text);

std::string with_line_end(std::string text);

// Paragraphs of words, left's and then right's; `before` is all that stands above them. What both
// added to one list is one list. Nothing where they say one line alike, number their items, or are
// in a block of code.
std::optional<std::string> both_paragraphs(std::string_view before, std::string_view left,
                                           std::string_view right);

// Whole elements with different names.
std::optional<std::string> both_elements(std::string_view left, std::string_view right);

// One tag to which both sides only gave attributes, of different names: left's, then right's.
std::optional<std::string> both_attributes(const Sides<std::string_view>& run);

// Whole rules of CSS of which no line that opens one is the same; or properties of different names,
// of which none is a part of another one ("margin", "margin-top").
std::optional<std::string> both_styles(std::string_view left, std::string_view right);

// Whole rules of a Makefile, of different targets, with what is said of them beside.
std::optional<std::string> both_targets(std::string_view left, std::string_view right);

// A file in which each message, service, type or model is told by its name, and each line in one by
// its own: Protocol Buffers, GraphQL, Prisma.
bool is_schema(std::string_view path);

// Whole blocks of a schema that open differently; or lines in one, under different names and, where
// they have any, different numbers.
std::optional<std::string> both_in_schema(std::string_view left, std::string_view right);

// "3" of "string name = 3;"; empty of a line that gives no number.
std::string_view number_of_line(std::string_view line);

// Lines of Gradle that each name one dependency, "implementation 'group:name:version'"; none twice.
std::optional<std::string> both_dependencies(std::string_view left, std::string_view right);

}  // namespace gittxn::semantic
