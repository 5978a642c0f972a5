// run, begin, exec, commit, open.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command_areas.h"
#include "cli/detach.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

api::RunOptions options_of(const Session& session) {
  const Parsed& args = session.args;
  api::RunOptions options;
  options.onto = args.text("--onto");
  options.isolation = args.text("--isolation");
  options.name = args.text("--name").value_or("");
  options.trace = args.text("--trace").value_or("auto");
  options.owner = args.text("--owner").value_or("");
  options.key = args.text("--key").value_or("");
  options.author = args.text("--author");
  options.instead = args.text("--instead");
  options.workflow = args.text("--workflow");
  options.phase = args.text("--phase");
  options.worktree = args.text("--worktree");
  options.confine = args.text("--confine");
  options.retries = static_cast<int>(std::min<std::int64_t>(args.number("--retries", 2), 1000));
  options.repairs = static_cast<int>(std::min<std::int64_t>(args.number("--repairs", 3), 1000));
  options.priority = static_cast<int>(std::min<std::int64_t>(args.number("--priority", 0), 1000));
  options.timeout_ms = args.duration_ms("--timeout").value_or(-1);
  options.wait_ms = args.duration_ms("--wait");
  options.leases = args.texts("--lease");
  options.budget = args.texts("--budget");
  options.no_land = args.has("--no-land");
  options.keep = args.has("--keep");
  options.keep_commits = args.has("--keep-commits");
  options.accept_unfinished = args.has("--accept-unfinished");
  options.keep_running = args.has("--keep-running");
  options.inject = !args.has("--no-inject");
  options.command = args.rest;
  return options;
}

struct Ran {
  TxnId txn;
  int status = 0;
};
constexpr Printed<Ran> kExecJson{"exec",
                                 "A command that was run in a transaction, with its exit status.",
                                 [](FieldIo& io, const Ran& ran) {
                                   io.text("txn", ran.txn.str());
                                   io.integer("command_exit", ran.status);
                                 }};

// The end of run and commit.
Result<int> tell(Session& session, api::Kernel& kernel, api::Outcome outcome) {
  int status = api::exit_code(outcome);
  const bool failed = api::outcome_name(outcome) == "command-failed";
  if (failed && session.args.has("--exit-code")) status = outcome.command_exit;
  if (outcome.txn.state == TxnState::kNothing && outcome.txn.landed_commit.empty() &&
      !undone(TRY(api::compensations_of(kernel, outcome.txn.id.str())))) {
    status = kExitNo;
  }
  if (session.quiet()) outcome.next.clear();
  if (!session.json() || session.is_supervised()) {
    for (const std::string& note : outcome_notes(outcome)) session.reporter->note(note);
  }
  const bool hushed = session.quiet() && status == kExitDone;
  const std::string text = hushed ? "" : outcome_lines(outcome, session.style);
  session.show(kOutcomeJson(outcome), text);
  // The result is for programs; this is the end of what people are shown.
  if (session.is_supervised()) Printer(2).text(text);
  return status;
}

Result<int> run_command(Session& session, api::Kernel& kernel) {
  const bool detach = session.args.has("--detach");
  if (detach && !session.is_supervised()) return run_detached(session);
  api::Progress progress = session.progress();
  if (detach) tell_supervisor(session.supervisor, kernel, progress);
  return tell(session, kernel, TRY(kernel.run(options_of(session), progress)));
}

Result<int> retry_command(Session& session, api::Kernel& kernel) {
  return tell(session, kernel,
              TRY(kernel.retry(session.id(), options_of(session), session.progress())));
}

Result<int> resume_command(Session& session, api::Kernel& kernel) {
  using By = api::Kernel::By;
  const By by = session.args.has("--by-hand") ? By::kHand : By::kItsAgent;
  const api::Resumed resumed =
      TRY(kernel.resume(session.id(), by, options_of(session), session.progress()));
  if (resumed.outcome && !session.json()) return tell(session, kernel, *resumed.outcome);
  const int shown = session.done(kResumedJson(resumed), resumed_lines(resumed, session.style));
  return resumed.outcome ? api::exit_code(*resumed.outcome) : shown;
}

