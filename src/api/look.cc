// Verbs that only look: nothing is created, recorded or locked. Where there is no store, nothing
// was ever begun here, and they say so by answering with nothing.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "api/kernel.h"
#include "base/duration.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "base/json.h"
#include "land/history.h"
#include "land/turn.h"
#include "model/fields.h"
#include "repo/checkout.h"
#include "store/events.h"
#include "store/server/locks.h"
#include "store/work/compensations.h"
#include "txn/attempt.h"
#include "txn/serve/brief.h"
#include "txn/state.h"
#include "work/compensations.h"
#include "work/handlers.h"
#include "work/leases.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

constexpr int kLandedShown = 5;
constexpr std::string_view kMostCommits = "5000";  // that are searched for a landing's trailers

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
    // What was read and written is in conflict as both.
    if (std::ranges::find(line.stale, text) == line.stale.end()) {
      line.stale.push_back(std::move(text));
    }
  }
  line.to_ask = std::move(verdict->to_ask);
}

Result<StatusReport::Line> status_line(State& state, Txn txn) {
  StatusReport::Line line;
  line.owner_alive = TRY(state.store->locks().is_held(store::Slots::kOwners, txn.slot));
  line.elsewhere = !state.require_here(txn);
  if (!line.elsewhere) {
    const Running running = running_now(txn);
    line.process = running.process;
    line.last_call_wall_ms = running.last_call_wall_ms;
  }
  // The objects that another clone's work is judged by may be in that clone alone.
  if (!is_final(txn.state) && !line.elsewhere) add_stale_reads(state, txn, line);
  // Where that cannot be judged, the stale reads cannot either, and say why.
  if (const auto dropped = dropped_with_phase(state, txn)) line.refused = *dropped;
  line.owed = TRY(owed_compensations(state, txn)).size();
  if (line.owed > 0 && state.require_here(txn)) line.owed_next = kRunOwed;
  line.txn = std::move(txn);
  return line;
}

using Rewritten = std::map<std::string, Oid>;  // by transaction: the newest commit that names it

Result<Rewritten> commits_by_txn(State& state, const Oid& head) {
  repo::GitOptions git;
  git.dir = state.repository.place().common_dir;
  const std::string text = TRY(state.repository.git().must(
      {"log", "-n", std::string(kMostCommits),
       "--format=%H %(trailers:key=Txn-Id,valueonly,separator=%x20)", head.str(), "--"},
      git));
  Rewritten found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string commit, txn;
    words >> commit;
    while (words >> txn) found.emplace(txn, Oid(commit));
  }
  return found;
}

using Fates = std::map<Seq, LandingNow>;  // of landings, by event

// The commits of landings are on their branch until somebody resets it or rewrites its history,
// which git lets everybody do. One that was written anew, by a rebase over landings, still says in
// its trailers which transaction it is. `rows`: one branch, newest first, outside moves included.
// Looks at few commits: where no move from outside stands between, what lies below a commit that is
// there is there as well. With a branch that is gone everything on it is.
Status add_fates(State& state, const std::vector<store::LandedRow>& rows, Fates& all) {
  const auto head = TRY(if_there(state.seen(rows.front().branch)));
  std::optional<Rewritten> rewritten;
  Oid below;  // the commit that a row has to be for the one above it to say that it is there
  for (const store::LandedRow& row : rows) {
    LandingNow& now = all[row.seq];
    if (row.new_head.empty()) continue;  // the branch was deleted
    bool there = !below.empty() && below == row.new_head;
    if (!there && head) {
      const auto above = state.repository.objects().is_ancestor(row.new_head, *head);
      there = above && *above;  // one whose objects git has collected is not
    }
    below = there && !row.txn.empty() ? row.old_head : Oid();
    if (there) continue;
    now.how = LandingNow::How::kGone;
    if (row.txn.empty() || !head) continue;
    if (!rewritten) rewritten = TRY(commits_by_txn(state, *head));
    const auto found = rewritten->find(row.txn.str());
    if (found == rewritten->end()) continue;
    now = {LandingNow::How::kRewritten, found->second};
  }
  return {};
}

