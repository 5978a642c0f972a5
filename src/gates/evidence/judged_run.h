// Judges the records of a run: its looks at the tree (carry.h), the survey of what is
// outside (survey.h), or the reason why it counts for less than that. For a gate, and for each unit
// of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gates/evidence/carry.h"
#include "gates/evidence/survey.h"
#include "gates/gate.h"

namespace gittxn::gates {

struct RunOf {
  std::vector<std::string> records;  // in the order in which the commands ran
  std::string may_connect;           // that of them whose connections count for nothing
  std::string tree;                  // where it ran, a real path
  std::string git_dir;               // its own
  Oid snapshot;                      // the commit that it ran on, or a tree
  Oid tree_of_snapshot;
  std::int64_t start_wall_ms = 0;  // before anything of it ran
  RunView view = {};
  const repo::Objects* objects = nullptr;  // that have the snapshot; null: the repository's
};

struct JudgedRun {
  Digest inputs;               // of all reads; empty: unknown
  std::string survey;          // empty: it counts for its run alone
  std::optional<Looks> looks;  // none: it counts for its tree and parent alone
  std::string limited;         // why
};

// `env`: what its commands were given.
Result<JudgedRun> judged_run(const GateContext& context, const Policy& policy, const GateSpec& gate,
                             const Candidate& candidate, const Environment& env, const RunOf& run);

}  // namespace gittxn::gates
