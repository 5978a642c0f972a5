#include "work/portfolio.h"

#include <fmt/format.h>

#include <set>

#include "base/failpoint.h"
#include "base/fs.h"
#include "store/log/pruning.h"
#include "store/work/portfolio_relay.h"
#include "store/work/workflows.h"
#include "txn/state.h"
#include "work/workflow_scene.h"

namespace gittxn::api {
namespace {

FAILPOINT(fp_told, "api.portfolio.member_told");

constexpr int kRelayBatch = 500;  // events in one append to a member
constexpr int kLevels = 8;        // of lists that are looked through for a circle

// What a store says of itself has a way out of its own; else it is not where it was. All clones of
// a hub share the list, and it may be elsewhere for each.
std::unexpected<Error> about(const store::Member& member, bool shared, Error error) {
  const bool damaged = error.code == Code::kCorrupt || error.code == Code::kNewer;
  error.message = fmt::format("member {} at '{}': {}", member.name, member.place, error.message);
  if (!damaged || error.hint.empty()) {
    error.hint =
        shared ? fmt::format(
                     "where it is for this clone: git config txn.member.{}.place PATH, or "
                     "for all: git txn portfolio add PATH --as {}",
                     member.name, member.name)
               : fmt::format("where it is now: git txn portfolio add PATH --as {}", member.name);
  }
  return std::unexpected(std::move(error));
}

// Where it is for this clone: `git config txn.member.NAME.place`, else as the list has it, which
// all clones of a hub share.
Result<std::string> place_of_member(const State& state, const store::Member& member) {
  const auto own =
      TRY(state.repository.config().path(fmt::format("txn.member.{}.place", member.name)));
  if (!own) return member.place;
  const repo::RepositoryPlace& here = state.repository.place();
  return normal_path(join_path(here.worktree.value_or(here.common_dir), *own));
}

std::string place_of(const State& state) {
  const repo::RepositoryPlace& place = state.repository.place();
  return place.worktree.value_or(place.common_dir);
}

const store::Member* by_log(const std::vector<store::Member>& members, const std::string& log) {
  for (const store::Member& one : members) {
    if (one.log == log) return &one;
  }
  return nullptr;
}

// Whose log it is that tells, and what of it is gone.
struct Told {
  std::string source;
  std::string place;
  Seq pruned = 0;  // the last event for members that was
};

Result<Told> telling_of(const State& state, const store::Store& home) {
  return Told{TRY(store::log_uri(home)), place_of(state), TRY(store::pruned_to_tell(home))};
}

// What it was told last must be an event of this log; else those that follow have numbers that it
// was told already, and would be passed over. And what it does not know must be there to be told.
Status check_told(const store::Store& home, const store::Store& member, const std::string& name,
                  const Told& as) {
  const store::LastTold last = TRY(store::last_told(member, as.source));
  const bool same = TRY(store::has_told(home, last));
  if (!same) {
    return fail(Code::kStale,
                fmt::format("member {} was told event {} of this log, which does not have it any "
                            "more: an older copy of it was put back",
                            name, last.seq),
                "put the newer one back (docs/BACKUPS.md), or tell the members what is so now: "
                "git txn portfolio relay --anew");
  }
  const bool lacks = TRY(store::lacks_pruned(home, name, last.seq, as.pruned));
  if (!lacks) return {};
  return fail(Code::kStale,
              fmt::format("member {} does not know event {} of this log, which was pruned: an "
                          "older copy of its log was put back",
                          name, as.pruned),
              "put its newer one back (docs/BACKUPS.md), or tell it only what is still there: "
              "git txn portfolio relay --anew");
}

Result<int> tell_member(const store::ToTell& what, store::Store& member, const Told& as) {
  int told = 0;
  for (std::size_t first = 0; first < what.events.size(); first += kRelayBatch) {
    const std::size_t end = std::min(what.events.size(), first + kRelayBatch);
    const std::vector<Event> some(what.events.begin() + static_cast<std::ptrdiff_t>(first),
                                  what.events.begin() + static_cast<std::ptrdiff_t>(end));
    told += TRY(store::relay(member, as.source, as.place, some));
  }
  return told;
}

// In one append: the first of them takes back what was told, and the rest belong to it.
Result<int> tell_anew(const store::ToTell& what, store::Store& member, const Told& as, Seq last) {
  if (!what.events.empty()) {
    return store::relay(member, as.source, as.place, what.events, store::Relay::kAnew);
  }
  return fail(Code::kStale,
              fmt::format("it was told event {} of this log, which does not have it any more and "
                          "has nothing to tell instead",
                          last),
              "when a workflow has moved here, or begun (git txn workflow create NAME): git txn "
              "portfolio relay --anew");
}

Result<int> tell(store::Store& home, store::Store& store, const store::Member& member,
                 const Told& as, store::Relay how) {
  const store::LastTold last = TRY(store::last_told(store, as.source));
  const bool same = TRY(store::has_told(home, last));
  const store::ToTell what =
      TRY(same ? store::to_tell(home, last.seq) : store::to_tell_anew(home, store));
  const int told = TRY(same ? tell_member(what, store, as) : tell_anew(what, store, as, last.seq));
  TRY(fp_told.hit());
  const Seq now = TRY(store::relayed_until(store, as.source));
  const bool lacks = TRY(store::lacks_pruned(home, member.name, now, as.pruned));
  TRY(store::told_until(home, member, last.seq, what.seen, lacks ? how : store::Relay::kOn));
  return told;
}

// The error is the member's own, and names it.
Result<int> relay_to(State& state, const store::Member& member, const Told& as, store::Relay how) {
  auto opened = open_member(state, member);
  if (!opened) {
    Error error = std::move(opened).error();
    // Of what is damaged the hint is to put it right; the place of any other may be given anew.
    if (error.hint.ends_with("--as " + member.name)) {
      error.hint += ", or: git txn portfolio remove " + member.name;
    }
    return std::unexpected(std::move(error));
  }
  store::Store& store = *(*opened)->store;
  if (how == store::Relay::kOn) TRY(check_told(*state.store, store, member.name, as));
  return TRY_IN("member " + member.name, tell(*state.store, store, member, as, how));
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
Status look_into(const State& state, const store::Store& store, const Told& as, MemberLine& line) {
  line.workflows = TRY(store::workflows(store));
  line.head = TRY(store.head());
  line.told = TRY(store::relayed_until(store, as.source));
  TRY(check_told(*state.store, store, line.member.name, as));
  line.waiting = static_cast<int>(TRY(store::to_tell(*state.store, line.told)).events.size());
  return {};
}

MemberLine look_at(const State& state, const store::Member& member, const Told& as) {
  MemberLine line;
  line.member = member;
  line.member.place = place_of_member(state, member).value_or(member.place);
  auto opened = open_member(state, member);
  if (!opened) {
    line.problem = opened.error().message;
    return line;
  }
  const Status looked = look_into(state, **(*opened)->looking(), as, line);
  if (looked) return line;
  line.problem = looked.error().message;
  if (!looked.error().hint.empty()) line.problem += "; " + looked.error().hint;
  return line;
}

// The same log at two places is the second clone of a hub, or a copy.
std::string_view same_log(const State& one, const State& other) {
  return one.membership.hub && other.membership.hub ? "another clone of the hub of" : "a copy of";
}

// One log is one member: a second place of it would take the first one's, which nobody asked for.
// Asked for by its name it is taken.
Status check_place(const State& state, const store::Member& known, const State& other,
                   const MemberRequest& request) {
  if (request.name || known.place == place_of(other)) return {};
  auto there = open_member(state, known);
  if (!there) return {};  // it has moved
  if ((*there)->repository.place().common_dir == other.repository.place().common_dir) {
    return {};
  }
  return fail(Code::kExists,
              fmt::format("'{}' is {} the member {} at '{}', with the same log", place_of(other),
                          same_log(**there, other), known.name, place_of(**there)),
              fmt::format("a member is looked at in one place; in this one from now on: "
                          "git txn portfolio add {} --as {}",
                          request.path, known.name));
}

std::unexpected<Error> log_is_ours(const State& home, const State& other) {
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

// Whose list has that log, and under which name.
struct Leads {
  std::string place;
  std::string name;
};

// In the list of this repository, or of its members, as far as they can be opened: what cannot be
// looked at keeps nobody from being added.
std::optional<Leads> leads_to(State& state, const std::string& log, int levels,
                              std::set<std::string>& seen) {
  const auto store = state.looking();
  if (!store || *store == nullptr) return std::nullopt;
  const auto all = store::members(**store);
  if (!all) return std::nullopt;
  if (const store::Member* one = by_log(*all, log)) return Leads{place_of(state), one->name};
  if (levels == 1) return std::nullopt;
  for (const store::Member& one : *all) {
    if (seen.size() == store::kMaxMembers || !seen.insert(one.log).second) continue;
    auto opened = open_member(state, one);
    if (!opened) continue;
    if (auto found = leads_to(**opened, log, levels - 1, seen)) return found;
  }
  return std::nullopt;
}

// Each would wait for the other at its gates. Two that add each other at one moment are not seen.
Status refuse_circle(State& other, const std::string& log, const std::string& path) {
  std::set<std::string> seen;
  const std::optional<Leads> leads = leads_to(other, log, kLevels, seen);
  if (!leads) return {};
  return fail(Code::kUsage,
              fmt::format("'{}' cannot be a member: '{}' has this repository as its member {}, and "
                          "each would wait for the other",
                          path, leads->place, leads->name),
              fmt::format("take it off that list first: git -C '{}' txn portfolio remove {}",
                          leads->place, leads->name));
}

// What is to be a member: the errors of opening are about the path that was given.
Result<std::unique_ptr<State>> open_new(Host host, const std::string& path) {
  const bool there = TRY(exists(host.cwd));
  if (!there) {
    return fail(Code::kUsage, fmt::format("there is no '{}'", path),
                "git txn portfolio add PATH, of a repository on this machine");
  }
  auto opened = open_state(std::move(host));
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

Result<std::unique_ptr<State>> open_member(const State& state, const store::Member& listed) {
  store::Member member = listed;
  member.place = TRY(place_of_member(state, listed));
  const auto open = [&]() -> Result<std::unique_ptr<State>> {
    Host host = state.host;
    host.cwd = member.place;
    host.env = repo::without_repository(host.env);
    auto opened = TRY(open_state(std::move(host)));
    store::Store* store = TRY(opened->looking());
    if (store == nullptr) return fail(Code::kNotFound, "it has no store any more");
    TRY(store::check_whole(*store));
    if (TRY(store::log_uri(*store)) == member.log) return opened;
    return fail(Code::kNotFound, "another repository is there by now");
  };
  auto opened = open();
  if (!opened) return about(member, state.membership.hub.has_value(), std::move(opened).error());
  return opened;
}

Result<store::Member> add_member(State& state, const MemberRequest& request) {
  TRY(refuse_inside(state.host, "portfolio add"));
  Host host = state.host;
  host.cwd = join_path(state.host.cwd, request.path);
  host.env = repo::without_repository(host.env);
  const std::unique_ptr<State> opened = TRY(open_new(std::move(host), request.path));
  State& other = *opened;
  if (other.repository.place().common_dir == state.repository.place().common_dir) {
    return fail(Code::kUsage, "this repository keeps the list, and is no member of it",
                "name another repository");
  }
  store::Store* home = TRY(state.writing());
  const std::string actor = TRY(actor_of(state, request.actor));
  const std::string place = place_of(other);
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
  if (TRY(other.looking()) == nullptr) {
    const store::Member wanted = TRY(filled(all));
    TRY(store::check_member(*home, wanted));
  }
  const store::Store* there = TRY(other.writing());
  member.log = TRY(store::log_uri(*there));
  const std::string ours = TRY(store::log_uri(*home));
  if (member.log == ours) return log_is_ours(state, other);
  TRY(refuse_circle(other, ours, request.path));
  if (const store::Member* known = by_log(all, member.log); known != nullptr) {
    TRY(check_place(state, *known, other, request));
  }
  return store::edit_member(*home, filled, actor);
}

Result<store::Member> set_needs(State& state, const std::string& name,
                                const std::vector<std::string>& needs, const std::string& actor) {
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

Status remove_member(State& state, const std::string& name, const std::string& actor) {
  TRY(refuse_inside(state.host, "portfolio remove"));
  store::Store* home = TRY(state.writing());
  return store::remove_member(*home, name, TRY(actor_of(state, actor)));
}

Result<PortfolioReport> portfolio_status(State& state) {
  PortfolioReport report;
  store::Store* home = TRY(state.looking());
  if (home == nullptr) return report;
  const Told as = TRY(telling_of(state, *home));
  for (const store::Member& member : TRY(store::members(*home))) {
    report.members.push_back(look_at(state, member, as));
  }
  report.relayed = TRY(store::relayed(*home));
  return report;
}

Result<RelayReport> relay_events(State& state, store::Relay how) {
  TRY(refuse_inside(state.host, "portfolio relay"));
  RelayReport report;
  store::Store* home = TRY(state.looking());
  if (home == nullptr) return report;
  const Told as = TRY(telling_of(state, *home));
  std::vector<Error> problems;
  for (const store::Member& member : TRY(store::members(*home))) {
    const auto told = relay_to(state, member, as, how);
    if (told) {
      report.told.push_back({member.name, *told});
    } else {
      problems.push_back(told.error());
    }
  }
  if (!problems.empty()) report.left = as_one(problems);
  return report;
}

}  // namespace gittxn::api
