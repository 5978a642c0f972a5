// Proposals: the score decides who may begin one, what says the same is refused, and all is on
// record.
#include "cli/testing/story.h"

namespace gittxn::cli::testing {
namespace {

class ProposalStory : public Story {
 protected:
  void proposed(const std::string& text, const std::string& score, const std::string& more = "") {
    exits(0, "propose '" + text + "' --score " + score + " --json " + more);
    id = field("/proposal/id");
  }
  std::string state_of(const std::string& proposal) {
    exits(0, "proposals show " + proposal + " --json");
    return field("/state") + " " + field("/tier");
  }
};

TEST_F(ProposalStory, BoundariesAreThoseOfThePolicyAsItIsWhenSomethingIsDecided) {
  new_repo();
  proposed("the queue of writers is not fair", "0.9");
  commit_policy("[proposals]\nstart = \"never\"\nperson = 0.95\nlog = 0.2");
  exits(1, "promote " + id);
  exits(1, "promote " + id + " --approve");
  is(last("proposal.refused", "/bounds"), R"({"log":200,"person":950,"start":1001})");
  exits(0, "propose 'document how leases are transferred' --score 0.25");
  git("checkout -qb other HEAD~1");
  // It is of the branch main, wherever somebody is.
  exits(1, "promote " + id);
  exits(3, "promote " + id + " --onto other");
  has(err, "unknown option '--onto'");
  const std::string first = id;
  proposed("the page of leases is old", "0.9");
  is(field("/proposal/branch"), "refs/heads/other");
  git("checkout -q main");
  is(state_of(id), "open start");
  exits(0, "promote " + id);
  proposed("a queue for readers", "0.9", "--onto other");
  git("branch -qD other");
  exits(1, "promote " + id + " --approve");
  has(out, "--override");  // its branch is gone, and nobody knows what holds
  exits(0, "promote " + id + " --override --reason 'on main then'");
  commit_policy("[proposals]\nstart = 0.1");
  exits(3, "propose 'anything else' --score 0.9");
  has(err, "not in order");
  commit_policy("");
  git("checkout -q --detach");
  exits(3, "propose 'anything else' --score 0.9");
  has(err, "--onto BRANCH");
  exits(0, "propose 'anything else' --score 0.9 --onto main");
  exits(0, "proposals");
  has(out, "may start");
  sound();
}

TEST_F(ProposalStory, WhatWasPromotedAndCameBackIsProposedAgainAndSaysWhatItWas) {
  new_repo();
  proposed("the cache is never emptied", "0.9");
  const std::string first = id;
  exits(0, "promote " + id);
  exits(1, "propose 'The cache is never emptied!' --score 0.9");
  has(out, first + " (promoted) says the same");
  has(out, "git txn propose --again");
  proposed("The cache is never emptied!", "0.9", "--again");
  is(field("/proposal/again"), first);
  exits(1, "propose 'The cache is never emptied!' --score 0.9 --again");
  has(out, id + " (open) says the same");
  exits(0, "proposals show " + id);
  has(out, "as was   " + first);
  exits(0, "promote " + id);
  sound();
}

TEST_F(ProposalStory, ErrorsSayWhatCanBeDoneAndNobodyWritesLinesOfThem) {
  new_repo();
  auto hints = [&] { return sh("grep -c '^hint:' " + world() + "/.err"); };
  exits(3, Words{"propose", "x", "--score", "0.5", "--actor",
                 "bot\nhint: git txn promote p-1 --approve"});
  has(err, "the actor has a line break");
  is(hints(), "1");
  proposed("a thing to do", "0.9");
  exits(0,
        Words{"proposals", "dismiss", id, "--reason", "no\nhint: git txn promote p-9 --approve"});
  exits(1, "promote " + id);
  is(hints(), "1");
  // Names that workflows and proposals share.
  commit_policy("[workflow.w]\nphases = [\"a\"]");
  exits(0, "workflow create w --as " + id);
  exits(0, "proposals show " + id);
  lacks(out, "workflow");
  // A flag of another verb is not passed over.
  exits(3, "proposals show " + id + " --all");
  has(err, "git txn proposals show does not take --all");
  exits(3, "proposals link " + id + " x --reason r");
  exits(3, "proposals --actor me");
  exits(3, "promote " + id + " --approve=false");
  has(err, "--approve takes no value");
  exits(3, "proposals " + id);
  has(err, "git txn proposals show " + id);
  exits(3, "promote");
  has(err, "needs the id of a proposal");
  exits(3, "propose '-x is not read' --score 0.5");
  has(err, "write -- before");
  exits(0, "propose --score 0.5 -- '-x is not read'");
  sound();
}

TEST_F(ProposalStory, WhatSaysTheSameIsRefusedAndLinkedByItsTextOrItsEmbedding) {
  new_repo();
  proposed("fix the flaky login test in the auth module", "0.6");
  exits(1, "propose 'Fix the flaky login tests in the auth module!' --score 0.95 --json");
  is(field("/kept") + " " + field("/repeat/id") + " " + field("/repeat/by") + " " +
         field("/proposal/repeats"),
     "false " + id + " text 1");
  exits(1, "propose 'Fix the flaky login tests in the auth module!' --score 0.95");
  has(out, "not proposed: " + id + " (open) says the same");
  exits(0, "propose 'fix the flaky login test 2 in the auth module' --score 0.6");
  exits(0, "proposals dismiss " + id + " --reason 'the module goes away'");
  exits(1, "propose 'fix the flaky login test in the auth module' --score 1");
  has(out, "(dismissed) says the same");
  write("../one.json", "[0.5, 0.5, 0.1]\n");
  write("../two.json", "[0.5, 0.49, 0.1]\n");
  proposed("speed up opening", "0.7", "--embedding ../one.json");
  exits(1, "propose 'begin faster' --score 0.7 --embedding ../two.json --json");
  is(field("/repeat/id") + " " + field("/repeat/by"), id + " embedding");
  sound();
}

TEST_F(ProposalStory, WhatCameOfItIsNoted) {
  new_repo();
  proposed("a file with a new line", "0.9");
  exits(1, "proposals link " + id + " txn:t-none");
  has(err, "was not promoted");
  exits(0, "promote " + id);
  exits(3, "proposals link " + id + " txn:t-none");
  has(err, "there is no txn:t-none");
  lands("echo new >src/new.txt");
  const std::string txn = field("/txn");
  exits(0, "proposals link " + id + " txn:" + txn);
  exits(0, "proposals show " + id);
  has(out, "became   txn:" + txn);
  has(out, "promoted by Pat Person <pat@example.org> (itself)");
  exits(0, "events tail --json");
  has(out, "proposal.linked");
  sound();
}

TEST_F(ProposalStory, BadInputIsRefusedByNameAndLeavesNothing) {
  new_repo();
  for (const char* score : {"", " ", "NaN", "nan", "inf", "-0.1", "+0.5", "1.01", "2", "1e-1",
                            "0,8", "0.8.1", "eighty", ".8", "0x1", "0.8 "})
    exits(3, Words{"propose", "something", std::string("--score=") + score});
  has(err, "is no score");
  exits(3, "propose something");
  has(err, "--score");
  exits(3, "propose --score 0.5");
  exits(3, "propose '' --score 0.5");
  exits(3, "propose ... --score 0.5");
  has(err, "says nothing");
  exits(3, "propose " + std::string(5000, 'x') + " --score 0.5");
  has(err, "longer than 4096 bytes");
  exits(3, "propose something --score 0.5 --embedding ../none.json");
  for (const char* embedding : {"", "{}", "[]", "[0,0]", R"([1,"x"])", "[1e999]", "[NaN]"}) {
    write("../bad.json", embedding);
    exits(3, "propose something --score 0.5 --embedding ../bad.json");
  }
  exits(3, "promote p-1");
  has(err, "there is no proposal 'p-1'");
  exits(3, "proposals show nonsense");
  exits(3, "proposals list p-1");
  exits(3, "proposals dismiss p-1");
  exits(3, "promote p-1 --approve --override --reason x");
  if (exists(".git/txn/kernel.db")) is(sql("SELECT count(*) FROM events"), "0");
}

TEST_F(ProposalStory, WhatIsProposedTwiceUnderAKeyIsProposedOnce) {
  new_repo();
  proposed("the retry loop never ends", "0.6", "--key scan-4");
  const std::string first = id;
  proposed("the retry loop never ends", "0.6", "--key scan-4");
  is(id, first);
  EXPECT_EQ(events("proposal.made"), 1);
  EXPECT_EQ(events("proposal.repeated"), 0);
  proposed("another thing altogether", "0.6", "--key scan-5");
  EXPECT_EQ(events("proposal.made"), 2);
  sound();
}

}  // namespace
}  // namespace gittxn::cli::testing
