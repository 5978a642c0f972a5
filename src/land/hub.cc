// See hub.h. Every decision is made from what the hub has just said, never from what a push of ours
// may have done to it.
#include "land/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "land/turn.h"
#include "store/events.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

FAILPOINT(fp_before_hub_push, "hub.before_push");
FAILPOINT(fp_after_hub_push, "hub.after_push");
FAILPOINT(fp_asked, "hub.resolve.asked");
FAILPOINT(fp_closed, "hub.resolve.closed");
FAILPOINT(fp_resolved, "hub.resolve.done");

// The refs of one push appear one after the other to somebody who asks meanwhile.
constexpr int kTries = 20;
constexpr std::int64_t kPauseMs = 100;
constexpr std::int64_t kLongestPauseMs = 2000;
constexpr int kEventsAtOnce = 1000;
constexpr std::string_view kNotThere = "prepared, and it did not reach the hub";

RemotePlace place_of(const Context& context) {
  return {context.hub->remote, context.hub->timeout_ms};
}

std::unexpected<Error> no_answer(const Context& context, const std::string& why) {
  return fail(Code::kTimeout,
              fmt::format("the hub {} does not answer: {}", context.hub->remote, why),
              "try again when it can be reached: git ls-remote " + context.hub->remote);
}

std::string fence_text(const store::PreparedLanding& landing, const std::string& what) {
  return fmt::format("git-txn fence\nbranch {}\nafter {}\n{}\n", landing.branch.str(),
                     landing.fence_before.str(), what);
}

std::string landing_text(const store::PreparedLanding& landing) {
  return fence_text(landing,
                    fmt::format("lands {} for {}", landing.new_head.str(), landing.txn.str()));
}
// The fence of whoever resolves it.
std::string closing_text(const store::PreparedLanding& landing) {
  return fence_text(landing, "closes " + landing.fence.str());
}

// Visits what was prepared, oldest first, until `visit` says that it was the one.
using VisitPrepared = std::function<Result<bool>(const store::PreparedLanding&)>;
Result<bool> any_prepared(const Context& context, const VisitPrepared& visit) {
  for (Seq next = 1;;) {
    const std::vector<Event> events = TRY(context.store->events(next, kEventsAtOnce));
    if (events.empty()) return false;
    for (const Event& event : events) {
      if (event.type != event_type::kLandingPrepared) continue;
      if (TRY(visit(TRY(events::prepared_landing(event))))) return true;
    }
    next = events.back().seq + 1;
  }
}

// The fence that the log has may have been written in another clone, and that may be gone. What it
// says follows from the log, so it is written here too, for whoever has to push it by hand; but for
// what was pruned, which the hub's own objects have still.
Status write_known_fence(const Context& context, const Oid& fence) {
  repo::Objects& objects = context.repository->objects();
  if (fence.empty() || TRY(objects.contains(fence))) return {};
  const auto write = [&](const store::PreparedLanding& landing) -> Result<bool> {
    for (const std::string& text : {landing_text(landing), closing_text(landing)}) {
      if (TRY(objects.blob_id(text)) != fence) continue;
      TRY(objects.write_blob(text));
      return true;
    }
    return false;
  };
  TRY(any_prepared(context, write));
  return {};
}

// Somebody who was held up for long may have closed an earlier landing that was prepared on the
// same fence and given up without moving it: the hub refused to. No push from that fence can happen
// any more.
Result<bool> closes_an_earlier_one(const Context& context, const store::PreparedLanding& landing,
                                   const Oid& there) {
  const repo::Objects& objects = context.repository->objects();
  return any_prepared(context, [&](const store::PreparedLanding& earlier) -> Result<bool> {
    return earlier.seq < landing.seq && earlier.branch == landing.branch &&
           earlier.fence_before == landing.fence_before &&
           TRY(objects.blob_id(closing_text(earlier))) == there;
  });
}

