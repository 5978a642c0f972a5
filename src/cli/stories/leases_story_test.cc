// Leases and sentinels: who has a part of the tree, who waits for it, and what that keeps off.
#include "cli/testing/story.h"

namespace gittxn::cli::testing {
namespace {

class LeaseStory : public Story {
 protected:
  void lease(const std::string& what) {
    exits(0, "lease acquire " + what + " --json");
    id = field("/id");
  }
  std::string number() const { return id.substr(2); }
};

TEST_F(LeaseStory, IsHadRenewedHandedOnAndReleasedAndWhoHasItIsNamed) {
  new_repo();
  lease("src --ttl 1h");
  is(field("/owner") + " " + field("/sharing") + " " + field("/force") + " " + field("/state"),
     "pat@example.org exclusive advisory held");
  is(field("/fence"), number());
  exits(1, "lease acquire 'src/**/*.txt' --owner bob");
  has(err, "pat@example.org has src (" + id + ")");
  exits(1, "lease acquire docs src --owner bob --json");
  is(field("/error/code"), "busy");  // it did not wait
  has(out + err, "src is not to be had");
  lacks(out + err, "docs, src is not");  // docs is free
  exits(1, "lease acquire src --owner bob --wait 100ms --json");
  is(field("/error/code"), "timeout");
  // One's own lease is in the way like any other; nobody else can give it back.
  exits(1, "lease acquire src");
  has(err, "you have it yourself; give it back with: git txn lease release " + id);
  exits(1, "lease acquire src --wait 100ms -- true");
  has(err, "note: pat@example.org has src (" + id + "); you have it yourself");
  exits(0, "lease acquire docs --owner bob");
  exits(3, "lease release " + id + " --owner bob");
  has(err, "pat@example.org's");
  exits(0, "lease renew " + id + " --ttl 2h --json");
  EXPECT_GT(std::stoi(field("/left_ms")), 7'000'000);
  exits(0, "lease transfer " + id + " --to bob --json");
  is(field("/owner"), "bob");
  const std::string fence = field("/fence");
  exits(3, "lease release " + id);
  // It has been somebody else's, whoever's it is now.
  exits(1, "lease renew " + id + " --owner bob --fence " + number());
  has(err, "not " + number() + ": it was given on meanwhile");
  exits(3, "lease renew " + id + " --owner bob --fence x");
  exits(3, "lease acquire docs --fence 5");
  exits(0, "lease release " + id + " --owner bob --fence " + fence);
  exits(1, "lease renew " + id + " --owner bob");
  has(err, "is lost: released");
  exits(0, "lease acquire src --shared");
  exits(0, "lease acquire src/f1.txt --shared --owner bob");
  exits(0, "status");
  has(out, "lease on src/f1.txt: bob");
  exits(0, "lease list --json");
  is(sh("printf '%s\\n' " + fields("/subjects/0") + " | sort | tr '\\n' ' '"),
     "docs src src/f1.txt ");
  sound();
}

TEST_F(LeaseStory, BadOnesAreRefusedWithTheReasonAndNothingIsLeased) {
  new_repo();
  for (const char* bad : {"/etc", "../x", "a/../b", "a//b", ".git", ".git/hooks", "", "a/[bc]*",
                          "**/**/**/x", "symbol:", "symbol:no/such.py/f."}) {
    exits(3, Words{"lease", "acquire", bad});
    EXPECT_NE(err, "") << bad;
  }
  for (const char* bad : {"0", "-5m", "400d", "8d", "abc", "5"})
    exits(3, std::string("lease acquire src --ttl=") + bad);
  exits(3, "lease acquire");
  exits(3, "lease acquire src --shared --exclusive");
  exits(3, "lease acquire src --mandatory --shared");
  exits(3, "lease renew l-12345");
  has(err, "no lease 'l-12345'");
  exits(3, "lease release");
  exits(3, "lease steal l-1");
  exits(3, "lease list src");
  exits(3, "lease acquire src --");
  exits(3, "lease acquire src -- no-such-program");
  exits(0, "lease list");
  is(out, "no leases");
  agent(
      "git txn lease acquire src; echo $? >\"$WORLD/inside\"; git txn lease list; echo x "
      ">src/new.txt");
  is(read(world() + "/inside"), "3");
}

TEST_F(LeaseStory, ASymbolIsLeasedInItsFileAndOtherFunctionsOfTheFileMayBeChanged) {
  new_repo();
  person_commits("src/code.py", "def one():\n    return 1\n\n\ndef two():\n    return 2");
  exits(0, "symbols src/code.py --name one --json");
  lease("symbol:" + field("/symbol") + " --mandatory --owner bob");
  lacks(err, "no such symbol");
  exits(0, "lease acquire symbol:src/code.py/onne().");
  has(err, "there is no such symbol on main: symbol:src/code.py/onne().");
  exits(0, "symbols src/code.py --name two --json");
  exits(0, "lease acquire symbol:" + field("/symbol"));
  exits(1, "lease acquire src/*.py");
  lands("sed -i 's/return 2/return 22/' src/code.py", "--owner eve");
  agent("sed -i 's/return 1/return 11/' src/code.py", "--owner eve --wait 0");
  is(became() + " " + field("/waiting/reason"), "1 prepared lease");
  sound();
}

TEST_F(LeaseStory, OneOfATransactionKeepsOtherAgentsOfThePersonOutAndEndsWithIt) {
  new_repo();
  exits(0, "begin --json");
  const std::string first = field("/txn");
  exits(0, "lease acquire src/nowhere --for " + first);
  has(err, "there is no such path on main: src/nowhere");
  exits(0, "lease acquire src/f1.txt --mandatory --for " + first + " --json");
  lacks(err, "no such path");
  is(field("/txn") + " " + field("/owner"), first + " " + first);
  agent("echo theirs >src/f1.txt", "--wait 0");
  is(became() + " " + field("/waiting/reason"), "1 prepared lease");
  const std::string second = field("/txn");
  exits(0, "exec " + first + " -- sh -c 'echo mine >src/other.txt'");
  exits(0, "commit " + first);
  exits(0, "commit " + second + " --json");
  is(field("/state"), "landed");  // it ended with its transaction
  exits(3, "lease acquire src --for " + first);
  has(err, first + " is landed");
  sound();
}

TEST_F(LeaseStory, AMandatoryOneKeepsOthersFromLandingThereAndItsOwnerNot) {
  new_repo();
  lease("'src/f*.txt' --mandatory --owner bob");
  agent("echo x >src/f1.txt", "--wait 0");
  is(became(), "1 prepared");
  const std::string waiting = field("/txn");
  is(field("/waiting/reason"), "lease");
  has(field("/waiting/subject"), id + " of bob on src/f1.txt");
  exits(0, "why " + waiting);
  has(out, "git txn lease list");
  lands("echo x >docs/other.md");
  lands("echo bob >src/f2.txt", "--owner bob");
  exits(0, "lease release " + id + " --owner bob");
  exits(0, "commit " + waiting + " --json");
  is(field("/state"), "landed");
  sound();
}

TEST_F(LeaseStory, AnAdvisoryOneIsToldToWhoWritesThere) {
  new_repo();
  lease("src --owner bob");
  lands("echo x >src/f1.txt");
  has(err + out, "src/f1.txt is leased to bob (" + id + ", advisory)");
}

TEST_F(LeaseStory, OfAScriptThatHasExitedItLastsUntilItsTimeIsOver) {
  new_repo();
  exits(0, "lease acquire src --ttl 12s");
  later(11'000);
  exits(1, "lease acquire src --owner bob");
  later(1'500);
  exits(0, "lease acquire src --owner bob");
  EXPECT_EQ(events("lease.expired"), 1);
  sound();
}

TEST_F(LeaseStory, ASentinelLetsOneThroughInAnInterval) {
  new_repo();
  exits(0, "sentinel list");
  is(out, "no intervals run");
  exits(0, "lease list");
  is(out, "no leases");
  exits(0, "sentinel nightly --every 1h");
  is(out, "passed: the next nightly in 1 h");
  exits(1, "sentinel nightly --every 1h");
  has(out, "the next nightly in");
  exits(1, "sentinel nightly --every 1h --json");
  is(field("/passed"), "false");
  exits(0, "sentinel list");
  has(out, "nightly");
  later(3'600'000);
  exits(0, "sentinel nightly --every 1h");
  exits(0, "sentinel reset nightly");
  exits(3, "sentinel reset nightly");
  exits(3, "sentinel nightly");
  exits(3, "sentinel nightly --every 0");
  exits(3, "sentinel list --every 1h");
  has(err, "git txn sentinel list does not take --every");
  exits(3, "sentinel a b --every 1h");
  has(err, "git txn sentinel does not take 'b'");
  exits(3, "sentinel reset");
  has(err, "git txn sentinel reset needs the name of one");
  exits(3, "sentinel list nightly");
  has(err, "git txn sentinel list does not take 'nightly'");
  exits(3, "sentinel '' --every 1h");
  sound();
}

}  // namespace
}  // namespace gittxn::cli::testing
