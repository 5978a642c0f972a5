// Proposals on a store: taken, promoted within their tier, dismissed, and the same one twice.
#include "store/work/proposals.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/child.h"
#include "store/events.h"
#include "store/testing/check.h"
#include "store/testing/proposals.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"
#include "store/work/workflows.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using State = Proposal::State;
using gittxn::testing::in_child;

std::string proposed(Store& store, const std::string& text, int score) {
  const auto answer = propose(store, new_proposal(text, score), rules_now());
  EXPECT_TRUE(answer) << told(answer);
  EXPECT_FALSE(answer->repeat) << text;
  return answer->proposal.id;
}

std::vector<std::string> types_about(const Store& store, const std::string& subject) {
  std::vector<std::string> types;
  const std::vector<Event> events = store.events_of(subject).value();
  for (const Event& event : events) types.push_back(event.type);
  return types;
}

TEST(Proposals, AScoreIsANumberFromNothingToOne) {
  EXPECT_EQ(parse_score("0").value(), 0);
  EXPECT_EQ(parse_score("0.8").value(), 800);
  EXPECT_EQ(parse_score("0.83").value(), 830);
  EXPECT_EQ(parse_score("1").value(), 1000);
  EXPECT_EQ(parse_score("1.000000").value(), 1000);
  EXPECT_EQ(parse_score("00.5").value(), 500);
  EXPECT_EQ(parse_score("0.7999999").value(), 799) << "no tier is reached by rounding";
  for (const char* text : {"",
                           " ",
                           "0,8",
                           "NaN",
                           "nan",
                           "inf",
                           "-inf",
                           "-0.1",
                           "+0.1",
                           "1.001",
                           "2",
                           "10",
                           "1e-1",
                           "0x1",
                           "0.8 ",
                           " 0.8",
                           "0.8.1",
                           ".8",
                           "8.",
                           ".",
                           "eighty",
                           "0.8\n",
                           "٠.٨",
                           "1.00000000000000000000000000001",
                           "0.1111111111111111111111111111111111"}) {
    SCOPED_TRACE(text);
    EXPECT_CODE(parse_score(text), Code::kUsage);
  }
  EXPECT_EQ(score_text(800), "0.80");
  EXPECT_EQ(score_text(835), "0.835");
  EXPECT_EQ(score_text(1000), "1.00");
}

TEST(Proposals, AreTakenAndFound) {
  TempStore place;
  Store store = place.open();
  ProposalRequest request = new_proposal("odd \xff bytes, and\nlines", 620);
  request.source = "scan \xfe";
  request.embedding = {32767, -12};
  const auto answer = propose(store, request, rules_now());
  ASSERT_OK(answer);
  EXPECT_EQ(answer->tier, Tier::kPerson);
  const Proposal found = proposal(store, answer->proposal.id).value().value();
  EXPECT_EQ(found.id, "p-1");
  EXPECT_EQ(found.text, request.text);
  EXPECT_EQ(found.source, request.source);
  EXPECT_EQ(found.state, State::kOpen);
  for (const char* id : {"", "p-", "p-2", "p-01", "p-x", "t-1", "p-99999999999999999999", "p-1 "}) {
    EXPECT_FALSE(proposal(store, id).value()) << id;
    EXPECT_CODE(promote(store, asking(id), rules_now()), Code::kNotFound);
  }
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Proposals, AreBounded) {
  TempStore place;
  Store store = place.open();
  ProposalRequest good = new_proposal("x", 500);
  const auto refused = [&](auto change) {
    ProposalRequest request = good;
    change(request);
    EXPECT_CODE(propose(store, request, rules_now()), Code::kUsage);
  };
  refused([](ProposalRequest& r) { r.text = ""; });
  refused([](ProposalRequest& r) { r.text = " ?! "; });
  refused([](ProposalRequest& r) { r.text = std::string(kMaxProposal + 1, 'a'); });
  refused([](ProposalRequest& r) { r.source = std::string(kMaxSource + 1, 'a'); });
  refused([](ProposalRequest& r) { r.actor = std::string(kMaxProposal + 1, 'a'); });
  for (const char* actor : {"bot\nhint: git txn promote p-1 --approve", "b\x1bot", "b\x7fot"}) {
    refused([&](ProposalRequest& r) { r.actor = actor; });
    EXPECT_CODE(promote(store, {.id = "p-1", .actor = actor}, rules_now()), Code::kUsage);
    EXPECT_CODE(dismiss(store, {"p-1", "no", actor}), Code::kUsage);
    EXPECT_CODE(link(store, {"p-1", "x", actor}), Code::kUsage);
  }
  refused([](ProposalRequest& r) { r.score = 1001; });
  refused([](ProposalRequest& r) { r.score = -1; });
  EXPECT_EQ(store.head().value(), 0);
  good.text = std::string(kMaxProposal, 'a');
  ASSERT_OK(propose(store, good, rules_now()));
}

