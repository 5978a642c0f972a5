// Tables as text, of which a landing reads hundreds, so they are no JSON: a first line says what
// they are ("looks 2 17": the thing, its format, how many rows follow), then a line for each row,
// with tabs between its cells. In a cell a tab is \t, a newline \n and a backslash \\.
//
// A reader knows by the digest that the text is as it was written. Another version, and a table
// that is cut off, are noticed here.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gittxn::gates {

struct RowsHead {
  std::string_view thing;
  int format = 1;
  std::size_t cells = 1;  // of each row
};

std::string rows_head(const RowsHead& head, std::size_t rows);
void add_row(std::string& text, std::initializer_list<std::string_view> cells);

// Each row; `take` says whether its cells are right, and may move them away. kCorrupt otherwise.
using TakeRow = std::function<bool(std::span<std::string> cells)>;
Status each_row(std::string_view text, const RowsHead& head, const TakeRow& take);

// A number in a cell, and a yes or no ("1", "").
std::optional<std::int64_t> number_in(std::string_view cell);
inline std::string_view flag_cell(const bool& flag) {
  return flag ? "1" : "";
}

}  // namespace gittxn::gates
