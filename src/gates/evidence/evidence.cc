#include "gates/evidence/evidence.h"

#include <fmt/format.h>

#include <ranges>
#include <utility>

#include "base/bug.h"
#include "base/if_there.h"
#include "base/json.h"
#include "gates/checkout.h"
#include "gates/evidence/survey.h"
#include "gates/policy_rules.h"
#include "gates/process.h"
#include "store/gate_marks.h"

namespace gittxn::gates {

Environment environment_of(const GateContext& context, const GateSpec& gate,
                           const Candidate& candidate) {
  Environment env = scrubbed_environment(context.caller, gate.env);
  env["GIT_TXN_GATE"] = gate.name.str();
  if (!candidate.txn.empty()) env["GIT_TXN_ID"] = candidate.txn.str();
  return env;
}

// Null: the history ends before.
Result<const Oid*> Evidence::tree(std::size_t back) {
  if (trees_.empty()) {
    trees_.push_back(candidate_.tree);
    last_ = candidate_.parent;
  }
  while (trees_.size() <= back && !last_.empty()) {
    const auto commit = TRY(if_there(context_.repository->objects().commit(last_)));
    trees_.push_back(commit ? commit->tree : Oid());
    last_ = commit && !commit->parents.empty() ? commit->parents.front() : Oid();
  }
  return back < trees_.size() ? &trees_[back] : nullptr;
}

Result<const std::vector<Certificate>*> Evidence::certificates(const Oid& tree) {
  auto found = certificates_.find(tree);
  if (found == certificates_.end()) {
    found = certificates_.emplace(tree, TRY(context_.store->certificates(tree))).first;
  }
  return &found->second;
}

Result<std::optional<std::string>> Evidence::environment_differs(const GateSpec& gate,
                                                                 const Digest& digest) {
  const std::pair key{gate.name, digest};
  if (const auto known = surveys_.find(key); known != surveys_.end()) return known->second;
  const auto survey = context_.store->artifact(digest);
  if (!survey) return surveys_[key] = "its survey is no longer there";
  const Environment env = environment_of(context_, gate, candidate_);
  const SurveyNow now{env, fixed_path(context_, candidate_.branch, gate.name.str()) + "/tree",
                      candidate_.branch, setup_version(policy_.worktree)};
  return surveys_[key] =
             TRY(memories_[gate.name].first_difference(*context_.repository, *survey, now));
}

Result<std::optional<Miss>> Evidence::looks_differ(const Certificate& known) {
  const std::pair key{known.looks, known.tree};
  if (const auto judged = looks_.find(key); judged != looks_.end()) return judged->second;
  const auto text = context_.store->artifact(known.looks);
  const auto looks = text ? looks_from_lines(*text) : Result<Looks>(Looks());
  if (!text || !looks) {
    return looks_[key] = Miss{known, "what it looked at is no longer there", {}};
  }
  auto difference = differences_.find(known.tree);
  if (difference == differences_.end()) {
    Changes diff = TRY(context_.repository->objects().diff(known.tree, candidate_.tree));
    difference = differences_.emplace(known.tree, std::move(diff)).first;
  }
  const auto changed = first_changed(*looks, difference->second);
  if (!changed) return looks_[key] = std::nullopt;
  return looks_[key] = Miss{known, in_words(*changed), changed};
}

Result<std::optional<Miss>> Evidence::misses(const GateSpec& gate, const Certificate& known) {
  const std::string limited =
      known.limited.empty() ? "its certificate is of an earlier version of git-txn" : known.limited;
  if (known.tool_env.empty()) return Miss{known, limited, {}};
  if (!is_of_candidate(known) && !INJECTED_BUG("gates.any_certificate")) {
    if (known.looks.empty()) return Miss{known, limited, {}};
    if (auto differ = TRY(looks_differ(known))) return differ;
  }
  if (auto why = TRY(environment_differs(gate, known.tool_env))) {
    return Miss{known, *std::move(why), {}};
  }
  return std::nullopt;
}

Certificate Evidence::counted(Certificate known) const {
  if (is_of_candidate(known)) return known;
  if (known.carried_from.empty()) known.carried_from = known.tree;
  known.tree = candidate_.tree;
  known.parent = candidate_.parent;
  known.txn = candidate_.txn;
  known.missed.clear();
  return known;
}

Result<std::string> Evidence::why_not_carried(const GateSpec& gate) {
  if (!gate.carry) return "the policy says carry = false";
  const auto known = not_carried_.find(gate.name);
  if (known != not_carried_.end()) return known->second;
  const auto mark = TRY(store::unsound_gate(*context_.store, gate.name, gate.version));
  std::string why;
  if (mark) {
    why = fmt::format("{} was carried wrongly before: it passed on tree {} and fails on {}",
                      mark->unit.empty() ? "it" : encode_path(mark->unit),
                      mark->passed_on.str().substr(0, 7), mark->failed_on.str().substr(0, 7));
  }
  return not_carried_[gate.name] = std::move(why);
}

Status Evidence::each(const GateSpec& gate, const Look& look) {
  const bool carries = TRY(why_not_carried(gate)).empty();
  const auto concerns = [&](const Certificate& one) {
    const bool of_gate = one.gate == gate.name && one.gate_version == gate.version;
    return of_gate && (carries || is_of_candidate(one));
  };
  const std::size_t trees = carries ? kLandingsBack + 2 : 1;
  for (std::size_t back = 0; back < trees; ++back) {
    const Oid* tree_of = TRY(tree(back));
    if (tree_of == nullptr) break;
    for (const Certificate& known : *TRY(certificates(*tree_of)) | std::views::reverse) {
      if (concerns(known) && TRY(look(known, Of::kLanded))) return {};
    }
  }
  if (!carries) return {};
  if (!newest_) newest_ = TRY(context_.store->newest_certificates(kNewest));
  for (const Certificate& known : *newest_) {
    if (concerns(known) && TRY(look(known, Of::kAnother))) return {};
  }
  return {};
}

Result<std::optional<Certificate>> Evidence::find(const GateSpec& gate,
                                                  std::optional<Miss>* nearest) {
  nearest->reset();
  std::optional<Certificate> found;
  const auto miss = [&](Miss one) {
    if (!*nearest) *nearest = std::move(one);
  };
  TRY(each(gate, [&](const Certificate& known, Of of) -> Result<bool> {
    const bool landed = of == Of::kLanded;
    if (!known.passed) {
      if (landed) miss({known, "it did not pass there", {}});
      return landed;
    }
    auto why_not = TRY(misses(gate, known));
    if (why_not) {
      miss(*std::move(why_not));
    } else {
      found = counted(known);
    }
    return found.has_value();
  }));
  return found;
}

}  // namespace gittxn::gates
