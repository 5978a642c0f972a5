// gate and trust.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/duration.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr Printed<Policy> kPolicyJson{
    "policy", "The gates of a branch, and what they are trusted by.",
    [](FieldIo& io, const Policy& policy) {
      io.text("version", policy.version.str());
      io.text_or_null("hash", policy.trust_hash.str());
      io.list_of("gates", policy.gates, kGateJson.list);
      io.list_of("generated", policy.generated, [](FieldIo& each, const GeneratedFile& file) {
        each.text("artifact", file.artifact);
        each.texts("from", file.from);
      });
    }};

constexpr std::size_t kMostUnits = 20;  // in a text

std::string would_run_lines(const api::GateExplained& one) {
  if (one.units == 0) return "";
  std::string text =
      fmt::format("  {} of {} would run\n", one.would_run.size(), counted(one.units, "unit"));
  for (std::size_t i = 0; i < std::min(one.would_run.size(), kMostUnits); ++i) {
    const auto& [unit, why] = one.would_run[i];
    text += fmt::format("    {}: {}\n", clean(unit), why.empty() ? "it is new" : clean(why));
  }
  if (one.would_run.size() > kMostUnits) {
    text +=
        fmt::format("    and {} more; --json names them all\n", one.would_run.size() - kMostUnits);
  }
  return text;
}

std::string_view verdict_of(const api::GateExplained& one) {
  if (!one.counts) return "runs";
  return one.counts->carried_from.empty() ? "counts" : "carried over";
}
std::string reason_of(const api::GateExplained& one) {
  if (one.counts) {
    const Oid& tree =
        one.counts->carried_from.empty() ? one.counts->tree : one.counts->carried_from;
    return "it passed on tree " + short_oid(tree);
  }
  if (!one.not_carried.empty()) return one.not_carried;
  if (one.nearest.empty()) return "it has not run before as it is now defined";
  return fmt::format("{} (tree {})", one.why, short_oid(one.nearest));
}

constexpr Printed<std::vector<api::GateExplained>> kExplainedJson{
    "gate-explained", "Whether each gate would have to run on a change, and why.",
    [](FieldIo& io, const std::vector<api::GateExplained>& all) {
      io.list_of("gates", all, [](FieldIo& each, const api::GateExplained& one) {
        each.text("name", one.gate.str());
        each.word("verdict", verdict_of(one), {"runs", "counts", "carried over"});
        each.text("why", reason_of(one));
        each.oid_or_null({"nearest", "the tree of the certificate that was looked at first"},
                         one.nearest);
        each.text("diff", one.diff);
        each.integer({"units", "of which it is made; 0: it is one, or they are not known yet"},
                     one.units, kNotNegative);
        each.list_of("would_run", one.would_run,
                     [](FieldIo& unit, const std::pair<std::string, std::string>& of) {
                       unit.text({"unit", "\"\": what comes before them"}, of.first);
                       unit.text({"why", "\"\": it is new"}, of.second);
                     });
      });
    }};

constexpr Printed<std::vector<api::GateStats>> kStatsJson{
    "gate-stats", "What the runs of each gate came to.",
    [](FieldIo& io, const std::vector<api::GateStats>& all) {
      io.list_of("gates", all, [](FieldIo& each, const api::GateStats& one) {
        each.text("name", one.gate.str());
        each.each_count({{"runs", one.runs}, {"failed", one.failed}, {"carried", one.carried}});
        each.each_count({{"run_ms", one.run_ms}, {"saved_ms", one.saved_ms}});
        each.list_of("missed", one.missed, [](FieldIo& io2, const api::GateStats::Cause& cause) {
          io2.text("why", cause.why);
          io2.integer("times", cause.times, kPositive);
        });
        each.text("limited", one.limited);
        each.list_of("units", one.units, [](FieldIo& io2, const api::GateStats::Unit& unit) {
          io2.text("name", unit.name);
          io2.each_count({{"runs", unit.runs}, {"failed", unit.failed}, {"flaky", unit.flaky}});
          io2.each_count({{"carried", unit.carried}});
          io2.each_count({{"run_ms", unit.run_ms}, {"saved_ms", unit.saved_ms}});
          io2.text({"missed", "why it ran the last time"}, unit.missed);
        });
      });
    }};

