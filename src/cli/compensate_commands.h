// What the table of commands.h says of compensations. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kCompensateFlags[] = {{"--name", "", Value::kText, "NAME",
                                                 "what it undoes, for people", "",
                                                 Stability::kExperimental}};
inline constexpr Example kCompensateExamples[] = {
    {"git txn compensate --name 'the test database' -- dropdb test-42",
     "inside of a transaction, once the database is there"}};
inline constexpr CommandSpec kCompensateCommand{
    "compensate",
    "register a command that undoes an effect outside of the repository",
    "Inside of a transaction only. The command is run, once, when the transaction is aborted: by "
    "whoever aborts it, before that command ends, and in reverse order of registration; not when "
    "it landed or changed nothing. What is rejected or quarantined may still land, so nothing is "
    "undone before somebody gives it up.\n\n"
    "It runs in an empty directory, with the environment of a gate and ten minutes of time. One "
    "that was killed in the middle is run again by git txn recover; git txn show lists them with "
    "how they ended.",
    {},
    kCompensateFlags,
    kCompensateExamples,
    Group::kSteps,
    Inside::kAllowed,
    true,
    Stability::kExperimental};

}  // namespace gittxn::cli
