// What a client writes to the MCP server: any line, in both eras, against a small worktree.
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "fuzz/check.h"
#include "mcp/session.h"
#include "txn/serve/tree_tools.h"

namespace {

using namespace gittxn;

struct World {
  SystemClock clock;
  api::Host host;
  World() {
    std::string dir = "/tmp/git-txn-fuzz.XXXXXX";
    CHECK(::mkdtemp(dir.data()) != nullptr);
    CHECK(make_dirs(dir + "/tree/src") && make_dirs(dir + "/tree/.git"));
    CHECK(write_file(dir + "/tree/src/a.c", "int add(int a, int b);\n", Sync::kNo));
    CHECK(write_file(dir + "/tree/.gitignore", "*.o\n", Sync::kNo));
    host.cwd = dir + "/tree";  // of no transaction: nothing is recorded, so nothing grows
    host.clock = &clock;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  auto tools = api::TreeTools::open(world.host, std::nullopt);
  CHECK(tools);
  mcp::Session session(*tools, "0");
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  if (!rest.empty() && rest[0] % 2 == 0) {  // half of the inputs begin after the handshake
    session.answer(
        mcp::parse_message(
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"),
        {});
  }
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const mcp::Message message = mcp::parse_message(rest.substr(0, end));
    const std::string answer = session.answer(message, {});
    using Kind = mcp::Message::Kind;
    const bool asked = message.kind == Kind::kRequest || message.kind == Kind::kInvalid;
    CHECK(asked == !answer.empty());
    CHECK(answer.find('\n') == answer.npos);
    if (asked) {
      const auto parsed = parse_json(answer);
      CHECK(parsed && (*parsed)["jsonrpc"] == "2.0");
      CHECK(parsed->contains("result") != parsed->contains("error"));
      CHECK(dump_json((*parsed)["id"]) == message.id);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  session.news_line({1, std::string(reinterpret_cast<const char*>(data), size), {}});
  return 0;
}
