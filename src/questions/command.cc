// Commands of a policy, or of anybody who writes them down, beside what a process was given.
#include <algorithm>

#include "questions/question.h"

namespace gittxn::questions {
namespace {

// A character that no shell gives a meaning to.
bool is_plain(char c) {
  constexpr std::string_view kOthers = "_-./:@%+,";
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || kOthers.contains(c);
}

// The words of a line that a shell would run as this very program with these very arguments; none
// where it would do anything else with it.
std::vector<std::string> plain_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : line) {
    if (c == ' ') {
      inside = false;
      continue;
    }
    if (!is_plain(c)) return {};
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  }
  return words;
}

}  // namespace

bool is_command(const std::vector<std::string>& command, const std::vector<std::string>& argv) {
  if (command == argv) return true;
  const bool line = command.size() == 3 && command[0] == "sh" && command[1] == "-c";
  return line && plain_words(command[2]) == argv;
}

}  // namespace gittxn::questions
