// The table of commands.h: the commands of all areas, and what is of every one or of none yet.
#include "cli/command_areas.h"

namespace gittxn::cli {
namespace {

constexpr FlagSpec kCommon[] = {
    {"--json", "", "print JSON; the command's own output goes to standard error", Value::kNone,
     Stability::kStable},
    {"--quiet", "", "no progress, no notes, no advice", Value::kNone, Stability::kStable, "-q"},
    {"--log", "FORMAT", "write a structured log to standard error: text or json", Value::kChoice,
     Stability::kExperimental, "", "text json"},
    {"--help", "", "show this help", Value::kNone, Stability::kStable, "-h"}};

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
