// What the store accepts, refuses and answers.
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/json.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Store, LandsATransactionFromBeginToEnd) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::durable_head(kMain, oid(1))}));
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  EXPECT_EQ(store.txn(kOne).value()->state, TxnState::kPrepared);

  const auto seq = store.append({landing_event(new_landing("t-1", oid(1), oid(2)))});
  ASSERT_OK(seq);
  const auto branch = store.branch(kMain).value();
  ASSERT_TRUE(branch && branch->prepared);
  EXPECT_EQ(branch->prepared->seq, *seq);
  EXPECT_EQ(branch->prepared->new_head, oid(2));
  EXPECT_EQ(branch->head, oid(1));

  ASSERT_OK(store.append({events::transaction_landed(*branch->prepared)}));
  const auto txn = store.txn(kOne).value();
  EXPECT_EQ(txn->state, TxnState::kLanded);
  EXPECT_EQ(txn->landed_commit, oid(2));
  EXPECT_EQ(txn->version, store.head().value());
  EXPECT_EQ(store.branch(kMain).value()->head, oid(2));
  EXPECT_EQ(store.branch(kMain).value()->durable_head, oid(2));
  EXPECT_FALSE(store.branch(kMain).value()->prepared);
  const auto landed = store.landed_since(kMain, 0).value();
  ASSERT_EQ(landed.size(), 1u);
  EXPECT_EQ(landed[0].txn, kOne);
  EXPECT_TRUE(store.landed_since(kMain, landed[0].seq)->empty());

  EXPECT_TRUE(store.verify()->problems.empty());
  EXPECT_TRUE(store.verify_replay()->problems.empty());
  EXPECT_EQ(store.verify()->events, store.head().value());
}

TEST(Store, AttemptsCarryWhatHappenedInThem) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  ASSERT_OK(store.append({events::attempt_started(kOne, new_attempt(1, oid(1)))}));
  ASSERT_OK(store.append({events::command_started(kOne, 1, "/trace/1", {"make"})}));
  EXPECT_FALSE(store.txn(kOne).value()->attempts[0].command_exit);
  ASSERT_OK(store.append({events::command_ended(kOne, 1, 3)}));
  ASSERT_OK(store.append({events::command_started(kOne, 1, "", {"make"})}));
  ASSERT_OK(store.append({events::command_ended(kOne, 1, 0)}));
  events::Taken taken = new_taken(1, oid(9));
  taken.base = oid(5);
  taken.unknown_reason = "trace lost 3 records";
  ASSERT_OK(store.append({events::taken(kOne, taken)}));
  const Attempt attempt = store.txn(kOne).value()->attempts.at(0);
  EXPECT_EQ(attempt.traces, std::vector<std::string>{"/trace/1"});
  EXPECT_EQ(attempt.command_exit, 0);
  EXPECT_EQ(attempt.base, oid(5)) << "the agent moved its base";
  EXPECT_EQ(attempt.kept, oid(9));
  EXPECT_EQ(attempt.unknown_reason, "trace lost 3 records");
  ASSERT_OK(store.append({events::worktree_removed(kOne, 1)}));
  EXPECT_EQ(store.txn(kOne).value()->attempts[0].worktree, "");
}

