#include "semantic/read/patterns.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gittxn::semantic {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

std::string_view text_of(const FlatNode& node, std::string_view text) {
  std::size_t begin = std::min<std::size_t>(node.begin, text.size());
  std::size_t end = std::min<std::size_t>(node.end, text.size());
  while (begin < end && is_space(text[end - 1])) --end;
  while (begin < end && is_space(text[begin])) ++begin;
  return text.substr(begin, end - begin);
}

// Recursive descent. The texts are the folders', compiled into the program: a fault is for who
// writes one.
class PatternReader {
 public:
  PatternReader(const TSLanguage* grammar, std::string_view text)
      : grammar_(grammar), text_(text) {}

  Patterns read(std::string* fault) {
    for (skip(); at_ < text_.size() && fault_.empty(); skip()) {
      Patterns::Pattern pattern;
      conditions_ = &pattern.conditions;
      Patterns::Child whole;
      read_child(&whole);
      if (whole.field != 0 || whole.next) wrong("a pattern has no place");
      pattern.one_of = std::move(whole.one_of);
      add(std::move(pattern));
    }
    if (fault_.empty()) return std::move(out_);
    *fault = fault_;
    return {};
  }

 private:
  static bool is_word(char c) { return is_word_byte(c) || std::string_view("-.?").contains(c); }

