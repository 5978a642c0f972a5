#include "land/judge/asking/questions.h"

#include <algorithm>

#include "base/bug.h"
#include "questions/question.h"

namespace gittxn::land {
namespace {

bool lands_nothing(const Candidate& candidate) {
  return candidate.tree == candidate.head_tree && !INJECTED_BUG("land.gates_of_nothing");
}

bool answered_by_gate(const Question& question, const Candidate& candidate) {
  if (question.kind != Question::Kind::kRunner || !question.directory.empty()) return false;
  if (certify::is_exact(candidate.level) || lands_nothing(candidate)) return false;
  return std::ranges::any_of(candidate.policy.gates, [&](const GateSpec& gate) {
    return questions::is_command(gate.command, question.argv);
  });
}

}  // namespace

bool may_be_asked(const Question& question, const Candidate& candidate) {
  if (question.in_between) {
    return !certify::is_exact(candidate.level) && !candidate.tree.empty() &&
           !lands_nothing(candidate);
  }
  if (question.kind == Question::Kind::kPure || !certify::is_exact(candidate.level)) return true;
  if (INJECTED_BUG("land.status_for_bytes")) return true;
  return std::ranges::any_of(candidate.policy.questions, [&](const QuestionRule& rule) {
    return questions::is_command(rule.command, question.argv);
  });
}

std::vector<certify::Answer> answers_by_gates(const ReadSet& reads,
                                              std::span<const std::int64_t> questions,
                                              const Candidate& candidate) {
  std::vector<certify::Answer> answers;
  for (const std::int64_t number : questions) {
    const Question* question = question_of(reads, number);
    if (question == nullptr || !answered_by_gate(*question, candidate)) continue;
    answers.push_back({number, certify::Answer::How::kGate, {}});
  }
  return answers;
}

}  // namespace gittxn::land
