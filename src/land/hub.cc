// See hub.h. Every decision is made from what the hub has just said, never from what a push of ours
// may have done to it.
#include "land/hub.h"

#include <fmt/format.h>

#include "base/bug.h"
#include "base/failpoint.h"
#include "store/events.h"

namespace gittxn::land {

namespace events = store::events;

namespace {

FAILPOINT(fp_before_push, "hub.before_push");
FAILPOINT(fp_after_push, "hub.after_push");
FAILPOINT(fp_asked, "hub.resolve.asked");
FAILPOINT(fp_closed, "hub.resolve.closed");
FAILPOINT(fp_resolved, "hub.resolve.done");

// The refs of one push appear one after the other to somebody who asks meanwhile.
constexpr int kTries = 20;
constexpr std::int64_t kPauseMs = 100;

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

// The fence of whoever resolves it.
Result<Oid> closed_fence(const Context& context, const store::PreparedLanding& landing) {
  return context.repository->objects().write_blob(
      fence_text(landing, "closes " + landing.fence.str()));
}

Result<bool> has(const Context& context, const Oid& head, const Oid& commit) {
  const repo::Objects& objects = context.repository->objects();
  if (head.empty() || !TRY(objects.contains(commit))) return false;
  return objects.is_ancestor(commit, head);
}

Result<Resolution> landed(const Context& context, const store::PreparedLanding& landing,
                          const Oid& fence) {
  Resolution resolution{Resolution::How::kLanded,
                        "the hub has it and the log does not say so",
                        "landed " + landing.new_head.str().substr(0, 10),
                        {}};
  TRY(context.store->append({events::transaction_landed(landing, {}, fence)}));
  TRY(fp_resolved.hit());
  return resolution;
}

Result<Resolution> lost(const Context& context, const store::PreparedLanding& landing,
                        const Oid& fence) {
  Resolution resolution;
  resolution.found = "prepared, and it did not reach the hub";
  resolution.done = "given up; the work is kept, land it with: git txn commit " + landing.txn.str();
  TRY(context.store->append({events::landing_lost(landing, resolution.found, fence)}));
  TRY(fp_resolved.hit());
  return resolution;
}

// Moves the fence, so that the landing can not happen any more unless it has.
Status close(const Context& context, const store::PreparedLanding& landing, const Oid& closed) {
  const RefName fence = fence_ref(landing.branch);
  const PushAnswer answer =
      TRY(push_refs(context, place_of(context), {{fence, landing.fence_before, closed}}));
  if (answer.how == PushAnswer::How::kRefused) {
    return fail(
        Code::kBusy,
        fmt::format("the hub {} does not let {} be moved: {}", context.hub->remote, fence.str(),
                    answer.why),
        "allow pushes to refs/txn/ there; until then nothing lands on " + landing.branch.str());
  }
  if (answer.how == PushAnswer::How::kUnknown) return no_answer(context, answer.why);
  return fp_closed.hit();
}

// Another process of the clone may have heard of a newer one; then that stays.
Status remember_seen(const Context& context, const RefName& branch, const Oid& head) {
  repo::RefUpdate update;
  update.ref = tracking_ref(context.hub->remote, branch);
  update.desired = head;
  const auto known = context.repository->refs().read(update.ref);
  if (!known && known.error().code != Code::kNotFound) return std::unexpected(known.error());
  if (known && *known == head) return {};
  if (known) update.expected = *known;
  Status updated = context.repository->refs().update(update);
  if (!updated && updated.error().code != Code::kStale && updated.error().code != Code::kBusy) {
    return updated;
  }
  return {};
}

Result<std::optional<std::string>> follow(const Context& context, const RefName& branch,
                                          const Oid& landed) {
  const auto here = context.repository->refs().read(branch);
  if (!here && here.error().code == Code::kNotFound) return std::optional<std::string>{};
  if (!here) return std::unexpected(here.error());
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
  std::string why;
  for (int i = 0; i < kTries; ++i) {
    RemoteRefs asked = TRY(list_remote(context, place, {branch, fence}));
    if (!asked.reached) return no_answer(context, asked.why);
    const HubState state{asked.values[branch.str()], asked.values[fence.str()]};
    if (state.head.empty()) return state;
    const bool here = TRY(context.repository->objects().contains(state.head));
    if (here || TRY(fetch_branch(context, place, branch, state.head, &why))) {
      TRY(remember_seen(context, branch, state.head));
      return state;
    }
  }
  return no_answer(context, why);
}

Status raise_fence(const Context& context, const Oid& before, store::PreparedLanding& landing) {
  landing.fence_before = before;
  landing.fence = TRY(context.repository->objects().write_blob(fence_text(
      landing, fmt::format("lands {} for {}", landing.new_head.str(), landing.txn.str()))));
  return {};
}

Result<PushAnswer> push_landing(const Context& context, const store::PreparedLanding& landing) {
  TRY(fp_before_push.hit());
  std::vector<RefMove> moves{{landing.branch, landing.old_head, landing.new_head}};
  if (!INJECTED_BUG("hub.no_fence")) {
    moves.push_back({fence_ref(landing.branch), landing.fence_before, landing.fence});
  }
  PushAnswer answer = TRY(push_refs(context, place_of(context), moves));
  TRY(fp_after_push.hit());
  return answer;
}

Result<Resolution> resolve_on_hub(const Context& context, const store::PreparedLanding& landing) {
  if (!context.hub) {
    return fail(Code::kFault, landing.txn.str() + " was landing on a hub, and this clone has none",
                "join it with: git txn init --store URL --hub REMOTE");
  }
  const Oid closed = TRY(closed_fence(context, landing));
  for (int i = 0; i < kTries; ++i) {
    const HubState now = TRY(ask_hub(context, landing.branch));
    TRY(fp_asked.hit());
    const bool there = TRY(has(context, now.head, landing.new_head));
    if (INJECTED_BUG("hub.no_fence")) {
      return there ? landed(context, landing, now.fence) : lost(context, landing, now.fence);
    }
    if (now.fence == closed) {
      return there ? landed(context, landing, closed) : lost(context, landing, closed);
    }
    if (now.fence == landing.fence) {
      // Its branch is about to appear, or somebody has moved it away; the log will say who.
      if (there || i == kTries - 1) return landed(context, landing, landing.fence);
      context.clock->sleep_ms(kPauseMs);
    } else if (now.fence == landing.fence_before) {
      TRY(close(context, landing, closed));
    } else {
      return fail(Code::kCorrupt,
                  fmt::format("{} on the hub {} is {}, which is not of this log",
                              fence_ref(landing.branch).str(), context.hub->remote,
                              now.fence.empty() ? "gone" : now.fence.str()),
                  fmt::format("somebody else landed or edited refs there; when nobody else uses "
                              "the hub, put it back with: git push --force {} {}:{}",
                              context.hub->remote,
                              landing.fence_before.empty() ? "" : landing.fence_before.str(),
                              fence_ref(landing.branch).str()));
    }
  }
  return fail(Code::kBusy,
              fmt::format("{} keeps moving on the hub", fence_ref(landing.branch).str()),
              "try again in a moment");
}

}  // namespace gittxn::land
