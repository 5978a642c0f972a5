// Texts that hold code in other languages: Markdown with fenced blocks, and components (.vue,
// .svelte) with their scripts. Each block is merged as what it is, where the three versions have
// the same blocks.
//
// Pure.
#pragma once

#include <string_view>
#include <vector>

#include "semantic/language.h"

namespace gittxn::semantic {

struct TextBlock {
  std::string_view text;
  bool code = false;
  const Language* language = nullptr;  // of code; nullptr when it is unknown
};

// The blocks of a text, in order, which together are the text: what stands around code, with the
// lines that open and close it, and the code. A line that opens code in Markdown stands alone.
// Empty for files of another kind, and where a block does not end.
std::vector<TextBlock> blocks_of(std::string_view path, std::string_view text);

}  // namespace gittxn::semantic
