#include "model/verdict.h"

#include "model/fields.h"

namespace gittxn {
namespace {

constexpr NameTable<Excuse::Why, 10> kExcuses{{
    {Excuse::Why::kLayout, "layout"},
    {Excuse::Why::kMerged, "merged"},
    {Excuse::Why::kHistory, "history"},
    {Excuse::Why::kStatus, "status"},
    {Excuse::Why::kReplaced, "replaced"},
    {Excuse::Why::kGate, "gate"},
    {Excuse::Why::kHousekeeping, "housekeeping"},
    {Excuse::Why::kListing, "listing"},
    {Excuse::Why::kCandidate, "candidate"},
    {Excuse::Why::kBeside, "beside"},
}};

constexpr NameTable<Held::How, 4> kHeld{{
    {Held::How::kAsked, "asked"},
    {Held::How::kGate, "gate"},
    {Held::How::kReplaced, "replaced"},
    {Held::How::kCandidate, "candidate"},
}};

template <typename T>
void cut_to(std::vector<T>& all, std::size_t most, std::int64_t& more) {
  if (all.size() <= most) return;
  more += static_cast<std::int64_t>(all.size() - most);
  all.resize(most);
}

}  // namespace

void fields(FieldIo& io, Excuse& excuse) {
  io.thing("excuse");
  io.choice("why", excuse.why, kExcuses);
  io.text("subject", excuse.subject);
}

void fields(FieldIo& io, Held& held) {
  io.thing("held");
  io.choice("how", held.how, kHeld);
  io.text("question", held.question);
  io.integer({"took_ms", "of asking"}, held.took_ms, kNotNegative);
}

void fields(FieldIo& io, Admission& admission) {
  io.thing("admission");
  io.list("excused", admission.excused);
  io.list({"held", "questions, by their answers"}, admission.held);
  io.integer({"more", "that are not listed"}, admission.more, kNotNegative);
  io.integer({"asked_ms", "of asking, all together"}, admission.asked_ms, kNotNegative);
}

Admission to_be_kept(Admission admission) {
  constexpr std::size_t kMost = 100;
  if (admission.excused.empty() && admission.held.empty()) return {};
  cut_to(admission.excused, kMost, admission.more);
  cut_to(admission.held, kMost, admission.more);
  return admission;
}

}  // namespace gittxn
