#include "api/portfolio.h"

#include <fmt/format.h>

#include "api/members.h"
#include "api/workflow_scene.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "store/feed.h"
#include "store/pruning.h"
#include "store/workflows.h"

namespace gittxn::api {
namespace {

FAILPOINT(fp_told, "api.portfolio.member_told");

constexpr int kBatch = 500;  // events in one append to a member

std::string place_of(const Kernel::State& state) {
  const repo::RepositoryPlace& place = state.repository.place();
  return place.worktree.value_or(place.common_dir);
}

// "web" of /somewhere/web and of /somewhere/web.git
std::string name_of_place(const std::string& place) {
  std::string name = base_name(place);
  if (name == ".git") name = base_name(parent_dir(place));
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return name;
}

const store::Member* by_log(const std::vector<store::Member>& members, const std::string& log) {
  for (const store::Member& one : members) {
    if (one.log == log) return &one;
  }
  return nullptr;
}

// What this log has to tell after event `after`, in order.
Result<std::vector<Event>> to_tell(const store::Store& store, Seq after) {
  const auto types = store::relayed_types();
  const store::EventFilter filter{{types.begin(), types.end()}, {}};
  Seq from = std::max(after, TRY(store::pruned_until(store))) + 1;
  std::vector<Event> events;
  for (bool more = true; more;) {
    store::EventBatch batch = TRY(store::read_batch(store, from, filter, kBatch));
    for (Event& event : batch.events) events.push_back(std::move(event));
    from = batch.seen + 1;
    more = !batch.at_end;
  }
  return events;
}

Result<int> tell_member(store::Store& member, const std::string& source, const std::string& place,
                        const std::vector<Event>& events) {
  int told = 0;
  for (std::size_t first = 0; first < events.size(); first += kBatch) {
    const std::size_t last = std::min(events.size(), first + kBatch);
    const std::vector<Event> some(events.begin() + static_cast<std::ptrdiff_t>(first),
                                  events.begin() + static_cast<std::ptrdiff_t>(last));
    told += TRY(store::relay(member, source, place, some));
  }
  return told;
}

Result<MemberLine> look_at(const Kernel::State& state, const store::Member& member,
                           const std::string& source) {
  MemberLine line;
  line.member = member;
  auto opened = open_member(state, member);
  if (!opened) {
    line.problem = opened.error().message;
    return line;
  }
  const store::Store& store = **opened->state().looking();
  line.workflows = TRY_IN("member " + member.name, store::workflows(store));
  line.head = TRY(store.head());
  line.told = TRY(store::relayed_until(store, source));
  const std::vector<Event> waiting = TRY(to_tell(*state.store, line.told));
  line.waiting = static_cast<int>(waiting.size());
  return line;
}

// The same log at two places is the second clone of a hub, or a copy.
std::string_view same_log(const Kernel::State& one, const Kernel::State& other) {
  return one.membership.hub && other.membership.hub ? "another clone of the hub of" : "a copy of";
}

// One log is one member: a second place of it would take the first one's, which nobody asked for.
// Asked for by its name it is taken.
Status check_place(const Kernel::State& state, const store::Member& known,
                   const Kernel::State& other, const MemberRequest& request) {
  if (request.name || known.place == place_of(other)) return {};
  auto there = open_member(state, known);
  if (!there) return {};  // it has moved
  if (there->state().repository.place().common_dir == other.repository.place().common_dir) {
    return {};
  }
  return fail(Code::kExists,
              fmt::format("'{}' is {} the member {} at '{}', with the same log", place_of(other),
                          same_log(there->state(), other), known.name, known.place),
              fmt::format("a member is looked at in one place; in this one from now on: "
                          "git txn portfolio add {} --as {}",
                          request.path, known.name));
}

std::unexpected<Error> log_is_ours(const Kernel::State& home, const Kernel::State& other) {
  if (other.membership.hub && home.membership.hub) {
    return fail(Code::kUsage,
                fmt::format("'{}' is another clone of the hub {}: it shares the log of this one, "
                            "which keeps the list",
                            place_of(other), home.membership.hub->remote),
                "a member has a log of its own: name another repository");
  }
  return fail(Code::kUsage, fmt::format("'{}' is a copy of this repository", place_of(other)),
              "its txn folder is a copy too; where it was never used: remove that");
}

}  // namespace

Result<store::Member> add_member(Kernel& kernel, const MemberRequest& request) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio add"));
  Host host = state.host;
  host.cwd = join_path(state.host.cwd, request.path);
  host.env = repo::without_repository(host.env);
  Kernel other = TRY_IN(fmt::format("'{}'", request.path), Kernel::open(std::move(host)));
  if (other.state().repository.place().common_dir == state.repository.place().common_dir) {
    return fail(Code::kUsage, "this repository keeps the list, and is no member of it",
                "name another repository");
  }
  store::Store* home = TRY(state.writing());
  const std::string own = TRY(store::log_uri(*home));
  store::Member member;
  const store::Store* there = TRY(other.state().writing());
  member.log = TRY(store::log_uri(*there));
  member.place = place_of(other.state());
  if (member.log == own) return log_is_ours(state, other.state());
  const std::vector<store::Member> all = TRY(store::members(*home));
  const store::Member* known = by_log(all, member.log);
  member.name = request.name.value_or(known == nullptr ? name_of_place(member.place) : known->name);
  if (known != nullptr) {
    TRY(check_place(state, *known, other.state(), request));
    member.needs = known->needs;
  }
  if (request.needs) member.needs = *request.needs;
  const std::string actor = TRY(actor_of(state, request.actor));
  TRY(store::set_member(*home, member, actor));
  return store::find_member(*home, member.name);
}

