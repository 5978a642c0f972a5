// Answers to the questions of a transaction (model/read.h) whose looks do not hold at the head.
//
// A gate of the head's policy that runs the same words at the top of the tree answers a run of the
// tests or of the build, at semantic: it runs on what would land, which lands only when it passes.
// Where nothing would land no gate runs, so none answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "land/candidate.h"

namespace gittxn::land {

// Answers by gates: one for each of them that a gate answers; the others stay as they are.
std::vector<certify::Answer> answers_by_gates(const ReadSet& reads,
                                              std::span<const std::int64_t> questions,
                                              const Candidate& candidate);

// True if the question may be asked again for that candidate. The output of a runner is not
// compared, so at exact levels only one may be whose status is its answer by the head's policy.
// One that cannot be asked as it was may be at no exact level, and only where something would land.
bool may_be_asked(const Question& question, const Candidate& candidate);

}  // namespace gittxn::land
