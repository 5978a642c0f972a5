#include "store/log/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"
#include "model/event.h"
#include "store/projection.h"
#include "store/schema.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

constexpr int kFormat = 1;

// The first line.
struct Header {
  int format = kFormat;
  Checkpoint checkpoint;
};
void fields(FieldIo& io, Header& header) {
  io.integer("format", header.format);
  io.integer("seq", header.checkpoint.seq);
  io.text("hash", header.checkpoint.hash);
  io.integer("keys", header.checkpoint.keys.count);
  io.name("keys_digest", header.checkpoint.keys.digest);
}

struct Row {
  std::string table;
  Json row;
};
void fields(FieldIo& io, Row& line) {
  io.text("table", line.table);
  io.object("row", line.row);
}

Result<Checkpoint> header_of(const Json& json, const LogStart& start) {
  const auto [format, checkpoint] = TRY(read_fields<Header>(json, "a checkpoint"));
  if (format != kFormat) {
    return fail(Code::kNewer, fmt::format("the checkpoint at event {} has format {}, this git-txn "
                                          "knows {}",
                                          checkpoint.seq, format, kFormat));
  }
  if (checkpoint.seq != start.pruned || checkpoint.hash != start.hash) {
    return fail(Code::kCorrupt, fmt::format("the log begins after event {}, its checkpoint is of "
                                            "event {}",
                                            start.pruned, checkpoint.seq));
  }
  return checkpoint;
}

Status load_line(const Json& line, db::Database& target) {
  constexpr std::string_view kNameChars = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const auto [table, row] = TRY(read_fields<Row>(line, "a checkpoint's row"));
  const auto& tables = projection_tables();
  const bool known = std::ranges::find(tables, table, &ProjectionTable::name) != tables.end();
  if (!known || !row.is_object() || row.empty()) {
    return fail(Code::kCorrupt, fmt::format("a checkpoint has a row of '{}'", table));
  }
  std::vector<std::string> columns;
  for (const auto& [name, value] : row.items()) {
    const bool plain = value.is_string() || value.is_integer();
    if (!plain || name.empty() || name.find_first_not_of(kNameChars) != name.npos) {
      return fail(Code::kCorrupt, fmt::format("a checkpoint's row of '{}' is malformed", table));
    }
    columns.push_back(name);
  }
  db::Statement insert =
      TRY(target.statement(save_sql(table, "", fmt::format("{}", fmt::join(columns, ", ")))));
  int parameter = 0;
  for (const auto& [name, value] : row.items()) {
    ++parameter;
    if (value.is_string()) {
      insert.bind(parameter, value.text());
    } else {
      insert.bind(parameter, value.get<std::int64_t>());
    }
  }
  return insert.run();
}

void add_field(Sha256& hash, std::string_view field) {
  hash.update(fmt::format("{}:", field.size()));
  hash.update(field);
}

}  // namespace

Result<std::string> checkpoint_text(const db::Database& state, const Checkpoint& checkpoint) {
  std::string text = canonical_text(field_list(Header{.checkpoint = checkpoint})) + "\n";
  for (const ProjectionTable& table : projection_tables()) {
    db::Statement query =
        TRY(state.statement(fmt::format("SELECT * FROM {} ORDER BY {}", table.name, table.order)));
    while (TRY(query.step())) {
      text += canonical_json(Json{{"table", table.name}, {"row", row_json(query)}}) + "\n";
    }
  }
  return text;
}

Result<Checkpoint> read_checkpoint(const Log& log, const LogStart& start) {
  const std::string text = TRY(read_artifact(log, Digest(start.state)));
  const Json header = TRY(parse_json(std::string_view(text).substr(0, text.find('\n'))));
  return header_of(header, start);
}

Status load_checkpoint(const Log& log, const LogStart& start, db::Database& target) {
  const std::string text = TRY(read_artifact(log, Digest(start.state)));
  bool first = true;
  return each_json_line(text, "a checkpoint", [&](const Json& line) -> Status {
    if (!first) return load_line(line, target);
    first = false;
    TRY(header_of(line, start));
    return {};
  });
}

Result<KeyDigest> digest_keys(const db::Database& database, Seq pruned) {
  KeyDigest keys;
  Sha256 hash;
  const auto add = [&](const db::Statement& row, const std::string& payload) {
    ++keys.count;
    add_field(hash, std::to_string(row.integer(0)));
    for (const int column : {1, 2, 3}) add_field(hash, row.text(column));
    add_field(hash, payload);
  };
  db::Statement moved = TRY(database.statement(
      "SELECT seq, dedup_key, type, subject, payload FROM pruned_keys ORDER BY seq"));
  while (TRY(moved.step())) add(moved, moved.text(4));
  db::Statement query = TRY(database.statement(
      "SELECT seq, dedup_key, type, subject, payload FROM events WHERE seq <= ? ORDER BY seq",
      pruned));
  while (TRY(query.step())) {
    if (!query.text(1).starts_with(kMadeKey)) add(query, sha256(query.text(4)).str());
  }
  keys.digest = hash.finish();
  return keys;
}

Result<std::optional<LogStart>> last_checkpoint_event(const db::Database& database) {
  const auto payload = TRY(database.first(
      db::text_of, "SELECT payload FROM events WHERE type = ? ORDER BY seq DESC LIMIT 1",
      event_type::kCheckpoint));
  if (!payload) return std::nullopt;
  const Json json = TRY_IN(event_type::kCheckpoint, parse_json(*payload));
  LogStart start;
  std::string actor;
  const auto list = [&](FieldIo& io) {
    io.integer("seq", start.pruned);
    io.text("hash", start.hash);
    io.text("state", start.state);
    io.text("actor", actor);
  };
  TRY(read_json(json, event_type::kCheckpoint, list));
  return start;
}

}  // namespace gittxn::store
