#include "txn/reads.h"

#include <sys/stat.h>

#include <optional>
#include <thread>

#include "base/bug.h"
#include "base/heap.h"
#include "capture/interpret.h"
#include "capture/search_settings.h"
#include "land/judge/phase.h"
#include "land/judge/rules.h"
#include "repo/worktree/worktree_ignore.h"
#include "store/events.h"
#include "txn/children.h"
#include "txn/footprints.h"
#include "txn/go_on.h"
#include "txn/serve/observed.h"

namespace gittxn::api {

// The material of reads. `observed` is without what is in `input`.
struct ReadSources {
  ObservedFiles observed;
  capture::InterpretInput input;  // without the change
  // The thread that makes the reads opens the snapshot's ignore rules with these.
  repo::Git git;
  repo::GitOptions here;
  std::string scratch;
};

namespace {

// Records that take about as long to interpret as a thread and a second look at packs cost.
constexpr std::size_t kWorthAThread = 64 << 10;
// Bytes of memory that interpreting takes for each byte of the record files, at least.
constexpr std::size_t kMemoryOfRecords = 3;

Result<capture::Places> places_of(State& state, const Attempt& attempt,
                                  const repo::Worktree& worktree) {
  capture::Places places;
  places.tree = TRY(real_path(worktree.tree));
  places.private_git_dir = places.tree + "/.git";
  places.git_dir_on_disk = worktree.files + "/.git";
  // Worktrees of older versions have none.
  if (TRY(exists(worktree.path + "/packed-refs"))) places.first_refs = worktree.path;
  places.common_git_dir = state.repository.place().common_dir;
  for (const auto& checkout : TRY(state.repository.checkouts())) {
    places.checkouts.push_back(checkout.worktree);
  }
  places.transactions = TRY(state.worktree_root());
  places.attempt = TRY(real_path(attempt.worktree));
  // It is a checkout of the repository like any other by its own path.
  if (!worktree.shared.empty()) places.checkouts.push_back(worktree.shared);
  return places;
}

// Each transaction depends on the policy it was begun under; softly, because it lands under the
// policy of the head whatever that says by then.
Result<Read> policy_read(State& state, const Oid& snapshot) {
  const Policy policy = TRY(state.policy_at(snapshot));
  Read read;
  read.kind = ReadKind::kKernel;
  read.subject = std::string(land::kPolicySubject);
  read.digest = policy.version.str();
  read.strength = Strength::kSoft;
  read.source = ReadSource::kKernel;
  read.snapshot = snapshot;
  read.op = "begin";
  return read;
}

// `worktree` must outlive them.
Result<ReadSources> sources_of(State& state, const Txn& txn, const Oid& snapshot,
                               const repo::Worktree& worktree, Sessions sessions) {
  const Attempt& attempt = txn.attempts.back();
  ReadSources sources{.git = state.repository.git(),
                      .here = state.repository.here(),
                      .scratch = attempt.worktree + "/ignore"};
  sources.observed =
      TRY_IN("reading what agents said", read_observed(observed_dir(attempt), sessions));
  capture::InterpretInput& input = sources.input;
  input.places = TRY(places_of(state, attempt, worktree));
  input.record_files = attempt.traces;
  input.snapshot = snapshot;
  input.target = txn.target;
  input.observations = std::move(sources.observed.observed);
  input.conversations = std::move(sources.observed.conversations);
  input.commands = std::move(sources.observed.commands);
  input.on_disk = [&worktree](const std::string& path) -> Result<std::string> {
    return TRY(repo::path_on_disk(worktree, path)).value_or("");
  };
  for (const QuestionRule& rule : TRY(state.policy_at(snapshot)).questions) {
    input.runners.push_back(rule.command);
  }
  input.tool_cache_file = state.repository.txn_dir() + "/tools.cache";
  input.search_settings = [places = input.places, &state] {
    return capture::search_settings(places, state.host.env);
  };
  return sources;
}

// Knowledge beside the traces.
Result<ReadSet> with_the_rest(State& state, const Txn& txn, const Oid& snapshot,
                              ObservedFiles observed, ReadSet reads) {
  const Attempt& attempt = txn.attempts.back();
  const auto inherited = TRY(inherited_by(attempt));
  if (attempt.traces.empty() && inherited) {
    reads.complete = true;  // nothing has run in it
    reads.unknown_reason.clear();
  } else if (attempt.traces.empty()) {
    mark_unknown(reads, "no command was traced");
  } else if (!attempt.command_exit) {
    mark_unknown(reads, unknown_words(Unknown::kKilled));
  }
  // Unknown reads are those of the commands that ran on this snapshot.
  if (inherited) reads.unknown_since = snapshot;
  if (inherited) TRY(add_inherited(state, *inherited, reads));
  TRY(inherit_reads(state, txn, observed, inherited ? Earlier::kOthers : Earlier::kAll, reads));
  for (std::string& note : observed.notes) reads.notes.push_back(std::move(note));
  reads.reads.push_back(TRY(policy_read(state, snapshot)));
  for (Read& read : TRY(summary_reads(attempt))) reads.reads.push_back(std::move(read));
  for (Read& read : TRY(kernel_reads(attempt, snapshot))) reads.reads.push_back(std::move(read));
  TRY(land::renew_phase_reads(*state.store, txn, snapshot, reads));
  normalize(reads);
  return reads;
}

// Makes the reads of the change that `sources` has.
Result<ReadSet> reads_from(const repo::Objects& objects, ReadSources& sources) {
  capture::InterpretInput& input = sources.input;
  repo::IgnoreRules rules(objects, sources.git, sources.here, input.snapshot, sources.scratch);
  input.ignored = [&rules](const std::string& path) { return rules.ignored(path); };
  auto reads = capture::interpret(objects, input);
  input.ignored = nullptr;
  return reads;
}

Result<ReadSet> reads_of(State& state, ReadSources& sources, const Changes& writes,
                         const Oid& base) {
  sources.input.writes = writes;
  sources.input.base = base;
  return TRY_IN("reading the trace", reads_from(state.repository.objects(), sources));
}

std::size_t bytes_of(const std::vector<std::string>& record_files) {
  std::size_t bytes = 0;
  for (const std::string& file : record_files) {
    struct stat info{};
    if (::stat(file.c_str(), &info) == 0) bytes += static_cast<std::size_t>(info.st_size);
  }
  return bytes;
}

}  // namespace

void mark_unknown(ReadSet& reads, std::string_view reason) {
  if (unknown_of(reads) == Unknown::kUntraced) return;
  reads.complete = false;
  reads.unknown_reason = std::string(reason);
}

Result<ReadSet> reads_in(State& state, const Txn& txn, const Oid& snapshot,
                         const repo::Worktree& worktree, const Changes& writes, const Oid& base,
                         Sessions sessions) {
  ReadSources sources = TRY(sources_of(state, txn, snapshot, worktree, sessions));
  ReadSet reads = TRY(reads_of(state, sources, writes, base));
  return with_the_rest(state, txn, snapshot, std::move(sources.observed), std::move(reads));
}

Result<ReadSet> reads_until_now(State& state, const Txn& txn) {
  const repo::Worktree worktree = TRY(repo::find_worktree(txn.attempts.back().worktree));
  const Oid snapshot = TRY(snapshot_of(state, txn));
  ReadSet reads = TRY(reads_in(state, txn, snapshot, worktree, {}, snapshot, Sessions::kRunning));
  TRY(add_child_reads(state, txn, snapshot, {}, reads));
  return reads;
}

Result<ReadSet> left_reads(State& state, const TxnId& id, const Attempt& attempt,
                           ReadSet recorded) {
  if (attempt.worktree.empty() || !TRY(repo::has_files(attempt.worktree))) {
    recorded.complete = INJECTED_BUG("reads.left_are_none");
    recorded.unknown_reason = "its worktree is gone, and with it the traces of what it read";
    return recorded;
  }
  Txn txn = TRY(reload(state, id));
  std::erase_if(txn.attempts, [&](const Attempt& one) { return one.number >= attempt.number; });
  Attempt& last = txn.attempts.emplace_back(attempt);
  // A command without an end was started later, and is not asked about.
  if (!last.command_exit && !last.traces.empty()) {
    last.traces.pop_back();
    last.command_exit = 0;
  }
  const repo::Worktree worktree = TRY(repo::find_worktree(attempt.worktree));
  const Oid snapshot = TRY(snapshot_of(state, txn));
  const Changes writes = TRY(recorded_writes(*state.store, attempt));
  ReadSet reads = TRY(reads_in(state, txn, snapshot, worktree, writes, attempt.base));
  TRY(add_child_reads(state, txn, snapshot, writes, reads));
  for (Read& read : recorded.reads) reads.reads.push_back(std::move(read));
  normalize(reads);
  if (unknown_of(recorded) == Unknown::kUntraced) mark_unknown(reads, recorded.unknown_reason);
  if (reads.complete) reads.unknown_since = Oid();
  return reads;
}

ReadsAhead::ReadsAhead(State& state, const Txn& txn, const Oid& snapshot,
                       const repo::Worktree& worktree)
    : state_(state), txn_(txn), snapshot_(snapshot), worktree_(worktree) {}

ReadsAhead::~ReadsAhead() = default;

Status ReadsAhead::prepare() {
  ReadSources sources = TRY(sources_of(state_, txn_, snapshot_, worktree_, Sessions::kEnded));
  const Attempt& attempt = txn_.attempts.back();
  if (!attempt.kept.empty()) sources.input.writes = TRY(recorded_writes(*state_.store, attempt));
  sources.input.base = snapshot_;
  objects_ = std::make_unique<repo::Objects>(TRY(state_.repository.objects().beside()));
  sources_ = std::make_unique<ReadSources>(std::move(sources));
  return {};
}

void ReadsAhead::begin() {
  const Attempt& attempt = txn_.attempts.back();
  const bool moved = !attempt.kept.empty() && attempt.base != snapshot_;
  const std::size_t bytes = bytes_of(attempt.traces);
  if (moved || std::thread::hardware_concurrency() < 2 || bytes < kWorthAThread) return;
  if (!prepare()) return;
  const auto make = [this, bytes]() -> Result<ReadSet> {
    take_memory_ahead(kMemoryOfRecords * bytes);
    return reads_from(*objects_, *sources_);
  };
  guessed_ = on_a_thread(make);
}

Result<ReadSet> ReadsAhead::reads(const repo::Taken& taken) {
  if (sources_ == nullptr) {
    return reads_in(state_, txn_, snapshot_, worktree_, taken.changes, taken.base);
  }
  const bool right = (sources_->input.writes == taken.changes && taken.base == snapshot_ &&
                      taken.tips.empty() && !taken.head) ||
                     INJECTED_BUG("take.reads_of_a_guess");
  std::optional<ReadSet> guessed;
  if (guessed_.valid()) {
    state_.repository.objects().unpack_trees(snapshot_, [this] { return guessed_.ready(); });
    if (auto made = guessed_.get(); made && right) guessed = *std::move(made);
  }
  ReadSet reads =
      guessed ? *std::move(guessed) : TRY(reads_of(state_, *sources_, taken.changes, taken.base));
  return with_the_rest(state_, txn_, snapshot_, std::move(sources_->observed), std::move(reads));
}

}  // namespace gittxn::api
