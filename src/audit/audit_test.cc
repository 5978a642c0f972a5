// Each way in which log and repository can part, made by hand, and what verify says about it; and
// what is no problem although it looks odd.
#include "audit/audit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/checks.h"
#include "base/clock.h"
#include "base/json.h"
#include "model/change.h"
#include "model/read.h"
#include "repo/testing/scratch_repo.h"
#include "store/events.h"
#include "store/testing/tamper.h"

namespace gittxn::audit {
namespace {

namespace events = store::events;
using repo::testing::must;
using repo::testing::ScratchRepo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const RefName kMain{"refs/heads/main"};

// A repository with a store, and landings made as land/ makes them.
class World {
 public:
  World() {
    repo.write("a.txt", "one\n");
    base = repo.commit("start");
    open();
    append({events::durable_head(kMain, base)});
  }

  void open() {
    store.reset();
    store.emplace(must(store::Store::open(txn_dir(), clock)));
  }
  std::string txn_dir() const { return repo.git_dir() + "/txn"; }
  std::string database() const { return txn_dir() + "/kernel.db"; }
  Seq append(const std::vector<NewEvent>& list) { return must(store->append(list)); }

  Oid make_commit(const std::string& message, const Oid& parent) {
    const std::string tree = repo.tree(parent.str()).str();
    return Oid(repo.git({"commit-tree", tree, "-p", parent.str(), "-m", message}));
  }

  // Work taken and kept, asked to land.
  void prepare(const std::string& name) {
    const TxnId id(name);
    Txn txn;
    txn.id = id;
    txn.target = kMain;
    Attempt attempt;
    attempt.base = head();
    events::Taken taken;
    taken.kept = make_commit("kept " + name, head());
    taken.reads = must(store->put_artifact(reads_to_lines({})));
    taken.writes = must(store->put_artifact("writes of " + name));
    repo.git({"update-ref", "refs/txn/" + name + "/1", taken.kept.str()});
    append({events::txn_begun(txn), events::attempt_started(id, attempt), events::taken(id, taken),
            events::prepared(id, 1)});
  }
  store::PreparedLanding begin_landing(const std::string& name) {
    store::PreparedLanding landing;
    landing.txn = TxnId(name);
    landing.branch = kMain;
    landing.old_head = head();
    landing.new_head = make_commit("landing\n\nTxn-Id: " + name, head());
    landing.tree = repo.tree(landing.new_head.str());
    landing.seq = append({events::landing_prepared(landing, {}, Json::array())});
    return landing;
  }
  void swap(const store::PreparedLanding& landing) {
    repo.git({"update-ref", "-m", "txn: land " + landing.txn.str(), kMain.str(),
              landing.new_head.str(), landing.old_head.str()});
  }
  Oid land(const std::string& name) {
    prepare(name);
    const store::PreparedLanding landing = begin_landing(name);
    swap(landing);
    append({events::transaction_landed(landing)});
    return landing.new_head;
  }
  Oid head() const { return repo.oid(kMain.str()); }

  Report verify() {
    repo::Repository repository = repo.open();
    return must(audit::verify(repository, *store, Replay::kYes));
  }
  void tamper(const std::string& sql) { must(store::testing::tamper(database(), sql)); }

  ScratchRepo repo;
  SystemClock clock;
  std::optional<store::Store> store;
  Oid base;
};

TEST(Audit, AllHolds) {
  World world;
  world.land("t-1");
  world.land("t-2");
  world.prepare("t-3");
  const Report report = world.verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  EXPECT_EQ(report.events, world.store->head().value());
  EXPECT_GE(report.commits, 2u);
  EXPECT_EQ(report.artifacts, 4u) << "one read set, three write sets";
}

TEST(Audit, WorkUnderWayIsNoProblem) {
  World world;
  world.land("t-1");
  world.prepare("t-2");
  const store::PreparedLanding landing = world.begin_landing("t-2");
  EXPECT_THAT(world.verify().problems, IsEmpty());
  world.swap(landing);
  const Report report = world.verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("the landing of t-2 is under way")));
}

