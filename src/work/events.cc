// git txn events. Whoever dies between taking lines and acknowledging them gets them again.
#include "work/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "store/events.h"
#include "store/log/arrivals.h"
#include "store/log/feed.h"
#include "store/work/portfolio_relay.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

FAILPOINT(fp_delivered, "api.events.delivered");

constexpr int kReadBatch = 1000;
constexpr std::int64_t kStaleMs = 7 * 86'400'000LL;
constexpr std::string_view kStale = "txn.consumerStale";

Result<std::int64_t> stale_ms(State& state) {
  return TRY(duration_setting(state, kStale)).value_or(kStaleMs);
}

Status check_types(const std::vector<std::string>& types) {
  const std::vector<std::string> known = store::events::types();
  for (const std::string& type : types) {
    if (std::ranges::find(known, type) != known.end()) continue;
    return fail(Code::kUsage, fmt::format("there is no event type '{}'", type.substr(0, 64)),
                "git txn version --events lists them");
  }
  return {};
}

class Tail {
 public:
  Tail(State& state, const TailRequest& request, const TakeLines& take, const Progress& progress)
      : store_(*state.store),
        clock_(*state.host.clock),
        request_(request),
        take_(take),
        progress_(progress) {}

  Status run() {
    TRY(begin());
    // Before it is looked: nothing falls in between.
    std::unique_ptr<store::Arrivals> arrivals;
    if (request_.follow) arrivals = TRY(store::Arrivals::of(store_, clock_));
    left_ = request_.limit;
    while (!progress_.is_interrupted()) {
      const bool more = TRY(deliver());
      if (!more) return {};
      if (!at_end_) continue;
      if (!request_.follow) return {};
      TRY(stay_alive());
      TRY(arrivals->wait());
    }
    return {};
  }

 private:
  Status begin() {
    source_ = TRY(store::log_uri(store_));
    const Seq pruned = TRY(store::pruned_until(store_));
    const Seq head = TRY(store_.head());
    filter_ = {request_.types, request_.subject};
    next_ = pruned + 1;
    if (!request_.consumer.empty()) {
      const store::Consumer reader = TRY(store::usable_consumer(store_, request_.consumer));
      acked_ = reader.position;
      next_ = reader.position + 1;
      lives_ms_ = reader.ttl_ms;
      if (filter_.types.empty()) filter_.types = reader.types;
    }
    if (!request_.from) return {};
    if (*request_.from < 1 || *request_.from > head + 1) {
      return fail(Code::kUsage, fmt::format("there is no event {}", *request_.from),
                  fmt::format("the last one is {}", head));
    }
    next_ = *request_.from;
    return {};
  }

  // False: it is over.
  Result<bool> deliver() {
    const std::int64_t most =
        request_.limit > 0 ? std::min<std::int64_t>(left_, kReadBatch) : kReadBatch;
    const store::EventBatch batch =
        TRY(store::read_batch(store_, next_, filter_, static_cast<int>(most)));
    at_end_ = batch.at_end;
    lines_.clear();
    for (const Event& event : batch.events) {
      store::append_cloud_event(event, source_, lines_);
      lines_ += '\n';
    }
    if (INJECTED_BUG("events.ack_first")) TRY(acknowledge_until(batch.seen));
    if (!lines_.empty()) {
      const Go go = TRY(take_(lines_));
      if (go == Go::kStop) return false;
    }
    TRY(fp_delivered.hit());
    const bool worth = !batch.events.empty() || batch.seen - acked_ >= kPassedOver;
    if (request_.acknowledge && (worth || (at_end_ && !request_.follow))) {
      TRY(acknowledge_until(batch.seen));
    }
    next_ = std::max(next_, batch.seen + 1);
    left_ -= static_cast<std::int64_t>(batch.events.size());
    return request_.limit == 0 || left_ > 0;
  }

  Status acknowledge_until(Seq seen) {
    if (!request_.acknowledge || seen <= acked_) return {};
    TRY(store::acknowledge(store_, request_.consumer, seen));
    acked_ = seen;
    moved_ms_ = clock_.boot_ms();
    return {};
  }

