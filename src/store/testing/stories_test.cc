#include "store/testing/stories.h"

#include <fmt/format.h>

#include "base/json.h"
#include "store/testing/check.h"

namespace gittxn::store::testing {

// An object id made from a number.
Oid oid(std::uint64_t n) {
  return Oid(fmt::format("{:040x}", n));
}

Txn new_txn(const std::string& id, const std::string& name) {
  Txn txn;
  txn.id = TxnId(id);
  txn.name = name;
  txn.isolation = Isolation::kStrict;  // as the goldens were first stored
  txn.target = kMain;
  txn.command = {"sh", "-c", "echo \xff 100%"};
  txn.owner = "Ada <ada@example.org>";
  txn.committer = {"Ada", "ada@example.org"};
  txn.created_wall_ms = 1'700'000'000'000;
  return txn;
}

Attempt new_attempt(int number, const Oid& base) {
  Attempt attempt;
  attempt.number = number;
  attempt.base = base;
  attempt.worktree = fmt::format("/state/repo/{}/tree", number);
  return attempt;
}

events::Taken new_taken(int attempt, const Oid& kept) {
  events::Taken taken;
  taken.attempt = attempt;
  taken.kept = kept;
  taken.reads = Digest(std::string(64, 'a'));
  taken.reads_complete = true;
  taken.writes = Digest(std::string(64, 'b'));
  return taken;
}

// Everything up to "asked to land".
std::vector<NewEvent> until_prepared(const std::string& id, const Oid& base, const Oid& kept) {
  const TxnId txn(id);
  return {events::txn_begun(new_txn(id)),
          events::attempt_started(txn, new_attempt(1, base)),
          events::command_started(txn, 1, "/state/trace", {"sh"}),
          events::command_ended(txn, 1, 0),
          events::taken(txn, new_taken(1, kept)),
          events::prepared(txn, 1)};
}

PreparedLanding new_landing(const std::string& id, const Oid& from, const Oid& to) {
  PreparedLanding landing;
  landing.txn = TxnId(id);
  landing.branch = kMain;
  landing.old_head = from;
  landing.new_head = to;
  landing.tree = oid(0x7ee);
  return landing;
}

NewEvent landing_event(const PreparedLanding& landing) {
  return events::landing_prepared(landing, {}, Json::array());
}

std::vector<Conflict> some_conflicts() {
  return {{ConflictKind::kReadStale, "src/caf\xe9.c", "aa", "bb", "t-1", "read it again",
           "pid 7, cat x", "src/caf\xe9.c"}};
}

std::vector<Conflict> other_answers() {
  std::vector<Conflict> all = some_conflicts();
  all.front().question = "pytest -q";
  all.front().answer = "the test run `pytest -q` fails now (test_login)";
  all.front().shown = "1 failed";
  return all;
}

Admission some_admission() {
  return {{{Excuse::Why::kStatus, "pytest -q"}, {Excuse::Why::kHistory, "refs/heads/main"}},
          {{Held::How::kAsked, "pytest -q", 900}, {Held::How::kGate, "make", 0}},
          1,
          1200};
}

void fill_place(const TempStore& place) {
  Store store = place.open();
  ASSERT_OK(store.append({events::durable_head(kMain, oid(1))}));
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  ASSERT_OK(store.append({landing_event(new_landing("t-1", oid(1), oid(2)))}));
  ASSERT_OK(store.append({events::transaction_landed(*store.branch(kMain).value()->prepared)}));
}

// One random event about a transaction, whether it may happen now or not.
static NewEvent random_txn_event(Store& store, Random& random, const TxnId& id) {
  const auto known = store.txn(id).value();
  const int attempts = known ? static_cast<int>(known->attempts.size()) : 0;
  const int number = static_cast<int>(random.below(4)) == 0 ? attempts + 1 : attempts;
  switch (random.below(17)) {
    case 0:
      return events::attempt_started(id, new_attempt(attempts + 1, oid(random.below(9))));
    case 1:
      return events::command_started(id, number, "/trace", {"make", "\xfe"});
    case 2:
      return events::command_ended(id, number, static_cast<int>(random.below(3)));
    case 3:
    case 4:
      return events::taken(id, new_taken(number, oid(random.below(99))));
    case 5:
    case 6:
    case 7:
      return events::prepared(id, number, Identity{"Bob", "bob@example.org"});
    case 8:
      return events::repairing(id, "retry", "a read went stale");
    case 9:
      return events::waiting(id, WaitReason::kUnstaged, "src/a.c");
    case 10:
      return events::conflicted(id, number, some_conflicts());
    case 11:
      return events::rejected(id, number, some_conflicts());
    case 12:
      return events::quarantined(id, "3 tries", some_conflicts());
    case 13:
      return events::aborted(id, "not needed", "Ada");
    case 14:
      return events::reopened(id, {"Eve", static_cast<std::int64_t>(random.below(5)), true});
    case 15:
      return events::owner_lost(id, static_cast<std::int64_t>(random.below(5)));
    default:
      return events::worktree_removed(id, number);
  }
}

static NewEvent random_branch_event(Store& store, Random& random, const TxnId& id) {
  const auto branch = store.branch(kMain).value();
  const Oid head = branch ? branch->head : oid(1);
  const Oid next = oid(random.below(1000) + 1000);
  switch (random.below(8)) {
    case 0:
      return events::outside_move(kMain, head, next, "Person <p@example.org>");
    case 1:
      return events::durable_head(kMain, head);
    case 2:
    case 3:
      return landing_event(new_landing(id.str(), head, next));
    case 4:
    case 5:
      if (branch && branch->prepared) return events::transaction_landed(*branch->prepared, {"a"});
      return events::transaction_landed(new_landing(id.str(), head, next));
    case 6:
      if (branch && branch->prepared) return events::landing_lost(*branch->prepared, "undone");
      return events::landing_lost(new_landing(id.str(), head, next), "undone");
    default:
      return events::outside_move(kMain, oid(random.below(3)), next, "x");
  }
}

static NewEvent random_other_event(Random& random, const TxnId& id) {
  Certificate certificate;
  certificate.gate = GateName("test");
  certificate.tree = oid(random.below(4));
  certificate.txn = id;
  Ticket ticket;
  ticket.number = static_cast<std::int64_t>(random.below(6));
  ticket.branch = kMain;
  ticket.txn = id;
  ticket.owner = "Zo\xeb";
  switch (random.below(7)) {
    case 0:
      return events::gate_evaluated(certificate);
    case 1:
      return events::trusted(Digest(random.name(3)), "Ada");
    case 2:
      return events::ticket_taken(ticket);
    case 3:
      return events::ticket_done(ticket, "its turn is over");
    case 4:
      return events::checkout_pending(id, "/somewhere/repo", {"a%b", "c\xff"});
    case 5:
      return events::summary_added({"a\xff%", Digest(random.name(3)), id});
    default:
      return events::slot_reserved();
  }
}

NewEvent random_event(Store& store, Random& random) {
  const std::string name = fmt::format("t-{}", random.below(6));
  switch (random.below(10)) {
    case 0:
      return events::txn_begun(new_txn(name, random.name(4)));
    case 1:
      return random_other_event(random, TxnId(name));
    case 2:
    case 3:
    case 4:
      return random_branch_event(store, random, TxnId(name));
    default:
      return random_txn_event(store, random, TxnId(name));
  }
}

}  // namespace gittxn::store::testing
