// What a parsed command line must keep of the tree of commands.h, each as a question of its own,
// and what is said where it does not. Only for parse.cc.
#pragma once

#include <string>
#include <vector>

#include "cli/parse.h"

namespace gittxn::cli {

bool looks_like_option(const std::string& word);
std::string help_hint(const CommandSpec& command);
std::unexpected<Error> unknown_command(const std::string& word, const Table& table);
std::unexpected<Error> unknown_subcommand(const CommandSpec& command, const std::string& word);

// No operand looks like an option. `dashes`: there is a -- behind them.
enum class Dashes { kNone, kGiven };
Status check_options(const Parsed& parsed, Dashes dashes, const Table& table);
Status check_operands(const Parsed& parsed);
// Of a command that takes one behind --, or may. `before`: the words in front of that.
Status check_command(const Parsed& parsed, const std::vector<std::string>& before, Dashes dashes);
// Each flag is the command's own, not of another subcommand of `top`, with a value that it can
// have.
Status check_flags(const Parsed& parsed, const CommandSpec& top, const Table& table);
Status check_needed(const Parsed& parsed);

}  // namespace gittxn::cli