  // An ephemeral consumer that waits is not one that is gone.
  Status stay_alive() {
    if (!request_.acknowledge || lives_ms_ == 0) return {};
    if (clock_.boot_ms() - moved_ms_ < lives_ms_ / 3) return {};
    TRY(store::acknowledge(store_, request_.consumer, acked_));
    moved_ms_ = clock_.boot_ms();
    return {};
  }

  store::Store& store_;
  Clock& clock_;
  const TailRequest& request_;
  const TakeLines& take_;
  const Progress& progress_;
  store::EventFilter filter_;
  std::string source_;
  std::string lines_;
  Seq next_ = 1;
  Seq acked_ = 0;
  std::int64_t left_ = 0;
  std::int64_t lives_ms_ = 0;  // 0: for ever
  std::int64_t moved_ms_ = 0;
  bool at_end_ = false;
};

struct Judged {
  std::int64_t now_ms = 0;
  std::int64_t stale_ms = 0;
  Seq let_go = 0;  // what may go until: what txn.retention lets go; without it, all that there is
};

Result<Judged> judging(State& state) {
  Judged judged;
  judged.now_ms = TRY(state.store->now_ms());
  judged.stale_ms = TRY(stale_ms(state));
  const auto keep_ms = TRY(retention_ms(state));
  if (!keep_ms) {
    judged.let_go = TRY(state.store->head());
    return judged;
  }
  const store::PrunePlan plan =
      TRY(store::plan_prune(*state.store, {.before = {}, .older_than_ms = keep_ms, .actor = {}}));
  judged.let_go = plan.asked;
  return judged;
}

Result<ConsumerLine> line_of(const store::Store& store, const store::Consumer& consumer,
                             const Judged& judged) {
  const store::Pending waiting = TRY(store::pending(store, consumer));
  ConsumerLine line{consumer};
  line.behind = waiting.events;
  line.oldest = waiting.oldest;
  line.idle_ms = std::max<std::int64_t>(0, judged.now_ms - consumer.moved_ms);
  line.ended = store::has_ended(consumer, judged.now_ms);
  if (waiting.oldest > 0) line.oldest_age_ms = judged.now_ms - waiting.oldest_ms;
  if (consumer.name.starts_with(kHandlerMark)) {
    line.handler = TRY(store::handler(store, consumer.name.substr(kHandlerMark.size())));
  }
  line.stale = waiting.oldest > 0 && std::min(line.idle_ms, line.oldest_age_ms) >= judged.stale_ms;
  const bool durable = consumer.kind == store::ConsumerKind::kDurable;
  // For a member only what waits for it is kept, and not all since it was told something.
  const bool nothing = store::is_consumer_of_member(consumer.name) && waiting.oldest == 0;
  const Seq kept_from =
      store::is_consumer_of_member(consumer.name) ? waiting.oldest : consumer.position + 1;
  if (durable && !nothing) line.holds_back = std::max<Seq>(0, judged.let_go - kept_from + 1);
  return line;
}

Result<ConsumerLine> line_named(State& state, const std::string& name) {
  const store::Consumer consumer = TRY(store::usable_consumer(*state.store, name));
  return line_of(*state.store, consumer, TRY(judging(state)));
}

// Of a handler of the policy of the branch that is checked out the next command would make the
// consumer anew, at the end of the log, and drop what waits for it.
Status check_not_in_policy(State& state, const std::string& consumer) {
  if (!consumer.starts_with(kHandlerMark)) return {};
  const auto branch = state.target(std::nullopt);
  if (!branch) return {};  // where none is checked out, no command finds a policy
  const auto head = state.seen(*branch);
  if (!head) return {};  // unborn
  const auto policy = state.policy_at(*head);
  if (!policy) return {};  // what cannot be read registers nothing
  const auto found = std::ranges::find(policy->handlers, consumer, [](const HandlerSpec& one) {
    return store::handler_consumer(one.name);
  });
  if (found == policy->handlers.end()) return {};
  return fail(Code::kRefused,
              fmt::format("the policy of {} has the handler {}, so the next command would "
                          "register it again, without what waits for it",
                          short_branch(*branch), found->name),
              fmt::format("take it ([on.\"{}\"]) out of the policy first; to pass over an event: "
                          "git txn events consumer ack {} SEQ",
                          found->type, consumer));
}

}  // namespace

