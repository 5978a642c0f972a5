#include "gates/evidence/rows.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace gittxn::gates {
namespace {

constexpr std::string_view kSpecial = "\t\n\\";

void add_cell(std::string& text, std::string_view cell) {
  while (true) {
    const std::size_t plain = std::min(cell.find_first_of(kSpecial), cell.size());
    text.append(cell.substr(0, plain));
    if (plain == cell.size()) return;
    text += '\\';
    text += cell[plain] == '\t' ? 't' : cell[plain] == '\n' ? 'n' : '\\';
    cell.remove_prefix(plain + 1);
  }
}

bool read_cell(std::string_view text, std::string& cell) {
  cell.clear();
  while (true) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    cell.append(text.substr(0, plain));
    if (plain == text.size()) return true;
    if (plain + 1 == text.size()) return false;
    const char escaped = text[plain + 1];
    if (escaped != 't' && escaped != 'n' && escaped != '\\') return false;
    cell += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : '\\';
    text.remove_prefix(plain + 2);
  }
}

bool read_row(std::string_view line, std::span<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const bool last = i + 1 == cells.size();
    if (last != (end == line.size()) || !read_cell(line.substr(0, end), cells[i])) return false;
    if (!last) line.remove_prefix(end + 1);
  }
  return true;
}

std::unexpected<Error> damaged(const RowsHead& head, std::string_view why) {
  return fail(Code::kCorrupt, fmt::format("{}: {}", head.thing, why));
}

}  // namespace

std::string rows_head(const RowsHead& head, std::size_t rows) {
  return fmt::format("{} {} {}\n", head.thing, head.format, rows);
}

void add_row(std::string& text, std::initializer_list<std::string_view> cells) {
  bool first = true;
  for (const std::string_view cell : cells) {
    if (!first) text += '\t';
    add_cell(text, cell);
    first = false;
  }
  text += '\n';
}

Status each_row(std::string_view text, const RowsHead& head, const TakeRow& take) {
  if (!text.ends_with('\n')) return damaged(head, "it is cut off");
  const std::string before = fmt::format("{} {} ", head.thing, head.format);
  const std::size_t first = text.find('\n');
  const std::string_view line = text.substr(0, first);
  const auto rows = line.starts_with(before) ? number_in(line.substr(before.size())) : std::nullopt;
  if (!rows) return damaged(head, "it is of another version");
  text.remove_prefix(first + 1);
  std::vector<std::string> cells(head.cells);
  std::int64_t found = 0;
  for (; !text.empty(); ++found) {
    const std::size_t end = text.find('\n');
    if (!read_row(text.substr(0, end), cells) || !take(cells)) {
      return damaged(head, fmt::format("row {} is damaged", found + 1));
    }
    text.remove_prefix(end + 1);
  }
  if (found != *rows) return damaged(head, fmt::format("it has {} rows of {}", found, *rows));
  return {};
}

std::optional<std::int64_t> number_in(std::string_view cell) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return number;
}

}  // namespace gittxn::gates
