// Repositories whose work goes together (5-kernel, "Portfolios"). The first of them keeps the list,
// what needs what, and the state of the workflow; the others are its members. What moves that
// workflow is told to the members: each such event is appended to a member's log once, whoever
// relays it and however often, because its key is made of the hash of the source's event.
//
// A member is known by its log (store/log/pruning.h, log_uri): another repository at the same path
// is not it, and the same one at another path is.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace gittxn::store {

inline constexpr std::size_t kMaxMembers = 256;

struct Member {
  std::string name;                // unique among them; as a workflow's
  std::string place;               // where its repository is, absolute
  std::string log;                 // "urn:uuid:..."
  std::vector<std::string> needs;  // names of members it depends on; sorted, each once
  bool operator==(const Member&) const = default;
};

// In topological order: what others need is before them; among equals by name.
Result<std::vector<Member>> members(const View& view);
Result<Member> find_member(const View& view, const std::string& name);  // kNotFound

// "web needs api, api needs web"; empty: nothing needs itself. For any members.
std::string cycle_in(const std::vector<Member>& members);

// Adds it, and registers its consumer (portfolio_relay.h), or changes where it is and what it
// needs. kUsage: no name for a member, it needs what is no member, it would need itself (the circle
// is named), there are too many. kExists: the name is another repository's, or the repository has
// another name.
Status set_member(Store& store, const Member& member, const std::string& actor);
// The same, where what it is to be follows from what the members are under the write lock: who
// reads them before that, and writes all of one back, undoes what somebody else changed meanwhile.
using MemberEdit = std::function<Result<Member>(const std::vector<Member>& all)>;
Result<Member> edit_member(Store& store, const MemberEdit& edit, const std::string& actor);
// Whether set_member would take it now. With no log (""): as one that is new.
Status check_member(const View& view, const Member& member);
// kNotFound. kRefused: another one needs it.
Status remove_member(Store& store, const std::string& name, const std::string& actor);

// ---- in the log of a member -------------------------------------------------------------------

// The types that are told: those that make and move workflows.
std::span<const std::string_view> relayed_types();

// What was told last of one subject of another log.
struct Relayed {
  std::string source;  // its log
  std::string place;   // where that was when it told it
  Seq seq = 0;         // there
  std::string time;    // there
  std::string type;
  std::string subject;
  std::string payload;  // canonical JSON
  std::string hash = {};
  bool anew = false;  // what was told with this number or a later one is not so any more
  // Told with one that is `anew`: the member's last event before that. It is in the key.
  std::optional<Seq> anew_after = {};
};
Result<std::vector<Relayed>> relayed(const View& view);  // by source and subject
// The last event of that log that was told here; 0: none.
Result<Seq> relayed_until(const View& view, const std::string& source);

// The number and the hash of that event; empty: none.
struct LastTold {
  Seq seq = 0;
  std::string hash = {};
};
Result<LastTold> last_told(const View& view, const std::string& source);
// Whether the source's log still has it as it was told. Not so: an older copy of that log was put
// back, or it is a copy that went its own way, and what it appends has numbers that were told.
Result<bool> has_told(const Store& source, const LastTold& last);
// The last event told here that the source's log still has, but for what was taken back since then;
// 0: none.
Result<Seq> told_and_there(const Store& member, const Store& source);

// kOn: those of `events` after the last that was told. kAnew: the source's log went back, and these
// are what it has instead (to_tell_anew); the first of them says so.
enum class Relay { kOn, kAnew };
// Appends those of `events` that this log does not have, in order, all or nothing; says how many.
// They are of the types above, and later than each other.
Result<int> relay(Store& member, const std::string& source, const std::string& place,
                  const std::vector<Event>& events, Relay how = Relay::kOn);

// kCorrupt, kNewer: what was wrong with its last events when it was opened. Who only looks may open
// such a log, and must not believe it.
Status check_whole(Store& store);

namespace events {
NewEvent member_set(const Member& member, const std::string& actor);
NewEvent member_removed(const std::string& name, const std::string& actor);
NewEvent event_relayed(const Relayed& relayed);
}  // namespace events

}  // namespace gittxn::store
