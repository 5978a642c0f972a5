// If we die: before handler.started nothing has happened; after it the next command finds an
// attempt that runs and whose lock is free, records that nobody saw its end, and tries again; after
// handler.ended the event is acknowledged without running anything.
#include "work/handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "gates/process.h"
#include "store/log/consumers.h"
#include "store/log/feed.h"
#include "store/log/pruning.h"
#include "store/server/locks.h"
#include "txn/state.h"
#include "work/events.h"

namespace gittxn::api {

namespace events = store::events;
using store::HandlerState;

namespace {

FAILPOINT(fp_handler_started, "api.handler.started");
FAILPOINT(fp_handler_ran, "api.handler.ran");
FAILPOINT(fp_handler_ended, "api.handler.ended");

constexpr const char* kInsideHandler = "GIT_TXN_HANDLER";
constexpr std::size_t kMaxVariable = 64u
                                     << 10;  // Linux takes twice as much; then stdin alone has it
constexpr std::int64_t kFirstRetryMs = 10'000;
constexpr std::int64_t kLongestRetryMs = 3'600'000;
constexpr std::int64_t kLockGraceMs = 5'000;

// 10 s, 1 min, 6 min, 36 min.
std::int64_t pause_ms(std::int64_t first_ms, int attempt) {
  std::int64_t pause = first_ms;
  for (int i = 1; i < attempt && pause < kLongestRetryMs; ++i) pause *= 6;
  return std::min(pause, kLongestRetryMs);
}

enum class Delivered { kDone, kLeft };

class Delivery {
 public:
  Delivery(State& state, const Progress& progress) : state_(state), progress_(progress) {}

  Status run(const Policy& policy) {
    TRY(register_handlers(state_, policy));
    source_ = TRY(store::log_uri(*state_.store));
    until_ = TRY(state_.store->head());
    const auto pause = TRY(duration_setting(state_, "txn.handlerRetry"));
    first_pause_ms_ = pause.value_or(kFirstRetryMs);
    for (const HandlerSpec& handler : policy.handlers) {
      TRY_IN("handler " + handler.name, drain(handler));
    }
    return {};
  }

 private:
  // The first event of its type that it has not acknowledged, of those that were there at the
  // start.
  Result<std::optional<Event>> next(const HandlerSpec& handler, const store::Consumer& consumer) {
    Seq from = consumer.position + 1;
    while (from <= until_) {
      store::EventBatch batch =
          TRY(store::read_batch(*state_.store, from, {{handler.type}, ""}, 1));
      if (!batch.events.empty()) {
        if (batch.events.front().seq > until_) break;
        return std::optional<Event>(std::move(batch.events.front()));
      }
      if (batch.at_end) break;
      from = batch.seen + 1;
    }
    // So that the next look need not pass over the same events again.
    if (until_ - consumer.position >= kPassedOver) {
      TRY(store::acknowledge(*state_.store, consumer.name, until_));
    }
    return std::optional<Event>();
  }

  Result<std::optional<store::Lock>> lock(const HandlerSpec& handler, Seq registration) {
    store::Locks& locks = state_.store->locks();
    while (true) {
      auto held = locks.try_slot(store::Slots::kDeliveries, registration);
      if (held) return std::optional<store::Lock>(*std::move(held));
      if (held.error().code != Code::kBusy) return std::unexpected(std::move(held).error());
      // Whoever has it may have looked for the last time before our event was there.
      const Status free = locks.wait_free(store::Slots::kDeliveries, registration,
                                          handler.timeout_ms + kLockGraceMs);
      if (!free && free.error().code == Code::kTimeout) {
        progress_.note(fmt::format(
            "handler {} is busy in another process; what waits for it is given out later",
            handler.name));
        return std::optional<store::Lock>();
      }
      if (!free) return std::unexpected(free.error());
    }
  }

  Status drain(const HandlerSpec& handler) {
    const std::string name = store::handler_consumer(handler.name);
    const store::Consumer first = TRY(store::usable_consumer(*state_.store, name));
    const auto any = TRY(next(handler, first));
    if (!any) return {};
    std::optional<store::Lock> held;
    if (!INJECTED_BUG("handlers.no_lock")) {
      held = TRY(lock(handler, first.registered));
      if (!held) return {};
    }
    while (!progress_.is_interrupted()) {
      const store::Consumer consumer = TRY(store::usable_consumer(*state_.store, name));
      const auto event = TRY(next(handler, consumer));
      if (!event) return {};
      const Delivered outcome = TRY(deliver(handler, *event));
      if (outcome == Delivered::kLeft) return {};
    }
    progress_.note(fmt::format(
        "handler {} was not given all of its events; the next command goes on", handler.name));
    return {};
  }