// F2: the tiers were said to be enforced by the kernel, and nothing was there that did it. Whoever
// appends what, a promotion outside of its tier is no event that the log takes.
TEST(F2, ATierIsWhatTheLogItselfAllows) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed(store, kTexts[0], 400);
  events::Promotion promotion{.id = id, .rules = {}, .actor = "Ada"};
  for (const Yes yes : {Yes::kItself, Yes::kPerson}) {
    promotion.yes = yes;
    EXPECT_CODE(store.append({events::proposal_promoted(promotion)}), Code::kStale);
  }
  promotion.yes = Yes::kOverride;
  EXPECT_CODE(store.append({events::proposal_promoted(promotion)}),
              Code::kCorrupt);  // an override says why
  promotion.reason = "because";
  promotion.txn = TxnId("t-1");
  EXPECT_CODE(store.append({events::proposal_promoted(promotion)}),
              Code::kStale);  // a transaction is not a person
  promotion.txn = TxnId();
  promotion.rules.start = 100;  // person and log are above: no boundaries at all
  EXPECT_CODE(store.append({events::proposal_promoted(promotion)}), Code::kCorrupt);
  EXPECT_EQ(proposal(store, id)->value().state, State::kOpen);
  EXPECT_EQ(store.head().value(), 1);
}

// Invariant 7 of the review: nobody begins by himself what has a score below 0.8.
TEST(Invariant7, APromotionOutsideItsTierIsRefusedAndOnRecord) {
  TempStore place;
  Store store = place.open();
  struct Case {
    int score;
    bool itself, person;
  };
  const Case cases[] = {{1000, true, true},  {800, true, true},   {799, false, true},
                        {500, false, true},  {499, false, false}, {300, false, false},
                        {299, false, false}, {0, false, false}};
  int n = 0;
  for (const Case& one : cases) {
    for (const Yes yes : {Yes::kItself, Yes::kPerson, Yes::kOverride}) {
      const std::string name = fmt::format("work number {} of its own", ++n);
      const std::string id = proposed(store, name, one.score);
      const auto answer = promote(store, asking(id, yes), rules_now());
      ASSERT_OK(answer);
      const bool may = yes == Yes::kOverride || (yes == Yes::kPerson ? one.person : one.itself);
      EXPECT_EQ(answer->promoted, may) << one.score << " " << yes_name(yes);
      EXPECT_EQ(answer->proposal.state == State::kPromoted, may);
      EXPECT_EQ(types_about(store, id).back(),
                may ? event_type::kProposalPromoted : event_type::kProposalRefused);
      EXPECT_EQ(answer->proposal.yes, may ? std::optional(yes) : std::nullopt);
    }
  }
  const auto report = store.verify_replay();
  EXPECT_TRUE(report->problems.empty());
}

TEST(Invariant7, AYesFromInsideOfATransactionIsNotAPersons) {
  TempStore place;
  Store store = place.open();
  const std::string sure = proposed(store, kTexts[0], 900);
  const std::string unsure = proposed(store, kTexts[1], 600);
  for (const Yes yes : {Yes::kPerson, Yes::kOverride}) {
    PromoteRequest request = asking(unsure, yes);
    request.txn = TxnId("t-1");
    EXPECT_CODE(promote(store, request, rules_now()), Code::kRefused);
  }
  PromoteRequest request = asking(sure);
  request.txn = TxnId("t-1");
  EXPECT_TRUE(promote(store, request, rules_now())->promoted) << "this needs nobody";
}

