// The row of `stop` in the table of commands.h. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr OperandSpec kStopOperands[] = {{"ID", Value::kTxn, "", 1, 1}};
inline constexpr Example kStopExamples[] = {
    {"git txn stop t-7k2m", "as a Ctrl-C where it was started; its work is kept"}};
inline constexpr CommandSpec kStopCommand{
    "stop",
    "end the command that a transaction runs",
    "Asks the process of git-txn that runs it to end it, as a Ctrl-C in its terminal does, and "
    "everything it started when it has not ended after five seconds. Waits until it has. Nothing "
    "lands and the work is kept: commit lands it, abort gives it up. On the machine where it "
    "runs only.",
    kStopOperands,
    {},
    kStopExamples,
    Group::kSteps,
    Inside::kRefused,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
