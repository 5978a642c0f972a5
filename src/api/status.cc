// status and queue: what runs, waits and is open. Nothing is recorded or locked, and nothing made
// but what a look at the worktree of a running command needs (txn/working.h).
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "api/kernel.h"
#include "api/landings_now.h"
#include "base/duration.h"
#include "base/fs.h"
#include "land/turn.h"
#include "land/under_way.h"
#include "model/fields.h"
#include "repo/checkout.h"
#include "store/server/locks.h"
#include "store/work/compensations.h"
#include "txn/attempt.h"
#include "txn/go_on.h"
#include "txn/serve/brief.h"
#include "txn/state.h"
#include "work/compensations.h"
#include "work/handlers.h"
#include "work/leases.h"

namespace gittxn::api {

namespace {

constexpr int kLandedShown = 5;

std::string stale_line(const std::string& subject, const std::string& changed_by) {
  return changed_by.empty() ? subject : fmt::format("{} ({})", subject, changed_by);
}

std::vector<std::string> told_reads(const Attempt& attempt) {
  const auto brief = read_brief(observed_dir(attempt));
  if (!brief) return {"cannot be judged: " + brief.error().message};
  std::vector<std::string> stale;
  if (!*brief) return stale;
  for (const Brief::Change& change : (*brief)->changes) {
    stale.push_back(stale_line(change.subject, change.changed_by));
  }
  return stale;
}

std::string lease_holder(const LeaseLine& line) {
  const store::Lease& lease = line.lease;
  const std::string state =
      line.is_held() ? format_duration(line.left_ms) + " left" : std::string(state_word(line));
  return fmt::format("lease on {}: {} ({}, {}, {}, {})", texts_of(lease.subjects), lease.owner,
                     lease.id, sharing_word(lease), force_word(lease), state);
}

// The reads that no longer hold right now, and what landing would ask because of them. One that
// cannot be judged is reported, not hidden.
void add_stale_reads(State& state, const Txn& txn, StatusReport::Line& line) {
  if (txn.attempts.empty()) return;
  const Attempt& attempt = txn.attempts.back();
  // While a command runs, what `run` found out about it and told it.
  if (!attempt.traces.empty() && !attempt.command_exit) {
    line.stale = told_reads(attempt);
    return;
  }
  if (attempt.kept.empty()) return;
  auto verdict = land::certify_now(state.looking_context(), txn.id);
  if (!verdict) {
    line.stale = {"cannot be judged: " + verdict.error().message};
    return;
  }
  for (const Conflict& conflict : verdict->conflicts) {
    std::string text = stale_line(conflict.subject, conflict.changed_by);
    // A path that was read and written is in conflict as both.
    if (std::ranges::find(line.stale, text) == line.stale.end()) {
      line.stale.push_back(std::move(text));
    }
  }
  line.to_ask = std::move(verdict->to_ask);
}

// Says which process is at it, and what that does.
Result<StatusReport::Line> line_of(State& state, Txn txn) {
  StatusReport::Line line;
  line.owner_alive = TRY(state.store->locks().is_held(store::Slots::kOwners, txn.slot));
  line.elsewhere = !state.require_here(txn);
  if (!line.elsewhere) {
    const Running running = running_now(txn);
    line.process = running.process;
    line.last_call_wall_ms = running.last_call_wall_ms;
  }
  if (!line.elsewhere && !is_final(txn.state)) {
    line.phase = land::under_way(state.repository.txn_dir(), txn.id).value_or("");
  }
  line.txn = std::move(txn);
  return line;
}

Result<StatusReport::Line> status_line(State& state, Txn of) {
  StatusReport::Line line = TRY(line_of(state, std::move(of)));
  const Txn& txn = line.txn;
  if (line.process != 0) line.working = working_now(state, txn);
  // The objects that another clone's work is judged by may be in that clone alone.
  if (!is_final(txn.state) && !line.elsewhere) add_stale_reads(state, txn, line);
  // A phase that cannot be judged means stale reads that cannot either, and they say why.
  if (txn.state == TxnState::kOpen && !txn.attempts.empty() && !line.elsewhere) {
    line.unjudged = TRY(is_unjudged(txn));
  }
  if (const auto dropped = dropped_with_phase(state, txn)) line.refused = *dropped;
  line.owed = TRY(owed_compensations(state, txn)).size();
  if (line.owed > 0 && state.require_here(txn)) line.owed_next = kRunOwed;
  return line;
}

// The newest `most` of those that have landed; 0 means all.
Status add_landed(State& state, int most, StatusReport& report) {
  std::map<RefName, std::map<TxnId, std::size_t>> wanted;  // where its line is
  for (Txn& txn : TRY(state.store->txns({{TxnState::kLanded}, most}))) {
    wanted[txn.target].emplace(txn.id, report.lines.size());
    report.lines.push_back(TRY(status_line(state, std::move(txn))));
  }
  for (auto& [branch, lines] : wanted) {
    std::vector<store::LandedRow> rows = TRY(state.store->landed_since(branch, 0));
    std::ranges::reverse(rows);
    while (!rows.empty() && !lines.contains(rows.back().txn)) rows.pop_back();
    const auto now = TRY(landings_now(state, rows));
    for (const store::LandedRow& row : rows) {
      const auto line = lines.find(row.txn);
      if (line != lines.end()) report.lines[line->second].landing = now.at(row.seq);
    }
  }
  return {};
}

// The holders of locks right now, for people. Read from /proc/locks and the lock files' own text,
// so that looking never takes a lock somebody waits for; nothing else may depend on it.
constexpr std::size_t kMaxLockText = 256;

// "1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF": the pid of whoever holds the file, 0 when it is
// in another pid namespace; nullopt when nobody does.
std::optional<long> holder_of(const std::string& locks, const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  const std::string file =
      fmt::format("{:02x}:{:02x}:{}", ::major(info.st_dev), ::minor(info.st_dev), info.st_ino);
  std::istringstream lines(locks);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string number, kind, mode, access, where;
    long pid = 0;
    if (!(fields >> number >> kind >> mode >> access >> pid >> where)) continue;
    if (kind == "FLOCK" && where == file) return pid;
  }
  return std::nullopt;
}

void add_holder(const std::string& locks, const std::string& path, const std::string& what,
                std::vector<std::string>& lines) {
  const auto pid = holder_of(locks, path);
  if (!pid) return;
  auto text = read_file(path, kMaxLockText);
  std::string who = text ? text->substr(0, text->find(' ')) : "";
  if (who.empty()) who = "somebody";
  lines.push_back(*pid > 0 ? fmt::format("{}: {} (pid {})", what, who, *pid)
                           : fmt::format("{}: {}", what, who));
}

// "turn on main: t-7k2m (pid 4711)", one line a lock held, then the queue behind it.
Result<std::vector<std::string>> lock_holders(const land::Context& context) {
  std::vector<std::string> lines;
  const auto locks = read_file("/proc/locks");
  for (const store::BranchState& branch : TRY(context.store->branches())) {
    const std::string name = short_branch(branch.branch);
    if (locks) {
      add_holder(*locks, land::turn_lock_path(context, branch.branch), "turn on " + name, lines);
      add_holder(*locks, land::landing_lock_path(context, branch.branch), "landing lock on " + name,
                 lines);
    }
    int place = 0;
    for (const store::Ticket& ticket : TRY(land::line_for(context, branch.branch))) {
      lines.push_back(fmt::format("queue on {}: {} is number {}", name, ticket.txn.str(), ++place));
    }
  }
  return lines;
}

// Nothing can be begun where the policy does not parse.
void tell_policy(State& state, std::vector<std::string>& notes) {
  const auto branch = state.target(std::nullopt);
  if (!branch) return;  // no branch is checked out
  const auto head = state.seen(*branch);
  if (!head) return;  // unborn
  const auto policy = state.policy_at(*head);
  if (policy) return;
  notes.push_back(
      fmt::format("nothing can be begun on {}: {}", short_branch(*branch), policy.error().message));
}

}  // namespace

