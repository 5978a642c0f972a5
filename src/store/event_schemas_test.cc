// The published schema of each event's payload (share/schemas/events) and what the projection takes
// are the same: what a builder makes passes both, and a field too few or too many passes neither.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/json.h"
#include "store/events.h"
#include "store/log/feed.h"
#include "store/testing/check.h"
#include "store/testing/every_event.h"
#include "store/testing/golden_log.h"
#include "store/testing/json_schema.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Tries variants of each event before it appends it.
class Checking final : public Teller {
 public:
  explicit Checking(Store& store) : store_(store) {}

  void tell(const NewEvent& event) override {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, event.type);
    const auto found = published_schema(event.type);
    ASSERT_TRUE(found) << "there is no schema of it";
    EXPECT_EQ((*found)["$id"], schema_uri(event.type, 1));
    const Json& schema = *found;
    const Json payload = parse_json(event.payload).value();
    EXPECT_EQ(schema_problem(schema, payload), "");
    refused(event, schema, with(payload, "one_too_many", 1));
    refused(event, schema, Json::array());
    for (const auto& [key, value] : payload.items()) {
      const Json& required = (*found)["required"];
      if (std::find(required.begin(), required.end(), Json(key)) == required.end()) continue;
      Json without = payload;
      without.erase(key);
      refused(event, schema, without);
      const Json other = value.is_object() ? Json(7) : Json::object({{"of", "another type"}});
      refused(event, schema, with(payload, key, other));
    }
    ASSERT_OK(store_.append({event}));
    told_.insert(event.type);
  }
  const std::set<std::string>& told_types() const { return told_; }

 private:
  static Json with(Json payload, const std::string& key, const Json& value) {
    payload[key] = value;
    return payload;
  }

  void refused(NewEvent event, const Json& schema, const Json& payload) {
    EXPECT_NE(schema_problem(schema, payload), "") << dump_json(payload);
    event.payload = canonical_json(payload);
    event.dedup_key = fmt::format("variant:{}", ++variants_);
    EXPECT_FALSE(store_.append({event})) << "the projection took " << event.payload;
  }

  Store& store_;
  std::set<std::string> told_;
  int variants_ = 0;
};

TEST(EventSchemas, AreWhatTheProjectionsTake) {
  TempStore place;
  Store store = place.open();
  Checking teller(store);
  tell_every_event(teller, store);
  for (const std::string& type : events::types()) {
    EXPECT_TRUE(teller.told_types().contains(type)) << type << " is not told of here";
  }
}

TEST(EventSchemas, AreThoseOfTheTypesThereAre) {
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator(schemas_dir())) {
    const std::string name = entry.path().filename();
    ASSERT_TRUE(name.ends_with(".v1.json")) << name;
    there.insert(name.substr(0, name.size() - 8));
  }
  const std::vector<std::string> types = events::types();
  EXPECT_EQ(there, std::set<std::string>(types.begin(), types.end()));
}

TEST(EventSchemas, AreJudgedByACheckerThatKnowsEveryWordOfThem) {
  for (const std::string& type : events::types()) {
    const std::string problem = schema_problem(published_schema(type).value(), Json::object());
    EXPECT_EQ(problem.find("does not know"), std::string::npos) << type << problem;
  }
  EXPECT_NE(schema_problem(Json{{"if", true}}, Json()).find("does not know 'if'"),
            std::string::npos);
}

}  // namespace
}  // namespace gittxn::store
