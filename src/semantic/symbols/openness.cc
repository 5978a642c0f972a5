#include "semantic/symbols/openness.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "semantic/compare/events.h"
#include "semantic/kinds.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

using OpenWords = std::initializer_list<std::string_view>;

// Takes the words out, and says whether there was any.
bool take(Words* words, OpenWords any_of) {
  return std::erase_if(*words, [&](std::string_view word) { return is_any(word, any_of); }) > 0;
}

bool has_word_in(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Takes out what says of a function in Rust that it can be computed when the program is built.
bool take_computed(std::string_view language, Words* words) {
  const auto function = std::ranges::find(*words, "fn");
  if (language != "rust" || function == words->end()) return false;
  const auto at = std::find(words->begin(), function, "const");
  if (at == function) return false;
  words->erase(at);
  return true;
}

// A rank of how many may see it, by words that are taken out.
int seen_in_java(Words* words) {
  const bool open = has_word_in(*words, "public"), kin = has_word_in(*words, "protected");
  const bool closed = has_word_in(*words, "private");
  take(words, {"public", "protected", "private"});
  return open ? 3 : kin ? 2 : closed ? 0 : 1;
}

int seen_in_script(Words* words) {
  const bool kin = has_word_in(*words, "protected"), closed = has_word_in(*words, "private");
  take(words, {"public", "protected", "private"});
  return closed ? 0 : kin ? 1 : 2;
}

// `pub`, or with where it is visible in parentheses.
int seen_in_rust(Words* words) {
  const auto at = std::ranges::find(*words, "pub");
  if (at == words->end()) return 0;
  const auto open = at + 1;
  const bool some = open != words->end() && *open == "(" && at == words->begin();
  const auto close = some ? std::find(open, words->end(), ")") : words->end();
  const bool part = close != words->end();
  words->erase(at, part ? close + 1 : open);
  return part ? 1 : 2;
}

// The section of a class in C++; what is `static` outside of one is its file's.
int seen_in_c(const Outline& outline, const Outlined& symbol, Words* words) {
  if (!symbol.member) return take(words, {"static"}) ? 0 : 2;
  const std::string& said = symbol.code[static_cast<std::size_t>(Capability::kVisibility)];
  if (said.contains("public")) return 2;
  if (said.contains("protected")) return 1;
  const Outlined& around = outline.symbols[symbol.parent];
  const bool in_class = !around.nodes.empty() && around.nodes.front()->text.starts_with("class");
  return said.contains("private") || (said.empty() && symbol.member && in_class) ? 0 : 2;
}

int seen(const Outline& outline, const Outlined& symbol, Words* words) {
  const std::string_view language = outline.language->name;
  if (language == "java") return seen_in_java(words);
  if (language == "rust") return seen_in_rust(words);
  if (is_any(language, {"c", "cpp"})) return seen_in_c(outline, symbol, words);
  return seen_in_script(words);
}

// Takes out what a method in Java says it throws, and no caller has to catch.
Words take_unchecked(std::string_view language, Words* words) {
  Words taken;
  const auto said = std::ranges::find(*words, "throws");
  if (language != "java" || said == words->end()) return taken;
  const auto left = std::remove_if(said, words->end(), [&](std::string_view word) {
    const bool is =
        is_any(word, {"RuntimeException", "IllegalArgumentException", "IllegalStateException",
                      "NullPointerException", "IndexOutOfBoundsException",
                      "UnsupportedOperationException", "NumberFormatException",
                      "ArithmeticException", "ClassCastException", "UncheckedIOException"});
    if (is) taken.push_back(word);
    return is || word == ",";
  });
  words->erase(left, words->end());
  if (words->back() == "throws") words->pop_back();
  return taken;
}

}  // namespace

bool opens_up(const Outlines& pair, const Outlined& was, const Outlined& is) {
  const std::string_view language = pair.after.language->name;
  if (!is_any(language, {"c", "cpp", "java", "rust", "typescript", "tsx"})) return false;
  if (was.nodes.size() != is.nodes.size() || was.nodes.size() > 1) return false;
  Head before = head_in(pair.before, was), after = head_in(pair.after, is);
  if (!keep_places(before.parameters, after.parameters)) return false;
  const int then = seen(pair.before, was, &before.words), now = seen(pair.after, is, &after.words);
  const std::string_view closing = language == "java"          ? "final"
                                   : language == "rust"        ? "unsafe"
                                   : language.starts_with("t") ? "readonly"
                                                               : "";
  // A constant in a header is what it was for each file, be it there once or once for each.
  const bool in_c = is_any(language, {"c", "cpp"}) && is_header(pair.after.path);
  const bool constant = has_word_in(after.words, "constexpr") || has_word_in(after.words, "const");
  const bool once = in_c && constant && is.kind == "variable" && !is.member &&
                    take(&before.words, {"inline"}) != take(&after.words, {"inline"});
  // A final variable in Java may be a constant that a `case` needs.
  const bool may_end = language != "java" || is_function(is.kind) || is.kind == "type";
  const bool ends = may_end && take(&before.words, {closing}) && !take(&after.words, {closing});
  const bool was_computed = take_computed(language, &before.words);
  const bool is_computed = take_computed(language, &after.words);
  if (was_computed && !is_computed) return false;
  const bool unchecked =
      take_unchecked(language, &before.words) != take_unchecked(language, &after.words);
  const bool more = now > then || ends || once || unchecked || is_computed != was_computed;
  return now >= then && more && before.words == after.words;
}

}  // namespace gittxn::semantic
