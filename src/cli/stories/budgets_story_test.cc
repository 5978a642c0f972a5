// Budgets: where they hold, what is reported to them, a bill that is compared, and bad input.
#include "cli/testing/story.h"

namespace gittxn::cli::testing {
namespace {

class BudgetStory : public Story {
 protected:
  // What was used of this kind.
  std::string used(const std::string& kind, const std::string& of) {
    exits(0, "budget show " + of + " --json");
    for (const std::string& line : lines()) {
      out = line;
      if (field("/kind") == kind) return field("/used");
    }
    return "none";
  }
};

TEST_F(BudgetStory, FromBeginOnItHoldsFromTheBeginning) {
  new_repo();
  exits(0, "begin --budget wall=10m --budget calls=5 --json");
  id = field("/txn");
  exits(0, "budget show --txn " + id + " --json");
  std::vector<std::string> limits;
  for (const std::string& line : lines()) {
    out = line;
    if (field("/limit") != "null") limits.push_back(field("/kind") + " " + field("/limit"));
  }
  EXPECT_THAT(limits, ::testing::UnorderedElementsAre("calls 5", "wall 600000"));
  // With its beginning or not at all.
  exits(0, "events tail --subject " + id + " --type txn.begun");
  EXPECT_EQ(events("txn.begun"), 1);
  EXPECT_EQ(events("budget.set"), 2);
  exits(3, "begin --budget wall=soon");
  exits(3, "begin --budget calls=5 --budget calls=6");
  exits(3, "begin --budget calls=0");
  killed_at("api.begin.recorded", "begin --budget wall=1ms");
  EXPECT_EQ(events("txn.begun"), 2);
  EXPECT_EQ(events("budget.set"), 3);
  exits(0, "begin --budget wall=1ms --budget calls=none -q");
  id = out;
  tries("exec " + id + " -- true");  // ended by it, or quicker
  exits(1, "exec " + id + " -- true");
  has(err, "the wall budget of txn:" + id + " is used up");
  sound();
}

TEST_F(BudgetStory, ShowSaysSoWhereThereIsNone) {
  new_repo();
  exits(0, "budget show");
  is(out, "no budgets; set one with: git txn budget set --txn ID KIND=VALUE");
  lands("echo x >src/new.txt");
  exits(0, "budget show");
  has(out, "no budgets");
  exits(0, "budget show --owner nobody");
  is(out, "it has no budget, and nothing of it was counted yet");
  exits(0, "budget show --json");
  is(out, "");
  exits(0, "budget show -q");
  is(out, "");
}

TEST_F(BudgetStory, TheNameOfAnOwnerIsBoundedWhereverItComesIn) {
  new_repo();
  lands("echo 1 >src/one.txt", "--owner bot");
  const std::string big(300, 'x');
  write("nul", R"({"owner": "a\u0000b", "cost": 1})"
               "\n");
  write("long", "{\"owner\": \"" + big + "\", \"cost\": 1}\n");
  write("line", R"({"owner": "a\nb", "cost": 1})"
                "\n");
  write("other", "{\"workflow\": \"" + std::string(1'000'000, 'x') + "\", \"cost\": 1}\n");
  for (const char* bill : {"nul", "long", "line", "other"}) {
    exits(3, std::string("budget reconcile ") + bill);
    EXPECT_LT(err.size(), 1000u) << bill;
  }
  for (const std::string& bad : {big, std::string("a\nb"), std::string("a\001b")}) {
    exits(3, Words{"run", "--owner", bad, "--", "true"});
    has(err, "the name of the owner");
    exits(3, Words{"begin", "--owner", bad});
    exits(3, Words{"budget", "set", "--owner", bad, "cost=1"});
    exits(3, Words{"budget", "show", "--owner", bad});
    exits(3, Words{"lease", "acquire", "src", "--owner", bad});
  }
  exits(0, "lease acquire src --owner ann -q");
  exits(3, Words{"lease", "transfer", out, "--owner", "ann", "--to", "a\nb"});
  EXPECT_EQ(events("budget.reconciled"), 0);
  EXPECT_EQ(events("budget.set"), 0);
  EXPECT_EQ(events("txn.begun"), 1);
  sound();
}

TEST_F(BudgetStory, OneOfAWorkflowIsOfOneThatThereIs) {
  new_repo();
  commit_policy("[workflow.feature]\nphases = [\"plan\", \"build\"]");
  exits(3, "budget set --workflow w-feature calls=5");
  has(err, "no workflow is called 'w-feature'");
  exits(0, "workflow create feature --as w-feature");
  exits(0, "budget set --workflow w-feat calls=5 --json");
  is(field("/of"), "workflow:w-feature");  // by a unique beginning, as everywhere
  lands("echo 1 >src/one.txt", "--workflow w-feature");
  exits(0, "budget report " + field("/txn") + " calls=4");
  is(used("calls", "--workflow w-feature"), "4");
  EXPECT_EQ(events("budget.warning"), 1);
  sound();
}

TEST_F(BudgetStory, F6WhatIsReportedWarnsOnceALevelMarkedBestEffort) {
  new_repo();
  lands("echo 1 >src/one.txt");
  id = field("/txn");
  const std::string of = "--txn " + id;
  exits(0, "budget set " + of + " input=1k cost=2.50");
  exits(0, "budget report " + id + " input=700 cost=1.25 --key a");
  exits(0, "budget report " + id + " input=700 cost=1.25 --key a");
  is(err, "");  // the same again is nothing to tell
  is(used("input", of), "700");
  EXPECT_EQ(events("budget.warning"), 0);
  exits(0, "budget report " + id + " input=500 cost=1 --key a");
  has(err, "input 500 was not taken: 700 was reported as 'a' before, and the larger counts");
  has(err, "cost 1.000000 was not taken: 1.250000 was reported as 'a' before");
  is(used("input", of), "700");
  lands("echo 2 >src/two.txt");
  const std::string second = field("/txn");
  exits(0, "budget report " + second + " input=300 --key a");
  is(used("input", "--txn " + second), "300");  // a key is of its transaction
  exits(0, "budget report " + id + " input=100");
  EXPECT_EQ(events("budget.warning"), 1);
  exits(0, "budget report " + id + " input=5k");
  exits(0, "budget report " + id + " input=5k");
  EXPECT_EQ(events("budget.warning"), 1);
  EXPECT_EQ(events("budget.exceeded"), 1);
  is(last("budget.exceeded", "/best_effort") + " " + last("budget.exceeded", "/used"), "true 5800");
  exits(0, "budget show");
  has(out, "input 10800 of 1000  as reported  exceeded");
  has(out, "cost 1.250000 of 2.500000");
  sound();
}

TEST_F(BudgetStory, ReconcileComparesWithABillAndExits1WhenAFigureIsTooFarFromIt) {
  new_repo();
  lands("echo 1 >src/one.txt", "--owner bot");
  exits(0, "budget report " + field("/txn") + " cost=9.60 input=1000");
  write("bill", "{\"owner\": \"bot\", \"cost\": 10, \"input\": 1001}\n");
  exits(0, "budget reconcile bill");
  exits(1, "budget reconcile bill --tolerance 1 --json");
  for (const std::string& line : lines()) {
    out = line;
    if (field("/kind") == "cost") is(field("/within"), "false");
  }
  EXPECT_EQ(events("budget.reconciled"), 4);
  for (const char* bad :
       {"", "x", "[]", "{}", R"({"owner": "bot"})", R"({"owner": "bot", "cost": -1})",
        R"({"cost": 1})", R"({"owner": "bot", "cost": "1"})", R"({"owner": "bot", "shoes": 1})",
        R"({"owner": 1, "cost": 1})", R"({"owner": "bot", "txn": "t", "cost": 1})",
        R"({"owner": "bot", "input": 1e300})", R"({"owner": "bot", "input": 1.5})"}) {
    write("bad", std::string(bad) + "\n");
    exits(3, "budget reconcile bad");
  }
  write("bad", "{\"owner\": \"bot\", \"cost\": 10, \"cost\": 9.6}\n");
  exits(3, "budget reconcile bad");
  has(err, "line 1 of the bill has 'cost' twice");
  write("bad", "{\"owner\": \"bot\", \"cost\": 1}\nx\n");
  exits(3, "budget reconcile bad");
  has(err, "line 2 of the bill is no JSON");
  exits(3, "budget reconcile no-such-file");
  exits(3, "budget reconcile bill --tolerance 101");
  EXPECT_EQ(events("budget.reconciled"), 4);
  sound();
}

TEST_F(BudgetStory, ThoseThatAreNoneAreRefusedWithTheReasonAndNothingIsSet) {
  new_repo();
  lands("echo 1 >src/one.txt");
  id = field("/txn");
  for (const char* bad :
       {"input=x", "input=", "input=-5", "input=1.5", "shoes=1", "input", "=5", "input=0", "wall=5",
        "wall=soon", "cost=1,5", "cost=.5", "cost=1.", "cost=1.1234567",
        "input=99999999999999999999", "input=5kk", "input=1 2", "cost=nan", "calls=1e3"}) {
    exits(3, Words{"budget", "set", "--txn", id, bad});
    EXPECT_NE(err, "") << bad;
    exits(3, Words{"run", "--budget", bad, "--", "true"});
  }
  exits(3, "budget set --txn " + id + " input=5 input=6");
  exits(3, "budget set --txn " + id);
  exits(3, "budget set input=5");
  exits(3, "budget set --txn " + id + " --owner bot input=5");
  exits(3, "budget set --txn t-none input=5");
  exits(3, "budget set --workflow nope calls=5");
  has(err, "no workflow is called 'nope'");
  has(err, "git txn workflow list");
  exits(3, "budget show --workflow nope");
  exits(3, "budget set --owner '' calls=5");
  exits(3, "budget report " + id + " wall=5m");
  has(err, "measured, not reported");
  exits(3, "budget report " + id + " input=none");
  exits(3, "budget report " + id + " input=1 --owner bot");
  has(err, "git txn budget report does not take --owner");
  exits(3, "budget set --owner bot input=1 --key a");
  exits(3, "budget report t-none input=5");
  exits(3, "budget spend");
  exits(3, "budget show " + id);
  EXPECT_EQ(events("budget.set"), 0);
  EXPECT_EQ(events("usage.reported"), events("txn.command.ended"));
  agent(
      "git txn budget set --owner me input=5; echo $? >\"$WORLD/inside\"; git txn budget show && "
      "echo x >src/x.txt");
  is(read("../inside"), "3");
  sound();
}

}  // namespace
}  // namespace gittxn::cli::testing
