// How stored projections differ from those that the log gives: see projection.h. Never writes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "store/area.h"
#include "store/projection.h"
#include "store/schema.h"

namespace gittxn::store {
namespace {

constexpr std::size_t kShownBytes = 40;
constexpr std::size_t kShownColumns = 3;

// By column, and by key in the order of the table. A number's key has its length in front, so that
// 10 comes after 9.
using FieldRow = std::map<std::string, std::string>;
using FieldRows = std::map<std::string, FieldRow>;

std::vector<std::string> key_columns(const ProjectionTable& table) {
  std::vector<std::string> columns;
  for (const std::string_view piece : pieces_of(table.order, ',')) {
    columns.emplace_back(trimmed(piece));
  }
  return columns;
}

Result<FieldRows> rows_of(const db::Database& database, const ProjectionTable& table) {
  const std::vector<std::string> keys = key_columns(table);
  FieldRows rows;
  db::Statement query =
      TRY(database.statement(fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.order)));
  while (TRY(query.step())) {
    FieldRow row;
    std::string key;
    for (int column = 0; column < query.columns(); ++column) {
      row[query.column_name(column)] = query.text(column);
    }
    for (const std::string& name : keys) {
      key += fmt::format("{:08}:{}\n", row[name].size(), row[name]);
    }
    rows.emplace(std::move(key), std::move(row));
  }
  return rows;
}

std::string brief_value(const std::string& value) {
  if (value.size() <= kShownBytes) return "'" + value + "'";
  return fmt::format("'{}...' ({} bytes)", value.substr(0, kShownBytes), value.size());
}

// "txns begun_seq=7 id=t-2"
std::string name_of(const ProjectionTable& table, const FieldRow& row) {
  std::vector<std::string> columns = key_columns(table);
  if (row.contains("id") && std::ranges::find(columns, "id") == columns.end()) {
    columns.emplace_back("id");
  }
  std::string name{table.name};
  for (const std::string& column : columns) {
    const std::string& value = row.at(column);
    name += fmt::format(" {}={}", column,
                        value.size() <= kShownBytes ? value : value.substr(0, kShownBytes) + "...");
  }
  return name;
}

void put(FieldRow& fields, const std::string& column, const std::string& text) {
  const Result<Json> json = parse_json(text);
  const bool whole = column == "body" || column == "prepared";
  if (!whole || !json || !json->is_object()) {
    fields[column] = text;
    return;
  }
  for (const auto& [key, value] : json->items()) {
    fields[fmt::format("{}.{}", column, key)] =
        value.is_string() ? value.text() : canonical_json(value);
  }
}

// A column that holds a JSON object is told by the fields of that.
FieldRow fields_of(const FieldRow& row) {
  FieldRow fields;
  for (const auto& [column, text] : row) put(fields, column, text);
  return fields;
}

std::string told_difference(const FieldRow& stored, const FieldRow& replayed) {
  const FieldRow left = fields_of(stored);
  const FieldRow right = fields_of(replayed);
  FieldRow all = left;
  all.insert(right.begin(), right.end());
  std::string out;
  std::size_t count = 0;
  for (const auto& [column, unused] : all) {
    const auto here = left.find(column);
    const auto there = right.find(column);
    const bool both = here != left.end() && there != right.end();
    if (both && here->second == there->second) continue;
    if (++count > kShownColumns) continue;
    out += fmt::format("{}{} is {}, by the log {}", out.empty() ? "" : "; ", column,
                       here == left.end() ? "nothing" : brief_value(here->second),
                       there == right.end() ? "nothing" : brief_value(there->second));
  }
  if (count > kShownColumns) out += fmt::format("; and {} more", count - kShownColumns);
  // The same fields, written otherwise: nothing that a person could tell apart.
  return out.empty() ? "the same values in other bytes" : out;
}

}  // namespace

Status tell_differences(const db::Database& stored, const db::Database& replayed, std::size_t limit,
                        std::vector<std::string>* problems) {
  const auto tell = [&](const ProjectionTable& table, const FieldRow& row,
                        const std::string& what) {
    if (problems->size() >= limit) return;
    problems->push_back(
        fmt::format("stored state differs from the log: {}: {}", name_of(table, row), what));
  };
  for (const ProjectionTable& table : projection_tables()) {
    FieldRows right = TRY(rows_of(replayed, table));
    for (const auto& [key, row] : TRY(rows_of(stored, table))) {
      const auto found = right.find(key);
      if (found == right.end()) {
        tell(table, row, "the log has no such row");
        continue;
      }
      if (found->second != row) tell(table, row, told_difference(row, found->second));
      right.erase(found);
    }
    for (const auto& [key, row] : right) tell(table, row, "this row of the log is missing");
  }
  return {};
}

}  // namespace gittxn::store