Status tail_events(State& state, const TailRequest& request, const TakeLines& take,
                   const Progress& progress) {
  if (request.acknowledge) TRY(refuse_inside(state.host, "events tail --ack"));
  TRY(check_types(request.types));
  TRY(state.recorded());
  return Tail(state, request, take, progress).run();
}

Result<ConsumerLine> register_consumer(State& state, store::Registration request) {
  TRY(refuse_inside(state.host, "events consumer register"));
  TRY(check_types(request.types));
  store::Store* store = TRY(state.writing());
  if (request.name.starts_with(kHandlerMark)) {
    return fail(Code::kUsage, "names that begin with on/ are those of handlers",
                "docs/formats/policy.md says how a policy makes one");
  }
  if (request.ttl_ms > 0) request.kind = store::ConsumerKind::kEphemeral;
  std::ranges::sort(request.types);
  TRY(store::register_consumer(*store, request));
  return line_named(state, request.name);
}

Result<ConsumerLine> acknowledge(State& state, const std::string& name, Seq seq) {
  TRY(refuse_inside(state.host, "events consumer ack"));
  store::Store* store = TRY(state.recorded());
  TRY(store::acknowledge(*store, name, seq));
  return line_named(state, name);
}

Status remove_consumer(State& state, const std::string& name) {
  TRY(refuse_inside(state.host, "events consumer remove"));
  TRY(check_not_in_policy(state, name));
  store::Store* store = TRY(state.recorded());
  return store::remove_consumer(*store, name, "by " + TRY(state.caller()));
}

Result<std::vector<ConsumerLine>> list_consumers(State& state) {
  std::vector<ConsumerLine> lines;
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return lines;
  const Judged judged = TRY(judging(state));
  if (refuse_inside(state.host, "events")) TRY(store::raise_stale(*store, judged.stale_ms));
  for (const store::Consumer& consumer : TRY(store::consumers(*store))) {
    lines.push_back(TRY(line_of(*store, consumer, judged)));
  }
  return lines;
}

Result<store::PrunePlan> prune_events(State& state, store::PruneRequest request, Prune how) {
  TRY(refuse_inside(state.host, "events prune"));
  store::Store* store = TRY(state.recorded());
  request.actor = TRY(state.caller());
  if (!request.before && !request.older_than_ms) request.older_than_ms = TRY(retention_ms(state));
  if (!request.before && !request.older_than_ms) {
    return fail(Code::kUsage, "nothing says what to prune: events are kept for ever",
                "give --older-than D or --before SEQ, or set: git config txn.retention 90d");
  }
  return how == Prune::kOnlyTell ? store::plan_prune(*store, request)
                                 : store::prune(*store, request);
}

Result<std::optional<std::int64_t>> duration_setting(State& state, std::string_view key) {
  const auto text = TRY(state.repository.config().get(std::string(key)));
  if (!text) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(TRY_IN(key, parse_duration_ms(*text)));
}

Result<std::optional<std::int64_t>> retention_ms(State& state) {
  return duration_setting(state, kRetention);
}

Status tell_stale_consumers(State& state, std::vector<std::string>& notes) {
  const Result<std::int64_t> threshold = stale_ms(state);
  if (!threshold) {
    notes.push_back("consumers are not watched: " + threshold.error().message);
    return {};
  }
  for (const std::string& name : TRY(store::raise_stale(*state.store, *threshold))) {
    notes.push_back(
        fmt::format("consumer {} does not move on, and events wait for it; look with: git txn "
                    "events consumer list --lag",
                    name));
  }
  return {};
}

}  // namespace gittxn::api
