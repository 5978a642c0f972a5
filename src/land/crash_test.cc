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

// One repository for many stories (making one costs more than a landing): story n changes f1, adds
// d/<n> and removes what story n-1 added at the top.
struct Story {
  LandWorld& world;
  int n;
  TxnId id{"t-" + std::to_string(n)};
  Oid before = world.main();
  std::string text = "story " + std::to_string(n) + "\n";
  std::string gone = "r" + std::to_string(n - 1);

  void propose() {
    testing::FileEdits edits{
        {"f1", text}, {"d/" + std::to_string(n), text}, {"r" + std::to_string(n), text}};
    if (must(exists(world.scratch.file(gone)))) edits[gone] = std::nullopt;
    world.propose({id.str(), edits, {"f4"}});
  }
  void expect_there() {
    EXPECT_EQ(must(read_file(world.scratch.file("f1"))), text);
    EXPECT_EQ(must(read_file(world.scratch.file("d/" + std::to_string(n)))), text);
    EXPECT_FALSE(must(exists(world.scratch.file(gone))));
    EXPECT_EQ(world.status(), " M f5\n?? notes");
  }
  // What must hold once recovery has run, and after it ran again.
  void expect_all_or_nothing() {
    world.recover();
    const Seq once = world.last_event();
    world.recover();
    EXPECT_EQ(world.last_event(), once) << "a second recovery changed something";
    EXPECT_FALSE(world.locks_left());
    EXPECT_EQ(world.status(), " M f5\n?? notes");
    EXPECT_EQ(must(read_file(world.scratch.file("f5"))), "typed by the person\n");
    const bool landed = world.main() != before;
    EXPECT_EQ(world.txn(id).state, landed ? TxnState::kLanded : TxnState::kPrepared);
    if (landed) return expect_there();
    const auto again = world.land(id);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(again->result, LandResult::kLanded);
    expect_there();
  }
};

void person_is_at_work(LandWorld& world) {
  world.scratch.write("f5", "typed by the person\n");
  world.scratch.write("notes", "mine\n");
}

TEST(Crash, AKillAtAnyPointOfALanding) {
  LandWorld world;
  person_is_at_work(world);
  int killed = 0;
  int n = 0;
  for (const char* prefix : {"land.", "checkout.", "refs.", "store."}) {
    for (const std::string& point : testing::failpoints_of(prefix)) {
      SCOPED_TRACE(point);
      Story story{world, ++n};
      story.propose();
      if (world.killed_at(point, story.id)) ++killed;  // else it is not on the way of this landing
      story.expect_all_or_nothing();
    }
  }
  EXPECT_GE(killed, 12);
  EXPECT_TRUE(world.problems().empty());
}

// The log is told while the objects are on their way to the disk: a power cut may leave the event,
// and of the objects nothing, or files that are empty.
TEST(Crash, APowerCutThatLeavesTheEventWithoutItsObjects) {
  LandWorld world;
  person_is_at_work(world);
  int n = 0;
  for (const bool there_and_empty : {false, true}) {
    for (const bool person_went_on : {false, true}) {
      SCOPED_TRACE(std::string(there_and_empty ? "empty" : "gone") +
                   (person_went_on ? ", and the branch has moved" : ""));
      Story story{world, ++n};
      story.propose();
      ASSERT_TRUE(world.killed_at("land.before_durable", story.id));
      const Oid lost = must(world.process().store.branch(LandWorld::kBranch))->prepared->new_head;
      const std::string object = world.scratch.git_dir() + "/objects/" + lost.str().substr(0, 2) +
                                 "/" + lost.str().substr(2);
      must(remove_file(object));
      if (there_and_empty) must(write_file(object, "", Sync::kNo, 0444));
      if (person_went_on) {
        must(remove_file(world.scratch.git_dir() + "/index.lock"));  // as git tells them to
        story.before = world.person_commits("f2", story.text);
      }
      world.recover();
      EXPECT_EQ(world.main(), story.before);
      EXPECT_EQ(world.txn(story.id).state, TxnState::kPrepared);
      must(remove_file(object));
      story.expect_all_or_nothing();
    }
  }
}

TEST(Crash, AKillAtAnyPointOfRecovery) {
  LandWorld world;
  person_is_at_work(world);
  int killed = 0;
  int n = 0;
  for (const auto& [scene, row] : {std::pair{"land.after_prepared", "recover.lost."},
                                   std::pair{"land.after_ref_update", "recover.landed."},
                                   std::pair{"checkout.mid_move", "recover.landed."},
                                   std::pair{"land.before_landed", "recover.landed."}}) {
    for (const std::string& point : testing::failpoints_of(row)) {
      SCOPED_TRACE(std::string(scene) + ", then " + point);
      Story story{world, ++n};
      story.propose();
      ASSERT_TRUE(world.killed_at(scene, story.id));
      EXPECT_TRUE(world.recovery_killed_at(point));
      ++killed;
      story.expect_all_or_nothing();
    }
  }
  EXPECT_GE(killed, 16);
  EXPECT_TRUE(world.problems().empty());
}

// Once or twice: whoever keeps accounts of refs by the hook has to hear of each.
TEST(Crash, TheHookHearsHowALandingEndedWhateverWasKilled) {
  LandWorld world;
  const std::string hook = world.scratch.git_dir() + "/hooks/reference-transaction";
  const std::string told = world.scratch.git_dir() + "/told";
  must(make_dirs(parent_dir(hook)));
  must(write_file(hook, "#!/bin/sh\nread -r old new ref; echo \"$1 $new\" >>.git/told\n", Sync::kNo,
                  0755));
  int n = 100;
  for (const auto& [point, end] :
       {std::pair{"land.after_prepared", "aborted"}, std::pair{"land.hook_prepared", "aborted"},
        std::pair{"refs.after_rename", "committed"}, std::pair{"land.hook_committed", "committed"},
        std::pair{"land.before_landed", "committed"}}) {
    for (const bool recovery_dies : {false, true}) {
      SCOPED_TRACE(std::string(point) + (recovery_dies ? ", and recovery" : ""));
      const TxnId id = world.propose({"t-" + std::to_string(++n), {{"f1", std::to_string(n)}}});
      must(remove_file(told));
      ASSERT_TRUE(world.killed_at(point, id));
      if (recovery_dies) EXPECT_TRUE(world.recovery_killed_at("recover.hook_told"));
      world.recover();
      const bool landed = world.main() == world.txn(id).landed_commit;
      EXPECT_EQ(landed, std::string(end) == "committed");
      const std::string heard = read_file(told).value_or("");
      EXPECT_NE(heard.find(std::string(end) + " "), std::string::npos) << heard;
      EXPECT_EQ(heard.find(landed ? "aborted" : "committed"), std::string::npos) << heard;
    }
  }
}

TEST(Crash, AKillWhileAnOutsideMoveIsRecorded) {
  LandWorld world;
  const TxnId id = world.propose({"t-a", {{"f1", "A\n"}}});
  for (const std::string& point : testing::failpoints_of("recover.outside.")) {
    world.person_commits("f2", point);
    EXPECT_TRUE(world.recovery_killed_at(point)) << point;
    world.recover();
    const Seq once = world.last_event();
    world.recover();
    EXPECT_EQ(world.last_event(), once) << point;
  }
  EXPECT_EQ(world.events_of_type(event_type::kOutsideMove),
            3);  // the first is the branch's beginning
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
