// The judge of what proposals, portfolios, compensations and limits promise, from the logs and the
// journals alone: the tiers, the circles and the runs are worked out here once more.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/json.h"
#include "hammer/judge.h"
#include "hammer/worker.h"
#include "model/policy.h"
#include "store/work/portfolio.h"

namespace gittxn::hammer {
namespace {

class Proposals {
 public:
  explicit Proposals(Wrongs& wrong) : wrong_(wrong) {}
  void see(const Event& event) {
    if (event.type == event_type::kProposalMade) return made(event);
    if (!event.type.starts_with("proposal.")) return;
    const auto found = all_.find(event.subject);
    if (found == all_.end()) return wrong_("event {}: there is no {}", event.seq, event.subject);
    One& one = found->second;
    if (event.type == event_type::kProposalPromoted) {
      if (one.state == State::kPromoted) wrong_("promoted twice: {}", event.subject);
      if (!allowed(one, event))
        wrong_("promoted outside its tier: {}, {}", event.subject, one.score);
      one.state = State::kPromoted;
    } else if (event.type == event_type::kProposalRefused) {
      if (allowed(one, event)) wrong_("refused in its tier: {}, {}", event.subject, one.score);
    } else if (event.type == event_type::kProposalDismissed) {
      if (one.state != State::kOpen) wrong_("dismissed, and not open: {}", event.subject);
      one.state = State::kDismissed;
    } else if (event.type == event_type::kProposalLinked) {
      if (one.state != State::kPromoted) wrong_("linked, and not promoted: {}", event.subject);
    }
  }

 private:
  enum class State { kOpen, kPromoted, kDismissed, kDiscarded };
  struct One {
    std::int64_t score = 0;
    State state = State::kOpen;
  };

  // What was discarded keeps nothing off that is not to be discarded.
  void made(const Event& event) {
    const Json payload = payload_of(event);
    One fresh;
    fresh.score = number_of(payload, "score");
    const bool discarded = fresh.score < rules_.log;
    if (discarded) fresh.state = State::kDiscarded;
    std::vector<std::string>& same = by_text_[text_of(payload, "text")];
    for (const std::string& id : same) {
      if (!discarded && all_[id].state == State::kDiscarded) continue;
      wrong_("a repeat is a second proposal: {} says what {} said", event.subject, id);
    }
    same.push_back(event.subject);
    all_[event.subject] = fresh;
  }

  bool allowed(const One& one, const Event& event) const {
    const Json payload = payload_of(event);
    const std::string yes = text_of(payload, "yes");
    if (yes == "override") return !text_of(payload, "reason").empty();
    if (one.state != State::kOpen) return false;
    return one.score >= (yes == "person" ? rules_.person : rules_.start);
  }

  Wrongs& wrong_;
  ProposalRules rules_;
  std::map<std::string, One> all_;
  std::map<std::string, std::vector<std::string>> by_text_;
};

class Members {
 public:
  explicit Members(Wrongs& wrong) : wrong_(wrong) {}
  void see(const Event& event) {
    if (event.type == event_type::kMemberRemoved) {
      if (all_.erase(event.subject) == 0) wrong_("removed twice: member {}", event.subject);
    } else if (event.type == event_type::kMemberSet) {
      const Json payload = payload_of(event);
      One one;
      one.log = text_of(payload, "log");
      for (const Json& need : payload["needs"]) one.needs.push_back(need.text());
      all_[event.subject] = std::move(one);
    } else {
      return;
    }
    // What needs nobody goes first, then what needs those; in a circle, or where somebody is
    // missing, some are left.
    std::set<std::string> gone;
    for (std::size_t round = 0; round < all_.size(); ++round) {
      for (const auto& [name, one] : all_) {
        const auto is_gone = [&](const std::string& need) { return gone.contains(need); };
        if (std::ranges::all_of(one.needs, is_gone)) gone.insert(name);
      }
    }
    std::set<std::string> logs;
    for (const auto& [name, one] : all_) logs.insert(one.log);
    if (gone.size() < all_.size()) wrong_("members in a circle after event {}", event.seq);
    if (logs.size() < all_.size()) wrong_("one log is two members after event {}", event.seq);
  }

