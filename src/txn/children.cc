#include "txn/children.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/text.h"
#include "certify/certify.h"
#include "land/message.h"
#include "store/events.h"
#include "txn/first_write.h"
#include "txn/registered.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_made, "api.child.made");
FAILPOINT(fp_joined, "api.child.joined");

constexpr int kMostChildren = 64;  // of an attempt
constexpr std::size_t kMostChildrenNamed = 10;
constexpr std::string_view kSubAgent = "agent-";

std::string path_of(const Attempt& attempt, int number) {
  return fmt::format("{}/children/{}", attempt.worktree, number);
}

// Children that the log knows of in an attempt: number and name.
Result<std::map<int, std::string>> known_children(const store::Store& store, const Txn& txn) {
  std::map<int, std::string> known;
  for (const Event& event : TRY(store.events_of(txn.id.str()))) {
    const auto child = TRY(events::child_of(event));
    if (!child || child->attempt != txn.attempts.back().number) continue;
    known[child->number] = child->name;
  }
  return known;
}

}  // namespace

// The worktree of a child as it is; a link there would lead whoever takes it elsewhere.
Result<repo::Taken> Children::take(const Child& child) const {
  struct stat info{};
  if (::lstat(child.path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return fail(Code::kNotFound, fmt::format("the worktree of {} is gone", child.name));
  }
  return repo::take(state_.repository, repo::worktree_at(child.path), snapshot_, txn_.target);
}

Children::Children(State& state, Txn txn, const Progress& progress)
    : state_(state), txn_(std::move(txn)), progress_(progress) {}

void Children::look() {
  const std::string observed = observed_dir(txn_.attempts.back());
  auto asks = waiting_asks(observed);
  if (!asks) return;  // the directory is the agent's too; what it removed nobody can ask for
  for (const Waiting& waiting : *asks) {
    const bool of_child =
        waiting.asked.verb == Ask::Verb::kWorktree || waiting.asked.verb == Ask::Verb::kJoin;
    const Result<std::string> result = done_for(waiting.asked);
    if (!result && of_child) {  // of others whoever asked says it
      notes_.push_back(
          fmt::format("the worktree of {}: {}", waiting.asked.name, result.error().message));
    }
    if (const Status told = answer(waiting, result); !told) {
      notes_.push_back("a hook got no answer: " + told.error().message);
    }
  }
}

Result<std::string> Children::done_for(const Ask& asked) {
  switch (asked.verb) {
    case Ask::Verb::kWorktree:
      return make(asked.name);
    case Ask::Verb::kJoin: {
      const auto child = children_.find(asked.name);
      if (child == children_.end()) return fail(Code::kNotFound, "no such worktree was made");
      TRY(join(child->second));
      return std::string();
    }
    case Ask::Verb::kWrite: {
      FirstWriteAnswer told = TRY(before_first_write(state_, txn_, asked.name));
      return answer_of_write(observed_dir(txn_.attempts.back()), asked.name,
                             {told.deny, std::move(told.text)});
    }
    case Ask::Verb::kCompensate:
      break;
  }
  // Of the transaction that runs here, whichever the command takes itself for.
  Compensation wanted;
  wanted.name = asked.name;
  wanted.argv = asked.argv;
  return std::to_string(TRY(register_for(state_, txn_.id, wanted)).number);
}

Result<std::string> Children::make(const std::string& name) {
  if (const auto known = children_.find(name); known != children_.end()) {
    known->second.over = false;
    return repo::worktree_at(known->second.path).tree;
  }
  const Attempt& attempt = txn_.attempts.back();
  const auto before = TRY(known_children(*state_.store, txn_));  // of earlier commands as well
  Child child;
  child.number = before.empty() ? 1 : before.rbegin()->first + 1;
  child.name = name;
  child.path = path_of(attempt, child.number);
  if (child.number > kMostChildren) {
    return fail(Code::kRefused, fmt::format("an attempt has at most {} of them", kMostChildren));
  }
  if (snapshot_.empty()) snapshot_ = TRY(snapshot_of(state_, txn_));
  const land::Context context = TRY(state_.context(progress_));
  const Policy policy = TRY(state_.policy_at(snapshot_));
  // A confined command may write where it will be: it is made where that one may not, so that
  // nothing can be put in the way of what we write, or of what is run to set it up.
  const bool confined = !attempt.confine.empty();
  const std::string making =
      confined ? fmt::format("{}/making-{}", attempt.worktree, child.number) : child.path;
  TRY(repo::remove_worktree(making));  // of a start that was killed
  const repo::Worktree worktree =
      TRY(repo::create_worktree(state_.repository, {making, snapshot_, txn_.target, txn_.id}));
  TRY(fp_made.hit());
  // Its processes are in the parent's mount namespace.
  TRY(gates::prepare_worktree(context.gates, policy, worktree, gates::Sharing::kCopy, notes_));
  if (confined) TRY(rename_noreplace(making, child.path));
  TRY(record(child, "begun", {}));
  TRY(mark_child(observed_dir(attempt), name));
  children_[name] = child;
  return repo::worktree_at(child.path).tree;
}

// What stands in the way, or the parent's tree with the change in it.
Result<Children::Merge> Children::merge(const Child& child, const repo::Taken& taken,
                                        const repo::Taken& parent) {
  Footprint footprint;
  footprint.txn = txn_.id;
  footprint.base = snapshot_;
  footprint.writes = taken.changes;
  footprint.reads = TRY(
      reads_in(state_, txn_, snapshot_, repo::worktree_at(child.path), taken.changes, snapshot_));
  footprint.reads.complete = true;  // the record has no end while the command runs
  // What the parent has just as the child left it came from the child.
  SnapshotDiff moved{snapshot_, {}};
  for (const PathChange& change : parent.changes) {
    if (std::ranges::find(taken.changes, change) == taken.changes.end()) {
      moved.changes.push_back(change);
    }
  }
  const std::vector<SnapshotDiff> diffs{moved};
  certify::Input input;
  input.txn = &footprint;
  input.diffs = diffs;
  input.level = txn_.isolation;
  repo::Objects& objects = state_.repository.objects();
  const land::Context context = TRY(state_.context(progress_));
  land::SymbolFindings findings = TRY(land::look_into(objects, moved.changes, taken.changes,
                                                      land::around(context, objects, snapshot_)));
  // The gates of the branch will judge both together, when the parent lands.
  const Policy policy = TRY(state_.policy_at(snapshot_));
  if (!policy.gates.empty()) findings.symbols.checks = certify::Symbols::Checks::kGates;
  input.symbols = &findings.symbols;
  input.says_the_same = land::says_the_same(objects);
  std::set<std::string> subjects;
  for (const Conflict& conflict : certify::certify(input).conflicts) {
    subjects.insert(conflict.subject);
  }
  const Oid base = TRY(objects.tree_of(snapshot_));
  repo::MergeOutcome merged = TRY(objects.merge(base, parent.tree, taken.tree));
  if (!merged.conflicts.empty()) {
    merged =
        TRY(land::merge_with(objects, base, parent.tree, taken.tree, findings, std::move(merged)));
  }
  for (const auto& conflict : merged.conflicts) subjects.insert(conflict.path);
  return Merge{merged.tree, {subjects.begin(), subjects.end()}};
}

// The files of the parent's worktree become those of a tree.
Status Children::apply(const Oid& from, const Oid& to) {
  const repo::Worktree parent = TRY(repo::find_worktree(txn_.attempts.back().worktree));
  const repo::Mount mount = TRY(repo::Mount::open(parent));
  repo::GitOptions there;
  there.dir = state_.repository.place().common_dir;
  const std::string patch = TRY(state_.repository.git().must(
      {"diff", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv",
       "--no-color", from.str(), to.str()},
      there));
  if (patch.empty()) return {};
  return repo::inside(mount, [&] { return repo::apply_patch(state_.repository, parent, patch); });
}

Result<Oid> Children::keep(const Child& child, const repo::Taken& taken) {
  repo::NewCommit commit;
  commit.tree = taken.tree;
  commit.parents = {snapshot_};
  commit.committer = land::raw_identity(txn_.committer, state_.host.clock->wall_ms());
  commit.author = taken.author.value_or(commit.committer);
  commit.message = taken.message.value_or(child.name + "\n");
  const Oid kept = TRY(state_.repository.objects().write_commit(commit));
  TRY(state_.repository.objects().make_durable(kept, {}));
  TRY(set_ref(state_,
              fmt::format("refs/txn/{}/child-{}-{}", txn_.id.str(), txn_.attempts.back().number,
                          child.number),
              kept));
  return kept;
}

Status Children::tell(const Child& child, const repo::Taken& taken,
                      const std::vector<std::string>& conflicts) {
  std::vector<std::string> paths;
  for (const PathChange& change : files_of(taken.changes)) paths.push_back(change.path);
  const std::string files = listed(paths, kMostChildrenNamed);
  const std::string in_the_way = listed(conflicts, kMostChildrenNamed);
  const std::string text =
      conflicts.empty()
          ? fmt::format(
                "git-txn: the change of {} is now in your worktree: {}. There is nothing "
                "to merge.\n",
                child.name, files)
          : fmt::format(
                "git-txn: the change of {} ({}) is not in your worktree: you have changed "
                "what it read or wrote ({}). It is kept as commit {}; git show has it.\n",
                child.name, files, in_the_way, TRY(keep(child, taken)).str());
  if (!conflicts.empty()) {
    notes_.push_back(fmt::format(
        "the change of {} did not get into its parent, which has changed "
        "{}; it is kept at refs/txn/{}/child-{}-{}",
        child.name, in_the_way, txn_.id.str(), txn_.attempts.back().number, child.number));
  }
  return say(observed_dir(txn_.attempts.back()), child.number * 1000 + ++said_, text);
}

Status Children::join(Child& child) {
  child.over = true;
  const repo::Taken taken = TRY(take(child));
  if (taken.changes.empty() || taken.tree == child.joined) return record(child, "nothing", {});
  const repo::Worktree around = TRY(repo::find_worktree(txn_.attempts.back().worktree));
  const repo::Taken parent = TRY(repo::take(state_.repository, around, snapshot_, txn_.target));
  const Merge merged = TRY(merge(child, taken, parent));
  if (!merged.conflicts.empty()) {
    TRY(tell(child, taken, merged.conflicts));
    return record(child, "conflict", taken.tree);
  }
  TRY(apply(parent.tree, merged.tree));
  TRY(fp_joined.hit());
  child.joined = taken.tree;
  TRY(record(child, "joined", taken.tree));
  return tell(child, taken, {});
}

Status Children::record(const Child& child, std::string_view phase, const Oid& tree) {
  events::Child event;
  event.attempt = txn_.attempts.back().number;
  event.number = child.number;
  event.name = child.name;
  event.phase = phase;
  event.tree = tree;
  TRY(state_.store->append({events::child(txn_.id, event)}));
  return {};
}

Status Children::finish() {
  for (auto& [name, child] : children_) {
    if (child.over) continue;
    if (!name.starts_with(kSubAgent)) {  // the session itself worked there, and has ended
      TRY(join(child));
      continue;
    }
    const repo::Taken taken = TRY(take(child));
    if (taken.changes.empty()) continue;
    const Oid kept = TRY(keep(child, taken));
    TRY(record(child, "left", taken.tree));
    notes_.push_back(
        fmt::format("{} never ended; what it changed is not in the change, and kept "
                    "as {}",
                    name, short_oid(kept)));
  }
  return {};
}

Status add_child_reads(State& state, const Txn& txn, const Oid& snapshot, const Changes& writes,
                       ReadSet& reads) {
  if (INJECTED_BUG("children.unread")) return {};
  for (const auto& [number, name] : TRY(known_children(*state.store, txn))) {
    const repo::Worktree worktree = repo::worktree_at(path_of(txn.attempts.back(), number));
    if (!TRY(exists(worktree.git_dir))) {
      if (!reads.complete) continue;
      reads.complete = false;
      reads.unknown_reason = "the worktree of " + name + " is gone, and with it what it means";
      continue;
    }
    ReadSet more = TRY(reads_in(state, txn, snapshot, worktree, writes, snapshot));
    if (reads.complete && !more.complete) {
      reads.complete = false;
      reads.unknown_reason = more.unknown_reason;
    }
    for (std::string& note : more.notes) {
      if (std::ranges::find(reads.notes, note) == reads.notes.end()) {
        reads.notes.push_back(std::move(note));
      }
    }
    add_reads(reads, std::move(more));
  }
  normalize(reads);
  return {};
}

}  // namespace gittxn::api