std::unexpected<Error> foreign_fence(const Context& context, const store::PreparedLanding& landing,
                                     const Oid& there) {
  const std::string& hub = context.hub->remote;
  const RefName fence = fence_ref(landing.branch);
  const Status written = write_known_fence(context, landing.fence_before);
  if (!written) return std::unexpected(written.error());
  return fail(
      Code::kCorrupt,
      fmt::format("{} on the hub {} is {}, which is not of this log", fence.str(), hub,
                  there.empty() ? "gone" : there.str()),
      fmt::format("the store's server may have been restored or failed over to an older state, or "
                  "somebody edited refs there: docs/BACKUPS.md (On PostgreSQL); when nobody lands, "
                  "put the fence of this log there: git push --force {} {}:{}",
                  hub, landing.fence_before.str(), fence.str()));
}

// Somebody else may have been faster with another end of it.
Status record(const Context& context, NewEvent ending) {
  const auto appended = context.store->append({std::move(ending)});
  if (appended) return {};
  Error error = appended.error();
  if (error.code == Code::kExists) error.code = Code::kStale;
  return std::unexpected(std::move(error));
}

Result<Resolution> landed(const Context& context, const store::PreparedLanding& landing,
                          const Oid& fence) {
  TRY(record(context, events::transaction_landed(landing, {}, fence)));
  TRY(fp_resolved.hit());
  return resolved_as(Resolution::How::kLanded, landing,
                     "the hub has it and the log does not say so");
}

Result<Resolution> lost(const Context& context, const store::PreparedLanding& landing,
                        const Oid& fence, const std::string& why) {
  TRY(record(context, events::landing_lost(landing, why, fence)));
  TRY(fp_resolved.hit());
  return resolved_as(Resolution::How::kLost, landing, why);
}

// Moves the fence, so that the landing can not happen any more unless it has. False: the hub does
// not let it be moved, for the reason that is given.
Result<bool> close(const Context& context, const store::PreparedLanding& landing, const Oid& closed,
                   std::string* why) {
  const RefName fence = fence_ref(landing.branch);
  const PushAnswer answer =
      TRY(push_refs(context, place_of(context), {{fence, landing.fence_before, closed}}));
  *why = answer.why;
  if (answer.how == PushAnswer::How::kRefused) return false;
  if (answer.how == PushAnswer::How::kUnknown) return no_answer(context, answer.why);
  if (answer.locked) context.clock->sleep_ms(kPauseMs);
  TRY(fp_closed.hit());
  return true;
}

// Whoever was held up here for long may have been taken for lost, and the log have gone on.
Status check_unresolved(const Context& context, const store::PreparedLanding& landing) {
  const auto now = TRY(context.store->branch(landing.branch));
  if (now && now->prepared && now->prepared->seq == landing.seq) return {};
  return fail(Code::kStale,
              fmt::format("the landing of {} was resolved meanwhile", landing.txn.str()));
}

// The hub is the one that this clone joined, by what its own mark says.
Status check_mark(const Context& context, RemoteRefs& asked) {
  const Hub& hub = *context.hub;
  if (hub.log.empty()) return {};
  const Oid ours = TRY(log_mark(context, hub.log));
  const Oid& there = asked.values[std::string(kLogRef)];
  if (there == ours) return {};
  if (!there.empty()) {
    return fail(Code::kRefused,
                fmt::format("the landings of the hub {} are in another log than that of this clone",
                            hub.remote),
                "see git remote -v: another repository than the one that was joined is no hub of "
                "this clone");
  }
  return fail(Code::kRefused,
              fmt::format("the hub {} has no {}: it is not the one that this clone joined, or was "
                          "restored without it",
                          hub.remote, kLogRef),
              fmt::format("see git remote -v; where it was restored: git push {} {}:{}", hub.remote,
                          ours.str(), kLogRef));
}

// A name that the hub has no more may be in the way of one that it has: "feat" of "feat/x".
Status make_way(const Context& context, const RefName& tracking) {
  const repo::Refs& refs = context.repository->refs();
  std::vector<std::pair<RefName, Oid>> stale = TRY(refs.list(tracking.str() + "/"));
  const std::string& name = tracking.str();
  const std::string root = tracking_ref(context.hub->remote, RefName("refs/heads/")).str();
  for (std::size_t at = name.find('/', root.size()); at != name.npos; at = name.find('/', at + 1)) {
    RefName above(name.substr(0, at));
    if (auto value = refs.read(above)) stale.emplace_back(std::move(above), *std::move(value));
  }
  for (const auto& [ref, value] : stale) {
    TRY(unless(Code::kStale, refs.update({.ref = ref, .expected = value})));
  }
  return {};
}

