// The grammar of the patterns we take: one pass, no tree. It accepts what has one meaning in every
// version of the tool and in the library that evaluates it, and names what it does not.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/json.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

constexpr std::size_t kMaxPattern = 1000;
constexpr int kMaxGroups = 40;
constexpr int kMaxRepeat = 30;  // nested intervals multiply in libc's tables
constexpr int kMaxIntervals = 2;

bool in(std::string_view set, char c) {
  return set.contains(c);
}
bool lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

class Syntax {
 public:
  Syntax(Dialect dialect, std::string_view text) : dialect_(dialect), text_(text) {}

  Refined<void> check() {
    while (at_ < text_.size()) TRY(item());
    if (depth_ != 0) return bad("a group is not closed");
    return end_branch();
  }

 private:
  // What stands before: nothing that can be repeated, something that can, a repetition.
  enum class Last { kStart, kAnchor, kAtom, kRepeat };

  bool basic() const { return dialect_ == Dialect::kBasic; }
  bool posix() const { return basic() || dialect_ == Dialect::kExtended; }
  bool more(std::size_t n = 1) const { return at_ + n <= text_.size(); }
  bool next_is(std::string_view s) const { return text_.substr(at_).starts_with(s); }
  static std::unexpected<NotRefined> bad(const char* why) {
    return not_refined(std::string("pattern: ") + why);
  }
  Refined<void> atom() {
    last_ = Last::kAtom;
    return {};
  }

  // Takes an operator, which basic expressions write with a backslash.
  bool takes(char op) {
    if (basic()) {
      if (!more(2) || text_[at_] != '\\' || text_[at_ + 1] != op) return false;
      at_ += 2;
      return true;
    }
    if (text_[at_] != op) return false;
    ++at_;
    return true;
  }

  Refined<void> item() {
    if (takes('(')) return open();
    if (takes(')')) return close();
    if (takes('|')) {
      TRY(end_branch());
      last_ = Last::kStart;
      return {};
    }
    if (text_[at_] == '*') {
      ++at_;
      return repeat();
    }
    if (takes('+') || takes('?')) return repeat();
    if (takes('{')) return interval();
    const char c = text_[at_++];
    if (c == '^') return caret();
    if (c == '$') return dollar();
    if (c == '.') return atom();
    if (c == '[') return bracket();
    if (c == '\\') return escape();
    return atom();
  }

  Refined<void> open() {
    if (++groups_ > kMaxGroups) return bad("too many groups");
    ++depth_;
    last_ = Last::kStart;
    if (posix() || !next_is("?")) return {};
    const bool perl = dialect_ == Dialect::kPerl;
    for (const std::string_view kind : {"?:", "?=", "?!", "?<=", "?<!"}) {
      if (!next_is(kind)) continue;
      if (kind != "?:" && !perl) break;
      at_ += kind.size();
      return {};
    }
    return bad("a kind of group that is not known");
  }

  Refined<void> close() {
    if (depth_-- == 0) return bad("a group is not opened");
    TRY(end_branch());
    return atom();
  }

  Refined<void> end_branch() {
    if (last_ == Last::kStart) return bad("an empty alternative");
    return {};
  }

  Refined<void> repeat() {
    if (last_ != Last::kAtom) return bad("a repetition of nothing, or of a repetition");
    last_ = Last::kRepeat;
    if (!posix() && next_is("?")) ++at_;
    return {};
  }

  Refined<int> number() {
    int value = 0;
    if (!more() || !digit(text_[at_])) return bad("a brace that is no interval");
    while (more() && digit(text_[at_])) {
      value = value * 10 + (text_[at_++] - '0');
      if (value > kMaxRepeat) return bad("a large interval");
    }
    return value;
  }

  Refined<void> interval() {
    if (++intervals_ > kMaxIntervals) return bad("too many intervals");
    const int low = TRY(number());
    if (next_is(",")) {
      ++at_;
      if (!next_is(basic() ? "\\}" : "}") && TRY(number()) < low) return bad("a reversed interval");
    }
    if (!more() || !takes('}')) return bad("a brace that is no interval");
    return repeat();
  }

  // Elsewhere than at its end of a branch an anchor is a literal to some and an anchor to others.
  Refined<void> caret() {
    if (last_ != Last::kStart || (basic() && at_ != 1)) return bad("^ in the middle");
    last_ = Last::kAnchor;
    return {};
  }
  Refined<void> dollar() {
    const bool ends = at_ == text_.size() || (!basic() && (next_is("|") || next_is(")")));
    if (!ends) return bad("$ in the middle");
    last_ = Last::kAnchor;
    return {};
  }

  Refined<void> escape() {
    if (!more()) return bad("a backslash at the end");
    const char c = text_[at_++];
    if (in("wWsS", c) || (!posix() && in("dDt", c))) return atom();
    if (in("bB", c) || (posix() && in("<>", c))) {
      last_ = Last::kAnchor;
      return {};
    }
    if (literal_escape(c)) return atom();
    return bad("an escape that is not known");
  }

