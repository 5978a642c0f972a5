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

constexpr int kRelayBatch = 500;  // events in one append to a member

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
    store::EventBatch batch = TRY(store::read_batch(store, from, filter, kRelayBatch));
    for (Event& event : batch.events) events.push_back(std::move(event));
    from = batch.seen + 1;
    more = !batch.at_end;
  }
  return events;
}

// What it was told last must be an event of this log; else those that follow have numbers that it
// was told already, and would be passed over.
Status check_told(const store::Store& home, const store::Store& member, const std::string& name,
                  const std::string& source) {
  const store::LastTold last = TRY(store::last_told(member, source));
  if (TRY(store::has_told(home, last))) return {};
  return fail(Code::kStale,
              fmt::format("member {} was told event {} of this log, which does not have it any "
                          "more: an older copy of it was put back",
                          name, last.seq),
              "put the newer one back (docs/BACKUPS.md), or tell the members what is so now: "
              "git txn portfolio relay --anew");
}

struct Told {
  std::string source;
  std::string place;
};

Result<int> tell_member(const store::Store& home, store::Store& member, const Told& as) {
  const Seq last = TRY(store::relayed_until(member, as.source));
  const std::vector<Event> events = TRY(to_tell(home, last));
  int told = 0;
  for (std::size_t first = 0; first < events.size(); first += kRelayBatch) {
    const std::size_t end = std::min(events.size(), first + kRelayBatch);
    const std::vector<Event> some(events.begin() + static_cast<std::ptrdiff_t>(first),
                                  events.begin() + static_cast<std::ptrdiff_t>(end));
    told += TRY(store::relay(member, as.source, as.place, some));
  }
  return told;
}

// In one append: the first of them takes back what was told, and the rest belong to it.
Result<int> tell_anew(const store::Store& home, store::Store& member, const Told& as) {
  const store::LastTold last = TRY(store::last_told(member, as.source));
  if (TRY(store::has_told(home, last))) return tell_member(home, member, as);
  const Seq common = TRY(store::told_and_there(member, home));
  const std::vector<Event> events = TRY(to_tell(home, common));
  return store::relay(member, as.source, as.place, events, store::Relay::kAnew);
}

// The error is the member's own, and names it.
Result<int> relay_to(const Kernel::State& state, const store::Member& member, const Told& as,
                     store::Relay how) {
  auto opened = open_member(state, member);
  if (!opened) {
    Error error = std::move(opened).error();
    // Of what is damaged the hint is to put it right; the place of any other may be given anew.
    if (error.hint.ends_with("--as " + member.name)) {
      error.hint += ", or: git txn portfolio remove " + member.name;
    }
    return std::unexpected(std::move(error));
  }
  const store::Store& home = *state.store;
  store::Store& store = *opened->state().store;
  const bool anew = how == store::Relay::kAnew;
  if (!anew) TRY(check_told(home, store, member.name, as.source));
  return TRY_IN("member " + member.name,
                anew ? tell_anew(home, store, as) : tell_member(home, store, as));
}

// The failures of all members as one. A member that is not there was not misspelt by the caller, so
// that is no kUsage.
Error as_one(const std::vector<Error>& problems) {
  Error one = problems.front();
  const auto whole = [](const Error& error) {
    return error.where.empty() ? error.message : error.where + ": " + error.message;
  };
  bool same = true;
  for (std::size_t i = 1; i < problems.size(); ++i) {
    if (i == 1) one.message = whole(one);
    one.where.clear();
    one.message += "; " + whole(problems[i]);
    if (problems[i].hint != one.hint) one.hint += "; " + problems[i].hint;
    same = same && problems[i].code == one.code;
  }
  const Code code = one.code;
  const bool own =
      code == Code::kStale || code == Code::kBusy || code == Code::kCorrupt || code == Code::kNewer;
  if (!same || !own) one.code = Code::kFault;
  return one;
}

// Status: an error of one member is its own.
Status look_into(const Kernel::State& state, const store::Store& store, const std::string& source,
                 MemberLine& line) {
  line.workflows = TRY(store::workflows(store));
  line.head = TRY(store.head());
  line.told = TRY(store::relayed_until(store, source));
  TRY(check_told(*state.store, store, line.member.name, source));
  line.waiting = static_cast<int>(TRY(to_tell(*state.store, line.told)).size());
  return {};
}