// `before`: as it was before the hub was asked. Another process of the clone may have heard from
// the hub since; then what that one heard stays.
Status remember_seen(const Context& context, const RefName& tracking,
                     const std::optional<Oid>& before, const Oid& head) {
  if (before && *before == head) return {};
  Status updated = context.repository->refs().update({.ref = tracking,
                                                      .expected = before.value_or(Oid()),
                                                      .desired = head,
                                                      .lock_deadline_ms = kPauseMs});
  if (!updated && updated.error().code == Code::kBusy) return {};
  TRY(unless(Code::kStale, std::move(updated)));
  return {};
}

Result<std::optional<std::string>> follow(const Context& context, const RefName& branch,
                                          const Oid& landed) {
  const auto here = TRY(if_there(context.repository->refs().read(branch)));
  if (!here) return std::optional<std::string>{};
  const repo::Objects& objects = context.repository->objects();
  if (TRY(objects.is_ancestor(landed, *here))) return std::optional<std::string>{};
  if (!TRY(objects.is_ancestor(*here, landed))) {
    return std::optional<std::string>("it has commits that the hub has not");
  }
  return fast_forward(context, branch, *here, landed);
}

}  // namespace

RefName fence_ref(const RefName& branch) {
  // A ref "a" is in the way of one named "a/b", and fences outlive their branches.
  std::string name;
  for (const char c : branch.str().substr(std::string_view("refs/heads/").size())) {
    if (c == '/' || c == '%') {
      name += c == '/' ? "%2F" : "%25";
    } else {
      name += c;
    }
  }
  return RefName("refs/txn/fence/" + name);
}

RefName seen_ref(const std::optional<Hub>& hub, const RefName& branch) {
  return hub ? tracking_ref(hub->remote, branch) : branch;
}

std::string follow_hub(const Context& context, const RefName& branch, const Oid& landed) {
  const auto refused = follow(context, branch, landed);
  if (refused && !*refused) return "";
  return fmt::format("{} here did not follow: {}; bring it with: git pull", branch.str(),
                     refused ? **refused : refused.error().message);
}

Result<Oid> log_mark(const Context& context, const std::string& log) {
  return context.repository->objects().write_blob(fmt::format("git-txn log {}\n", log));
}

Result<HubState> ask_hub(const Context& context, const RefName& branch) {
  const RemotePlace place = place_of(context);
  const RefName fence = fence_ref(branch);
  const RefName seen = tracking_ref(place.name, branch);
  TRY(check_one_place(context, place.name));
  std::string why;
  for (int i = 0; i < kTries; ++i) {
    const std::optional<Oid> before = TRY(if_there(context.repository->refs().read(seen)));
    if (!before) TRY(make_way(context, seen));
    RemoteRefs asked =
        TRY(list_remote(context, place, {branch, fence, RefName(std::string(kLogRef))}));
    if (!asked.reached) return no_answer(context, asked.why);
    TRY(check_mark(context, asked));
    const HubState state{asked.values[branch.str()], asked.values[fence.str()]};
    if (state.head.empty()) return state;
    Fetched fetched = Fetched::kHere;
    if (!TRY(context.repository->objects().contains(state.head))) {
      fetched = TRY(fetch_branch(context, place, branch, state.head, &why));
    }
    if (fetched == Fetched::kHere) {
      TRY(remember_seen(context, seen, before, state.head));
      return state;
    }
    if (fetched == Fetched::kFailed) break;
  }
  return no_answer(context, why);
}

Status raise_fence(const Context& context, const Oid& before, store::PreparedLanding& landing) {
  landing.fence_before = before;
  landing.fence = TRY(context.repository->objects().write_blob(landing_text(landing)));
  return {};
}