Result<StatusReport> Kernel::status(StatusScope scope) {
  StatusReport report;
  report.uncommitted = TRY(state_->repository.has_uncommitted_changes());
  tell_policy(*state_, report.notes);
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) return report;
  using enum TxnState;
  const store::TxnFilter open{{kOpen, kPrepared, kLanding, kRejected, kQuarantined, kRepairing}, 0};
  for (Txn& txn : TRY(store->txns(open))) {
    report.lines.push_back(TRY(status_line(*state_, std::move(txn))));
  }
  const std::vector<TxnId> owing = TRY(store::owing_compensation(*store));
  for (const TxnId& id : owing) {
    Txn txn = TRY(reload(*state_, id));
    report.lines.push_back(TRY(status_line(*state_, std::move(txn))));
  }
  const bool all = scope == StatusScope::kAll;
  if (all) {
    for (Txn& txn : TRY(store->txns({{kAborted, kNothing}, 0}))) {
      if (std::ranges::find(owing, txn.id) != owing.end()) continue;
      report.lines.push_back(TRY(status_line(*state_, std::move(txn))));
    }
  }
  TRY(add_landed(*state_, all ? 0 : kLandedShown, report));
  tell_handlers(*store, report.notes);
  report.holders = TRY(lock_holders(state_->looking_context()));
  for (const LeaseLine& lease : TRY(list_leases(*this))) {
    report.holders.push_back(lease_holder(lease));
  }
  for (const repo::CheckoutPlace& place : TRY(state_->repository.checkouts())) {
    for (const repo::LateSave& save : TRY(repo::find_late_saves(place))) {
      report.notes.push_back(
          fmt::format("{} was saved after a landing had moved it; those bytes are at {}", save.path,
                      save.kept));
    }
  }
  return report;
}

