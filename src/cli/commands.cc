#include "cli/commands.h"

#include <algorithm>
#include <vector>

namespace gittxn::cli {

std::string_view stability_name(Stability stability) {
  switch (stability) {
    case Stability::kStable:
      return "stable";
    case Stability::kExperimental:
      return "experimental";
    case Stability::kInternal:
      return "internal";
  }
  return "internal";
}

std::string_view group_title(Group group) {
  switch (group) {
    case Group::kDaily:
      return "Every day";
    case Group::kSteps:
      return "The same in steps";
    case Group::kLook:
      return "Looking closer";
    case Group::kMerge:
      return "Merging files";
    case Group::kAgents:
      return "Beside an agent";
    case Group::kPolicy:
      return "Policy";
    case Group::kCare:
      return "Care";
    case Group::kInternal:
      return "Internal";
  }
  return "";
}

const CommandSpec* find_command(std::string_view name, const Table& table) {
  for (const CommandSpec& command : table.commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string usage_line(const CommandSpec& command) {
  std::string line = "git txn " + std::string(command.name);
  if (!command.flags.empty()) line += " [OPTIONS]";
  for (const OperandSpec& operand : command.operands) {
    std::string label(operand.label);
    if (operand.at_most > 1) label += "...";
    line += operand.at_least == 0 ? " [" + label + "]" : " " + label;
  }
  if (command.takes_command) line += " -- COMMAND...";
  if (command.may_take_command) line += " [-- COMMAND...]";
  return line;
}

namespace {

// Levenshtein distance, with a swap of neighbours as one step: the usual slips of a keyboard.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > 64) return "";
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (std::string_view candidate : known) {
    if (std::size_t d = distance(word, candidate); d < best) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

}  // namespace gittxn::cli