TEST(Store, OnlyMovesAsTheDiagramSays) {
  TempStore place;
  Store store = place.open();
  EXPECT_CODE(store.append({events::prepared(kOne, 1)}), Code::kStale);  // no such transaction
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  EXPECT_CODE(store.append({events::prepared(kOne, 1)}), Code::kStale);  // no attempt
  ASSERT_OK(store.append({events::attempt_started(kOne, new_attempt(1, oid(1)))}));
  EXPECT_CODE(store.append({events::prepared(kOne, 1)}), Code::kStale);  // nothing taken
  EXPECT_CODE(store.append({events::rejected(kOne, 1, {})}), Code::kStale);
  EXPECT_CODE(store.append({events::attempt_started(kOne, new_attempt(3, oid(1)))}), Code::kStale);
  EXPECT_CODE(store.append({events::taken(kOne, new_taken(2, oid(9)))}), Code::kStale);
  ASSERT_OK(store.append({events::taken(kOne, new_taken(1, oid(9)))}));
  ASSERT_OK(store.append({events::prepared(kOne, 1, Identity{"Bob", "b@example.org"})}));
  EXPECT_EQ(store.txn(kOne).value()->committer.name, "Bob");
  ASSERT_OK(store.append({events::repairing(kOne, "retry", "a read went stale")}));
  ASSERT_OK(store.append({events::attempt_started(kOne, new_attempt(2, oid(2)))}));
  EXPECT_EQ(store.txn(kOne).value()->state, TxnState::kOpen);
  EXPECT_CODE(store.append({events::prepared(kOne, 1)}), Code::kStale);  // not the last attempt
  ASSERT_OK(store.append({events::aborted(kOne, "not needed", "Ada")}));
  EXPECT_CODE(store.append({events::aborted(kOne, "twice", "Ada")}), Code::kStale);
  // What its command did until somebody aborted it is kept; it is asked to land no more.
  ASSERT_OK(store.append({events::taken(kOne, new_taken(2, oid(9)))}));
  EXPECT_EQ(store.txn(kOne).value()->state, TxnState::kAborted);
  EXPECT_CODE(store.append({events::prepared(kOne, 2)}), Code::kStale);
  ASSERT_OK(store.append({events::reopened(kOne, {"Eve", 7, true})}));
  const auto txn = store.txn(kOne).value();
  EXPECT_EQ(txn->owner, "Eve");
  EXPECT_EQ(txn->slot, 7);
  EXPECT_TRUE(txn->attached);
  EXPECT_CODE(store.append({events::owner_lost(kOne, 3)}), Code::kStale);  // another owner's slot
  ASSERT_OK(store.append({events::owner_lost(kOne, 7)}));
  EXPECT_FALSE(store.txn(kOne).value()->attached);
  ASSERT_OK(store.append({events::nothing(kOne, "no change")}));
  EXPECT_CODE(store.append({events::reopened(kOne, {"Eve", 8, true})}), Code::kStale);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Store, WhatIsFoundOutWhileACommandRunsIsOnRecord) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(
      {events::txn_begun(new_txn("t-1")), events::attempt_started(kOne, new_attempt(1, oid(1)))}));
  ASSERT_OK(store.append({events::extended(kOne, 1, oid(2), 41)}));
  ASSERT_OK(store.append({events::told(kOne, 1, oid(3), 1, {"src/a.c", "b%\xff"})}));
  EXPECT_CODE(store.append({events::told(kOne, 2, oid(3), 2, {})}), Code::kStale);
  EXPECT_EQ(store.txn(kOne).value()->state, TxnState::kOpen);
  const std::vector<Event> history = store.events_of("t-1").value();
  ASSERT_GE(history.size(), 2u);
  EXPECT_EQ(events::describe(history[history.size() - 2]),
            "its 41 reads until then hold at " + oid(2).str().substr(0, 7));
  EXPECT_EQ(events::describe(history.back()),
            "stale at " + oid(3).str().substr(0, 7) + ", and its agent is told: src/a.c, b%\xff");
  ASSERT_OK(store.append({events::nothing(kOne, "no change")}));
  EXPECT_CODE(store.append({events::extended(kOne, 1, oid(2), 41)}), Code::kStale);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Store, ChildrenOfAnAttemptAreOnRecord) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(
      {events::txn_begun(new_txn("t-1")), events::attempt_started(kOne, new_attempt(1, oid(1)))}));
  const events::Child joined{1, 3, "agent-\xff/..", "joined", oid(4)};
  ASSERT_OK(store.append({events::child(kOne, joined)}));
  EXPECT_CODE(store.append({events::child(kOne, {2, 1, "x", "begun", {}})}), Code::kStale);
  EXPECT_CODE(store.append({events::child(kOne, {1, 1, "x", "landed", {}})}), Code::kCorrupt);
  const Event last = store.events_of("t-1").value().back();
  const auto child = events::child_of(last).value();
  ASSERT_TRUE(child);
  EXPECT_EQ(child->number, 3);
  EXPECT_EQ(child->name, joined.name);
  EXPECT_EQ(child->tree, oid(4));
  EXPECT_THAT(events::describe(last), ::testing::HasSubstr("joined"));
  EXPECT_FALSE(events::child_of(store.events_of("t-1").value().front()).value());
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Store, AMoveEndsAWait) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  ASSERT_OK(store.append({events::waiting(kOne, WaitReason::kUnstaged, "src/a.c")}));
  EXPECT_EQ(store.txn(kOne).value()->waiting_subject, "src/a.c");
  ASSERT_OK(store.append({landing_event(new_landing("t-1", oid(1), oid(2)))}));
  EXPECT_EQ(store.txn(kOne).value()->waiting_reason, "");
}

