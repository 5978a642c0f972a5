#include <algorithm>
#include <array>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/read/parse.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMostNested = 200;  // brackets, and conditionals

enum class Lexeme : std::uint8_t { kWord, kString, kSign, kDirective };

struct MacroToken {
  Lexeme is = Lexeme::kSign;
  std::size_t begin = 0, end = 0;
  bool first = false;  // in its line
};

// The tokens of C and C++, comments left out. A directive is one token, up to its line's end; of
// "#endif" and "#else" the word alone.
class MacroLexer {
 public:
  explicit MacroLexer(std::string_view text) : text_(text) {}

  std::vector<MacroToken> run() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  char at(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(Lexeme is, std::size_t begin) {
    found_.push_back({is, begin, at_, std::exchange(first_, false)});
  }

  void step() {
    const char c = at(0);
    if (c == '\n') first_ = true;
    if (is_space(c) || c == '\\') {
      ++at_;
    } else if (c == '/' && (at(1) == '/' || at(1) == '*')) {
      skip_comment();
    } else if (c == '#' && first_) {
      directive();
    } else if (is_word_byte(c)) {
      const std::size_t begin = at_;
      while (is_word_byte(at(0))) ++at_;
      if (at(0) == '"' && text_[at_ - 1] == 'R') return raw(begin);
      add(Lexeme::kWord, begin);
    } else if (c == '"' || c == '\'') {
      quoted(c);
    } else {
      ++at_;
      add(Lexeme::kSign, at_ - 1);
    }
  }

  void skip_comment() {
    const bool line = at(1) == '/';
    const std::size_t end = text_.find(line ? "\n" : "*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + (line ? 0 : 2);
  }

  void raw(std::size_t begin) {
    const std::size_t paren = std::min(text_.find('(', at_), text_.size() - 1);
    const std::string end = ")" + std::string(text_.substr(at_ + 1, paren - at_ - 1)) + "\"";
    const std::size_t close = text_.find(end, paren);
    at_ = close == std::string_view::npos ? text_.size() : close + end.size();
    add(Lexeme::kString, begin);
  }

  void quoted(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && at(0) != quote && at(0) != '\n') at_ += at(0) == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    add(Lexeme::kString, begin);
  }

  void directive() {
    const std::size_t begin = at_++;
    while (at(0) == ' ' || at(0) == '\t') ++at_;
    const std::size_t word = at_;
    while (is_word_byte(at(0))) ++at_;
    const std::string_view name = text_.substr(word, at_ - word);
    while (at_ < text_.size() && at(0) != '\n' && name != "endif" && name != "else") {
      if (at(0) == '/' && (at(1) == '/' || at(1) == '*')) break;
      at_ += at(0) == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, text_.size());
    add(Lexeme::kDirective, begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_ = true;
  std::vector<MacroToken> found_;
};

bool is_primitive(std::string_view word) {
  return is_any(word, {"void", "char", "short", "int", "long", "float", "double", "signed",
                       "unsigned", "bool", "_Bool", "auto"});
}

bool begins_type(std::string_view word) {
  return is_primitive(word) ||
         is_any(word, {"static", "extern", "inline", "const", "volatile", "typedef", "struct",
                       "enum", "union", "class", "virtual", "explicit", "constexpr", "template"});
}

class MacroFinder {
 public:
  explicit MacroFinder(std::string_view text)
      : text_(text),
        tokens_(MacroLexer(text).run()),
        closing_(tokens_.size(), 0),
        opening_(tokens_.size(), 0) {
    pair_brackets();
  }

  std::vector<Mask> run() {
    linkage();
    branches();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::size_t end = is_macro(i) ? macro_at(i) : 0;
      if (end != 0) i = end - 1;
    }
    std::ranges::sort(masks_, {}, [](const Mask& mask) {
      return std::pair(mask.begin, -static_cast<std::ptrdiff_t>(mask.end));
    });
    std::vector<Mask> apart;
    for (const Mask& mask : masks_) {
      if (apart.empty() || mask.begin >= apart.back().end) apart.push_back(mask);
    }
    return apart;
  }

 private:
  std::string_view word(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is(std::size_t i, Lexeme lexeme) const {
    return i < tokens_.size() && tokens_[i].is == lexeme;
  }
  bool is_name(std::size_t i) const {
    return is(i, Lexeme::kWord) && !begins_type(word(i)) && (word(i)[0] < '0' || word(i)[0] > '9');
  }
  // People write the names of macros in capitals.
  bool is_macro(std::size_t i) const {
    if (!is(i, Lexeme::kWord) || word(i).size() < 2 || word(i)[0] <= '9') return false;
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    return std::ranges::none_of(word(i), lower) && std::ranges::any_of(word(i), upper);
  }
  bool begins_line(std::size_t i) const { return i >= tokens_.size() || tokens_[i].first; }

  void pair_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is != Lexeme::kSign) continue;
      if (is_any(word(i), {"(", "{", "["})) open.push_back(i);
      if (!is_any(word(i), {")", "}", "]"}) || open.empty()) continue;
      closing_[open.back()] = i;
      opening_[i] = open.back();
      open.pop_back();
    }
  }