Result<std::vector<QueueLine>> Kernel::queue(const std::optional<std::string>& onto) {
  std::vector<QueueLine> queue;
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) return queue;
  std::optional<RefName> only;
  if (onto) only = TRY(state_->target(onto));
  using enum TxnState;
  for (Txn& txn : TRY(store->txns({{kPrepared, kLanding}, 0}))) {
    if (only && txn.target != *only) continue;
    queue.push_back({1, TRY(line_of(*state_, std::move(txn)))});
  }
  std::map<TxnId, int> tickets;  // place in the line for the turn
  for (const store::BranchState& branch : TRY(store->branches())) {
    int place = 0;
    for (const auto& ticket : TRY(land::line_for(state_->looking_context(), branch.branch))) {
      tickets.emplace(ticket.txn, ++place);
    }
  }
  const auto order = [&](const QueueLine& one) {
    const StatusReport::Line& line = one.line;
    const auto ticket = tickets.find(line.txn.id);
    const bool waits_for_turn = ticket != tickets.end();
    const int group = waits_for_turn ? 0 : line.phase.empty() ? 2 : 1;
    return std::tuple(line.txn.target, group, waits_for_turn ? ticket->second : 0,
                      -line.txn.priority, line.txn.created_wall_ms, line.txn.id);
  };
  std::ranges::sort(queue, {}, order);
  for (std::size_t i = 1; i < queue.size(); ++i) {
    const bool same = queue[i].line.txn.target == queue[i - 1].line.txn.target;
    queue[i].place = same ? queue[i - 1].place + 1 : 1;
  }
  return queue;
}

Result<std::vector<TxnId>> Kernel::waiting() {
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) return std::vector<TxnId>{};
  std::vector<Txn> found;
  for (Txn& txn : TRY(store->txns({{TxnState::kPrepared}, 0}))) {
    const bool elsewhere = !state_->require_here(txn);
    if (elsewhere || TRY(store->locks().is_held(store::Slots::kOwners, txn.slot))) continue;
    found.push_back(std::move(txn));
  }
  std::ranges::stable_sort(found, {}, &Txn::created_wall_ms);
  std::vector<TxnId> ids;
  for (Txn& txn : found) ids.push_back(std::move(txn.id));
  return ids;
}

}  // namespace gittxn::api
