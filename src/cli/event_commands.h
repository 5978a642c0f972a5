// What the table of commands.h says of the log as a stream. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr OperandSpec kEventsOperands[] = {
    {"tail|consumer|prune", Value::kChoice, "tail consumer prune", 1, 1},
    {"VERB|NAME|SEQ", Value::kText, "", 0, 3}};
inline constexpr FlagSpec kEventsFlags[] = {
    {"--from", "", Value::kText, "SEQ",
     "tail: the first event; consumer register: SEQ, start or now (default: now)", "",
     Stability::kExperimental},
    {"--type", "", Value::kText, "TYPE[,TYPE]", "tail, consumer register: only events of this type",
     "", Stability::kExperimental},
    {"--subject", "", Value::kText, "TEXT",
     "tail: only events about this transaction, branch or name", "", Stability::kExperimental},
    {"--limit", "-n", Value::kNumber, "N",
     "tail: at most so many, the oldest first (default 0: all)", "", Stability::kExperimental},
    {"--follow", "-f", Value::kNone, "", "tail: wait for more, until interrupted", "",
     Stability::kExperimental},
    {"--consumer", "", Value::kText, "NAME", "tail: what this consumer has not acknowledged", "",
     Stability::kExperimental},
    {"--ack", "", Value::kNone, "", "tail: acknowledge what was printed, after it was", "",
     Stability::kExperimental},
    {"--durable", "", Value::kNone, "", "consumer register: until it is removed", "",
     Stability::kExperimental},
    {"--ttl", "", Value::kDuration, "D", "consumer register: until it has not moved for this long",
     "", Stability::kExperimental},
    {"--lag", "", Value::kNone, "", "consumer list: how far each is behind, and what it holds back",
     "", Stability::kExperimental},
    {"--before", "", Value::kNumber, "SEQ", "prune: the events below this number", "",
     Stability::kExperimental},
    {"--older-than", "", Value::kDuration, "D",
     "prune: the events older than this (default: txn.retention)", "", Stability::kExperimental},
    {"--dry-run", "", Value::kNone, "", "prune: only say what would go, and what is held back", "",
     Stability::kExperimental}};
inline constexpr Example kEventsExamples[] = {
    {"git txn events tail --type transaction.landed --follow", "each landing, as it happens"},
    {"git txn events consumer register audit --durable", "nothing is lost on it from now on"},
    {"git txn events tail --consumer audit --ack | tee -a audit.log", "what it has not seen yet"},
    {"git txn events consumer list --lag", "who is behind, and what that holds back"},
    {"git txn events prune --older-than 90d --dry-run", "what would go"}};
inline constexpr CommandSpec kEventsCommand{
    "events",
    "read the event log as it grows, and prune it",
    "tail prints events as CloudEvents 1.0, one JSON object a line, in the order in which they "
    "happened. With --consumer it goes on after what that consumer has acknowledged: each event is "
    "delivered at least once, again when the consumer died before it acknowledged.\n\n"
    "consumer register makes a consumer: --durable never ends by itself and keeps events from "
    "being "
    "pruned; --ttl D ends when it was not moved for that long. ack NAME SEQ says that everything "
    "up "
    "to SEQ was dealt with. list names them, remove ends one. Handlers of the policy are consumers "
    "too, called on/NAME; retry NAME tries one again that failed.\n\n"
    "prune forgets old events: never one that a durable consumer has not acknowledged, or that a "
    "transaction that has not ended needs. The state stays, and what is left still proves itself "
    "(git txn verify). txn.retention says how long events are kept; git txn gc prunes by it.",
    kEventsOperands,
    kEventsFlags,
    kEventsExamples,
    Group::kLook,
    Inside::kAllowed,
    false,
    Stability::kExperimental};

}  // namespace gittxn::cli
