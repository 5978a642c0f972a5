// The table of commands.h: the commands of all areas, and what is of every one or of none yet.
#include "cli/command_areas.h"

namespace gittxn::cli {
namespace {

constexpr FlagSpec kCommon[] = {
    stable({"--json", "", "print JSON; the command's own output goes to standard error"}),
    stable({.name = "--quiet",
            .label = {},
            .help = "no progress, no notes, no advice",
            .letter = "-q"}),
    {"--log", "FORMAT", "write a structured log to standard error: text or json", Value::kChoice,
     "", "text json"},
    stable({.name = "--help", .label = {}, .help = "show this help", .letter = "-h"})};

constexpr LaterName kLater[] = {
    {"begin", "--scope"}, {"", "fleet"}, {"", "capsule"}, {"", "replay"},   {"", "proof"},
    {"", "export"},       {"", "ui"},    {"", "bench"},   {"", "override"},
};

std::vector<CommandSpec> commands_of_all_areas() {
  std::vector<CommandSpec> all;
  for (const auto area : kAreas) {
    for (CommandSpec& command : area()) all.push_back(std::move(command));
  }
  return all;
}

}  // namespace

const Table& command_table() {
  static const std::vector<CommandSpec> kCommands = commands_of_all_areas();
  static const Table kTable{kCommands, kCommon, kLater};
  return kTable;
}

}  // namespace gittxn::cli
