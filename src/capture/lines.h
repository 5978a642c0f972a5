// A part of a file, by its lines.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "model/read.h"

namespace gittxn::capture {

// The bytes of these lines, each with its newline where it has one. Of lines behind the end there
// are none; that the file ends there is part of the answer, so it is told apart from an empty text.
std::string_view lines_text(std::string_view text, const LineSpan& lines, bool* whole);

// SHA-256 of them, and of whether the file went on for that long.
Digest lines_digest(std::string_view text, const LineSpan& lines);

}  // namespace gittxn::capture