// `rows`: of any branches, the newest first.
Result<Fates> landings_now(State& state, const std::vector<store::LandedRow>& rows) {
  std::map<RefName, std::vector<store::LandedRow>> by_branch;
  for (const store::LandedRow& row : rows) by_branch[row.branch].push_back(row);
  Fates all;
  for (const auto& [branch, of] : by_branch) TRY(add_fates(state, of, all));
  return all;
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

std::string subject_line(const repo::CommitInfo& commit) {
  return commit.message.substr(0, commit.message.find('\n'));
}

// The commits that a move from outside brought, along first parents; newest first. No others than
// that where the branch was not known before, or the objects are not here.
std::vector<LogLine> moved_commits(State& state, const LogLine& newest, const Oid& before) {
  constexpr std::size_t kMostOfAMove = 1000;
  std::vector<LogLine> lines{newest};
  if (before.empty() || newest.commit.empty()) return lines;
  const repo::Objects& objects = state.repository.objects();
  const auto known = objects.merge_base(before, newest.commit);
  if (!known || !*known || **known == newest.commit) return lines;
  auto commit = objects.commit(newest.commit);
  while (commit && !commit->parents.empty() && lines.size() <= kMostOfAMove) {
    const Oid parent = commit->parents.front();
    const auto within = objects.is_ancestor(parent, **known);
    if (!within || *within) break;
    commit = objects.commit(parent);
    if (!commit) break;
    LogLine line = newest;
    line.commit = parent;
    line.name = subject_line(*commit);
    line.who = land::who_of(commit->author);
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<std::vector<LogLine>> log_lines(State& state, const store::LandedRow& row) {
  const store::Store& store = *state.store;
  LogLine line;
  line.seq = row.seq;
  line.commit = row.new_head;
  line.txn = row.txn;
  line.branch = row.branch;
  line.time = row.time;
  if (row.txn.empty()) {
    line.who = row.who;
    const auto commit = state.repository.objects().commit(row.new_head);
    line.name = commit ? subject_line(*commit) : "deleted, or gone";
    return moved_commits(state, line, row.old_head);
  }
  line.admitted = TRY(events::admitted_of(TRY(store.events_of(row.txn.str()))));
  if (const auto txn = TRY(store.txn(row.txn))) {
    line.name = txn->name;
    line.who = txn->owner;
  }
  // Its subject on the branch; the commit may be in another clone of a hub only.
  if (line.name.empty()) {
    const auto commit = state.repository.objects().commit(row.new_head);
    if (commit) line.name = subject_line(*commit);
  }
  return std::vector<LogLine>{std::move(line)};
}

// What somebody did to the branch since the log last looked, as the next command that writes will
// record it.
Result<std::vector<LogLine>> unrecorded_move(State& state, const store::BranchState& branch) {
  if (branch.prepared) return std::vector<LogLine>{};  // the landing under way will say what it was
  const auto head = state.seen(branch.branch);
  if (!head || *head == branch.head) return std::vector<LogLine>{};
  LogLine line;
  const Seq last = TRY(state.store->head());
  line.seq = last + 1;
  line.time = format_utc(state.host.clock->wall_ms());
  line.commit = *head;
  line.branch = branch.branch;
  const auto commit = state.repository.objects().commit(*head);
  line.name = commit ? subject_line(*commit) : "not readable";
  if (!commit) return std::vector<LogLine>{std::move(line)};
  line.who = land::who_of(commit->author);
  if (const auto committer = parse_raw_identity(commit->committer)) {
    line.time = format_utc(committer->wall_ms);
  }
  return moved_commits(state, line, branch.head);
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

// It ran here, and nobody is left to say how it ended.
bool command_has_no_end(const State& state, const Txn& txn) {
  if (txn.state != TxnState::kOpen || txn.attempts.empty() || !state.require_here(txn))
    return false;
  return !txn.attempts.back().traces.empty() && !txn.attempts.back().command_exit;
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

Result<std::vector<LogLine>> Kernel::log(int limit) {
  std::vector<LogLine> lines;
  store::Store* store = TRY(state_->looking());
  if (store == nullptr) return lines;
  std::vector<store::LandedRow> rows;
  for (const store::BranchState& branch : TRY(store->branches())) {
    for (LogLine& line : TRY(unrecorded_move(*state_, branch))) lines.push_back(std::move(line));
    for (store::LandedRow& row : TRY(store->landed_since(branch.branch, 0))) {
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.seq > b.seq; });
  const std::size_t most = limit > 0 ? static_cast<std::size_t>(limit) : SIZE_MAX;
  if (rows.size() > most) rows.resize(most);
  const auto now = TRY(landings_now(*state_, rows));
  for (const store::LandedRow& row : rows) {
    if (lines.size() >= most) break;
    for (LogLine& line : TRY(log_lines(*state_, row))) {
      line.landing = now.at(row.seq);
      lines.push_back(std::move(line));
    }
  }
  if (lines.size() > most) lines.resize(most);
  return lines;
}

namespace {

// The last word of each gate counts: it may have run on an earlier head as well.
void tell_gate(Certificate said, std::vector<gates::GateReport>& reports) {
  const bool carried = !said.carried_from.empty();
  const auto known = std::ranges::find(
      reports, said.gate, [](const gates::GateReport& report) { return report.certificate.gate; });
  if (known != reports.end()) reports.erase(known);
  reports.push_back({std::move(said), carried});
}

}  // namespace

Result<TxnId> Kernel::id_of(const std::string& id_or_name) {
  return TRY(state_->find(id_or_name)).id;
}

Result<Outcome> Kernel::show(const std::string& id) {
  const std::int64_t started_ns = state_->host.clock->monotonic_ns();
  const Txn txn = TRY(state_->find(id));
  Outcome outcome;
  const std::vector<Event> history = TRY(state_->store->events_of(txn.id.str()));
  if (was_pruned(history)) {
    outcome.notes.emplace_back(
        "older events of it were pruned: conflicts and gates that they told of are not listed");
  }
  if (txn.state == TxnState::kLanded) outcome.admitted = TRY(events::admitted_of(history));
  for (const Event& event : history) {
    auto conflicts = TRY(events::conflicts_of(event));
    if (!conflicts.empty()) outcome.conflicts = std::move(conflicts);
    if (event.type == event_type::kTransactionLanded) outcome.conflicts.clear();
    if (event.type == event_type::kPrepared) outcome.gates.clear();  // asked again
    if (event.type != event_type::kGateEvaluated) continue;
    const Json payload = TRY(parse_json(event.payload));
    tell_gate(TRY(read_fields<Certificate>(payload)), outcome.gates);
  }
  TRY(finish_outcome(*state_, txn.id, started_ns, outcome));
  outcome.process = running_now(txn).process;
  if (outcome.process != 0) {
    outcome.reads.complete = false;
    outcome.reads.unknown_reason = "the command is still running";
    outcome.next = "git txn open " + txn.id.str() + " -- git diff";
  } else if (command_has_no_end(*state_, txn)) {
    outcome.reads.complete = false;
    outcome.reads.unknown_reason = unknown_words(Unknown::kKilled);
  }
  return outcome;
}

Result<std::string> Kernel::diff(const std::string& id) {
  const Txn txn = TRY(state_->find(id));
  repo::GitOptions git;
  git.dir = state_->repository.place().common_dir;
  const std::string work = work_of(txn).str();
  if (work.empty()) return no_work_yet(txn);
  return state_->repository.git().must(
      {"diff", "--no-ext-diff", "--no-color", "--find-renames", work + "^1", work}, git);
}

Result<ReadSet> Kernel::reads(const std::string& id) {
  const Txn txn = TRY(state_->find(id));
  if (txn.attempts.empty()) return ReadSet{};
  return recorded_reads(*state_->store, txn.attempts.back());
}

}  // namespace gittxn::api
