// gate and trust.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/duration.h"
#include "base/json_value.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

std::string gate_line(const GateSpec& gate) {
  return fmt::format("{}  {}  {}  {}\n", padded(clean(gate.name.str()), 12),
                     padded(format_duration(gate.timeout_ms), 7), gate.version.str().substr(0, 7),
                     clean(quote_argv(gate.command)));
}

Result<int> list_gates(Session& session, api::Kernel& kernel) {
  if (session.args.operands.size() > 1) {
    return fail(Code::kUsage, "git txn gate list takes no name",
                "git txn gate show NAME shows one");
  }
  Policy policy = TRY(kernel.policy(session.flag("--onto")));
  if (session.json()) {
    session.out->json(policy_json(policy));
    return kExitDone;
  }
  for (const GateSpec& gate : policy.gates) session.out->text(gate_line(gate));
  if (policy.gates.empty()) {
    session.out->text("no gates; add a [[gate]] to .gittxn.toml on the target branch\n");
  }
  return kExitDone;
}

Result<int> show_gate(Session& session, api::Kernel& kernel) {
  if (session.args.operands.size() != 2) {
    return fail(Code::kUsage, "git txn gate show needs the name of a gate",
                "git txn gate list lists them");
  }
  const std::string& name = session.args.operands[1];
  Policy policy = TRY(kernel.policy(session.flag("--onto")));
  auto found = std::find_if(policy.gates.begin(), policy.gates.end(),
                            [&](const GateSpec& gate) { return gate.name.str() == name; });
  if (found == policy.gates.end()) {
    return fail(Code::kUsage, fmt::format("the policy has no gate '{}'", name),
                "git txn gate list lists them");
  }
  if (session.json()) {
    Policy one;
    one.gates = {*found};
    session.out->json(policy_json(one)["gates"][0]);
    return kExitDone;
  }
  std::string out =
      fmt::format("{}\n  command  {}\n  limit    {}\n", clean(name),
                  clean(quote_argv(found->command)), format_duration(found->timeout_ms));
  for (const std::string& variable : found->env)
    out += fmt::format("  sees     ${}\n", clean(variable));
  session.out->text(out + fmt::format("  version  {}\n", found->version.str()));
  return kExitDone;
}

Result<int> run_gates(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  if (operands.size() < 2) {
    return fail(Code::kUsage, "git txn gate run needs a transaction or a commit",
                "git txn gate run ID [NAME...]");
  }
  std::vector<std::string> names(operands.begin() + 2, operands.end());
  api::Progress progress = session.reporter->progress();
  std::vector<api::GateLine> lines = TRY(kernel.run_gates_on(operands[1], names, progress));
  session.reporter->finish();
  bool passed = std::all_of(lines.begin(), lines.end(),
                            [](const api::GateLine& line) { return line.result == "passed"; });
  if (session.json()) {
    session.out->json(gates_json(lines));
  } else if (!session.quiet() || !passed) {
    for (const api::GateLine& line : lines) {
      Colour colour = line.result == "passed" ? Colour::kGreen : Colour::kRed;
      session.out->text(fmt::format("{}  {}\n", session.style.paint(colour, clean(line.result)),
                                    clean(line.name)));
    }
    if (lines.empty()) session.out->text("the policy has no gates\n");
  }
  return passed ? kExitDone : kExitNo;
}

}  // namespace

Result<int> gate_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const std::string& action = session.args.operands.at(0);
  if (action == "list") return list_gates(session, kernel);
  if (action == "show") return show_gate(session, kernel);
  return run_gates(session, kernel);
}

Result<int> trust_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  std::optional<std::string> onto = session.flag("--onto");
  if (auto hash = session.flag("--yes")) {
    TRY(kernel.trust(onto, *hash));
    if (session.json())
      session.out->json({{"hash", *hash}, {"trusted", true}});
    else if (!session.quiet())
      session.out->text("trusted; these commands run from now on\n");
    return kExitDone;
  }
  Policy policy = TRY(kernel.policy(onto));
  std::vector<std::string> commands = TRY(kernel.trust_listing(onto));
  bool trusted = policy.trust_hash.empty() || TRY(kernel.trusted(onto));
  const std::string& hash = policy.trust_hash.str();
  if (session.json()) {
    Json object{{"hash", nullptr}, {"trusted", trusted}, {"commands", texts_json(commands)}};
    if (!hash.empty()) object["hash"] = hash;
    session.out->json(object);
    return kExitDone;
  }
  if (commands.empty()) {
    session.out->text(".gittxn.toml of the target branch runs no commands: nothing to trust\n");
    return kExitDone;
  }
  for (const std::string& command : commands) session.out->text("  " + clean(command) + "\n");
  if (trusted) {
    session.out->text("trusted already\n");
    return kExitDone;
  }
  if (!session.host.stdin_is_terminal || !session.output_is_terminal) {
    session.out->text(fmt::format("not trusted yet; to say yes: git txn trust --yes {}\n", hash));
    return kExitDone;
  }
  session.out->text("Run these whenever a transaction or a landing needs them? [y/N] ");
  if (!session.reporter->answered_yes()) {
    session.out->text("not trusted; nothing of them runs\n");
    return kExitNo;
  }
  TRY(kernel.trust(onto, hash));
  session.out->text("trusted\n");
  return kExitDone;
}

}  // namespace gittxn::cli