Result<int> undo_command(Session& session, api::Kernel& kernel) {
  return tell(session, kernel,
              TRY(kernel.undo(session.id(), options_of(session), session.progress())));
}

// Each by itself, as if it were named: one that does not land keeps no other from it.
Result<int> commit_all(Session& session, api::Kernel& kernel) {
  api::RunOptions options = options_of(session);
  options.wait_ms = options.wait_ms.value_or(0);  // for ever would be for the first alone
  const std::vector<TxnId> waiting = TRY(kernel.waiting());
  if (waiting.empty() && !session.json() && !session.quiet()) {
    session.reporter->finish();
    session.out->text("no transaction waits to land\n");
  }
  int worst = kExitDone;
  for (const TxnId& id : waiting) {
    auto outcome = kernel.commit(id.str(), options, session.progress());
    if (!outcome && outcome.error().code != Code::kBusy) return std::unexpected(outcome.error());
    if (!outcome) {  // somebody else is landing it
      session.reporter->note(fmt::format("{}: {}", id.str(), outcome.error().message));
      worst = std::max<int>(worst, kExitNo);
      continue;
    }
    worst = std::max(worst, TRY(tell(session, kernel, *std::move(outcome))));
  }
  return worst;
}

Result<int> commit_command(Session& session, api::Kernel& kernel) {
  if (session.args.has("--all")) {
    if (session.args.operands.empty()) return commit_all(session, kernel);
    return fail(Code::kUsage, "git txn commit --all takes no transaction",
                "name one, or write --all for those that wait");
  }
  if (session.args.operands.empty()) {
    return fail(Code::kUsage, "git txn commit needs a transaction",
                "git txn status lists them; git txn commit --all lands those that wait");
  }
  return tell(session, kernel,
              TRY(kernel.commit(session.id(), options_of(session), session.progress())));
}

Result<int> begin_command(Session& session, api::Kernel& kernel) {
  const Txn txn = TRY(kernel.begin(options_of(session), session.progress()));
  return session.made(kTxnJson(txn), txn.id.str(), begun_lines(txn, session.style));
}

Result<int> exec_command(Session& session, api::Kernel& kernel) {
  const int status =
      TRY(kernel.exec(session.id(), session.args.rest, options_of(session), session.progress()));
  session.reporter->finish();
  if (session.json()) {
    const TxnId id = TRY(kernel.id_of(session.id()));
    session.out->json(kExecJson({id, status}));
  }
  return status;
}

constexpr FlagSpec kRunKey{
    "--key", "KEY",
    "when it was begun under this key before, say what became of that, and begin nothing"};
constexpr FlagSpec kRunOnto =
    stable({"--onto", "BRANCH", "the branch to land on (default: the branch that is checked out)",
            Value::kBranch});
constexpr FlagSpec kRunIsolation = stable(
    {"--isolation", "LEVEL",
     "how much must still hold at the head it lands on: strict is exact, semantic lets layout, "
     "merged files and history pass (default: the policy's, else semantic)",
     Value::kChoice, "", "read-committed snapshot semantic serializable strict"});
constexpr FlagSpec kRunName =
    stable({"--name", "NAME",
            "what to call it; the commit message when the command makes no commit "
            "(without it, the message says what changed)"});
constexpr FlagSpec kRunRetries =
    stable({"--retries", "N",
            "how often to run the command again on the new head after a conflict (default 2)",
            Value::kNumber});
constexpr FlagSpec kRunRepairs =
    stable({"--repairs", "N",
            "how often its agent goes on with its conversation after a refusal, before the command "
            "is run again (default 3)",
            Value::kNumber});
constexpr FlagSpec kRunTimeout =
    stable({"--timeout", "DURATION", "end the command after this long; its work is kept",
            Value::kDuration});
constexpr FlagSpec kRunWait = stable(
    {"--wait", "DURATION",
     "maximum time to wait for a lease, the queue, uncommitted changes in your checkout, or a "
     "store "
     "on a server (default: until interrupted, for the server a minute; without a terminal 0)",
     Value::kDuration});
constexpr FlagSpec kRunTrace =
    stable({"--trace", "BACKEND",
            "how reads are seen: auto, bpf, hybrid, notify, ptrace, or off (then "
            "every change of the branch is a conflict)",
            Value::kChoice, "", "auto bpf hybrid notify ptrace off"});
