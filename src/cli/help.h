// What the table of commands.h says, in its three written forms: help on the terminal, manual pages
// (troff, man(7)), and completion for bash. Pure functions of the table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"

namespace gittxn::cli {

std::string help_text();                            // git txn --help
std::string help_text(const CommandSpec& command);  // git txn COMMAND --help
std::string stability_table();                      // git txn version --cli

// Every page as (file name, text): git-txn.1 and git-txn-COMMAND.1.
std::vector<std::pair<std::string, std::string>> man_pages(std::string_view version);

// For /usr/share/bash-completion/completions/git-txn: completes `git-txn` and, through git's own
// completion, `git txn`.
std::string bash_completion();

}  // namespace gittxn::cli
