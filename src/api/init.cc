// Joining a hub.
#include "api/kernel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/failpoint.h"
#include "land/hub.h"
#include "land/remote.h"
#include "store/clones.h"
#include "store/log/pruning.h"
#include "txn/clone.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

FAILPOINT(fp_store_made, "api.init.store_made");
FAILPOINT(fp_first, "api.init.first");
FAILPOINT(fp_marked, "api.init.marked");
FAILPOINT(fp_configured, "api.init.configured");

constexpr int kHubNameLetters = 4;

std::string fresh_clone_name(Random& random) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string name(host.data());
  name = name.substr(0, std::min(name.find('.'), kMaxHubName / 2));
  if (!is_clone_name(name)) name = "clone";
  return name + "-" + random.name(kHubNameLetters);
}

// Somebody may have both a log of their own and the wish to join; what is unfinished in the first
// would be lost sight of.
Status check_nothing_unfinished(State& state) {
  using enum TxnState;
  auto own = store::Store::open_existing({state.repository.txn_dir()}, *state.host.clock);
  if (!own && own.error().code == Code::kNotFound) return {};
  if (!own) return std::unexpected(std::move(own).error());
  const store::TxnFilter unfinished{
      {kOpen, kPrepared, kLanding, kRejected, kQuarantined, kRepairing}, 0};
  const std::vector<Txn> txns = TRY(own->txns(unfinished));
  if (txns.empty()) return {};
  return fail(Code::kRefused,
              fmt::format("{} transactions of this repository are unfinished, the newest is {}",
                          txns.size(), txns.front().id.str()),
              "land or abort them first: git txn status");
}

Status check_request(State& state, const JoinRequest& request) {
  if (!request.clone.empty() && !is_clone_name(request.clone)) {
    return fail(Code::kUsage, fmt::format("'{}' cannot be the name of a clone", request.clone),
                "up to 64 of letters, digits, '-', '_' and '.'");
  }
  if (!TRY(state.repository.config().get("remote." + request.hub + ".url"))) {
    return fail(Code::kUsage, fmt::format("there is no remote '{}'", request.hub),
                fmt::format("git remote add {} URL", request.hub));
  }
  return {};
}

// A log is of one hub. Two clones of different ones may come to a new store at once; the one whose
// name is the first word of the log takes it to its hub, and the other finds its own without a
// mark.
Result<bool> may_mark(State& state, const std::string& clone) {
  if (TRY(state.store->head()) == 0) TRY(claim_name(state, clone));
  TRY(fp_first.hit());
  const std::vector<Event> first = TRY(state.store->events(1, 1));
  if (first.empty() || first.front().type != event_type::kCloneJoined) return false;
  const auto id = TRY(store::id_of_clone(*state.store, first.front().subject));
  const bool ours = id && *id == TRY(clone_note(state)).id;
  return ours && TRY(state.store->branches()).empty();
}

// The hub says which log its landings are in, and the first to come there tells it.
Status mark_hub(State& state, const land::Context& context, const JoinReport& joined) {
  const land::RemotePlace hub{context.hub->remote, context.hub->timeout_ms};
  const RefName name{std::string(land::kLogRef)};
  TRY(land::check_one_place(context, hub.name));
  const Oid ours = TRY(land::log_mark(context, joined.log));
  const land::RemoteRefs there = TRY(land::list_remote(context, hub, {name}));
  if (!there.reached) {
    return fail(Code::kFault, fmt::format("the hub {} does not answer: {}", hub.name, there.why),
                "try again when it can be reached: git ls-remote " + hub.name);
  }
  const auto mark = there.values.find(name.str());
  if (mark != there.values.end()) {
    if (mark->second == ours) return {};
    return fail(Code::kRefused,
                fmt::format("the landings of the hub {} are in another log than that of this store",
                            hub.name),
                "name the store (and --schema) that its other clones use");
  }
  if (!TRY(may_mark(state, joined.clone))) {
    return fail(
        Code::kRefused,
        fmt::format("the store has a log already, and the hub {} does not know it", hub.name),
        "use another --schema; or, when this hub was restored without its refs, or the clone that "
        "was the first to join is gone: git push " +
            fmt::format("{} {}:{}", hub.name, ours.str(), name.str()));
  }
  const land::PushAnswer pushed = TRY(land::push_refs(context, hub, {{name, Oid(), ours}}));
  if (pushed.how == land::PushAnswer::How::kDone) return {};
  if (pushed.how == land::PushAnswer::How::kMoved) {
    return fail(Code::kBusy, "somebody else has just marked the hub", "try again");
  }
  return fail(Code::kFault,
              fmt::format("the hub {} does not take {}: {}", hub.name, name.str(), pushed.why),
              "allow pushes to refs/txn/ there");
}

Status configure(State& state, const JoinReport& joined) {
  const std::array<std::pair<std::string_view, std::string>, 5> values{
      {{"txn.log", joined.log},
       {"txn.store", joined.store},
       {"txn.storeSchema", joined.schema},
       {"txn.clone", joined.clone},
       {"txn.hub", joined.hub}}};  // the last makes it so
  for (const auto& [key, value] : values) {
    TRY(state.repository.git().must({"config", "--local", "--replace-all", std::string(key), value},
                                    state.repository.here()));
  }
  return {};
}

// What this clone is called, where it has joined before. A name that it has claimed stays; a copy
// of another clone, and one that never claimed a name, may have a new one.
Status name_as_before(State& state, const JoinRequest& request, JoinReport& joined) {
  const Membership& known = state.membership;
  if (!known.hub) return {};
  const CloneNote note = TRY(clone_note(state));
  const bool copied = !note.id.empty() && note.place != TRY(clone_place(state));
  const bool renamed = !request.clone.empty() && request.clone != known.hub->clone;
  const bool claimed = !copied && note.name == known.hub->clone;
  if (known.hub->remote != request.hub || known.store != request.store ||
      known.schema != request.schema || (renamed && claimed)) {
    return fail(Code::kRefused,
                fmt::format("this clone lands on the hub {} already, as {}, with the store {}",
                            known.hub->remote, known.hub->clone, known.store),
                "to leave it: git config --unset txn.hub");
  }
  if (copied && !renamed) return is_a_copy(state, note);
  joined.already = !renamed;
  if (joined.already) joined.clone = known.hub->clone;
  return {};
}

}  // namespace

Result<JoinReport> join_hub(State& state, const JoinRequest& request) {
  TRY(refuse_inside(state.host, "init"));
  TRY(check_request(state, request));
  JoinReport joined{request.store, request.schema, request.hub, request.clone, {}};
  TRY(name_as_before(state, request, joined));
  if (joined.clone.empty()) joined.clone = fresh_clone_name(*state.host.random);
  if (!joined.already) TRY(check_nothing_unfinished(state));
  Membership wanted{land::Hub{joined.hub, joined.clone}, joined.store, joined.schema, {}};
  state.keep(TRY(store::Store::open(location_of(state.repository, wanted), *state.host.clock)));
  state.membership = wanted;
  joined.log = TRY(store::log_uri(*state.store));
  TRY(fp_store_made.hit());
  const land::Context context = TRY(state.context({}));
  TRY(mark_hub(state, context, joined));
  TRY(fp_marked.hit());
  TRY(claim_name(state, joined.clone));
  if (!joined.already) TRY(configure(state, joined));
  TRY(fp_configured.hit());
  return joined;
}

}  // namespace gittxn::api
