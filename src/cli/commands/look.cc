// status, log, show, diff, reads, writes, why, symbols, impact: nothing is changed.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::int64_t kLogLines = 20;

struct Diff {
  TxnId txn;
  std::string diff;
};
constexpr Printed<Diff> kDiffJson{"diff", "The change of a transaction as a patch.",
                                  [](FieldIo& io, const Diff& one) {
                                    io.each_text({{"txn", one.txn.str()}, {"diff", one.diff}});
                                  }};

Result<int> status_command(Session& session, api::Kernel& kernel) {
  using enum api::StatusScope;
  const api::StatusReport report = TRY(kernel.status(session.args.has("--all") ? kAll : kOpen));
  return session.show(kStatusJson(report),
                      status_lines(report, session.host.clock->wall_ms(), session.style));
}

Result<int> queue_command(Session& session, api::Kernel& kernel) {
  return session.list(
      TRY(kernel.queue(session.flag("--onto"))), kQueueJson,
      [&](const api::QueueLine& line) { return queue_line(line, session.style); },
      session.quiet() ? "" : "no transaction is about to land\n");
}

Result<int> log_command(Session& session, api::Kernel& kernel) {
  auto limit = static_cast<int>(
      std::min<std::int64_t>(session.args.number("--limit", kLogLines), 1'000'000'000));
  return session.list(
      TRY(kernel.log(limit)), kLogJson,
      [&](const api::LogLine& line) { return landing_line(line, session.style); },
      "nothing has landed here yet; git txn run -- COMMAND starts something\n");
}

Result<int> show_command(Session& session, api::Kernel& kernel) {
  api::Outcome outcome = TRY(kernel.show(session.id()));
  const auto compensations = TRY(api::compensations_of(kernel, session.id()));
  return session.show(kShowJson({outcome, compensations}),
                      show_lines(outcome, session.style) + compensation_lines(compensations));
}

int tell(Session& session, const api::FootprintReport& report) {
  session.out->text(session.json() ? footprint_json_lines(report)
                                   : footprint_lines(report, session.style));
  return kExitDone;
}

Result<int> diff_command(Session& session, api::Kernel& kernel) {
  if (session.args.has("--symbols")) {
    return tell(session, TRY(kernel.footprint(session.id(), api::Kernel::FootprintOf::kDiff)));
  }
  const std::string diff = TRY(kernel.diff(session.id()));
  if (session.json()) {
    const TxnId id = TRY(kernel.id_of(session.id()));
    session.out->json(kDiffJson({id, diff}));
  } else {
    // Piped it is a patch, byte for byte; on a terminal it is something to look at.
    session.out->text(session.output_is_terminal ? diff_lines(diff, session.style) : diff);
  }
  return kExitDone;
}

Result<int> reads_command(Session& session, api::Kernel& kernel) {
  ReadSet reads = TRY(kernel.reads(session.id()));
  const bool explain = session.args.has("--explain");
  if (session.json()) {
    session.out->text(reads_json_lines(reads, explain ? kReadExplainedJson : kReadJson));
  } else {
    session.out->text(explain ? explained_lines(reads, session.style)
                              : reads_lines(reads, session.style));
  }
  return kExitDone;
}

Result<int> writes_command(Session& session, api::Kernel& kernel) {
  return tell(session, TRY(kernel.footprint(session.id(), api::Kernel::FootprintOf::kWrites)));
}

std::string admitted_or_not(const api::WhyReport& report) {
  const std::string lines = admitted_lines(report);
  if (!lines.empty()) return lines;
  if (report.txn.state == TxnState::kLanded) {
    return "  each read held as it was; nothing was excused or run again\n";
  }
  if (!report.conflicts.empty()) return "  the transaction was refused, so it was not admitted\n";
  return "  nothing is excused, and nothing would be run again\n";
}

Result<int> why_command(Session& session, api::Kernel& kernel) {
  const api::WhyReport report = TRY(kernel.why(session.id()));
  const bool admitted = session.args.has("--admitted");
  return session.show(kWhyJson(report),
                      admitted ? state_sentence(report.txn, session.style) + admitted_or_not(report)
                               : why_lines(report, session.style));
}

constexpr std::int64_t kMostSymbols = 2000;
constexpr std::int64_t kMostAffected = 200;

std::size_t limit_of(const Session& session, std::int64_t otherwise) {
  return static_cast<std::size_t>(session.args.number("--limit", otherwise));
}

Result<int> symbols_command(Session& session, api::Kernel& kernel) {
  api::SymbolsRequest request;
  request.at = session.flag("--at");
  request.paths = session.args.operands;
  request.kind = session.text_of("--kind");
  request.name = session.text_of("--name");
  request.limit = limit_of(session, kMostSymbols);
  const api::SymbolsReport report = TRY(kernel.symbols(request, session.progress()));
  session.reporter->finish();
  for (const std::string& note : report.notes) session.reporter->note(note);
  const bool asked = !request.name.empty() || !request.kind.empty();
  if (asked && report.lines.empty() && report.more == 0) {
    session.reporter->note(no_symbols_sentence(report, request.kind, request.name));
    return kExitNo;
  }
  session.out->text(session.json() ? symbols_json_lines(report)
                                   : symbols_lines(report, session.style));
  return kExitDone;
}

Result<int> impact_command(Session& session, api::Kernel& kernel) {
  api::ImpactRequest request;
  request.of = session.args.operands.at(0);
  request.at = session.flag("--at");
  request.limit = limit_of(session, kMostAffected);
  const api::ImpactReport report = TRY(kernel.impact(request, session.progress()));
  session.show(kImpactJson(report), report.ambiguous ? subjects_lines(report, session.style)
                                                     : impact_lines(report, session.style));
  if (!report.ambiguous) return kExitDone;
  Printer(2).text(fmt::format("git txn: {} are called '{}'; ask for one of them as it is listed\n",
                              counted(report.subjects.size(), "symbol"), clean(request.of)));
  return kExitUsage;
}

const CommandSpec kStatusCommand{
    .name = "status",
    .summary = "show what runs, waits and is open, and what is stale",
    .description =
        "Every transaction that has not ended, with the reason for each wait, the reads that no "
        "longer hold at the head of the branch right now, and who holds which lock; then the "
        "newest landings. Changes nothing.\n\nOf one whose command runs it says how many files its "
        "worktree has changed by now and, where an agent's hooks and session files tell it, the "
        "newest tool call and the tokens.\n\nThe pid is that of git-txn itself: the one that a "
        "shell has of `git txn run` is git's, which waits for it. To end a run, use git txn stop.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .handler = status_command,
    .flags = {{.name = "--all",
               .label = {},
               .help = "those that have ended too: landed, aborted, nothing to land",
               .letter = "-a"}},
    .examples = {{"git txn status", "what runs, waits and is open; which reads no longer hold"},
                 {"git txn status --json | jq '.transactions[] | select(.stale != [])'",
                  "only what is stale"}},
    .outputs = {{kStatusJson}}};

const CommandSpec kQueueCommand{
    .name = "queue",
    .summary = "show who is about to land, and what each waits for",
    .description =
        "The line of each branch: first those that wait for the turn, which takes milliseconds; "
        "then those whose gates or questions run, with how far they are, and those that wait for a "
        "person. Who is ready lands first: a gate that runs keeps nobody else from landing. "
        "Changes nothing.",
    .group = Group::kLook,
    .handler = queue_command,
    .flags = {{"--onto", "BRANCH", "only of this branch", Value::kBranch}},
    .examples = {{"git txn queue", "who is about to land, and what each waits for"},
                 {"git txn queue --json | jq -r '[.txn, .doing] | @tsv'",
                  "what each landing does right now"}},
    .outputs = {{kQueueJson, "", Lines::kMany}}};

const CommandSpec kLogCommand{
    .name = "log",
    .summary = "list landings, and moves of a branch from outside",
    .description =
        "Newest first: the commit, the transaction that made it, and who. "
        "Commits that people made directly are there as well.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .handler = log_command,
    .flags = {stable(
        {"--limit", "N", "how many lines (default 20; 0: all)", Value::kNumber, "-n"})},
    .examples = {{"git txn log", "the newest landings and moves from outside"},
                 {"git txn log -n 0 --json", "all of them, one object a line"}},
    .outputs = {{kLogJson, "", Lines::kMany}}};

const CommandSpec kWhyCommand{
    .name = "why",
    .summary = "explain why a transaction waits or did not land",
    .description =
        "Names each read that no longer holds and each path that both sides changed, who changed "
        "it, shows the difference between what was read and what is there now, and says what to do "
        "next.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .handler = why_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--admitted", "",
               "only by what it landed, or would: exceptions of its level, and answers that are "
               "the same, with what asking took"}},
    .examples = {{"git txn why t-7k2m",
                  "why it waits or did not land: the witness as a diff, and what to do"}},
    .outputs = {{kWhyJson}}};

