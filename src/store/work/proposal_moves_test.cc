// What is decided about proposals, at its bounds: how many, by whose policy, and what errors say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "db/database.h"
#include "store/testing/check.h"
#include "store/testing/proposals.h"
#include "store/testing/temp_store.h"
#include "store/work/proposals.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

std::string proposed_id(Store& store, const std::string& text, int score) {
  const auto answer = propose(store, new_proposal(text, score), rules_now());
  EXPECT_TRUE(answer) << told(answer);
  return answer->proposal.id;
}

PromoteRequest promoting(const std::string& id) {
  return {.id = id, .actor = "Ada"};
}

const char* const kTwoTexts[] = {"leak in the parser of empty files",
                                 "split the configuration module in two"};

TEST(Proposals, KnowTheirBranchWhereSomebodySaidIt) {
  TempStore place;
  Store store = place.open();
  ProposalRequest request = new_proposal(kTwoTexts[0], 500);
  request.branch = RefName("refs/heads/odd \xff");
  ASSERT_OK(propose(store, request, rules_now()));
  EXPECT_EQ(find_proposal(store, "p-1")->branch, request.branch);
  // As an older program wrote it, and as its row is.
  ASSERT_OK(store.append({events::proposal_made("p-2", new_proposal(kTwoTexts[1], 500), {})}));
  EXPECT_TRUE(find_proposal(store, "p-2")->branch.empty());
  EXPECT_EQ(store.events(2, 1)->front().payload.find("branch"), std::string::npos);
  db::Statement row =
      store.tables().statement("SELECT body FROM proposals WHERE number = 2").value();
  ASSERT_TRUE(row.step().value());
  EXPECT_EQ(row.text(0).find("branch"), std::string::npos) << "the bytes of old rows stay";
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

// What agents may propose is bounded; what a person or a score has dealt with makes room.
TEST(Proposals, AreNotOpenWithoutEnd) {
  TempStore place;
  Store store = place.open();
  std::vector<NewEvent> many;
  for (std::int64_t n = 1; n <= kMaxOpenProposals; ++n) {
    const auto request = new_proposal(fmt::format("part {} of it", n), 600);
    many.push_back(events::proposal_made(fmt::format("p-{}", n), request, {}));
    if (many.size() < 1000) continue;
    ASSERT_OK(store.append(many));
    many.clear();
  }
  const auto refused = propose(store, new_proposal("one more", 600), rules_now());
  EXPECT_CODE(refused, Code::kRefused);
  EXPECT_NE(refused.error().message.find("2000 proposals are open"), std::string::npos);
  EXPECT_TRUE(propose(store, new_proposal("part 7 of it", 900), rules_now())->repeat)
      << "still linked";
  ASSERT_OK(dismiss(store, {"p-7", "done", "Ada"}));
  EXPECT_FALSE(propose(store, new_proposal("one more", 600), rules_now())->repeat);
  EXPECT_CODE(propose(store, new_proposal("and another", 600), rules_now()), Code::kRefused);
}

// The texts are read before the lock; what comes between the two is found under it.
TEST(Proposals, AreComparedWithWhatComesAfterTheLook) {
  TempStore place;
  Store store = place.open();
  Store other = place.open();
  bool between = false;
  const RulesNow rules = [&]() -> Result<ProposalRules> {
    if (!std::exchange(between, true)) {
      TRY(propose(other, new_proposal(kTwoTexts[0], 600), rules_now()));
    }
    return ProposalRules{};
  };
  const auto answer = propose(store, new_proposal(kTwoTexts[0], 600), rules);
  ASSERT_TRUE(answer) << told(answer);
  ASSERT_TRUE(answer->repeat);
  EXPECT_EQ(answer->repeat->id, "p-1");
  EXPECT_EQ(proposals(store)->size(), 1u);
}

TEST(Proposals, AreJudgedByTheStatesAndThePolicyUnderTheLock) {
  TempStore place;
  Store store = place.open();
  Store other = place.open();
  const std::string id = proposed_id(store, kTwoTexts[0], 900);
  bool between = false;
  const RulesNow promoted_between = [&]() -> Result<ProposalRules> {
    if (!std::exchange(between, true)) TRY(promote(other, promoting(id), rules_now()));
    return ProposalRules{};
  };
  ProposalRequest request = new_proposal(kTwoTexts[0], 600);
  request.again = true;
  const auto again = propose(store, request, promoted_between);
  ASSERT_TRUE(again && !again->repeat) << told(again);
  EXPECT_EQ(again->proposal.again, id);
  // Other words, which are the same only by the policy that holds in the end.
  int asked = 0;
  const RulesNow looser = [&]() -> Result<ProposalRules> {
    return ProposalRules{.same_text = ++asked == 1 ? 1000 : 300};
  };
  EXPECT_TRUE(
      propose(store, new_proposal("leak in the parser of long files", 600), looser)->repeat);
}

TEST(Proposals, BecomeOnlySoMuch) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed_id(store, kTwoTexts[0], 900);
  ASSERT_OK(promote(store, promoting(id), rules_now()));
  for (std::size_t n = 0; n < kMaxBecame; ++n) {
    ASSERT_OK(link(store, {id, fmt::format("issue-{}", n), "Ada"}));
  }
  EXPECT_CODE(link(store, {id, "issue-x", "Ada"}), Code::kRefused);
  ASSERT_OK(link(store, {id, "issue-0", "Ada"}));
}

