#include "txn/bounds/usage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <sstream>

#include "agents/hook_log.h"
#include "agents/import.h"
#include "base/bug.h"
#include "base/duration.h"
#include "base/hash.h"

namespace gittxn::api {
namespace {

constexpr std::size_t kMostItems = 200'000;
constexpr std::size_t kLongId = 200;
constexpr std::int64_t kMsPerSecond = 1000;

void count(store::Amounts& amounts, store::Kind kind, std::int64_t amount) {
  amounts[static_cast<std::size_t>(kind)] = amount;
}

// Of whatever length, as bytes of somebody else's.
std::string id_of(std::string_view of, const std::string& name) {
  return fmt::format("{}:{}", of, name.size() <= kLongId ? name : sha256(name).str());
}

// An answer without a name is told apart by when it came and what it took.
std::string answer_id(const agents::Observation& seen, const agents::Usage& usage) {
  if (!seen.tool_use_id.empty()) return id_of("answer", seen.tool_use_id);
  return id_of("answer", fmt::format("{} {} {} {} {}", seen.session, seen.agent, seen.start_ms,
                                     usage.input, usage.output));
}

using Items = std::map<std::string, store::Amounts>;

// A conversation that is resumed brings along what it used up before, which is nobody's here. Both
// are told by the wall clock of this machine; some agents tell whole seconds alone.
bool is_older(const agents::Observation& seen, const Txn& txn) {
  const std::int64_t over_ms = std::max(seen.start_ms, seen.end_ms);
  return over_ms > 0 && over_ms < txn.created_wall_ms / kMsPerSecond * kMsPerSecond;
}

void take(const agents::Observation& seen, const Txn& txn, Items& items) {
  if (items.size() >= kMostItems || is_older(seen, txn)) return;
  if (const auto* usage = std::get_if<agents::Usage>(&seen.detail)) {
    store::Amounts& amounts = items[answer_id(seen, *usage)];
    const auto larger = [&](store::Kind kind, std::int64_t amount) {
      std::int64_t& known = amounts[static_cast<std::size_t>(kind)];
      known = std::clamp(amount, known, store::kMaxAmount);
    };
    larger(store::Kind::kInput, usage->input);
    larger(store::Kind::kOutput, usage->output);
    larger(store::Kind::kCache, usage->cache_read + usage->cache_write);
  } else if (!seen.tool.empty() && !seen.tool_use_id.empty()) {
    count(items[id_of("call", seen.tool_use_id)], store::Kind::kCalls, 1);
  }
}

constexpr std::int64_t kNoteEveryNs = 250 * kNsPerMs;
constexpr std::size_t kMaxNoted = 64;

std::string noted_file_of(const std::string& record_file) {
  return record_file + ".used";
}

store::UsageItem command_item(const Txn& txn, const Attempt& attempt, std::int64_t wall_ms,
                              std::int64_t bytes) {
  store::UsageItem item{
      fmt::format("command:{}:{}:{}", txn.id.str(), attempt.number, attempt.traces.size()), {}};
  count(item.amounts, store::Kind::kWall, std::clamp<std::int64_t>(wall_ms, 1, store::kMaxAmount));
  count(item.amounts, store::Kind::kBytes, std::clamp<std::int64_t>(bytes, 0, store::kMaxAmount));
  return item;
}

// nullopt: nothing is noted. So it is too where something else is there, after a power cut or of
// somebody's making: whoever could write that could remove it as well. Not waited for: it may be a
// pipe.
std::optional<store::UsageItem> noted_of(const Txn& txn, const Attempt& attempt) {
  if (attempt.traces.empty()) return std::nullopt;
  const auto file =
      open_fd(noted_file_of(attempt.traces.back()), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (!file) return std::nullopt;
  const auto text = read_fd(file->get(), kMaxNoted);
  if (!text) return std::nullopt;
  std::int64_t wall_ms = 0;
  std::int64_t bytes = 0;
  std::istringstream in(*text);
  if (!(in >> wall_ms >> bytes)) return std::nullopt;
  return command_item(txn, attempt, wall_ms, bytes);
}

bool share_a_budget(const Txn& a, const Txn& b) {
  return (!a.owner.empty() && a.owner == b.owner) ||
         (!a.workflow.empty() && a.workflow == b.workflow);
}

// The measured budgets that other transactions draw on as well.
Result<std::vector<store::Budget>> shared_budgets(const store::View& view, const Txn& txn) {
  std::vector<store::Budget> shared;
  for (const store::Scope& scope : store::scopes_of(txn)) {
    if (scope.of == store::Scope::Of::kTxn) continue;
    for (store::Budget& budget : TRY(store::budgets_of(view, scope))) {
      const bool measured = store::trust_of(budget.kind) == store::Trust::kMeasured;
      if (measured) shared.push_back(std::move(budget));
    }
  }
  return shared;
}

bool draws_on(const Txn& txn, const store::Scope& scope) {
  const std::vector<store::Scope> scopes = store::scopes_of(txn);
  return std::ranges::find(scopes, scope) != scopes.end();
}

// Those that still run, too: the larger of two reports counts, so what they have used until now is
// charged in any case.
Status charge_others(State& state, const Txn& txn) {
  using enum TxnState;
  const auto wall = TRY(store::left_of(*state.store, txn, store::Kind::kWall));
  const auto bytes = TRY(store::left_of(*state.store, txn, store::Kind::kBytes));
  if (!wall && !bytes) return {};
  // Of one that landed it was charged when its work was taken.
  const store::TxnFilter unsettled{
      {kOpen, kPrepared, kLanding, kRejected, kQuarantined, kRepairing, kAborted}, 0};
  for (const Txn& other : TRY(state.store->txns(unsettled))) {
    const bool asked = other.id != txn.id && share_a_budget(txn, other);
    if (asked && state.require_here(other)) TRY(charge_noted(state, other));
  }
  return {};
}

Status report_file(State& state, const Txn& txn, const std::string& path,
                   store::UsageSource source) {
  Items items;
  agents::HookLogReader reader([&](agents::Observation&& seen) { take(seen, txn, items); });
  const Status read = agents::read_hook_log(path, reader);
  if (!read && read.error().code == Code::kNotFound) return {};
  if (!read) return read;
  store::Usage usage{txn.id, source, {}};
  for (auto& [id, amounts] : items) usage.items.push_back({id, amounts});
  return store::report_usage(*state.store, usage);
}

}  // namespace

Status OutputMeter::open(capture::TraceSpec& spec) {
  both_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!both_.valid()) return fail_errno(errno, "epoll_create1");
  int* const ends[] = {&spec.stdout_fd, &spec.stderr_fd};
  for (int i = 0; i < 2; ++i) {
    int made[2];
    if (::pipe2(made, O_CLOEXEC) != 0) return fail_errno(errno, "pipe2");
    streams_[i].from = UniqueFd(made[0]);
    streams_[i].command = UniqueFd(made[1]);
    streams_[i].to = *ends[i];
    if (::fcntl(made[0], F_SETFL, O_NONBLOCK) != 0) return fail_errno(errno, "fcntl");
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(both_.get(), EPOLL_CTL_ADD, made[0], &event) != 0) {
      return fail_errno(errno, "epoll_ctl");
    }
    *ends[i] = made[1];
  }
  spec.watch_fd = both_.get();
  spec.on_readable = [this] { pass(); };
  return {};
}