const CommandSpec kShowCommand{
    .name = "show",
    .summary = "show one transaction",
    .description = "State, base, reads, writes, gates and times of a transaction.",
    .group = Group::kLook,
    .stability = Stability::kStable,
    .handler = show_command,
    .operands = {{"ID", Value::kTxn}},
    .examples = {{"git txn show t-7k2m", "all that is known about it"}},
    .outputs = {{kShowJson}}};

const CommandSpec kDiffCommand{
    .name = "diff",
    .summary = "show the change of a transaction",
    .description =
        "A unified diff against its base, as git prints it. While a command of it runs, that of "
        "what its worktree has now; nothing is recorded, and the command is not disturbed.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .handler = diff_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--symbols", "",
               "by symbol: what was added, removed, changed and moved, and what of it"}},
    .examples = {{"git txn diff t-7k2m", "its change as a patch"},
                 {"git txn diff t-7k2m | git apply --check", "the patch is exact"},
                 {"git txn diff t-7k2m --symbols",
                  "the functions, types and keys that it changes"}},
    .outputs = {{kDiffJson}, {kChangeJson, "--symbols", Lines::kMany}}};

const CommandSpec kReadsCommand{
    .name = "reads",
    .summary = "list what a transaction read",
    .description =
        "Each observation its outcome depends on. With --json one object a line, sorted by "
        "subject.",
    .group = Group::kLook,
    .stability = Stability::kStable,
    .handler = reads_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {stable({"--explain", "", "who made each read, why it counts, what it stands for"})},
    .examples = {{"git txn reads t-7k2m", "what its outcome depends on"},
                 {"git txn reads t-7k2m --explain", "who made each, and why it counts"},
                 {"git txn reads t-7k2m --json | jq -r .subject",
                  "one object a line, sorted by subject"}},
    .outputs = {{kReadJson, "", Lines::kMany}, {kReadExplainedJson, "--explain", Lines::kMany}}};