  // An attempt of a command that died. The lock is ours, so nobody runs it.
  Status bury(const HandlerSpec& handler, const store::HandlerRow& row) {
    const std::int64_t now_ms = TRY(state_.store->now_ms());
    const bool over = row.attempt >= store::kHandlerAttempts;
    events::HandlerEnd end;
    end.event = row.event;
    end.attempt = row.attempt;
    end.state = over ? HandlerState::kStopped : HandlerState::kFailing;
    end.exit = -1;
    end.retry_at_ms = now_ms;
    TRY(state_.store->append({events::handler_ended(handler.name, end)}));
    return {};
  }

  Result<Delivered> deliver(const HandlerSpec& handler, const Event& event) {
    auto row = TRY(store::handler(*state_.store, handler.name));
    if (row && row->event == event.seq && row->state == HandlerState::kRunning) {
      TRY(bury(handler, *row));
      row = TRY(store::handler(*state_.store, handler.name));
    }
    const bool again = row && row->event == event.seq;
    if (again && row->state == HandlerState::kDone) {
      TRY(store::acknowledge(*state_.store, store::handler_consumer(handler.name), event.seq));
      return Delivered::kDone;
    }
    if (again && row->state == HandlerState::kStopped) {
      progress_.note(fmt::format(
          "handler {} gave up on event {}; when it is put right: git txn events consumer "
          "retry {}",
          handler.name, event.seq, handler.name));
      return Delivered::kLeft;
    }
    const std::int64_t now_ms = TRY(state_.store->now_ms());
    if (again && now_ms < row->retry_at_ms) return Delivered::kLeft;
    return attempt(handler, event, again ? row->attempt + 1 : 1);
  }

  Result<Output> run_command(const HandlerSpec& handler, const Event& event,
                             gates::OutputTail& output) {
    const std::string line = store::cloud_event(event, source_);
    Command command;
    command.argv = handler.command;
    if (INJECTED_BUG("handlers.detached")) {
      command.argv.insert(command.argv.begin(), {"setsid", "--fork"});
    }
    const auto& place = state_.repository.place();
    command.cwd = place.worktree.value_or(place.common_dir);
    command.env = gates::scrubbed_environment(state_.host.env, {});
    command.env[kInsideHandler] = handler.name;
    if (line.size() <= kMaxVariable) command.env["GIT_TXN_EVENT"] = line;
    command.input = line + "\n";
    command.timeout_ms = handler.timeout_ms;
    command.on_output = [&output](int, std::string_view bytes) { output.add(bytes); };
    auto ran = gittxn::run(command);
    if (ran || ran.error().code != Code::kNotFound) return ran;
    output.add(ran.error().message);
    Output none;
    none.exit.status = 127;
    return none;
  }

  Result<Delivered> attempt(const HandlerSpec& handler, const Event& event, int number) {
    TRY(state_.store->append({events::handler_started(handler.name, event.seq, number)}));
    TRY(fp_handler_started.hit());
    if (progress_.on_phase) progress_.on_phase("handler " + handler.name);
    gates::OutputTail output;
    const std::int64_t begin_ns = state_.host.clock->monotonic_ns();
    const Output ran = TRY(run_command(handler, event, output));
    TRY(fp_handler_ran.hit());
    events::HandlerEnd end;
    end.event = event.seq;
    end.attempt = number;
    end.exit = ran.exit.status;
    end.timed_out = ran.exit.timed_out;
    end.duration_ms = (state_.host.clock->monotonic_ns() - begin_ns) / kNsPerMs;
    if (output.total() > 0) end.output = TRY(state_.store->put_artifact(output.text()));
    if (!ran.exit.success()) {
      const bool over = number >= store::kHandlerAttempts;
      end.state = over ? HandlerState::kStopped : HandlerState::kFailing;
      const std::int64_t now_ms = TRY(state_.store->now_ms());
      if (!over) end.retry_at_ms = now_ms + pause_ms(first_pause_ms_, number);
    }
    TRY(state_.store->append({events::handler_ended(handler.name, end)}));
    TRY(fp_handler_ended.hit());
    if (end.state == HandlerState::kDone) {
      TRY(store::acknowledge(*state_.store, store::handler_consumer(handler.name), event.seq));
      return Delivered::kDone;
    }
    progress_.note(
        fmt::format("handler {} failed on event {} ({}); {}", handler.name, event.seq,
                    end.timed_out ? "it took longer than " + format_duration(handler.timeout_ms)
                                  : fmt::format("exit {}", end.exit),
                    end.state == HandlerState::kStopped
                        ? "it is left to you: git txn events consumer retry " + handler.name
                        : "a later command tries again"));
    return Delivered::kLeft;
  }

