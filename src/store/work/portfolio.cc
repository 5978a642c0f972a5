#include "store/work/portfolio.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "base/bug.h"
#include "base/json.h"
#include "model/workflow.h"
#include "store/area.h"
#include "store/log/consumers.h"
#include "store/log/pruning.h"
#include "store/state.h"
#include "store/work/portfolio_relay.h"

namespace gittxn::store {
namespace {

constexpr std::array<std::string_view, 6> kRelayedTypes = {
    event_type::kWorkflowCreated, event_type::kPhaseAdvanced,   event_type::kPhaseSkipped,
    event_type::kPhaseOverridden, event_type::kPhaseRolledBack, event_type::kWorkflowCancelled};

struct MemberSet {
  Member member;
  std::string actor;
};
void fields(FieldIo& io, MemberSet& set) {
  io.text({"place", "of its repository"}, set.member.place);
  io.text({"log", "the name of its log"}, set.member.log);
  io.texts({"needs", "names of members"}, set.member.needs);
  io.text("actor", set.actor);
}

struct MemberRemoved {
  std::string actor;
};
void fields(FieldIo& io, MemberRemoved& removed) {
  io.text("actor", removed.actor);
}

// In no order that means anything.
Result<std::vector<Member>> load_all(const db::Database& database) {
  const auto member_of = [](const db::Statement& row) -> Result<Member> {
    Member member = TRY(read_fields<MemberSet>(TRY(parse_json(row.text(1))), "member")).member;
    member.name = row.text(0);
    return member;
  };
  return database.all(member_of, "SELECT name, body FROM portfolio");
}

const Member* named(const std::vector<Member>& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

// What others need first; those of a circle, and what needs them, are left out.
std::vector<Member> in_order(std::vector<Member> members) {
  std::ranges::sort(members, {}, &Member::name);
  std::vector<Member> ordered;
  std::set<std::string_view> before;
  for (bool more = true; more;) {
    more = false;
    for (const Member& one : members) {
      const auto known = [&](const std::string& name) { return before.contains(name); };
      if (before.contains(one.name) || !std::ranges::all_of(one.needs, known)) continue;
      ordered.push_back(one);
      before.insert(one.name);
      more = true;
      break;  // the first by name of those that may be next
    }
  }
  return ordered;
}

// The list as it would be with this one in it: first, because a circle is told from there.
std::vector<Member> with(std::vector<Member> members, const Member& member) {
  std::erase_if(members, [&](const Member& one) { return one.name == member.name; });
  members.insert(members.begin(), member);
  return members;
}

// The members were in no circle before, so that one leads through this member: who closes it, the
// last that is named, has to need it no more.
std::string out_of_circle(const std::vector<Member>& members, const Member& member,
                          std::string_view cycle) {
  const std::string_view last = cycle.substr(cycle.rfind(", ") + (cycle.contains(", ") ? 2 : 1));
  const Member* closes = named(members, last.substr(0, last.find(' ')));
  if (closes == nullptr) return fmt::format("leave out --needs {}", member.name);
  std::string line = "git txn portfolio needs " + closes->name;
  for (const std::string& need : closes->needs) {
    if (need != member.name) line += " " + need;
  }
  return closes->name == member.name ? line + ", and then what it needs besides itself"
                                     : line + ", and then this again";
}

// Why it cannot be one of these; nothing: it can.
std::optional<Error> problem(const std::vector<Member>& members, const Member& member) {
  const auto usage = [](std::string message, std::string hint = {}) {
    return fail(Code::kUsage, std::move(message), std::move(hint)).error();
  };
  if (!is_workflow_name(member.name)) {
    return usage(fmt::format("'{}' is no name for a member", member.name),
                 "use letters, digits, '.', '_' and '-', at most 64 of them: --as NAME");
  }
  for (const Member& one : members) {
    if ((one.name == member.name) == (one.log == member.log)) continue;
    return fail(Code::kExists,
                one.log == member.log
                    ? fmt::format("this repository is the member {}", one.name)
                    : fmt::format("{} is another repository, at '{}'", one.name, one.place),
                one.log == member.log ? "git txn portfolio remove " + one.name
                                      : "give it another name: --as NAME")
        .error();
  }
  for (const std::string& need : member.needs) {
    if (need == member.name || named(members, need) != nullptr) continue;
    return usage(fmt::format("{} cannot need {}, which is no member", member.name, need),
                 "add that one first: git txn portfolio add REPO --as " + need);
  }
  const std::vector<Member> all = with(members, member);
  if (const std::string cycle = cycle_in(all); !cycle.empty()) {
    return usage("they would need each other in a circle: " + cycle,
                 out_of_circle(members, member, cycle));
  }
  if (all.size() > kMaxMembers) {
    return usage(fmt::format("more than {} members", kMaxMembers),
                 "make room for it: git txn portfolio remove NAME");
  }
  return std::nullopt;
}

Status member_was_set(db::Database& database, const Event& event, const MemberSet& set) {
  Member member = set.member;
  member.name = event.subject;
  const std::vector<Member> all = TRY(load_all(database));
  if (const auto why = problem(all, member)) return stale(event, why->message);
  return save_row(database, "portfolio", "name", "body", member.name, event.payload);
}

// Who needs it; "": nobody.
std::string needed_by(const std::vector<Member>& members, const std::string& name) {
  for (const Member& one : members) {
    if (std::ranges::find(one.needs, name) != one.needs.end()) return one.name;
  }
  return {};
}

Status member_was_removed(db::Database& database, const Event& event, const MemberRemoved&) {
  const std::vector<Member> all = TRY(load_all(database));
  if (named(all, event.subject) == nullptr) return stale(event, "there is no such member");
  if (const std::string by = needed_by(all, event.subject); !by.empty()) {
    return stale(event, by + " needs it");
  }
  return database.run("DELETE FROM portfolio WHERE name = ?", event.subject);
}

Result<Seq> last_of(const db::Database& database, const std::string& source) {
  constexpr std::string_view kLast =
      "SELECT seq FROM relayed WHERE source = ? ORDER BY seq DESC LIMIT 1";
  return TRY(database.first(db::integer_of, kLast, source)).value_or(0);
}

// A payload, but for `source`.
struct RelayedEvent {
  Relayed told;
  Json data = Json::object();
};
void fields(FieldIo& io, RelayedEvent& relayed) {
  Relayed& told = relayed.told;
  io.text("place", told.place);
  io.integer("seq", told.seq, kPositive);
  io.text("time", told.time);
  io.word("type", told.type, kRelayedTypes);
  io.text("subject", told.subject);
  io.text("hash", told.hash);
  io.object({"data", "the payload"}, relayed.data);
  if (io.maybe("anew", told.anew)) {
    io.boolean({"anew",
                "true: that log went back, and what was told with this `seq` or a later "
                "one is not so any more; only there when it is true"},
               told.anew);
  }
}

Result<Relayed> relayed_from_json(std::string_view what, const Json& json) {
  RelayedEvent relayed = TRY(read_fields<RelayedEvent>(json, what));
  relayed.told.payload = canonical_json(relayed.data);
  return std::move(relayed.told);
}

Status was_relayed(db::Database& database, const Event& event, const RelayedEvent& relayed) {
  const Relayed& told = relayed.told;
  if (told.anew) {
    TRY(database.run("DELETE FROM relayed WHERE source = ? AND seq >= ?", event.subject, told.seq));
  }
  const Seq last = TRY(last_of(database, event.subject));
  if (told.seq <= last && !INJECTED_BUG("portfolio.relay_twice")) {
    return stale(event, fmt::format("event {} of it was told here", last));
  }
  return save_row(database, "relayed", "source, subject", "seq, body", event.subject,
                  encode_path(told.subject), told.seq, event.payload);
}

constexpr std::string_view kPortfolioSql = R"sql(
CREATE TABLE portfolio (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE relayed (
  source  TEXT    NOT NULL,
  subject TEXT    NOT NULL,
  seq     INTEGER NOT NULL,
  body    TEXT    NOT NULL,
  PRIMARY KEY (source, subject)
) STRICT;
)sql";

constexpr ProjectionTable kPortfolioTables[] = {{"portfolio", "name"},
                                                {"relayed", "source, subject"}};

constexpr EventRule kPortfolioRules[] = {
    {event_type::kMemberSet,
     {"A repository belongs to the portfolio, is where this says, and comes after those "
      "that it needs.",
      "its name", "name and log are of one member, or new; what it needs is there; no circle"},
     accepts<member_was_set>,
     "a member, at {place}{needs?, needs *:}"},
    {event_type::kMemberRemoved,
     {"A repository does not belong to the portfolio any more.", "its name",
      "it is there, and nobody needs it"},
     accepts<member_was_removed>,
     "no member any more, by {actor}"},
    {event_type::kRelayed,
     {"An event of another log, which moved a workflow there.",
      "the name of that log; key `relay:LOG:HASH`, of what is told again with or after "
      "one that is `anew` `relay:LOG:HASH:anew:N`, N the number of the last event before",
      "`seq` is later than all that was told of it, or `anew`"},
     accepts<was_relayed>,
     "{type} of {subject} at {place}, event {seq} there"},
};

}  // namespace

const Area kPortfolio{kPortfolioSql, kPortfolioTables, kPortfolioRules};

std::span<const std::string_view> relayed_types() {
  return kRelayedTypes;
}

std::string cycle_in(const std::vector<Member>& members) {
  std::map<std::string_view, const Member*> by_name;
  for (const Member& one : members) by_name.emplace(one.name, &one);
  std::set<std::string_view> fine;  // in no circle
  for (const Member& start : members) {
    std::vector<std::pair<const Member*, std::size_t>> path{{&start, 0}};
    while (!path.empty()) {
      auto& [at, next] = path.back();
      if (fine.contains(at->name) || next == at->needs.size()) {
        fine.insert(at->name);
        path.pop_back();
        continue;
      }
      const std::string& need = at->needs[next++];
      const auto there =
          std::ranges::find_if(path, [&](const auto& step) { return step.first->name == need; });
      if (there != path.end()) {
        std::string told;
        for (auto step = there; step != path.end(); ++step) {
          const std::string& to =
              std::next(step) == path.end() ? need : std::next(step)->first->name;
          told += fmt::format("{}{} needs {}", told.empty() ? "" : ", ", step->first->name, to);
        }
        return told;
      }
      if (const auto found = by_name.find(need); found != by_name.end()) {
        path.emplace_back(found->second, 0);
      }
    }
  }
  return {};
}

Result<std::vector<Member>> members(const View& view) {
  std::vector<Member> all = TRY(load_all(view.tables()));
  const std::size_t n = all.size();
  std::vector<Member> ordered = in_order(std::move(all));
  if (ordered.size() == n) return ordered;
  return fail(Code::kCorrupt, "the members of the portfolio need each other in a circle");
}

Result<Member> find_member(const View& view, const std::string& name) {
  const std::vector<Member> all = TRY(load_all(view.tables()));
  if (const Member* found = named(all, name)) return *found;
  return fail(Code::kNotFound, fmt::format("the portfolio has no member '{}'", name),
              "git txn portfolio status lists them");
}

Status check_member(const View& view, const Member& member) {
  if (const auto why = problem(TRY(load_all(view.tables())), member)) return std::unexpected(*why);
  return {};
}

Status set_member(Store& store, const Member& member, const std::string& actor) {
  const MemberEdit as_it_is = [&](const std::vector<Member>&) -> Result<Member> { return member; };
  TRY(edit_member(store, as_it_is, actor));
  return {};
}

Result<Member> edit_member(Store& store, const MemberEdit& edit, const std::string& actor) {
  Member wanted;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const std::vector<Member> all = TRY(load_all(view.tables()));
    wanted = TRY(edit(all));
    std::ranges::sort(wanted.needs);
    const auto again = std::ranges::unique(wanted.needs);
    wanted.needs.erase(again.begin(), again.end());
    if (const auto why = problem(all, wanted)) return std::unexpected(*why);
    const Member* known = named(all, wanted.name);
    if (known != nullptr && *known == wanted) return std::vector<NewEvent>{};
    std::vector<NewEvent> made{events::member_set(wanted, actor)};
    if (known == nullptr) made.push_back(TRY(registers_member(view, wanted.name)));
    return made;
  };
  TRY(store.decide(decision));
  return wanted;
}

Status remove_member(Store& store, const std::string& name, const std::string& actor) {
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    TRY(find_member(view, name));
    const std::string by = needed_by(TRY(load_all(view.tables())), name);
    if (!by.empty()) {
      return fail(Code::kRefused, fmt::format("{} needs {}", by, name),
                  fmt::format("change that first: git txn portfolio needs {} [NAME...]", by));
    }
    std::vector<NewEvent> made;
    const auto reader = TRY(consumer(view, consumer_of_member(name)));
    if (reader) made.push_back(events::consumer_removed(*reader, "no member any more"));
    made.push_back(events::member_removed(name, actor));
    return made;
  };
  TRY(store.decide(decision));
  return {};
}