TEST(Store, AnUnresolvedLandingBlocksTheBranch) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  ASSERT_OK(store.append(until_prepared("t-2", oid(1), oid(8))));
  ASSERT_OK(store.append({landing_event(new_landing("t-1", oid(1), oid(2)))}));
  EXPECT_CODE(store.append({landing_event(new_landing("t-2", oid(1), oid(3)))}), Code::kStale);
  EXPECT_CODE(store.append({events::outside_move(kMain, oid(1), oid(3), "p")}), Code::kStale);
  EXPECT_CODE(store.append({events::rejected(kOne, 1, {})}), Code::kStale);
  EXPECT_CODE(store.append({events::aborted(kOne, "", "Ada")}), Code::kStale);
  const PreparedLanding landing = *store.branch(kMain).value()->prepared;
  // Given up and seen as moved, in one step: all or nothing.
  ASSERT_OK(store.append({events::landing_lost(landing, "not swapped"),
                          events::outside_move(kMain, oid(1), oid(3), "Person <p@x>")}));
  EXPECT_EQ(store.txn(kOne).value()->state, TxnState::kPrepared);
  EXPECT_EQ(store.branch(kMain).value()->head, oid(3));
  EXPECT_CODE(store.append({events::transaction_landed(landing)}), Code::kStale);
  EXPECT_CODE(store.append({landing_event(new_landing("t-2", oid(1), oid(4)))}), Code::kStale);
  ASSERT_OK(store.append({landing_event(new_landing("t-2", oid(3), oid(4)))}));
  const auto rows = store.landed_since(kMain, 0).value();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].txn.empty());
}

TEST(Store, ALandingIsResolvedOnceAndTheRepeatIsSuccess) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  ASSERT_OK(store.append({landing_event(new_landing("t-1", oid(1), oid(2)))}));
  const PreparedLanding landing = *store.branch(kMain).value()->prepared;
  PreparedLanding other = landing;
  other.new_head = oid(3);
  EXPECT_CODE(store.append({events::transaction_landed(other)}), Code::kStale);
  const auto first = store.append({events::transaction_landed(landing)});
  ASSERT_OK(first);
  const auto again = store.append({events::transaction_landed(landing, {"left.txt"})});
  ASSERT_OK(again);
  EXPECT_EQ(*again, *first);
  EXPECT_EQ(store.head().value(), *first);
  EXPECT_CODE(store.append({events::landing_lost(landing, "")}), Code::kStale);
}

TEST(Store, ALandingIsOfItsTransactionsBranch) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  PreparedLanding landing = new_landing("t-1", oid(1), oid(2));
  landing.branch = RefName("refs/heads/other");
  EXPECT_CODE(store.append({landing_event(landing)}), Code::kStale);
}

TEST(Store, ARepeatedKeyIsOneEvent) {
  TempStore place;
  Store store = place.open();
  const NewEvent begun = events::txn_begun(new_txn("t-1"));
  const Seq first = store.append({begun}).value();
  EXPECT_EQ(store.append({begun}).value(), first);
  EXPECT_EQ(store.head().value(), first);
  // Another transaction that drew the same id must not be taken for it.
  EXPECT_CODE(store.append({events::txn_begun(new_txn("t-1", "another"))}), Code::kExists);
  NewEvent foreign = events::nothing(kOne, "x");
  foreign.dedup_key = begun.dedup_key;
  EXPECT_CODE(store.append({foreign}), Code::kExists);
  foreign.dedup_key = "seq:9";
  EXPECT_CODE(store.append({foreign}), Code::kUsage);
  // The rest of a list goes on after a repeat.
  const Seq next = store.append({begun, events::nothing(kOne, "x")}).value();
  EXPECT_EQ(next, first + 1);
}

TEST(Store, AppendsAllOrNothing) {
  TempStore place;
  Store store = place.open();
  const Seq before = store.head().value();
  EXPECT_CODE(store.append({events::txn_begun(new_txn("t-1")), events::prepared(kOne, 1)}),
              Code::kStale);
  EXPECT_EQ(store.head().value(), before);
  EXPECT_FALSE(store.txn(kOne).value());
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  EXPECT_EQ(store.head().value(), before + 1) << "a failed append leaves no gap";
}