constexpr Printed<api::SuggestedPolicy> kSuggestedJson{
    "gate-suggested", "Gates for the tests that a branch has.",
    [](FieldIo& io, const api::SuggestedPolicy& policy) {
      io.list_of("gates", policy.gates, [](FieldIo& each, const gates::SuggestedGate& gate) {
        each.each_text({{"name", gate.name}, {"why", gate.why}});
        each.text_or_null("preset", gate.preset);
        each.text_or_null("run", gate.run);
      });
      io.text({"policy", "as a .gittxn.toml"}, policy.text);
    }};

struct Listing {
  std::string hash;
  bool trusted = false;
  std::vector<std::string> commands;
};
constexpr Printed<Listing> kTrustJson{"trust",
                                      "The commands of a policy, and whether they are trusted.",
                                      [](FieldIo& io, const Listing& listing) {
                                        io.text_or_null("hash", listing.hash);
                                        io.boolean("trusted", listing.trusted);
                                        io.texts("commands", listing.commands);
                                      }};

constexpr Printed<std::string> kTrustedJson{"trusted", "A policy that is trusted from now on.",
                                            [](FieldIo& io, const std::string& hash) {
                                              io.text("hash", hash);
                                              io.yes("trusted");
                                            }};

std::string gate_line(const GateSpec& gate) {
  return fmt::format("{}  {}  {}  {}\n", padded(clean(gate.name.str()), 12),
                     padded(format_duration(gate.timeout_ms), 7), gate.version.str().substr(0, 7),
                     clean(quote_argv(gate.command)));
}

Result<int> gate_list(Session& session, api::Kernel& kernel) {
  const Policy policy = TRY(kernel.policy(session.flag("--onto")));
  std::string text;
  for (const GateSpec& gate : policy.gates) text += gate_line(gate);
  if (text.empty()) text = "no gates; add a [[gate]] to .gittxn.toml on the target branch\n";
  return session.show(kPolicyJson(policy), text);
}

Result<int> gate_show(Session& session, api::Kernel& kernel) {
  const std::string& name = session.args.operands[0];
  Policy policy = TRY(kernel.policy(session.flag("--onto")));
  auto found = std::find_if(policy.gates.begin(), policy.gates.end(),
                            [&](const GateSpec& gate) { return gate.name.str() == name; });
  if (found == policy.gates.end()) {
    return fail(Code::kUsage, fmt::format("the policy has no gate '{}'", name),
                "git txn gate list lists them");
  }
  std::string out =
      fmt::format("{}\n  command  {}\n  limit    {}\n", clean(name),
                  clean(quote_argv(found->command)), format_duration(found->timeout_ms));
  for (const std::string& variable : found->env)
    out += fmt::format("  sees     ${}\n", clean(variable));
  if (found->units) {
    for (const auto& argv : found->units->prepare) {
      out += fmt::format("  set-up   {}\n", clean(quote_argv(argv)));
    }
    const std::string units = found->units->list.empty()
                                  ? fmt::format("{}", fmt::join(found->units->names, " "))
                                  : quote_argv(found->units->list);
    out += fmt::format("  units    {}\n", clean(units));
  }
  for (const std::string& rule : found->blind) {
    out += fmt::format("  blind    {}\n", clean(rule));
  }
  if (!found->carry) out += "  carries  no: it runs for every candidate\n";
  return session.show(kGateJson(*found),
                      out + fmt::format("  version  {}\n", found->version.str()));
}

Result<int> gate_run(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  std::vector<std::string> names(operands.begin() + 1, operands.end());
  const auto reports = TRY(kernel.run_gates_on(operands[0], names, session.progress()));
  bool passed = true;
  std::string text = reports.empty() ? "the policy has no gates\n" : "";
  for (const gates::GateReport& report : reports) {
    const Certificate& one = report.certificate;
    passed = passed && one.passed;
    const Colour colour = one.passed ? Colour::kGreen : Colour::kRed;
    text +=
        fmt::format("{}  {}{}\n", session.style.paint(colour, api::gate_word(one)),
                    clean(one.gate.str()), one.tally.units > 0 ? "  " + units_text(report) : "");
    if (!one.refused.empty()) text += "  " + clean(one.refused) + "\n";
  }
  session.show(kGatesJson(reports), session.quiet() && passed ? "" : text);
  return passed ? kExitDone : kExitNo;
}

