// What is carried over a real history, and whether it is true there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
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

// Of one unit: its last run that passed, as it was known before a commit.
using Before = std::map<std::string, gates::UnitSaid>;

// What one commit came to, as lines for whoever counts.
Status measure_commit(History& history, const gates::Candidate& candidate, Before& before) {
  const GateSpec& spec = history.policy.gates.front();
  gates::Evidence evidence(history.context, history.policy, candidate);
  gates::UnitGate gate =
      TRY(gates::UnitGate::open(history.context, history.policy, spec, candidate, evidence));
  const auto lane = [&] {
    return gates::GateLane::take(history.context, spec.name.str(), candidate.branch,
                                 gates::GateLane::Lanes::kFixedOnly);
  };
  auto known = TRY(gate.known());
  const gates::GateReport report =
      known ? *std::move(known) : TRY(gate.run(TRY(lane()), gates::UnitGate::Runs::kWhatIsMissing));
  const Certificate& said = report.certificate;
  if (!said.refused.empty()) {
    fmt::print("refused commit={} {}\n", candidate.commit.str(), said.refused);
    return {};
  }
  auto audited = TRY(gate.audit(TRY(lane()), [](const gates::UnitSaid&) { return true; }));
  std::set<std::string> flaky;
  for (int again = 0; again < kRepeats; ++again) {
    std::set<std::string> failed;
    for (const auto& one : audited) {
      if (!one.now.passed) failed.insert(one.carried.unit);
    }
    if (failed.empty()) break;
    for (auto& one : TRY(gate.audit(TRY(lane()), [&](const gates::UnitSaid& said_then) {
           return failed.contains(said_then.unit);
         }))) {
      if (!one.now.passed) continue;
      flaky.insert(one.carried.unit);
      const auto first = std::ranges::find(audited, one.carried.unit,
                                           [](const auto& each) { return each.carried.unit; });
      first->now = std::move(one.now);
    }
  }
  std::map<std::string, const gates::UnitGate::Audited*> truth;
  for (const auto& one : audited) truth[one.carried.unit] = &one;
  for (const gates::UnitSaid& one :
       TRY(gates::units_from_lines(TRY(history.store->artifact(said.units))))) {
    if (one.part != gates::UnitSaid::Part::kUnit) {
      fmt::print("part commit={} ran={} ms={} limited={}\n", candidate.commit.str().substr(0, 10),
                 one.ran ? 1 : 0, one.duration_ms, one.limited);
      continue;
    }
    const auto again = truth.find(one.unit);
    const gates::UnitSaid& now = again == truth.end() ? one : again->second->now;
    // Whether it could have been: it passed on the very bytes that it looks into now.
    const char* could = "new";
    if (const auto last = before.find(one.unit); last != before.end()) {
      const auto then = TRY(history.bytes_of(last->second));
      const auto here = TRY(history.bytes_of(now));
      could = !then || !here ? "unknown" : *then == *here ? "same" : "other";
    }
    fmt::print(
        "unit commit={} carried={} passed={} flaky={} bytes={} ms={} name={} limited={} "
        "missed={}\n",
        candidate.commit.str().substr(0, 10), one.ran ? 0 : 1, now.passed ? 1 : 0,
        flaky.contains(one.unit) ? 1 : 0, could, now.duration_ms, one.unit, now.limited,
        one.missed);
    if (now.passed) before.insert_or_assign(one.unit, now);
  }
  for (const auto& would : TRY(gate.explained()).would_run) {
    fmt::print("why commit={} name={} why={}\n", candidate.commit.str().substr(0, 10), would.unit,
               would.why);
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
