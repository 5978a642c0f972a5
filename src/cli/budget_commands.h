// What the table of commands.h says of budgets. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kRunBudget{"--budget",
                                     "",
                                     Value::kText,
                                     "KIND=VALUE",
                                     "how much it may use up: wall=10m and bytes=1M end a "
                                     "command, input, output, cache, calls and "
                                     "cost warn; may be given several times",
                                     "",
                                     Stability::kExperimental};

inline constexpr OperandSpec kBudgetOperands[] = {
    {"set|show|report|reconcile", Value::kChoice, "set show report reconcile", 1, 1},
    {"KIND=VALUE|ID|FILE", Value::kText, "", 0, 16}};
inline constexpr FlagSpec kBudgetFlags[] = {
    {"--txn", "", Value::kTxn, "ID", "of a transaction", "", Stability::kExperimental},
    {"--owner", "", Value::kText, "OWNER", "of all that belongs to an owner", "",
     Stability::kExperimental},
    {"--workflow", "", Value::kText, "ID", "of all that belongs to a workflow", "",
     Stability::kExperimental},
    {"--key", "", Value::kText, "NAME",
     "what a report is of: the same one twice of one transaction, or of one that goes on with its "
     "conversation, counts once, by its larger numbers (default: it is a new one)",
     "", Stability::kExperimental},
    {"--tolerance", "", Value::kNumber, "PERCENT",
     "how far from the bill a figure may be (default 5)", "", Stability::kExperimental}};
inline constexpr Example kBudgetExamples[] = {
    {"git txn budget set --owner pat@example.org cost=20 wall=8h", "for all that Pat's agents do"},
    {"git txn budget set --txn t-7k2m input=none", "take one away"},
    {"git txn budget show", "every budget, and how much of it is used"},
    {"git txn budget show --txn t-7k2m", "all that a transaction has used up"},
    {"git txn budget report t-7k2m input=12000 output=900 --key call-7", "what its agent says"},
    {"git txn budget reconcile bill.jsonl --tolerance 2",
     "compare with a bill: lines of {\"owner\": NAME, \"cost\": 17.20}"}};
inline constexpr CommandSpec kBudgetCommand{
    "budget",
    "limit what transactions use up, and compare it with the bill",
    "The kinds are input, output and cache (tokens), calls (of tools), cost (in the currency of "
    "your bill), wall (the time of commands) and bytes (what commands print). Each is added up for "
    "the transaction, its owner and its workflow. Numbers may end in k, M or G. With --json "
    "cost is in millionths and wall in milliseconds.\n\n"
    "wall and bytes are measured and enforced: a command that reaches one is ended, and its work "
    "is "
    "kept. The others are what agents' session files, hooks and people report. Nothing checks "
    "those, so their budgets are best effort: at 80 % there is an event budget.warning, at 100 % "
    "budget.exceeded. A "
    "report may come after its transaction has ended, and comes from the clone in which that "
    "was begun. reconcile compares with what was billed, and exits 1 when a figure is too "
    "far "
    "from it. git txn version --enforces has the whole list.",
    kBudgetOperands,
    kBudgetFlags,
    kBudgetExamples,
    Group::kPolicy,
    Inside::kRefused,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
