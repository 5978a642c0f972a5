// The protocol: both eras, what is refused with which code, and that no input breaks it.
#include "mcp/session.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include <thread>

#include "api/agents.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/testing/temp_dir.h"
#include "mcp/server.h"

namespace gittxn::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kMeta =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{},"claudecode/toolUseId":"toolu_7"})";

class Protocol : public ::testing::Test {
 protected:
  gittxn::testing::TempDir dir;
  SystemClock clock;
  std::optional<api::TreeTools> tools;
  std::optional<Session> session;

  void SetUp() override {
    ASSERT_TRUE(make_dirs(dir.path() + "/tree/src"));
    ASSERT_TRUE(make_dirs(dir.path() + "/observed"));
    ASSERT_TRUE(write_file(dir.path() + "/tree/src/a.c", "int a;\nint b;\n", Sync::kNo));
    api::Host host;
    host.cwd = dir.path() + "/tree";
    host.clock = &clock;
    auto opened = api::TreeTools::open(host, dir.path() + "/observed");
    ASSERT_TRUE(opened) << opened.error().message;
    tools.emplace(*std::move(opened));
    session.emplace(*tools, "0.1");
  }
  std::string line(const std::string& text) { return session->answer(parse_message(text), {}); }
  Json ask(const std::string& text) {
    const auto parsed = parse_json(line(text));
    return parsed ? *parsed : Json("no answer");
  }
  Json ask(const std::string& method, const std::string& params) {
    return ask(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}");
  }
  void shake_hands() {
    const Json hello =
        ask("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                          R"("clientInfo":{"name":"codex-mcp-client","version":"1"}})");
    ASSERT_EQ(hello["result"]["protocolVersion"], "2025-11-25");
  }
  void tell(int number) {
    const api::Brief brief{number, Oid(std::string(40, 'a')), "main", {{"src/a.c", "Pat", ""}}};
    ASSERT_TRUE(api::write_brief(dir.path() + "/observed", brief));
  }
  std::vector<Json> recorded() {
    const auto text = read_file(dir.path() + "/observed/mcp.jsonl");
    std::vector<Json> all;
    for (std::string_view rest = text ? std::string_view(*text) : ""; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const auto parsed = parse_json(rest.substr(0, end));
      EXPECT_TRUE(parsed);
      if (parsed) all.push_back((*parsed)["observation"]);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return all;
  }
};

int code_of(const Json& answer) {
  return answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
}

TEST_F(Protocol, TheOlderEraShakesHands) {
  const Json hello =
      ask("initialize", R"({"protocolVersion":"2025-06-18","capabilities":{},)"
                        R"("clientInfo":{"name":"codex-mcp-client","version":"1"}})");
  EXPECT_EQ(hello["jsonrpc"], "2.0");
  EXPECT_EQ(hello["id"], 1);
  EXPECT_EQ(hello["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(hello["result"]["serverInfo"]["name"], "git-txn");
  EXPECT_TRUE(hello["result"]["capabilities"].contains("tools"));
  EXPECT_THAT(hello["result"]["instructions"].text(), HasSubstr("transaction"));
  EXPECT_EQ(line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
  const Json tools_listed = ask("tools/list", "{}");
  EXPECT_THAT(tools_listed["result"]["tools"], SizeIs(6));
  EXPECT_FALSE(tools_listed["result"].contains("resultType"));
  for (const Json& tool : tools_listed["result"]["tools"]) {  // else clients leave the tool out
    EXPECT_TRUE(tool["inputSchema"]["properties"].is_object()) << dump_json(tool);
    EXPECT_TRUE(tool["inputSchema"]["required"].is_array()) << dump_json(tool);
  }
  const Json read = ask(
      "tools/call", R"({"name":"read","arguments":{"path":"src/a.c"},"_meta":{"callId":"c9"}})");
  EXPECT_EQ(read["result"]["content"][0]["text"], "int a;\nint b;\n");
  EXPECT_EQ(read["result"]["isError"], false);
  ASSERT_THAT(recorded(), SizeIs(1));
  EXPECT_EQ(recorded()[0]["tool_use_id"], "c9");
  EXPECT_EQ(recorded()[0]["program"], "codex");
  EXPECT_EQ(ask("ping", "{}")["result"], Json::object());
}

TEST_F(Protocol, AVersionWeDoNotSpeakIsAnsweredWithOneWeDo) {
  for (const char* version : {"2024-11-05", "2025-03-26", "1900-01-01", "2026-07-28"}) {
    const Json hello = ask("initialize", std::string(R"({"protocolVersion":")") + version + "\"}");
    EXPECT_EQ(hello["result"]["protocolVersion"], "2025-11-25") << version;
  }
  EXPECT_EQ(code_of(ask("initialize", "{}")), kInvalidParams);
}

TEST_F(Protocol, TheNewerEraNamesItsVersionInEachRequest) {
  const std::string meta = std::string(R"({"_meta":)") + kMeta + "}";
  const Json found = ask("server/discover", meta)["result"];
  EXPECT_EQ(found["supportedVersions"][0], "2026-07-28");
  EXPECT_EQ(found["resultType"], "complete");
  EXPECT_EQ(found["ttlMs"], 0);
  EXPECT_EQ(found["cacheScope"], "private");
  EXPECT_EQ(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "git-txn");
  EXPECT_EQ(ask("tools/list", meta)["result"]["cacheScope"], "private");
  const Json read =
      ask("tools/call", std::string(R"({"name":"read","arguments":)") +
                            R"({"path":"src/a.c","offset":2},"_meta":)" + kMeta + "}");
  EXPECT_EQ(read["result"]["resultType"], "complete");
  EXPECT_EQ(read["result"]["content"][0]["text"], "int b;\n");
  EXPECT_EQ(recorded()[0]["tool_use_id"], "toolu_7");
  EXPECT_EQ(recorded()[0]["program"], "claude-code");
  // What the newer era has done without.
  for (const char* gone : {"ping", "logging/setLevel", "resources/list", "nonsense"}) {
    EXPECT_EQ(code_of(ask(gone, meta)), kMethodNotFound) << gone;
  }
}

TEST_F(Protocol, AnUnknownVersionIsAnsweredWithTheKnownOnes) {
  const Json wrong =
      ask("tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01",)"
                        R"("io.modelcontextprotocol/clientCapabilities":{}}})");
  EXPECT_EQ(code_of(wrong), kUnsupportedVersion);
  EXPECT_EQ(wrong["error"]["data"]["requested"], "2027-01-01");
  EXPECT_EQ(wrong["error"]["data"]["supported"],
            Json::array({"2026-07-28", "2025-11-25", "2025-06-18"}));
  EXPECT_EQ(code_of(ask("tools/list",
                        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})")),
            kInvalidParams)
      << "without its capabilities";
  EXPECT_EQ(
      code_of(ask("tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":5}})")),
      kUnsupportedVersion);
  EXPECT_EQ(code_of(ask("tools/list", "{}")), kInvalidParams) << "before any handshake";
}

TEST_F(Protocol, BadMessagesAreAnsweredByTheirCodes) {
  shake_hands();
  EXPECT_EQ(code_of(ask("{")), kParseError);
  EXPECT_EQ(ask("{")["id"], Json());
  EXPECT_EQ(code_of(ask("[]")), kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")), kInvalidRequest);
  EXPECT_EQ(code_of(ask("3")), kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"({"id":1,"method":"ping"})")), kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":null,"method":"ping"})")), kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})")), kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":{},"method":"ping"})")), kInvalidRequest);
  EXPECT_EQ(
      code_of(ask(R"({"jsonrpc":"2.0","id":")" + std::string(2000, 'x') + R"(","method":"ping"})")),
      kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":1})")), kInvalidRequest);
  EXPECT_EQ(code_of(ask(R"({"jsonrpc":"2.0","id":1,"method":7})")), kInvalidRequest);
  EXPECT_EQ(code_of(ask("ping", "[]")), kInvalidParams);
  EXPECT_EQ(code_of(ask(std::string(5000, '['))), kParseError) << "too deep";
  EXPECT_EQ(code_of(ask("resources/list", "{}")), kMethodNotFound);
  EXPECT_EQ(code_of(ask("tools/list", R"({"cursor":"2"})")), kInvalidParams);
  EXPECT_EQ(code_of(ask("tools/call", "{}")), kInvalidParams);
  EXPECT_EQ(code_of(ask("tools/call", R"({"name":"rm"})")), kInvalidParams);
  const Json named = ask(R"({"jsonrpc":"2.0","id":"n","method":"nothing"})");
  EXPECT_EQ(named["id"], "n");
  // Nobody waits for an answer to these.
  EXPECT_EQ(line(R"({"jsonrpc":"2.0","method":"notifications/whatever"})"), "");
  EXPECT_EQ(line(R"({"jsonrpc":"2.0","id":4,"result":{}})"), "");
  EXPECT_EQ(line(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})"), "");
}

