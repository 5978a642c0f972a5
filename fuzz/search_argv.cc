// Argument vectors of searchers: what is taken for a query comes back from its JSON, and may be
// asked of a tree without harm.
#include <vector>

#include "base/json.h"
#include "fuzz/check.h"
#include "search/argv.h"
#include "search/evaluate.h"
#include "search/testing/world.h"

namespace {

using namespace gittxn;

struct World {
  World() {
    const auto put = [&](const char* path, const char* text) {
      files[path] = {FileMode::kFile, store.put(text)};
    };
    put("a.c", "int foo;\nFoo bar\n");
    put("src/b.rs", "fn foo() {}\n");
    put("src/sub/.hidden", "x\n");
    put(".gitignore", "*.o\nbuild/\n");
    put("build/a.o", "foo\n");
  }
  search::testing::Files files;
  search::testing::Store store;
};

}  // namespace

// The first byte chooses the program, each line after it is a word.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const World world;
  static constexpr const char* kPrograms[] = {"grep", "rg", "git", "find", "fd", "ls"};
  if (size == 0 || size > 4096) return 0;
  const std::string name = kPrograms[data[0] % std::size(kPrograms)];
  std::vector<std::string> argv{name};
  if (name == "git") argv.emplace_back("grep");
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('\n'));
    argv.emplace_back(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  search::Surroundings around;
  around.top = "/tree";
  around.env = {{"LC_ALL", "C.UTF-8"}};
  around.git_settings = around.outside_rules = search::Vouched::kYes;
  around.is_revision = [](const std::string&) { return false; };
  const auto query = search::query_from_argv("/usr/bin/" + name, argv, around);
  if (!query) {
    CHECK(!query.error().reason.empty());
    return 0;
  }
  const auto again = search::query_from_text(search::query_text(*query));
  CHECK(again && *again == *query);
  const search::testing::MapTree tree(world.files, world.store);
  const auto scope = search::scope_of(*query, tree);
  const auto answer = search::evaluate(*query, tree);
  CHECK(scope.has_value() || !answer.has_value());
  if (answer) CHECK(answer->files == scope->files && answer->directories == scope->directories);
  CHECK(search::judge(*query, tree, tree, {}, {}).holds || !answer);
  return 0;
}