constexpr FlagSpec kRunAuthor = stable(
    {"--author", "\"NAME <MAIL>\"",
     "author of the landing commit (default: the author of the command's last commit, else you)"});
constexpr FlagSpec kRunOwner =
    stable({"--owner", "OWNER", "who it belongs to (default: your git identity)"});
constexpr FlagSpec kRunPriority{
    "--priority", "N", "who goes first when several wait to land; higher goes first (default 0)",
    Value::kNumber};
constexpr FlagSpec kRunKeep = stable({"--keep", "", "keep the worktree after landing"});
constexpr FlagSpec kRunKeepRunning{"--keep-running", "",
                                   "leave processes that the command started in the background "
                                   "alone; what they do later is not seen"};
constexpr FlagSpec kRunNoInject =
    stable({"--no-inject", "", "start an agent as it is, without git-txn's hooks in it"});
constexpr FlagSpec kRunWorktree = stable(
    {"--worktree", "KIND",
     "how its files get there: plain (each is written), overlay (over a checkout that transactions "
     "share), reflink (a copy that shares blocks), or auto (an overlay of more than 1,000 files, "
     "else a reflink, where this machine can; else plain); default: txn.worktree, else auto",
     Value::kChoice, "", "auto plain overlay reflink"});
constexpr FlagSpec kRunKeepCommits = stable(
    {"--keep-commits", "",
     "land the command's own commits as they are, not as one; where they hold merges, or one does "
     "not apply to a moved head by itself, they land as one all the same"});
constexpr FlagSpec kRunConfine{
    "--confine", "MODE",
    "writes: let it write in its worktree, temporary directories, caches and its own state alone; "
    "off: anywhere (default: txn.confine, else off)"};
constexpr FlagSpec kRunBudget{
    "--budget", "KIND=VALUE",
    "how much it may use up: wall=10m and bytes=1M end a command, input, output, cache, calls and "
    "cost warn; may be given several times"};
constexpr FlagSpec kRunWorkflow{"--workflow", "ID",
                                "it belongs to the open phase of this workflow"};
constexpr FlagSpec kRunPhase{"--phase", "PHASE", "refuse to begin when another phase is open"};
constexpr FlagSpec kStoreWait{"--wait", "DURATION",
                              "maximum time to wait for a store on a server that cannot be reached "
                              "(default: a minute; without a terminal 0)",
                              Value::kDuration};

