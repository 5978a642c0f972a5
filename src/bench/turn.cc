// The time that landings hold the turn under a gate of units: nobody else lands meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/measures.h"
#include "bench/world.h"
#include "gates/policy_file.h"
#include "land/land.h"

namespace gittxn::bench {
namespace {

constexpr int kFiles = 4000;
constexpr int kInAHundred = 95;
constexpr int kReadyAtOnce = 4;  // transactions that began on one head

// A gate of so many units, of which each looks at one file.
std::string policy_of(const World& world, int units) {
  std::string names;
  for (int i = 0; i < units; ++i) names += fmt::format("  \"{}\",\n", world.path_of(i));
  return "[[gate]]\nname = \"tests\"\nrun = [\"grep\", \"-q\", \".\", \"{unit}\"]\nunits = [\n" +
         names + "]\n";
}

Status commit_policy(World& world, const std::string& text) {
  repo::Objects& objects = world.repository->objects();
  const Oid blob = TRY(objects.write_blob(text));
  const Oid tree = TRY(objects.apply(TRY(objects.tree_of(world.base)),
                                     {{".gittxn.toml", TreeEntry(), {FileMode::kFile, blob}}}));
  const repo::GitOptions here{.dir = world.git_dir};
  world.base = Oid(TRY(world.repository->git().line(
      {"-c", "user.name=Bench", "-c", "user.email=bench@example.org", "commit-tree", tree.str(),
       "-p", world.base.str(), "-m", "policy"},
      here)));
  TRY(world.repository->git().must({"update-ref", "refs/heads/main", world.base.str()}, here));
  return {};
}

}  // namespace

Status measure_turn(const Asked& asked) {
  const int units = asked.number(200);
  const int rounds = asked.number(40, 1);
  World world = TRY(World::create(asked.dir, kFiles, asked.env));
  land::LandOptions options;
  if (units > 0) {
    const std::string text = policy_of(world, units);
    TRY(commit_policy(world, text));
    options.trust_offered = TRY(gates::parse_policy(text)).trust_hash.str();
  }
  const land::Context context = world.landing(asked.env);
  Measured turn;
  int ran = 0;
  for (int round = 0; round <= rounds; ++round) {
    const TxnId txn = TRY(world.prepared(round, TRY(world.edit(round)), 3));
    const land::LandOutcome outcome = TRY(land::land(context, txn, options));
    if (outcome.result != land::LandResult::kLanded) {
      return fail(Code::kFault, fmt::format("{} did not land", txn.str()));
    }
    if (round % kReadyAtOnce == 0) world.base = outcome.commit;
    if (round == 0) continue;  // it runs all units, and makes the head durable
    for (const std::int64_t ns : outcome.turns_ns) turn.ms.push_back(static_cast<double>(ns) / 1e6);
    for (const gates::GateReport& report : outcome.gates) ran += report.certificate.tally.ran;
  }
  std::ranges::sort(turn.ms);
  const std::size_t at = turn.ms.size() * kInAHundred / 100;
  fmt::print("turn landings={} units={} ran={} held_ms={:.2f} p95_ms={:.2f}\n", rounds, units, ran,
             turn.median(), turn.ms[std::min(at, turn.ms.size() - 1)]);
  return {};
}

}  // namespace gittxn::bench