TEST(Store, AChecksErrorAborts) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  const auto refused = store.append({events::nothing(kOne, "")}, [&](const View& view) -> Status {
    const auto txn = TRY(view.txn(kOne));
    EXPECT_EQ(txn->state, TxnState::kOpen);
    EXPECT_EQ(view.head().value(), 1);
    return fail(Code::kRefused, "no");
  });
  EXPECT_CODE(refused, Code::kRefused);
  EXPECT_EQ(store.head().value(), 1);
  ASSERT_OK(store.append({}, [](const View&) -> Status { return {}; }));
  EXPECT_EQ(store.append({}).value(), 1) << "nothing to append is the head";
}

TEST(Store, DecidesUnderTheWriteLock) {
  TempStore place;
  Store store = place.open();
  std::int64_t seen_ms = 0;
  const auto decided = store.decide([&](const View& view) -> Result<std::vector<NewEvent>> {
    seen_ms = TRY(view.now_ms());
    place.clock.advance(5'000);  // however long deciding takes
    EXPECT_EQ(view.now_ms().value(), seen_ms);
    return std::vector<NewEvent>{events::slot_reserved()};
  });
  ASSERT_OK(decided);
  EXPECT_EQ(*decided, 1);
  EXPECT_EQ(store.events(1, 1)->front().time, format_utc(seen_ms));
  EXPECT_EQ(store.now_ms().value(), seen_ms + 5'000);
  // No events, and an error, write nothing.
  EXPECT_EQ(store.decide([](const View&) { return std::vector<NewEvent>(); }).value(), 1);
  EXPECT_CODE(store.decide([](const View&) -> Result<std::vector<NewEvent>> {
    return fail(Code::kRefused, "no");
  }),
              Code::kRefused);
  EXPECT_EQ(store.head().value(), 1);
}

TEST(Store, RefusesMalformedEvents) {
  TempStore place;
  Store store = place.open();
  const auto odd = [](std::string_view type, std::string payload) {
    return NewEvent{std::string(type), "t-1", std::move(payload), ""};
  };
  EXPECT_CODE(store.append({odd("txn.dreamt", "{}")}), Code::kCorrupt);
  EXPECT_CODE(store.append({odd("weather", "{}")}), Code::kCorrupt);
  EXPECT_CODE(store.append({odd(event_type::kTxnBegun, "{}")}), Code::kCorrupt);
  EXPECT_CODE(store.append({odd(event_type::kTxnBegun, "not json")}), Code::kCorrupt);
  EXPECT_CODE(store.append({odd(event_type::kSlotReserved, R"({"a":1})")}), Code::kCorrupt);
  EXPECT_CODE(store.append({odd(event_type::kSummaryAdded, R"({"name":"a"})")}), Code::kCorrupt);
  EXPECT_CODE(store.append({odd(event_type::kDurableHead, R"({"head":"main"})")}), Code::kCorrupt);
  for (const char* id : {"", "-t", "a/../b", "T-1", "a b"}) {
    EXPECT_CODE(store.append({events::txn_begun(new_txn(id))}), Code::kCorrupt);
  }
  Txn old = new_txn("t-1");
  old.attempts.resize(1);
  EXPECT_CODE(store.append({events::txn_begun(old)}), Code::kCorrupt);
  EXPECT_EQ(store.head().value(), 0);
}

TEST(Store, FindsTransactionsAsPeopleNameThem) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-7k2m", "fix auth"))}));
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-7k9x", "100%"))}));
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-abcd", "twice"))}));
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-abce", "twice"))}));
  EXPECT_EQ(store.find_txn("t-7k2m").value(), TxnId("t-7k2m"));
  EXPECT_EQ(store.find_txn("t-7k2").value(), TxnId("t-7k2m"));
  EXPECT_EQ(store.find_txn("fix auth").value(), TxnId("t-7k2m"));
  EXPECT_EQ(store.find_txn("100%").value(), TxnId("t-7k9x"));
  EXPECT_CODE(store.find_txn("t-7k"), Code::kUsage);
  EXPECT_CODE(store.find_txn("twice"), Code::kUsage);
  EXPECT_CODE(store.find_txn("t-zz"), Code::kNotFound);
  EXPECT_CODE(store.find_txn("\xff"), Code::kNotFound);
  EXPECT_CODE(store.find_txn(""), Code::kUsage);
  ASSERT_OK(store.append({events::nothing(TxnId("t-abcd"), "")}));
  EXPECT_EQ(store.find_txn("twice").value(), TxnId("t-abce")) << "the one still worked on";
}

TEST(Store, ListsByStateNewestFirst) {
  TempStore place;
  Store store = place.open();
  for (const char* id : {"t-1", "t-2", "t-3"}) {
    ASSERT_OK(store.append({events::txn_begun(new_txn(id))}));
  }
  ASSERT_OK(store.append({events::nothing(TxnId("t-2"), "")}));
  const auto all = store.txns({}).value();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].id, TxnId("t-3"));
  EXPECT_EQ(store.txns({.states = {TxnState::kOpen}, .limit = 0})->size(), 2u);
  EXPECT_EQ(store.txns({.states = {TxnState::kOpen, TxnState::kNothing}, .limit = 1})->size(), 1u);
  EXPECT_EQ(store.txns({.states = {TxnState::kLanded}, .limit = 0})->size(), 0u);
}