const CommandSpec kRunCommand{
    .name = "run",
    .summary = "run a command in a transaction and land its change",
    .description =
        "Takes a snapshot of the target branch, runs COMMAND in a private worktree of it, "
        "records what the command and everything it starts read and wrote, and lands the change "
        "as one commit if every read still holds at the head of the branch and every gate says "
        "yes. Files you have not committed are not in the snapshot.\n\nWhat lands is the "
        "worktree as `git add -A` takes it, committed or not; ignored files and stashes never. "
        "If the branch moved and a read no longer holds, the command runs again on a fresh "
        "snapshot (--retries). At a terminal you are asked whether to do that, to let its agent "
        "go on, to open a shell in its worktree, or to keep it.\n\nWhere COMMAND is `claude -p` "
        "or `codex exec`, its own conversation goes on first (--repairs): the branch is merged "
        "into its worktree, and it is told what it read that has changed, or what a gate said. "
        "txn.resume.NAME is the command that does so for another agent, with the program's name; "
        "{brief} in it is the file with the text.\n\nA command that fails, is interrupted or "
        "times out lands nothing and loses nothing: the transaction stays open, and the line "
        "that lands it is printed. One that fails and has changed nothing ends the "
        "transaction.\n\nWhere COMMAND starts claude or codex, hooks that tell git-txn what they "
        "read are added for this run alone; no settings of yours are changed (--no-inject, "
        "txn.inject).\n\nThe command gets your standard input and terminal and starts in the "
        "same sub-directory. The first Ctrl-C goes to it, a second one ends everything it "
        "started, and so does the loss of the terminal; the work is kept.\n\nWith --detach the "
        "whole of this happens in the background, without a terminal and with nothing on "
        "standard input: the id is printed once the command runs, git txn attach follows it, git "
        "txn logs shows what it has printed and git txn stop ends it. What cannot be started is "
        "told as it is without --detach.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .takes = Takes::kCommand,
    .handler = run_command,
    .flags = {kRunKey,
              kRunOnto,
              kRunIsolation,
              kRunName,
              stable(
                  {"--no-land", "", "keep the change as an open transaction and do not land it"}),
              kRunRetries,
              kRunRepairs,
              kRunTimeout,
              kRunWait,
              kRunTrace,
              kRunAuthor,
              kRunOwner,
              kRunPriority,
              kRunKeep,
              kRunKeepRunning,
              kRunNoInject,
              kRunWorktree,
              kRunKeepCommits,
              kRunConfine,
              {"--lease", "SUBJECT",
               "hold a lease on this, exclusive and advisory, from before the snapshot until it "
               "has landed; may be given several times"},
              kRunBudget,
              kRunWorkflow,
              kRunPhase,
              {"--exit-code", "", "when the command fails, exit with its own status instead of 1"},
              {"--detach", "",
               "start it in the background, independent of this terminal, and print its id"},
              {"--instead", "ID",
               "abort this transaction once the new one has begun; its work is kept", Value::kTxn}},
    .examples = {{"git txn run -- make fmt",
                  "run a command on a snapshot and land what it changed"},
                 {"git txn run --name 'fix auth' -- claude -p 'fix the login test'",
                  "an agent, with a name"},
                 {"git txn run --no-land -- ./migrate.sh",
                  "look at the change first, land it with commit"},
                 {"git txn run --detach -- claude -p 'fix the login test'",
                  "in the background; git txn attach follows it"},
                 {"git txn run --onto release --wait 10m -- ./backport.sh 4711",
                  "another branch; wait at most ten minutes"}},
    .outputs = {{kOutcomeJson}, {kDetachedJson, "--detach"}}};

const CommandSpec kRetryCommand{
    .name = "retry",
    .summary = "run the command of a transaction again, on the new head",
    .description =
        "For one that did not land, whatever the reason: its command runs as another transaction "
        "on a fresh snapshot, with its name, level, branch, directory and confinement. The old "
        "one is aborted once that has begun, and its work stays under refs/txn/ID. To go on from "
        "the work that is there, use git txn resume.",
    .group = Group::kSteps,
    .effect = Effect::kWrites,
    .handler = retry_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--no-land", "", "keep the change as an open transaction and do not land it"},
              may_change(kRunRetries),
              may_change(kRunRepairs),
              may_change(kRunTimeout),
              may_change(kRunWait),
              may_change(kRunOwner),
              may_change(kRunKeep)},
    .examples = {{"git txn retry t-7k2m", "the same again on what has landed meanwhile"}},
    .outputs = {{kOutcomeJson}}};

const CommandSpec kResumeCommand{
    .name = "resume",
    .summary = "take over a transaction that stopped",
    .description =
        "A rejected, quarantined or abandoned transaction is open again and yours; its worktree "
        "is made again from the kept work when it is gone.\n\nOne that was refused, or whose "
        "command was cut short, goes on with its agent where that is `claude -p`, `codex exec` "
        "or one that txn.resume.NAME names: its own conversation is told what has changed, or "
        "that it was cut short, and its change lands as with git txn run.\n\nAny other, and "
        "every one with --by-hand, goes on from the head of its branch, which is merged into its "
        "worktree: files that cannot be merged have conflict markers, and commit refuses them "
        "until these are resolved. Reads that still hold are reads of that head from then on. "
        "For each file that was read and has changed, the difference is printed, and counts as "
        "read by whoever resumes it: look whether the work still stands, then commit. What a "
        "search, a test run or another branch answered cannot be judged by a difference, and "
        "stays read: when that no longer holds, run the command again, with the line that why "
        "prints.",
    .group = Group::kSteps,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .handler = resume_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--by-hand", "", "open it for you, and ask no agent"},
              may_change(kRunRetries),
              may_change(kRunRepairs),
              may_change(kRunTimeout),
              may_change(kRunWait),
              may_change(kRunKeep)},
    .examples = {{"git txn resume t-7k2m", "go on with a refused transaction"},
                 {"git txn resume t-7k2m --by-hand",
                  "open it again, as yours, with the branch merged into it"}},
    .outputs = {{kResumedJson}}};

