// What the table of commands.h says of hubs, and of waiting for their server. Only for
// command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kWait{
    "--wait",
    "",
    Value::kDuration,
    "DURATION",
    "maximum time to wait for a lease, the queue, uncommitted changes in your checkout, or a store "
    "on a server (default: until interrupted, for the server a minute; without a terminal 0)",
    "",
    Stability::kStable};
// Of commands that wait for nothing else.
inline constexpr FlagSpec kAwait{
    "--wait",
    "",
    Value::kDuration,
    "DURATION",
    "maximum time to wait for a store on a server that cannot be reached (default: a minute; "
    "without a terminal 0)",
    "",
    Stability::kExperimental};

inline constexpr FlagSpec kInitFlags[] = {
    {"--store", "", Value::kText, "URL",
     "the PostgreSQL server with the store of all clones: postgresql://USER@HOST/DATABASE, without "
     "a password (that belongs into ~/.pgpass)",
     "", Stability::kExperimental},
    {"--hub", "", Value::kText, "REMOTE",
     "the remote of this clone whose branches they all land on", "", Stability::kExperimental},
    {"--schema", "", Value::kText, "NAME",
     "the schema on the server, one for each hub (default git_txn)", "", Stability::kExperimental},
    {"--clone", "", Value::kText, "NAME",
     "what this clone is called (default: the name of the host and a few letters)", "",
     Stability::kExperimental}};
inline constexpr Example kInitExamples[] = {
    {"git txn init --store postgresql://txn@db.example.org/txn --hub origin",
     "in each clone, on each machine"}};
inline constexpr CommandSpec kInitCommand{
    "init",
    "share one store with other clones that land on the same hub",
    "A repository of one machine needs no init: the first command makes its store. With a hub, "
    "each clone has its own worktrees, and all of them one log, one queue and one set of leases, "
    "on the server; transactions begin at the hub's branch, and landing pushes the branch and its "
    "fence (a ref below refs/txn/fence/) in one atomic step. The local branch follows where that "
    "loses nothing.\n\n"
    "Whoever may write to the server's database may do what a transaction may: trust in a policy's "
    "commands is shared by all clones of a hub. To leave: git config --unset txn.hub.",
    {},
    kInitFlags,
    kInitExamples,
    Group::kCare,
    Inside::kRefused,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
