// txn-bench: what the library costs, in paired ratios. tools/bench runs it beside the measurements
// that need whole programs (begin, tracing), and prints the design's targets next to what was
// reached.
//
//   txn-bench DIR landing FILES ROUNDS
//   txn-bench DIR validation FILES
//   txn-bench DIR journal EVENTS
//   txn-bench DIR refine COMMITS REPOSITORY
//   txn-bench DIR semantic REPOSITORY
//   txn-bench DIR catalogue FILES SOURCES...
//   txn-bench DIR kernel EVENTS [POSTGRES-URL]
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/catalogue.h"
#include "bench/kernel.h"
#include "bench/landing.h"
#include "bench/refine.h"
#include "bench/semantic.h"
#include "bench/world.h"
#include "certify/certify.h"
#include "store/events.h"

namespace gittxn::bench {

namespace {

Status landing(const std::string& dir, int files, int rounds, const Environment& env) {
  World world = TRY(World::create(dir, files, env));
  const LandingFigures figures = TRY(measure_landing(world, rounds));
  fmt::print("landing files={} ours_ms={:.2f} plumbing_ms={:.2f} kept_ms={:.2f} fresh_ms={:.2f}\n",
             files, figures.ours.median(), figures.plumbing.median(), figures.kept.median(),
             figures.fresh.median());
  fmt::print("landing files={} ours/plumbing={:.3f} kept/ours={:.1f} fresh/ours={:.1f}\n", files,
             median_ratio(figures.ours, figures.plumbing),
             figures.kept.median() / figures.ours.median(),
             figures.fresh.median() / figures.ours.median());
  return {};
}

// 1,000 reads against a head 50 landings ahead: the tree difference and the certifier.
Status validation(const std::string& dir, int files, const Environment& env) {
  World world = TRY(World::create(dir, files, env));
  repo::Objects& objects = world.repository().objects();
  Oid head = TRY(objects.tree_of(world.base()));
  for (int n = 0; n < 50; ++n) {
    const World::Edit edit = TRY(world.edit(n));
    head = TRY(objects.apply(head, edit.changes));
  }
  const Oid base_tree = TRY(objects.tree_of(world.base()));
  Footprint footprint;
  footprint.txn = TxnId("t-reader");
  footprint.base = world.base();
  footprint.reads = TRY(world.reads(1000, 0));
  const std::vector<Landed> history;
  const std::vector<std::pair<std::string, std::string>> kernel;
  Measured difference, whole;
  for (int round = 0; round < 200; ++round) {
    std::vector<SnapshotDiff> diffs(1);
    diffs[0].snapshot = world.base();
    std::size_t checked = 0;
    const auto walk = [&]() -> Status {
      diffs[0].changes = TRY(objects.diff(base_tree, head));
      return {};
    };
    const auto decide = [&]() -> Status {
      checked =
          certify::certify({&footprint, &diffs, &history, &kernel, Isolation::kStrict}).checked;
      return {};
    };
    const double first = TRY(time_ms(walk));
    const double second = TRY(time_ms(decide));
    if (checked == 0) return fail(Code::kFault, "nothing was certified");
    difference.ms.push_back(first);
    whole.ms.push_back(first + second);
  }
  fmt::print("validation files={} reads={} ms={:.3f} of_that_tree_difference_ms={:.3f}\n", files,
             footprint.reads.reads.size(), whole.median(), difference.median());
  return {};
}

Status journal(const std::string& dir, int events, const Environment& env) {
  World world = TRY(World::create(dir, 100, env));
  Measured ours, disk;
  UniqueFd file = TRY(open_fd(dir + "/disk", O_RDWR | O_CREAT | O_TRUNC));
  const std::string page(4096, 'x');
  for (int n = 0; n < events; ++n) {
    const auto append = [&]() -> Status {
      TRY(world.store().append(
          {store::events::trusted(Digest(fmt::format("{:064x}", n)), "bench")}));
      return {};
    };
    const auto sync = [&]() -> Status {
      TRY(write_all(file.get(), page));
      return ::fdatasync(file.get()) == 0 ? Status{} : Status(fail_errno(errno, "fdatasync"));
    };
    ours.ms.push_back(TRY(time_ms(append)));
    disk.ms.push_back(TRY(time_ms(sync)));
  }
  fmt::print("journal events={} append_ms={:.3f} fdatasync_ms={:.3f} rate={:.2f} of the disk's\n",
             events, ours.median(), disk.median(), 1 / median_ratio(ours, disk));
  return {};
}

Status refine(const std::string& dir, int commits, const std::string& source,
              const Environment& env) {
  const RefineFigures f = TRY(measure_refinement(dir, source, commits, env));
  fmt::print("refine agents={} moves={} really_stale={}\n", f.agents, f.moves, f.stale);
  fmt::print("refine before: reads={} refused={} falsely={} missed={}\n", f.reads_before,
             f.refused_before, f.false_before, f.missed_before);
  fmt::print("refine after:  reads={} refused={} falsely={} missed={}\n", f.reads_after,
             f.refused_after, f.false_after, f.missed_after);
  if (f.missed_after > 0) return fail(Code::kFault, "a read was said to hold that did not");
  return {};
}

Status catalogue(const std::string& dir, int files, const std::vector<std::string>& sources,
                 const Environment& env) {
  const CatalogueFigures f =
      TRY(measure_catalogue(dir, sources, static_cast<std::size_t>(files), env));
  const double mb = static_cast<double>(f.bytes) / 1e6;
  fmt::print("catalogue files={} mb={:.1f} threads={} cold_s={:.1f} of_processor_time_s={:.1f}\n",
             f.files, mb, f.threads, f.cold_ms / 1e3, f.cold_cpu_ms / 1e3);
  fmt::print("catalogue of_processor_time: tree_mb_s={:.2f} all_that_is_kept_mb_s={:.2f}\n",
             f.parse_mb_s, f.look_mb_s);
  fmt::print(
      "catalogue ten_files_changed_ms={:.1f} of_processor_time_ms={:.1f} "
      "nothing_changed_ms={:.1f} one_file_ms={:.1f} impact_ms={:.1f} on_disk_mib={:.0f}\n",
      f.warm.median(), f.warm_cpu.median(), f.same.median(), f.file.median(), f.impact.median(),
      f.kept_mib);
  return {};
}

Status run(const std::vector<std::string>& words, const Environment& env) {
  const auto number = [&](std::size_t i, int otherwise) {
    return words.size() > i ? std::stoi(words[i]) : otherwise;
  };
  if (words.size() >= 2 && words[1] == "landing") {
    return landing(words[0], number(2, 10'000), number(3, 20), env);
  }
  if (words.size() >= 2 && words[1] == "validation") {
    return validation(words[0], number(2, 100'000), env);
  }
  if (words.size() >= 2 && words[1] == "journal") return journal(words[0], number(2, 500), env);
  if (words.size() == 4 && words[1] == "refine")
    return refine(words[0], number(2, 30), words[3], env);
  if (words.size() == 3 && words[1] == "semantic") return measure_semantic(words[0], words[2], env);
  if (words.size() >= 3 && words[1] == "kernel") {
    return measure_kernel(words[0], number(2, 100'000), words.size() > 3 ? words[3] : "");
  }
  if (words.size() >= 4 && words[1] == "catalogue") {
    return catalogue(words[0], number(2, 10'000), {words.begin() + 3, words.end()}, env);
  }
  return fail(Code::kUsage,
              "usage: txn-bench DIR landing|validation|journal [N [N]] | refine N REPOSITORY | "
              "semantic REPOSITORY | catalogue N SOURCES... | kernel N [POSTGRES-URL]");
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