  bool literal_escape(char c) const {
    if (in(".*[]^$\\", c)) return true;
    if (dialect_ == Dialect::kBasic) return in("/-\"#&~,:;=@!%", c);
    if (in("+?(){}|", c)) return true;
    if (dialect_ == Dialect::kRust) return in("#&-~", c);  // others are errors to rg 13
    if (dialect_ == Dialect::kExtended) return in("/-\"#&~,:;=@!%", c);
    return std::ispunct(static_cast<unsigned char>(c)) != 0 && c != '_';
  }

  Refined<void> bracket() {
    if (next_is("^")) ++at_;
    const std::size_t first = at_;
    while (more() && (text_[at_] != ']' || at_ == first)) TRY(member(at_ == first));
    if (!more()) return bad("a bracket is not closed");
    ++at_;
    return atom();
  }

  Refined<void> member(const bool is_first) {
    const char c = text_[at_];
    if (c == '[') return named_class();
    if (c == '\\') return member_escape();
    if (c == ']' || (c == '^' && is_first)) return bad("a bracket that begins oddly");
    const bool doubled = more(2) && text_[at_ + 1] == c;
    if (in("&~-", c) && doubled) return bad("a set operation in a bracket");
    ++at_;
    if (c == '-') return is_first || next_is("]") ? Refined<void>{} : bad("- in a bracket");
    if (!next_is("-") || text_.substr(at_).starts_with("-]")) return {};
    if (!more(2)) return bad("a bracket is not closed");
    const char to = text_[at_ + 1];
    const bool alike =
        (lower(c) && lower(to)) || (upper(c) && upper(to)) || (digit(c) && digit(to));
    if (!alike || to < c) return bad("a range in a bracket");
    at_ += 2;
    return no_range();
  }

  // What stands before it begins none.
  Refined<void> no_range() const {
    if (next_is("-") && !next_is("-]")) return bad("- in a bracket");
    return {};
  }

  Refined<void> named_class() {
    if (!posix()) return bad("[ in a bracket");
    for (const std::string_view name :
         {"alpha", "digit", "alnum", "upper", "lower", "space", "blank", "punct", "xdigit"}) {
      const std::string whole = "[:" + std::string(name) + ":]";
      if (!next_is(whole)) continue;
      at_ += whole.size();
      return no_range();
    }
    return bad("[ in a bracket");
  }

  Refined<void> member_escape() {
    if (posix()) return bad("a backslash in a bracket");  // it stands for itself, to few people
    if (!more(2)) return bad("a bracket is not closed");
    const char c = text_[at_ + 1];
    if (!in("wsdWSDt", c) && !literal_escape(c)) return bad("an escape that is not known");
    at_ += 2;
    return no_range();
  }

  Dialect dialect_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int groups_ = 0;
  int intervals_ = 0;
  Last last_ = Last::kStart;
};

bool is_text(std::string_view bytes) {
  return !bytes.contains('\0') && is_utf8(bytes);
}

}  // namespace

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte != 0 && byte < 0x80;
  });
}

Refined<void> check_pattern(Dialect dialect, std::string_view pattern) {
  if (pattern.empty()) return not_refined("pattern: empty");
  if (pattern.size() > kMaxPattern) return not_refined("pattern: too long");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; };
  if (std::ranges::any_of(pattern, control)) return not_refined("pattern: a control character");
  if (dialect == Dialect::kNone) return not_refined("pattern: none is looked for");
  if (dialect == Dialect::kFixed) {
    if (!is_text(pattern)) return not_refined("pattern: not UTF-8");
    return {};
  }
  if (!is_ascii(pattern)) return not_refined("pattern: an expression that is not ASCII");
  return Syntax(dialect, pattern).check();
}

Refined<bool> smart_case_ignores(std::string_view pattern) {
  bool letter = false;
  bool escaped_upper = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (static_cast<unsigned char>(c) >= 0x80) return not_refined("smart case beyond ASCII");
    const bool escaped = i > 0 && pattern[i - 1] == '\\';
    if (upper(c) && !escaped) return false;
    escaped_upper = escaped_upper || upper(c);
    letter = letter || (lower(c) && !escaped);
  }
  if (escaped_upper) return not_refined("smart case and an upper case escape");
  return letter;
}

bool is_literal(Dialect dialect, std::string_view pattern) {
  if (dialect == Dialect::kFixed) return true;
  return is_ascii(pattern) && pattern.find_first_of("\\.[](){}*+?^$|") == std::string_view::npos;
}

bool answer_is_certain(const Query& query, std::string_view text) {
  if (is_ascii(text)) return true;
  const bool literal = std::ranges::all_of(query.patterns, [&](const std::string& pattern) {
    return is_literal(query.dialect, pattern);
  });
  const bool bytes_decide =
      literal && query.dialect != Dialect::kPerl && !query.ignore_case && !query.word;
  return bytes_decide && is_text(text) && !text.starts_with("\xEF\xBB\xBF");
}

}  // namespace gittxn::search
