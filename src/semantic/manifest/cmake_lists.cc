// CMakeLists.txt and *.cmake as a list of commands. Nothing is evaluated: an if(), a loop and a
// function's body are commands as others are, variables stay as they are written, and the order of
// the commands is part of what the file says. A file that ends inside a command is opaque.
#include <algorithm>
#include <cctype>
#include <optional>

#include "semantic/manifest/reader.h"

namespace gittxn::semantic {
namespace {

struct CMakeCommand {
  std::string name;
  std::vector<std::string> arguments;  // as they are written, quotes and all
};

bool is_cmake_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_command_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // Nothing at the end, and when something is wrong.
  std::optional<CMakeCommand> next() {
    if (!skip() || at_ == text_.size()) return std::nullopt;
    CMakeCommand command;
    while (at_ < text_.size() && is_command_char(text_[at_])) {
      command.name += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_++])));
    }
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (command.name.empty() || at_ == text_.size() || text_[at_] != '(') {
      return wrong("something is no command");
    }
    ++at_;
    for (int depth = 1; depth > 0;) {
      if (!skip()) return std::nullopt;
      if (at_ == text_.size()) return wrong("a command does not end");
      std::string argument =
          text_[at_] == '(' || text_[at_] == ')' ? std::string(1, text_[at_++]) : word();
      if (!why_.empty()) return std::nullopt;
      depth += argument == "(" ? 1 : argument == ")" ? -1 : 0;
      if (depth > 0) command.arguments.push_back(std::move(argument));
    }
    return command;
  }
  const std::string& why() const { return why_; }

 private:
  std::nullopt_t wrong(const char* why) {
    why_ = why;
    return std::nullopt;
  }

  // Behind a bracket such as "[==[" at `at`: its end behind the closing one; 0 when it is none.
  std::size_t bracket(std::size_t at) {
    std::size_t from = at + 1;
    while (from < text_.size() && text_[from] == '=') ++from;
    if (text_[at] != '[' || from >= text_.size() || text_[from] != '[') return 0;
    const std::string close = "]" + std::string(from - at - 1, '=') + "]";
    const std::size_t end = text_.find(close, from);
    if (end != std::string_view::npos) return end + close.size();
    why_ = "a bracket does not end";
    return text_.size();
  }

  // White space and comments.
  bool skip() {
    while (at_ < text_.size()) {
      if (is_cmake_space(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '#') {
        const std::size_t end = at_ + 1 < text_.size() ? bracket(at_ + 1) : 0;
        at_ = end != 0 ? end : std::min(text_.find('\n', at_), text_.size());
      } else {
        break;
      }
    }
    return why_.empty();
  }

  void quoted() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) why_ = "a string does not end";
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string word() {
    const std::size_t from = at_;
    if (const std::size_t end = bracket(at_); end != 0) {
      at_ = end;
    } else if (text_[at_] == '"') {
      quoted();
    } else {
      while (at_ < text_.size() && why_.empty() && !is_cmake_space(text_[at_]) &&
             !std::string_view("()#").contains(text_[at_])) {
        if (text_[at_] == '"') {  // as in -DA="b c"
          quoted();
        } else {
          at_ = std::min(at_ + (text_[at_] == '\\' ? 2 : 1), text_.size());
        }
      }
    }
    return std::string(text_.substr(from, at_ - from));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

struct CommandRow {
  std::string_view command;
  BuildKind kind;
};
constexpr CommandRow kCommandRows[] = {
    {"cmake_minimum_required", BuildKind::kToolchain},
    {"project", BuildKind::kToolchain},
    {"cmake_policy", BuildKind::kToolchain},
    {"enable_language", BuildKind::kToolchain},
    {"find_package", BuildKind::kDependency},
    {"find_library", BuildKind::kDependency},
    {"find_program", BuildKind::kDependency},
    {"pkg_check_modules", BuildKind::kDependency},
    {"pkg_search_module", BuildKind::kDependency},
    {"fetchcontent_declare", BuildKind::kDependency},
    {"externalproject_add", BuildKind::kDependency},
    {"cpmaddpackage", BuildKind::kDependency},
    {"add_subdirectory", BuildKind::kDependency},
    {"include", BuildKind::kDependency},
    {"target_link_libraries", BuildKind::kDependency},
    {"add_dependencies", BuildKind::kDependency},
    {"add_executable", BuildKind::kTarget},
    {"add_library", BuildKind::kTarget},
    {"add_custom_target", BuildKind::kTarget},
    {"add_custom_command", BuildKind::kScript},
    {"execute_process", BuildKind::kScript},
    {"add_test", BuildKind::kScript},
};

BuildSymbol symbol_of(const CMakeCommand& command) {
  BuildSymbol symbol;
  const auto* row = std::ranges::find(kCommandRows, command.name, &CommandRow::command);
  if (row != std::end(kCommandRows)) symbol.kind = row->kind;
  const auto& arguments = command.arguments;
  const bool of_target = command.name.starts_with("target_") || command.name == "add_dependencies";
  symbol.name = command.name;
  if (!arguments.empty()) {
    if (of_target) symbol.target = arguments[0];
    symbol.name += of_target ? "" : " " + arguments[0];
  }
  std::string rest;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (i > 1) rest += '\0';
    rest += arguments[i];
  }
  symbol.version = shown(rest);
  return symbol;
}

}  // namespace

std::string read_cmake_lists(std::string_view text, Manifest* manifest) {
  manifest->ordered = true;
  Lexer lexer(text);
  while (const auto command = lexer.next()) manifest->symbols.push_back(symbol_of(*command));
  return lexer.why();
}

}  // namespace gittxn::semantic
