// The table of commands.h, as data.
#include "cli/commands.h"

#include "cli/agent_commands.h"
#include "cli/budget_commands.h"
#include "cli/compensate_commands.h"
#include "cli/event_commands.h"
#include "cli/hub_commands.h"
#include "cli/lease_commands.h"
#include "cli/merge_commands.h"
#include "cli/portfolio_commands.h"
#include "cli/proposal_commands.h"
#include "cli/stop_command.h"
#include "cli/symbol_commands.h"
#include "cli/workflow_commands.h"

namespace gittxn::cli {
namespace {

constexpr std::string_view kLevels = "read-committed snapshot semantic serializable strict";

constexpr FlagSpec kOnto{"--onto",
                         "",
                         Value::kBranch,
                         "BRANCH",
                         "the branch to land on (default: the branch that is checked out)",
                         "",
                         Stability::kStable};
constexpr FlagSpec kIsolation{"--isolation",
                              "",
                              Value::kChoice,
                              "LEVEL",
                              "how much must still hold at the head it lands on: strict is exact, "
                              "semantic lets layout, merged files and history pass (default: the "
                              "policy's, else semantic)",
                              kLevels,
                              Stability::kStable};
constexpr FlagSpec kName{"--name",
                         "",
                         Value::kText,
                         "NAME",
                         "what to call it; the commit message when the command makes no commit "
                         "(without it, the message says what changed)",
                         "",
                         Stability::kStable};
constexpr FlagSpec kOwner{"--owner",
                          "",
                          Value::kText,
                          "OWNER",
                          "who it belongs to (default: your git identity)",
                          "",
                          Stability::kStable};
constexpr FlagSpec kKey{"--key",
                        "",
                        Value::kText,
                        "KEY",
                        "when it was begun under this key before, say what became of that, and "
                        "begin nothing",
                        "",
                        Stability::kExperimental};
constexpr FlagSpec kAuthor{
    "--author",
    "",
    Value::kText,
    "\"NAME <MAIL>\"",
    "author of the landing commit (default: the author of the command's last "
    "commit, else you)",
    "",
    Stability::kStable};
constexpr FlagSpec kPriority{
    "--priority",
    "",
    Value::kNumber,
    "N",
    "who goes first when several wait to land; higher goes first (default 0)",
    "",
    Stability::kExperimental};
constexpr FlagSpec kTrace{
    "--trace",
    "",
    Value::kChoice,
    "BACKEND",
    "how reads are seen: auto, bpf, hybrid, notify, ptrace, or off (then every change of "
    "the branch is a conflict)",
    "auto bpf hybrid notify ptrace off",
    Stability::kStable};
constexpr FlagSpec kWorktree{
    "--worktree",
    "",
    Value::kChoice,
    "KIND",
    "how its files get there: plain (each is written), overlay (over a checkout that transactions "
    "share), reflink (a copy that shares blocks), or auto (an overlay of more than 1,000 files, "
    "else "
    "a reflink, where this machine can; else plain); default: txn.worktree, else auto",
    "auto plain overlay reflink",
    Stability::kStable};
constexpr FlagSpec kTimeout{"--timeout",
                            "",
                            Value::kDuration,
                            "DURATION",
                            "end the command after this long; its work is kept",
                            "",
                            Stability::kStable};
constexpr FlagSpec kKeepRunning{"--keep-running",
                                "",
                                Value::kNone,
                                "",
                                "leave processes that the command started in the background alone; "
                                "what they do later is not seen",
                                "",
                                Stability::kExperimental};
constexpr FlagSpec kRetries{"--retries",
                            "",
                            Value::kNumber,
                            "N",
                            "how often to run the command again on the new head after a conflict "
                            "(default 2)",
                            "",
                            Stability::kStable};
constexpr FlagSpec kKeep{
    "--keep", "", Value::kNone, "", "keep the worktree after landing", "", Stability::kStable};
constexpr FlagSpec kKeepCommits{
    "--keep-commits",
    "",
    Value::kNone,
    "",
    "land the command's own commits as they are, not as one; where they hold merges, or one does "
    "not apply to a moved head by itself, they land as one all the same",
    "",
    Stability::kStable};
constexpr FlagSpec kConfine{
    "--confine",
    "",
    Value::kText,
    "MODE",
    "writes: let it write in its worktree, temporary directories, caches and its own state alone; "
    "off: anywhere (default: txn.confine, else off)",
    "",
    Stability::kExperimental};
constexpr FlagSpec kNoLand{"--no-land",
                           "",
                           Value::kNone,
                           "",
                           "keep the change as an open transaction and do not land it",
                           "",
                           Stability::kStable};

constexpr FlagSpec kNoInject{"--no-inject",
                             "",
                             Value::kNone,
                             "",
                             "start an agent as it is, without git-txn's hooks in it",
                             "",
                             Stability::kStable};

constexpr FlagSpec kExitCode{"--exit-code",
                             "",
                             Value::kNone,
                             "",
                             "when the command fails, exit with its own status instead of 1",
                             "",
                             Stability::kExperimental};
constexpr OperandSpec kId{"ID", Value::kTxn, "", 1, 1};

constexpr FlagSpec kInstead{"--instead",
                            "",
                            Value::kTxn,
                            "ID",
                            "abort this transaction once the new one has begun; its work is kept",
                            "",
                            Stability::kExperimental};
constexpr FlagSpec kRunFlags[] = {kKey,          kOnto,        kIsolation, kName,        kNoLand,
                                  kRetries,      kTimeout,     kWait,      kTrace,       kAuthor,
                                  kOwner,        kPriority,    kKeep,      kKeepRunning, kNoInject,
                                  kWorktree,     kKeepCommits, kConfine,   kRunLease,    kRunBudget,
                                  kWorkflowFlag, kPhaseFlag,   kExitCode,  kInstead};
constexpr Example kRunExamples[] = {
    {"git txn run -- make fmt", "run a command on a snapshot and land what it changed"},
    {"git txn run --name 'fix auth' -- claude -p 'fix the login test'", "an agent, with a name"},
    {"git txn run --no-land -- ./migrate.sh", "look at the change first, land it with commit"},
    {"git txn run --onto release --wait 10m -- ./backport.sh 4711",
     "another branch; wait at most ten minutes"}};

constexpr FlagSpec kBeginFlags[] = {kKey,          kOnto,      kIsolation, kName,
                                    kAuthor,       kOwner,     kPriority,  kWorktree,
                                    kWorkflowFlag, kPhaseFlag, kRunBudget, kAwait};
constexpr Example kBeginExamples[] = {
    {"git txn begin --name 'try it'", "open a transaction; prints its id and worktree"},
    {"git txn begin --budget wall=1h", "what is run in it may take an hour in all"}};

constexpr OperandSpec kIdOperand[] = {kId};
constexpr FlagSpec kExecFlags[] = {kTimeout, kTrace, kKeepRunning, kNoInject, kConfine, kAwait};
constexpr Example kExecExamples[] = {
    {"git txn exec t-7k2m -- make test", "run a command in it; the exit status is the command's"},
    {"git txn exec t-7k2m -- \"$SHELL\"", "work in it yourself, with your reads recorded"}};

constexpr FlagSpec kCommitFlags[] = {
    kWait,
    kRetries,
    kKeep,
    kKeepCommits,
    {"--all", "", Value::kNone, "", "land every transaction that waits, oldest first", "",
     Stability::kExperimental}};
constexpr OperandSpec kCommitOperands[] = {{"ID", Value::kTxn, "", 0, 1}};
constexpr Example kCommitExamples[] = {
    {"git txn commit --all", "land what waits, after a git pull or when a file is saved"},
    {"git txn commit t-7k2m", "certify, check and land its change"},
    {"git txn commit t-7k2m --wait 1h", "wait for a dirty file or a turn"}};

constexpr FlagSpec kAbortFlags[] = {
    {"--reason", "", Value::kText, "TEXT", "why, for the log", "", Stability::kStable}};
constexpr Example kAbortExamples[] = {
    {"git txn abort t-7k2m --reason 'done by hand'", "give it up; gc --force removes its work"}};
constexpr Example kResumeExamples[] = {
    {"git txn resume t-7k2m", "open a rejected or quarantined transaction again, as yours"}};
constexpr FlagSpec kOpenFlags[] = {{"--shell", "", Value::kNone, "",
                                    "start $SHELL in it, with its reads recorded", "",
                                    Stability::kStable}};
constexpr Example kOpenExamples[] = {
    {"cd \"$(git txn open -q t-7k2m)\"", "go to its worktree"},
    {"git txn open t-7k2m --shell", "a shell in it; leave the shell to come back"},
    {"git txn open t-7k2m -- git diff", "look into it while its command works"}};
constexpr OperandSpec kOpenOperands[] = {kId, {"COMMAND", Value::kText, "", 0, 10'000}};

constexpr FlagSpec kStatusFlags[] = {{"--all", "-a", Value::kNone, "",
                                      "those that have ended too: landed, aborted, nothing to land",
                                      "", Stability::kExperimental}};
constexpr Example kStatusExamples[] = {
    {"git txn status", "what runs, waits and is open; which reads no longer hold"},
    {"git txn status --json | jq '.transactions[] | select(.stale != [])'", "only what is stale"}};
constexpr FlagSpec kLogFlags[] = {{"--limit", "-n", Value::kNumber, "N",
                                   "how many lines (default 20; 0: all)", "", Stability::kStable}};
constexpr Example kLogExamples[] = {{"git txn log", "the newest landings and moves from outside"},
                                    {"git txn log -n 0 --json", "all of them, one object a line"}};
constexpr Example kShowExamples[] = {{"git txn show t-7k2m", "all that is known about it"}};
constexpr FlagSpec kReadsFlags[] = {{"--explain", "", Value::kNone, "",
                                     "who made each read, why it counts, what it stands for", "",
                                     Stability::kStable}};
constexpr Example kReadsExamples[] = {
    {"git txn reads t-7k2m", "what its outcome depends on"},
    {"git txn reads t-7k2m --explain", "who made each, and why it counts"},
    {"git txn reads t-7k2m --json | jq -r .subject", "one object a line, sorted by subject"}};
constexpr Example kWhyExamples[] = {
    {"git txn why t-7k2m", "why it waits or did not land: the witness as a diff, and what to do"}};

constexpr OperandSpec kGateOperands[] = {{"list|show|run", Value::kChoice, "list show run", 1, 1},
                                         {"NAME|ID", Value::kTxn, "", 0, 65}};
constexpr FlagSpec kPolicyOf{"--onto",
                             "",
                             Value::kBranch,
                             "BRANCH",
                             "the branch whose policy it is (default: the one checked out)",
                             "",
                             Stability::kStable};
constexpr FlagSpec kGateFlags[] = {kPolicyOf};
constexpr Example kGateExamples[] = {
    {"git txn gate list", "the gates of the target branch"},
    {"git txn gate show test", "one of them, with its version"},
    {"git txn gate run t-7k2m", "run every gate on its change now"},
    {"git txn gate run 8ab4410 lint test", "two gates on a commit"}};
constexpr FlagSpec kTrustFlags[] = {
    kPolicyOf,
    {"--yes", "", Value::kText, "HASH", "say yes to exactly the commands with this hash", "",
     Stability::kStable}};
constexpr Example kTrustExamples[] = {
    {"git txn trust", "read the commands of .gittxn.toml and answer"},
    {"git txn trust --yes HASH", "say yes, without a terminal, to what it printed with this hash"}};

constexpr Example kRecoverExamples[] = {
    {"git txn recover", "finish or undo what a crash left (every writing command does it first)"}};
constexpr FlagSpec kVerifyFlags[] = {
    {"--replay", "", Value::kNone, "",
     "also rebuild the state from the log and compare it byte for byte", "", Stability::kStable}};
constexpr Example kVerifyExamples[] = {
    {"git txn verify --replay", "check the log, the chain and the state"}};
constexpr FlagSpec kStateFlags[] = {{"--at", "", Value::kNumber, "SEQ",
                                     "after this event; git txn verify says how many there are", "",
                                     Stability::kExperimental}};
constexpr Example kStateExamples[] = {{"git txn state --at 120", "what the kernel knew then"}};
constexpr FlagSpec kGcFlags[] = {
    {"--force", "", Value::kNone, "",
     "also remove worktrees of unlanded work, which stays under refs/txn, and all there is of "
     "aborted transactions",
     "", Stability::kStable}};
constexpr Example kGcExamples[] = {{"git txn gc", "remove what nobody needs; says what it freed"}};
constexpr Example kDoctorExamples[] = {
    {"git txn doctor", "what this machine and repository can do"}};
constexpr FlagSpec kVersionFlags[] = {
    {"--cli", "", Value::kNone, "",
     "every command and flag with its stability; as JSON also what each takes and prints", "",
     Stability::kStable},
    {"--schema", "", Value::kNone, "", "the version of the store's schema", "", Stability::kStable},
    {"--events", "", Value::kNone, "", "the types of event and their versions", "",
     Stability::kStable},
    {"--enforces", "", Value::kNone, "", "what is enforced, what is recorded, and how, as Markdown",
     "", Stability::kExperimental}};
constexpr Example kVersionExamples[] = {
    {"git txn version --schema", "what a store is read and written as"},
    {"git txn version --cli --json | jq '.commands[] | select(.stability == \"stable\") | .name'",
     "what a script may rely on"}};

constexpr OperandSpec kInternalOperands[] = {
    {"failpoints|man|completion|complete|ids|commands", Value::kChoice,
     "failpoints man completion complete ids commands", 1, 1},
    {"ARGUMENT", Value::kText, "", 0, 1}};
constexpr FlagSpec kInternalFlags[] = {{"--dir", "", Value::kFolder, "FOLDER",
                                        "write every manual page there", "", Stability::kInternal}};
constexpr Example kInternalExamples[] = {
    {"git txn internal man run", "a manual page as troff"},
    {"git txn internal man --dir man1", "all of them as files"},
    {"git txn internal completion zsh", "completion for zsh; bash and fish are there as well"},
    {"git txn internal commands", "docs/commands.md"},
    {"git txn internal failpoints", "the names GIT_TXN_FAILPOINT takes"}};

constexpr std::string_view kRunText =
    "Takes a snapshot of the target branch, runs COMMAND in a private worktree of it, records what "
    "the command and everything it starts read and wrote, and lands the change as one commit if "
    "every read still holds at the head of the branch and every gate says yes. Files you have not "
    "committed are not in the snapshot.\n\n"
    "What lands is the worktree as `git add -A` takes it, committed or not; ignored files and "
    "stashes never. If the branch moved and a read no longer holds, the command runs again on a "
    "fresh snapshot (--retries), but not when standard input is a terminal. A command that fails, "
    "is interrupted or times out lands nothing and loses nothing: the transaction stays open, and "
    "the line that lands it is printed. One that fails and has changed nothing ends the "
    "transaction.\n\n"
    "Where COMMAND starts claude or codex, hooks that tell git-txn what they read are added for "
    "this "
    "run alone; no settings of yours are changed (--no-inject, txn.inject).\n\n"
    "The command gets your standard input and terminal and starts in the same sub-directory. The "
    "first Ctrl-C goes to it, a second one ends everything it started.";

constexpr CommandSpec kCommands[] = {
    {"run",
     "run a command in a transaction and land its change",
     kRunText,
     {},
     kRunFlags,
     kRunExamples,
     Group::kDaily,
     Inside::kRefused,
     true,
     Stability::kStable},
    {"status",
     "show what runs, waits and is open, and what is stale",
     "Every transaction that has not ended, with the reason for each wait, the reads that no "
     "longer "
     "hold at the head of the branch right now, and who holds which lock; then the newest "
     "landings. "
     "Changes nothing.\n\n"
     "The pid is that of git-txn itself: the one that a shell has of `git txn run` is git's, which "
     "waits for it. To end a run, use git txn stop.",
     {},
     kStatusFlags,
     kStatusExamples,
     Group::kDaily,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"log",
     "list landings, and moves of a branch from outside",
     "Newest first: the commit, the transaction that made it, and who. Commits that people made "
     "directly are there as well.",
     {},
     kLogFlags,
     kLogExamples,
     Group::kDaily,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"why",
     "explain why a transaction waits or did not land",
     "Names each read that no longer holds and each path that both sides changed, who changed it, "
     "shows the difference between what was read and what is there now, and says what to do next.",
     kIdOperand,
     {},
     kWhyExamples,
     Group::kDaily,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"begin",
     "open a transaction without running anything",
     "Prints the transaction's id and its worktree. Work in it with exec or open; nothing lands "
     "before commit.\n\n"
     "Inside of a transaction it is refused, unless the policy's [limits] allow a depth; then the "
     "new one is of the same branch, knows its parent, and is for others to work in.",
     {},
     kBeginFlags,
     kBeginExamples,
     Group::kSteps,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"exec", "run a command in an open transaction",
     "Several commands of one transaction add up: what each of them reads and writes belongs to "
     "it. "
     "The exit status is the command's own.",
     kIdOperand, kExecFlags, kExecExamples, Group::kSteps, Inside::kRefused, true,
     Stability::kStable},
    {"commit", "land an open transaction",
     "Takes the worktree's change, certifies it against the head of the target branch, runs the "
     "gates and lands it. When something of yours is in the way it waits, holding no lock; what "
     "still waits when the time of --wait is over does not land by itself: --all lands it later.",
     kCommitOperands, kCommitFlags, kCommitExamples, Group::kSteps, Inside::kRefused, false,
     Stability::kStable},
    {"abort", "give up a transaction",
     "The transaction ends without landing. Its work stays under refs/txn/ID until gc --force; "
     "resume brings it back.",
     kIdOperand, kAbortFlags, kAbortExamples, Group::kSteps, Inside::kRefused, false,
     Stability::kStable},
    kStopCommand,
    {"resume",
     "take over a transaction that stopped",
     "A rejected, quarantined or abandoned transaction is open again and yours; its worktree is "
     "made again from the kept work when it is gone.\n\n"
     "What it has read stays read: when a read no longer holds, run the command again instead, "
     "with the line that why prints.",
     kIdOperand,
     {},
     kResumeExamples,
     Group::kSteps,
     Inside::kRefused,
     false,
     Stability::kStable},
    {"open", "print the path of a transaction's worktree",
     "Prints the path of the worktree. Editing there is fine; to have reads recorded work through "
     "--shell or exec.\n\n"
     "With a command it runs that where the files are seen, also while the transaction works; it "
     "is "
     "not recorded. The files of an overlay are seen by such commands and shells alone, until open "
     "makes plain files of them, which it does when nobody works in it; the transaction goes on in "
     "those.",
     kOpenOperands, kOpenFlags, kOpenExamples, Group::kSteps, Inside::kAllowed, false,
     Stability::kStable},
    {"show",
     "show one transaction",
     "State, base, reads, writes, gates and times of a transaction.",
     kIdOperand,
     {},
     kShowExamples,
     Group::kLook,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"diff", "show the change of a transaction",
     "A unified diff against its base, as git prints it.", kIdOperand, kDiffFlags, kDiffExamples,
     Group::kLook, Inside::kAllowed, false, Stability::kStable},
    {"reads", "list what a transaction read",
     "Each observation its outcome depends on. With --json one object a line, sorted by subject.",
     kIdOperand, kReadsFlags, kReadsExamples, Group::kLook, Inside::kAllowed, false,
     Stability::kStable},
    {"writes",
     "list what a transaction changes",
     "Each path, and what changed in it by symbol. With --json one object a line, with modes and "
     "objects.",
     kIdOperand,
     {},
     kWritesExamples,
     Group::kLook,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"gate", "list, show and run the gates of a branch",
     "Gates are defined in .gittxn.toml on the target branch, the only place for them. Run by hand "
     "they judge a transaction's change or a commit; a landing judges its own candidate.",
     kGateOperands, kGateFlags, kGateExamples, Group::kPolicy, Inside::kAllowed, false,
     Stability::kStable},
    {"trust",
     "say yes to the commands of this repository's policy",
     "Gates and set-up commands of .gittxn.toml run only after you said yes to exactly them. Shows "
     "them and asks on a terminal; --yes HASH answers without one. GIT_TXN_TRUST=HASH says yes for "
     "one process.",
     {},
     kTrustFlags,
     kTrustExamples,
     Group::kPolicy,
     Inside::kRefused,
     false,
     Stability::kStable},
    kWorkflowCommand,
    kCompensateCommand,
    kSymbolsCommand,
    kImpactCommand,
    kEventsCommand,
    kMergeFileCommand,
    kMergeDriverCommand,
    kHookCommand,
    kCaptureCommand,
    kMcpCommand,
    kReadCommand,
    kSummaryCommand,
    kInstructionsCommand,
    kLeaseCommand,
    kSentinelCommand,
    kBudgetCommand,
    kProposeCommand,
    kPromoteCommand,
    kProposalsCommand,
    kPortfolioCommand,
    {"recover",
     "finish or undo what a crash left",
     "Runs by itself before every command that writes. It never moves a branch.",
     {},
     {},
     kRecoverExamples,
     Group::kCare,
     Inside::kRefused,
     false,
     Stability::kStable},
    {"verify",
     "check the event log and the state made from it",
     "Checks the hash chain from the first event. Exit 1 when something does not hold.",
     {},
     kVerifyFlags,
     kVerifyExamples,
     Group::kCare,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"state",
     "print the state at an event",
     "The kernel's state as JSON, after the event SEQ.",
     {},
     kStateFlags,
     kStateExamples,
     Group::kCare,
     Inside::kAllowed,
     false,
     Stability::kExperimental},
    {"gc",
     "remove what nobody needs",
     "Worktrees and kept states of transactions that have ended, shared checkouts that no worktree "
     "lies over, files that landings moved aside, what killed commands left, and the events that "
     "txn.retention lets go. Never removes work that has not landed without --force.",
     {},
     kGcFlags,
     kGcExamples,
     Group::kCare,
     Inside::kRefused,
     false,
     Stability::kStable},
    {"doctor",
     "check this machine and repository",
     "What works here and what does not: git, the tracer, the file system, the store. Works "
     "outside "
     "a repository too.",
     {},
     {},
     kDoctorExamples,
     Group::kCare,
     Inside::kAllowed,
     false,
     Stability::kStable},
    kInitCommand,
    {"version",
     "print the version",
     "The version of the program, and with options what it speaks.",
     {},
     kVersionFlags,
     kVersionExamples,
     Group::kCare,
     Inside::kAllowed,
     false,
     Stability::kStable},
    {"internal", "for this project's own tools", "No promises.", kInternalOperands, kInternalFlags,
     kInternalExamples, Group::kInternal, Inside::kAllowed, false, Stability::kInternal, true},
};

constexpr FlagSpec kCommon[] = {
    {"--json", "", Value::kNone, "", "print JSON; the command's own output goes to standard error",
     "", Stability::kStable},
    {"--quiet", "-q", Value::kNone, "", "no progress, no notes, no advice", "", Stability::kStable},
    {"--log", "", Value::kChoice, "FORMAT",
     "write a structured log to standard error: text or json", "text json",
     Stability::kExperimental},
    {"--help", "-h", Value::kNone, "", "show this help", "", Stability::kStable},
};

constexpr LaterName kLater[] = {
    {"begin", "--scope"}, {"", "fleet"}, {"", "capsule"}, {"", "replay"},   {"", "proof"},
    {"", "export"},       {"", "ui"},    {"", "bench"},   {"", "override"},
};

}  // namespace

const Table& command_table() {
  static constexpr Table kTable{kCommands, kCommon, kLater};
  return kTable;
}

}  // namespace gittxn::cli
