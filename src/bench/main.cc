// txn-bench: what the library costs, in paired ratios. tools/bench runs it beside the measurements
// that need whole programs (begin, tracing), and prints the design's targets next to what was
// reached. What each measure takes stands in its usage and in measures.h.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/measures.h"
#include "bench/world.h"
#include "certify/certify.h"
#include "store/events.h"

namespace gittxn::bench {

namespace {

// The same difference as the first thing that a process asks of the repository, so that every
// object is found and unpacked.
Result<double> first_difference(const World& world, const Environment& env, const Oid& head) {
  Measured first;
  for (int round = 0; round < 20; ++round) {
    repo::Repository fresh = TRY(repo::Repository::open(world.git_dir, env));
    const Oid base_tree = TRY(fresh.objects().tree_of(world.base));
    const auto walk = [&]() -> Status {
      TRY(fresh.objects().diff(base_tree, head));
      return {};
    };
    TRY(first.time(walk));
  }
  return first.median();
}

// FILES: 1,000 reads against a head 50 landings ahead: the tree difference and the certifier.
Status measure_validation(const Asked& asked) {
  const int files = asked.number(100'000);
  World world = TRY(World::create(asked.dir, files, asked.env));
  repo::Objects& objects = world.repository->objects();
  Oid head = TRY(objects.tree_of(world.base));
  for (int n = 0; n < 50; ++n) {
    const World::Edit edit = TRY(world.edit(n));
    head = TRY(objects.apply(head, edit.changes));
  }
  const Oid base_tree = TRY(objects.tree_of(world.base));
  Footprint footprint;
  footprint.txn = TxnId("t-reader");
  footprint.base = world.base;
  footprint.reads = TRY(world.reads(1000, 0));
  Measured difference, whole;
  for (int round = 0; round < 200; ++round) {
    std::vector<SnapshotDiff> diffs(1);
    diffs[0].snapshot = world.base;
    std::size_t checked = 0;
    const auto walk = [&]() -> Status {
      diffs[0].changes = TRY(objects.diff(base_tree, head));
      return {};
    };
    const auto decide = [&]() -> Status {
      checked = certify::certify({.txn = &footprint, .diffs = diffs}).checked;
      return {};
    };
    const double first = TRY(time_ms(walk));
    const double second = TRY(time_ms(decide));
    if (checked == 0) return fail(Code::kFault, "nothing was certified");
    difference.ms.push_back(first);
    whole.ms.push_back(first + second);
  }
  const double first = TRY(first_difference(world, asked.env, head));
  fmt::print(
      "validation files={} reads={} ms={:.3f} of_that_tree_difference_ms={:.3f} "
      "first_difference_of_a_process_ms={:.3f}\n",
      files, footprint.reads.reads.size(), whole.median(), difference.median(), first);
  return {};
}

// EVENTS: appending, against the disk's own rate.
Status measure_journal(const Asked& asked) {
  const int events = asked.number(500);
  World world = TRY(World::create(asked.dir, 100, asked.env));
  Measured ours, disk;
  UniqueFd file = TRY(open_fd(asked.dir + "/disk", O_RDWR | O_CREAT | O_TRUNC));
  const std::string page(4096, 'x');
  for (int n = 0; n < events; ++n) {
    const auto append = [&] {
      return world.store->append(
          {store::events::trusted(Digest(fmt::format("{:064x}", n)), "bench")});
    };
    const auto sync = [&]() -> Status {
      TRY(write_all(file.get(), page));
      return ::fdatasync(file.get()) == 0 ? Status{} : Status(fail_errno(errno, "fdatasync"));
    };
    TRY(ours.time(append));
    TRY(disk.time(sync));
  }
  fmt::print("journal events={} append_ms={:.3f} fdatasync_ms={:.3f} rate={:.2f} of the disk's\n",
             events, ours.median(), disk.median(), 1 / median_ratio(ours, disk));
  return {};
}

struct Measure {
  const char* name;
  std::size_t least, most;  // words behind it
  Status (*run)(const Asked& asked);
};
constexpr std::size_t kAny = static_cast<std::size_t>(-1);
constexpr Measure kMeasures[] = {
    {"landing", 0, kAny, measure_landing}, {"validation", 0, kAny, measure_validation},
    {"journal", 0, kAny, measure_journal}, {"refine", 2, 2, measure_refinement},
    {"semantic", 1, 1, measure_semantic},  {"merge", 0, 0, measure_merge},
    {"kernel", 1, kAny, measure_kernel},   {"catalogue", 2, kAny, measure_catalogue},
    {"carry", 3, 3, measure_carry},        {"turn", 0, kAny, measure_turn}};

Status run(const std::vector<std::string>& words, const Environment& env) {
  for (const Measure& measure : kMeasures) {
    if (words.size() < 2 || words[1] != measure.name) continue;
    const Asked asked{words[0], {words.begin() + 2, words.end()}, env};
    const std::size_t behind = asked.words.size();
    if (behind >= measure.least && behind <= measure.most) return measure.run(asked);
  }
  return fail(
      Code::kUsage,
      "usage: txn-bench DIR landing|validation|journal|turn [N [N]] | refine N REPOSITORY | "
      "merge | semantic REPOSITORY | catalogue N SOURCES... | kernel N [POSTGRES-URL] | carry N "
      "REPOSITORY POLICY");
}

}  // namespace

}  // namespace gittxn::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const gittxn::Status status = gittxn::bench::run(words, gittxn::environment_from(environ));
  if (status) return 0;
  fmt::print(stderr, "txn-bench: {}: {}\n", status.error().where, status.error().message);
  return status.error().code == gittxn::Code::kUsage ? 3 : 2;
}