Result<std::vector<Relayed>> relayed(const View& view) {
  const auto relayed_of = [](const db::Statement& row) -> Result<Relayed> {
    Relayed one = TRY(relayed_from_json("relayed", TRY(parse_json(row.text(1)))));
    one.source = row.text(0);
    return one;
  };
  return view.tables().all(relayed_of, "SELECT source, body FROM relayed ORDER BY source, subject");
}

Result<Seq> relayed_until(const View& view, const std::string& source) {
  if (INJECTED_BUG("portfolio.relay_twice")) return 0;
  return last_of(view.tables(), source);
}

Result<LastTold> last_told(const View& view, const std::string& source) {
  LastTold last;
  for (const Relayed& one : TRY(relayed(view))) {
    if (one.source == source && one.seq > last.seq) last = {one.seq, one.hash};
  }
  return last;
}

Result<bool> has_told(const Store& source, const LastTold& last) {
  // What was pruned was there; nobody can say more.
  if (last.seq <= TRY(pruned_until(source))) return true;
  const std::vector<Event> found = TRY(source.events(last.seq, 1));
  return !found.empty() && found.front().seq == last.seq && found.front().hash.str() == last.hash;
}

Result<Seq> told_and_there(const Store& member, const Store& source) {
  const std::string uri = TRY(log_uri(source));
  const std::vector<Event> told = TRY(member.events_of(uri));
  Seq taken_back = std::numeric_limits<Seq>::max();
  for (auto event = told.rbegin(); event != told.rend(); ++event) {
    if (event->type != event_type::kRelayed) continue;
    const Json json = TRY(parse_json(event->payload));
    const Relayed one = TRY(relayed_from_json(event->type, json));
    if (one.seq < taken_back && TRY(has_told(source, {one.seq, one.hash}))) return one.seq;
    if (one.anew) taken_back = std::min(taken_back, one.seq);
  }
  return 0;
}

