// What the table of commands.h says of the commands beside an agent. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr OperandSpec kHookOperands[] = {{"EVENT", Value::kText, "", 1, 1}};
inline constexpr FlagSpec kHookFlags[] = {
    {"--into", "", Value::kFolder, "FOLDER",
     "where the transaction keeps observations (default: GIT_TXN_OBSERVED; without either nothing "
     "is done)",
     "", Stability::kInternal}};
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
    Stability::kInternal};

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

inline constexpr FlagSpec kIntoFlags[] = {
    {"--into", "", Value::kFolder, "FOLDER",
     "where the transaction keeps observations (default: GIT_TXN_OBSERVED)", "",
     Stability::kExperimental}};
inline constexpr Example kMcpExamples[] = {
    {"git txn mcp", "what the settings of an agent name as an MCP server"}};
inline constexpr CommandSpec kMcpCommand{
    "mcp",
    "serve an agent tools to read, search and list with",
    "Speaks the Model Context Protocol (2026-07-28, 2025-11-25, 2025-06-18) on standard input and "
    "output. The tools read, search, list, status and declare_read serve the transaction's "
    "worktree and record exactly what they served: a range of lines or a search counts as that, "
    "and not as the whole files.\n\n"
    "Outside of a transaction they serve the checkout around the current directory, and nothing is "
    "recorded; so an agent may have it in its own settings: claude mcp add git-txn -- git txn mcp.",
    {},
    kIntoFlags,
    kMcpExamples,
    Group::kAgents,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr OperandSpec kReadOperands[] = {{"PATH[:FIRST-LAST]", Value::kText, "", 0, 1000}};
inline constexpr FlagSpec kReadFlags[] = {
    {"--absent", "", Value::kNone, "", "the paths do not exist, and the change depends on that", "",
     Stability::kExperimental},
    {"--search", "", Value::kText, "PATTERN",
     "which lines match this Perl expression below the paths (default: the current directory)", "",
     Stability::kExperimental},
    {"--glob", "", Value::kText, "GLOB",
     "which files are there whose names match; with --search, search only those", "",
     Stability::kExperimental},
    {"--reason", "", Value::kText, "TEXT", "why, for the record", "", Stability::kExperimental},
    kIntoFlags[0]};
inline constexpr Example kReadExamples[] = {
    {"git txn read src/math.c:10-40 --reason 'the rounding rule'", "lines 10 to 40"},
    {"git txn read docs/style.md src", "a whole file, and the names in a directory"},
    {"git txn read --absent docs/guide.md", "that there is no such file"},
    {"git txn read --search 'add\\(' --glob '*.c' src", "what the search answers"}};
inline constexpr CommandSpec kReadCommand{
    "read",
    "declare what a change depends on",
    "For an agent, inside a transaction: says that the change depends on these files, or lines of "
    "them, on the names in a directory, on the absence of a path or on the answer of a search. It "
    "counts as a read of the snapshot: the change does not land when it no longer holds. Lines "
    "hold "
    "where others were added above them. What is not so is refused at once: a path that does not "
    "exist, or lines that it does not have.",
    kReadOperands,
    kReadFlags,
    kReadExamples,
    Group::kAgents,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr OperandSpec kSummaryOperands[] = {
    {"add|show|list|check|remove", Value::kChoice, "add show list check remove", 1, 1},
    {"NAME|FILE|PATH", Value::kText, "", 0, 1000}};
inline constexpr FlagSpec kSummaryFlags[] = {
    {"--stale", "", Value::kNone, "", "show: also one that is stale, with a line that says so", "",
     Stability::kExperimental},
    {"--reads-of", "", Value::kTxn, "ID", "add: it was made from all that this transaction read",
     "", Stability::kExperimental},
    {"--onto", "", Value::kBranch, "BRANCH",
     "the branch it is made from and judged on (default: the branch that is checked out)", "",
     Stability::kExperimental}};
inline constexpr Example kSummaryExamples[] = {
    {"git txn summary add 'overview of src' notes.md src README", "made from src and README"},
    {"git txn summary show 'overview of src'",
     "its text; a transaction that asks depends on src and README"},
    {"git txn summary check", "which ones are stale, and what changed; exit 1 when there are"}};
inline constexpr CommandSpec kSummaryCommand{
    "summary",
    "keep texts with what they were made from",
    "add NAME FILE PATH... stores the text of FILE with the digests of the files and directories "
    "it "
    "was made from, as they are on the branch. Whoever shows it inside a transaction depends on "
    "all "
    "of them: the transaction does not land when one has changed. Inside a transaction add without "
    "PATH means all that the transaction reads and changes, and the summary is stored when it has "
    "landed.\n\n"
    "show NAME prints the text while all that it was made from is as it was: on the branch, or "
    "inside a transaction in its snapshot. Of a stale one it says what changed and exits with 1; "
    "with --stale it prints it all the same, and that is no read that is certified. list names the "
    "summaries, check the stale ones; check exits with 1 when there are any. remove NAME forgets "
    "one; who was shown it still depends on its sources.",
    kSummaryOperands,
    kSummaryFlags,
    kSummaryExamples,
    Group::kAgents,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr Example kInstructionsExamples[] = {
    {"git txn instructions | tee ~/git-txn.md", "a copy to edit"}};
inline constexpr CommandSpec kInstructionsCommand{
    "instructions",
    "print what agents are told",
    "The text that agents get about working in a transaction, through the MCP server: the file "
    "that "
    "txn.instructions names, else the one that came with git-txn. To use another one: git config "
    "txn.instructions FILE.",
    {},
    {},
    kInstructionsExamples,
    Group::kAgents,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
