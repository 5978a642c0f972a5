#include "store/projection.h"

#include <fmt/format.h>

#include "store/area.h"
#include "store/log/checkpoint.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/state.h"

namespace gittxn::store {
Status project(db::Database& database, const Event& event) {
  const std::string unknown = unknown_event(event);
  if (!unknown.empty()) {
    return fail(Code::kCorrupt, unknown, "git txn version --events lists the types it knows");
  }
  const Json payload = TRY_IN(event.type, parse_json(event.payload));
  return rule_of(event.type)->accepting.project(database, event, payload);
}

Status replay(const Log& log, db::Database& target, Seq up_to) {
  const LogStart start = TRY(load_log_start(log.database));
  if (start.pruned > 0) TRY(load_checkpoint(log, start, target));
  Progress progress;
  const auto follow = [&](const Event& event) -> Result<bool> {
    TRY_IN(fmt::format("event {}", event.seq), project(target, event));
    progress = Progress{event.seq, event.hash.str()};
    return true;
  };
  TRY(each_event(log.database, start.pruned + 1, up_to, follow));
  return progress.seq == 0 ? Status() : save_progress(target, progress);
}

Json row_json(const db::Statement& row) {
  Json json = Json::object();
  for (int column = 0; column < row.columns(); ++column) {
    json[row.column_name(column)] =
        row.is_integer(column) ? Json(row.integer(column)) : Json(row.text(column));
  }
  return json;
}

Result<Json> projection_json(const db::Database& database) {
  Json out = Json::object();
  for (const ProjectionTable& table : projection_tables()) {
    Json rows = Json::array();
    db::Statement query = TRY(
        database.statement(fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.order)));
    while (TRY(query.step())) {
      Json row = row_json(query);
      for (const char* const name : {"body", "prepared"}) {
        const std::string text = row.contains(name) ? row[name].text_or("") : "";
        if (!text.empty()) row[name] = TRY_IN(table.name, parse_json(text));
      }
      rows.push_back(table.name == "txns" ? row["body"] : std::move(row));
    }
    out[std::string(table.name)] = std::move(rows);
  }
  return out;
}

}  // namespace gittxn::store
