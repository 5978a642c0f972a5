// Argument vectors of any program: what makes one a question does not depend on where the program
// is, is told the same twice, and is never an option that no list has.
#include <algorithm>
#include <vector>

#include "fuzz/check.h"
#include "questions/question.h"

namespace {

using namespace gittxn;

// Their words are no options, or end with the first of them.
bool takes_any_word(const std::string& name) {
  static constexpr const char* kNames[] = {"echo", "printf", "true", "false", "basename"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

// The first byte chooses the program, each line after it is a word.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr const char* kPrograms[] = {
      "sed",    "jq",   "git",  "find",    "grep",  "rg",     "diff",  "sort",   "xxd", "test",
      "pytest", "node", "make", "python3", "npm",   "npx",    "cmake", "ctest",  "go",  "cargo",
      "mvn",    "tail", "ls",   "echo",    "ninja", "printf", "tsc",   "gradle", "cut", "strings"};
  if (size == 0 || size > 4096) return 0;
  const std::string name = kPrograms[data[0] % std::size(kPrograms)];
  std::vector<std::string> argv{name};
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('\n'));
    argv.emplace_back(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  const questions::Classified asked = questions::classify(argv);
  argv[0] = "/usr/bin/" + name;
  const questions::Classified again = questions::classify(argv);
  CHECK(asked.has_value() == again.has_value());
  if (!asked) {
    CHECK(!asked.error().reason.empty() && asked.error().reason == again.error().reason);
    return 0;
  }
  CHECK(*asked == *again && !asked->name.empty());
  CHECK(asked->kind == questions::Kind::kRunner || !asked->tests);
  // An option behind all words is one, unless it is the value of those before it.
  if (takes_any_word(name) || std::ranges::find(argv, "--") != argv.end()) return 0;
  argv.insert(argv.end(), 3, "--no-such-option-there-is");
  CHECK(!questions::classify(argv));
  return 0;
}
