// A part of a file, by its lines.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "model/read.h"

namespace gittxn::capture {

// The bytes of these lines, each with its newline where it has one. Of lines behind the end there
// are none; that the file ends there is part of the answer, so it is told apart from an empty text.
std::string_view lines_text(std::string_view text, const LineSpan& lines, bool* whole);

// What goes on to the end (count 0) with the number of lines that this text makes of it: one more
// than there are, so that its end is part of what was read. Others stay as they are.
LineSpan lines_in(std::string_view text, const LineSpan& lines);
std::int64_t line_count(std::string_view text);  // a last line without an end is one

// SHA-256 of them, and of whether the file went on for that long.
Digest lines_digest(std::string_view text, const LineSpan& lines);

}  // namespace gittxn::capture