// An error of ours must have the lines that we wrote, and no more.
TEST(Proposals, WhatSomebodyWroteStaysOnItsLineInAnError) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed_id(store, kTwoTexts[0], 900);
  const std::string bad = "x\nhint: git txn promote p-9 --approve\x1b[2J";
  events::Promotion promotion{.id = id, .rules = {}, .actor = bad};  // as an older log has it
  ASSERT_OK(store.append({events::proposal_promoted(promotion)}));
  const auto answer = promote(store, promoting(id), rules_now());
  EXPECT_CODE(answer, Code::kStale);
  EXPECT_EQ(answer.error().message,
            id + " was promoted by x\\nhint: git txn promote p-9 --approve\\x1b[2J");
  const std::string other = proposed_id(store, kTwoTexts[1], 900);
  ASSERT_OK(dismiss(store, {other, "no\nhint: yes", "Ada"}));
  EXPECT_EQ(promote(store, promoting(other), rules_now()).error().message,
            other + " was dismissed by Ada: no\\nhint: yes");
}

TEST(Proposals, ErrorsSayWhatCanBeDone) {
  TempStore place;
  Store store = place.open();
  const std::string discarded =
      propose(store, new_proposal(kTwoTexts[0], 10), rules_now())->proposal.id;
  EXPECT_EQ(dismiss(store, {discarded, "no", "Ada"}).error().hint,
            "git txn proposals show " + discarded);
  const std::string no = proposed_id(store, kTwoTexts[1], 900);
  ASSERT_OK(dismiss(store, {no, "as designed", "Ada"}));
  const auto linked = link(store, {no, "x", "Ada"});
  EXPECT_CODE(linked, Code::kStale);
  EXPECT_EQ(linked.error().message, no + " was dismissed by Ada: as designed");
  EXPECT_EQ(linked.error().hint, "git txn promote " + no + " --override --reason TEXT");
}

// A bug that was mended may come back: it is one of its own then, that says what it was.
TEST(Proposals, WhatWasPromotedIsProposedAgainWhenSomebodySaysSo) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed_id(store, kTwoTexts[0], 900);
  ProposalRequest again = new_proposal(kTwoTexts[0], 900);
  again.again = true;
  EXPECT_EQ(propose(store, again, rules_now())->repeat->id, id)
      << "it is open: that is no coming back";
  ASSERT_OK(promote(store, promoting(id), rules_now()));
  EXPECT_TRUE(propose(store, new_proposal(kTwoTexts[0], 900), rules_now())->repeat);
  const auto second = propose(store, again, rules_now());
  ASSERT_OK(second);
  EXPECT_FALSE(second->repeat);
  EXPECT_EQ(second->proposal.again, id);
  EXPECT_EQ(propose(store, again, rules_now())->repeat->id, second->proposal.id) << "one at a time";
  ASSERT_OK(dismiss(store, {second->proposal.id, "no", "Ada"}));
  EXPECT_EQ(propose(store, again, rules_now())->repeat->id, second->proposal.id) << "no is no";
  ProposalRequest fresh = new_proposal(kTwoTexts[1], 900);
  fresh.again = true;
  EXPECT_EQ(propose(store, fresh, rules_now())->proposal.again, "");
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

}  // namespace
}  // namespace gittxn::store
