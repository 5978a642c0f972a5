// The published schemas and the document say what the program takes; GIT_TXN_GOLDEN=write makes
// them say it. And whatever a payload may be comes back as it was written.
#include "store/testing/event_documents.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fs.h"
#include "base/json.h"
#include "base/testing/campaign.h"
#include "base/testing/field_schema.inc"
#include "base/testing/random_fields.h"
#include "store/area.h"
#include "store/events.h"
#include "store/log/feed.h"
#include "store/testing/check.h"
#include "store/testing/golden_log.h"
#include "store/testing/json_schema.h"

namespace gittxn::store::testing {
namespace {

constexpr std::string_view kTableHead =
    "| type | payload | allowed in | then |\n|---|---|---|---|\n";

FieldList payload_list(const EventRule& rule) {
  return [&rule](FieldIo& io) { rule.accepting.payload({&io}); };
}

std::string states_in(unsigned states) {
  constexpr unsigned kAll = ~0u;
  if (states == kAll) return "all";
  std::string out;
  for (unsigned i = 0; i <= static_cast<unsigned>(TxnState::kRepairing); ++i) {
    if ((states & (1u << i)) == 0) continue;
    out.append(out.empty() ? "" : ", ").append(state_name(static_cast<TxnState>(i)));
  }
  return out;
}

std::string table_line(const EventRule& rule) {
  std::string payload = rule.text.fields;
  if (payload.empty()) payload = gittxn::testing::field_line(payload_list(rule));
  if (*rule.text.subject != '\0') payload += fmt::format("; subject: {}", rule.text.subject);
  const std::string when = rule.states != 0 ? states_in(rule.states) : rule.text.when;
  const std::string then = rule.then ? std::string(state_name(*rule.then)) : rule.text.then;
  return fmt::format("| `{}` | {}. {} | {} | {} |\n", rule.type, payload, rule.text.about, when,
                     then);
}

bool writes_goldens() {
  const char* mode = std::getenv("GIT_TXN_GOLDEN");
  return mode != nullptr && std::string_view(mode) == "write";
}

}  // namespace

std::string schema_of(const std::string& type) {
  const EventRule& rule = *rule_of(type);
  return gittxn::testing::schema_file({schema_uri(type, 1), type, rule.text.about},
                                      payload_list(rule));
}

std::string event_table() {
  std::string table;
  for (const Area* area : areas()) {
    for (const EventRule& rule : area->rules) table += table_line(rule);
  }
  return table;
}

std::string events_document_file() {
  return schemas_dir() + "/../../../docs/formats/events.md";
}

namespace {

TEST(EventDocuments, SchemasAreMadeOfTheFieldLists) {
  for (const std::string& type : events::types()) {
    const std::string file = fmt::format("{}/{}.v1.json", schemas_dir(), type);
    if (writes_goldens()) ASSERT_OK(write_file(file, schema_of(type), Sync::kNo));
    const auto text = read_file(file);
    ASSERT_OK(text);
    EXPECT_EQ(*text, schema_of(type)) << file << ": make it with GIT_TXN_GOLDEN=write";
  }
}

TEST(EventDocuments, TheTableIsMadeOfTheFieldLists) {
  std::string text = read_file(events_document_file()).value();
  const std::size_t head = text.find(kTableHead);
  ASSERT_NE(head, std::string::npos);
  const std::size_t first = head + kTableHead.size();
  const std::size_t end = text.find("\n\n", first) + 1;
  if (writes_goldens()) {
    text.replace(first, end - first, event_table());
    ASSERT_OK(write_file(events_document_file(), text, Sync::kNo));
  } else {
    EXPECT_EQ(text.substr(first, end - first), event_table())
        << events_document_file() << ": make it with GIT_TXN_GOLDEN=write";
  }
}

// Of random values as its list allows them: what was written is what the schema says, and is read
// and written again as it was.
TEST(EventDocuments, EveryPayloadComesBackAsItWasWritten) {
  constexpr int kTries = 20'000;
  constexpr int kEach = 40;
  Random random(gittxn::testing::told_seed());
  for (const std::string& type : events::types()) {
    const EventRule& rule = *rule_of(type);
    const Json schema = parse_json(schema_of(type)).value();
    int seen = 0;
    for (int i = 0; i < kTries && seen < kEach; ++i) {
      gittxn::testing::RandomFields any(random);
      const Json written =
          json_of([&](FieldIo& writer) { rule.accepting.payload({&any, &writer}); });
      if (any.refused()) continue;  // values that do not go together
      ++seen;
      Json again;
      const Status read = read_json(written, type, [&](FieldIo& reader) {
        again = json_of([&](FieldIo& second) { rule.accepting.payload({&reader, &second}); });
      });
      ASSERT_TRUE(read) << dump_json(written) << ": " << read.error().message;
      EXPECT_EQ(again, written);
      // Of these the list says more than a new one may have.
      const bool fewer = type == event_type::kTxnBegun || type == event_type::kWorkflowCreated ||
                         type == event_type::kHandlerEnded;
      if (fewer) continue;
      ASSERT_EQ(schema_problem(schema, written), "") << type << ": " << dump_json(written);
    }
    EXPECT_EQ(seen, kEach) << type;
  }
}

}  // namespace
}  // namespace gittxn::store::testing
