// Repositories whose work goes together (5-kernel, "Portfolios"). The first of them keeps the list,
// what needs what, and the state of the workflow; the others are its members. What moves that
// workflow is told to the members: each such event is appended to a member's log once, whoever
// relays it and however often, because its key is made of the hash of the source's event.
//
// A member is known by its log (store/pruning.h, log_uri): another repository at the same path is
// not it, and the same one at another path is.
#pragma once

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

// Adds it, or changes where it is and what it needs. kUsage: no name for a member, it needs what is
// no member, it would need itself (the circle is named), there are too many. kExists: the name is
// another repository's, or the repository has another name.
Status set_member(Store& store, const Member& member, const std::string& actor);
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
};
Result<std::vector<Relayed>> relayed(const View& view);  // by source and subject
// The last event of that log that was told here; 0: none.
Result<Seq> relayed_until(const View& view, const std::string& source);

// Appends those of `events` that this log does not have, in order, all or nothing; says how many.
// They are of the types above, and later than each other.
Result<int> relay(Store& member, const std::string& source, const std::string& place,
                  const std::vector<Event>& events);

namespace events {
NewEvent member_set(const Member& member, const std::string& actor);
NewEvent member_removed(const std::string& name, const std::string& actor);
NewEvent event_relayed(const Relayed& relayed);
}  // namespace events

}  // namespace gittxn::store
