// What the payloads of a transaction's events say, where events.h has no type of it: read by the
// rules of transactions.cc, written by the builders of transaction_events.cc. Internal to store/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "model/txn.h"
#include "store/events.h"

namespace gittxn::store {

// A new one.
struct Begun {
  Txn txn;
};
void fields(FieldIo& io, Begun& begun);

struct OfAttempt {
  int attempt = 0;
};
void fields(FieldIo& io, OfAttempt& of);

struct CommandStarted {
  int attempt = 0;
  std::string trace;
  std::vector<std::string> argv;
  std::string confine;
};
void fields(FieldIo& io, CommandStarted& started);

struct CommandEnded {
  int attempt = 0;
  int exit_status = 0;
};
void fields(FieldIo& io, CommandEnded& ended);

struct Extended {
  int attempt = 0;
  Oid head;
  std::int64_t reads = 0;
};
void fields(FieldIo& io, Extended& extended);

struct Told {
  int attempt = 0;
  Oid head;
  int number = 0;
  std::vector<std::string> subjects;
};
void fields(FieldIo& io, Told& told);

struct Prepared {
  int attempt = 0;
  std::optional<Identity> committer;
};
void fields(FieldIo& io, Prepared& prepared);

struct Repairing {
  std::string rung;
  std::string why;
};
void fields(FieldIo& io, Repairing& repairing);

struct Conflicted {
  int attempt = 0;
  std::vector<Conflict> conflicts;
};
void fields(FieldIo& io, Conflicted& conflicted);

struct Quarantined {
  std::string why;
  std::vector<Conflict> conflicts;
};
void fields(FieldIo& io, Quarantined& quarantined);

struct Aborted {
  std::string why;
  std::string actor;
};
void fields(FieldIo& io, Aborted& aborted);

struct Nothing {
  std::string why;
  Oid merged;
};
void fields(FieldIo& io, Nothing& nothing);

struct Waiting {
  std::string reason;
  std::string subject;
};
void fields(FieldIo& io, Waiting& waiting);

struct OwnerLost {
  std::int64_t slot = 0;
};
void fields(FieldIo& io, OwnerLost& lost);

namespace events {
void fields(FieldIo& io, Taken& taken);
void fields(FieldIo& io, Reopened& reopened);
}  // namespace events

}  // namespace gittxn::store
