// Certificates carried over a real history, and whether they are true there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "base/fs.h"
#include "base/text.h"
#include "bench/measures.h"
#include "gates/evidence/carry.h"
#include "gates/policy_file.h"
#include "gates/units/units.h"

namespace gittxn::bench {
namespace {

// The bytes that a run looked into.
using Bytes = std::set<std::pair<std::string, std::string>>;

struct History {
  std::unique_ptr<SystemClock> clock = std::make_unique<SystemClock>();
  std::unique_ptr<repo::Repository> repository;
  std::optional<store::Store> store;
  gates::GateContext context;
  Policy policy;
  RefName branch;

  Result<std::vector<gates::Candidate>> candidates(const std::string& number) const;
  Result<std::optional<Bytes>> bytes_of(const gates::UnitSaid& said) const;
};

Result<History> open_history(const Asked& asked) {
  History history;
  history.repository =
      std::make_unique<repo::Repository>(TRY(repo::Repository::open(asked.words[1], asked.env)));
  history.store.emplace(TRY(store::Store::open(history.repository->txn_dir(), *history.clock)));
  history.policy = TRY(gates::parse_policy(TRY(read_file(asked.words[2]))));
  if (history.policy.gates.size() != 1 || !history.policy.gates.front().units) {
    return fail(Code::kUsage, "'" + asked.words[2] + "' has to have one gate, of units");
  }
  const Output head =
      TRY(history.repository->git().run({"symbolic-ref", "HEAD"}, history.repository->here()));
  history.branch = RefName(head.out.substr(0, head.out.find('\n')));
  gates::GateContext& context = history.context;
  context.repository = history.repository.get();
  context.clock = history.clock.get();
  context.caller = asked.env;
  context.worktree_root = asked.dir + "/state";
  return history;
}

// The last so many commits along first parents, the oldest first.
Result<std::vector<gates::Candidate>> History::candidates(const std::string& number) const {
  const Output listed = TRY(repository->git().run(
      {"rev-list", "--first-parent", "--reverse", "-n", number, branch.str()}, repository->here()));
  std::vector<gates::Candidate> all;
  for (const std::string_view line : lines_of(listed.out)) {
    const repo::CommitInfo commit = TRY(repository->objects().commit(Oid(std::string(line))));
    gates::Candidate one{commit.oid, commit.tree, {}, branch, TxnId("t-bench")};
    if (!commit.parents.empty()) one.parent = commit.parents.front();
    all.push_back(std::move(one));
  }
  return all;
}

// nullopt: they are not known.
Result<std::optional<Bytes>> History::bytes_of(const gates::UnitSaid& said) const {
  if (said.looks.empty()) return std::nullopt;
  Bytes bytes;
  for (const gates::Look& look : TRY(gates::looks_from_lines(TRY(store->artifact(said.looks))))) {
    if (look.kind == ReadKind::kContent) bytes.emplace(look.path, look.digest);
  }
  return bytes;
}

constexpr int kRepeats = 3;  // of a unit that fails where it was carried to

// The last run of each unit that passed, as it was known before a commit.
using Before = std::map<std::string, gates::UnitSaid>;

using Lane = std::function<Result<gates::GateLane>()>;

// Runs each unit that was carried; one that fails up to three times more.
struct Truth {
  std::map<std::string, gates::UnitSaid> now;
  std::set<std::string> flaky;  // failed, and passed on the same files
};
Result<Truth> truth_of(gates::UnitGate& gate, const Lane& lane) {
  Truth truth;
  std::set<std::string> failed;
  for (int run = 0; run <= kRepeats && (run == 0 || !failed.empty()); ++run) {
    const auto picked = [&](const gates::UnitSaid& said) {
      return run == 0 || failed.contains(said.unit);
    };
    for (auto& one : TRY(gate.audit(TRY(lane()), picked))) {
      const std::string& unit = one.carried.unit;
      if (one.now.passed && failed.erase(unit) > 0) truth.flaky.insert(unit);
      if (!one.now.passed) failed.insert(unit);
      truth.now.insert_or_assign(unit, std::move(one.now));
    }
  }
  return truth;
}

// Says whether a unit could have been carried: it passed on the very bytes that it looks into now.
Result<const char*> could_be(const History& history, const Before& before,
                             const gates::UnitSaid& now) {
  const auto last = before.find(now.unit);
  if (last == before.end()) return "new";
  const auto then = TRY(history.bytes_of(last->second));
  const auto here = TRY(history.bytes_of(now));
  if (!then || !here) return "unknown";
  return *then == *here ? "same" : "other";
}

Status print_table(const History& history, const std::string& commit, const Truth& truth,
                   const gates::UnitTable& table, Before& before) {
  for (const gates::UnitSaid& one : table) {
    if (one.part != gates::UnitSaid::Part::kUnit) {
      fmt::print("part commit={} ran={} ms={} limited={}\n", commit, one.ran ? 1 : 0,
                 one.duration_ms, one.limited);
      continue;
    }
    const auto again = truth.now.find(one.unit);
    const gates::UnitSaid& now = again == truth.now.end() ? one : again->second;
    fmt::print("unit commit={} carried={} passed={} flaky={} bytes={} ms={} name={} limited={}\n",
               commit, one.ran ? 0 : 1, now.passed ? 1 : 0, truth.flaky.contains(one.unit) ? 1 : 0,
               TRY(could_be(history, before, now)), now.duration_ms, one.unit, now.limited);
    if (now.passed) before.insert_or_assign(one.unit, now);
  }
  return {};
}

// Prints the outcome of one commit, a line for each unit.
Status measure_commit(const History& history, const gates::Candidate& candidate, Before& before) {
  const GateSpec& spec = history.policy.gates.front();
  gates::Evidence evidence(history.context, history.policy, candidate);
  gates::UnitGate gate =
      TRY(gates::UnitGate::open(history.context, history.policy, spec, candidate, evidence));
  const Lane lane = [&] {
    return gates::GateLane::take(history.context, spec.name.str(), candidate.branch,
                                 gates::GateLane::Lanes::kFixedOnly);
  };
  const std::string commit = candidate.commit.str().substr(0, 10);
  auto known = TRY(gate.known());
  const gates::GateReport report =
      known ? *std::move(known) : TRY(gate.run(TRY(lane()), gates::UnitGate::Runs::kWhatIsMissing));
  const Certificate& said = report.certificate;
  if (!said.refused.empty()) {
    fmt::print("refused commit={} why={}\n", commit, said.refused);
    return {};
  }
  const Truth truth = TRY(truth_of(gate, lane));
  const std::string lines = TRY(history.store->artifact(said.units));
  TRY(print_table(history, commit, truth, TRY(gates::units_from_lines(lines)), before));
  for (const auto& would : TRY(gate.explained()).would_run) {
    fmt::print("why commit={} name={} why={}\n", commit, would.unit, would.why);
  }
  std::fflush(stdout);
  return {};
}

}  // namespace

Status measure_carry(const Asked& asked) {
  History history = TRY(open_history(asked));
  history.context.store = &*history.store;
  Before before;
  for (const gates::Candidate& candidate : TRY(history.candidates(asked.words[0]))) {
    TRY(measure_commit(history, candidate, before));
  }
  return {};
}

}  // namespace gittxn::bench