  State& state_;
  const Progress& progress_;
  std::string source_;
  Seq until_ = 0;
  std::int64_t first_pause_ms_ = kFirstRetryMs;
};

// The last line of what it printed; a long one is cut, and not within a character.
std::string last_said(const store::Store& store, const Digest& output) {
  constexpr std::size_t kMostSaid = 200;
  if (output.empty()) return "";
  const auto text = store.artifact(output);
  if (!text) return "";  // what it printed is for reading; that it failed is told without it
  const std::size_t end = text->find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  std::string line = text->substr(0, end + 1);
  line.erase(0, line.rfind('\n') + 1);
  if (line.size() <= kMostSaid) return line;
  std::size_t cut = kMostSaid;
  while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) --cut;
  return line.substr(0, cut) + "...";
}

Result<std::vector<HandlerFailure>> failures_in(const store::Store& store) {
  std::vector<HandlerFailure> failures;
  for (const store::HandlerRow& row : TRY(store::handlers(store))) {
    if (row.state != HandlerState::kFailing && row.state != HandlerState::kStopped) continue;
    const std::string over = TRY(store::why_not_due(store, row));
    if (!over.empty()) continue;
    const std::string why =
        row.timed_out ? "took longer than its limit" : fmt::format("exit {}", row.exit);
    failures.push_back({row, why, last_said(store, row.output)});
  }
  return failures;
}

}  // namespace

Status register_handlers(State& state, const Policy& policy) {
  for (const HandlerSpec& handler : policy.handlers) {
    store::Registration registration;
    registration.name = store::handler_consumer(handler.name);
    registration.types = {handler.type};
    const auto there = TRY(store::consumer(*state.store, registration.name));
    if (there && there->types == registration.types) continue;
    // The same name for another type: what it was to be given before is given to nobody.
    if (there) {
      TRY(store::remove_consumer(*state.store, registration.name, "its type is another one now"));
    }
    TRY(store::register_consumer(*state.store, registration));
  }
  return {};
}

namespace {

bool gives_nothing_out(const Host& host) {
  return !host.variable("GIT_TXN_ID").empty() || !host.variable(kInsideHandler).empty();
}

}  // namespace

Status deliver_events(const Host& host, const std::optional<std::string>& onto,
                      const Progress& progress) {
  if (gives_nothing_out(host)) return {};
  const std::unique_ptr<State> opened = TRY(open_state(host));
  return deliver_events(*opened, onto, progress);
}

Status deliver_events(State& state, const std::optional<std::string>& onto,
                      const Progress& progress) {
  if (gives_nothing_out(state.host)) return {};
  const store::Store* store = TRY(state.looking());
  if (store == nullptr) return {};
  const auto branch = state.target(onto);
  if (!branch) return {};  // no branch is checked out: then nothing says which policy
  const auto head = state.seen(*branch);
  if (!head) return {};  // unborn
  const Policy policy = TRY(state.policy_at(*head));
  if (policy.handlers.empty()) return {};
  const bool offered = state.host.variable("GIT_TXN_TRUST") == policy.trust_hash.str();
  if (!offered && !TRY(store->is_trusted(policy.trust_hash))) return {};
  return Delivery(state, progress).run(policy);
}

Status retry_handler(State& state, const std::string& name) {
  TRY(refuse_inside(state.host, "events consumer retry"));
  store::Store* store = TRY(state.looking());
  const std::string bare = name.starts_with(kHandlerMark) ? name.substr(kHandlerMark.size()) : name;
  const auto row = store == nullptr ? std::nullopt : TRY(store::handler(*store, bare));
  const bool failed =
      row && (row->state == HandlerState::kFailing || row->state == HandlerState::kStopped);
  if (!failed) {
    return fail(Code::kUsage, fmt::format("no handler '{}' has failed", bare.substr(0, 64)),
                "git txn events consumer list shows those that have");
  }
  const std::string over = TRY(store::why_not_due(*store, *row));
  if (!over.empty()) {
    return fail(Code::kUsage,
                fmt::format("handler {} failed on event {}, and is not given it again: {}", bare,
                            row->event, over),
                "git txn events consumer list shows how far it is");
  }
  const auto caller = TRY(state.caller());
  TRY(store->append({events::handler_retried(bare, row->event, caller)}));
  return {};
}

Result<std::vector<HandlerFailure>> handler_failures(State& state) {
  const store::Store* store = TRY(state.looking());
  if (store == nullptr) return std::vector<HandlerFailure>();
  return failures_in(*store);
}

void tell_handlers(const store::Store& store, std::vector<std::string>& notes) {
  const auto failures = failures_in(store);
  if (!failures) {
    notes.push_back("handlers: " + failures.error().message);
    return;
  }
  for (const HandlerFailure& one : *failures) {
    notes.push_back(
        fmt::format("handler {} failed on event {} ({}, attempt {}){}; {}", one.name, one.event,
                    one.why, one.attempt, one.said.empty() ? "" : ", its last words: " + one.said,
                    one.stopped() ? "it is left to you: git txn events consumer retry " + one.name
                                  : "a later command tries again"));
  }
}

}  // namespace gittxn::api