TEST_F(Protocol, AToolSaysWhatIsWrongToTheModel) {
  shake_hands();
  const auto text = [&](const std::string& params) {
    const Json answer = ask("tools/call", params);
    EXPECT_EQ(answer["result"]["isError"], true) << params;
    return answer["result"]["content"][0]["text"].text();
  };
  EXPECT_THAT(text(R"({"name":"read"})"), HasSubstr("'path' is needed"));
  EXPECT_THAT(text(R"({"name":"read","arguments":[]})"), HasSubstr("object"));
  EXPECT_THAT(text(R"({"name":"read","arguments":{"path":5}})"), HasSubstr("a string"));
  EXPECT_THAT(text(R"({"name":"read","arguments":{"path":"a","offset":"1"}})"),
              HasSubstr("number"));
  EXPECT_THAT(text(R"({"name":"read","arguments":{"path":"a","offset":-1}})"), HasSubstr("number"));
  EXPECT_THAT(text(R"({"name":"read","arguments":{"path":"a","ofset":1}})"), HasSubstr("'ofset'"));
  EXPECT_THAT(text(R"({"name":"read","arguments":{"path":"../x"}})"), HasSubstr("out of the"));
  EXPECT_THAT(text(R"({"name":"read","arguments":{"path":"none"}})"), HasSubstr("does not exist"));
  EXPECT_THAT(text(R"({"name":"search","arguments":{"pattern":"("}})"), HasSubstr("pattern"));
  EXPECT_THAT(text(R"({"name":"search","arguments":{"pattern":"a","glob":[1]}})"),
              HasSubstr("list"));
  EXPECT_THAT(text(R"({"name":"declare_read","arguments":{"paths":[]}})"), HasSubstr("is needed"));
  EXPECT_THAT(text(R"({"name":"declare_read","arguments":{"paths":["a:3-1"]}})"),
              HasSubstr("lines"));
}

TEST_F(Protocol, EveryToolAnswers) {
  shake_hands();
  const auto text = [&](const std::string& params) {
    const Json answer = ask("tools/call", params);
    EXPECT_EQ(answer["result"]["isError"], false) << dump_json(answer);
    return answer["result"]["content"][0]["text"].text();
  };
  EXPECT_EQ(text(R"({"name":"search","arguments":{"pattern":"int [ab]"}})"),
            "src/a.c:1:int a;\nsrc/a.c:2:int b;\n");
  EXPECT_EQ(text(R"({"name":"search","arguments":{"pattern":"int","glob":"*.h"}})"),
            "no matches\n");
  EXPECT_EQ(text(R"({"name":"list","arguments":{}})"), "src/\n");
  EXPECT_EQ(text(R"({"name":"list"})"), "src/\n");
  EXPECT_EQ(text(R"({"name":"list","arguments":{"glob":"*.c"}})"), "src/a.c\n");
  EXPECT_EQ(text(R"({"name":"declare_read","arguments":{"paths":["src/a.c:1-2"],"reason":"r"}})"),
            "1 declared");
  ASSERT_TRUE(write_file(dir.path() + "/observed/txn.json", R"({"id":"t-1"})", Sync::kNo));
  const auto status = parse_json(text(R"({"name":"status","arguments":{}})"));
  ASSERT_TRUE(status);
  EXPECT_EQ((*status)["recording"], true);
  EXPECT_EQ((*status)["transaction"]["id"], "t-1");
  EXPECT_EQ((*status)["recorded"], 6);
  EXPECT_EQ((*status)["stale"], Json::array());
}

TEST_F(Protocol, ABriefIsToldOnceWithAnAnswerAndAsAMessage) {
  EXPECT_EQ(session->news_line({1, "src/a.c", {}}), "") << "nobody has shaken hands";
  shake_hands();
  const auto told = parse_json(session->news_line({1, "src/a.c", {}}));
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)["method"], "notifications/message");
  EXPECT_EQ((*told)["params"]["level"], "warning");
  EXPECT_EQ((*told)["params"]["data"], "src/a.c");
  EXPECT_EQ(session->news_line({}), "") << "there is nothing to tell";
  EXPECT_FALSE(told->contains("id"));
  tell(1);
  const char* list = R"({"name":"list"})";
  const Json with = ask("tools/call", list)["result"]["content"];
  ASSERT_THAT(with, SizeIs(2));
  EXPECT_THAT(with[1]["text"].text(), HasSubstr("src/a.c"));
  EXPECT_THAT(ask("tools/call", list)["result"]["content"], SizeIs(1));
  EXPECT_EQ(ask("logging/setLevel", R"({"level":"error"})")["result"], Json::object());
  EXPECT_EQ(session->news_line({1, "src/a.c", {}}), "");
  tell(2);
  EXPECT_THAT(ask("tools/call", list)["result"]["content"], SizeIs(2)) << "a later one is news";
  EXPECT_EQ(code_of(ask("logging/setLevel", R"({"level":"loud"})")), kInvalidParams);
}

