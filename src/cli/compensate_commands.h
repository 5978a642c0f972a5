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
    "register a command that undoes an outside effect (a saga step)",
    "Inside of a transaction only. The command is run, once, when the transaction ends without "
    "landing, because it was aborted or because there was nothing to land: by the command with "
    "which it ends, before that one exits, and in reverse order of registration. What is rejected "
    "or quarantined may still land, so nothing is undone before somebody gives it up.\n\n"
    "It runs in an empty directory, with the environment of a gate and ten minutes of time, and "
    "may do what a command of a transaction may. One that was killed or interrupted in the middle "
    "is run again by git txn recover; git txn status lists what is owed, git txn show how each "
    "ended.",
    {},
    kCompensateFlags,
    kCompensateExamples,
    Group::kSteps,
    Inside::kAllowed,
    true,
    Stability::kExperimental};

}  // namespace gittxn::cli