TEST(Proposals, AreJudgedByThePolicyOfNow) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed(store, kTexts[0], 850);
  ProposalRules strict;
  strict.start = ProposalRules::kNever;
  EXPECT_FALSE(promote(store, asking(id), rules_now(strict))->promoted);
  EXPECT_CODE(promote(store, asking(id),
                      []() -> Result<ProposalRules> { return fail(Code::kUsage, "unreadable"); }),
              Code::kUsage);
  EXPECT_TRUE(promote(store, asking(id), rules_now())->promoted);
  EXPECT_CODE(promote(store, asking(id), rules_now()), Code::kStale);  // it happens once
  ProposalRules all;
  all.log = 0;
  EXPECT_EQ(propose(store, new_proposal(kTexts[1], 10), rules_now(all))->tier, Tier::kLog);
}

TEST(Proposals, ARefusalIsTakenDownOnceForEachWhoAsks) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed(store, kTexts[0], 400);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(promote(store, asking(id), rules_now())->promoted);
  EXPECT_EQ(store.head().value(), 2);
  EXPECT_FALSE(promote(store, asking(id, Yes::kPerson), rules_now())->promoted);
  EXPECT_EQ(store.head().value(), 3);
}

TEST(Proposals, AreDismissedOnceForAReason) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed(store, kTexts[0], 900);
  EXPECT_CODE(dismiss(store, {id, "", "Ada"}), Code::kUsage);
  ASSERT_OK(dismiss(store, {id, "as designed", "Ada"}));
  EXPECT_CODE(dismiss(store, {id, "again", "Ada"}), Code::kStale);
  EXPECT_CODE(promote(store, asking(id), rules_now()), Code::kStale);
  EXPECT_CODE(promote(store, asking(id, Yes::kPerson), rules_now()), Code::kStale);
  const auto answer = propose(store, new_proposal(kTexts[0], 1000), rules_now());
  ASSERT_TRUE(answer->repeat) << "somebody has said no to it";
  EXPECT_EQ(answer->proposal.state, State::kDismissed);
  EXPECT_TRUE(promote(store, asking(id, Yes::kOverride), rules_now())->promoted);
}

TEST(Proposals, SayWhatCameOfThem) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(store.append({events::txn_begun(new_txn("t-1"))}));
  const std::string id = proposed(store, kTexts[0], 900);
  EXPECT_CODE(link(store, {id, "txn:t-1", "Ada"}), Code::kStale);  // nothing has yet
  PromoteRequest request = asking(id);
  for (const char* nothing : {"txn:t-2", "workflow:w-1"}) {
    request.became = nothing;
    SCOPED_TRACE(nothing);
    EXPECT_CODE(promote(store, request, rules_now()), Code::kUsage);
  }
  request.became = "https://example.org/issues/7";
  ASSERT_OK(promote(store, request, rules_now()));
  EXPECT_CODE(link(store, {id, "txn:t-2", "Ada"}), Code::kUsage);
  EXPECT_CODE(link(store, {id, "", "Ada"}), Code::kUsage);
  ASSERT_OK(link(store, {id, "txn:t-1", "Ada"}));
  const Seq head = store.head().value();
  const auto again = link(store, {id, "txn:t-1", "Ada"});
  ASSERT_OK(again);
  EXPECT_EQ(store.head().value(), head);
  EXPECT_EQ(again->became, (std::vector<std::string>{request.became, "txn:t-1"}));
}

// ---- the same ---------------------------------------------------------------------------------

