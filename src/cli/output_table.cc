// What --json prints of each command, as data (commands.h). A command that is not here fails the
// tests: one whose output nobody may rely on says so with an empty schema.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"

namespace gittxn::cli {
namespace {

constexpr Output kOutputs[] = {
    {"run", "", "outcome"},
    {"commit", "", "outcome"},
    {"commit", "--all", "outcome", Lines::kMany},
    {"begin", "", "transaction"},
    {"stop", "", "transaction"},
    {"resume", "", "transaction"},
    {"abort", "", "aborted"},
    {"exec", "", "exec"},
    {"open", "", "worktree"},
    {"open", "--", ""},  // what the command prints
    {"open", "--shell", ""},
    {"status", "", "status"},
    {"log", "", "log", Lines::kMany},
    {"why", "", "why"},
    {"show", "", "show"},
    {"diff", "", "diff"},
    {"diff", "--symbols", "change", Lines::kMany},
    {"reads", "", "read", Lines::kMany},
    {"reads", "--explain", "read-explained", Lines::kMany},
    {"writes", "", "change", Lines::kMany},
    {"symbols", "", "symbol", Lines::kMany},
    {"impact", "", "impact"},
    {"events", "tail", "event", Lines::kMany},
    {"events", "consumer register", "consumer"},
    {"events", "consumer ack", "consumer"},
    {"events", "consumer list", "consumer", Lines::kMany},
    {"events", "consumer remove", "consumer-removed"},
    {"events", "consumer retry", "handler-retried"},
    {"events", "prune", "pruned"},
    {"merge-file", "", "merge"},
    {"merge-driver", "", "merge"},
    {"hook", "", ""},  // what the agent wants of a hook
    {"mcp", "", ""},   // its protocol
    {"capture", "import", "imported"},
    {"read", "", "declared"},
    {"summary", "add", "summary-added"},
    {"summary", "show", "summary-text"},
    {"summary", "remove", "summary-removed"},
    {"summary", "list", "summary", Lines::kMany},
    {"summary", "check", "summary", Lines::kMany},
    {"instructions", "", "instructions"},
    {"gate", "list", "policy"},
    {"gate", "show", "gate"},
    {"gate", "run", "gates"},
    {"trust", "", "trust"},
    {"trust", "--yes", "trusted"},
    {"workflow", "create", "workflow"},
    {"workflow", "list", "workflow", Lines::kMany},
    {"workflow", "status", "workflow-status"},
    {"workflow", "advance", "workflow-move"},
    {"workflow", "skip", "workflow-move"},
    {"workflow", "rollback", "workflow-move"},
    {"workflow", "override", "workflow-move"},
    {"workflow", "verdict", "verdict"},
    {"workflow", "cancel", "workflow-cancelled"},
    {"compensate", "", "compensation"},
    {"lease", "acquire", "lease"},
    {"lease", "acquire --", "command"},
    {"lease", "renew", "lease"},
    {"lease", "transfer", "lease"},
    {"lease", "list", "lease", Lines::kMany},
    {"lease", "release", "lease-released"},
    {"sentinel", "", "sentinel-passed"},
    {"sentinel", "list", "sentinel", Lines::kMany},
    {"sentinel", "reset", "sentinel-reset"},
    {"budget", "set", "budget", Lines::kMany},
    {"budget", "show", "budget", Lines::kMany},
    {"budget", "report", "budget", Lines::kMany},
    {"budget", "reconcile", "reconciled", Lines::kMany},
    {"propose", "", "proposed"},
    {"promote", "", "promoted"},
    {"proposals", "", "proposal", Lines::kMany},
    {"proposals", "list", "proposal", Lines::kMany},
    {"proposals", "show", "proposal-shown"},
    {"proposals", "dismiss", "proposal-changed"},
    {"proposals", "link", "proposal-changed"},
    {"portfolio", "", "portfolio"},
    {"portfolio", "status", "portfolio"},
    {"portfolio", "add", "member"},
    {"portfolio", "needs", "member"},
    {"portfolio", "remove", "member-removed"},
    {"portfolio", "relay", "relayed", Lines::kMany},
    {"recover", "", "recovered"},
    {"verify", "", "verified"},
    {"state", "", "state"},
    {"gc", "", "gc"},
    {"doctor", "", "doctor"},
    {"init", "", "joined"},
    {"version", "", "version"},
    {"version", "--cli", "version-cli"},
    {"version", "--enforces", "enforced"},
    {"internal", "", ""},
};

}  // namespace

std::span<const Output> outputs() {
  return kOutputs;
}

std::vector<Output> outputs_of(std::string_view command) {
  std::vector<Output> found;
  std::ranges::copy_if(kOutputs, std::back_inserter(found),
                       [&](const Output& output) { return output.command == command; });
  return found;
}

std::string output_schema_uri(std::string_view schema) {
  return fmt::format("urn:git-txn:output:{}:1", schema);
}

}  // namespace gittxn::cli
