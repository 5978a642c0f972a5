// What field lists (base/fields.h) of the types of model/ are made with: the names of those
// enumerations that lists elsewhere use too.
#pragma once

#include "base/fields.h"
#include "model/change.h"
#include "model/names.h"
#include "model/policy.h"
#include "model/read.h"
#include "model/summary.h"
#include "model/txn.h"
#include "model/workflow.h"

namespace gittxn {

inline constexpr NameTable<ReadKind, 11> kReadKinds{{
    {ReadKind::kContent, "content"},
    {ReadKind::kMetadata, "metadata"},
    {ReadKind::kAbsence, "absence"},
    {ReadKind::kListing, "listing"},
    {ReadKind::kRef, "ref"},
    {ReadKind::kTree, "tree"},
    {ReadKind::kKernel, "kernel"},
    {ReadKind::kSummary, "summary"},
    {ReadKind::kEnvironment, "environment"},
    {ReadKind::kExternal, "external"},
    {ReadKind::kSearch, "search"},
}};

inline constexpr NameTable<ReadSource, 7> kReadSources{{
    {ReadSource::kTrace, "trace"},
    {ReadSource::kHook, "hook"},
    {ReadSource::kMcp, "mcp"},
    {ReadSource::kTranscript, "transcript"},
    {ReadSource::kDeclared, "declared"},
    {ReadSource::kCoarse, "coarse"},
    {ReadSource::kKernel, "kernel"},
}};

inline constexpr NameTable<PhaseGate::Kind, 5> kPhaseGateKinds{{
    {PhaseGate::Kind::kRun, "run"},
    {PhaseGate::Kind::kArtifact, "artifact"},
    {PhaseGate::Kind::kTransactions, "transactions"},
    {PhaseGate::Kind::kVerdict, "verdict"},
    {PhaseGate::Kind::kMembers, "members"},
}};

}  // namespace gittxn
