// recover, verify, state, gc, doctor, version, init.
#include <fmt/format.h>

#include <algorithm>

#include "api/kernel.h"
#include "api/work.h"
#include "base/json.h"
#include "cli/command_areas.h"
#include "cli/help.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr Printed<std::span<const api::Enforced>> kEnforcedJson{
    "enforced", "What is enforced, what is recorded, and by what.",
    [](FieldIo& io, const std::span<const api::Enforced>& all) {
      io.list_of("", all, [](FieldIo& each, const api::Enforced& one) {
        each.prose("what", one.what);
        each.prose("enforced", one.enforced);
        each.prose("mechanism", one.mechanism);
        each.prose("since", one.since);
        each.prose("answers", one.answers);
      });
    }};

constexpr Printed<std::vector<std::string>> kRecoveredJson{
    "recovered", "What was finished or undone.",
    [](FieldIo& io, const std::vector<std::string>& done) { io.texts("done", done); }};

constexpr Printed<audit::Report> kVerifiedJson{"verified", "Whether the log and the state hold.",
                                               [](FieldIo& io, const audit::Report& found) {
                                                 io.integer("events", found.events, kNotNegative);
                                                 io.boolean("ok", found.problems.empty());
                                                 io.texts("problems", found.problems);
                                                 io.texts("notes", found.notes);
                                               }};

constexpr Printed<api::GcReport> kGcJson{"gc", "What was removed, and what was kept and why.",
                                         [](FieldIo& io, const api::GcReport& report) {
                                           io.texts("removed", report.removed);
                                           io.integer("bytes_freed", report.bytes_freed,
                                                      kNotNegative);
                                           io.texts("kept", report.kept);
                                         }};

constexpr Printed<std::vector<api::DoctorLine>> kDoctorJson{
    "doctor", "What works here and what does not.",
    [](FieldIo& io, const std::vector<api::DoctorLine>& lines) {
      io.list_of("checks", lines, [](FieldIo& check, const api::DoctorLine& line) {
        check.text("subject", line.subject);
        check.boolean("ok", line.ok);
        check.text("detail", line.detail);
      });
    }};

void version_fields(FieldIo& io, const Table& /*table*/) {
  io.text("version", GIT_TXN_VERSION);
  io.integer("schema", api::schema_version(), kPositive);
  io.texts("events", api::event_types());
}

constexpr Printed<Table> kVersionJson{"version", "The version, and what is spoken.",
                                      version_fields};

constexpr Printed<Table> kVersionCliJson{
    "version-cli",
    "Every command, subcommand and flag: what it is, what it takes, and what --json prints of it.",
    [](FieldIo& io, const Table& table) {
      version_fields(io, table);
      table_fields(io, table);
    }};

constexpr Printed<api::JoinReport> kJoinedJson{
    "joined", "A clone that lands on a hub.", [](FieldIo& io, const api::JoinReport& joined) {
      io.each_text({{"store", joined.store},
                    {{"schema", "", "^[a-z0-9_]{1,40}$"}, joined.schema},
                    {"hub", joined.hub},
                    {{"clone", "", "^[A-Za-z0-9._-]{1,64}$"}, joined.clone},
                    {{"log", "", "^urn:"}, joined.log}});
      io.boolean({"already", "It was so before."}, joined.already);
    }};

Result<int> recover_command(Session& session, api::Kernel& kernel) {
  const std::vector<std::string> done = TRY(api::recover(kernel, session.progress()));
  std::string text = done.empty() && !session.quiet() ? "nothing to recover\n" : "";
  for (const std::string& line : done) text += clean(line) + "\n";
  return session.show(kRecoveredJson(done), text);
}

Result<int> verify_command(Session& session, api::Kernel& kernel) {
  const audit::Report found = TRY(kernel.verify(session.args.has("--replay")));
  const std::string events = counted(found.events, "event");
  std::string text;
  for (const std::string& problem : found.problems) {
    text += session.style.paint(Colour::kRed, "wrong") + "  " + clean(problem) + "\n";
  }
  if (!session.quiet()) {
    for (const std::string& note : found.notes) text += "note   " + clean(note) + "\n";
    text += found.problems.empty()
                ? events + " hold\n"
                : fmt::format("{} in {}\n", counted(found.problems.size(), "problem"), events);
  }
  session.show(kVerifiedJson(found), text);
  return found.problems.empty() ? kExitDone : kExitNo;
}

