#include "store/log/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
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

bool skip_char(std::string_view& rest, char wanted) {
  if (!rest.starts_with(wanted)) return false;
  rest.remove_prefix(1);
  return true;
}

bool skip_text(std::string_view& rest) {
  if (!skip_char(rest, '"')) return false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return true;
    }
    if (rest[i] < 0x20) return false;  // beyond ASCII too
    if (rest[i] != '\\') continue;
    ++i;
    if (i == rest.size() || !std::string_view("\"\\nt").contains(rest[i])) return false;
  }
  return false;
}

// What is no text and no list: a word, or a number without a fraction.
bool is_plain_value(std::string_view text) {
  if (text == "true" || text == "false" || text == "null" || text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool skip_value(std::string_view& rest, int depth) {
  if (rest.starts_with('"')) return skip_text(rest);
  const bool object = rest.starts_with('{');
  if (!object && !rest.starts_with('[')) {
    const std::string_view word = rest.substr(0, rest.find_first_of(",]}"));
    rest.remove_prefix(word.size());
    return is_plain_value(word);
  }
  const char close = object ? '}' : ']';
  rest.remove_prefix(1);
  if (skip_char(rest, close)) return true;
  while (depth > 0) {
    if (object && (!skip_text(rest) || !skip_char(rest, ':'))) return false;
    if (!skip_value(rest, depth - 1)) return false;
    if (skip_char(rest, close)) return true;
    if (!skip_char(rest, ',')) return false;
  }
  return false;
}

// A payload goes as it is into a line of JSON. That it is JSON is seen in a fraction of the time
// that its hash takes, so the hash is asked only of those that have something rare in them (a
// fraction, a letter beyond ASCII) or are none. Other edits are for whoever checks the chain.
bool can_be_given(const Event& event) {
  constexpr int kDepth = 16;
  std::string_view rest = event.payload;
  const bool json = rest.starts_with('{') && skip_value(rest, kDepth) && rest.empty();
  return json || event_hash(event) == event.hash;
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
  bool whole = true;
  while (whole && TRY(query.step())) {
    Event event = event_of(query);
    whole = can_be_given(event);
    if (whole) {
      batch.events.push_back(std::move(event));
    } else if (batch.events.empty()) {
      return fail(Code::kCorrupt, fmt::format("event {} was edited: its hash is wrong", event.seq),
                  "git txn verify says all that is wrong");
    } else {
      batch.seen = event.seq - 1;  // what comes before it is good; the next batch begins with it
    }
  }
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
