// Workflows: phases that gates guard, what is refused of them, and transactions that belong to one.
#include "cli/testing/story.h"

namespace gittxn::cli::testing {
namespace {

// Two phases: the plan is written and reviewed, then built with every transaction done and a test.
constexpr const char* kTwoPhases = R"([workflow.feature]
phases = ["plan", "build"]
on_close = { plan = "drop", build = "carry" }

[[workflow.feature.gate]]
phase = "plan"
name = "written"
artifact = "docs/plan.md"

[[workflow.feature.gate]]
phase = "plan"
name = "review"
verdict = "review"

[[workflow.feature.gate]]
phase = "build"
name = "all"
transactions = "complete"

[[workflow.feature.gate]]
phase = "build"
name = "test"
run = "echo ran >>\"$HOME/tests\"; test -e src/new.txt"
)";
// Without gates in its phases.
constexpr const char* kThreePhases = R"([workflow.plain]
phases = ["one", "two", "three"]
on_close = { one = "drop", two = "carry" }
)";

class WorkflowStory : public Story {
 protected:
  void create(const std::string& name = "feature", const std::string& as = "w-1") {
    exits(0, "workflow create " + name + " --as " + as);
  }
  std::string open_phase(const std::string& of = "w-1") {
    exits(0, "workflow status " + of + " --json");
    return field("/open");
  }
};

TEST_F(WorkflowStory, WhatMakesNoSenseIsRefusedByNameAndNothingHasChanged) {
  new_repo();
  policy(std::string(kTwoPhases) + kThreePhases);
  exits(3, "workflow create nothing");
  has(err, "no workflow 'nothing'");
  exits(3, "workflow create feature --as w/1");
  exits(3, Words{"workflow", "create", "a\nb"});
  exits(3, "workflow create " + std::string(100, 'x'));
  exits(3, "workflow create");
  exits(3, "workflow status w-1");
  create();
  exits(3, "workflow create plain --as w-1");
  has(err, "there is a workflow w-1 already");
  exits(3, "workflow frobnicate w-1");
  exits(3, "workflow status nowhere");
  exits(3, "workflow override w-1");
  has(err, "needs a reason; nothing was changed");
  exits(3, "workflow override w-1 --reason ''");
  has(err, "hint: give it a value: --reason TEXT");
  exits(3, "workflow override w-1 --reason ' '");
  exits(3, "workflow skip w-1 --reason why");
  has(err, "cannot be skipped");
  exits(3, "workflow rollback w-1 --to plan --reason why");
  has(err, "that is not back");
  exits(3, "workflow rollback w-1 --to nowhere --reason why");
  has(err, "has no phase 'nowhere'");
  exits(3, "workflow rollback w-1 --reason why");
  exits(3, "workflow verdict w-1 review");
  exits(3, "workflow verdict w-1 review --pass --fail");
  exits(3, "workflow verdict w-1 revue --pass");
  has(err, "phase plan asks for review");
  exits(1, "workflow advance w-1 --from build");
  exits(3, "run --phase plan -- true");
  exits(3, "run --workflow w-2 -- true");
  exits(3, "run --workflow w-1 --phase build -- true");
  has(err, "the open one is plan");
  exits(3, "run --workflow w-1 --phase nowhere -- true");
  git("branch side");
  exits(3, "run --workflow w-1 --onto side -- true");
  is(open_phase(), "plan");
  exits(0, "status --json");
  is(field("/transactions"), "[]");  // nothing was begun
  sound();
}

TEST_F(WorkflowStory, F7KilledBetweenAnyTwoStepsOfAMoveItAndItsRecordAreBothThereOrBothNot) {
  new_repo();
  policy(std::string(kTwoPhases) + kThreePhases);
  create();
  for (const std::string point :
       {"api.workflow.judged", "store.before_commit", "store.after_commit", "api.workflow.moved"}) {
    const bool before = point.ends_with("judged") || point.ends_with("before_commit");
    create("plain", "o-" + point);
    create("plain", "r-" + point);
    exits(0, "workflow skip r-" + point + " --reason x");
    killed_at(point, "workflow rollback r-" + point + " --to one --reason back");
    is(open_phase("r-" + point), before ? "two" : "one");
    create("feature", "f-" + point);
    killed_at(point, "workflow override f-" + point + " --reason 'killed here'");
    const std::string recorded =
        sql("SELECT count(*) FROM events WHERE type = 'phase.overridden' AND subject = 'f-" +
            point + "'");
    is(recorded, open_phase("f-" + point) == "build" ? "1" : "0");
    killed_at(point, "workflow advance o-" + point);
    is(open_phase("o-" + point), before ? "one" : "two");
    exits(0, "verify --replay");
  }
  sound();
}

