/* npm's scanner of Ruby with a check that it lacks: it keeps the length of a here-document's word in
   one byte, and counts two bytes of the four before each word when it looks whether there is room. A
   word of 256 letters made the parser stop at an assertion or, without those, read past its state.
   What does not fit is not kept, so the file has errors there and nothing worse. */
#define tree_sitter_ruby_external_scanner_serialize ruby_serialize_unchecked
#include "scanner.c"
#undef tree_sitter_ruby_external_scanner_serialize

unsigned tree_sitter_ruby_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  size_t size = 2 + 5 * (size_t)scanner->literal_stack.size;
  for (uint32_t i = 0; i < scanner->open_heredocs.size; ++i) {
    const size_t word = scanner->open_heredocs.contents[i].word.size;
    if (word > UINT8_MAX) return 0;
    size += 4 + word;
  }
  if (size > TREE_SITTER_SERIALIZATION_BUFFER_SIZE) return 0;
  return ruby_serialize_unchecked(payload, buffer);
}
