#include "api/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agents/hook_log.h"
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

Status report_file(Kernel::State& state, const Txn& txn, const std::string& path,
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

Status report_agent_usage(Kernel::State& state, const Txn& txn) {
  const std::string observed = observed_dir(txn.attempts.back());
  using enum store::UsageSource;
  TRY(report_file(state, txn, join_path(observed, "transcripts.jsonl"), kTranscript));
  TRY(report_file(state, txn, join_path(observed, "otel.jsonl"), kTranscript));
  return report_file(state, txn, join_path(observed, "hooks.jsonl"), kHook);
}

Status UsageLimits::check(Kernel::State& state, const Txn& txn) {
  using enum store::Kind;
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

Status UsageLimits::put_on(Kernel::State& state, const Txn& txn, const RunOptions& options,
                           capture::TraceSpec& spec) {
  TRY(check(state, txn));
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

bool UsageLimits::look() {
  if (!bytes_) return false;
  meter_.pass();
  if (meter_.bytes() < bytes_->amount || ending_ == 2) return false;
  ++ending_;
  return true;
}

Result<std::string> UsageLimits::settle(Kernel::State& state, const Txn& txn,
                                        const capture::TraceResult& trace,
                                        std::int64_t duration_ms) {
  if (bytes_) meter_.pass();
  const Attempt& attempt = txn.attempts.back();
  store::UsageItem item{
      fmt::format("command:{}:{}:{}", txn.id.str(), attempt.number, attempt.traces.size()), {}};
  count(item.amounts, store::Kind::kWall,
        std::clamp<std::int64_t>(duration_ms, 1, store::kMaxAmount));
  count(item.amounts, store::Kind::kBytes, std::min(meter_.bytes(), store::kMaxAmount));
  TRY(store::report_usage(*state.store, {txn.id, store::UsageSource::kMeasured, {item}}));
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
