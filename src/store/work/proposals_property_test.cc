// Random proposals against what somebody would keep of them on paper.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/random.h"
#include "base/testing/campaign.h"
#include "store/testing/check.h"
#include "store/testing/proposals.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using State = Proposal::State;

// As somebody would keep them on paper. Texts of one number say the same.
struct KnownProposal {
  std::size_t topic = 0;
  int score = 0;
  State state = State::kOpen;
  int repeats = 0;
};

class ProposalPlay {
 public:
  explicit ProposalPlay(std::uint64_t seed) : random_(seed), store_(place_.open()) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      step();
      compare();
      const auto report = store_.verify_replay();
      ASSERT_OK(report);
      ASSERT_TRUE(report->problems.empty()) << report->problems.front();
    }
  }

 private:
  void step() {
    if (random_.below(8) == 0) {
      rules_.log = static_cast<int>(random_.below(5)) * 100;
      rules_.person = rules_.log + static_cast<int>(random_.below(4)) * 100;
      rules_.start = rules_.person + static_cast<int>(random_.below(4)) * 100;
    }
    switch (random_.below(6)) {
      case 0:
      case 1:
      case 2:
        return ask();
      case 3:
      case 4:
        return move();
      default:
        return no();
    }
  }

  void ask() {
    const std::size_t topic = random_.below(std::size(kTexts));
    const int score = static_cast<int>(random_.below(11)) * 100;
    std::string text = kTexts[topic];
    text.append(random_.below(4), '.');
    ProposalRequest request = new_proposal(text, score);
    request.actor = fmt::format("bot {}", ++asked_);  // each repeat is another one
    const auto answer = propose(store_, request, rules_now(rules_));
    ASSERT_OK(answer);
    const bool discarded = score < rules_.log;
    const auto same = std::ranges::find_if(known_, [&](const auto& entry) {
      return entry.second.topic == topic && (discarded || entry.second.state != State::kDiscarded);
    });
    ASSERT_EQ(answer->repeat.has_value(), same != known_.end());
    if (answer->repeat) {
      EXPECT_EQ(answer->repeat->id, fmt::format("p-{}", same->first)) << "the oldest";
      ++same->second.repeats;
      return;
    }
    known_[store_.head().value()] = {topic, score, discarded ? State::kDiscarded : State::kOpen};
  }

  std::optional<Seq> any() {
    if (known_.empty()) return std::nullopt;
    auto at = known_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(known_.size())));
    return at->first;
  }

  void move() {
    const auto number = any();
    if (!number) return;
    KnownProposal& one = known_.at(*number);
    const Yes yes = static_cast<Yes>(random_.below(3));
    PromoteRequest request = asking(fmt::format("p-{}", *number), yes);
    if (random_.below(4) == 0) request.txn = TxnId("t-1");
    const auto answer = promote(store_, request, rules_now(rules_));
    const bool inside = yes != Yes::kItself && !request.txn.empty();
    const bool over = yes == Yes::kOverride;
    const bool gone = one.state == State::kPromoted || (one.state == State::kDismissed && !over);
    if (inside || gone) {
      EXPECT_CODE(answer, inside ? Code::kRefused : Code::kStale);
      return;
    }
    ASSERT_OK(answer);
    const bool enough = one.score >= (yes == Yes::kPerson ? rules_.person : rules_.start);
    const bool may = over || (one.state == State::kOpen && enough);
    EXPECT_EQ(answer->promoted, may);
    if (may) one.state = State::kPromoted;
  }

  void no() {
    const auto number = any();
    if (!number) return;
    KnownProposal& one = known_.at(*number);
    const auto answer = dismiss(store_, {fmt::format("p-{}", *number), "no", "Ada"});
    EXPECT_EQ(answer.has_value(), one.state == State::kOpen);
    if (one.state == State::kOpen) one.state = State::kDismissed;
  }

  void compare() {
    const auto all = proposals(store_);
    ASSERT_OK(all);
    ASSERT_EQ(all->size(), known_.size());
    for (const Proposal& proposal : *all) {
      const auto found = std::ranges::find_if(known_, [&](const auto& entry) {
        return proposal.id == fmt::format("p-{}", entry.first);
      });
      ASSERT_NE(found, known_.end()) << proposal.id;
      EXPECT_EQ(proposal.score, found->second.score);
      EXPECT_EQ(proposal.state, found->second.state) << proposal.id;
      EXPECT_EQ(proposal.repeats, found->second.repeats);
    }
  }

  TempStore place_;
  Random random_;
  Store store_;
  ProposalRules rules_;
  std::map<Seq, KnownProposal> known_;  // by number
  int asked_ = 0;
};

TEST(Proposals, RandomOnesAreAsOnPaper) {
  const std::uint64_t seed = gittxn::testing::told_seed();
  for (std::uint64_t world = 0; world < 4; ++world) {
    ProposalPlay play(seed + world);
    play.run(gittxn::testing::campaign_rounds(60));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace gittxn::store
