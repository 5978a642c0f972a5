// The table of docs/enforces.md.
#include "api/kernel.h"

#include <fmt/format.h>

namespace gittxn::api {

namespace {

constexpr Enforced kTable[] = {
    {"The branch moves only by a landing, or by a move that is recorded first", "enforced",
     "compare-and-set on the ref; a checkpoint of moves from outside before each landing", "A1"},
    {"What lands was read on a state that still holds", "enforced, at the level asked for",
     "the certifier, in the section that moves the branch", "A2"},
    {"Landing order is a serial order of the runs",
     "enforced at strict and serializable; at semantic but for the nine rows below",
     "reads are compared byte by byte with the head that it lands on; the transaction's own paths, "
     "and equal bytes of both sides, hide nothing",
     "A2"},
    {"A file of code that was read and only laid out anew",
     "semantic takes it for the same where an agent alone was shown it or an edit was made in it, "
     "and a note says so; for whoever else read it, and at strict, its bytes count",
     "symbols of the file; who read it (below)"},
    {"A file that both changed",
     "semantic merges it where the two changes do not meet, and whoever read it was an agent "
     "alone, or made an edit in it; a note says so. For whoever else read it its bytes count, a "
     "run of the tests that looked at it, before the edit or after it, is asked again; strict "
     "takes "
     "it for a conflict. Neither: what was decided on another part of it, text that was copied "
     "from "
     "it, line numbers that were seen, reflection, what is found by name alone, and a run of the "
     "tests after the transaction itself had taken in the branch",
     "symbols of the file; who read it (below); what both did alike is a conflict at every level"},
    {"A name that one side renamed and the other uses anew; a conflict that a person resolved "
     "before",
     "semantic and the levels below mend what policy allows, and say so in the outcome and in the "
     "message of the commit: a use that the rules of the language leave no other meaning gets the "
     "new name, one that is known by its name alone stays a conflict; of what git rerere recorded "
     "counts what is the own of whoever lands. Strict mends nothing. Neither: what finds the old "
     "name in a string, and whether a recorded resolution is right here, too",
     "symbols of the files; git rerere in a place of its own; the gates see what was mended",
     "[mend]"},
    {"Who read a file: an agent alone, an edit, or a program that may have computed with it",
     "enforced where the trace says it: an agent's own look at a file of one of its calls, a "
     "program that only shows files (cat, sed -n, git show) and prints to the agent and nobody "
     "else, sed -i, patch and git apply with words that only change lines, and an editor (vim, "
     "nano, emacs) at a terminal. Everything else may have computed. Neither: a session that says "
     "of calls what did not happen, and what an editor computes by itself or for whoever types "
     "there",
     "the trace; the agent's hooks, which it writes itself; closed lists of programs and options"},
    {"A read that has changed, of a refused transaction that goes on",
     "semantic lets whoever goes on answer for it, a person or the conversation of its agent: the "
     "difference is shown to them whole, what the branch has counts as read, and why --admitted "
     "lists it; strict does not, nor where policy says so, and neither takes a difference that is "
     "too long to be shown. "
     "Neither: whether they looked, and whether an agent of txn.resume.NAME was told",
     "the difference that git txn resume prints, or that the agent's own hook says it was told",
     "[rejudge]"},
    {"History: which commits and references there are",
     "semantic does not ask again what git log and the like have shown; strict does: it has to be "
     "the same bytes on the branch, or the branch has not moved. Neither: how long an abbreviated "
     "id has to be",
     "the head of the branch, and the references"},
    {"A run of the tests or of the build that passed, and what it looked at",
     "semantic asks for its exit status again and for nothing else that it printed: of equal "
     "runs the last one, of a gate with the same words by its pass on what lands, else by "
     "running it again without the worktree's ignored files; on what lands, too, where it met "
     "files that the transaction changed before it and afterwards. Strict takes what it looked at "
     "for read, unless policy names the command, which is then run again as it was. Neither: "
     "what it prints, a listing that shows what it left, and a run that an ignored file led "
     "another way",
     "exit statuses of the trace; files of what it looked at", "[question], [gate]"},
    {"Names of a directory that an agent alone was shown (ls, find, tree, the server's list tool)",
     "semantic lets others come and go there, and says so, but for one that it read, wrote or "
     "named in what it wrote, and one that is, but for case or extension, the same as a name "
     "that it adds there, or of one series with it; strict does not. Neither: a choice for or "
     "against a name, and hooks of the user's own that hand on what a call answered",
     "the trace, for where a program's output leads; the agent's hooks, for which call it was; "
     "words of the lines that it adds",
     "[listings]"},
    {"A file of code that an agent alone was shown whole, and a search for contents (grep, rg, git "
     "grep, the server's search tool)",
     "semantic lets new things come beside what was shown, where all of that stands, and says so: "
     "functions, types and imports of the file by names that it has nowhere and the transaction "
     "does not write; more lines that are found in code and prose, of a search that had found "
     "something, that are no declaration of what it looked for, where the transaction changed "
     "nothing that was found; strict does not. Neither: a decision that there is no such thing, "
     "and a list of work of which nothing was changed",
     "symbols of the file; the search asked of both states; the trace and the agent's hooks, for "
     "where output leads"},
    {"What an agent's program looks at by itself and shows to nobody",
     "semantic does not ask again, and git txn why --admitted says so: names, kinds and sizes, "
     "never contents, of the versions of Claude Code that were watched, in a session that is "
     "known from its beginning to its end; strict asks",
     "a list for each digest of a program; the agent's hooks and session files, which it writes "
     "itself"},
    {"A program that only prints (cat, head, sed -n, jq, git log and others)",
     "enforced at every level, by what it looked at, else by what it prints: it is run again on "
     "both states",
     "a closed list of programs and options; of git, settings, variables and what was in its git "
     "directory"},
    {"An update that two made alike (a counter, a free number, a line)",
     "enforced at every level where what was read is known; where it is not, any equal change is a "
     "conflict",
     "the certifier asks what adds nothing to the branch as well, with what it wrote", "A2"},
    {"What a command read", "enforced where the trace is complete; else everything counts as read",
     "system-call trace (bpf, hybrid, notify, ptrace)"},
    {"Files that git opens because a configuration names them (commit.template, diff.orderFile)",
     "neither: taken for git's own upkeep; named by an option they are read",
     "the table of git's commands"},
    {"The id of a tree that git write-tree prints before git commit-tree",
     "neither: taken for a step of the commit, also where a program shows the id",
     "the table of git's commands"},
    {"Reads of a thread made with its own current directory (clone without CLONE_FS), messages of "
     "sendmmsg after the first, links changed by a path inside the tree before their first use",
     "neither: their paths are resolved as if it had not happened", "the trace"},
    {"Reads through links outside of the worktree",
     "enforced where the command itself made, moved or removed the link, or it stayed as it is; "
     "neither where others changed it meanwhile. With bpf a link that was there before and is "
     "gone makes the set unknown, or is not seen where nothing looked at the link itself",
     "the trace's record of links, replayed"},
    {"What comes to a command from outside of its processes",
     "enforced: standard input that is a file of the repository, the worktree of another "
     "transaction, a checkout; a server or a pipe that it did not make: everything counts as "
     "read. Neither: what comes through a pipe on standard input, the network, or a socket or pipe "
     "that it made itself and somebody else fills",
     "the trace; names of sockets and pipes that the command made"},
    {"Ignore rules and attributes are those of what it lands on",
     "enforced from semantic up, for .gitignore and .gitattributes of the repository and at most "
     "1,000 ignored names; neither for a person's own and for info/",
     "asked again on a head that changed them"},
    {"The level of isolation", "enforced: rules of the policy raise it, and nothing lowers it",
     "the policy of the target branch, when it lands", "[isolation], [rule]"},
    {"Who reads what is made from other files reads those",
     "enforced where the policy names them; else it is a file like others", "the certifier",
     "[generated]"},
    {"Gates of the policy", "enforced",
     "run on exactly the tree that lands, as a whole or in units, or a certificate of this gate "
     "and environment is carried over from another tree where all that the gate or unit looked at "
     "is the same; carry = false forbids that. Not counted, where the policy says so: looks that "
     "blind names, what is in caches, and the failure of a unit in quarantine",
     "A3, A4, [gate], [quarantine]"},
    {"Commands of a policy run only when trusted", "enforced",
     "the hash of the commands; the clones of a hub share what is trusted"},
    {"What a worktree is given",
     "enforced: private copies, of paths of the repository alone; recorded: that nobody else takes "
     "its ports",
     "copied without following links out; a block of ports that was free is locked against other "
     "transactions",
     "[worktree]"},
    {"A person's uncommitted work is not touched", "enforced",
     "the landing waits for files that are edited; what it moves aside is kept until gc", "A12"},
    {"A kill leaves all or nothing of a landing", "enforced",
     "the log says what is meant before the branch moves; the next command resolves it by what the "
     "ref says",
     "A11"},
    {"One landing on a branch at a time", "enforced",
     "locks that die with their holder, so that none is ever stale or broken; the compare-and-set "
     "on the ref has the last word",
     "F3, K5, K6, A5"},
    {"Who has lost twice to others goes before those who would make it lose again",
     "enforced for as long as policy says since its last loss, while its process is alive, by the "
     "reads and writes of its last try; what its next try reads besides is not known, and one "
     "whose reads are unknown has no "
     "place",
     "the log, and locks that die with their holder", "[queue]"},
    {"An agent is told before it first changes a file that others have changed, leased or are "
     "changing",
     "enforced for edits that Claude Code and Codex announce to a hook, and refused where policy "
     "says so; neither for what a shell command changes, other clones, and a hook that gets no "
     "answer within five seconds",
     "the agent's hooks; the landing certifies in any case", "[first_write]"},
    {"What a command left that failed, was stopped or died lands only when somebody says so",
     "enforced for what git txn run began, until a person resumes it or another command in it ends "
     "well; neither for a command that ends with 0 before it is done",
     "its exit status in the log"},
    {"A landing that comes too late on a hub", "enforced",
     "one atomic push of the branch and its fence from the values in the log; whoever resolves it "
     "for another moves the fence first"},
    {"What landed on a hub is on its disk", "recorded: neither asked nor checked",
     "the hub's own git syncs as its core.fsync says"},
    {"Who may write to the server of a hub's store",
     "neither: they may do all that a transaction may", "the server's own accounts"},
    {"Files that a command writes outside of its worktree",
     "enforced with --confine: only temporary directories, caches, the agents' own state and what "
     "txn.confineWrite names can be written besides; recorded without",
     "Landlock, and a mount namespace where there is one; the trace", "A16"},
    {"Modes, owners, times and attributes of files outside of its worktree",
     "enforced with --confine where there is a mount namespace (git txn doctor), but for the files "
     "that its output goes to; else neither",
     "everything else is mounted read-only"},
    {"Signals and abstract sockets of processes outside of a command, and their memory",
     "enforced with --confine: memory always, the others from Linux 6.12 on; neither without",
     "the scopes of Landlock"},
    {"Typing into the terminal that a command was started from",
     "enforced with --confine; without it as the kernel is set (dev.tty.legacy_tiocsti)",
     "seccomp"},
    {"What a command leaves to be run when it is given up (compensate)",
     "enforced: it is confined as the command was",
     "the log says of each command whether it was confined"},
    {"What a confined command does on the network", "neither", "a network of your own around it"},
    {"What programs that already run do for a confined command",
     "neither: it may connect to sockets that have a path (Docker, D-Bus, ssh-agent, tmux) and ask",
     "a user id or a machine of its own"},
    {"What a confined command leaves for later in caches, in the state of agents, and where "
     "txn.confineWrite says",
     "neither: a run outside takes it from there", "git-txn itself runs nothing of it"},
    {"What a confined command leaves for later in its worktree: hooks and configuration of its git "
     "directory, and the change itself",
     "neither: who works there unconfined (open, exec) runs them, as gates run the change; git-txn "
     "itself runs nothing that the git directory names",
     "a git directory of its own for each look at a worktree"},
    {"Files in temporary directories",
     "neither: it writes in /tmp, /var/tmp, /dev/shm and TMPDIR; enforced: not in the directory "
     "there that holds the repository, a worktree or the home directory",
     "a mount namespace; without one a temporary directory of its own"},
    {"What the kernel keeps for a user beside files",
     "neither: keys, shared memory, other terminals, limits and priorities of processes",
     "a user id or a machine of its own"},
    {"What runs inside of a transaction is not a person",
     "enforced for all that descends from its command, whatever its environment says; not for "
     "programs that ran before, and not where it writes the store's own files (--confine)",
     "a mark that the kernel hands on (seccomp), and the name of the process that watches it; for "
     "an untraced command of a user without privileges the name alone, which a process number "
     "namespace hides",
     "A15"},
    {"What a command does on the network, and to the machine",
     "neither; the trace notes that a gate made a connection",
     "a sandbox or another user id of your own around the command"},
    {"A state and its event", "enforced",
     "one database transaction; the state is derived from the log (verify --replay)", "F1, K1, A7"},
    {"One order of all events", "enforced",
     "one sequence, given out under the append lock, without gaps", "F10"},
    {"The same event is appended once",
     "enforced where its producer gives it a key: a repeat is success and no second event",
     "a unique index of keys, which pruning leaves"},
    {"The log is not edited",
     "recorded: an edit is found, not prevented; a tail cut off with the state may not be",
     "a hash chain, checked by verify and on opening", "A8"},
    {"A store of a newer program is left alone, an older one migrated", "enforced",
     "the version in the store; a copy before a migration, which is one transaction", "K9"},
    {"What scripts use: commands, options, fields, events",
     "recorded: a promise of the next versions, which their tests check",
     "one table with the stability of each; schemas; a former spelling warns (docs/STABILITY.md)",
     "F9"},
    {"A durable consumer gets each event, in order",
     "enforced: at least once, however long it was away",
     "a position without a time in it, which only its consumer moves; pruning never passes it",
     "F4, K3, A9"},
    {"An ephemeral consumer gets each event",
     "enforced within its time to live; after that it has ended, and is told so",
     "a position with a time, not begun again by being used"},
    {"A consumer that does not move", "recorded: it holds back pruning until somebody removes it",
     "consumer.stale once a stall; consumer list --lag; status", "F5"},
    {"Handlers are given each event of their type",
     "enforced: at least once, in order; five failures are left to a person",
     "a durable consumer each; the command that appended gives out before it exits, the next one "
     "that appends what was left",
     "[on]"},
    {"A handler ends in its time, and is waited for",
     "enforced; what it has left in the background when it ends lives on, and nobody waits for "
     "that",
     "a process group of its own, ended at its time limit; drained before the command exits",
     "F11"},
    {"A phase is left when its gates hold", "enforced: no option goes past one",
     "asked in the decision that moves it, on the head that was judged", "K2, A10, [workflow]"},
    {"Phases come in their order, and of two moves at a time one happens", "enforced",
     "compare-and-set on the version of the workflow; skip leaves only a phase without gates",
     "K4, A10"},
    {"An override says who, why and past which gates",
     "enforced: that it is said; recorded: that the name is true",
     "the move and its record are one event; the actor is taken at its word", "F7, A10"},
    {"A rollback",
     "enforced: verdicts and evidence of what it undoes count no more, and unfinished transactions "
     "of later phases are aborted with it; not undone: what has landed",
     "one decision; whoever runs one of them ends its command"},
    {"A verdict", "enforced: it counts for one version of its phase; recorded: who gave it",
     "a version in its event; never from inside of a transaction; the actor is taken at its word"},
    {"A transaction lands in the phase it was begun in",
     "enforced: else it is dropped, or carried over, as on_close says",
     "versions of workflow, phase and gates, asked again under the write lock", "[workflow]"},
    {"A workflow that was cancelled",
     "enforced: nothing begins in it, moves it or lands of it; what runs in it is told, and goes "
     "on",
     "one event that the log takes no move after; asked again under the write lock"},
    {"How many transactions there are at a time, of one owner, and how deep",
     "enforced when one begins; who runs what is open already is not asked",
     "counted in the decision that records the beginning", "[limits]"},
    {"Compensations of a transaction",
     "enforced: at least once and in reverse order, when it was aborted or had nothing to land. "
     "Not run when it landed, nor while it is rejected or quarantined; a failure is recorded, and "
     "not tried again",
     "registered before the command returns; run by the command with which it ends, and by recover "
     "where that was killed"},
    {"Mandatory exclusive leases", "enforced for landings of transactions",
     "looked up in the append that prepares the landing, under the lock that hands out leases"},
    {"Advisory leases", "recorded", "a note to whoever writes there; git txn status"},
    {"No two leases that exclude each other", "enforced",
     "the log refuses the event; taking one over is one append", "F8, A6"},
    {"A lease whose owner lives, and one whose owner is dead",
     "enforced: not taken in its time; free at once. On a server that of a dead owner in another "
     "clone is free after a grace of some seconds, in which an owner that was cut off comes back",
     "a lock that its owner holds, not a process number or an age", "F3, F8, K6, A6"},
    {"Leases and commits that people make without a transaction", "recorded",
     "a move from outside is in the log; nothing keeps it off"},
    {"Times to live, intervals and ages when a clock jumps",
     "enforced within a boot: a jump moves none; after a restart of the machine: none ends "
     "earlier. Recorded with a server: a jump of its own clock moves them",
     "the clock of the boot, or the server's; durations by the monotonic clock", "F12"},
    {"Sentinels: at most once per interval", "enforced", "one statement that writes and answers"},
    {"Wall time of commands (budget wall)", "enforced",
     "measured with the monotonic clock; the command is ended, its work is kept. Where git-txn is "
     "killed while it runs, the next command charges it, but for the last quarter of a second, or "
     "more where the power went or the file beside its records was removed. What runs side by side "
     "in one clone draws on one budget, counted four times a second; what runs in another clone of "
     "a hub counts when its command has ended",
     "A14"},
    {"Bytes that commands print (budget bytes)", "enforced where there is such a budget",
     "counted in pipes of ours; the command is ended, its work is kept. A git-txn that is killed "
     "is as for wall time",
     "A14"},
    {"Tokens (budgets input, output, cache)", "recorded, best effort",
     "usage lines of session files and OpenTelemetry spans, or by hand; each answer once; budget "
     "reconcile",
     "F6, K8"},
    {"Cost (budget cost)", "recorded, best effort", "reported by hand; budget reconcile", "F6, K8"},
    {"Tool calls (budget calls)", "recorded, best effort",
     "hooks and session files of the agent, each call once", "F6, K8"},
    {"budget.warning at 80 %, budget.exceeded at 100 %",
     "once each, marked best-effort where the numbers are reported", "a unique key in the log",
     "F6, K8"},
    {"A proposal is begun only where its score allows it", "enforced",
     "the log refuses the event; boundaries of the policy at that moment, under the write lock",
     "F2, K7, A13, [proposals]"},
    {"A yes of a person to a proposal (--approve, --override, dismiss)",
     "enforced: never from inside of a transaction, a handler or a gate; recorded: that it was "
     "this person",
     "the environment that git-txn gives to what it runs; the actor is taken at its word"},
    {"The score of a proposal", "recorded", "whoever proposes it says it"},
    {"Proposals that say the same",
     "enforced: the second is refused and linked, also of two at once",
     "likeness of texts and embeddings, in the decision that would append it", "[proposals]"},
    {"How far the members of a portfolio are (gate members)",
     "enforced as of the event that was looked at; recorded: which that was",
     "their logs, read in the decision that moves the phase; they are not kept from going back"},
    {"What a member of a portfolio needs",
     "recorded: it orders lists and relays, and keeps nobody from working; enforced: that it is no "
     "circle",
     "the decision that would append it"},
    {"A relayed event is told once", "enforced",
     "a unique key in the member's log, made of the hash of the source's event"},
};

constexpr std::string_view kPageHead =
    "# What is enforced, and what is recorded\n\n"
    "Enforced: it does not happen, whatever a caller asks for. Recorded: it is in the log for "
    "whoever looks, and\nnothing keeps it from happening. Generated by `git txn version "
    "--enforces`; a test compares the two.\n\n"
    "The last column says what a row answers: F1 to F12 and K1 to K9 are the findings and the "
    "invariants that the kernel\nwas made from, whose tests are named after them "
    "([0021](design/0021-kernel.md)), A1 and so on the invariants of\n"
    "[ARCHITECTURE.md](ARCHITECTURE.md), and [gate] and the like the sections of "
    "[.gittxn.toml](formats/policy.md).\n\n"
    "| what | enforced or recorded | by what | since | answers |\n|---|---|---|---|---|\n";

}  // namespace

std::span<const Enforced> enforces() {
  return kTable;
}

std::string enforces_page() {
  std::string page(kPageHead);
  for (const Enforced& one : kTable) {
    page += fmt::format("| {} | {} | {} | {} |{}{} |\n", one.what, one.enforced, one.mechanism,
                        one.since, one.answers.empty() ? "" : " ", one.answers);
  }
  return page;
}

}  // namespace gittxn::api