  // True for the bracket in "(double)LIMIT": the name behind it is a value.
  bool closes_cast(std::size_t i) const {
    const std::size_t open = opening_[i];
    if (word(i) != ")" || open == 0) return false;
    if (is(open - 1, Lexeme::kWord)) return is_statement(word(open - 1));
    return is(open - 1, Lexeme::kSign) && !is_any(word(open - 1), {")", "]", "}", ">"});
  }

  // Behind a macro's name, and behind its arguments when it has some; 0 when they do not end.
  std::size_t behind(std::size_t i) const {
    if (word(i + 1) != "(") return i + 1;
    return closing_[i + 1] == 0 ? 0 : closing_[i + 1] + 1;
  }

  // Puts away the tokens [from, to); where the place is too small for a comment, nothing.
  std::size_t mask(std::size_t from, std::size_t to, Mask::As as) {
    const std::size_t begin = tokens_[from].begin;
    std::size_t end = tokens_[to - 1].end;
    constexpr std::size_t kComment = 4;
    while (end < begin + kComment && end < text_.size() && text_[end] == ' ') ++end;
    if (end < begin + kComment) return 0;
    masks_.push_back({begin, end, as});
    return to;
  }

  // The two halves of a guard against C++, each in a conditional of its own.
  void linkage() {
    std::vector<std::pair<std::size_t, std::size_t>> opens, closes;
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (!is(i, Lexeme::kDirective) || !word(i).contains("if")) continue;
      const bool opens_here = word(i + 1) == "extern" && is(i + 2, Lexeme::kString) &&
                              word(i + 3) == "{" && word(i + 4).contains("endif");
      if (opens_here) opens.emplace_back(i, i + 5);
      if (word(i + 1) == "}" && word(i + 2).contains("endif")) closes.emplace_back(i, i + 3);
    }
    if (opens.empty() || opens.size() != closes.size()) return;
    for (const auto& [from, to] : opens) mask(from, to, Mask::As::kLine);
    for (const auto& [from, to] : closes) mask(from, to, Mask::As::kLine);
  }

  // --- conditionals where the grammar takes none: in an expression, or with half a block ---

  struct Conditional {
    std::vector<std::size_t> directives;  // tokens
    std::vector<std::size_t> before;      // brackets that are open
    std::vector<std::size_t> after;       // the same behind the first branch
    std::size_t low = 0;                  // the fewest that were open in a branch
    bool alike = true;                    // every branch opens and closes the same
  };

  void branches() {
    std::vector<std::size_t> open;
    std::vector<Conditional> in;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (open.size() > kMostNested || in.size() > kMostNested) return;
      if (is(i, Lexeme::kDirective)) {
        directive(i, &open, &in);
      } else if (is(i, Lexeme::kSign) && is_any(word(i), {"(", "{", "["})) {
        open.push_back(i);
      } else if (is(i, Lexeme::kSign) && is_any(word(i), {")", "}", "]"}) && !open.empty()) {
        open.pop_back();
        for (Conditional& one : in) one.low = std::min(one.low, open.size());
      }
    }
  }

  void directive(std::size_t i, std::vector<std::size_t>* open, std::vector<Conditional>* in) {
    std::string_view name = word(i).substr(1);
    while (!name.empty() && (name[0] == ' ' || name[0] == '\t')) name.remove_prefix(1);
    if (name.starts_with("if")) return in->push_back({{i}, *open, {}, open->size(), true});
    const bool ends = name.starts_with("endif");
    if (in->empty() || (!ends && !name.starts_with("el"))) return;
    Conditional& one = in->back();
    one.directives.push_back(i);
    if (one.directives.size() == 2) one.after = *open;
    const auto closing = [&](std::size_t at) { return word(at); };
    one.alike &= std::ranges::equal(one.after, *open, {}, closing, closing);
    *open = one.before;
    if (!ends) return;
    const Conditional done = std::move(in->back());
    in->pop_back();
    *open = done.after;
    conditional(done);
  }

  void conditional(const Conditional& one) {
    const std::size_t last = one.directives.back();
    const bool otherwise = word(one.directives[one.directives.size() - 2]).ends_with("else");
    const bool whole = one.low == one.before.size() && one.after.size() == one.low && one.alike;
    const bool listed = one.before.empty() || is_block(one.before.back());
    if (whole && listed) return;
    const bool in_function = std::ranges::any_of(one.before, [this](std::size_t at) {
      return word(at) == "{" && at > 0 && word(at - 1) == ")";
    });
    const bool even = otherwise ? one.alike : one.after.size() == one.before.size();
    if (!even || (!whole && !in_function)) return;
    mask(one.directives[0], one.directives[0] + 1, Mask::As::kLine);
    mask(one.directives[1], last + 1, Mask::As::kLine);
  }

  // A bracket that has statements or declarations in it.
  bool is_block(std::size_t at) const {
    if (word(at) != "{" || at == 0) return false;
    return word(at - 1) == ")" || is(at - 1, Lexeme::kWord) || is(at - 1, Lexeme::kString) ||
           is_any(word(at - 1), {";", "}", "{", ":", ">"}) || is(at - 1, Lexeme::kDirective);
  }

  // A declaration may begin here: behind one, behind a directive, and at the start.
  bool at_start(std::size_t i) const {
    if (i == 0 || is(i - 1, Lexeme::kDirective)) return true;
    if (!masks_.empty() && masks_.back().end == tokens_[i - 1].end) return true;
    return is_any(word(i - 1), {";", "}", "{"});
  }

  // Behind what was put away from token `i` on; 0 when nothing was.
  std::size_t macro_at(std::size_t i) {
    const std::size_t end = behind(i);
    if (end == 0) return 0;
    const std::size_t from = i > 0 && is_any(word(i - 1), {"static", "extern"}) ? i - 1 : i;
    if (at_start(from) && tokens_[from].first && begins_line(end) && stands_alone(i, end)) {
      return mask(from, end, Mask::As::kLine);
    }
    if (i > 0 && is_any(word(i - 1), {"class", "struct", "union"})) {
      const bool named = is_name(i + 1) && is_any(word(i + 2), {"{", ":", "final"});
      return named ? mask(i, i + 1, Mask::As::kAttribute) : 0;
    }
    if (before_type(i, end) || before_name(i, end) || behind_declarator(i, end)) {
      return mask(i, end, Mask::As::kAttribute);
    }
    return 0;
  }

  bool stands_alone(std::size_t i, std::size_t end) const {
    if (end == i + 1) return !is(end, Lexeme::kSign) || word(end) == "}";
    if (is(end, Lexeme::kSign) && word(end) != "}") return false;
    // `API(int)` above `f(void);`
    const bool declares = is_name(end) && word(end + 1) == "(" && closing_[end + 1] != 0 &&
                          !is_macro(end) && is_any(word(closing_[end + 1] + 1), {";", "{"});
    return !declares;
  }

  // `EXPORT int f(void)`, and `EXPORT size_t f(void)`, where two names before one are too many.
  bool before_type(std::size_t i, std::size_t end) const {
    const bool begins =
        at_start(i) || is_any(word(i - 1), {"static", "extern", "inline", "const", "typedef"});
    if (!begins || !is(end, Lexeme::kWord)) return false;
    if (begins_type(word(end))) return true;
    if (end != i + 1 || !is_name(end) || is_macro(end)) return false;
    std::size_t next = end + 1;
    while (is_any(word(next), {"*", "&"})) ++next;
    return is_name(next) && !is_macro(next) && is_any(word(next + 1), {"(", ";", "=", "["});
  }

  // `int WINAPI f(void)`, `(CALLBACK *f)(int)`
  bool before_name(std::size_t i, std::size_t end) const {
    if (end != i + 1 || i < 2) return false;
    if (word(i - 1) == "(" && !is_any(word(i - 2), {"=", "return", ","})) {
      const std::size_t name = word(end) == "*" ? end + 1 : end;
      return is_name(name) && !is_macro(name) && word(name + 1) == ")" && word(name + 2) == "(";
    }
    const bool type = is_primitive(word(i - 1)) || is_name(i - 1) || word(i - 1) == "*";
    return type && !is_statement(word(i - 1)) && is_name(end) && !is_macro(end) &&
           word(end + 1) == "(";
  }

  static bool is_statement(std::string_view word) {
    return is_any(word, {"return", "else", "case", "goto", "do", "throw", "new", "delete", "sizeof",
                         "co_return", "co_await", "define", "typename", "operator"});
  }

  // `f(int x UNUSED) PRINTF(1, 2);`
  bool behind_declarator(std::size_t i, std::size_t end) const {
    if (i < 2 || !(is_any(word(end), {";", ",", ")", "=", "{"}) || is_macro(end))) return false;
    if (word(i - 2) == "namespace") return is_name(i - 1) && word(end) == "{";
    if (closes_cast(i - 1)) return false;
    if (word(i - 1) == ")" || word(i - 1) == "]") return word(end) != ")" || end == i + 1;
    if (end != i + 1 || word(end) == "{" || !is_name(i - 1)) return false;
    if (is_statement(word(i - 1)) || is_statement(word(i - 2))) return false;
    return is_any(word(i - 2), {"*", "&"}) || is_primitive(word(i - 2)) || is_name(i - 2);
  }

  std::string_view text_;
  std::vector<MacroToken> tokens_;
  std::vector<std::size_t> closing_;  // of a bracket that opens the one that closes it; 0
  std::vector<std::size_t> opening_;  // the bracket that a closing one belongs to; 0
  std::vector<Mask> masks_;
};

}  // namespace