TEST(Store, KeepsCertificatesAndTrust) {
  TempStore place;
  Store store = place.open();
  Certificate certificate;
  certificate.gate = GateName("test");
  certificate.tree = oid(5);
  certificate.passed = true;
  certificate.txn = kOne;
  ASSERT_OK(store.append({events::gate_evaluated(certificate)}));
  ASSERT_OK(store.append({events::gate_evaluated(certificate)}));
  EXPECT_EQ(store.certificates(oid(5)).value(),
            (std::vector<Certificate>{certificate, certificate}));
  EXPECT_TRUE(store.certificates(oid(6))->empty());
  certificate.tree = oid(6);
  ASSERT_OK(store.append({events::gate_evaluated(certificate)}));
  const auto newest = store.newest_certificates(2).value();
  ASSERT_EQ(newest.size(), 2U);
  EXPECT_EQ(newest[0].tree, oid(6));
  EXPECT_EQ(newest[1].tree, oid(5));
  const Digest hash(std::string(64, 'c'));
  EXPECT_FALSE(store.is_trusted(hash).value());
  ASSERT_OK(store.append({events::trusted(hash, "Ada")}));
  const Seq head = store.head().value();
  ASSERT_OK(store.append({events::trusted(hash, "Ada")}));
  EXPECT_EQ(store.head().value(), head);
  ASSERT_OK(store.append({events::trusted(hash, "Bob")}));
  EXPECT_TRUE(store.is_trusted(hash).value());
}

TEST(Store, ReadsBackWhatEventsSay) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append(until_prepared("t-1", oid(1), oid(9))));
  ASSERT_OK(store.append({events::conflicted(kOne, 1, some_conflicts())}));
  const events::LandingDetails details{Digest("p"), Digest("r"), Digest("w"), some_admission()};
  const Json checkout = parse_json(R"([{"path":"a"}])").value();
  ASSERT_OK(store.append(
      {events::landing_prepared(new_landing("t-1", oid(1), oid(2)), details, checkout)}));
  const std::string payload = store.branch(kMain).value()->prepared->payload;
  EXPECT_EQ(events::landing_checkout(payload).value(), checkout);
  EXPECT_EQ(parse_json(payload).value()["writes"], "w");
  EXPECT_CODE(events::landing_checkout("{}"), Code::kCorrupt);
  EXPECT_CODE(events::landing_checkout("[]"), Code::kCorrupt);

  const auto history = store.events_of("t-1").value();
  ASSERT_EQ(history.size(), 8u);
  EXPECT_EQ(events::conflicts_of(history[6]).value(), some_conflicts());
  EXPECT_TRUE(events::conflicts_of(history[0])->empty());
  EXPECT_EQ(events::admitted_of(history).value(), some_admission());
  EXPECT_EQ(events::describe(history[0]), "begun by Ada <ada@example.org> on refs/heads/main");
  EXPECT_EQ(events::describe(history[3]), "command ended, exit 0");
  EXPECT_EQ(events::describe(history[6]), "conflict: read-stale src/caf\xe9.c");
  EXPECT_EQ(events::describe(history[7]), "landing prepared, 0000000 -> 0000000");
  EXPECT_EQ(store.events(3, 2)->size(), 2u);
  EXPECT_EQ(store.events(3, 2)->front().seq, 3);
  EXPECT_EQ(store.events(1, 0)->size(), 8u);
  EXPECT_TRUE(store.events(9, 5)->empty());
}

