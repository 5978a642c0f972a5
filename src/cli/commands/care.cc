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

Json enforced_json(const api::Enforced& one) {
  return {{"what", one.what},
          {"enforced", one.enforced},
          {"mechanism", one.mechanism},
          {"since", one.since},
          {"answers", one.answers}};
}

Result<int> recover_command(Session& session, api::Kernel& kernel) {
  const std::vector<std::string> done = TRY(api::recover(kernel, session.progress()));
  std::string text = done.empty() && !session.quiet() ? "nothing to recover\n" : "";
  for (const std::string& line : done) text += clean(line) + "\n";
  return session.show({{"done", texts_json(done)}}, text);
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
  session.show(verification_json(found), text);
  return found.problems.empty() ? kExitDone : kExitNo;
}

Result<int> state_command(Session& session, api::Kernel& kernel) {
  const Json state = TRY(kernel.state_at(session.args.number("--at", 0)));
  return session.show(state, dump_json(state, 2) + "\n");
}

Result<int> gc_command(Session& session, api::Kernel& kernel) {
  const api::GcReport report = TRY(kernel.gc(session.args.has("--force"), session.progress()));
  return session.done(gc_json(report), gc_lines(report));
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
  session.show(doctor_json(lines), text);
  return std::ranges::all_of(lines, &api::DoctorLine::ok) ? kExitDone : kExitNo;
}

Result<int> version_command(Session& session) {
  const Parsed& args = session.args;
  if (args.has("--enforces"))
    return session.show(each_of(api::enforces(), enforced_json), api::enforces_page());
  Json json = args.has("--cli") ? stability_json() : Json::object();
  json["version"] = GIT_TXN_VERSION;
  json["schema"] = api::schema_version();
  json["events"] = api::event_types();
  const bool chosen = args.has("--cli") || args.has("--schema") || args.has("--events");
  std::string text;
  if (!chosen || !session.quiet()) text += fmt::format("git-txn {}\n", GIT_TXN_VERSION);
  if (args.has("--schema")) text += fmt::format("schema {}\n", api::schema_version());
  if (args.has("--events")) {
    for (const std::string& type : api::event_types()) text += fmt::format("event {} 1\n", type);
  }
  if (args.has("--cli")) text += stability_table();
  return session.show(json, text);
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
  return session.done(Json{{"store", encode_path(joined.store)},
                           {"schema", joined.schema},
                           {"hub", encode_path(joined.hub)},
                           {"clone", joined.clone},
                           {"log", joined.log},
                           {"already", joined.already}},
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
    .outputs = {{"recovered"}}};

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
    .outputs = {{"verified"}}};

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
    .outputs = {{"gc"}}};

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
    .outputs = {{"doctor"}}};

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
    .outputs = {{"version"}, {"version-cli", "--cli"}, {"enforced", "--enforces"}}};

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
    .outputs = {{"joined"}}};

}  // namespace

std::vector<CommandSpec> care_commands() {
  return {kRecoverCommand, kVerifyCommand,  kStateCommand, kGcCommand,
          kDoctorCommand,  kVersionCommand, kInitCommand};
}

}  // namespace gittxn::cli
