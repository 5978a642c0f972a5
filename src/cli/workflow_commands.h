// What the table of commands.h says of workflows. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kWorkflowFlag{"--workflow",
                                        "",
                                        Value::kText,
                                        "ID",
                                        "it belongs to the open phase of this workflow",
                                        "",
                                        Stability::kExperimental};
inline constexpr FlagSpec kPhaseFlag{"--phase",
                                     "",
                                     Value::kText,
                                     "PHASE",
                                     "refuse to begin when another phase is open",
                                     "",
                                     Stability::kExperimental};

inline constexpr OperandSpec kWorkflowOperands[] = {
    {"create|status|list|advance|skip|rollback|override|verdict|cancel", Value::kChoice,
     "create status list advance skip rollback override verdict cancel", 1, 1},
    {"NAME|ID", Value::kText, "", 0, 2}};
inline constexpr FlagSpec kWorkflowFlags[] = {
    {"--onto", "", Value::kBranch, "BRANCH",
     "create: the branch whose policy and head it is judged on (default: the one checked out)", "",
     Stability::kExperimental},
    {"--as", "", Value::kText, "ID", "create: its id (default: made up)", "",
     Stability::kExperimental},
    {"--key", "", Value::kText, "KEY",
     "create: when it was created under this key before, give that one back", "",
     Stability::kExperimental},
    {"--from", "", Value::kText, "PHASE", "advance, skip, override: only when this phase is open",
     "", Stability::kExperimental},
    {"--to", "", Value::kText, "PHASE", "rollback: the phase to go back to", "",
     Stability::kExperimental},
    {"--reason", "", Value::kText, "TEXT", "skip, rollback, override, cancel: why; for the record",
     "", Stability::kExperimental},
    {"--actor", "", Value::kText, "WHO", "who did it (default: your git identity)", "",
     Stability::kExperimental},
    {"--pass", "", Value::kNone, "", "verdict: it is good", "", Stability::kExperimental},
    {"--fail", "", Value::kNone, "", "verdict: it is not", "", Stability::kExperimental},
    {"--note", "", Value::kText, "TEXT", "verdict: what to say with it", "",
     Stability::kExperimental}};
inline constexpr Example kWorkflowExamples[] = {
    {"git txn workflow create feature --as w-auth", "its first phase is open"},
    {"git txn run --workflow w-auth -- claude -p 'write the plan'",
     "a transaction of the open phase"},
    {"git txn workflow verdict w-auth review --pass", "what a gate of the phase may ask for"},
    {"git txn workflow advance w-auth", "to the next phase, when every gate holds"},
    {"git txn workflow override w-auth --reason 'the gate is broken'",
     "past gates that do not hold; who and why is on record"},
    {"git txn workflow rollback w-auth --to plan --reason 'the plan was wrong'",
     "back; what runs in later phases is aborted, its work kept"},
    {"git txn workflow cancel w-auth --reason 'made by mistake'",
     "its end; what is unfinished in it cannot land any more"}};
inline constexpr CommandSpec kWorkflowCommand{
    "workflow",
    "move work through phases that gates guard",
    "A workflow is an ordered chain of phases, defined as [workflow.NAME] in .gittxn.toml of the "
    "target branch, with what must hold before each is left: a command on the branch's head, a "
    "path that is there, no transaction of the phase unfinished, a verdict, how far the members of "
    "a portfolio are. Transactions are begun "
    "in the phase that is open (git txn run --workflow ID). One whose phase was left before it "
    "landed is dropped, or carried over to the open one, as the policy says (on_close).\n\n"
    "advance moves on when every gate holds (exit 1 when one does not), skip leaves a phase that "
    "has no gates, override moves past gates that do not hold, rollback goes back to an earlier "
    "phase and aborts what is unfinished in the later ones. Each is on record with who and why, "
    "which status shows, and two at a time cannot both succeed.\n\n"
    "cancel ends a workflow before its last phase is left: nothing is begun in it and nothing "
    "moves it any more. Its unfinished transactions go on, agents that run in them are told, and "
    "none of them lands. To cancel it again changes nothing. Its id is not used again. One whose "
    "work is done early is moved on phase by phase, with skip or override, so that no gate is "
    "passed without a word.\n\n"
    "Inside a transaction only status and list are allowed; what they show counts as read.",
    kWorkflowOperands,
    kWorkflowFlags,
    kWorkflowExamples,
    Group::kPolicy,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
