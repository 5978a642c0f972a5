// Manual pages in man(7), one for git-txn and one a command.
#include <fmt/format.h>

#include <algorithm>

#include "cli/help.h"

namespace gittxn::cli {
namespace {

// What may be set beside the command line, and what exit statuses mean.
struct Setting {
  std::string_view name;
  std::string_view help;
};
constexpr Setting kConfig[] = {
    {"txn.retention", "how long events are kept, such as 90d (default: for ever)"},
    {"txn.handlerRetry",
     "how long after its first failure a handler is tried again; six times longer each time "
     "(default: 10s)"},
    {"txn.consumerStale",
     "how long a durable consumer may stand still while events wait for it (default: 7d)"},
    {"txn.worktreeRoot",
     "where private worktrees are made: an absolute path outside the repository (default: "
     "$XDG_STATE_HOME/git-txn, else ~/.local/state/git-txn)"},
    {"txn.instructions",
     "a text file to give agents instead of what `git txn instructions` prints"},
    {"txn.worktree",
     "the kind of worktree where --worktree names none: auto (default), plain, overlay, reflink; "
     "git txn doctor says what works here"},
    {"txn.confine",
     "whether a command is confined where --confine says nothing: off (default), or writes"},
    {"txn.confineWrite",
     "where a confined command may write besides: paths separated by ':', absolute or from ~/"},
    {"txn.hooks",
     "whether the repository's own pre-commit and commit-msg hooks judge a landing, and "
     "post-commit and post-merge follow it (default: true)"},
    {"txn.inject",
     "whether run and exec add hooks to the agents they know, for that run alone (default: true)"},
    {"txn.resume.NAME",
     "the command by which the agent NAME, a program's name, goes on after a refusal; {brief} in "
     "it "
     "is the file that says what has changed, which is its standard input, too"},
    {"txn.remote",
     "what landing does to the remote of the branch: local (default), nothing; push, move the same "
     "branch there as part of landing; branch, push txn/NAME for a pull request and land nothing "
     "here"},
    {"txn.<branch>.remote", "the same for one branch"},
    {"txn.member.<name>.place",
     "where a member of the portfolio is for this clone (default: as the list has it)"},
    {"txn.hub",
     "the remote that this clone lands on with others; txn.store, txn.storeSchema, txn.log and "
     "txn.clone belong to it: git txn init writes them"},
    {"txn.ask",
     "how long commands that only print may take, all together, that a landing runs again because "
     "what they looked at has changed (default: 10s)"},
    {"txn.gateJobs",
     "how many gates of landings run at a time in this clone (default: as many as there are "
     "processors)"},
    {"txn.remoteTimeout", "how long a remote may take to answer (default: 60s)"},
};
constexpr Setting kEnvironment[] = {
    {"GIT_TXN_ID", "set for the command of a transaction: the transaction's id"},
    {"GIT_TXN_OBSERVED",
     "set for the command of a transaction: where its hooks say what the agent reads"},
    {"GIT_TXN_LEASE", "set for the command of a lease: its id; GIT_TXN_FENCE has its fence"},
    {"GIT_TXN_GATE", "set for a gate: its name"},
    {"GIT_TXN_COMPENSATES", "set for a compensation: the id of the transaction that it undoes"},
    {"GIT_TXN_HANDLER", "set for a handler: its name"},
    {"GIT_TXN_EVENT",
     "set for a handler: the event as CloudEvents JSON, up to 64 KiB; its standard input has all"},
    {"GIT_TXN_PORT", "set when the policy gives ports: the first of ten free ones"},
    {"GIT_TXN_TRUST",
     "a policy hash that is trusted for this process, as `git txn trust` prints it"},
    {"NO_COLOR", "when set and not empty, nothing is coloured"},
    {"SHELL", "what `git txn open --shell` starts"},
};
constexpr Setting kExits[] = {
    {"0", "landed, or nothing to land, or done"},
    {"1", "not landed, for a stated reason; the work is kept"},
    {"2", "a fault of the machine or the program; nothing is half done"},
    {"3", "the request makes no sense or is refused; nothing was changed"},
};

constexpr std::string_view kExperimental = "\nExperimental: it may change in a minor version.";

struct Escape {
  char character;
  std::string_view written;
};
constexpr Escape kEscapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'`', "\\(ga"}, {'\'', "\\(aq"},
                               {'"', "\\(dq"}, {'~', "\\(ti"}, {'^', "\\(ha"}};

// Text as troff takes it literally: the escape character, hyphens that are minus signs (so that
// they can be copied into a shell), and control characters at the start of a line.
std::string troff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    const auto* const escape = std::ranges::find(kEscapes, c, &Escape::character);
    out += escape == std::end(kEscapes) ? std::string_view(&c, 1) : escape->written;
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.find("\n\n");
    out += troff(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    out += ".PP\n";
    text.remove_prefix(end + 2);
  }
  return out;
}

std::string header(std::string_view page, std::string_view version) {
  std::string title;
  for (char c : page) title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"git\\-txn {}\" \"git\\-txn manual\"\n", troff(title),
                     troff(version));
}

