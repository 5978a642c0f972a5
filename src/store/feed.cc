#include "store/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_value.h"
#include "store/rows.h"

namespace gittxn::store {
namespace {

constexpr Seq kSeenAtOnce = 4096;

// A JSON string. What needs no escape, nearly everything, is copied.
void append_text(std::string_view text, std::string& out) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
  if (!plain) {
    out += dump_json(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void append_member(std::string_view name, std::string_view text, std::string& out) {
  out += ",\"";
  out += name;
  out += "\":";
  append_text(text, out);
}

}  // namespace

Result<EventBatch> read_batch(const View& view, Seq from, const EventFilter& filter, int limit) {
  std::string sql = fmt::format("SELECT {} FROM events WHERE seq >= ? AND seq <= ?", kEventColumns);
  for (std::size_t i = 0; i < filter.types.size(); ++i) sql += i == 0 ? " AND type IN (?" : ", ?";
  if (!filter.types.empty()) sql += ")";
  if (!filter.subject.empty()) sql += " AND subject = ?";
  sql += " ORDER BY seq LIMIT ?";
  // Before the rows: what is appended meanwhile is for the next batch.
  const Seq head = TRY(view.head());
  EventBatch batch;
  batch.seen = std::min(head, from + kSeenAtOnce - 1);
  db::Statement query = TRY(view.tables().statement(sql));
  query.bind_all(from, batch.seen);
  int parameter = 2;
  for (const std::string& type : filter.types) query.bind(++parameter, type);
  if (!filter.subject.empty()) query.bind(++parameter, filter.subject);
  query.bind(++parameter, std::int64_t{limit});
  while (TRY(query.step())) batch.events.push_back(event_of(query));
  // After the rows: if they are there still, they were there.
  const LogStart start = TRY(load_log_start(view.tables()));
  if (from <= start.pruned) {
    return fail(Code::kStale, fmt::format("events {} to {} were pruned", from, start.pruned),
                fmt::format("the log begins with event {}", start.pruned + 1));
  }
  const bool full = batch.events.size() == static_cast<std::size_t>(limit);
  if (full) batch.seen = batch.events.back().seq;
  batch.at_end = batch.seen >= head;
  return batch;
}

std::string schema_uri(std::string_view type, int version) {
  return fmt::format("urn:git-txn:event:{}:{}", type, version);
}

void append_cloud_event(const Event& event, std::string_view source, std::string& out) {
  out += "{\"specversion\":\"1.0\"";
  append_member("id", fmt::format_int(event.seq).str(), out);
  append_member("source", source, out);
  append_member("type", event.type, out);
  if (!event.subject.empty()) append_member("subject", event.subject, out);
  append_member("time", event.time, out);
  append_member("datacontenttype", "application/json", out);
  append_member("dataschema", schema_uri(event.type, event.schema_version), out);
  append_member("sequence", fmt::format("{:019}", event.seq), out);
  append_member("dedupkey", event.dedup_key, out);
  append_member("prevhash", event.prev_hash.str(), out);
  append_member("hash", event.hash.str(), out);
  out += ",\"data\":";
  out += event.payload;
  out += '}';
}

std::string cloud_event(const Event& event, std::string_view source) {
  std::string out;
  append_cloud_event(event, source, out);
  return out;
}

}  // namespace gittxn::store
