#include "txn/watch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/bug.h"
#include "land/judge/phase.h"
#include "store/events.h"
#include "store/work/workflows.h"
#include "txn/first_write.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

constexpr std::int64_t kLookEveryNs = 250 * kNsPerMs;
constexpr std::int64_t kJudgeEveryNs = 500 * kNsPerMs;  // at the soonest
constexpr std::int64_t kInterruptGraceNs = 2000 * kNsPerMs;
constexpr std::int64_t kRest = 20;  // times what the last judgement took
// More records take seconds to judge, in which nobody answers a Ctrl-C.
constexpr std::uint64_t kMaxRecordBytes = 64u << 20;
constexpr std::size_t kMaxChanges = 20;  // with a diff
constexpr std::size_t kMaxDiff = 16u << 10;

// What a conflict is told once for.
std::string mark_of(const Conflict& conflict) {
  return conflict.subject + '\0' + conflict.head_digest;
}

Result<std::string> diff_of(State& state, const Oid& read, const Oid& head,
                            const std::string& path) {
  std::string diff = TRY(difference(state, read, head, path));
  if (diff.size() > kMaxDiff) {
    diff.resize(diff.rfind('\n', kMaxDiff) + 1);
    diff += "...\n";
  }
  return diff;
}

}  // namespace

Watch::Watch(State& state, Txn txn) : state_(state), txn_(std::move(txn)) {
  judged_ = txn_.attempts.back().base;
  // A number is used once in an attempt, whichever of its commands was told.
  const auto brief = read_brief(observed_dir(txn_.attempts.back()));
  if (brief && *brief) number_ = (*brief)->number;
}

void Watch::look() {
  const std::int64_t now = state_.host.clock->monotonic_ns();
  if (now < next_look_ns_) return;
  next_look_ns_ = now + kLookEveryNs;
  Status looked = look_at_state();
  if (over_) return;
  if (looked) looked = look_at_branch();
  if (looked) return;
  over_ = true;
  notes_.push_back("what it read was not watched while it ran: " + looked.error().message);
}

std::uint64_t Watch::record_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::string& trace : txn_.attempts.back().traces) {
    struct stat info = {};
    if (::stat(trace.c_str(), &info) == 0) bytes += static_cast<std::uint64_t>(info.st_size);
  }
  return bytes;
}

bool Watch::take_interrupt() {
  constexpr int kMost = 2;
  const std::int64_t now = state_.host.clock->monotonic_ns();
  if (!cancelled_ || interrupts_ == kMost || now < next_interrupt_ns_) return false;
  ++interrupts_;
  next_interrupt_ns_ = now + kInterruptGraceNs;
  return true;
}

Status Watch::look_at_state() {
  const auto now = TRY(state_.store->txn(txn_.id));
  cancelled_ = now && now->state == TxnState::kAborted;
  if (rule_ || txn_.workflow.empty()) return {};
  const auto workflow = TRY(store::workflow(*state_.store, WorkflowId(txn_.workflow)));
  if (!workflow || !workflow->cancelled) return {};
  // It goes on: whoever runs it decides what its work is still good for.
  rule_ = land::cancelled_conflict(*workflow);
  return tell(judged_, stale_);
}

Status Watch::look_at_branch() {
  const auto head = state_.seen(txn_.target);
  if (!head && head.error().code == Code::kNotFound) return {};  // the landing will say so
  if (!head) return std::unexpected(head.error());
  const bool moved = *head != judged_;
  if (!moved && *head == txn_.attempts.back().base) return {};
  const std::uint64_t bytes = record_bytes();
  if (!moved && bytes == judged_bytes_) return {};
  const std::int64_t began = state_.host.clock->monotonic_ns();
  if (began < next_judgement_ns_) return {};
  if (bytes > kMaxRecordBytes) {
    over_ = true;
    notes_.emplace_back("it made too many calls for its reads to be watched while it ran");
    return {};
  }
  TRY(judge(*head));
  judged_ = *head;
  judged_bytes_ = bytes;
  const std::int64_t took = state_.host.clock->monotonic_ns() - began;
  next_judgement_ns_ = began + took + std::max(kJudgeEveryNs, kRest * took);
  return {};
}

Status Watch::judge(const Oid& head) {
  Footprint footprint;
  footprint.txn = txn_.id;
  footprint.base = txn_.attempts.back().base;
  footprint.reads = TRY(reads_until_now(state_, txn_));
  // The record has no end yet, and it is the reads until now that are asked about.
  footprint.reads.complete = true;
  const Progress quiet;
  const land::Context context = TRY(state_.context(quiet));
  const Verdict verdict = TRY(land::certify_reads(context, txn_, footprint, head));
  stale_ = verdict.conflicts;
  if (!verdict.commit || rule_) return tell(head, stale_);
  told_.clear();
  TRY(remove_brief(observed_dir(txn_.attempts.back())));
  if (extended_ == head) return {};
  extended_ = head;
  const Attempt& attempt = txn_.attempts.back();
  TRY(state_.store->append(
      {events::extended(txn_.id, attempt.number, head, footprint.reads.reads.size())}));
  return {};
}

Status Watch::tell(const Oid& head, std::vector<Conflict> conflicts) {
  if (rule_) conflicts.insert(conflicts.begin(), *rule_);
  std::vector<std::string> marks;
  for (const Conflict& conflict : conflicts) marks.push_back(mark_of(conflict));
  std::sort(marks.begin(), marks.end());
  if (marks == told_) return {};
  const Attempt& attempt = txn_.attempts.back();
  Brief brief;
  brief.number = ++number_;
  brief.head = head;
  brief.branch = short_branch(txn_.target);
  std::vector<std::string> subjects;
  for (const Conflict& conflict : conflicts) {
    if (std::ranges::find(subjects, conflict.subject) != subjects.end()) continue;
    subjects.push_back(conflict.subject);
    Brief::Change change{conflict.subject, with_name(*state_.store, conflict.changed_by), {}};
    const bool in_tree = !parse_kernel_subject(conflict.subject);
    if (in_tree && brief.changes.size() < kMaxChanges) {
      change.diff = TRY(diff_of(state_, attempt.base, head, conflict.subject));
    }
    brief.changes.push_back(std::move(change));
  }
  if (INJECTED_BUG("watch.tells_nobody")) return {};
  TRY(write_brief(observed_dir(attempt), brief));
  TRY(state_.store->append({events::told(txn_.id, attempt.number, head, brief.number, subjects)}));
  told_ = std::move(marks);
  return {};
}

}  // namespace gittxn::api
