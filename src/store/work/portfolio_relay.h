// The relay from the log that leads a portfolio to its members, and what it keeps for them. Each
// member is a durable consumer of it, "member/NAME", which is registered in the append that adds
// the member; a user's name has no "/". What a member was not told is not pruned (pruning.cc),
// whether somebody relays or not, and `git txn events consumer list --lag` shows it.
//
// A position says "told up to there": it moves after the member's log has it. A kill between the
// two leaves it behind; the next relay tells nothing and moves it. Members of older programs have
// no such consumer: all is kept for them until their first relay, which registers it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "store/work/portfolio.h"

namespace gittxn::store {

std::string consumer_of_member(std::string_view name);
bool is_consumer_of_member(std::string_view name);
// The event that registers it: what comes from now on, and what is still in the log, is for it.
Result<NewEvent> registers_member(const View& source, const std::string& name);

// The first event that the member was not told, by what this log knows; 0: it was told all.
Result<Seq> first_to_tell(const View& source, const std::string& name);

struct ToTell {
  std::vector<Event> events;  // of relayed_types(), in order
  Seq seen = 0;               // up to where it was looked
};
Result<ToTell> to_tell(const Store& source, Seq after);
// Where the source's log went back (has_told): what it has instead of what the member was told. It
// begins so early that no subject is left without its last event, and is empty only where there is
// nothing at all to tell.
Result<ToTell> to_tell_anew(const Store& source, const Store& member);

// The last event for members that was pruned; 0: none.
Result<Seq> pruned_to_tell(const View& source);
// Whether the member, which was told up to `last`, was to be told one that is pruned: what keeps it
// from that holds for one log of the member, and an older copy of that may have been put back.
Result<bool> lacks_pruned(const View& source, const std::string& name, Seq last, Seq pruned);

// The member has what is to be told up to `seq`. Of one without consumer: it had `last` before.
// kAnew: what it lacks is pruned, and is not to be told any more.
Status told_until(Store& source, const Member& member, Seq last, Seq seq, Relay how = Relay::kOn);

}  // namespace gittxn::store