  void wrong(const std::string& why) {
    if (fault_.empty()) fault_ = "at byte " + std::to_string(at_) + ": " + why;
  }

  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (is_space(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool is_next(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool take(char c) {
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }

  // Ends loops over what is not closed, too.
  bool at_end(char c) {
    skip();
    if (at_ == text_.size()) wrong(std::string("'") + c + "' is missing");
    return !fault_.empty() || take(c);
  }

  std::string_view word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == from) wrong("a word is missing");
    return text_.substr(from, at_ - from);
  }

  std::string_view quoted() {
    if (!take('"')) wrong("a text in quotes is missing");
    const std::size_t from = at_;
    at_ = std::min(text_.find('"', at_), text_.size());
    const std::string_view inner = text_.substr(from, at_ - from);
    if (at_ == text_.size() || inner.contains('\\')) wrong("a text with a backslash");
    ++at_;
    return inner;
  }

  std::uint16_t field(std::string_view name) {
    const TSFieldId id = ts_language_field_id_for_name(grammar_, name.data(),
                                                       static_cast<std::uint32_t>(name.size()));
    if (id == 0) wrong("there is no field '" + std::string(name) + "'");
    return id;
  }

  enum class Named { kNo, kYes };
  std::uint16_t symbol(std::string_view name, Named named) {
    const TSSymbol id = ts_language_symbol_for_name(
        grammar_, name.data(), static_cast<std::uint32_t>(name.size()), named == Named::kYes);
    if (id == 0) wrong("there is no node '" + std::string(name) + "'");
    if (id != 0 && id != kErrorSymbol &&
        ts_language_symbol_type(grammar_, id) == TSSymbolTypeSupertype) {
      wrong("'" + std::string(name) + "' stands for others: name those");
    }
    return id;
  }

  std::uint32_t capture(std::string_view name) {
    auto& all = out_.captures_;
    const auto found = std::ranges::find(all, name);
    if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
    all.push_back(name);
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  // [.] [field:] SHAPE or [SHAPE...], and the captures behind it.
  void read_child(Patterns::Child* child) {
    child->next = take('.');
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view name = text_.substr(from, at_ - from);
    if (!name.empty() && take(':')) {
      child->field = field(name);
    } else {
      at_ = from;
    }
    read_shapes(&child->one_of);
    while (fault_.empty() && take('@')) {
      const std::uint32_t index = capture(word());
      for (Patterns::Shape& shape : child->one_of) shape.captures.push_back(index);
    }
  }

  void read_shapes(std::vector<Patterns::Shape>* shapes) {
    if (take('[')) {
      while (!at_end(']')) {
        Patterns::Child one;
        read_child(&one);
        if (one.field != 0 || one.next) wrong("one of several has no place of its own");
        std::move(one.one_of.begin(), one.one_of.end(), std::back_inserter(*shapes));
      }
      return;
    }
    Patterns::Shape shape;
    if (take('_')) {
      shape.of = Patterns::Shape::Of::kAny;
      shapes->push_back(std::move(shape));
      return;
    }
    if (is_next('"')) {
      shape.symbol = symbol(quoted(), Named::kNo);
      shapes->push_back(std::move(shape));
      return;
    }
    if (!take('(')) return wrong("'(' is missing");
    if (is_next('(')) return read_group(shapes);
    const std::string_view kind = word();
    shape.of = kind == "_" ? Patterns::Shape::Of::kNamed : Patterns::Shape::Of::kSymbol;
    if (kind != "_") shape.symbol = symbol(kind, Named::kYes);
    while (!at_end(')')) {
      if (take('!')) {
        shape.absent.push_back(field(word()));
      } else if (!read_condition() && !read_end(&shape)) {
        read_child(&shape.children.emplace_back());
      }
    }
    shapes->push_back(std::move(shape));
  }

  // The '.' behind the last child.
  bool read_end(Patterns::Shape* shape) {
    const std::size_t from = at_;
    const bool end = take('.') && is_next(')');
    if (!end) at_ = from;
    if (end && shape->children.empty()) wrong("'.' has no node before it");
    if (end && !shape->children.empty()) shape->children.back().last = true;
    return end;
  }

  // "((kind) @capture (#predicate))": a shape and what is asked of its captures.
  void read_group(std::vector<Patterns::Shape>* shapes) {
    Patterns::Child inner;
    read_child(&inner);
    *shapes = std::move(inner.one_of);
    while (!at_end(')')) {
      if (!read_condition()) wrong("a predicate is missing");
    }
  }

  bool read_condition() {
    skip();
    if (!text_.substr(at_).starts_with("(#")) return false;
    at_ += 2;
    const std::string_view name = word();
    if (name != "eq?" && name != "any-of?") {
      wrong("there is no predicate #" + std::string(name));
      return true;
    }
    if (!take('@')) wrong("#" + std::string(name) + " takes a capture and texts");
    Patterns::Condition condition;
    condition.capture = capture(word());
    while (!at_end(')')) condition.texts.push_back(quoted());
    if (condition.texts.empty()) wrong("#" + std::string(name) + " has nothing to compare with");
    conditions_->push_back(std::move(condition));
    return true;
  }

  void add(Patterns::Pattern pattern) {
    const auto index = static_cast<std::uint32_t>(out_.patterns_.size());
    for (std::uint32_t i = 0; i < pattern.one_of.size(); ++i) {
      const Patterns::Shape& shape = pattern.one_of[i];
      if (shape.of != Patterns::Shape::Of::kSymbol) return wrong("a pattern begins with a kind");
      if (shape.symbol == kErrorSymbol) return wrong("an ERROR has no meaning");
      if (out_.starts_.size() <= shape.symbol) out_.starts_.resize(shape.symbol + 1u);
      out_.starts_[shape.symbol].push_back({index, i});
    }
    out_.patterns_.push_back(std::move(pattern));
  }

  const TSLanguage* grammar_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string fault_;
  std::vector<Patterns::Condition>* conditions_ = nullptr;
  Patterns out_;
};

// Tries every way, by going back: each place in a pattern knows what is left to find behind it.
class PatternMatcher {
 public:
  PatternMatcher(const Patterns& patterns, const FlatTree& tree, std::string_view text,
                 const std::function<void(const Match&)>& use)
      : patterns_(patterns), tree_(tree), text_(text), use_(use) {}

  void match(std::uint32_t root, const Patterns::Start& start) {
    constexpr std::size_t kTries = 64;  // a node in it; a pattern needs as many as it is deep
    pattern_ = start.pattern;
    left_ = 1000 + kTries * (tree_[root].next - root);
    enter(patterns_.patterns_[start.pattern].one_of[start.shape], root, nullptr);
  }

 private:
  // Children of `shape` from `child` on are still to find, in nodes from `at` on; then what is
  // `outside`.
  struct Rest {
    const Patterns::Shape* shape;
    std::size_t child;
    std::uint32_t at, end;
    const Rest* outside;
  };

  bool fits(const Patterns::Shape& shape, std::uint32_t at) const {
    const FlatNode& node = tree_[at];
    if (shape.of == Patterns::Shape::Of::kSymbol) {
      if (node.symbol != shape.symbol) return false;
    } else if (node.symbol == kErrorSymbol) {
      return false;
    } else if (shape.of == Patterns::Shape::Of::kNamed && !node.named) {
      return false;
    }
    if (shape.absent.empty()) return true;
    for (std::uint32_t kid = at + 1; kid < node.next; kid = tree_[kid].next) {
      const auto& absent = shape.absent;
      if (std::ranges::find(absent, tree_[kid].field) != absent.end()) return false;
    }
    return true;
  }

  void enter(const Patterns::Shape& shape, std::uint32_t at, const Rest* outside) {
    if (!fits(shape, at)) return;
    const std::size_t before = captured_.size();
    for (const std::uint32_t capture : shape.captures) captured_.push_back({at, capture});
    last_ = at;
    const Rest inside{&shape, 0, at + 1, tree_[at].next, outside};
    find(&inside);
    captured_.resize(before);
  }

  void find(const Rest* rest) {
    while (rest != nullptr && rest->child == rest->shape->children.size()) rest = rest->outside;
    if (rest == nullptr) return found();
    const Patterns::Child& child = rest->shape->children[rest->child];
    for (std::uint32_t at = rest->at; at < rest->end; at = tree_[at].next) {
      if (left_ == 0) return;
      --left_;
      const bool placed = child.field == 0 || tree_[at].field == child.field;
      if (placed && (!child.last || !is_named(tree_[at].next, rest->end))) {
        const Rest behind{rest->shape, rest->child + 1, tree_[at].next, rest->end, rest->outside};
        for (const Patterns::Shape& shape : child.one_of) enter(shape, at, &behind);
      }
      if (child.next && tree_[at].named) return;
    }
  }

  // Whether one of these siblings is.
  bool is_named(std::uint32_t at, std::uint32_t end) const {
    while (at < end && !tree_[at].named) at = tree_[at].next;
    return at < end;
  }

  void found() {
    for (const Patterns::Condition& condition : patterns_.patterns_[pattern_].conditions) {
      for (const Captured& captured : captured_) {
        if (captured.capture != condition.capture) continue;
        const auto& texts = condition.texts;
        const std::string_view text = text_of(tree_[captured.node], text_);
        if (std::ranges::find(texts, text) == texts.end()) return;
      }
    }
    use_({pattern_, last_, captured_});
  }

  const Patterns& patterns_;
  const FlatTree& tree_;
  std::string_view text_;
  const std::function<void(const Match&)>& use_;
  std::vector<Captured> captured_;
  std::size_t left_ = 0;
  std::uint32_t pattern_ = 0;
  std::uint32_t last_ = 0;
};

Patterns Patterns::compile(const TSLanguage* grammar, std::string_view text, std::string* fault) {
  return PatternReader(grammar, text).read(fault);
}

void Patterns::match(const FlatTree& tree, std::string_view text,
                     const std::function<void(const Match&)>& use) const {
  PatternMatcher matcher(*this, tree, text, use);
  for (std::uint32_t at = 0; at < tree.size(); ++at) {
    if (tree[at].symbol >= starts_.size()) continue;
    for (const Start& start : starts_[tree[at].symbol]) matcher.match(at, start);
  }
}

}  // namespace gittxn::semantic