std::vector<Mask> macros_in(const Language& language, std::string_view text) {
  if (!is_any(language.name, {"c", "cpp"})) return {};
  return MacroFinder(text).run();
}

std::string without(std::string_view text, const std::vector<Mask>& masks) {
  std::string out(text);
  for (const Mask& mask : masks) {
    for (std::size_t i = mask.begin; i < mask.end; ++i) out[i] = out[i] == '\n' ? '\n' : '_';
    out[mask.begin] = out[mask.end - 1] = '/';
    out[mask.begin + 1] = out[mask.end - 2] = '*';
  }
  return out;
}

void put_back(const Language& language, const std::vector<Mask>& masks, FlatTree* tree) {
  const auto symbol_of = [&](std::string_view kind) {
    const auto found = std::ranges::find(language.kinds, kind, &Kind::name);
    return static_cast<std::uint16_t>(found - language.kinds.begin());
  };
  const std::uint16_t line = symbol_of("preproc_call"),
                      attribute = symbol_of("attribute_specifier");
  for (FlatNode& node : *tree) {
    if (!node.comment) continue;
    const auto mask = std::ranges::lower_bound(masks, node.begin, {}, &Mask::begin);
    if (mask == masks.end() || mask->begin != node.begin) continue;
    node.comment = false;
    node.symbol = mask->as == Mask::As::kLine ? line : attribute;
  }
}

}  // namespace gittxn::semantic
