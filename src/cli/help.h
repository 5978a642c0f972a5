// Written forms of the table of commands.h: help on the terminal, manual pages (troff, man(7)), and
// the table itself. Pure functions of the table. What is internal or deprecated is in the last one
// alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"

namespace gittxn::cli {

// git txn --help; with a topic git txn help TOPIC: the name of a group, or --all.
std::string help_text(std::string_view topic = {}, const Table& table = command_table());
std::string help_text(const CommandSpec& command);  // git txn COMMAND --help
std::string sentence_of(
    const CommandSpec& command);  // its description, or its summary as a sentence

std::string stability_table(const Table& table = command_table());  // git txn version --cli
void table_fields(FieldIo& io, const Table& table);  // with git txn version --cli --json
std::string commands_page(const Table& table = command_table());  // docs/commands.md

// Every page as (file name, text): git-txn.1 and git-txn-COMMAND.1.
std::vector<std::pair<std::string, std::string>> man_pages(std::string_view version,
                                                           const Table& table = command_table());

}  // namespace gittxn::cli
