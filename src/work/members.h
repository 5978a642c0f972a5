// Members of a portfolio, opened to be looked at.
#pragma once

#include <string>

#include "store/work/portfolio.h"
#include "txn/state.h"

namespace gittxn::api {

// Where it is for this clone: `git config txn.member.NAME.place`, else as the list has it, which
// all clones of a hub share.
Result<std::string> place_of_member(const State& state, const store::Member& member);
// The member's repository with its store. The error names the member: it is not there, has no
// store, is another repository by now, or its log is known to be damaged.
Result<std::unique_ptr<State>> open_member(const State& state, const store::Member& listed);

// Whether every member has got as far: `subject` is "WORKFLOW" (its newest of that name is
// finished) or "WORKFLOW/PHASE" (has left that phase). What cannot be looked at has not.
struct MembersAnswer {
  bool passed = false;
  std::string why;  // names who has not, or up to which event each was looked at
};
Result<MembersAnswer> judge_members(const State& state, const store::View& view,
                                    const std::string& subject);

}  // namespace gittxn::api
