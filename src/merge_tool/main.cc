// txn-merge: the merge of one file by itself, to measure it with.
//
//   txn-merge LANGUAGE BASE LEFT RIGHT OUT    0 clean, 1 conflict, 2 an error
#include <cstdio>
#include <string>

#include "base/fs.h"
#include "semantic/merge.h"

namespace {

int run(char** argv) {
  using namespace gittxn;
  semantic::Sides<std::string> texts;
  for (int i = 0; i < 3; ++i) {
    auto text = read_file(argv[2 + i]);
    if (!text) {
      std::fprintf(stderr, "%s\n", text.error().message.c_str());
      return 2;
    }
    texts[static_cast<std::size_t>(i)] = std::move(*text);
  }
  const semantic::Language* language = semantic::find_language(argv[1]);
  if (language != nullptr && !language->fault.empty()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], language->fault.c_str());
    return 2;
  }
  const auto merged = semantic::merge_file(language, texts, {});
  if (!merged || !write_file(argv[5], merged->text, Sync::kNo)) return 2;
  std::fprintf(stderr, "%s %s\n", std::string(rule_name(merged->rule)).c_str(),
               merged->why.c_str());
  return merged->clean() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return argc == 6 ? run(argv) : 2;
}
