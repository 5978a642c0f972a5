#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::vector<Brackets>> scan() {
    while (at_ < text_.size() && !broken_) step();
    if (broken_ || !open_.empty() || !branches_.empty()) return std::nullopt;
    return std::move(found_);
  }

 private:
  struct Open {
    char closing = 0;
    std::size_t pair = 0;  // its place in found_
  };

  char at(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // Past a line's end that a backslash takes away; whether there was one.
  bool joined_line() {
    if (at(0) != '\\') return false;
    const std::size_t end = at(1) == '\r' ? 2 : 1;
    if (at(end) != '\n') return false;
    at_ += end + 1;
    return true;
  }

  void step() {
    const char c = at(0);
    if (joined_line()) return;
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
      return;
    }
    if (c == '/' && (at(1) == '/' || at(1) == '*')) return comment();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
      return;
    }
    if (c == '#' && line_begins_) return directive();
    line_begins_ = false;
    if (is_word_byte(c)) return word();
    if (c == '"' || c == '\'') return quoted(c);
    bracket(c);
    ++at_;
  }

  void comment() {
    if (at(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      broken_ = end == std::string_view::npos;
      if (!broken_) at_ = end + 2;
      return;
    }
    while (at_ < text_.size() && at(0) != '\n') {
      if (!joined_line()) ++at_;
    }
  }

  // A name, or a number, in which C++ has single quotes; one in front of a string may make it raw.
  void word() {
    const std::size_t from = at_;
    const bool number = at(0) >= '0' && at(0) <= '9';
    while (is_word_byte(at(0)) || (number && at(0) == '\'' && is_word_byte(at(1)))) ++at_;
    const std::string_view prefix = text_.substr(from, at_ - from);
    if (at(0) != '"' || !is_any(prefix, {"R", "LR", "uR", "UR", "u8R"})) return;
    const std::size_t paren = text_.find('(', at_);
    broken_ = paren == std::string_view::npos;
    if (broken_) return;
    const std::string end = ")" + std::string(text_.substr(at_ + 1, paren - at_ - 1)) + "\"";
    const std::size_t close = text_.find(end, paren);
    broken_ = close == std::string_view::npos;
    at_ = broken_ ? text_.size() : close + end.size();
  }

  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && at(0) != quote) {
      if (joined_line()) continue;
      if (at(0) == '\n') break;
      at_ += at(0) == '\\' ? 2 : 1;
    }
    broken_ = at(0) != quote;
    ++at_;
  }

  void bracket(char c) {
    if (c == '{' || c == '(' || c == '[') {
      found_.push_back({at_, 0, open_.size()});
      const char closing = c == '{' ? '}' : c == '(' ? ')' : ']';
      open_.push_back({closing, found_.size() - 1});
    }
    if (c != '}' && c != ')' && c != ']') return;
    if (open_.empty() || open_.back().closing != c) {
      broken_ = true;
      return;
    }
    found_[open_.back().pair].close = at_;
    open_.pop_back();
  }

  // A whole line of the preprocessor, what it defines too.
  void directive() {
    ++at_;
    while (at(0) == ' ' || at(0) == '\t') ++at_;
    const std::size_t from = at_;
    while (is_word_byte(at(0))) ++at_;
    const std::string_view name = text_.substr(from, at_ - from);
    if (name.starts_with("if")) {
      branches_.push_back(opened());
    } else if (name.starts_with("el") || name == "endif") {
      broken_ = branches_.empty() || branches_.back() != opened();
      if (!broken_ && name == "endif") branches_.pop_back();
    }
    while (at_ < text_.size() && at(0) != '\n' && !broken_) {
      if (joined_line()) continue;
      if (at(0) == '/' && (at(1) == '/' || at(1) == '*')) {
        comment();
      } else {
        ++at_;
      }
    }
  }

  // What is open: the same brackets, opened at the same places.
  std::pair<std::size_t, std::size_t> opened() const {
    return {open_.size(), open_.empty() ? 0 : open_.back().pair};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  bool broken_ = false;
  std::vector<Open> open_;
  std::vector<Brackets> found_;
  std::vector<std::pair<std::size_t, std::size_t>> branches_;
};

// The parts that may hold errors; false for an error elsewhere.
bool find_holders(const Node& node, std::string_view language, std::vector<const Node*>* holders) {
  if (!node.error) return true;
  const bool body = node.field == "body" && node.kind == "compound_statement";
  if (body || (node.field == "parameters" && language == "c")) {
    holders->push_back(&node);
    return true;
  }
  if (node.kind == "ERROR") return false;
  // With none below, a token is missing here.
  return std::ranges::any_of(node.kids, [](const Node* x) { return x->error; }) &&
         std::ranges::all_of(node.kids,
                             [&](const Node* x) { return find_holders(*x, language, holders); });
}

}  // namespace

std::optional<std::vector<Brackets>> matched_brackets(std::string_view text) {
  return Scanner(text).scan();
}

bool errs_inside_only(const Tree& tree, const Node& function) {
  const std::string_view language = tree.language().name;
  if (!is_any(language, {"c", "cpp"}) || function.decl != "function") return false;
  std::vector<const Node*> parts;
  if (!find_holders(function, language, &parts)) return false;
  const Node* body = kid_in(function, "body");
  if (body == nullptr || body->kind != "compound_statement") return false;
  parts.push_back(body);
  std::size_t depth = 0;
  for (const Node* in = function.parent; in != nullptr; in = in->parent) {
    depth += static_cast<std::size_t>(
        std::ranges::count_if(in->kids, [](const Node* kid) { return kid->text == "{"; }));
  }
  const auto brackets = matched_brackets(tree.text());
  return brackets && std::ranges::all_of(parts, [&](const Node* part) {
           const auto begin = static_cast<std::size_t>(part->text.data() - tree.text().data());
           return std::ranges::any_of(*brackets, [&](const Brackets& pair) {
             return pair.open == begin && pair.close + 1 == begin + part->text.size() &&
                    pair.depth == depth;
           });
         });
}

}  // namespace gittxn::semantic
