#include "gates/evidence.h"

#include <ranges>
#include <utility>

#include "base/bug.h"
#include "base/if_there.h"
#include "gates/checkout.h"
#include "gates/policy_rules.h"
#include "gates/process.h"
#include "gates/survey.h"

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

Result<bool> Evidence::environment_holds(const GateSpec& gate, const Digest& digest) {
  const std::pair key{gate.name, digest};
  if (const auto known = surveys_.find(key); known != surveys_.end()) return known->second;
  bool holds = false;
  // Collected or damaged: it proves nothing any more.
  if (const auto survey = context_.store->artifact(digest)) {
    const Environment env = environment_of(context_, gate, candidate_);
    const SurveyNow now{env, fixed_path(context_, candidate_.branch, gate.name.str()) + "/tree",
                        candidate_.branch, setup_version(policy_.worktree)};
    holds = TRY(still_holds(*context_.repository, *survey, now));
  }
  return surveys_[key] = holds;
}

Result<bool> Evidence::looks_hold(const Certificate& known) {
  if (known.looks.empty()) return false;
  const std::pair key{known.looks, known.tree};
  if (const auto judged = looks_.find(key); judged != looks_.end()) return judged->second;
  const auto text = context_.store->artifact(known.looks);
  const auto looks = text ? looks_from_lines(*text) : Result<Looks>(Looks());
  if (!text || !looks) return looks_[key] = false;  // collected, damaged or of another version
  auto difference = differences_.find(known.tree);
  if (difference == differences_.end()) {
    Changes diff = TRY(context_.repository->objects().diff(known.tree, candidate_.tree));
    difference = differences_.emplace(known.tree, std::move(diff)).first;
  }
  return looks_[key] = !first_changed(*looks, difference->second);
}

Result<bool> Evidence::counts(const GateSpec& gate, const Certificate& known) {
  if (known.tool_env.empty()) return false;
  const bool same = known.tree == candidate_.tree && known.parent == candidate_.parent;
  const bool alike = same || INJECTED_BUG("gates.any_certificate") || TRY(looks_hold(known));
  return alike && TRY(environment_holds(gate, known.tool_env));
}

Result<std::optional<Certificate>> Evidence::counted(const GateSpec& gate,
                                                     const Certificate& known) {
  const bool same = known.tree == candidate_.tree && known.parent == candidate_.parent;
  if (!(same || gate.carry) || !TRY(counts(gate, known))) return std::nullopt;
  Certificate now = known;
  if (same) return now;
  if (now.carried_from.empty()) now.carried_from = known.tree;
  now.tree = candidate_.tree;
  now.parent = candidate_.parent;
  now.txn = candidate_.txn;
  return now;
}

Result<std::optional<Certificate>> Evidence::find(const GateSpec& gate) {
  const auto is_of_gate = [&gate](const Certificate& one) {
    return one.gate == gate.name && one.gate_version == gate.version;
  };
  const std::size_t trees = gate.carry ? kLandingsBack + 2 : 1;
  for (std::size_t back = 0; back < trees; ++back) {
    const Oid* tree_of = TRY(tree(back));
    if (tree_of == nullptr) break;
    for (const Certificate& known : *TRY(certificates(*tree_of)) | std::views::reverse) {
      if (!is_of_gate(known)) continue;
      if (!known.passed) return std::nullopt;
      if (auto now = TRY(counted(gate, known))) return now;
    }
  }
  if (!gate.carry) return std::nullopt;
  if (!newest_) newest_ = TRY(context_.store->newest_certificates(kNewest));
  for (const Certificate& known : *newest_) {
    if (!is_of_gate(known) || !known.passed) continue;
    if (auto now = TRY(counted(gate, known))) return now;
  }
  return std::nullopt;
}

}  // namespace gittxn::gates
