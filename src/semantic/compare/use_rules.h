// What a change of a name means for one use of it on the other side: the table behind the names of
// commute.h. Pure.
#pragma once

#include "semantic/commute.h"
#include "semantic/compare/events.h"

namespace gittxn::semantic {

struct Judged {
  Verdict verdict = Verdict::kCommute;
  Rule rule = Rule::kDisjoint;
};

// `definitions`: how many containers of the changed files have something of the name.
Judged judge(const Defined& defined, const Use& use, int definitions);

}  // namespace gittxn::semantic
