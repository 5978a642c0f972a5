#include "gates/trust.h"

#include <fmt/format.h>

#include "base/bug.h"
#include "base/subprocess.h"
#include "gates/policy_file.h"
#include "store/events.h"

namespace gittxn::gates {

Status require_trust(const store::Store& store, const Policy& policy, const std::string& offered) {
  if (policy.trust_hash.empty() || INJECTED_BUG("gates.no_trust")) return {};
  if (!offered.empty() && offered == policy.trust_hash.str()) return {};
  if (TRY(store.is_trusted(policy.trust_hash))) return {};
  return untrusted(policy);
}

std::unexpected<Error> untrusted(const Policy& policy) {
  std::size_t count = trusted_commands(policy).size();
  return fail(
      Code::kRefused,
      fmt::format("{} of the target branch would run {} command{} that nobody here has said "
                  "yes to",
                  kPolicyPath, count, count == 1 ? "" : "s"),
      fmt::format("read them with `git txn trust`, then: git txn trust --yes {}",
                  policy.trust_hash.str()));
}

std::vector<std::string> trusted_commands(const Policy& policy) {
  std::vector<std::string> lines;
  for (const auto& argv : policy.worktree.run) {
    lines.push_back(fmt::format("set-up: {}", quote_argv(argv)));
  }
  const auto add = [&](const std::string& what, const GateSpec& gate) {
    if (gate.units) {
      for (const auto& argv : gate.units->prepare) {
        lines.push_back(fmt::format("{}, set-up: {}", what, quote_argv(argv)));
      }
      if (!gate.units->list.empty()) {
        lines.push_back(fmt::format("{}, units: {}", what, quote_argv(gate.units->list)));
      }
    }
    std::string line = fmt::format("{}: {}", what, quote_argv(gate.command));
    for (const auto& name : gate.env) line += fmt::format("  [sees ${}]", name);
    lines.push_back(std::move(line));
  };
  for (const auto& gate : policy.gates) add("gate " + gate.name.str(), gate);
  for (const auto& workflow : policy.workflows) {
    for (const auto& phase : workflow.phases) {
      for (const auto& gate : phase.gates) {
        if (gate.kind != PhaseGate::Kind::kRun) continue;
        add(fmt::format("workflow {}, phase {}, gate {}", workflow.name, phase.name,
                        gate.gate.name.str()),
            gate.gate);
      }
    }
  }
  for (const HandlerSpec& handler : policy.handlers) {
    lines.push_back(fmt::format("on {}: {}", handler.type, quote_argv(handler.command)));
  }
  return lines;
}

Status grant_trust(store::Store& store, const Policy& policy, const std::string& actor) {
  if (policy.trust_hash.empty()) {
    return fail(Code::kUsage,
                fmt::format("{} runs no commands, so there is nothing to trust", kPolicyPath));
  }
  if (TRY(store.is_trusted(policy.trust_hash))) return {};
  TRY(store.append({store::events::trusted(policy.trust_hash, actor)}));
  return {};
}

}  // namespace gittxn::gates
