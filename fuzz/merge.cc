// Three versions of a file in a language that the first byte chooses, behind it, each ended by a
// line with a form feed; what is missing is empty.
#include "semantic/merge.h"

#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn::semantic;
  constexpr std::string_view kNames[] = {
      "c",    "cpp",  "python", "go",   "java", "javascript", "typescript", "rust", "json",
      "yaml", "toml", "csharp", "ruby", "php",  "kotlin",     "bash",       "tsx"};
  if (size == 0) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  Sides<std::string> texts;
  for (std::string& text : texts) {
    const std::size_t end = std::min(rest.find("\f\n"), rest.size());
    text = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 2));
  }
  const auto merged = merge_file(find_language(kNames[data[0] % std::size(kNames)]), texts, {});
  CHECK(merged);
  const auto& [base, left, right] = texts;
  if (left == right || right == base) CHECK(merged->clean() && merged->text == left);
  if (left == base) CHECK(merged->clean() && merged->text == right);
  if (!merged->clean()) CHECK(!merged->why.empty());
  return 0;
}
