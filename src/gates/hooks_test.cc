#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/gate.h"
#include "gates/testing/gate_world.h"

namespace gittxn::gates {
namespace {

using testing::GateWorld;
using ::testing::HasSubstr;
using testing::must;

class Hooks : public ::testing::Test {
 protected:
  void hook(const std::string& name, const std::string& script, mode_t mode = 0755) {
    std::string path = join_path(world_.repo().git_dir(), "hooks/" + name);
    must(make_dirs(parent_dir(path)));
    must(write_file(path, "#!/bin/sh\n" + script, Sync::kNo, mode));
  }
  HookOutcome run(const Candidate& candidate, const std::string& message = "a message\n") {
    return must(run_commit_hooks(world_.context(), Policy(), candidate, message));
  }
  std::string home(const std::string& name) {
    return read_file(world_.home(name)).value_or("(absent)");
  }
  GateWorld world_;
};

TEST_F(Hooks, NoneIsNoCheckout) {
  Candidate candidate = world_.candidate({{"x", "x"}});
  HookOutcome outcome = run(candidate);
  EXPECT_TRUE(outcome.reports.empty());
  EXPECT_FALSE(must(exists(world_.context().worktree_root + "/gates")));
}

TEST_F(Hooks, PreCommitSeesTheChangeAsStaged) {
  hook("pre-commit",
       "git diff --cached --name-status >\"$HOME/saw\"; git rev-parse HEAD >\"$HOME/head\"\n"
       "git diff --quiet && test \"$GIT_EDITOR\" = :\n");
  Candidate candidate = world_.candidate({{"src/new.txt", "new\n"}, {"README", "better\n"}});
  HookOutcome outcome = run(candidate);
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_TRUE(outcome.reports[0].certificate.passed) << world_.output_of(outcome.reports[0]);
  EXPECT_EQ(outcome.reports[0].certificate.gate, GateName("pre-commit"));
  EXPECT_EQ(home("saw"), "M\tREADME\nA\tsrc/new.txt\n");
  EXPECT_EQ(home("head"), world_.base().str() + "\n");
  EXPECT_FALSE(outcome.new_tree.has_value());
}

TEST_F(Hooks, PreCommitRefusesAndCommitMsgIsNotAsked) {
  hook("pre-commit", "echo not like this; exit 1\n");
  hook("commit-msg", "touch \"$HOME/asked\"\n");
  HookOutcome outcome = run(world_.candidate({{"x", "x"}}));
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_FALSE(outcome.reports[0].certificate.passed);
  EXPECT_EQ(world_.output_of(outcome.reports[0]), "not like this\n");
  EXPECT_EQ(home("asked"), "(absent)");
}

TEST_F(Hooks, WhatPreCommitStagesIsANewCandidate) {
  hook("pre-commit",
       "echo formatted >>src/new.txt; git add src/new.txt; echo not staged >>README\n");
  Candidate candidate = world_.candidate({{"src/new.txt", "raw\n"}});
  HookOutcome outcome = run(candidate);
  ASSERT_TRUE(outcome.new_tree.has_value());
  EXPECT_EQ(world_.repo().git({"show", outcome.new_tree->str() + ":src/new.txt"}),
            "raw\nformatted");
  EXPECT_EQ(world_.repo().git({"show", outcome.new_tree->str() + ":README"}), "hello");
  EXPECT_EQ(world_.repo().git({"status", "--porcelain"}), "")
      << "the person's checkout was touched";
}

TEST_F(Hooks, CommitMsgMayEditTheMessage) {
  hook("commit-msg", "test \"$1\" = .git/COMMIT_EDITMSG && printf 'Ticket: 7\\n' >>\"$1\"\n");
  HookOutcome outcome = run(world_.candidate({{"x", "x"}}), "subject");
  ASSERT_TRUE(outcome.new_message.has_value());
  EXPECT_EQ(*outcome.new_message, "subject\nTicket: 7\n");
}

TEST_F(Hooks, CommitMsgThatChangesNothingOrRefuses) {
  hook("commit-msg", "grep -q good \"$1\"\n");
  HookOutcome good = run(world_.candidate({{"x", "x"}}), "a good one\n");
  EXPECT_TRUE(good.reports[0].certificate.passed);
  EXPECT_FALSE(good.new_message.has_value());
  HookOutcome bad = run(world_.candidate({{"x", "y"}}), "another\n");
  EXPECT_FALSE(bad.reports[0].certificate.passed);
  hook("commit-msg", ": >\"$1\"\n");
  auto empty = run_commit_hooks(world_.context(), Policy(), world_.candidate({{"x", "z"}}), "m\n");
  EXPECT_THAT(empty.error().message, HasSubstr("empty message"));
}

TEST_F(Hooks, NotExecutableOrSwitchedOffIsNoHook) {
  hook("pre-commit", "exit 1\n", 0644);
  EXPECT_TRUE(run(world_.candidate({{"x", "x"}})).reports.empty());
  hook("pre-commit", "exit 1\n");
  EXPECT_EQ(run(world_.candidate({{"x", "x"}})).reports.size(), 1u);
  world_.repo().git({"config", "txn.hooks", "false"});
  EXPECT_TRUE(run(world_.candidate({{"x", "x"}})).reports.empty());
}

TEST_F(Hooks, ACandidateCannotRewriteTheHookThatJudgesIt) {
  world_.repo().write(".hooks/pre-commit", "#!/bin/sh\necho the old rule; exit 1\n", 0755);
  world_.commit("hooks in the tree");
  world_.repo().git({"config", "core.hooksPath", ".hooks"});
  GateContext context = world_.context();
  // Found in the person's checkout; without one, in the tree of the parent.
  for (const std::string& checkout : {world_.repo().path(), std::string()}) {
    world_.repo().git({"reset", "-q", "--hard", "HEAD"});
    Oid parent = world_.commit("hooks stay");
    world_.repo().write(".hooks/pre-commit", "#!/bin/sh\nexit 0\n", 0755);
    Candidate evil;
    evil.commit = world_.commit("a weaker rule");
    evil.tree = Oid(world_.repo().git({"rev-parse", "HEAD^{tree}"}));
    evil.parent = parent;
    evil.branch = RefName("refs/heads/main");
    evil.txn = TxnId("t-evil");
    world_.repo().git({"reset", "-q", "--hard", parent.str()});
    context.main_checkout = checkout;
    HookOutcome outcome = must(run_commit_hooks(context, Policy(), evil, "m\n"));
    ASSERT_EQ(outcome.reports.size(), 1u) << checkout;
    EXPECT_FALSE(outcome.reports[0].certificate.passed) << checkout;
    EXPECT_EQ(world_.output_of(outcome.reports[0]), "the old rule\n") << checkout;
  }
}

TEST_F(Hooks, AfterALandingTheyRunInTheCheckout) {
  hook("post-commit", "pwd >\"$HOME/where\"\n");
  hook("post-merge", "echo \"$1\" >\"$HOME/merge\"\n");
  must(run_post_hooks(world_.context(), world_.base(), world_.repo().path()));
  EXPECT_EQ(home("where"), world_.repo().path() + "\n");
  EXPECT_EQ(home("merge"), "0\n");
  hook("post-commit", "exit 4\n");
  auto failed = run_post_hooks(world_.context(), world_.base(), world_.repo().path());
  EXPECT_THAT(failed.error().message, HasSubstr("post-commit ended with 4"));
  must(run_post_hooks(world_.context(), world_.base(), ""));
}

repo::RefUpdate to_main(const Oid& before, const Oid& after) {
  repo::RefUpdate move;
  move.ref = RefName("refs/heads/main");
  move.expected = before;
  move.desired = after;
  return move;
}

TEST_F(Hooks, ReferenceTransactionIsToldAsGitTellsIt) {
  hook("reference-transaction",
       "{ echo \"$1 $(pwd) $GIT_TXN_ID${GIT_DIR:+ in $GIT_DIR}\"; cat; } >>\"$HOME/told\"\n");
  const Oid base = world_.base();
  const auto move = to_main(base, base);
  must(run_ref_hook(world_.context(), move, repo::RefStep::kPrepared, TxnId("t-a")));
  must(run_ref_hook(world_.context(), to_main(Oid(), base), repo::RefStep::kCommitted, TxnId()));
  const std::string where = world_.repo().path();
  EXPECT_EQ(home("told"), "prepared " + where + " t-a\n" + base.str() + " " + base.str() +
                              " refs/heads/main\ncommitted " + where + " \n" +
                              std::string(40, '0') + " " + base.str() + " refs/heads/main\n");
}

TEST_F(Hooks, ReferenceTransactionSaysNoInItsOwnWords) {
  const auto move = to_main(world_.base(), world_.base());
  const auto asked = [&] {
    return run_ref_hook(world_.context(), move, repo::RefStep::kPrepared, TxnId());
  };
  EXPECT_TRUE(asked().has_value()) << "there is none";
  hook("reference-transaction", "{ echo 'frozen until'; echo Monday; } >&2; exit 3\n");
  auto refused = asked();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kRefused);
  EXPECT_EQ(refused.error().message, "the hook reference-transaction says no: frozen until Monday");
  hook("reference-transaction", "exit 3\n");
  EXPECT_THAT(asked().error().message, HasSubstr("exit status 3"));
  hook("reference-transaction", "exit 3\n", 0644);
  EXPECT_TRUE(asked().has_value()) << "not executable is no hook";
  world_.repo().git({"config", "core.hooksPath", "rules"});
  world_.repo().write("rules/reference-transaction", "#!/bin/sh\nexit 4\n", 0755);
  EXPECT_THAT(asked().error().message, HasSubstr("exit status 4"));
  world_.repo().git({"config", "txn.hooks", "false"});
  EXPECT_TRUE(asked().has_value()) << "switched off";
}

}  // namespace
}  // namespace gittxn::gates