TEST_F(Protocol, BytesThatAreNotUtf8AreReplacedAndSaidToBe) {
  shake_hands();
  ASSERT_TRUE(write_file(dir.path() + "/tree/latin1", "caf\xe9\n", Sync::kNo));
  const Json content =
      ask("tools/call", R"({"name":"read","arguments":{"path":"latin1"}})")["result"]["content"];
  EXPECT_EQ(content[0]["text"], "caf\xef\xbf\xbd\n");
  EXPECT_THAT(content[1]["text"].text(), HasSubstr("UTF-8"));
}

// The server on pipes.
class OnPipes : public Protocol {
 protected:
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  void SetUp() override {
    Protocol::SetUp();
    ASSERT_EQ(::pipe2(in, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
  }
  void TearDown() override {
    for (const int fd : {in[0], in[1], out[0], out[1]}) {
      if (fd >= 0) ::close(fd);
    }
  }
  void close_end(int& fd) {
    ::close(fd);
    fd = -1;
  }
  // Everything that is answered to `input`, which then ends.
  std::vector<Json> run(const std::string& input) {
    std::thread writer([&] {
      EXPECT_TRUE(write_all(in[1], input));
      close_end(in[1]);
    });
    Status served;
    std::thread server([&] {
      served = serve(*tools, {in[0], out[1], "0.1", {}});
      close_end(out[1]);
    });
    const auto text = read_fd(out[0]);
    writer.join();
    server.join();
    EXPECT_TRUE(served);
    std::vector<Json> lines;
    for (std::string_view rest = text ? std::string_view(*text) : ""; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      EXPECT_NE(end, rest.npos);
      const auto parsed = parse_json(rest.substr(0, end));
      EXPECT_TRUE(parsed);
      if (parsed) lines.push_back(*parsed);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
  }
};

std::string hello() {
  return R"({"jsonrpc":"2.0","id":"h","method":"initialize",)"
         R"("params":{"protocolVersion":"2025-06-18"}})"
         "\n";
}
std::string ping(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"ping"})" + "\n";
}

TEST_F(OnPipes, ManyRequestsAreAllAnsweredInOrderAndThenItEnds) {
  std::string input = hello() + "\n \r\n";
  for (int i = 0; i < 2000; ++i) input += ping(i);
  input += R"({"jsonrpc":"2.0","id":"last","method":"ping"})";  // without an end
  const std::vector<Json> lines = run(input);
  ASSERT_THAT(lines, SizeIs(2002));
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(lines[static_cast<std::size_t>(i) + 1]["id"], i);
  EXPECT_EQ(lines.back()["id"], "last");
}

TEST_F(OnPipes, AnOversizedLineIsRefusedAndTheNextOneAnswered) {
  const std::vector<Json> lines =
      run(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(9u << 20, 'x') + "\"}\n" + ping(2));
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(code_of(lines[0]), kParseError);
  EXPECT_EQ(lines[1]["id"], 2);
}

TEST_F(OnPipes, WhatWasCancelledBeforeItsTurnIsNotAnswered) {
  const std::string call = R"({"jsonrpc":"2.0","id":7,"method":"tools/call",)"
                           R"("params":{"name":"read","arguments":{"path":"src/a.c"}}})"
                           "\n";
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})"
      "\n";
  // In one write below the size of a pipe's buffer, so that both are there when the turn comes.
  const std::vector<Json> lines = run(hello() + call + cancel + ping(8));
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["id"], "h");
  EXPECT_EQ(lines[1]["id"], 8);
  EXPECT_THAT(recorded(), SizeIs(0));
}

TEST_F(OnPipes, ANewBriefIsToldWithoutBeingAskedFor) {
  std::thread server([&] { EXPECT_TRUE(serve(*tools, {in[0], out[1], "0.1", {}})); });
  ASSERT_TRUE(write_all(in[1], hello()));
  std::string text;
  const auto read_line = [&] {
    text.clear();
    for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) text += c;
    return parse_json(text);
  };
  ASSERT_TRUE(read_line());
  tell(1);
  const auto told = read_line();
  ASSERT_TRUE(told) << text;
  EXPECT_EQ((*told)["method"], "notifications/message");
  close_end(in[1]);
  server.join();
}

TEST_F(OnPipes, AClientThatIsGoneEndsIt) {
  close_end(out[0]);
  ASSERT_EQ(::signal(SIGPIPE, SIG_IGN), SIG_DFL);
  ASSERT_TRUE(write_all(in[1], hello() + ping(1)));
  EXPECT_TRUE(serve(*tools, {in[0], out[1], "0.1", {}})) << "with its input still open";
  ::signal(SIGPIPE, SIG_DFL);
}

}  // namespace
}  // namespace gittxn::mcp