const CommandSpec kUndoCommand{
    .name = "undo",
    .summary = "revert what a transaction landed",
    .description =
        "Runs git revert on its commits in a transaction of its own, which is certified and gated "
        "like any other. Where that conflicts nothing lands, and the transaction stays open with "
        "the conflict in its worktree: resolve it there, and commit.",
    .group = Group::kSteps,
    .effect = Effect::kWrites,
    .handler = undo_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--no-land", "", "keep the change as an open transaction and do not land it"},
              may_change(kRunWait),
              may_change(kRunOwner),
              may_change(kRunKeep)},
    .examples = {{"git txn undo t-7k2m", "its landing is reverted by a new one"}},
    .outputs = {{kOutcomeJson}}};

const CommandSpec kBeginCommand{
    .name = "begin",
    .summary = "open a transaction without running anything",
    .description =
        "Prints the transaction's id and its worktree. Work in it with exec or open; nothing lands "
        "before commit.\n\nInside of a transaction it is refused, unless the policy's [limits] "
        "allow a depth; then the new one is of the same branch, knows its parent, and is for "
        "others to work in.",
    .group = Group::kSteps,
    .stability = Stability::kStable,
    .effect = Effect::kWritesInside,
    .handler = begin_command,
    .flags = {kRunKey, kRunOnto, kRunIsolation, kRunName, kRunAuthor, kRunOwner, kRunPriority,
              kRunWorktree, kRunWorkflow, kRunPhase, kRunBudget, kStoreWait},
    .examples = {{"git txn begin --name 'try it'",
                  "open a transaction; prints its id and worktree"},
                 {"git txn begin --budget wall=1h", "what is run in it may take an hour in all"}},
    .outputs = {{kTxnJson}}};

const CommandSpec kExecCommand{
    .name = "exec",
    .summary = "run a command in an open transaction",
    .description =
        "Several commands of one transaction add up: what each of them reads and writes belongs to "
        "it. The exit status is the command's own.",
    .group = Group::kSteps,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .takes = Takes::kCommand,
    .handler = exec_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {kRunTimeout, kRunTrace, kRunKeepRunning, kRunNoInject, kRunConfine, kStoreWait},
    .examples = {{"git txn exec t-7k2m -- make test",
                  "run a command in it; the exit status is the command's"},
                 {"git txn exec t-7k2m -- \"$SHELL\"",
                  "work in it yourself, with your reads recorded"}},
    .outputs = {{kExecJson}}};

const CommandSpec kCommitCommand{
    .name = "commit",
    .summary = "land an open transaction",
    .description =
        "Takes the worktree's change, certifies it against the head of the target branch, runs the "
        "gates and lands it. When something of yours is in the way it waits, holding no lock; what "
        "still waits when the time of --wait is over does not land by itself: --all lands it "
        "later. What a command left that failed, was stopped or died may be half of what was to be "
        "done, and lands only with --accept-unfinished.",
    .group = Group::kDaily,
    .stability = Stability::kStable,
    .effect = Effect::kWrites,
    .handler = commit_command,
    .operands = {{"ID", Value::kTxn, 0, 1}},
    .flags = {kRunWait,
              kRunRetries,
              kRunKeep,
              kRunKeepCommits,
              {"--accept-unfinished", "",
               "land it although its command failed, was stopped or died"},
              {"--all", "", "land every transaction that waits, oldest first"}},
    .examples = {{"git txn commit --all",
                  "land what waits, after a git pull or when a file is saved"},
                 {"git txn commit t-7k2m", "certify, check and land its change"},
                 {"git txn commit t-7k2m --wait 1h", "wait for a dirty file or a turn"}},
    .outputs = {{kOutcomeJson}, {kOutcomeJson, "--all", Lines::kMany}}};

}  // namespace

std::vector<CommandSpec> work_commands() {
  return {kRunCommand,   kResumeCommand, kRetryCommand, kUndoCommand,
          kBeginCommand, kExecCommand,   kCommitCommand};
}

}  // namespace gittxn::cli