Result<store::Member> set_needs(Kernel& kernel, const std::string& name,
                                const std::vector<std::string>& needs, const std::string& actor) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio needs"));
  store::Store* home = TRY(state.writing());
  store::Member member = TRY(store::find_member(*home, name));
  member.needs = needs;
  const std::string who = TRY(actor_of(state, actor));
  TRY(store::set_member(*home, member, who));
  return store::find_member(*home, name);
}

Status remove_member(Kernel& kernel, const std::string& name, const std::string& actor) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio remove"));
  store::Store* home = TRY(state.writing());
  return store::remove_member(*home, name, TRY(actor_of(state, actor)));
}

Result<PortfolioReport> portfolio_status(Kernel& kernel) {
  Kernel::State& state = kernel.state();
  PortfolioReport report;
  store::Store* home = TRY(state.looking());
  if (home == nullptr) return report;
  const std::string source = TRY(store::log_uri(*home));
  for (const store::Member& member : TRY(store::members(*home))) {
    report.members.push_back(TRY(look_at(state, member, source)));
  }
  report.relayed = TRY(store::relayed(*home));
  return report;
}

Result<std::vector<RelayLine>> relay_events(Kernel& kernel) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio relay"));
  std::vector<RelayLine> lines;
  store::Store* home = TRY(state.looking());
  if (home == nullptr) return lines;
  const std::string source = TRY(store::log_uri(*home));
  std::vector<Kernel> opened;
  const std::vector<store::Member> members = TRY(store::members(*home));
  for (const store::Member& member : members) {
    opened.push_back(TRY(open_member(state, member)));
    // Nothing is appended, and whether something could be is known.
    const auto nothing = [](const store::View&) { return std::vector<NewEvent>{}; };
    store::Store& store = *opened.back().state().store;
    TRY_IN("member " + member.name, store.decide(nothing));
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    store::Store& store = *opened[i].state().store;
    const Seq told = TRY(store::relayed_until(store, source));
    const std::vector<Event> events = TRY(to_tell(*home, told));
    const int n =
        TRY_IN("member " + members[i].name, tell_member(store, source, place_of(state), events));
    lines.push_back({members[i].name, n});
    TRY(fp_told.hit());
  }
  return lines;
}

}  // namespace gittxn::api