MemberLine look_at(const Kernel::State& state, const store::Member& member,
                   const std::string& source) {
  MemberLine line;
  line.member = member;
  auto opened = open_member(state, member);
  if (!opened) {
    line.problem = opened.error().message;
    return line;
  }
  const Status looked = look_into(state, **opened->state().looking(), source, line);
  if (looked) return line;
  line.problem = looked.error().message;
  if (!looked.error().hint.empty()) line.problem += "; " + looked.error().hint;
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

// What is to be a member: the errors of opening are about the path that was given.
Result<Kernel> open_new(Host host, const std::string& path) {
  const bool there = TRY(exists(host.cwd));
  if (!there) {
    return fail(Code::kUsage, fmt::format("there is no '{}'", path),
                "git txn portfolio add PATH, of a repository on this machine");
  }
  auto opened = Kernel::open(std::move(host));
  if (opened) return opened;
  Error error = std::move(opened).error();
  error.message = fmt::format("'{}': {}", path, error.message);
  // What a store says of itself has a way out of its own.
  const bool damaged = error.code == Code::kCorrupt || error.code == Code::kNewer;
  if (!damaged || error.hint.empty()) {
    error.hint = "git txn portfolio add PATH, of a repository on this machine";
  }
  return std::unexpected(std::move(error));
}

}  // namespace

Result<store::Member> add_member(Kernel& kernel, const MemberRequest& request) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio add"));
  Host host = state.host;
  host.cwd = join_path(state.host.cwd, request.path);
  host.env = repo::without_repository(host.env);
  Kernel other = TRY(open_new(std::move(host), request.path));
  if (other.state().repository.place().common_dir == state.repository.place().common_dir) {
    return fail(Code::kUsage, "this repository keeps the list, and is no member of it",
                "name another repository");
  }
  store::Store* home = TRY(state.writing());
  const std::string actor = TRY(actor_of(state, request.actor));
  const std::string place = place_of(other.state());
  const std::vector<store::Member> all = TRY(store::members(*home));
  store::Member member;
  const auto filled = [&](const std::vector<store::Member>& members) -> Result<store::Member> {
    const store::Member* known = by_log(members, member.log);
    store::Member wanted{known == nullptr ? name_of_place(place) : known->name, place, member.log,
                         known == nullptr ? std::vector<std::string>() : known->needs};
    if (request.name) wanted.name = *request.name;
    if (request.needs) wanted.needs = *request.needs;
    return wanted;
  };
  // A repository that was never used with git-txn is not touched for a request that is refused.
  if (TRY(other.state().looking()) == nullptr) {
    const store::Member wanted = TRY(filled(all));
    TRY(store::check_member(*home, wanted));
  }
  const store::Store* there = TRY(other.state().writing());
  member.log = TRY(store::log_uri(*there));
  if (member.log == TRY(store::log_uri(*home))) return log_is_ours(state, other.state());
  if (const store::Member* known = by_log(all, member.log); known != nullptr) {
    TRY(check_place(state, *known, other.state(), request));
  }
  return store::edit_member(*home, filled, actor);
}

Result<store::Member> set_needs(Kernel& kernel, const std::string& name,
                                const std::vector<std::string>& needs, const std::string& actor) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio needs"));
  store::Store* home = TRY(state.writing());
  const std::string who = TRY(actor_of(state, actor));
  const auto filled = [&](const std::vector<store::Member>& all) -> Result<store::Member> {
    for (const store::Member& one : all) {
      if (one.name == name) return store::Member{one.name, one.place, one.log, needs};
    }
    TRY(store::find_member(*home, name));  // it says that there is none
    return fail(Code::kStale, "the member " + name + " was removed meanwhile");
  };
  return store::edit_member(*home, filled, who);
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
    report.members.push_back(look_at(state, member, source));
  }
  report.relayed = TRY(store::relayed(*home));
  return report;
}

Result<RelayReport> relay_events(Kernel& kernel, store::Relay how) {
  Kernel::State& state = kernel.state();
  TRY(refuse_inside(state.host, "portfolio relay"));
  RelayReport report;
  store::Store* home = TRY(state.looking());
  if (home == nullptr) return report;
  const Told as{TRY(store::log_uri(*home)), place_of(state)};
  std::vector<Error> problems;
  for (const store::Member& member : TRY(store::members(*home))) {
    const auto told = relay_to(state, member, as, how);
    if (told) {
      report.told.push_back({member.name, *told});
      TRY(fp_told.hit());
    } else {
      problems.push_back(told.error());
    }
  }
  if (!problems.empty()) report.left = as_one(std::move(problems));
  return report;
}

}  // namespace gittxn::api