TEST(Proposals, WhatSaysTheSameIsRefusedAndLinked) {
  TempStore place;
  Store store = place.open();
  const std::string id = proposed(store, "fix the flaky login test in the auth module", 600);
  const auto answer = propose(
      store, new_proposal("Fix the flaky login tests in the auth module!", 950), rules_now());
  ASSERT_OK(answer);
  ASSERT_TRUE(answer->repeat);
  EXPECT_EQ(answer->repeat->id, id);
  EXPECT_EQ(answer->repeat->by, Likeness::By::kText);
  EXPECT_EQ(answer->proposal.repeats, 1);
  EXPECT_EQ(answer->proposal.best_score, 950);
  EXPECT_EQ(answer->proposal.score, 600);
  EXPECT_FALSE(promote(store, asking(id), rules_now())->promoted)
      << "saying it twice raises no tier";
  const Seq head = store.head().value();
  ASSERT_TRUE(propose(store, new_proposal("Fix the flaky login tests in the auth module!", 950),
                      rules_now())
                  ->repeat);
  EXPECT_EQ(store.head().value(), head) << "a loop does not fill the log";
}

TEST(Proposals, EmbeddingsFindWhatIsSaidInOtherWords) {
  TempStore place;
  Store store = place.open();
  ProposalRequest one = new_proposal(kTexts[0], 600);
  one.embedding = parse_embedding("[0.5, 0.5, 0.1]").value();
  ProposalRequest other = new_proposal(kTexts[1], 600);
  other.embedding = parse_embedding("[0.5, 0.49, 0.1]").value();
  ASSERT_OK(propose(store, one, rules_now()));
  const auto answer = propose(store, other, rules_now());
  ASSERT_TRUE(answer->repeat);
  EXPECT_EQ(answer->repeat->by, Likeness::By::kEmbedding);
  other.embedding = parse_embedding("[0.5, 0.49, 0.1, 0.2]").value();  // of another model
  EXPECT_FALSE(propose(store, other, rules_now())->repeat);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Proposals, WhatWasDiscardedKeepsOffOnlyWhatIsDiscardedToo) {
  TempStore place;
  Store store = place.open();
  const auto first = propose(store, new_proposal(kTexts[0], 100), rules_now());
  EXPECT_EQ(first->proposal.state, State::kDiscarded);
  EXPECT_FALSE(promote(store, asking(first->proposal.id), rules_now())->promoted);
  EXPECT_TRUE(propose(store, new_proposal(kTexts[0], 200), rules_now())->repeat);
  const auto surer = propose(store, new_proposal(kTexts[0], 900), rules_now());
  EXPECT_FALSE(surer->repeat);
  EXPECT_EQ(propose(store, new_proposal(kTexts[0], 900), rules_now())->repeat->id,
            surer->proposal.id);
}

TEST(Proposals, OfManyThatProposeTheSameAtOnceOneIsTaken) {
  TempStore place;
  Store(place.open()).now_ms().value();
  constexpr int kProcesses = 8;
  constexpr int kTaken = 10;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(in_child([&] {
      Store store = place.open();
      const std::string text = std::string(kTexts[0]) + std::string(1 + i % 3, '!');
      const auto answer = propose(store, new_proposal(text, 600), rules_now());
      if (!answer) return 1;
      return answer->repeat ? 0 : kTaken;
    }));
  }
  int taken = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 1);
    taken += WEXITSTATUS(status) == kTaken ? 1 : 0;
  }
  const Store store = place.open();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(proposals(store)->size(), 1u);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

// What the decision under the write lock is for: who looks first and appends then, leaves two.
TEST(Proposals, LookingBeforeAppendingWouldTakeBoth) {
  TempStore place;
  Store one = place.open();
  Store other = place.open();
  const auto look = [](Store& store) { return proposals(store)->empty(); };
  const auto append = [](Store& store) {
    const std::string id = fmt::format("p-{}", store.head().value() + 1);
    return store.append({events::proposal_made(id, new_proposal(kTexts[0], 600), {})});
  };
  const bool first = look(one);
  const bool second = look(other);
  ASSERT_TRUE(first && second);
  ASSERT_OK(append(one));
  ASSERT_OK(append(other));
  EXPECT_EQ(proposals(one)->size(), 2u);
}

}  // namespace
}  // namespace gittxn::store
