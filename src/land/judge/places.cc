#include "land/judge/places.h"

#include <algorithm>
#include <tuple>

#include "base/bug.h"
#include "land/judge/beside.h"
#include "land/judge/judge_contents.h"
#include "land/judge/shown_names.h"
#include "land/judge/symbols.h"
#include "store/events.h"
#include "store/server/locks.h"
#include "store/work/recorded.h"

namespace gittxn::land {
namespace {

constexpr int kLossesOfAPlace = 2;

struct Losses {
  int times = 0;
  std::string last;  // when, as events have it
};

Result<Losses> losses_of(const store::Store& store, const TxnId& id) {
  Losses losses;
  for (const Event& event : TRY(store.events_of(id.str()))) {
    if (event.type != event_type::kConflicted) continue;
    ++losses.times;
    losses.last = event.time;
  }
  return losses;
}

bool goes_before(const Txn& one, const Losses& its, const Txn& other, const Losses& others) {
  return std::tuple(-its.times, one.created_wall_ms, one.id.str()) <
         std::tuple(-others.times, other.created_wall_ms, other.id.str());
}

// The last of its tries that came to an end.
const Attempt* last_try(const Txn& txn) {
  const auto found = std::ranges::find_if(
      txn.attempts.rbegin(), txn.attempts.rend(),
      [](const Attempt& attempt) { return !attempt.reads.empty() && !attempt.kept.empty(); });
  return found == txn.attempts.rend() ? nullptr : &*found;
}

// Whether the candidate, on its head, changes what the try read or wrote, as if the try had been
// made on that head. A question is asked again by its own landing.
Result<bool> meets(const Context& context, const Txn& loser, const Attempt& attempt,
                   const Candidate& candidate) {
  Footprint footprint;
  footprint.txn = loser.id;
  footprint.base = candidate.head;
  footprint.writes = TRY(store::recorded_writes(*context.store, attempt));
  footprint.reads = TRY(store::recorded_reads(*context.store, loser.id, attempt));
  if (!footprint.reads.complete) return false;  // everybody would have to wait for it
  std::vector<Read>& reads = footprint.reads.reads;
  std::erase_if(reads, [](const Read& read) {
    const bool of_tree = certify::is_path_read(read.kind) || read.kind == ReadKind::kSearch;
    return !of_tree || read.question != 0 || read.strength != Strength::kHard ||
           read.digest.starts_with(kUncommitted);
  });
  for (Read& read : reads) read.snapshot = candidate.head;
  footprint.reads.questions.clear();
  const std::vector<SnapshotDiff> diffs{{candidate.head, candidate.changes}};
  const repo::Objects& objects = context.repository->objects();
  certify::Input input{&footprint, diffs};
  input.level = loser.isolation;
  input.contents = judge_contents(objects, candidate.tree, input.level);
  input.says_the_same = says_the_same(objects);
  input.names = name_rules(objects, footprint, candidate.policy.listings);
  input.only_came = only_came(objects, candidate.tree);
  return !certify::certify(input).commit;
}

// The transactions that it was begun inside of, which wait for it themselves.
Result<std::vector<TxnId>> above(const store::Store& store, const Txn& txn) {
  std::vector<TxnId> ids;
  for (TxnId id = txn.parent; !id.empty();) {
    if (std::ranges::find(ids, id) != ids.end()) break;
    ids.push_back(id);
    const auto parent = TRY(store.txn(id));
    id = parent ? parent->parent : TxnId();
  }
  return ids;
}

}  // namespace

Result<std::optional<Txn>> loser_in_the_way(const Context& context, const Work& work,
                                            const Candidate& candidate) {
  const std::int64_t patience_ms = candidate.policy.patience_ms;
  if (patience_ms == 0 || INJECTED_BUG("land.no_places")) return std::nullopt;
  const store::Store& store = *context.store;
  const std::string since = format_utc(context.clock->wall_ms() - patience_ms);
  using enum TxnState;
  const std::vector<TxnId> around = TRY(above(store, work.txn));
  std::optional<Losses> own;
  for (Txn& other : TRY(store.txns({{kOpen, kPrepared, kLanding, kRepairing}, 0}))) {
    const bool lost_before = other.attempts.size() >= kLossesOfAPlace;
    if (other.id == work.txn.id || other.target != work.txn.target || !lost_before) continue;
    const Losses losses = TRY(losses_of(store, other.id));
    if (losses.times < kLossesOfAPlace || losses.last < since) continue;
    if (!own) own = TRY(losses_of(store, work.txn.id));
    if (!goes_before(other, losses, work.txn, *own)) continue;
    if (std::ranges::find(around, other.id) != around.end()) continue;
    if (!TRY(store.locks().is_held(store::Slots::kOwners, other.slot))) continue;
    const Attempt* attempt = last_try(other);
    if (attempt != nullptr && TRY(meets(context, other, *attempt, candidate))) {
      return std::optional(std::move(other));
    }
  }
  return std::nullopt;
}

}  // namespace gittxn::land
