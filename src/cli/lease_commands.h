// What the table of commands.h says of leases and sentinels. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kRunLease{
    "--lease",
    "",
    Value::kText,
    "SUBJECT",
    "hold a lease on this, exclusive and advisory, from before the snapshot until it has landed; "
    "may be given several times",
    "",
    Stability::kExperimental};

inline constexpr OperandSpec kLeaseOperands[] = {
    {"acquire|release|renew|transfer|list", Value::kChoice, "acquire release renew transfer list",
     1, 1},
    {"SUBJECT", Value::kText, "", 0, 64}};
inline constexpr FlagSpec kLeaseFlags[] = {
    {"--shared", "", Value::kNone, "", "others may have a shared lease on it too", "",
     Stability::kExperimental},
    {"--exclusive", "", Value::kNone, "", "nobody else may have a lease on it (default)", "",
     Stability::kExperimental},
    {"--mandatory", "", Value::kNone, "",
     "landings of other owners that write there wait until it is over", "",
     Stability::kExperimental},
    {"--advisory", "", Value::kNone, "", "such landings are told, and land (default)", "",
     Stability::kExperimental},
    {"--ttl", "", Value::kDuration, "DURATION",
     "how long it lasts, when nobody renews it (default 10m, at most 7d)", "",
     Stability::kExperimental},
    {"--wait", "", Value::kDuration, "DURATION",
     "how long to wait for it, first come, first served (default 0; with a COMMAND until it is "
     "had)",
     "", Stability::kExperimental},
    {"--owner", "", Value::kText, "OWNER", "whose it is (default: your git identity)", "",
     Stability::kExperimental},
    {"--for", "", Value::kTxn, "ID",
     "a transaction has it, and not you: your other transactions are kept out as well, and it ends "
     "with the transaction",
     "", Stability::kExperimental},
    {"--to", "", Value::kText, "OWNER", "whose it is to be: of transfer", "",
     Stability::kExperimental},
    {"--fence", "", Value::kNumber, "NUMBER",
     "release, renew, transfer: only when it still has this fence (GIT_TXN_FENCE); exit 1 when it "
     "was somebody else's meanwhile",
     "", Stability::kExperimental}};
inline constexpr Example kLeaseExamples[] = {
    {"git txn lease acquire src/api --ttl 1h", "say that a folder is yours for an hour"},
    {"git txn lease acquire 'src/**/*.proto' --mandatory --wait 10m -- make regenerate",
     "hold it while a command runs; nobody else lands there meanwhile"},
    {"git txn lease acquire 'symbol:src/auth.py/Token#validate().'",
     "one function, as git txn symbols prints it"},
    {"git txn lease acquire src/db --mandatory --for t-7k2m",
     "keep your other agents out of it until t-7k2m has ended"},
    {"git txn lease renew l-120 --ttl 1h", "from now on for an hour"},
    {"git txn lease list --json | jq -r .id", "what is held, and who waits"}};
inline constexpr CommandSpec kLeaseCommand{
    "lease",
    "say that a part of the tree is yours for a while",
    "SUBJECT is the ID of a lease for release, renew and transfer; else a path of the tree with "
    "all below it, a glob (what has a '*'; ** is any number of "
    "folders), or symbol:ID; always from the top of the tree, and '.' is all of it. Acquires "
    "all of them or none. Two leases that overlap exclude each other unless both are "
    "shared.\n\n"
    "A lease ends when it is released or its time is over; with a COMMAND it is renewed while that "
    "runs, and free at once when this process dies. An owner who is stopped keeps it until its "
    "time is over; then release and renew are refused and say who has it, and the COMMAND is "
    "ended. The fence is a number that grows with every new holder: hand it to what must not "
    "listen to an earlier one.\n\n"
    "An owner is a person: all transactions that you run share your git identity, so a lease of "
    "yours keeps none of them out. One that a transaction has (--for, git txn run --lease) "
    "does.\n\n"
    "Leases are about transactions: a commit made without one is not asked. What has landed "
    "before a lease was had stays landed.",
    kLeaseOperands,
    kLeaseFlags,
    kLeaseExamples,
    Group::kPolicy,
    Inside::kRefused,
    false,
    Stability::kExperimental,
    true};

inline constexpr OperandSpec kSentinelOperands[] = {{"NAME|list|reset", Value::kText, "", 1, 1},
                                                    {"NAME", Value::kText, "", 0, 1}};
inline constexpr FlagSpec kSentinelFlags[] = {{"--every", "", Value::kDuration, "DURATION",
                                               "at most once in this time", "",
                                               Stability::kExperimental}};
inline constexpr Example kSentinelExamples[] = {
    {"git txn sentinel nightly --every 1d", "in front of && make nightly: at most once a day"},
    {"git txn sentinel list", "which intervals run, and when each is over"},
    {"git txn sentinel reset nightly", "the next one passes at once"}};
inline constexpr CommandSpec kSentinelCommand{
    "sentinel",
    "let something through at most once per interval (a throttle)",
    "Exits 0 when it is let through, and 1 when it was less than --every ago that another was; "
    "then it says when the next one is. Of any number that ask at once one is let through. Time is "
    "the kernel's: a wall clock that is set changes nothing, and after a reboot an interval begins "
    "anew. The interval of a name is that of the last one that was let through.",
    kSentinelOperands,
    kSentinelFlags,
    kSentinelExamples,
    Group::kPolicy,
    Inside::kRefused,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
