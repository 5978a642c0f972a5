// open, abort, stop, compensate.
#include <fmt/format.h>

#include "base/fields.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr Printed<Compensation> kCompensationJson{
    "compensation", "A command that undoes an effect outside of the repository.", fields_of};

Result<int> abort_command(Session& session, api::Kernel& kernel) {
  const Txn txn = TRY(kernel.abort(session.id(), session.text_of("--reason"), session.progress()));
  const auto compensations = TRY(api::compensations_of(kernel, txn.id.str()));
  std::string text = state_sentence(txn, session.style) + compensation_lines(compensations);
  const bool kept = !txn.attempts.empty() && !txn.attempts.back().kept.empty();
  if (kept) {
    text += fmt::format("its work stays at refs/txn/{}/{} until git txn gc --force\n",
                        clean(txn.id.str()), txn.attempts.back().number);
  }
  session.done(kAbortedJson({txn, compensations}), text);
  return undone(compensations) ? kExitDone : kExitNo;
}

Result<int> stop_command(Session& session, api::Kernel& kernel) {
  const Txn txn = TRY(kernel.stop(session.id(), session.progress()));
  std::string text = state_sentence(txn, session.style);
  if (!is_final(txn.state)) {
    const std::string id = clean(txn.id.str());
    const std::string next =
        api::is_unfinished(txn)
            ? fmt::format(
                  "to go on with it: git txn resume {0}, to land it as it is: git txn "
                  "commit --accept-unfinished {0}",
                  id)
            : "to land it: git txn commit " + id;
    text += fmt::format("its work is kept; {}, to give it up: git txn abort {}\n", next, id);
  }
  return session.done(kTxnJson(txn), text);
}

Result<int> compensate_command(Session& session, api::Kernel& kernel) {
  Compensation asked;
  asked.name = session.text_of("--name");
  asked.argv = session.args.rest;
  const Compensation one = TRY(api::register_compensation(kernel, asked));
  return session.done(
      kCompensationJson(one),
      fmt::format("compensation {} is run if this transaction ends without landing\n", one.number));
}

struct Place {
  TxnId txn;
  std::string path;
};
constexpr Printed<Place> kWorktreeJson{
    "worktree", "Where the files of a transaction are.", [](FieldIo& io, const Place& place) {
      io.each_text({{"txn", place.txn.str()}, {"worktree", place.path}});
    }};

Result<int> open_command(Session& session, api::Kernel& kernel) {
  const std::vector<std::string>& operands = session.args.operands;
  if (operands.size() > 1) {
    session.reporter->finish();
    return kernel.enter(operands.front(), {operands.begin() + 1, operands.end()});
  }
  if (session.args.has("--shell")) {
    const std::string shell = variable(session.host.env, "SHELL");
    session.reporter->note("a shell in its worktree; leave it to come back");
    return kernel.exec(session.id(), {shell.empty() ? "sh" : shell}, {}, session.progress());
  }
  std::string path = TRY(kernel.worktree_of(session.id()));
  if (session.json()) {
    const TxnId id = TRY(kernel.id_of(session.id()));
    session.out->json(kWorktreeJson({id, path}));
    return kExitDone;
  }
  // On a terminal it is read, elsewhere it is used: then it must be the path itself.
  session.out->text((session.output_is_terminal ? clean(path) : path) + "\n");
  if (session.output_is_terminal) {
    session.reporter->note(
        fmt::format("reads of a shell there are not recorded; git txn open {} "
                    "--shell records them",
                    session.id()));
  }
  return kExitDone;
}

const CommandSpec kAbortCommand{
    .name = "abort",
    .summary = "give up a transaction",
    .description =
        "The transaction ends without landing. Its work stays under refs/txn/ID until gc --force; "
        "resume brings it back.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .handler = abort_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {stable({"--reason", "TEXT", "why, for the log"})},
    .examples = {{"git txn abort t-7k2m --reason 'done by hand'",
                  "give it up; gc --force removes its work"}},
    .outputs = {{kAbortedJson}}};

const CommandSpec kStopCommand{
    .name = "stop",
    .summary = "end the command that a transaction runs",
    .description =
        "Asks the process of git-txn that runs it to end it, as a Ctrl-C in its terminal does, and "
        "everything it started when it has not ended after five seconds. Waits until it has. "
        "Nothing lands and the work is kept: commit lands it, abort gives it up. A detached run is "
        "also ended while it waits, or while gates run. On the machine where it runs only.",
    .group = Group::kSteps,
    .effect = Effect::kWrites,
    .handler = stop_command,
    .operands = {{"ID", Value::kTxn}},
    .examples = {{"git txn stop t-7k2m", "as a Ctrl-C where it was started; its work is kept"}},
    .outputs = {{kTxnJson}}};

const CommandSpec kCompensateCommand{
    .name = "compensate",
    .summary = "register a command that undoes an outside effect (a saga step)",
    .description =
        "Inside of a transaction only. The command is run, once, when the transaction ends without "
        "landing, because it was aborted or because there was nothing to land: by the command with "
        "which it ends, before that one exits, and in reverse order of registration. What is "
        "rejected or quarantined may still land, so nothing is undone before somebody gives it "
        "up.\n\nIt runs in an empty directory, with the environment of a gate and ten minutes of "
        "time, and may do what a command of a transaction may. One that was killed or interrupted "
        "in the middle is run again by git txn recover; git txn status lists what is owed, git txn "
        "show how each ended.",
    .group = Group::kSteps,
    .effect = Effect::kWritesInside,
    .takes = Takes::kCommand,
    .handler = compensate_command,
    .flags = {{"--name", "NAME", "what it undoes, for people"}},
    .examples = {{"git txn compensate --name 'the test database' -- dropdb test-42",
                  "inside of a transaction, once the database is there"}},
    .outputs = {{kCompensationJson}}};

const CommandSpec kOpenCommand{
    .name = "open",
    .summary = "print the path of a transaction's worktree",
    .description =
        "Prints the path of the worktree. Editing there is fine; to have reads recorded work "
        "through --shell or exec.\n\nWith a command it runs that where the files are seen, also "
        "while the transaction works; it is not recorded. The files of an overlay are seen by such "
        "commands and shells alone, until open makes plain files of them, which it does when "
        "nobody works in it; the transaction goes on in those.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .handler = open_command,
    .operands = {{"ID", Value::kTxn}, {"COMMAND", Value::kText, 0, 10000}},
    .flags = {{.name = "--shell",
               .label = {},
               .help = "start $SHELL in it, with its reads recorded",
               .stability = Stability::kStable,
               .effect = Effect::kWritesInside}},
    .examples = {{"cd \"$(git txn open -q t-7k2m)\"", "go to its worktree"},
                 {"git txn open t-7k2m --shell", "a shell in it; leave the shell to come back"},
                 {"git txn open t-7k2m -- git diff", "look into it while its command works"}},
    .outputs = {{kWorktreeJson}, {"", "--"}, {"", "--shell"}}};

}  // namespace

std::vector<CommandSpec> step_commands() {
  return {kOpenCommand, kAbortCommand, kStopCommand, kCompensateCommand};
}

}  // namespace gittxn::cli
