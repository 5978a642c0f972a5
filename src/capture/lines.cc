#include "capture/lines.h"

#include <algorithm>
#include <string>

#include "base/hash.h"

namespace gittxn::capture {

std::string_view lines_text(std::string_view text, const LineSpan& lines, bool* whole) {
  *whole = false;
  std::size_t start = 0;
  for (std::int64_t line = 1; line < lines.first; ++line) {
    const std::size_t newline = text.find('\n', start);
    if (newline == std::string_view::npos) return {};
    start = newline + 1;
  }
  std::size_t end = start;
  for (std::int64_t line = 0; line < lines.count; ++line) {
    const std::size_t newline = text.find('\n', end);
    if (newline == std::string_view::npos) return text.substr(start);
    end = newline + 1;
  }
  *whole = true;
  return text.substr(start, end - start);
}

std::int64_t line_count(std::string_view text) {
  const auto ends = std::ranges::count(text, '\n');
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

LineSpan lines_in(std::string_view text, const LineSpan& lines) {
  if (lines.count > 0) return lines;
  const std::int64_t first = std::max<std::int64_t>(lines.first, 1);
  return {first, std::max<std::int64_t>(line_count(text) - first + 1, 0) + 1};
}

Digest lines_digest(std::string_view text, const LineSpan& lines) {
  bool whole = false;
  const std::string part(lines_text(text, lines, &whole));
  return sha256_fields({part, whole ? "whole" : "cut short"});
}

}  // namespace gittxn::capture
