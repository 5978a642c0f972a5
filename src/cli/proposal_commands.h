// What the table of commands.h says of proposals. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kProposalOnto{"--onto",
                                        "",
                                        Value::kBranch,
                                        "BRANCH",
                                        "the branch that it is of, whose policy says what its "
                                        "score allows (default: the one checked out, or the "
                                        "transaction's, where no other can be named)",
                                        "",
                                        Stability::kExperimental};
inline constexpr FlagSpec kProposalActor{"--actor",
                                         "",
                                         Value::kText,
                                         "WHO",
                                         "who did it (default: your git identity)",
                                         "",
                                         Stability::kExperimental};

inline constexpr OperandSpec kProposeOperands[] = {{"TEXT", Value::kText, "", 1, 1}};
inline constexpr FlagSpec kProposeFlags[] = {
    {"--key", "", Value::kText, "KEY",
     "when it was proposed under this key before, give that one back", "",
     Stability::kExperimental},
    {"--score", "", Value::kText, "S", "how sure you are that it is worth doing, from 0 to 1", "",
     Stability::kExperimental},
    {"--embedding", "", Value::kFile, "FILE",
     "what a model makes of the text, to find others that mean the same: a JSON array of numbers; "
     "- is standard input",
     "", Stability::kExperimental},
    {"--source", "", Value::kText, "NAME", "where it is from: a scanner, a URL, an agent", "",
     Stability::kExperimental},
    {"--again", "", Value::kNone, "", "although the same was promoted once: it came back", "",
     Stability::kExperimental},
    kProposalActor,
    kProposalOnto};
inline constexpr Example kProposeExamples[] = {
    {"git txn propose 'parse() leaks when the file is empty' --score 0.85",
     "anybody may begin this"},
    {"git txn propose 'split the config module' --score 0.6 --source review-bot",
     "this waits for a person"}};
inline constexpr CommandSpec kProposeCommand{
    "propose",
    "propose work for the backlog, with how sure you are of it",
    "The score decides who may begin it: from 0.8 on anybody, from 0.5 on a person, from 0.3 on it "
    "is only kept, and below that it is discarded, which is on record. [proposals] of .gittxn.toml "
    "has other boundaries.\n\n"
    "What says the same as a proposal that is there already is refused and linked to that one "
    "(exit 1), whatever became of it; --again proposes anew what was promoted. Further digits of a "
    "score are cut off, not rounded.",
    kProposeOperands,
    kProposeFlags,
    kProposeExamples,
    Group::kPolicy,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr OperandSpec kPromoteOperands[] = {{"PROPOSAL", Value::kText, "", 1, 1}};
inline constexpr FlagSpec kPromoteFlags[] = {
    {"--approve", "", Value::kNone, "", "a person says yes to it", "", Stability::kExperimental},
    {"--override", "", Value::kNone, "", "a person says yes whatever its score; needs --reason", "",
     Stability::kExperimental},
    {"--reason", "", Value::kText, "TEXT", "of an override: why; for the record", "",
     Stability::kExperimental},
    {"--became", "", Value::kText, "NAME",
     "what it leads to: txn:ID, workflow:ID, or any other name, such as a URL", "",
     Stability::kExperimental},
    kProposalActor};
inline constexpr Example kPromoteExamples[] = {
    {"git txn promote p-12", "begin what may start by itself (exit 1 when it may not)"},
    {"git txn promote p-14 --approve --became workflow:w-auth", "a person says yes"},
    {"git txn promote p-9 --override --reason 'a customer asked for it'",
     "whatever its score; who and why is on record"}};
inline constexpr CommandSpec kPromoteCommand{
    "promote",
    "take a proposal from the backlog, where its score allows it",
    "Without an option it asks for what may start by itself, so a script may call it for every "
    "proposal: what it may not begin it cannot (exit 1), and that is on record. A yes of a person "
    "is --approve; git-txn takes your word for who you are, except that nothing inside of a "
    "transaction, a handler or a gate is a person. --override begins anything for a reason.\n\n"
    "Promoting starts nothing by itself: [on.\"proposal.promoted\"] of .gittxn.toml runs a "
    "command.",
    kPromoteOperands,
    kPromoteFlags,
    kPromoteExamples,
    Group::kPolicy,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

inline constexpr OperandSpec kProposalsOperands[] = {
    {"list|show|dismiss|link", Value::kChoice, "list show dismiss link", 0, 1},
    {"ID", Value::kText, "", 0, 1},
    {"NAME", Value::kText, "", 0, 1}};
inline constexpr FlagSpec kProposalsFlags[] = {
    {"--all", "", Value::kNone, "", "list: those that were promoted, dismissed or discarded too",
     "", Stability::kExperimental},
    {"--reason", "", Value::kText, "TEXT", "dismiss: why; for the record", "",
     Stability::kExperimental},
    kProposalActor};
inline constexpr Example kProposalsExamples[] = {
    {"git txn proposals", "what waits, the surest first"},
    {"git txn proposals show p-12", "all of it, and what happened to it"},
    {"git txn proposals dismiss p-12 --reason 'works as designed'",
     "no; the same is refused from now on"},
    {"git txn proposals link p-14 txn:t-7k2m", "what came of one that was promoted"}};
inline constexpr CommandSpec kProposalsCommand{
    "proposals",
    "list the backlog of proposals, and dismiss them",
    "list shows what is open, by score, with who may begin it by the policy that its branch has "
    "now. show tells "
    "everything about one; link notes what came of one that was promoted. dismiss says no, for a "
    "reason; it is refused inside of a transaction, a handler or a gate.",
    kProposalsOperands,
    kProposalsFlags,
    kProposalsExamples,
    Group::kPolicy,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
