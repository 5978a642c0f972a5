// The last build of a gate, which the next one goes on from where policy says `incremental`: what
// it left (outputs.h) is put into the checkout of the next candidate, whose files have times by
// which a build tool sees what has changed: those that are as they were then are old, the others
// new.
//
// A build that goes on depends on all that the builds before it looked at, back to one that went on
// from nothing. So its looks and its survey are those of the whole chain, and what it left counts
// for no more trees than that of the chain would.
//
// If we die: outputs without a record, and the next build goes on from nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gates/evidence/carry.h"
#include "gates/units/unit_evidence.h"

namespace gittxn::gates {

inline constexpr int kGoesOnFor = 19;  // builds; the next one goes on from nothing

struct LastBuild {
  Digest version;  // of the gate
  Oid tree;        // of the candidate
  Digest outputs;
  Digest looks, survey;  // artifacts
  int since_nothing = 0;
};
// The record is in the directory of the outputs. nullopt: there is none, or it is damaged.
Result<std::optional<LastBuild>> last_build(const std::string& dir);
Status remember_build(const std::string& dir, const LastBuild& build);

// The last build as the one of a candidate goes on from it.
struct GoesOn {
  LastBuild last;
  Outputs outputs;     // those of them that go with the candidate
  Changes changed;     // from the tree of that build to the candidate's
  Oid files;           // the candidate with the outputs, in UnitTrees
  Looks looks;         // of the chain until now, as looks at the candidate
  std::string survey;  // likewise
};
struct GoesOnRequest {
  const GateContext& context;
  const Policy& policy;
  const GateSpec& gate;
  const Candidate& candidate;
  UnitEvidence& evidence;
  UnitTrees& trees;
  std::string outputs_dir;
};
// nullopt: the build has to go on from nothing: there is no last one, it was of another version of
// the gate or another environment, its turn to do so has come, or files are checked out otherwise.
Result<std::optional<GoesOn>> goes_on_from(const GoesOnRequest& request);

// Makes the files of a fresh checkout old, and those that have changed new.
Status age_checkout(const std::string& checkout, const Changes& changed);
// Puts the outputs into it, with their times.
Status place_outputs(const Outputs& outputs, const std::string& checkout);

// The looks of a build at the candidate, without those at the outputs that it was given, and those
// of the chain before it.
Looks chained_looks(Looks now, const Outputs& given, const Looks& chain);

}  // namespace gittxn::gates