void OutputMeter::pass(Stream& stream) {
  std::array<char, 65536> buffer;
  while (stream.from.valid()) {
    const ssize_t got = ::read(stream.from.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;  // nothing more now: the other end is ours too
    bytes_ += got;
    const std::string_view said(buffer.data(), static_cast<std::size_t>(got));
    if (write_all(stream.to, said)) continue;
    stream.command.reset();
    stream.from.reset();
  }
}

void OutputMeter::pass() {
  for (Stream& stream : streams_) pass(stream);
}

Status charge_noted(State& state, const Txn& txn) {
  for (const Attempt& attempt : txn.attempts) {
    const auto item = noted_of(txn, attempt);
    if (!item || INJECTED_BUG("budgets.kill_is_free")) continue;
    // Without the write lock: most of what is noted has been charged.
    const store::Amounts known = TRY(store::reported_of(*state.store, item->id));
    const auto is_known = [&](store::Kind kind) {
      return item->amounts[static_cast<std::size_t>(kind)] <= known[static_cast<std::size_t>(kind)];
    };
    if (is_known(store::Kind::kWall) && is_known(store::Kind::kBytes)) continue;
    TRY(store::report_usage(*state.store, {txn.id, store::UsageSource::kMeasured, {*item}}));
  }
  return {};
}

Status report_agent_usage(State& state, const Txn& txn) {
  const std::string observed = observed_dir(txn.attempts.back());
  using enum store::UsageSource;
  TRY(report_file(state, txn, join_path(observed, "transcripts.jsonl"), kTranscript));
  TRY(report_file(state, txn, join_path(observed, "otel.jsonl"), kTranscript));
  return report_file(state, txn, join_path(observed, "hooks.jsonl"), kHook);
}

Result<std::optional<store::Amounts>> told_until_now(const Txn& txn) {
  Items items;
  TRY(agents::read_sessions(observed_dir(txn.attempts.back()),
                            [&](agents::Observation&& seen) { take(seen, txn, items); }));
  if (items.empty()) return std::nullopt;
  store::Amounts all{};
  for (const auto& [id, amounts] : items) all = store::amounts_sum(all, amounts);
  return std::optional(all);
}

Status UsageLimits::check(State& state, const Txn& txn) {
  using enum store::Kind;
  TRY(charge_noted(state, txn));
  TRY(charge_others(state, txn));
  std::vector<store::Kind> enforced{kWall, kBytes};
  if (INJECTED_BUG("budgets.reported_enforces")) enforced = {kInput, kOutput, kCost, kCalls};
  for (const store::Kind kind : enforced) {
    const auto left = TRY(store::left_of(*state.store, txn, kind));
    if (!left || left->amount > 0) continue;
    return fail(Code::kBusy,
                fmt::format("the {} budget of {} is used up", store::kind_name(kind),
                            scope_text(left->scope)),
                "set another with: git txn budget set");
  }
  return {};
}

Status UsageLimits::put_on(State& state, const Txn& txn, const RunOptions& options,
                           capture::TraceSpec& spec) {
  TRY(check(state, txn));
  noted_file_ = noted_file_of(spec.record_file);
  wall_ = TRY(store::left_of(*state.store, txn, store::Kind::kWall));
  bytes_ = TRY(store::left_of(*state.store, txn, store::Kind::kBytes));
  if (wall_ && (spec.timeout_ms < 0 || wall_->amount < spec.timeout_ms)) {
    spec.timeout_ms = wall_->amount;
  } else {
    wall_.reset();
  }
  if (!bytes_) return {};
  if (!options.keep_running) return meter_.open(spec);
  return fail(Code::kUsage, "a budget of bytes and --keep-running exclude each other",
              "what is left running could print for ever");
}

Status UsageLimits::start(State& state, const Txn& txn) {
  state_ = &state;
  began_ns_ = state.host.clock->monotonic_ns();
  TRY(remove_file(noted_file_));  // an earlier command may have put a link there
  noted_ = TRY(open_fd(noted_file_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  if (!TRY(shared_budgets(*state.store, txn)).empty()) txn_ = txn;
  return {};
}

bool UsageLimits::note() {
  const std::int64_t now_ns = state_->host.clock->monotonic_ns();
  if (now_ns < next_note_ns_) return false;
  next_note_ns_ = now_ns + kNoteEveryNs;
  const std::string text =
      fmt::format("{:015d} {:020d}\n", (now_ns - began_ns_) / kNsPerMs, meter_.bytes());
  // Where the disk is full only a kill would lose something by it, and the command goes on.
  static_cast<void>(::pwrite(noted_.get(), text.data(), text.size(), 0));
  return true;
}

// What is noted of a command is on record as soon as somebody asked for its budget.
Result<std::optional<UsageLimits::Over>> UsageLimits::count_beside() const {
  const store::Store& store = *state_->store;
  using enum TxnState;
  std::vector<std::pair<Txn, store::Amounts>> running;
  for (Txn& one : TRY(store.txns({{kOpen, kRepairing}, 0}))) {
    if (one.attempts.empty() || !state_->require_here(one)) continue;
    if (one.id != txn_->id && !share_a_budget(one, *txn_)) continue;
    const auto item = noted_of(one, one.attempts.back());
    if (!item) continue;
    store::Amounts more = item->amounts;
    const store::Amounts known = TRY(store::reported_of(store, item->id));
    for (std::size_t i = 0; i < more.size(); ++i) {
      more[i] = std::max<std::int64_t>(more[i] - known[i], 0);
    }
    running.emplace_back(std::move(one), more);
  }
  for (const store::Budget& budget : TRY(shared_budgets(store, *txn_))) {
    const std::size_t kind = static_cast<std::size_t>(budget.kind);
    std::int64_t used = TRY(store::used(store, budget.scope))[kind];
    for (const auto& [txn, more] : running) {
      if (draws_on(txn, budget.scope)) used += more[kind];
    }
    if (used >= budget.limit) return std::optional(Over{budget.kind, budget.scope, budget.limit});
  }
  return std::optional<Over>{};
}

bool UsageLimits::look() {
  const bool noted = note();
  if (bytes_) meter_.pass();
  if (noted && txn_ && !over_ && !INJECTED_BUG("budgets.alone")) {
    auto over = count_beside();
    if (over) {
      over_ = *std::move(over);
    } else {
      txn_.reset();  // nothing depends on it but how soon it is ended
      notes_.push_back("what others used of its budgets was not counted while it ran: " +
                       over.error().message);
    }
  }
  const bool printed = bytes_ && meter_.bytes() >= bytes_->amount;
  if ((!printed && !over_) || ending_ == 2) return false;
  ++ending_;
  return true;
}

Result<std::string> UsageLimits::settle(State& state, const Txn& txn,
                                        const capture::TraceResult& trace,
                                        std::int64_t duration_ms) {
  if (bytes_) meter_.pass();
  const store::UsageItem item = command_item(txn, txn.attempts.back(), duration_ms, meter_.bytes());
  // Its work is taken next.
  TRY(store::report_usage(*state.store, {txn.id, store::UsageSource::kMeasured, {item}},
                          store::Store::Durable::kSoon));
  TRY(remove_file(noted_file_));
  if (over_) {
    return fmt::format(
        "the {} budget of {} ({}) is used up, with what runs beside it, and it was "
        "ended",
        store::kind_name(over_->kind), scope_text(over_->scope),
        over_->kind == store::Kind::kWall ? format_duration(over_->limit)
                                          : std::to_string(over_->limit));
  }
  if (ending_ > 0) {
    return fmt::format("it printed more than the bytes budget of {} allows ({}) and was ended",
                       scope_text(bytes_->scope), bytes_->amount);
  }
  if (wall_ && trace.timed_out) {
    return fmt::format("it used up what was left of the wall budget of {} ({}) and was ended",
                       scope_text(wall_->scope), format_duration(wall_->amount));
  }
  return std::string();
}

}  // namespace gittxn::api