Result<int> state_command(Session& session, api::Kernel& kernel) {
  const Json state = TRY(kernel.state_at(session.args.number("--at", 0)));
  session.out->text((session.json() ? dump_json(state) : dump_json(state, 2)) + "\n");
  return kExitDone;
}

Result<int> gc_command(Session& session, api::Kernel& kernel) {
  const api::GcReport report = TRY(kernel.gc(session.args.has("--force"), session.progress()));
  return session.done(kGcJson(report), gc_lines(report));
}

Result<int> doctor_command(Session& session) {
  std::vector<api::DoctorLine> lines = TRY(api::Kernel::doctor(session.host));
  std::string text;
  for (const api::DoctorLine& line : lines) {
    if (session.quiet() && line.ok) continue;
    text += fmt::format("{}  {} {}\n",
                        line.ok ? session.style.paint(Colour::kGreen, "ok   ")
                                : session.style.paint(Colour::kRed, "wrong"),
                        padded(clean(line.subject), 18), clean(line.detail));
  }
  session.show(kDoctorJson(lines), text);
  return std::ranges::all_of(lines, &api::DoctorLine::ok) ? kExitDone : kExitNo;
}

Result<int> version_command(Session& session) {
  const Parsed& args = session.args;
  if (args.has("--enforces"))
    return session.show(kEnforcedJson(api::enforces()), api::enforces_page());
  const bool chosen = args.has("--cli") || args.has("--schema") || args.has("--events");
  std::string text;
  if (!chosen || !session.quiet()) text += fmt::format("git-txn {}\n", GIT_TXN_VERSION);
  if (args.has("--schema")) text += fmt::format("schema {}\n", api::schema_version());
  if (args.has("--events")) {
    for (const std::string& type : api::event_types()) text += fmt::format("event {} 1\n", type);
  }
  if (args.has("--cli")) text += stability_table();
  return session.show((args.has("--cli") ? kVersionCliJson : kVersionJson)(command_table()), text);
}

Result<int> init_command(Session& session) {
  const auto store = session.flag("--store");
  const auto hub = session.flag("--hub");
  if (!store || !hub) {
    return fail(Code::kUsage,
                store || hub ? "git txn init needs both --store and --hub"
                             : "a repository of one machine needs no init",
                "for clones of several machines: git txn init --store URL --hub REMOTE");
  }
  api::JoinRequest request;
  request.store = *store;
  request.hub = *hub;
  request.schema = session.flag("--schema").value_or(request.schema);
  request.clone = session.text_of("--clone");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::JoinReport joined = TRY(api::join_hub(kernel, request));
  return session.done(kJoinedJson(joined),
                      fmt::format("{} {} lands on {}, with the store {}\n",
                                  joined.already ? "as before, this clone" : "this clone",
                                  clean(joined.clone), clean(joined.hub), clean(joined.store)));
}

const CommandSpec kRecoverCommand{
    .name = "recover",
    .summary = "finish or undo what a crash left",
    .description = "Runs by itself before every command that writes. It never moves a branch.",
    .group = Group::kCare,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .handler = recover_command,
    .examples = {{"git txn recover",
                  "finish or undo what a crash left (every writing command does it first)"}},
    .outputs = {{kRecoveredJson}}};

const CommandSpec kVerifyCommand{
    .name = "verify",
    .summary = "check the event log and the state made from it",
    .description =
        "Checks the hash chain from the first event. Exit 1 when something does not hold.",
    .group = Group::kCare,
    .stability = Stability::kStable,
    .handler = verify_command,
    .flags = {stable(
        {"--replay", "", "also rebuild the state from the log and compare it byte for byte"})},
    .examples = {{"git txn verify --replay", "check the log, the chain and the state"}},
    .outputs = {{kVerifiedJson}}};

