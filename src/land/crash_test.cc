// A kill at every failpoint of a landing, and at every failpoint of recovery for each row of its
// table: what is left is repaired by the next command to all or to nothing, and repairing twice
// changes nothing.
#include <gtest/gtest.h>

#include "land/land.h"
#include "land/testing/land_world.h"

namespace gittxn::land {
namespace {

using testing::LandWorld;
using testing::must;

const testing::Edits kChange{{"f1", "A\n"}, {"f2", "A\n"}, {"d/new", "N\n"}, {"f3", std::nullopt}};

std::vector<std::string> points_of(std::string_view prefix) {
  std::vector<std::string> points;
  for (const std::string& name : Failpoint::names()) {
    if (name.starts_with(prefix)) points.push_back(name);
  }
  return points;
}

// Everything that must hold once recovery has run; true: the change is there.
bool expect_all_or_nothing(LandWorld& world, const TxnId& id, const Oid& before) {
  world.recover();
  const Seq once = world.last_event();
  world.recover();
  EXPECT_EQ(world.last_event(), once) << "a second recovery changed something";
  EXPECT_FALSE(world.locks_left());
  EXPECT_EQ(world.status(), " M f5\n?? notes");
  EXPECT_EQ(must(read_file(world.scratch.file("f5"))), "typed by the person\n");
  EXPECT_TRUE(world.problems().empty());
  const bool landed = world.main() != before;
  EXPECT_EQ(world.txn(id).state, landed ? TxnState::kLanded : TxnState::kPrepared);
  const std::string f1 = must(read_file(world.scratch.file("f1")));
  EXPECT_EQ(f1, landed ? "A\n" : "line\n");
  EXPECT_EQ(must(exists(world.scratch.file("f3"))), !landed);
  return landed;
}

void expect_lands_when_asked_again(LandWorld& world, const TxnId& id) {
  const auto again = world.land(id);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->result, LandResult::kLanded);
  EXPECT_EQ(world.shown("d/new"), "N");
  EXPECT_EQ(world.status(), " M f5\n?? notes");
}

void person_is_at_work(LandWorld& world) {
  world.scratch.write("f5", "typed by the person\n");
  world.scratch.write("notes", "mine\n");
}

TEST(Crash, AKillAtAnyPointOfALanding) {
  int killed = 0;
  for (const char* prefix : {"land.", "checkout.", "refs.", "store."}) {
    for (const std::string& point : points_of(prefix)) {
      SCOPED_TRACE(point);
      LandWorld world;
      const Oid before = world.main();
      const TxnId id = world.propose({"t-a", kChange, {"f4"}});
      person_is_at_work(world);
      if (!world.killed_at(point, id)) continue;  // not on the way of this landing
      ++killed;
      if (!expect_all_or_nothing(world, id, before)) expect_lands_when_asked_again(world, id);
    }
  }
  EXPECT_GE(killed, 12);
}

TEST(Crash, AKillAtAnyPointOfRecovery) {
  int killed = 0;
  for (const char* scene : {"land.after_prepared", "land.after_ref_update", "checkout.mid_move",
                            "land.after_checkout", "land.before_landed"}) {
    for (const std::string& point : points_of("recover.")) {
      SCOPED_TRACE(std::string(scene) + ", then " + point);
      LandWorld world;
      const Oid before = world.main();
      const TxnId id = world.propose({"t-a", kChange, {"f4"}});
      person_is_at_work(world);
      ASSERT_TRUE(world.killed_at(scene, id));
      if (!world.recovery_killed_at(point)) continue;  // another row's
      ++killed;
      expect_all_or_nothing(world, id, before);
    }
  }
  EXPECT_GE(killed, 16);
}

TEST(Crash, AKilledTicketIsSkipped) {
  LandWorld world;
  const TxnId a = world.propose({"t-a", {{"f1", "A\n"}}});
  const TxnId b = world.propose({"t-b", {{"f2", "B\n"}}});
  testing::Process process = world.process();
  auto turn = FileLock::acquire(turn_lock_path(process.context, LandWorld::kBranch), 0);
  ASSERT_FALSE(turn.has_value());  // its folder is made by the first taker
  must(make_dirs(parent_dir(turn_lock_path(process.context, LandWorld::kBranch))));
  FileLock held = must(FileLock::acquire(turn_lock_path(process.context, LandWorld::kBranch), 0));
  ASSERT_TRUE(world.killed_at("land.after_ticket", a));
  held.release();
  EXPECT_EQ(must(process.store.tickets(LandWorld::kBranch)).size(), 1u);
  const auto outcome = world.land(b);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->result, LandResult::kLanded);
  EXPECT_TRUE(must(process.store.tickets(LandWorld::kBranch)).empty());
}

}  // namespace
}  // namespace gittxn::land
