// What the table of commands.h says of the commands about symbols. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kDiffFlags[] = {
    {"--symbols", "", Value::kNone, "",
     "by symbol: what was added, removed, changed and moved, and what of it", "",
     Stability::kExperimental}};

inline constexpr Example kDiffExamples[] = {
    {"git txn diff t-7k2m", "its change as a patch"},
    {"git txn diff t-7k2m | git apply --check", "the patch is exact"},
    {"git txn diff t-7k2m --symbols", "the functions, types and keys that it changes"}};
inline constexpr Example kWritesExamples[] = {
    {"git txn writes t-7k2m", "the paths it changes, and what of them"}};

inline constexpr OperandSpec kSymbolsOperands[] = {{"PATH", Value::kFile, "", 0, 1000}};
inline constexpr FlagSpec kSymbolsFlags[] = {
    {"--at", "", Value::kText, "COMMIT",
     "of a commit, a branch or a tag; without PATH the whole tree (default: the files on disk)", "",
     Stability::kExperimental},
    {"--kind", "", Value::kText, "KIND", "only this kind: function, type, variable, key and others",
     "", Stability::kExperimental},
    {"--name", "", Value::kText, "NAME", "only what has this name", "", Stability::kExperimental},
    {"--limit", "-n", Value::kNumber, "N", "how many (default 2000; 0: all)", "",
     Stability::kExperimental}};
inline constexpr Example kSymbolsExamples[] = {
    {"git txn symbols src/auth.py", "what the file declares, as it is on disk"},
    {"git txn symbols --at HEAD --name validate", "everything of that name in a commit"},
    {"git txn symbols --at main src --kind type --json | jq -r .symbol", "one object a line"}};
inline constexpr CommandSpec kSymbolsCommand{
    "symbols",
    "list the symbols of files",
    "Each symbol as a SCIP descriptor behind its path, with its kind and its lines: "
    "src/auth.py/Token#validate(). is a function of a type. With --json also a hash for each "
    "capability it has: signature, visibility, body, contract and build; one that is the same was "
    "not changed, however it is laid out.\n\n"
    "A file that cannot be looked into is one symbol, with the reason. What is found out is kept "
    "in "
    "txn/catalogue in the git directory, up to 512 MiB, by the content of files; it may be deleted "
    "at any time.",
    kSymbolsOperands,
    kSymbolsFlags,
    kSymbolsExamples,
    Group::kLook,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr OperandSpec kImpactOperands[] = {{"SYMBOL|PATH|ID", Value::kText, "", 1, 1}};
inline constexpr FlagSpec kImpactFlags[] = {
    {"--at", "", Value::kText, "COMMIT", "in this commit (default: the one that is checked out)",
     "", Stability::kExperimental},
    {"--limit", "-n", Value::kNumber, "N", "how many lines (default 200; 0: all)", "",
     Stability::kExperimental}};
inline constexpr Example kImpactExamples[] = {
    {"git txn impact Token.validate", "a symbol by its name, with what it is in"},
    {"git txn impact 'src/auth.py/Token#validate().'", "as git txn symbols prints it"},
    {"git txn impact src/auth.py --at main", "who uses a file, or anything in it"},
    {"git txn impact t-7k2m", "who may be affected by the change of a transaction"}};
inline constexpr CommandSpec kImpactCommand{
    "impact",
    "show who may be affected when a symbol changes",
    "Callers and other users, importers, subtypes and overriding members, tests that use it or are "
    "called after its file, and build targets, each with how sure it is: resolved where the name "
    "has one definition that it could mean there and the file imports it, is in its package or has "
    "it itself; by name where only the name is the same; governed for targets of a manifest above "
    "the file.\n\n"
    "A name that several symbols have lists them, and is asked for again with what it is in. "
    "Changes that are not committed are not seen.",
    kImpactOperands,
    kImpactFlags,
    kImpactExamples,
    Group::kLook,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