const CommandSpec kWritesCommand{
    .name = "writes",
    .summary = "list what a transaction changes",
    .description =
        "Each path, and what changed in it by symbol. With --json one object a line, with modes "
        "and objects.",
    .group = Group::kLook,
    .stability = Stability::kStable,
    .handler = writes_command,
    .operands = {{"ID", Value::kTxn}},
    .examples = {{"git txn writes t-7k2m", "the paths it changes, and what of them"}},
    .outputs = {{kChangeJson, "", Lines::kMany}}};

const CommandSpec kSymbolsCommand{
    .name = "symbols",
    .summary = "list the symbols of files",
    .description =
        "Each symbol as a SCIP descriptor behind its path, with its kind and its lines: "
        "src/auth.py/Token#validate(). is a function of a type. With --json also a hash for each "
        "capability it has: signature, visibility, body, contract and build; one that is the same "
        "was not changed, however it is laid out.\n\nA file that cannot be looked into is one "
        "symbol, with the reason. Exit 1 where nothing has the NAME or is of the KIND. What is "
        "found out is kept in txn/catalogue in the git directory, "
        "up to 512 MiB, by the content of files; it may be deleted at any time.",
    .group = Group::kLook,
    .handler = symbols_command,
    .operands = {{"PATH", Value::kFile, 0, 1000}},
    .flags = {{"--at", "COMMIT",
               "of a commit, a branch or a tag; without PATH the whole tree (default: the files on "
               "disk)"},
              {"--kind", "KIND", "only this kind: function, type, variable, key and others"},
              {"--name", "NAME", "only what has this name"},
              {"--limit", "N", "how many (default 2000; 0: all)", Value::kNumber, "-n"}},
    .examples = {{"git txn symbols src/auth.py", "what the file declares, as it is on disk"},
                 {"git txn symbols --at HEAD --name validate",
                  "everything of that name in a commit"},
                 {"git txn symbols --at main src --kind type --json | jq -r .symbol",
                  "one object a line"}},
    .outputs = {{kSymbolJson, "", Lines::kMany}}};

const CommandSpec kImpactCommand{
    .name = "impact",
    .summary = "show who may be affected when a symbol changes",
    .description =
        "Callers and other users, importers, subtypes and overriding members, tests that use it or "
        "are called after its file, and build targets, each with how sure it is: resolved where "
        "the name has one definition that it could mean there and the file imports it, is in its "
        "package or has it itself; by name where only the name is the same; governed for targets "
        "of a manifest above the file.\n\nA name that several symbols have lists them, and is "
        "asked for again with what it is in. Changes that are not committed are not seen.",
    .group = Group::kLook,
    .handler = impact_command,
    .operands = {{"SYMBOL|PATH|ID"}},
    .flags = {{"--at", "COMMIT", "in this commit (default: the one that is checked out)"},
              {"--limit", "N", "how many lines (default 200; 0: all)", Value::kNumber, "-n"}},
    .examples = {{"git txn impact Token.validate", "a symbol by its name, with what it is in"},
                 {"git txn impact 'src/auth.py/Token#validate().'", "as git txn symbols prints it"},
                 {"git txn impact src/auth.py --at main", "who uses a file, or anything in it"},
                 {"git txn impact t-7k2m", "who may be affected by the change of a transaction"}},
    .outputs = {{kImpactJson}}};

}  // namespace

std::vector<CommandSpec> look_commands() {
  return {kStatusCommand, kQueueCommand, kLogCommand,    kWhyCommand,     kShowCommand,
          kDiffCommand,   kReadsCommand, kWritesCommand, kSymbolsCommand, kImpactCommand};
}

}  // namespace gittxn::cli
