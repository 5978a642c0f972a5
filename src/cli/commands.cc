// The table of commands.h: the commands of all areas, what is of every one or of none yet, and how
// all of it is looked through.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "cli/command_areas.h"

namespace gittxn::cli {

std::string_view stability_name(Stability stability) {
  constexpr std::string_view kNames[] = {"stable", "experimental", "internal"};
  const auto at = static_cast<std::size_t>(stability);
  return at < std::size(kNames) ? kNames[at] : "unknown";
}

std::span<const GroupSpec> groups() {
  static constexpr GroupSpec kGroups[] = {{Group::kDaily, "daily", "Every day"},
                                          {Group::kSteps, "steps", "Step by step"},
                                          {Group::kLook, "look", "Looking closer"},
                                          {Group::kMerge, "merge", "Merging files"},
                                          {Group::kAgents, "agents", "Beside an agent"},
                                          {Group::kPolicy, "policy", "Policy"},
                                          {Group::kSharing, "sharing", "Sharing and limits"},
                                          {Group::kBacklog, "backlog", "The backlog"},
                                          {Group::kCare, "care", "Care"}};
  return kGroups;
}

std::string_view last_word(const CommandSpec& command) {
  return command.name.substr(command.name.rfind(' ') + 1);  // of one word: all of it
}

bool needs_subcommand(const CommandSpec& command) {
  return std::holds_alternative<std::nullptr_t>(command.handler) && !command.subcommands.empty();
}

const CommandSpec* find_word(std::span<const CommandSpec> among, std::string_view word) {
  const auto found = std::ranges::find(among, word, last_word);
  return found == among.end() ? nullptr : &*found;
}

namespace {

constexpr FlagSpec kCommon[] = {
    stable({"--json", "", "print JSON; the command's own output goes to standard error"}),
    stable({.name = "--quiet",
            .label = {},
            .help = "no progress, no notes, no advice",
            .letter = "-q"}),
    stable({.name = "--help", .label = {}, .help = "show this help", .letter = "-h"})};

constexpr LaterName kLater[] = {
    {"begin", "--scope"}, {"", "fleet"}, {"", "capsule"}, {"", "replay"},   {"", "proof"},
    {"", "export"},       {"", "ui"},    {"", "bench"},   {"", "override"},
};

void make_stable_below(CommandSpec* command) {
  for (CommandSpec& one : command->subcommands) {
    one.stability = command->stability;
    make_stable_below(&one);
  }
}

std::vector<CommandSpec> commands_of_all_areas() {
  std::vector<CommandSpec> all;
  for (const auto area : kAreas) {
    for (CommandSpec& command : area()) all.push_back(std::move(command));
  }
  for (CommandSpec& command : all) make_stable_below(&command);
  return all;
}

void add_commands(std::span<const CommandSpec> commands, std::vector<const CommandSpec*>* all) {
  for (const CommandSpec& command : commands) {
    all->push_back(&command);
    add_commands(command.subcommands, all);
  }
}

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

const Table& command_table() {
  static const std::vector<CommandSpec> kCommands = commands_of_all_areas();
  static const Table kTable{kCommands, kCommon, kLater};
  return kTable;
}

std::vector<const CommandSpec*> all_commands(const Table& table) {
  std::vector<const CommandSpec*> all;
  add_commands(table.commands, &all);
  return all;
}

const CommandSpec* find_command(std::string_view name, const Table& table) {
  const auto all = all_commands(table);
  const auto found = std::ranges::find(all, name, &CommandSpec::name);
  return found == all.end() ? nullptr : *found;
}

std::vector<FlagSpec> flags_of(const CommandSpec& command) {
  std::vector<FlagSpec> all = command.flags;
  for (const CommandSpec& one : command.subcommands) {
    for (const FlagSpec& flag : flags_of(one)) {
      if (std::ranges::find(all, flag.name, &FlagSpec::name) == all.end()) all.push_back(flag);
    }
  }
  return all;
}

std::vector<Output> outputs_of(const CommandSpec& command) {
  std::vector<Output> all = command.outputs;
  const CommandSpec* meant = find_word(command.subcommands, command.otherwise);
  if (meant != nullptr) all = meant->outputs;
  for (const CommandSpec& one : command.subcommands) {
    for (Output output : outputs_of(one)) {
      const std::string on(last_word(one));
      output.on = output.on.empty() ? on : on + " " + output.on;
      all.push_back(std::move(output));
    }
  }
  return all;
}

std::string output_schema_uri(std::string_view schema) {
  return fmt::format("urn:git-txn:output:{}:1", schema);
}

std::string subcommand_words(const CommandSpec& command) {
  const auto words = command.subcommands | std::views::transform(last_word);
  return fmt::format("{}", fmt::join(words, "|"));
}

std::string usage_line(const CommandSpec& command) {
  std::string line = "git txn " + std::string(command.name);
  const auto is_needed = [](const FlagSpec& flag) { return flag.need == Need::kNeeded; };
  if (!std::ranges::all_of(command.flags, is_needed)) line += " [OPTIONS]";
  for (const FlagSpec& flag : command.flags) {
    if (is_needed(flag)) line += fmt::format(" {} {}", flag.name, flag.label);
  }
  if (needs_subcommand(command)) {
    const std::string words = subcommand_words(command);
    return line + (command.otherwise.empty() ? " " + words + " ..." : " [" + words + "] ...");
  }
  for (const OperandSpec& operand : command.operands) {
    std::string label(operand.label);
    if (operand.at_most > 1) label += "...";
    line += operand.at_least == 0 ? " [" + label + "]" : " " + label;
  }
  if (command.takes == Takes::kCommand) line += " -- COMMAND...";
  if (command.takes == Takes::kMaybeCommand) line += " [-- COMMAND...]";
  return line;
}

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