Result<int> relay(Store& member, const std::string& source, const std::string& place,
                  const std::vector<Event>& told, Relay how) {
  int appended = 0;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const Seq last = TRY(relayed_until(view, source));
    const std::string hash = TRY(last_told(view, source)).hash;
    // Of two that do it at once the second goes on from the first.
    const bool anew =
        how == Relay::kAnew && last > 0 &&
        std::ranges::none_of(told, [&](const Event& event) { return event.hash.str() == hash; });
    std::optional<Seq> anew_after;
    if (anew) anew_after = TRY(view.head());
    std::vector<NewEvent> fresh;
    for (const Event& event : told) {
      if (event.seq <= last && !anew) continue;
      fresh.push_back(events::event_relayed({source, place, event.seq, event.time, event.type,
                                             event.subject, event.payload, event.hash.str(),
                                             anew && fresh.empty(), anew_after}));
    }
    appended = static_cast<int>(fresh.size());
    return fresh;
  };
  TRY(member.decide(decision));
  return appended;
}

Status check_whole(Store& store) {
  if (const auto& damage = store.state().damage) return std::unexpected(*damage);
  return {};
}

namespace events {

NewEvent member_set(const Member& member, const std::string& actor) {
  return event_with(event_type::kMemberSet, member.name, MemberSet{member, actor});
}

NewEvent member_removed(const std::string& name, const std::string& actor) {
  return event_with(event_type::kMemberRemoved, name, MemberRemoved{actor});
}

namespace {
// What was told before may have to be told again when the log went back: that is no repeat. The
// number of the log is another one each time.
std::string key_of(const Relayed& relayed) {
  const std::string key = fmt::format("relay:{}:{}", relayed.source, relayed.hash);
  return relayed.anew_after ? fmt::format("{}:anew:{}", key, *relayed.anew_after) : key;
}
}  // namespace

NewEvent event_relayed(const Relayed& relayed) {
  const auto data = parse_json(relayed.payload);
  const std::string key = INJECTED_BUG("portfolio.relay_twice") ? std::string() : key_of(relayed);
  return event_with(event_type::kRelayed, relayed.source,
                    RelayedEvent{relayed, data ? *data : Json()},  // what is none is refused
                    key);
}

}  // namespace events
}  // namespace gittxn::store