 private:
  struct One {
    std::string log;
    std::vector<std::string> needs;
  };
  Wrongs& wrong_;
  std::map<std::string, One> all_;
};

class Compensations {
 public:
  explicit Compensations(Wrongs& wrong) : wrong_(wrong) {}
  void see(const Event& event) {
    const bool unlanded = event.type == event_type::kAborted || event.type == event_type::kNothing;
    if (unlanded) unlanded_.insert(event.subject);
    if (event.type == event_type::kReopened) unlanded_.erase(event.subject);
    if (!event.type.starts_with("compensation.")) return;
    const Json payload = payload_of(event);
    const std::int64_t number = number_of(payload, "number");
    std::vector<One>& all = all_[event.subject];
    const auto count = static_cast<std::int64_t>(all.size());
    const std::string what = fmt::format("compensation {} of {}", number, event.subject);
    if (event.type == event_type::kCompensationRegistered) {
      if (number != count + 1) wrong_("{} is number {} of them", what, count + 1);
      all.emplace_back();
      return;
    }
    if (number < 1 || number > count) return wrong_("{} was never registered", what);
    One& one = all[static_cast<std::size_t>(number) - 1];
    const std::int64_t run = number_of(payload, "run");
    if (one.ended) wrong_("{} goes on after its end, with event {}", what, event.seq);
    if (event.type == event_type::kCompensationStarted) {
      if (!unlanded_.contains(event.subject)) wrong_("{} is run, and may still land", what);
      if (run != ++one.runs) wrong_("{}: run {} is the {}. that began", what, run, one.runs);
      for (auto later = all.begin() + number; later != all.end(); ++later) {
        if (!later->ended) wrong_("{} is run before one that was registered later", what);
      }
    } else {
      if (run != one.runs) wrong_("{}: run {} ended, of {}", what, run, one.runs);
      one.ended = true;
    }
  }
  // A run that somebody saw through is the last one.
  void claimed(const std::string& run) {
    if (!claims_.insert(run).second) wrong_("two began the run {}", run);
    const std::size_t dot = run.rfind('.');
    if (!finished_.insert(run.substr(0, dot)).second) wrong_("begun twice: {}", run);
  }

 private:
  struct One {
    std::int64_t runs = 0;
    bool ended = false;
  };
  Wrongs& wrong_;
  std::set<std::string> unlanded_;  // that have ended so
  std::map<std::string, std::vector<One>> all_;
  std::set<std::string> claims_;
  std::set<std::string> finished_;
};

// The member has each event that is told, once, in order, as it is in the log.
void relayed(const Told& told, Wrongs& wrong) {
  const auto types = store::relayed_types();
  std::vector<const Event*> to_tell;
  for (const Event& event : told.log) {
    if (std::ranges::find(types, event.type) != types.end()) to_tell.push_back(&event);
  }
  std::size_t next = 0;
  for (const Event& event : told.member) {
    if (event.type != event_type::kRelayed) continue;
    const Json payload = payload_of(event);
    const std::int64_t seq = number_of(payload, "seq");
    if (next == to_tell.size()) return wrong("the member was told of {} too much", seq);
    const Event& there = *to_tell[next++];
    if (seq != there.seq) {
      return wrong("the member was told of event {} where {} comes next", seq, there.seq);
    }
    const bool same = text_of(payload, "type") == there.type &&
                      text_of(payload, "hash") == there.hash.str() &&
                      canonical_json(payload["data"]) == there.payload;
    if (!same) wrong("the member was told something else of event {}", seq);
  }
  if (next < to_tell.size()) wrong("the member was not told of event {}", to_tell[next]->seq);
  std::int64_t claimed = 0;
  for (const Operation& op : told.operations) {
    if (op.verb == "relay" && op.ended == Ended::kMade) claimed += number_of(op.facts, "told");
  }
  if (claimed > static_cast<std::int64_t>(next)) {
    wrong("{} events were told by somebody, and the member has {}", claimed, next);
  }
}

}  // namespace

void judge_others(const Told& told, Wrongs& wrong) {
  Proposals proposals(wrong);
  Members members(wrong);
  Compensations compensations(wrong);
  std::set<std::string> crowd;  // those of it that are alive
  std::set<std::string> created;
  for (const Event& event : told.log) {
    proposals.see(event);
    members.see(event);
    compensations.see(event);
    if (event.type == event_type::kAborted) crowd.erase(event.subject);
    if (event.type == event_type::kTxnBegun && text_of(payload_of(event), "owner") == kCrowdOwner) {
      crowd.insert(event.subject);
      if (crowd.size() > kCrowd) wrong("{} are alive at event {}", crowd.size(), event.seq);
    }
    if (event.type == event_type::kWorkflowCreated && !created.insert(event.subject).second) {
      wrong("created twice: {}", event.subject);
    }
  }
  std::set<std::string> promoted;
  std::set<std::string> handled;
  for (const Operation& op : told.operations) {
    if (op.ended != Ended::kMade) continue;
    const std::string id = text_of(op.facts, "promoted");
    if (!id.empty() && !promoted.insert(id).second) wrong("two promoted {}", id);
    const std::string attempt = text_of(op.facts, "attempt");
    if (!attempt.empty() && !handled.insert(attempt).second) {
      wrong("a handler's attempt {} was begun twice", attempt);
    }
    if (const std::string run = text_of(op.facts, "run"); !run.empty()) compensations.claimed(run);
  }
  relayed(told, wrong);
}

}  // namespace gittxn::hammer