TEST(Audit, APersonsCommitIsANote) {
  World world;
  world.land("t-1");
  const Oid mine = world.make_commit("mine", world.head());
  world.repo.git({"update-ref", kMain.str(), mine.str()});
  Report report = world.verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("since the last event")));
  const Oid before = world.store->branch(kMain).value()->head;
  world.append({events::outside_move(kMain, before, mine, "Person <p@example.org>")});
  report = world.verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Audit, AnUndoneLandingIsExplainedByItsMove) {
  World world;
  const Oid landed = world.land("t-1");
  world.repo.git({"update-ref", kMain.str(), world.base.str()});
  EXPECT_THAT(world.verify().problems, IsEmpty());
  world.append({events::outside_move(kMain, landed, world.base, "Person <p@example.org>")});
  world.land("t-2");
  EXPECT_THAT(world.verify().problems, IsEmpty());
}

TEST(Audit, ADeletedBranchIsANote) {
  World world;
  world.land("t-1");
  world.repo.git({"update-ref", "-d", kMain.str()});
  const Report report = world.verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("the branch is gone")));
}

TEST(Audit, AColleaguesLandingThatWasPulledIsNoProblem) {
  World world;
  world.land("t-1");
  const Oid theirs = world.make_commit("theirs\n\nTxn-Id: t-far", world.head());
  world.repo.git({"update-ref", "-m", "pull: Fast-forward", kMain.str(), theirs.str()});
  EXPECT_THAT(world.verify().problems, IsEmpty());
}

TEST(Audit, ALogThatLostItsEndIsFound) {
  World world;
  world.land("t-1");
  const Seq end = world.store->head().value();
  // The log as it was then, whole and valid: a restored backup.
  must(store::testing::backup(world.database(), world.txn_dir() + "/old.db"));
  world.land("t-2");
  world.store.reset();
  for (const std::string ending : {"-wal", "-shm"}) must(remove_file(world.database() + ending));
  must(rename_over(world.txn_dir() + "/old.db", world.database()));
  world.open();
  ASSERT_EQ(world.store->head().value(), end);
  const Report report = world.verify();
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("says it is t-2, whose work is kept here"),
                                           HasSubstr("the reflog shows t-2 landing")));
}

TEST(Audit, ALandingThatIsNotWhatItSaysIsFound) {
  World world;
  world.prepare("t-1");
  store::PreparedLanding landing;
  landing.txn = TxnId("t-1");
  landing.branch = kMain;
  landing.old_head = world.head();
  const Oid other = world.make_commit("other", world.head());
  landing.new_head = world.make_commit("no trailer", other);  // another parent
  landing.tree = other;                                       // and another tree
  landing.seq = world.append({events::landing_prepared(landing, {}, Json::array())});
  world.swap(landing);
  world.append({events::transaction_landed(landing)});
  EXPECT_THAT(world.verify().problems,
              ElementsAre(HasSubstr("was certified"), HasSubstr("whose parent is not"),
                          HasSubstr("does not say so (Txn-Id)")));
}

TEST(Audit, MovesThatDoNotJoinUpAreFound) {
  World world;
  const Oid landed = world.land("t-1");
  world.land("t-2");
  // With the projection told the same lie; the chain finds the edit, and so does this.
  world.tamper(
      fmt::format("UPDATE events SET payload = replace(payload, '\"old\":\"{}\"', "
                  "'\"old\":\"{}\"') WHERE type LIKE '%landed' OR type LIKE 'landing%'",
                  landed.str(), world.base.str()));
  repo::Repository repository = world.repo.open();
  const Report report = must(audit::verify(repository, *world.store, Replay::kNo));
  EXPECT_THAT(report.problems, ::testing::Contains(HasSubstr("starts at")));
}

