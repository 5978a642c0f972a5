// Certificates that count for a candidate although the gate did not run on it: one of this very
// tree and parent, or one of another tree whose looks see the same in this one (carry.h). It is
// looked for in the candidate's own tree, then in the branch's head, then in the 16 landings before
// it, because what is near differs least; then among the newest certificates, where those of other
// candidates are, and those of this change on an earlier head.
//
// A later no of the gate on one of these trees is an open question, and the gate is asked again.
// One on another candidate's is not. Called from one thread; while nothing outside changes, it
// answers each look at a survey once.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gates/evidence/carry.h"
#include "gates/evidence/survey.h"
#include "gates/gate.h"

namespace gittxn::gates {

inline constexpr std::size_t kLandingsBack = 16;
inline constexpr std::size_t kNewest = 64;  // certificates of any gate

// The environment that the commands of a gate are given.
Environment environment_of(const GateContext& context, const GateSpec& gate,
                           const Candidate& candidate);

// A certificate that does not count, and why.
struct Miss {
  Certificate known;
  std::string why;                 // "src/a has changed"
  std::optional<Changed> changed;  // the look that sees something else
};

class Evidence {
 public:
  Evidence(const GateContext& context, const Policy& policy, const Candidate& candidate)
      : context_(context), policy_(policy), candidate_(candidate) {}

  // The certificate as it counts for the candidate: as it was stored when it is of this tree and
  // parent, else with these and `carried_from`, and not stored yet. nullopt: the gate has to run,
  // and `nearest` is the first that was looked at, if there was one.
  Result<std::optional<Certificate>> find(const GateSpec& gate, std::optional<Miss>* nearest);
  // Shows the certificates of the gate in the order of the search, until `look` says true.
  enum class Of { kLanded, kAnother };  // the candidate's own tree counts as landed
  using Look = std::function<Result<bool>(const Certificate& known, Of of)>;
  Status each(const GateSpec& gate, const Look& look);
  // Says why nothing of the gate is carried, beside its own run on the very candidate; "": it is.
  Result<std::string> why_not_carried(const GateSpec& gate);
  // The first difference between an environment and the present one, as a sentence; nullopt: none.
  Result<std::optional<std::string>> environment_differs(const GateSpec& gate,
                                                         const Digest& survey);

 private:
  Result<const Oid*> tree(std::size_t back);
  Result<const std::vector<Certificate>*> certificates(const Oid& tree);
  Result<std::optional<Miss>> looks_differ(const Certificate& known);
  Result<std::optional<Miss>> misses(const GateSpec& gate, const Certificate& known);
  bool is_of_candidate(const Certificate& known) const {
    return known.tree == candidate_.tree && known.parent == candidate_.parent;
  }
  Certificate counted(Certificate known) const;

  const GateContext& context_;
  const Policy& policy_;
  const Candidate& candidate_;
  std::vector<Oid> trees_;  // the candidate's own, the head's, that before it, ...
  Oid last_;                // the commit of the last of them; empty: there is none before it
  std::map<Oid, std::vector<Certificate>> certificates_;
  std::optional<std::vector<Certificate>> newest_;
  std::map<GateName, std::string> not_carried_;
  std::map<GateName, SurveyMemory> memories_;
  std::map<Oid, Changes> differences_;  // from that tree to the candidate's
  std::map<std::pair<GateName, Digest>, std::optional<std::string>> surveys_;
  std::map<std::pair<Digest, Oid>, std::optional<Miss>> looks_;
};

}  // namespace gittxn::gates