Result<PushAnswer> push_landing(const Context& context, const store::PreparedLanding& landing) {
  TRY(fp_before_hub_push.hit());
  std::vector<RefMove> moves{{landing.branch, landing.old_head, landing.new_head}};
  if (!INJECTED_BUG("hub.no_fence")) {
    moves.push_back({fence_ref(landing.branch), landing.fence_before, landing.fence});
  }
  PushAnswer answer = TRY(push_refs(context, place_of(context), moves));
  for (int i = 1; answer.locked && i < kTries; ++i) {
    context.clock->sleep_ms(kPauseMs);
    answer = TRY(push_refs(context, place_of(context), moves));
  }
  TRY(fp_after_hub_push.hit());
  return answer;
}

namespace {

// A push that was sent may be at work there still, behind a hook that takes its time. Closing its
// fence now would lose it, and the next one would meet the same hook.
Status let_it_end(const Context& context, const store::PreparedLanding& landing) {
  const RefName fence = fence_ref(landing.branch);
  const Deadline deadline(*context.clock, context.hub->timeout_ms);
  std::int64_t pause_ms = kPauseMs;
  while (!deadline.passed()) {
    RemoteRefs asked = TRY(list_remote(context, place_of(context), {fence}));
    if (!asked.reached || asked.values[fence.str()] != landing.fence_before) return {};
    if (context.gates.interrupted && context.gates.interrupted()) return {};
    context.clock->sleep_ms(pause_ms);
    pause_ms = std::min(pause_ms * 2, kLongestPauseMs);
  }
  return {};
}

// `refused`: in the hub's words, where it has just answered the push with a no.
Result<Resolution> resolved(const Context& context, const store::PreparedLanding& landing,
                            const std::optional<std::string>& refused) {
  const Oid closed = TRY(context.repository->objects().write_blob(closing_text(landing)));
  const std::string found = refused ? "the hub refused it: " + *refused : std::string(kNotThere);
  std::string why;
  for (int i = 0; i < kTries; ++i) {
    const HubState now = TRY(ask_hub(context, landing.branch));
    TRY(fp_asked.hit());
    TRY(check_unresolved(context, landing));
    const bool there = TRY(has(context, now.head, landing.new_head));
    if (INJECTED_BUG("hub.no_fence")) {
      return there ? landed(context, landing, now.fence) : lost(context, landing, now.fence, found);
    }
    if (now.fence == closed) {
      return there ? landed(context, landing, closed) : lost(context, landing, closed, found);
    }
    if (now.fence == landing.fence) {
      // Its branch is about to appear, or somebody has moved it away; the log will say who.
      if (there || i == kTries - 1) return landed(context, landing, landing.fence);
      context.clock->sleep_ms(kPauseMs);
    } else if (now.fence == landing.fence_before) {
      if (TRY(close(context, landing, closed, &why))) continue;
      if (refused) return lost(context, landing, Oid(), found);
      return fail(
          Code::kBusy,
          fmt::format("the hub {} does not let {} be moved: {}", context.hub->remote,
                      fence_ref(landing.branch).str(), why),
          "allow pushes to refs/txn/ there; until then nothing lands on " + landing.branch.str());
    } else if (TRY(closes_an_earlier_one(context, landing, now.fence))) {
      return lost(context, landing, now.fence, found);
    } else {
      return foreign_fence(context, landing, now.fence);
    }
  }
  return fail(Code::kBusy,
              fmt::format("{} keeps moving on the hub{}", fence_ref(landing.branch).str(),
                          why.empty() ? "" : ": " + why),
              "try again in a moment");
}

}  // namespace

Result<Resolution> resolve_on_hub(const Context& context, const store::PreparedLanding& landing) {
  if (!context.hub) {
    return fail(Code::kFault, landing.txn.str() + " was landing on a hub, and this clone has none",
                "join it with: git txn init --store URL --hub REMOTE");
  }
  return resolved(context, landing, {});
}

Result<Resolution> resolve_push(const Context& context, const store::PreparedLanding& landing,
                                const PushAnswer& answer) {
  if (answer.under_way) TRY(let_it_end(context, landing));
  if (answer.how != PushAnswer::How::kRefused) return resolve_on_hub(context, landing);
  return resolved(context, landing, answer.why);
}

}  // namespace gittxn::land