TEST(Audit, AMissingOrChangedRefOfUnlandedWorkIsFound) {
  World world;
  world.prepare("t-1");
  world.repo.git({"update-ref", "refs/txn/t-1/1", world.base.str()});
  EXPECT_THAT(world.verify().problems, ElementsAre(HasSubstr("but the log says")));
  world.repo.git({"update-ref", "-d", "refs/txn/t-1/1"});
  EXPECT_THAT(world.verify().problems, ElementsAre(HasSubstr("is kept by nothing")));
  world.append({events::aborted(TxnId("t-1"), "not needed", "Ada")});
  const Report report = world.verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("thrown away")));
}

TEST(Audit, AMissingObjectIsFound) {
  World world;
  world.prepare("t-1");
  const std::string kept = world.repo.oid("refs/txn/t-1/1").str();
  must(remove_file(world.repo.git_dir() + "/objects/" + kept.substr(0, 2) + "/" + kept.substr(2)));
  EXPECT_THAT(world.verify().problems, ElementsAre(HasSubstr("which is missing")));
}

TEST(Audit, ADamagedBranchNamesItsLastValue) {
  World world;
  const Oid landed = world.land("t-1");
  must(write_file(world.repo.git_dir() + "/refs/heads/main", "", Sync::kNo));
  EXPECT_THAT(world.verify().problems, ElementsAre(HasSubstr(landed.str())));
}

TEST(Audit, AMissingOrChangedArtifactIsFound) {
  World world;
  world.prepare("t-1");
  const Digest writes = world.store->txn(TxnId("t-1")).value()->attempts[0].writes;
  const std::string path =
      world.txn_dir() + "/artifacts/" + writes.str().substr(0, 2) + "/" + writes.str().substr(2);
  must(write_file(path, "edited", Sync::kNo));
  EXPECT_THAT(world.verify().problems, ElementsAre(HasSubstr("names an artifact")));
  must(remove_file(path));
  const Report report = world.verify();
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("names an artifact")));
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("docs/BACKUPS.md")));
}

// The log itself cannot be read: one list, each finding on a line of its own.
TEST(Audit, ADamagedPageOfTheLogIsAFinding) {
  World world;
  world.land("t-1");
  world.store.reset();
  std::int64_t page = 0;
  std::int64_t size = 0;
  {
    const db::Database shell = must(db::Database::open(world.database(), {}));
    size = must(shell.pragma_integer("page_size"));
    db::Statement root =
        must(shell.statement("SELECT rootpage FROM sqlite_schema WHERE name = 'events'"));
    ASSERT_TRUE(must(root.step()));
    page = root.integer(0);
  }
  std::string bytes = must(read_file(world.database()));
  bytes.replace(static_cast<std::size_t>((page - 1) * size), 100, std::string(100, '\xff'));
  must(write_file(world.database(), bytes, Sync::kNo));
  world.store.emplace(must(store::Store::open_existing(world.txn_dir(), world.clock)));
  const Report report = world.verify();
  EXPECT_THAT(report.problems, ::testing::Contains(HasSubstr("malformed")));
  EXPECT_THAT(report.problems, ::testing::Each(::testing::Not(HasSubstr("\n"))));
  EXPECT_THAT(report.problems, ::testing::Each(::testing::Not(HasSubstr("reflog"))));
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("docs/BACKUPS.md")));
}

TEST(Audit, AStoreThatIsGoneIsMissedWhereItsTracesAre) {
  World world;
  repo::Repository before = world.repo.open();
  EXPECT_THAT(must(verify_without_store(before)).problems, IsEmpty());
  world.land("t-1");
  world.land("t-2");
  // What a hub has says nothing.
  world.repo.git({"update-ref", "refs/txn/log", world.base.str()});
  world.repo.git({"update-ref", "refs/txn/fence/main", world.base.str()});
  repo::Repository repository = world.repo.open();
  const Report report = must(verify_without_store(repository));
  EXPECT_THAT(
      report.problems,
      ElementsAre(HasSubstr("the reflog of refs/heads/main shows t-2 landing"),
                  HasSubstr("refs/txn/t-1 keeps work"), HasSubstr("refs/txn/t-2 keeps work")));
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("docs/BACKUPS.md")));
}

