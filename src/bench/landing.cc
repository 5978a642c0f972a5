// One landing of a three-file change, measured against what people do today: git plumbing with
// every sync on, a kept worktree, and a fresh worktree for each landing (the pipeline of the
// seeds).
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "bench/measures.h"
#include "bench/world.h"
#include "catalogue/footprints.h"
#include "land/land.h"

namespace gittxn::bench {

namespace {

constexpr std::size_t kMostOfFile = 1u << 20;
constexpr int kMakingRounds = 8;
constexpr int kNaiveEvery = 8;  // fresh worktrees cost seconds each

struct Rival {
  World& world;
  std::string git_dir;  // a copy of the repository of its own
  std::string kept;     // a worktree that stays

  Result<std::string> git(std::vector<std::string> args, const std::string& dir) const {
    std::vector<std::string> all{
        "-c", "core.fsync=all", "-c", "user.name=Bench", "-c", "user.email=bench@example.org"};
    for (std::string& arg : args) all.push_back(std::move(arg));
    return world.repository->git().line(std::move(all), {.dir = dir});
  }

  Status plumbing(const Oid& theirs) const {
    const std::string head = TRY(git({"rev-parse", "refs/heads/main"}, git_dir));
    std::string tree = TRY(git({"merge-tree", "--write-tree", head, theirs.str()}, git_dir));
    tree = tree.substr(0, tree.find('\n'));
    const std::string commit = TRY(git({"commit-tree", tree, "-p", head, "-m", "land"}, git_dir));
    TRY(git({"update-ref", "refs/heads/main", commit, head}, git_dir));
    return {};
  }
  Status in_worktree(const std::string& dir, const std::string& patch) const {
    TRY(git({"checkout", "-q", "--detach", "main"}, dir));
    TRY(git({"apply", "--3way", "--index", patch}, dir));
    TRY(git({"commit", "-q", "--no-verify", "-m", "land"}, dir));
    const std::string commit = TRY(git({"rev-parse", "HEAD"}, dir));
    TRY(git({"update-ref", "refs/heads/main", commit}, git_dir));
    return {};
  }
  Status fresh(const std::string& patch) const {
    const std::string dir = world.dir + "/fresh";
    TRY(git({"worktree", "add", "-q", "--detach", dir, "main"}, git_dir));
    TRY(in_worktree(dir, patch));
    TRY(git({"worktree", "remove", "--force", dir}, git_dir));
    return {};
  }
};

Result<Rival> make_rival(World& world) {
  Rival rival{world, world.dir + "/rival.git", world.dir + "/kept"};
  TRY(world.repository->git().must(
      {"clone", "-q", "--bare", "--no-local", world.git_dir, rival.git_dir}, {}));
  TRY(rival.git({"worktree", "add", "-q", "--detach", rival.kept, "main"}, rival.git_dir));
  return rival;
}

// Footprints of a change are in the catalogue when it is landed, or are missing: taking a change
// makes them where others have landed meanwhile (txn/footprints_ahead.h).
enum class Footprints { kKept, kMissing };

// A change that nobody has landed: a transaction that asks for it, and in the rival's repository a
// commit on the base, and a patch file.
struct Offer {
  TxnId txn;
  Oid commit;
  std::string patch;
};
Result<Offer> offer(World& world, const Rival& rival, int n, Footprints footprints) {
  const World::Edit edit = TRY(world.edit(n));
  if (footprints == Footprints::kKept) {
    const auto cache = catalogue::cache_in(world.repository->txn_dir(), *world.clock);
    catalogue::Footprints(world.repository->objects(), cache, kMostOfFile)
        .make(edit.changes, kMostOfFile);
  }
  const TxnId txn = TRY(world.prepared(n, edit, 3));
  const std::string ref = "refs/txn/" + txn.str() + "/1";
  TRY(rival.git({"fetch", "-q", world.git_dir, ref + ":" + ref}, rival.git_dir));
  const std::string commit = TRY(rival.git({"rev-parse", ref}, rival.git_dir));
  Offer made{txn, Oid(commit), world.dir + "/" + txn.str() + ".patch"};
  const std::string text = TRY(world.repository->git().must(
      {"diff", "--binary", "--full-index", world.base.str(), commit}, {.dir = rival.git_dir}));
  TRY(write_file(made.patch, text, Sync::kNo));
  return made;
}

// Seen by strace, with which tools/bench counts what is done between two marks.
void mark(const char* where) {
  static_cast<void>(::access(where, F_OK));
}
template <typename Work>
Status between_marks(Measured& measured, const Work& work) {
  mark("/bench/begin");
  TRY(measured.time(work));
  mark("/bench/end");
  return {};
}

}  // namespace

Status measure_landing(const Asked& asked) {
  const int files = asked.number(10'000);
  const int rounds = asked.number(20, 1);
  World world = TRY(World::create(asked.dir, files, asked.env));
  const Rival rival = TRY(make_rival(world));
  const land::Context context = world.landing(asked.env);
  Measured ours, making, plumbing, kept, fresh;
  const auto land = [&context](const Offer& change) -> Status {
    const land::LandOutcome outcome = TRY(land::land(context, change.txn, {}));
    if (outcome.result == land::LandResult::kLanded) return {};
    return fail(Code::kFault, fmt::format("{} did not land", change.txn.str()));
  };
  int n = 0;
  for (int round = 0; round <= rounds; ++round) {
    const Offer change = TRY(offer(world, rival, n++, Footprints::kKept));
    TRY(between_marks(ours, [&] { return land(change); }));
    TRY(between_marks(plumbing, [&] { return rival.plumbing(change.commit); }));
  }
  for (int round = 0; round < kMakingRounds; ++round) {
    const Offer change = TRY(offer(world, rival, n++, Footprints::kMissing));
    TRY(making.time([&] { return land(change); }));
  }
  // The first makes the head durable: one syncfs of everything.
  ours.ms.erase(ours.ms.begin());
  plumbing.ms.erase(plumbing.ms.begin());
  for (int round = 0; round < rounds; ++round) {
    const Offer change = TRY(offer(world, rival, n++, Footprints::kMissing));
    TRY(kept.time([&] { return rival.in_worktree(rival.kept, change.patch); }));
    if (round % kNaiveEvery != 0) continue;
    const Offer other = TRY(offer(world, rival, n++, Footprints::kMissing));
    TRY(fresh.time([&] { return rival.fresh(other.patch); }));
  }
  fmt::print("landing files={} ours_ms={:.2f} plumbing_ms={:.2f} kept_ms={:.2f} fresh_ms={:.2f}\n",
             files, ours.median(), plumbing.median(), kept.median(), fresh.median());
  fmt::print("landing files={} making_footprints_ms={:.2f} making_footprints/plumbing={:.3f}\n",
             files, making.median(), making.median() / plumbing.median());
  fmt::print("landing files={} ours/plumbing={:.3f} kept/ours={:.1f} fresh/ours={:.1f}\n", files,
             median_ratio(ours, plumbing), kept.median() / ours.median(),
             fresh.median() / ours.median());
  return {};
}

}  // namespace gittxn::bench
