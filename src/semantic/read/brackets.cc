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
  Scanner(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}

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
    if (c == '#' && line_begins_ && dialect_ == Dialect::kC) return directive();
    line_begins_ = false;
    if (is_word_byte(c)) return word();
    if (dialect_ != Dialect::kC && block_of_text(c)) return;
    if (c == '\'' && dialect_ == Dialect::kRust && is_lifetime()) {
      ++at_;
      return;
    }
    if (c == '"' || c == '\'') return quoted(c);
    bracket(c);
    ++at_;
  }

  // `'a` with no quote behind the letter.
  bool is_lifetime() const { return is_word_byte(at(1)) && at(2) != '\''; }

  // "`" of Go and `"""` of Java, whose lines have an end of their own.
  bool block_of_text(char c) {
    const bool go = c == '`' && dialect_ == Dialect::kGo;
    const bool java = dialect_ == Dialect::kJava && text_.substr(at_).starts_with("\"\"\"");
    if (go || java) skip_to(go ? "`" : "\"\"\"", at_ + (go ? 1 : 3));
    return go || java;
  }

  void skip_to(std::string_view end, std::size_t from) {
    const std::size_t close = text_.find(end, from);
    broken_ = close == std::string_view::npos;
    at_ = broken_ ? text_.size() : close + end.size();
  }

  // A comment in Rust may stand in another one.
  void nested_comment() {
    std::size_t depth = 0;
    do {
      const bool opens = at(0) == '/' && at(1) == '*', closes = at(0) == '*' && at(1) == '/';
      depth += opens ? 1 : 0;
      depth -= closes ? 1 : 0;
      at_ += opens || closes ? 2 : 1;
    } while (depth > 0 && at_ < text_.size());
    broken_ = depth > 0;
  }

  void comment() {
    if (at(1) == '*' && dialect_ == Dialect::kRust) return nested_comment();
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
    if (dialect_ == Dialect::kRust && is_any(prefix, {"r", "br", "cr"})) return raw_of_rust();
    if (dialect_ != Dialect::kC) return;
    if (at(0) != '"' || !is_any(prefix, {"R", "LR", "uR", "UR", "u8R"})) return;
    const std::size_t paren = text_.find('(', at_);
    broken_ = paren == std::string_view::npos;
    if (broken_) return;
    const std::string end = ")" + std::string(text_.substr(at_ + 1, paren - at_ - 1)) + "\"";
    const std::size_t close = text_.find(end, paren);
    broken_ = close == std::string_view::npos;
    at_ = broken_ ? text_.size() : close + end.size();
  }

  void raw_of_rust() {
    std::size_t signs = 0;
    while (at(signs) == '#') ++signs;
    if (at(signs) != '"') return;
    skip_to("\"" + std::string(signs, '#'), at_ + signs + 1);
  }

  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && at(0) != quote) {
      if (joined_line()) continue;
      if (at(0) == '\n' && dialect_ != Dialect::kRust) break;
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
  Dialect dialect_;
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
  const bool body = node.field == "body" && is_block(node);
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

std::size_t depth_around(const Node& node) {
  std::size_t depth = 0;
  for (const Node* in = node.parent; in != nullptr; in = in->parent) {
    depth += static_cast<std::size_t>(
        std::ranges::count_if(in->kids, [](const Node* kid) { return kid->text == "{"; }));
  }
  return depth;
}

// Nothing of the declaration behind it is in what ends so.
bool ends_declaration(const Node& node) {
  return node.kind.starts_with("preproc_") || is_any(node.text, {"{", "#endif", "#else"}) ||
         (!node.text.empty() && is_any(node.text.substr(node.text.size() - 1), {";", "}"}));
}

bool begins_declaration(const Node& node) {
  return node.kind.starts_with("preproc_") || is_any(node.text, {"}", "#endif", "#else", "#elif"});
}

}  // namespace

std::optional<std::vector<Brackets>> matched_brackets(std::string_view text, Dialect dialect) {
  return Scanner(text, dialect).scan();
}

std::optional<std::vector<Brackets>> brackets_of(const Tree& tree) {
  const std::string_view language = tree.language().name;
  if (language == "go") return matched_brackets(tree.text(), Dialect::kGo);
  if (language == "java") return matched_brackets(tree.text(), Dialect::kJava);
  if (language == "rust") return matched_brackets(tree.text(), Dialect::kRust);
  if (!is_any(language, {"c", "cpp"})) return std::nullopt;
  const std::vector<Mask> masks = macros_in(tree.language(), tree.text());
  return matched_brackets(without(tree.text(), masks), Dialect::kC);
}

bool errs_inside_only(const Tree& tree, const std::vector<Brackets>& brackets,
                      const Node& function) {
  if (!is_any(function.decl, {"function", "constructor"})) return false;
  std::vector<const Node*> parts;
  if (!find_holders(function, tree.language().name, &parts)) return false;
  const Node* body = kid_in(function, "body");
  if (body == nullptr || !is_block(*body)) return false;
  parts.push_back(body);
  const std::size_t depth = depth_around(function);
  return std::ranges::all_of(parts, [&](const Node* part) {
    const auto begin = static_cast<std::size_t>(part->text.data() - tree.text().data());
    return std::ranges::any_of(brackets, [&](const Brackets& pair) {
      return pair.open == begin && pair.close + 1 == begin + part->text.size() &&
             pair.depth == depth;
    });
  });
}

std::vector<const Node*> stand_alone(const Tree& tree, const std::vector<Brackets>& brackets,
                                     const Node& node) {
  if (node.parent == nullptr || !is_any(tree.language().name, {"c", "cpp"})) return {};
  std::vector<const Node*> kids;
  for (const Node* kid : node.parent->kids) {
    if (!kid->comment) kids.push_back(kid);
  }
  std::size_t first = 0;
  while (first < kids.size() && kids[first] != &node) ++first;
  if (first == kids.size()) return {};
  std::size_t last = first;
  const auto is_head = [&](const Node* kid) { return !kid->field.empty() || kid->is_name; };
  while (first > 0 && !is_head(kids[first - 1]) && !ends_declaration(*kids[first - 1]) &&
         !begins_declaration(*kids[first])) {
    --first;
  }
  while (last + 1 < kids.size() && !ends_declaration(*kids[last]) &&
         !begins_declaration(*kids[last + 1])) {
    ++last;
  }
  const auto begin = static_cast<std::size_t>(kids[first]->text.data() - tree.text().data());
  const auto end = static_cast<std::size_t>(kids[last]->text.data() + kids[last]->text.size() -
                                            tree.text().data());
  std::size_t around = 0;
  for (const Brackets& pair : brackets) {
    const bool opens = pair.open >= begin && pair.open < end;
    const bool closes = pair.close >= begin && pair.close < end;
    if (opens != closes) return {};
    if (pair.open < begin && pair.close >= end) ++around;
  }
  if (around != depth_around(node)) return {};
  return {kids.begin() + static_cast<std::ptrdiff_t>(first),
          kids.begin() + static_cast<std::ptrdiff_t>(last) + 1};
}

}  // namespace gittxn::semantic
