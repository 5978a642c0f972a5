#include "store/testing/golden_log.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/fields.h"
#include "base/fs.h"
#include "base/json.h"
#include "store/projection.h"
#include "store/rows.h"

namespace gittxn::store::testing {
namespace {

std::filesystem::path here() {
  return std::filesystem::path(__FILE__).parent_path();
}

Result<Event> event_from(const Json& json) {
  Event event;
  const auto list = [&event](FieldIo& io) {
    io.integer("seq", event.seq);
    io.text("time", event.time);
    io.text("type", event.type);
    io.text("subject", event.subject);
    io.integer("schema_version", event.schema_version);
    io.text("dedup_key", event.dedup_key);
    io.text("payload", event.payload);
    io.name("prev_hash", event.prev_hash);
    io.name("hash", event.hash);
  };
  TRY(read_json(json, "a line", list));
  return event;
}

}  // namespace

std::string stores_dir() {
  return here() / "stores";
}

std::string schemas_dir() {
  return here().parent_path().parent_path().parent_path() / "share" / "schemas" / "events";
}

Result<Json> published_schema(const std::string& type) {
  const std::string text = TRY(read_file(fmt::format("{}/{}.v1.json", schemas_dir(), type)));
  return parse_json(text);
}

std::string event_line(const Event& event) {
  return canonical_json(Json{{"seq", event.seq},
                             {"time", event.time},
                             {"type", event.type},
                             {"subject", encode_path(event.subject)},
                             {"schema_version", event.schema_version},
                             {"dedup_key", encode_path(event.dedup_key)},
                             {"payload", encode_path(event.payload)},
                             {"prev_hash", event.prev_hash.str()},
                             {"hash", event.hash.str()}}) +
         "\n";
}

Result<std::vector<Event>> golden_events() {
  const std::string text = TRY(read_file(stores_dir() + "/events.jsonl"));
  std::vector<Event> events;
  const auto keep = [&](const Json& line) -> Status {
    events.push_back(TRY(event_from(line)));
    return {};
  };
  TRY(each_json_line(text, "events.jsonl", keep));
  return events;
}

Status put_log(const TempStore& place, const std::vector<Event>& events) {
  db::Database shell = place.shell();
  db::Transaction transaction = TRY(db::Transaction::begin(shell, db::Transaction::Kind::kWrite));
  for (const Event& event : events) TRY(insert_event(shell, event));
  TRY(replay(Log{shell, place.txn_dir()}, shell, 0));
  return transaction.commit();
}

}  // namespace gittxn::store::testing