const CommandSpec kStateCommand{
    .name = "state",
    .summary = "print the state at an event",
    .description = "The kernel's state as JSON, after the event SEQ.",
    .group = Group::kCare,
    .handler = state_command,
    .flags = {needed({"--at", "SEQ", "after this event; git txn verify says how many there are",
                      Value::kNumber})},
    .examples = {{"git txn state --at 120", "what the kernel knew then"}},
    .outputs = {{"state"}}};

const CommandSpec kGcCommand{
    .name = "gc",
    .summary = "remove what nobody needs",
    .description =
        "Worktrees and kept states of transactions that have ended, shared "
        "checkouts that no worktree lies over, files that landings moved aside, "
        "what killed commands left, and the events that txn.retention lets go. "
        "Never removes work that has not landed without --force.",
    .group = Group::kCare,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .handler = gc_command,
    .flags = {stable({"--force", "",
                      "also remove worktrees of unlanded work, which stays under "
                      "refs/txn, and all there is of aborted transactions"})},
    .examples = {{"git txn gc", "remove what nobody needs; says what it freed"}},
    .outputs = {{kGcJson}}};

const CommandSpec kDoctorCommand{
    .name = "doctor",
    .summary = "check this machine and repository",
    .description =
        "What works here and what does not: git, the tracer, the file system, the store. Works "
        "outside a repository too.",
    .group = Group::kCare,
    .stability = Stability::kStable,
    .handler = doctor_command,
    .examples = {{"git txn doctor", "what this machine and repository can do"}},
    .outputs = {{kDoctorJson}}};

const CommandSpec kVersionCommand{
    .name = "version",
    .summary = "print the version",
    .description = "The version of the program, and with options what it speaks.",
    .group = Group::kCare,
    .stability = Stability::kStable,
    .handler = version_command,
    .flags = {stable({"--cli", "",
                      "every command and flag with its stability; as JSON also what each takes and "
                      "prints"}),
              stable({"--schema", "", "the version of the store's schema"}),
              stable({"--events", "", "the types of event and their versions"}),
              {"--enforces", "", "what is enforced, what is recorded, and how, as Markdown"}},
    .examples = {{"git txn version --schema", "what a store is read and written as"},
                 {"git txn version --cli --json | jq '.commands[] | select(.stability == "
                  "\"stable\") | .name'",
                  "what a script may rely on"}},
    .outputs = {{kVersionJson}, {kVersionCliJson, "--cli"}, {kEnforcedJson, "--enforces"}}};

const CommandSpec kInitCommand{
    .name = "init",
    .summary = "share one store with other clones that land on the same hub",
    .description =
        "A repository of one machine needs no init: the first command makes its store. With a hub, "
        "each clone has its own worktrees, and all of them one log, one queue and one set of "
        "leases, on the server; transactions begin at the hub's branch, and landing pushes the "
        "branch and its fence (a ref below refs/txn/fence/) in one atomic step. The local branch "
        "follows where that loses nothing.\n\nWhoever may write to the server's database may do "
        "what a transaction may: trust in a policy's commands is shared by all clones of a hub. To "
        "leave: git config --unset txn.hub.",
    .group = Group::kCare,
    .effect = Effect::kWrites,
    .handler = init_command,
    .flags = {{"--store", "URL",
               "the PostgreSQL server with the store of all clones: "
               "postgresql://USER@HOST/DATABASE, without a password (that belongs into ~/.pgpass)"},
              {"--hub", "REMOTE", "the remote of this clone whose branches they all land on"},
              {"--schema", "NAME", "the schema on the server, one for each hub (default git_txn)"},
              {"--clone", "NAME",
               "what this clone is called (default: the name of the host and a few letters)"}},
    .examples = {{"git txn init --store postgresql://txn@db.example.org/txn --hub origin",
                  "in each clone, on each machine"}},
    .outputs = {{kJoinedJson}}};

}  // namespace

std::vector<CommandSpec> care_commands() {
  return {kRecoverCommand, kVerifyCommand,  kStateCommand, kGcCommand,
          kDoctorCommand,  kVersionCommand, kInitCommand};
}

}  // namespace gittxn::cli
