#include "agents/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/testing/describe.h"
#include "base/json.h"

namespace gittxn::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Kept;

std::string text(std::string_view key, std::string_view value) {
  return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}})", key, value);
}
std::string exported(std::string_view spans) {
  return fmt::format(R"({{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":)"
                     R"([{{"scope":{{}},"spans":[{}]}}]}}]}})",
                     text("session.id", "of the resource"), spans);
}
std::string span(std::string_view attributes, std::string_view rest = R"("name":"x")") {
  return fmt::format(R"({{"traceId":"aa","spanId":"bb","startTimeUnixNano":"1795252680159000000",)"
                     R"("endTimeUnixNano":"1795252681000999999",{},"attributes":[{}]}})",
                     rest, attributes);
}
std::string tool(std::string_view name, std::string_view arguments) {
  return span(text("gen_ai.tool.name", name) + "," + text("gen_ai.tool.call.arguments", arguments));
}
std::vector<std::string> spans(std::string_view list, Tally* tally = nullptr) {
  Kept kept;
  Tally own;
  observe_otel(exported(list), kept.sink(), tally != nullptr ? *tally : own);
  auto lines = kept.lines();
  for (auto& line : lines) {
    EXPECT_TRUE(line.ends_with(" declared")) << line;
    line.resize(line.size() - std::string_view(" declared").size());
  }
  return lines;
}

TEST(Otel, ToolSpansWithFiles) {
  EXPECT_THAT(
      spans(tool("read_file", R"({\"path\":\"src/a.c\"})") + "," +
            tool("edit_file", R"({\"file_path\":\"../b\"})") + "," +
            tool("write_file", R"({\"filename\":\"c\"})") + "," +
            tool("delete_file", R"({\"target_file\":\"d\"})") + "," +
            tool("list_dir", R"({\"relative_workspace_path\":\"src\"})") + "," +
            tool("grep_search", R"({\"query\":\"add\",\"path\":\"src\"})") + "," +
            tool("read_many_files", R"({\"paths\":[\"a\",\"file:///b%20c\",7]})") + "," +
            tool("fetch", R"({\"url\":\"https://x\"})") + "," +
            tool("shell", R"({\"command\":\"make\"})") + "," + tool("think", R"({})")),
      ElementsAre("read src/a.c", "read ../b via=edit", "write ../b changed", "write c unknown",
                  "write d removed", "list src", "query grep add root=src", "read a", "read /b c",
                  "url https://x", "command make", "other think"));
}

TEST(Otel, NamesOfOtherConventions) {
  EXPECT_THAT(spans(span(text("openinference.span.kind", "TOOL") + "," +
                             text("input.value", R"({\"input\":{\"path\":\"a\"}})"),
                         R"("name":"read_file")") +
                    "," +
                    span(text("traceloop.span.kind", "tool") + "," +
                         text("traceloop.entity.name", "read_file") + "," +
                         text("traceloop.entity.input", R"({\"inputs\":{\"path\":\"b\"}})")) +
                    "," +
                    span(R"({"key":"tool.parameters","value":{"kvlistValue":{"values":[)" +
                             text("path", "c") + "]}}}",
                         R"("name":"execute_tool read")")),
              ElementsAre("read a", "read b", "read c"));
}

TEST(Otel, KeepsWhoAndWhen) {
  Kept kept;
  Tally tally;
  observe_otel(
      exported(span(text("gen_ai.tool.name", "read") + "," + text("gen_ai.tool.call.id", "call_1") +
                        "," + text("gen_ai.agent.id", "ag") + "," +
                        text("tool.parameters", R"({\"path\":\"a\"})"),
                    R"("status":{"code":2,"message":"a does not exist"})")),
      kept.sink(), tally);
  ASSERT_EQ(kept.all.size(), 1U);
  EXPECT_EQ(kept.all[0].source, ReadSource::kDeclared);
  EXPECT_EQ(kept.all[0].session, "of the resource");
  EXPECT_EQ(kept.all[0].agent, "ag");
  EXPECT_EQ(kept.all[0].tool_use_id, "call_1");
  EXPECT_EQ(kept.all[0].start_ms, 1795252680159);
  EXPECT_EQ(kept.all[0].end_ms, 1795252681000);
  EXPECT_EQ(kept.all[0].outcome, Outcome::kAbsent);
}

TEST(Otel, CountsTokens) {
  Tally tally;
  EXPECT_THAT(spans(span(text("gen_ai.response.model", "m") +
                         R"(,{"key":"gen_ai.usage.input_tokens","value":{"intValue":"12"}})"
                         R"(,{"key":"gen_ai.usage.output_tokens","value":{"intValue":3}})") +
                        "," + span(text("http.method", "GET")),
                    &tally),
              ElementsAre("usage m input=12 output=3"));
  EXPECT_EQ(tally, (Tally{.lines = 2, .unknown = 1}));
}

TEST(Otel, OneDocumentOrOneALine) {
  const std::string one = exported(tool("read", R"({\"path\":\"a\"})"));
  const auto count = [](const std::string& input) {
    Kept kept;
    Tally tally;
    observe_otel(input, kept.sink(), tally);
    return std::pair(kept.all.size(), tally.damaged);
  };
  EXPECT_EQ(count(one), std::pair(1UL, 0UL));
  EXPECT_EQ(count(one + "\n" + one + "\n"), std::pair(2UL, 0UL));
  EXPECT_EQ(count(dump_json(*parse_json(one)).insert(1, "\n")), std::pair(1UL, 0UL));
  EXPECT_EQ(count(one + "\n" + one.substr(9) + "\n" + one), std::pair(2UL, 1UL));
  EXPECT_EQ(count("{\n" + one), std::pair(1UL, 1UL));
  EXPECT_EQ(count(""), std::pair(0UL, 0UL));
  EXPECT_EQ(count("[]"), std::pair(0UL, 1UL));
}

TEST(Otel, SurvivesHostileSpans) {
  std::string deep = R"({"stringValue":"x"})";
  for (int i = 0; i < 17; ++i) deep = R"({"arrayValue":{"values":[)" + deep + "]}}";
  Tally tally;
  EXPECT_THAT(spans(R"(7,[],null,{"attributes":{}},)" +
                        span(R"(7,{"key":"tool.parameters","value":)" + deep + "}"),
                    &tally),
              IsEmpty());
  EXPECT_EQ(tally, (Tally{.lines = 5, .damaged = 3, .unknown = 2}));
  Tally odd;
  EXPECT_THAT(spans(tool("read", R"({\"path\":\"a\\u0000b\",\"uri\":\"app://x\"})"), &odd),
              ElementsAre("other read"));
  EXPECT_EQ(odd.incomplete, 2U);
  Kept kept;
  Tally large;
  observe_otel(std::string(kMaxOtelFile + 1, ' '), kept.sink(), large);
  EXPECT_EQ(large.damaged, 1U);
}

}  // namespace
}  // namespace gittxn::agents
