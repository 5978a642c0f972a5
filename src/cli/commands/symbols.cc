// symbols and impact: nothing is changed.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_value.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/render_symbols.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

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
  session.show(impact_json(report), report.ambiguous ? subjects_lines(report, session.style)
                                                     : impact_lines(report, session.style));
  if (!report.ambiguous) return kExitDone;
  Printer(2).text(fmt::format("git txn: {} are called '{}'; ask for one of them as it is listed\n",
                              counted(report.subjects.size(), "symbol"), clean(request.of)));
  return kExitUsage;
}

const CommandSpec kSymbolsCommand{
    .name = "symbols",
    .summary = "list the symbols of files",
    .description =
        "Each symbol as a SCIP descriptor behind its path, with its kind and its lines: "
        "src/auth.py/Token#validate(). is a function of a type. With --json also a hash for each "
        "capability it has: signature, visibility, body, contract and build; one that is the same "
        "was not changed, however it is laid out.\n\nA file that cannot be looked into is one "
        "symbol, with the reason. What is found out is kept in txn/catalogue in the git directory, "
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
    .outputs = {{"symbol", "", Lines::kMany}}};

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
    .outputs = {{"impact"}}};

}  // namespace

std::vector<CommandSpec> symbol_commands() {
  return {kSymbolsCommand, kImpactCommand};
}

}  // namespace gittxn::cli
