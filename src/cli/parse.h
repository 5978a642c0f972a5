// From the argument vector to a command, its flags and its operands, by the table of commands.h.
// What the table does not allow is kUsage, what it promises for later kUnsupported; both name the
// thing and the way out. Values are checked here, before anything has happened.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"

namespace gittxn::cli {

struct Parsed {
  const CommandSpec* command = nullptr;  // null: no command, only help was asked for
  std::string topic = {};                // then: of what, as help_text takes it
  // By long name every value that was given; the last counts, but for those that add up.
  std::map<std::string, std::vector<std::string>> flags = {};
  std::vector<std::string> operands = {};  // behind the words of the command
  std::vector<std::string> rest = {};      // after --
  std::vector<std::string> former = {};    // of each deprecated spelling, what to write instead

  // Of what was asked for: a flag may make more or less of a command.
  Effect effect() const;
  bool has(const std::string& flag) const { return flags.contains(flag); }
  std::optional<std::string> text(const std::string& flag) const;
  std::vector<std::string> texts(const std::string& flag) const;               // every value given
  std::int64_t number(const std::string& flag, std::int64_t otherwise) const;  // checked by parse
  std::optional<std::int64_t> duration_ms(const std::string& flag) const;
};

// argv without the program's name. What is deprecated is parsed as its successor: neither a handler
// nor anything else learns of the former name.
Result<Parsed> parse(const std::vector<std::string>& argv, const Table& table = command_table());

// Whether --json is asked for, readable even when the rest does not parse.
bool wants_json(const std::vector<std::string>& argv);

}  // namespace gittxn::cli