TEST_F(WorkflowStory, B3TheGatesOfThePhaseAreOthersThanWhenItWasBegun) {
  new_repo();
  policy(kTwoPhases);
  create();
  agent("echo x >src/new.txt", "--no-land --workflow w-1");
  id = field("/txn");
  std::string other = kTwoPhases;
  other.replace(other.find("\"written\""), 9, "\"there\"");
  policy(other);
  exits(1, "commit " + id + " --json");
  is(field("/state") + " " + field("/conflicts/0/subject"), "rejected gates:w-1/plan");
  sound();
}

TEST_F(WorkflowStory, CommandsOfPhaseGatesRunOnlyAfterAYesToExactlyThese) {
  new_repo();
  commit_policy(kTwoPhases);
  exits(0, "trust");
  has(out, "workflow feature, phase build, gate test");
  create();
  exits(3, "workflow advance w-1");
  has(err, "git txn trust --yes");
  trust();
  exits(1, "workflow advance w-1");
}

TEST_F(WorkflowStory, AHandlerOfAMoveIsGivenItByTheCommandThatMoved) {
  new_repo();
  policy(std::string(kThreePhases) + "[on.\"phase.advanced\"]\nrun = \"jq -r .data.to >>" +
         world() + "/heard\"");
  create("plain");
  exits(0, "workflow advance w-1");
  is(read("../heard"), "two");
}

TEST_F(WorkflowStory, WrongUsesAreRefusedWithTheReasonAndTheNextStep) {
  new_repo();
  commit_policy(
      "[workflow.feature]\nphases = [\"plan\", \"build\"]\n[[workflow.feature.gate]]\n"
      "phase = \"build\"\nname = \"seen\"\nverdict = \"review\"");
  exits(3, "workflow create featur");
  has(err, "it has feature; another one is added to .gittxn.toml");
  exits(3, "workflow create");
  has(err, "usage: git txn workflow create [OPTIONS] NAME");
  create();
  exits(3, "workflow verdict w-1 nonsense --pass");
  has(err, "no gate of phase plan asks for the verdict 'nonsense'");
  has(err, "phase plan asks for no verdict");
  exits(1, "workflow advance w-1 --from build");
  has(err, "git txn workflow status w-1");
  exits(3, "workflow rollback w-1 --to build --reason x");
  has(err, "git txn workflow advance w-1");
  // A flag of another verb would be passed over.
  for (const char* wrong : {"advance w-1 --pass", "advance w-1 --to build",
                            "advance w-1 --reason x", "list --reason x", "status w-1 --onto main",
                            "create feature --reason x", "verdict w-1 review --pass --reason x"}) {
    exits(3, std::string("workflow ") + wrong);
    has(err, "does not take --");
  }
  exits(0, "workflow advance w-1");
  exits(3, "workflow verdict w-1 nonsense --pass");
  has(err, "phase build asks for review");
  sound();
}

TEST_F(WorkflowStory, OneIsCreatedOnceUnderAKey) {
  new_repo();
  commit_policy(kThreePhases);
  exits(0, "workflow create plain --key ticket-12 --json");
  const std::string first = field("/id");
  exits(0, "workflow create plain --key ticket-12 --json");
  is(field("/id"), first);
  exits(0, "workflow create plain --key ticket-13 --json");
  EXPECT_NE(field("/id"), first);
  exits(0, "workflow list --json");
  EXPECT_EQ(lines().size(), 2u);
  exits(3, "workflow create plain --key ticket-12 --as w-1");
  exits(3, "workflow status " + first + " --key ticket-12");
  sound();
}

}  // namespace
}  // namespace gittxn::cli::testing
