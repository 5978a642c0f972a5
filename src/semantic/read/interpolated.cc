#include "semantic/read/interpolated.h"

#include <algorithm>
#include <cstddef>

#include "semantic/kinds.h"
#include "semantic/read/patterns.h"

namespace gittxn::semantic {
namespace {

bool in_word(char c) {
  return is_word_byte(c) || c == '$';
}

std::size_t skip_spaces(std::string_view code, std::size_t at) {
  while (at < code.size() && is_space(code[at])) ++at;
  return at;
}

// The place behind the string that begins at `at`.
std::size_t behind_quoted(std::string_view code, std::size_t at) {
  const char quote = code[at];
  for (++at; at < code.size() && code[at] != quote; ++at) {
    if (code[at] == '\\') ++at;
  }
  return std::min(at + 1, code.size());
}

bool opens_text(char c) {
  return c == '"' || c == '\'' || c == '`';
}

// The arguments between the parentheses that open at `at`; -1: they do not close.
int arguments_at(std::string_view code, std::size_t at) {
  int depth = 0, commas = 0;
  bool any = false;
  while (at < code.size()) {
    const char c = code[at];
    if (opens_text(c)) {
      at = behind_quoted(code, at);
      any = true;
      continue;
    }
    if (std::string_view(")]}").contains(c) && --depth == 0) return any ? commas + 1 : 0;
    if (c == ',' && depth == 1) {
      ++commas;
    } else if (depth > 0 && !is_space(c)) {
      any = true;
    }
    if (std::string_view("([{").contains(c)) ++depth;
    ++at;
  }
  return -1;
}

class CodeInString {
 public:
  CodeInString(const Tree& tree, const Node& string, std::string_view code,
               std::vector<NameRead>* names)
      : tree_(tree), string_(string), code_(code), names_(*names) {}

  void run() {
    for (std::size_t at = 0; at < code_.size();) {
      if (opens_text(code_[at])) {
        const std::size_t end = behind_quoted(code_, at);
        quoted(code_.substr(at + 1, std::max(end, at + 2) - at - 2));
        at = end;
      } else if (in_word(code_[at])) {
        std::size_t end = at;
        while (end < code_.size() && in_word(code_[end])) ++end;
        if (is_identifier(code_.substr(at, end - at))) name(at, end);
        at = end;
      } else {
        ++at;
      }
    }
  }

 private:
  void quoted(std::string_view text) {
    if (is_identifier(text)) return names_.push_back({text, {}, UseRole::kText});
    for (const std::string_view word : words_of(text)) names_.push_back({word, {}});
  }

  // The place of the dot that `at` stands behind; npos: it does not.
  std::size_t dot_before(std::size_t at) const {
    while (at > 0 && is_space(code_[at - 1])) --at;
    const bool dot = at > 0 && code_[at - 1] == '.' && (at < 2 || code_[at - 2] != '.');
    return dot ? at - 1 : std::string_view::npos;
  }

  std::string_view owner_before(std::size_t dot) const {
    std::size_t end = dot;
    while (end > 0 && std::string_view("?!").contains(code_[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && in_word(code_[begin - 1])) --begin;
    const std::string_view owner = code_.substr(begin, end - begin);
    return is_identifier(owner) ? owner : std::string_view();
  }

  void name(std::size_t begin, std::size_t end) {
    NameRead& read = names_.emplace_back();
    read.name = code_.substr(begin, end - begin);
    const std::size_t next = skip_spaces(code_, end);
    if (next < code_.size() && code_[next] == '(') {
      read.role = UseRole::kCall;
      read.arity = arguments_at(code_, next);
    }
    if (const std::size_t dot = dot_before(begin); dot != std::string_view::npos) {
      read.role = UseRole::kMember;
      read.qualifier = owner_before(dot);
      read.of_local = !read.qualifier.empty() && tree_.is_local_in(string_, read.qualifier);
      return;
    }
    // The name of a key or of an argument, or what stands before the format of a value.
    const bool told = next < code_.size() && (code_[next] == ':' || code_[next] == '=') &&
                      !code_.substr(next).starts_with("==");
    read.local = !told && tree_.is_local_in(string_, read.name);
  }

  const Tree& tree_;
  const Node& string_;
  std::string_view code_;
  std::vector<NameRead>& names_;
};

}  // namespace

bool holds_code(const Language& language, std::string_view text) {
  if (is_any(language.name, {"javascript", "typescript", "tsx"})) return text.starts_with('`');
  if (language.name != "python") return false;
  const std::string_view prefix = text.substr(0, text.find_first_of("\"'"));
  return prefix.size() < text.size() && prefix.find_first_of("fF") != prefix.npos;
}

void names_in_braces(const Tree& tree, const Node& string, std::string_view code,
                     std::vector<NameRead>* names) {
  CodeInString(tree, string, code, names).run();
}

}  // namespace gittxn::semantic
