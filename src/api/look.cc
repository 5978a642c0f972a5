// Verbs that only look: nothing is created, recorded or locked. Where there is no store, nothing
// was ever begun here, and they say so by answering with nothing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "api/kernel.h"
#include "api/landings_now.h"
#include "base/if_there.h"
#include "base/json.h"
#include "land/history.h"
#include "store/events.h"
#include "txn/attempt.h"
#include "txn/state.h"
#include "txn/working.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

constexpr std::string_view kMostCommits = "5000";  // that are searched for a landing's trailers

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

}  // namespace

Result<Fates> landings_now(State& state, const std::vector<store::LandedRow>& rows) {
  std::map<RefName, std::vector<store::LandedRow>> by_branch;
  for (const store::LandedRow& row : rows) by_branch[row.branch].push_back(row);
  Fates all;
  for (const auto& [branch, of] : by_branch) TRY(add_fates(state, of, all));
  return all;
}

namespace {

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

// It ran here, and nobody is left to say how it ended.
bool command_has_no_end(const State& state, const Txn& txn) {
  if (txn.state != TxnState::kOpen || txn.attempts.empty() || !state.require_here(txn))
    return false;
  return !txn.attempts.back().traces.empty() && !txn.attempts.back().command_exit;
}

}  // namespace

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
    outcome.next = "git txn diff " + txn.id.str();
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
  const auto between = [&](const std::string& from, const std::string& to) {
    return state_->repository.git().must(
        {"diff", "--no-ext-diff", "--no-color", "--find-renames", from, to}, git);
  };
  if (state_->require_here(txn) && running_now(txn).process != 0) {
    const repo::Taken now = TRY(work_until_now(*state_, txn));
    return between(now.base.str(), now.tree.str());
  }
  const std::string work = work_of(txn).str();
  if (work.empty()) return no_work_yet(txn);
  return between(work + "^1", work);
}

Result<ReadSet> Kernel::reads(const std::string& id) {
  const Txn txn = TRY(state_->find(id));
  if (txn.attempts.empty()) return ReadSet{};
  return recorded_reads(*state_->store, txn.id, txn.attempts.back());
}

}  // namespace gittxn::api
