#include "gates/units/unit_evidence.h"

#include <algorithm>
#include <utility>

#include "base/bug.h"
#include "base/if_there.h"
#include "gates/evidence/carry.h"

namespace gittxn::gates {
namespace {

// The outputs that a part saw over its tree: a build saw none of its own.
Digest outputs_seen_by(const UnitSaid& said) {
  return said.part == UnitSaid::Part::kPrepared ? Digest() : said.outputs;
}

}  // namespace

Result<UnitTrees> UnitTrees::open(const GateContext& context) {
  const repo::Repository& repository = *context.repository;
  return UnitTrees(
      context, TRY(repo::Objects::open_in_memory(repository.place().common_dir, repository.git())));
}

Result<Oid> UnitTrees::with(const Oid& tree, const Outputs& outputs) {
  if (outputs.files.empty()) return tree;
  const Oid files = TRY(with_outputs(objects_, tree, outputs));
  known_[{tree, outputs.digest}] = files;
  return files;
}

Result<std::optional<Oid>> UnitTrees::known(const Oid& tree, const Digest& outputs) {
  const std::pair key{tree, outputs};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (outputs.empty()) {
    return known_[key] = TRY(objects_.contains(tree)) ? std::optional(tree) : std::nullopt;
  }
  const auto text = context_->store->artifact(outputs);
  const auto inventory = text ? outputs_from_lines(*text) : Result<Outputs>(Outputs());
  if (!text || !inventory || !TRY(objects_.contains(tree))) return known_[key] = std::nullopt;
  const auto files = with_outputs(objects_, tree, *inventory);
  return known_[key] = files ? std::optional(*files) : std::nullopt;
}

Result<std::vector<UnitEvidence::Known>*> UnitEvidence::known() {
  if (known_) return &*known_;
  std::vector<Known> all;
  TRY(evidence_.each(gate_, [&all](const Certificate& one, Evidence::Of of) -> Result<bool> {
    if (!one.units.empty()) all.push_back({one, of == Evidence::Of::kLanded, {}});
    return false;
  }));
  known_ = std::move(all);
  return &*known_;
}

// A table that is damaged or gone has no parts, so that they run again.
const UnitSaid* UnitEvidence::part_of(Known& one, UnitSaid::Part part, const std::string& unit) {
  if (!one.parts) {
    one.parts.emplace();
    const auto text = context_.store->artifact(one.certificate.units);
    auto table = text ? units_from_lines(*text) : Result<UnitTable>(UnitTable());
    if (table) {
      for (UnitSaid& said : *table) {
        std::pair key{said.part, said.unit};
        one.parts->try_emplace(std::move(key), std::move(said));
      }
    }
  }
  const auto found = one.parts->find({part, unit});
  return found == one.parts->end() ? nullptr : &found->second;
}

Result<std::optional<std::string>> UnitEvidence::looks_differ(const UnitSaid& said,
                                                              const Where& where) {
  const auto files = TRY(trees_.known(said.tree, outputs_seen_by(said)));
  if (!files) return "the files that it ran on are no longer there";
  if (*files == where.files) return std::nullopt;
  const std::tuple key{said.looks, *files, where.files};
  if (const auto judged = looks_.find(key); judged != looks_.end()) return judged->second;
  const auto text = context_.store->artifact(said.looks);
  const auto looks = text ? looks_from_lines(*text) : Result<Looks>(Looks());
  if (!text || !looks) return looks_[key] = "what it looked at is no longer there";
  auto difference = differences_.find({*files, where.files});
  if (difference == differences_.end()) {
    Changes diff = TRY(trees_.objects().diff(*files, where.files));
    difference = differences_.emplace(std::pair(*files, where.files), std::move(diff)).first;
  }
  const auto changed = first_changed(*looks, difference->second);
  return looks_[key] = changed ? std::optional(in_words(*changed)) : std::nullopt;
}

// Says why it does not count there; nullopt: it does.
Result<std::optional<std::string>> UnitEvidence::misses(const UnitSaid& said, const Where& where) {
  if (said.survey.empty()) return said.limited;
  const bool same = said.tree == where.tree && outputs_seen_by(said) == where.outputs;
  if (!same && said.looks.empty()) return said.limited;
  if (!same && !INJECTED_BUG("gates.any_unit")) {
    if (auto differ = TRY(looks_differ(said, where))) return differ;
  }
  return evidence_.environment_differs(gate_, said.survey);
}

Result<std::optional<UnitSaid>> UnitEvidence::find(UnitSaid::Part part, const std::string& unit,
                                                   const Where& where, std::string* missed) {
  missed->clear();
  const auto miss = [missed](std::string why) {
    if (missed->empty()) *missed = std::move(why);
  };
  for (Known& one : *TRY(known())) {
    const UnitSaid* found = part_of(one, part, unit);
    if (found == nullptr) continue;
    if (!found->passed) {
      miss("it did not pass there");
      if (one.landed) return std::nullopt;
    } else if (auto why = TRY(misses(*found, where))) {
      miss(*std::move(why));
    } else {
      UnitSaid said = *found;
      said.ran = false;
      said.missed.clear();
      return said;
    }
  }
  return std::nullopt;
}

Result<std::optional<UnitEvidence::Before>> UnitEvidence::before(const std::string& unit) {
  for (Known& one : *TRY(known())) {
    const UnitSaid* found = part_of(one, UnitSaid::Part::kUnit, unit);
    if (found != nullptr) return Before{!found->passed, found->duration_ms};
  }
  return std::nullopt;
}

bool UnitEvidence::has_read(const Digest& table) const {
  return known_ && std::ranges::any_of(*known_, [&table](const Known& one) {
           return one.parts && !one.parts->empty() && one.certificate.units == table;
         });
}

Result<const Certificate*> UnitEvidence::nearest() {
  const std::vector<Known>& all = *TRY(known());
  return all.empty() ? nullptr : &all.front().certificate;
}

}  // namespace gittxn::gates
