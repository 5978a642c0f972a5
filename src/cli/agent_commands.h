// What the table of commands.h says of the commands beside an agent. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr OperandSpec kHookOperands[] = {{"EVENT", Value::kText, "", 1, 1}};
inline constexpr FlagSpec kHookFlags[] = {
    {"--into", "", Value::kFolder, "FOLDER",
     "where the transaction keeps observations (default: GIT_TXN_OBSERVED; without either nothing "
     "is done)",
     "", Stability::kExperimental}};
inline constexpr Example kHookExamples[] = {
    {"git txn hook PostToolUse", "what to put into an agent's settings as a hook of that event"}};
inline constexpr CommandSpec kHookCommand{
    "hook",
    "note an event of an agent's hook",
    "Reads one event of Claude Code or Codex from standard input and notes it for the transaction "
    "that the agent works in. Prints nothing, unless something the agent has read changed "
    "meanwhile: then what to tell it. `git txn run` adds such hooks to the agents it knows by "
    "itself.\n\n"
    "It never fails the agent: outside a transaction, with an event that makes no sense, or with a "
    "full disk it exits 0 all the same.",
    kHookOperands,
    kHookFlags,
    kHookExamples,
    Group::kAgents,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr OperandSpec kCaptureOperands[] = {{"import", Value::kChoice, "import", 1, 1},
                                                   {"ID", Value::kTxn, "", 0, 1}};
inline constexpr FlagSpec kCaptureFlags[] = {{"--otel", "", Value::kText, "FILE",
                                              "an export of OpenTelemetry spans, as OTLP JSON", "",
                                              Stability::kExperimental}};
inline constexpr Example kCaptureExamples[] = {
    {"git txn capture import --otel spans.json t-7k2m",
     "what the tools of a framework say that they read"}};
inline constexpr CommandSpec kCaptureCommand{
    "capture",
    "import what another program observed of an agent",
    "Turns spans with file arguments into declared reads of an open transaction. Without ID: the "
    "transaction this is called in, else the only open one.",
    kCaptureOperands,
    kCaptureFlags,
    kCaptureExamples,
    Group::kAgents,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
