// Describes the output of a command to people: which tests failed, what it said last, and what is
// different between two runs. The output is untrusted: of it come printable lines of a bounded
// length, without escape sequences. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "questions/question.h"

namespace gittxn::questions {

// A line without what a terminal would act on (escape sequences, control characters, direction
// overrides) and without what is not UTF-8; cut to `most` bytes with "...".
std::string plain(std::string_view line, std::size_t most = 160);

// Names of the tests that failed, or the first error of a compiler, as the known runners print
// them; each once, in order, at most a hundred. None where nothing of the kind is in the text.
std::vector<std::string> failed(std::string_view text);

// The last lines, as plain() has them: at most `most`, without blank ones at the end.
std::string last_lines(std::string_view text, std::size_t most = 12);
// Returns `most` lines from the first one that tells of a failure, as failed() names it; the last
// ones where none does, or where fewer are left.
std::string failure_lines(std::string_view text, std::size_t most = 12);

// Describes the first difference of two outputs, as the end of a sentence about the new one: "line
// 2 was 'a' and is 'b'". "" where the texts are the same.
std::string first_difference(std::string_view before, std::string_view now, Order order);

}  // namespace gittxn::questions