std::string entry(std::string_view head, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", head, text);
}

// What a flag is, is said where its command is another.
std::string flags_section(std::span<const FlagSpec> flags, Stability of_command) {
  std::string out;
  for (const FlagSpec& flag : flags) {
    if (!is_shown(flag)) continue;
    std::string head = ".B ";
    if (!flag.letter.empty()) head += troff(flag.letter) + ", ";
    head += troff(flag.name);
    if (!flag.label.empty()) head += fmt::format(" \\fI{}\\fR", troff(flag.label));
    std::string text = troff(flag.help) + ".";
    if (flag.stability != of_command) {
      text += flag.stability == Stability::kStable ? "\nStable." : kExperimental;
    }
    out += entry(head, text);
  }
  return out;
}

std::string settings_section(std::span<const Setting> settings) {
  std::string out;
  for (const Setting& setting : settings) {
    out += entry(".B " + troff(setting.name), troff(setting.help) + ".");
  }
  return out;
}

std::string exits() {
  return ".SH EXIT STATUS\n" + settings_section(kExits);
}

std::string examples_section(const CommandSpec& command) {
  std::string out;
  for (const Example& example : command.examples) {
    out += entry(".B " + troff(example.line), troff(example.says));
  }
  for (const CommandSpec& one : command.subcommands) out += examples_section(one);
  return out;
}

std::string subcommands_section(const CommandSpec& command) {
  std::string out;
  for (const CommandSpec& one : command.subcommands) {
    if (one.subcommands.empty()) {
      out += fmt::format(".SS {}\n{}", troff(usage_line(one)), paragraphs(sentence_of(one)));
    }
    out += flags_section(one.flags, command.stability) + subcommands_section(one);
  }
  return out;
}

std::string command_page(const CommandSpec& command, std::string_view version, const Table& table) {
  std::string page = fmt::format("git-txn-{}", command.name);
  std::string out = header(page, version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", troff(page), troff(command.summary));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n", troff(usage_line(command)));
  out += ".SH DESCRIPTION\n" + paragraphs(sentence_of(command));
  if (command.stability == Stability::kExperimental) out += fmt::format(".PP{}\n", kExperimental);
  if (!command.subcommands.empty()) out += ".SH SUBCOMMANDS\n" + subcommands_section(command);
  out += ".SH OPTIONS\n" + flags_section(command.flags, command.stability);
  out += flags_section(table.common, Stability::kStable);
  out += ".SH EXAMPLES\n" + examples_section(command);
  if (command.name == "exec") {
    out += ".SH EXIT STATUS\nThat of the command; 2 or 3 when it could not be run.\n";
  } else {
    out += exits();
  }
  out += ".SH SEE ALSO\n.BR git\\-txn (1)\n";
  return out;
}

std::string main_page(std::string_view version, const Table& table) {
  std::string out = header("git-txn", version);
  out +=
      ".SH NAME\ngit\\-txn \\- run coding agents on a repository with the guarantees a database "
      "gives\n.SH SYNOPSIS\n.B git txn run \\-\\- COMMAND...\n.br\n.B git txn COMMAND "
      "[OPTIONS]\n.SH DESCRIPTION\n";
  out += paragraphs(
      "git txn run gives a command, such as a coding agent, a private snapshot of a branch, "
      "records every file that it and everything it starts reads and writes, and lands its change "
      "as one commit only if what it read still holds at the head of the branch and the "
      "repository's gates say yes. Otherwise nothing moves, nothing is lost, and git txn why tells "
      "what changed under it.\n\n"
      "It works in any git repository without set-up and leaves the repository's own files alone. "
      "What you have not committed is never touched.");
  for (const GroupSpec& group : groups()) {
    out += fmt::format(".SS {}\n", group.title);
    for (const CommandSpec& command : table.commands) {
      if (command.group != group.group || !is_shown(command)) continue;
      out += entry(fmt::format(".BR git\\-txn\\-{} (1)", command.name), troff(command.summary));
    }
  }
  out += ".SH OPTIONS\nOf every command:\n" + flags_section(table.common, Stability::kStable);
  out += ".SH CONFIGURATION\nSettings are git config keys.\n" + settings_section(kConfig);
  out += ".SH ENVIRONMENT\n" + settings_section(kEnvironment);
  out += ".SH FILES\n";
  out += entry(".B .gittxn.toml",
               "The policy of the repository, read from the target branch: gates, set\\-up of "
               "worktrees, isolation levels.");
  out += entry(".B <git directory>/txn", "The event log and what follows from it.");
  out += entry(
      ".B refs/txn/<id>/<attempt>",
      "Work of a transaction, kept until it has landed, or was aborted and removed by gc --force.");
  out += exits();
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> man_pages(std::string_view version,
                                                           const Table& table) {
  std::vector<std::pair<std::string, std::string>> pages;
  pages.emplace_back("git-txn.1", main_page(version, table));
  for (const CommandSpec& command : table.commands) {
    if (!is_shown(command)) continue;
    pages.emplace_back(fmt::format("git-txn-{}.1", command.name),
                       command_page(command, version, table));
  }
  return pages;
}

}  // namespace gittxn::cli
