// What the table of commands.h says of portfolios. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr OperandSpec kPortfolioOperands[] = {
    {"status|add|needs|remove|relay", Value::kChoice, "status add needs remove relay", 0, 1},
    {"REPO|NAME", Value::kText, "", 0, 64}};
inline constexpr FlagSpec kPortfolioFlags[] = {
    {"--as", "", Value::kText, "NAME", "add: what to call it (default: the name of its folder)", "",
     Stability::kExperimental},
    {"--needs", "", Value::kText, "NAME",
     "add: a member that comes before it; may be given several times", "",
     Stability::kExperimental},
    {"--anew", "", Value::kNone, "",
     "relay: after an older copy of this log was put back, take back what it does not have any "
     "more",
     "", Stability::kExperimental},
    {"--actor", "", Value::kText, "WHO", "who did it (default: your git identity)", "",
     Stability::kExperimental}};
inline constexpr Example kPortfolioExamples[] = {
    {"git txn portfolio add ../api", "a repository whose work belongs to this one's"},
    {"git txn portfolio add ../web --needs api", "and one that comes after it"},
    {"git txn portfolio", "its members, what others need first, and how far each is"},
    {"git txn portfolio needs web api shared", "what web needs, from now on"},
    {"git txn portfolio relay", "tell the members how this repository's workflows moved"}};
inline constexpr CommandSpec kPortfolioCommand{
    "portfolio",
    "multi-repository changes: workflows that span repositories here",
    "The repository you are in keeps the list of its members, what needs what (a circle is "
    "refused), and the workflow that leads. A gate members = \"WORKFLOW/PHASE\" of one of its "
    "phases holds when every member has left that phase of its own newest workflow of that name; "
    "members = \"WORKFLOW\" when each has finished it.\n\n"
    "relay tells the members how the workflows here moved: each such event is in a member's log "
    "once, however often it is relayed. One that cannot be told is named, and keeps no other from "
    "being told (exit 2). [on.\"phase.advanced\"] run = \"git txn portfolio relay\" "
    "in .gittxn.toml does it each time; [on.\"portfolio.relayed\"] in a member's policy is given "
    "what it was told. All but status are refused inside of a transaction.",
    kPortfolioOperands,
    kPortfolioFlags,
    kPortfolioExamples,
    Group::kPolicy,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
