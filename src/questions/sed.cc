// Scripts of GNU sed: every command but those that run a program or write a file; and of those that
// edit a file in place, the ones whose commands each change a line. What sed might
// take for another command than this parser does is refused: a backslash at the end of a line of
// text, a delimiter that is no plain sign.
#include <cctype>

#include "questions/options.h"

namespace gittxn::questions {
namespace {

constexpr std::size_t kMaxScript = 65'536;

class SedScript {
 public:
  SedScript(std::string_view text, SedUse use) : text_(text), use_(use) {}

  Asked<void> parse() {
    if (text_.size() > kMaxScript) return refused("too long");
    while (true) {
      skip(" \t\n;");
      if (done()) break;
      TRY(addresses());
      TRY(command());
    }
    if (depth_ != 0) return refused("without a closing brace");
    return {};
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  void skip(std::string_view signs) {
    while (!done() && signs.contains(text_[at_])) ++at_;
  }
  static std::unexpected<NoQuestion> refused(std::string_view what) {
    return no_question("sed with a script that is " + std::string(what) + " is not understood");
  }
  static std::unexpected<NoQuestion> never(char letter, std::string_view why) {
    return no_question("sed with the command " + std::string(1, letter) + " " + std::string(why));
  }

  // Up to the delimiter, which is taken. A backslash hides the next character, brackets hide none.
  Asked<void> delimited(char delimiter) {
    while (!done()) {
      const char c = text_[at_++];
      if (c == delimiter) return {};
      if (c == '\n') break;
      if (c == '\\' && !done()) ++at_;
    }
    return refused("without the end of an expression");
  }

  static bool is_sign(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > ' ' && byte < 127 && c != '\\' && std::isalnum(byte) == 0;
  }

  void number() { skip("0123456789"); }

  // False: there is none.
  Asked<bool> address() {
    const char c = peek();
    if (c >= '0' && c <= '9') {
      number();
      skip(" \t");
      if (peek() == '~') {
        ++at_;
        number();
      }
      return true;
    }
    if (c == '$') {
      ++at_;
      return true;
    }
    if (c != '/' && c != '\\') return false;
    ++at_;
    char delimiter = '/';
    if (c == '\\') {
      delimiter = peek();
      if (!is_sign(delimiter)) return refused("with such a delimiter");
      ++at_;
    }
    TRY(delimited(delimiter));
    skip("IM");
    return true;
  }

  Asked<void> addresses() {
    if (TRY(address())) {
      skip(" \t");
      if (peek() == ',') {
        ++at_;
        skip(" \t");
        if (peek() == '+' || peek() == '~') {
          ++at_;
          number();
        } else if (!TRY(address())) {
          return refused("with half a range");
        }
      }
    }
    skip(" \t");
    while (peek() == '!') {
      ++at_;
      skip(" \t");
    }
    return {};
  }

  // Behind a command: a new line, ';', '}' or a remark.
  Asked<void> end_of_command() {
    skip(" \t\r");
    if (done() || peek() == '\n' || peek() == ';' || peek() == '}' || peek() == '#') return {};
    return refused("with more behind a command");
  }

  Asked<void> label() {
    skip(" \t");
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_') ++at_;
    return end_of_command();
  }

  void rest_of_line() {
    while (!done() && text_[at_] != '\n') ++at_;
  }

  // Takes the text of a, i and c: "a text", or "a\" and the text in the next line.
  Asked<void> text_lines() {
    skip(" \t");
    if (peek() == '\\') {
      ++at_;
      if (peek() == ' ' || peek() == '\t') return refused("with a blank behind a backslash");
      if (peek() == '\n') ++at_;
    }
    rest_of_line();
    if (text_[at_ - 1] == '\\') return refused("with text of many lines");
    return {};
  }

  Asked<void> substitute() {
    const char delimiter = peek();
    if (!is_sign(delimiter)) return refused("with such a delimiter");
    ++at_;
    TRY(delimited(delimiter));
    TRY(delimited(delimiter));
    while (!done()) {
      const char flag = peek();
      if (flag == 'e') return never('s', "and its flag e runs other programs");
      if (flag == 'w') return never('s', "and its flag w writes files");
      if (!std::string_view("gpiImM0123456789").contains(flag)) break;
      ++at_;
    }
    return end_of_command();
  }

  Asked<void> transliterate() {
    const char delimiter = peek();
    if (!is_sign(delimiter)) return refused("with such a delimiter");
    ++at_;
    TRY(delimited(delimiter));
    TRY(delimited(delimiter));
    return end_of_command();
  }

  Asked<void> command() {
    if (done()) return refused("with an address and no command");
    const char c = text_[at_++];
    if (use_ == SedUse::kEdits && !std::string_view("{}#sdaic").contains(c))
      return never(c, "does more than to edit lines");
    switch (c) {
      case '{':
        ++depth_;
        return {};
      case '}':
        if (depth_-- == 0) return refused("without an opening brace");
        return end_of_command();
      case '#':
        rest_of_line();
        return {};
      case ':':
      case 'b':
      case 't':
      case 'T':
      case 'v':
        return label();
      case 'a':
      case 'i':
      case 'c':
        return text_lines();
      case 'r':
      case 'R':
        rest_of_line();
        return {};
      case 's':
        return substitute();
      case 'y':
        return transliterate();
      case 'q':
      case 'Q':
      case 'l':
        skip(" \t");
        if (use_ == SedUse::kShows && c != 'l' && std::isdigit(static_cast<unsigned char>(peek())))
          return never(c, "and a number tells by its status");
        number();
        return end_of_command();
      case 'e':
        return never(c, kExecutes);
      case 'w':
      case 'W':
        return never(c, kWrites);
      default:
        break;
    }
    if (std::string_view("=dDgGhHnNpPxzF").contains(c)) return end_of_command();
    return never(c, "is not on the list");
  }

  std::string_view text_;
  SedUse use_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Asked<void> check_sed(const Arguments& arguments, Question& /*question*/) {
  return check_sed_script(arguments, SedUse::kPrints);
}

Asked<void> check_sed_script(const Arguments& arguments, SedUse use) {
  std::string script;
  bool given = false;
  for (const Given& option : arguments.options) {
    if (option.name != "e") continue;
    if (given) script += '\n';
    script += option.value;
    given = true;
  }
  const std::vector<std::string> words = arguments.all();
  if (!given && !words.empty()) script = words.front();
  return SedScript(script, use).parse();
}

}  // namespace gittxn::questions