Result<int> gate_explain(Session& session, api::Kernel& kernel) {
  const auto& operands = session.args.operands;
  const auto explained =
      TRY(kernel.explain_gates(operands[0], {operands.begin() + 1, operands.end()}));
  std::string text = explained.empty() ? "the policy has no gates\n" : "";
  for (const api::GateExplained& one : explained) {
    const Colour colour = one.counts ? Colour::kGreen : Colour::kYellow;
    text += fmt::format("{}  {}: {}\n", padded(clean(one.gate.str()), 12),
                        session.style.paint(colour, verdict_of(one)), clean(reason_of(one)));
    text += diff_lines(one.diff, session.style);
    text += would_run_lines(one);
  }
  return session.show(kExplainedJson(explained), text);
}

constexpr Printed<std::string> kClearedJson{
    "gate-cleared", "A gate whose certificates are carried again.",
    [](FieldIo& io, const std::string& name) { io.text("name", name); }};

Result<int> gate_clear(Session& session, api::Kernel& kernel) {
  const std::string& name = session.args.operands[0];
  TRY(kernel.clear_gate(name, session.flag("--onto")));
  return session.done(kClearedJson(name), "certificates of it are carried again\n");
}

Result<int> gate_suggest(Session& session, api::Kernel& kernel) {
  const api::SuggestedPolicy policy = TRY(kernel.suggest_gates(session.flag("--onto")));
  return session.show(kSuggestedJson(policy), policy.text);
}

constexpr std::size_t kMostCauses = 3;
constexpr std::size_t kMostSlow = 10;

std::string unit_lines(const api::GateStats& one) {
  std::string text;
  for (std::size_t i = 0; i < std::min(one.units.size(), kMostSlow); ++i) {
    const api::GateStats::Unit& unit = one.units[i];
    text += fmt::format("  {}: {} in {}, {} failed, {} flaky; {} carried over, {} saved\n",
                        clean(unit.name), counted(unit.runs, "run"), format_duration(unit.run_ms),
                        unit.failed, unit.flaky, unit.carried, format_duration(unit.saved_ms));
  }
  if (one.units.size() > kMostSlow) {
    text +=
        fmt::format("  and {} more units; --json names them all\n", one.units.size() - kMostSlow);
  }
  return text;
}

Result<int> gate_stats(Session& session, api::Kernel& kernel) {
  const auto all = TRY(kernel.gate_stats());
  std::string text = all.empty() ? "no gate has run yet\n" : "";
  for (const api::GateStats& one : all) {
    text += fmt::format("{}  {} in {}, {} failed; {} carried over, {} saved\n",
                        padded(clean(one.gate.str()), 12), counted(one.runs, "run"),
                        format_duration(one.run_ms), one.failed, one.carried,
                        format_duration(one.saved_ms));
    for (std::size_t i = 0; i < std::min(one.missed.size(), kMostCauses); ++i) {
      text += fmt::format("  ran again {}: {}\n", counted(one.missed[i].times, "time"),
                          clean(one.missed[i].why));
    }
    if (!one.limited.empty())
      text += fmt::format("  its last run cannot be reused: {}\n", clean(one.limited));
    text += unit_lines(one);
  }
  return session.show(kStatsJson(all), text);
}

Result<int> trust_command(Session& session, api::Kernel& kernel) {
  std::optional<std::string> onto = session.flag("--onto");
  if (auto hash = session.flag("--yes")) {
    TRY(kernel.trust(onto, *hash));
    return session.done(kTrustedJson(*hash), "trusted; these commands run from now on\n");
  }
  Policy policy = TRY(kernel.policy(onto));
  Listing listing{policy.trust_hash.str(), false, TRY(kernel.trust_listing(onto))};
  listing.trusted = listing.hash.empty() || TRY(kernel.trusted(onto));
  const auto& [hash, trusted, commands] = listing;
  const FieldList object = kTrustJson(listing);
  if (commands.empty()) {
    return session.show(object,
                        ".gittxn.toml of the target branch runs no commands: nothing to trust\n");
  }
  std::string text;
  for (const std::string& command : commands) text += "  " + clean(command) + "\n";
  if (trusted) return session.show(object, text + "trusted already\n");
  if (session.json() || !session.host.stdin_is_terminal || !session.output_is_terminal) {
    text += fmt::format("not trusted yet; to say yes: git txn trust --yes {}\n", hash);
    return session.show(object, text);
  }
  session.out->text(text + "Run these whenever a transaction or a landing needs them? [y/N] ");
  if (!session.reporter->answered_yes()) {
    session.out->text("not trusted; nothing of them runs\n");
    return kExitNo;
  }
  TRY(kernel.trust(onto, hash));
  session.out->text("trusted\n");
  return kExitDone;
}

