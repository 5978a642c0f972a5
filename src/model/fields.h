// The field list (base/fields.h) of every type of model/ that is stored or told, and the names of
// those enumerations that lists elsewhere use too.
#pragma once

#include "base/fields.h"
#include "model/change.h"
#include "model/compensation.h"
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

void fields(FieldIo& io, TreeEntry& entry);
void fields(FieldIo& io, PathChange& change);
void fields(FieldIo& io, Read& read);
void fields(FieldIo& io, ReadSet& set);  // its first line: all but the reads
void fields(FieldIo& io, SummarySource& source);
void fields(FieldIo& io, Summary& summary);
void fields(FieldIo& io, Identity& identity);
void fields(FieldIo& io, Attempt& attempt);
void fields(FieldIo& io, Conflict& conflict);
void fields(FieldIo& io, Txn& txn);
void fields(FieldIo& io, Certificate& certificate);
void fields(FieldIo& io, Compensation& compensation);
void fields(FieldIo& io, Phase& phase);
void fields(FieldIo& io, Cancelled& cancelled);
void fields(FieldIo& io, Workflow& workflow);
void fields(FieldIo& io, PhaseEvidence& evidence);
void fields(FieldIo& io, PhaseVerdict& verdict);
void fields(FieldIo& io, PhaseMember& member);

}  // namespace gittxn
