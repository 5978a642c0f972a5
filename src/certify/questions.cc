#include "certify/questions.h"

#include <algorithm>

#include "base/bug.h"

namespace gittxn::certify {

bool asked_again_later(const Question* earlier, const std::vector<Question>& questions) {
  if (earlier == nullptr || earlier->kind != Question::Kind::kRunner) return false;
  return std::ranges::any_of(questions, [&](const Question& later) {
    return later.number > earlier->number && later.kind == earlier->kind && later.status == 0 &&
           later.argv == earlier->argv && later.program == earlier->program &&
           later.directory == earlier->directory && later.tree == earlier->tree &&
           later.environment == earlier->environment;
  });
}

std::optional<Read> look_at_a_merge(const Question& run, const std::vector<std::string>& merged) {
  if (INJECTED_BUG("certify.merges_unasked")) return std::nullopt;
  const auto met = std::ranges::find_if(
      run.met, [&](const std::string& path) { return std::ranges::binary_search(merged, path); });
  if (met == run.met.end()) return std::nullopt;
  Read look;
  look.subject = *met;
  look.question = run.number;
  return look;
}

}  // namespace gittxn::certify