constexpr FlagSpec kPolicyOnto =
    stable({"--onto", "BRANCH", "the branch whose policy it is (default: the one checked out)",
            Value::kBranch});

const CommandSpec kGateCommand{
    .name = "gate",
    .summary = "list, show, run and explain the gates of a branch",
    .description =
        "Gates are defined in .gittxn.toml on the target branch, the only place for them. Run by "
        "hand they judge a transaction's change or a commit; a landing judges its own candidate.",
    .group = Group::kPolicy,
    .stability = Stability::kStable,
    .subcommands = {
        {.name = "gate list",
         .summary = "list the gates of the branch",
         .handler = gate_list,
         .flags = {kPolicyOnto},
         .examples = {{"git txn gate list", "the gates of the target branch"}},
         .outputs = {{kPolicyJson}}},
        {.name = "gate show",
         .summary = "show one of them, with its version",
         .handler = gate_show,
         .operands = {{"NAME", Value::kText, 1, 1, "the name of a gate", "gate list"}},
         .flags = {kPolicyOnto},
         .examples = {{"git txn gate show test", "one of them, with its version"}},
         .outputs = {{kGateJson}}},
        {.name = "gate run",
         .summary = "run all gates, or the named ones, on a transaction's change or a commit",
         .effect = Effect::kWrites,
         .handler = gate_run,
         .operands = {{"ID", Value::kTxn, 1, 1, "a transaction or a commit", "status"},
                      {"NAME", Value::kText, 0, 64}},
         .flags = {kPolicyOnto},
         .examples = {{"git txn gate run t-7k2m", "run every gate on its change now"},
                      {"git txn gate run 8ab4410 lint test", "two gates on a commit"}},
         .outputs = {{kGatesJson}}},
        {.name = "gate explain",
         .summary = "say whether each gate would have to run on a change or a commit, and why",
         .handler = gate_explain,
         .operands = {{"ID", Value::kTxn, 1, 1, "a transaction or a commit", "status"},
                      {"NAME", Value::kText, 0, 64}},
         .examples = {{"git txn gate explain main", "what would run if this were to land"}},
         .outputs = {{kExplainedJson}}},
        {.name = "gate clear",
         .summary = "carry certificates of a gate again, after you have seen why one was wrong",
         .effect = Effect::kWrites,
         .handler = gate_clear,
         .operands = {{"NAME", Value::kText, 1, 1, "the name of a gate", "gate list"}},
         .flags = {kPolicyOnto},
         .examples = {{"git txn gate clear test", "once its hidden dependence is gone"}},
         .outputs = {{kClearedJson}}},
        {.name = "gate suggest",
         .summary = "print a policy for the tests that the branch has",
         .handler = gate_suggest,
         .flags = {kPolicyOnto},
         .examples = {{"git txn gate suggest", "what to put into .gittxn.toml"}},
         .outputs = {{kSuggestedJson}}},
        {.name = "gate stats",
         .summary = "count what ran, what was carried over, and why gates ran again",
         .handler = gate_stats,
         .examples = {{"git txn gate stats", "of the newest 2,000 certificates"}},
         .outputs = {{kStatsJson}}}}};

const CommandSpec kTrustCommand{
    .name = "trust",
    .summary = "say yes to the commands of this repository's policy",
    .description =
        "Gates and set-up commands of .gittxn.toml run only after you said yes to exactly them. "
        "Shows them and asks on a terminal; --yes HASH answers without one. GIT_TXN_TRUST=HASH "
        "says yes for one process.",
    .group = Group::kPolicy,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .handler = trust_command,
    .flags = {kPolicyOnto,
              stable({"--yes", "HASH", "say yes to exactly the commands with this hash"})},
    .examples = {{"git txn trust", "read the commands of .gittxn.toml and answer"},
                 {"git txn trust --yes HASH",
                  "say yes, without a terminal, to what it printed with this hash"}},
    .outputs = {{kTrustJson}, {kTrustedJson, "--yes"}}};

}  // namespace

std::vector<CommandSpec> policy_commands() {
  return {kGateCommand, kTrustCommand};
}

}  // namespace gittxn::cli
