#include "work/members.h"

#include <fmt/format.h>

#include "base/fs.h"
#include "store/log/pruning.h"
#include "store/work/workflows.h"

namespace gittxn::api {
namespace {

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

// Why it has not got there; "": it has.
Result<std::string> behind(const store::View& view, std::string_view name, std::string_view phase) {
  // The newest counts, and one that was cancelled as if it had never been made.
  for (const Workflow& workflow : TRY(store::workflows(view))) {
    if (workflow.name != name || workflow.cancelled) continue;
    const Phase* open = workflow.open();
    if (phase.empty()) {
      if (open == nullptr) return std::string();
      return fmt::format("phase {} of {} is open", open->name, workflow.id.str());
    }
    const Phase* wanted = workflow.phase(phase);
    if (wanted == nullptr) return fmt::format("{} has no phase {}", workflow.id.str(), phase);
    const bool left = wanted->state != PhaseState::kOpen && wanted->state != PhaseState::kPending;
    if (left) return std::string();
    return fmt::format("phase {} of {} is {}", phase, workflow.id.str(),
                       phase_state_name(wanted->state));
  }
  return fmt::format("it has no workflow '{}'", name);
}

}  // namespace

Result<std::string> place_of_member(const State& state, const store::Member& member) {
  const auto own =
      TRY(state.repository.config().path(fmt::format("txn.member.{}.place", member.name)));
  if (!own) return member.place;
  const repo::RepositoryPlace& here = state.repository.place();
  return normal_path(join_path(here.worktree.value_or(here.common_dir), *own));
}

Result<std::unique_ptr<State>> open_member(const State& state, const store::Member& listed) {
  store::Member member = listed;
  member.place = TRY(place_of_member(state, listed));
  const bool shared = state.membership.hub.has_value();
  Host host = state.host;
  host.cwd = member.place;
  host.env = repo::without_repository(host.env);
  auto opened = open_state(std::move(host));
  if (!opened) return about(member, shared, std::move(opened).error());
  const auto store = (*opened)->looking();
  if (!store) return about(member, shared, store.error());
  if (*store == nullptr)
    return about(member, shared, fail(Code::kNotFound, "it has no store any more").error());
  if (const Status whole = store::check_whole(**store); !whole)
    return about(member, shared, whole.error());
  const auto log = store::log_uri(**store);
  if (!log) return about(member, shared, log.error());
  if (*log == member.log) return opened;
  return about(member, shared, fail(Code::kNotFound, "another repository is there by now").error());
}

Result<MembersAnswer> judge_members(const State& state, const store::View& view,
                                    const std::string& subject) {
  const std::size_t slash = subject.find('/');
  const std::string name = subject.substr(0, slash);
  const std::string phase = slash == std::string::npos ? "" : subject.substr(slash + 1);
  const std::vector<store::Member> members = TRY(store::members(view));
  if (members.empty()) return MembersAnswer{false, "the portfolio has no member"};
  MembersAnswer answer{true, "done:"};
  for (const store::Member& member : members) {
    auto opened = open_member(state, member);
    if (!opened) return MembersAnswer{false, opened.error().message};
    const store::Store& store = **(*opened)->looking();
    // The head before the look: what it says held then or later.
    const auto head = store.head();
    const auto why = behind(store, name, phase);
    // What cannot be looked at has not got there: a fault of that one is none of this repository.
    if (!head || !why) {
      const Error& error = head ? why.error() : head.error();
      return MembersAnswer{false, fmt::format("{}: {}", member.name, error.message)};
    }
    if (!why->empty()) return MembersAnswer{false, fmt::format("{}: {}", member.name, *why)};
    answer.why += fmt::format(" {} (event {})", member.name, *head);
  }
  return answer;
}

}  // namespace gittxn::api