TEST(Audit, AnEditedLogIsFoundAndTheRestStillLookedAt) {
  World world;
  world.land("t-1");
  world.prepare("t-2");
  world.repo.git({"update-ref", "-d", "refs/txn/t-2/1"});
  world.tamper(
      "UPDATE events SET payload = replace(payload, 'semantic', 'snapshot') "
      "WHERE type = 'txn.begun' AND subject = 't-1'");
  const Report report = world.verify();
  EXPECT_THAT(report.problems, ::testing::Contains(HasSubstr("was edited")));
  EXPECT_THAT(report.problems, ::testing::Contains(HasSubstr("differs from the log")));
  EXPECT_THAT(report.problems, ::testing::Contains(HasSubstr("is kept by nothing")));
}

TEST(Audit, ABrokenLogHasANextStep) {
  World world;
  world.land("t-1");
  must(store::testing::backup(world.database(), world.database() + ".v1.bak"));
  world.tamper("UPDATE events SET payload = '{}' WHERE seq = 2");
  const Report report = world.verify();
  EXPECT_THAT(report.problems, ::testing::Contains("event 2 was edited: its hash is wrong"));
  EXPECT_THAT(report.notes, ::testing::Contains(AllOf(HasSubstr("docs/BACKUPS.md"),
                                                      HasSubstr("kernel.db.v1.bak"))));
}

// The server was restored to an older state: the hub has a landing and a fence that nobody knows.
TEST(Audit, LandingsOfAHubThatTheLogLacksAreFound) {
  World world;
  world.land("t-1");
  const Oid theirs = world.make_commit("theirs\n\nTxn-Id: t-far", world.head());
  world.repo.git({"update-ref", "refs/remotes/origin/main", theirs.str()});
  const auto verify = [&](const Oid& fence) {
    repo::Repository repository = world.repo.open();
    const Place place{.clone = "", .remote = "origin", .fences = {{kMain, fence}}};
    return must(audit::verify(repository, *world.store, Replay::kNo, place));
  };
  EXPECT_THAT(verify(Oid(std::string(40, 'f'))).problems,
              ElementsAre(HasSubstr("on the hub says it is t-far, but the log does not know it"),
                          HasSubstr("restored or failed over")));
  // With a fence that is known it is a copy of another repository's.
  EXPECT_THAT(verify(Oid()).problems, IsEmpty());
}

// Where the log begins with the hub's branch as it was found.
TEST(Audit, LandingsOfAHubAreLookedForFromWhereItsBranchWasFound) {
  World world;
  world.append({events::outside_move(RefName("refs/heads/side"), Oid(), world.base, "Ada")});
  const Oid theirs = world.make_commit("theirs\n\nTxn-Id: t-far", world.base);
  world.repo.git({"update-ref", "refs/remotes/origin/side", theirs.str()});
  repo::Repository repository = world.repo.open();
  const Place place{.clone = "",
                    .remote = "origin",
                    .fences = {{RefName("refs/heads/side"), Oid(std::string(40, 'f'))}}};
  EXPECT_THAT(must(audit::verify(repository, *world.store, Replay::kNo, place)).problems,
              ElementsAre(HasSubstr("says it is t-far"), HasSubstr("restored or failed over")));
}

TEST(Trailer, IsTheLastOfItsName) {
  EXPECT_EQ(trailer("subject\n\nTxn-Id: t-1\nTxn-Id: t-2", "Txn-Id"), "t-2");
  EXPECT_EQ(trailer("subject\n\nTxn-Id: t-1\n", "Txn-Id"), "t-1");
  EXPECT_EQ(trailer("subject", "Txn-Id"), "");
  EXPECT_EQ(trailer("", "Txn-Id"), "");
  EXPECT_EQ(trailer("see Txn-Id: t-1", "Txn-Id"), "");
}

}  // namespace
}  // namespace gittxn::audit