TEST(Artifacts, AreWhatTheirNameSays) {
  TempStore place;
  Store store = place.open();
  const std::string bytes("any\0bytes\xff", 10);
  const Digest digest = store.put_artifact(bytes).value();
  EXPECT_EQ(digest, sha256(bytes));
  EXPECT_EQ(store.put_artifact(bytes).value(), digest) << "again is the same";
  EXPECT_EQ(store.artifact(digest).value(), bytes);
  EXPECT_EQ(store.artifact(store.put_artifact("").value()).value(), "");
  const std::string path =
      place.txn_dir() + "/artifacts/" + digest.str().substr(0, 2) + "/" + digest.str().substr(2);
  if (place.on_server()) {
    ASSERT_OK(place.shell().execute("UPDATE artifacts SET body = 'other'"));
  } else {
    ASSERT_OK(write_file(path, "other", Sync::kNo));
  }
  EXPECT_CODE(store.artifact(digest), Code::kCorrupt);
  ASSERT_OK(store.put_artifact(bytes));
  EXPECT_EQ(store.artifact(digest).value(), bytes) << "damage is mended when it is put again";
  const auto gone = store.artifact(sha256("never put"));
  EXPECT_CODE(gone, Code::kCorrupt);
  EXPECT_THAT(gone.error().message, ::testing::HasSubstr("is gone"));
  EXPECT_THAT(gone.error().hint, ::testing::HasSubstr("git txn verify"));
  EXPECT_CODE(store.artifact(Digest("../../../../etc/passwd")), Code::kCorrupt);
  EXPECT_CODE(store.artifact(Digest(oid(1).str())), Code::kCorrupt);
}

TEST(Store, IsForItsOwnerAlone) {
  TempStore place;
  NEEDS_A_FILE(place);
  Store store = place.open();
  ASSERT_OK(store.put_artifact("x"));
  const auto mode = [](const std::string& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777u;
  };
  EXPECT_EQ(mode(place.txn_dir()), 0700u);
  EXPECT_EQ(mode(place.txn_dir() + "/artifacts"), 0700u);
  for (const char* name : {"kernel.db", "kernel.db-wal", "kernel.db-shm", "kernel.lock"}) {
    EXPECT_EQ(mode(place.txn_dir() + "/" + name), 0600u) << name;
  }
  const Digest digest = sha256("x");
  EXPECT_EQ(mode(place.txn_dir() + "/artifacts/" + digest.str().substr(0, 2) + "/" +
                 digest.str().substr(2)),
            0600u);
}

// F12: a wall clock that jumps either way changes no order and no age within a boot; across a
// reboot the log's time is never earlier.
TEST(Clock, AJumpingWallClockChangesNothing) {
  TempStore place;
  Store store = place.open();
  const auto tell = [&] {
    EXPECT_TRUE(store.next_slot());
    return store.events(store.head().value(), 1)->front().time;
  };
  const std::string start = tell();
  EXPECT_EQ(start, format_utc(place.clock.wall));
  const std::int64_t began = place.clock.wall;
  place.clock.wall -= 86'400'000;
  place.clock.boot += 1'000;
  EXPECT_EQ(tell(), format_utc(began + 1'000));
  place.clock.wall += kDay * 10;
  place.clock.boot += 1'000;
  EXPECT_EQ(tell(), format_utc(began + 2'000));
}

TEST(Clock, ARebootNeverTurnsTimeBack) {
  TempStore place;
  {
    Store store = place.open();
    ASSERT_OK(store.next_slot());
  }
  const std::int64_t before = place.clock.wall;
  place.clock.id = "boot-2";
  place.clock.boot = 10;
  place.clock.wall = before - 3'600'000;  // the battery of its clock is empty
  {
    Store store = place.open();
    ASSERT_OK(store.next_slot());
    EXPECT_EQ(store.events(2, 1)->front().time, format_utc(before));
    place.clock.boot += 500;
    ASSERT_OK(store.next_slot());
    EXPECT_EQ(store.events(3, 1)->front().time, format_utc(before + 500));
  }
  place.clock.id = "boot-3";
  place.clock.wall = before + 7'200'000;
  Store store = place.open();
  ASSERT_OK(store.next_slot());
  EXPECT_EQ(store.events(4, 1)->front().time, format_utc(before + 7'200'000));
}

}  // namespace
}  // namespace gittxn::store
