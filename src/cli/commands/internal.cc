// What is for our own tools: the names of failpoints, manual pages, completion, docs/commands.md.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/subprocess.h"
#include "cli/command_areas.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kDescriptionShown = 60;

Result<int> internal_man(Session& session) {
  const auto pages = man_pages(GIT_TXN_VERSION);
  if (auto dir = session.flag("--dir")) {
    TRY(make_dirs(*dir, 0755));
    for (const auto& [name, text] : pages) {
      TRY(write_file(join_path(*dir, name), text, Sync::kNo, 0644));
    }
    return kExitDone;
  }
  const auto& operands = session.args.operands;
  const std::string page = operands.empty() ? "git-txn.1" : "git-txn-" + operands[0] + ".1";
  const auto found = std::ranges::find(pages, page, &std::pair<std::string, std::string>::first);
  if (found == pages.end()) {
    return fail(Code::kUsage, fmt::format("there is no manual page {}", page));
  }
  session.out->text(found->second);
  return kExitDone;
}

// True when a command takes a transaction in this state; "" takes any.
bool takes(std::string_view command, const api::StatusReport::Line& line) {
  const TxnState state = line.txn.state;
  if (command == "resume") return state == TxnState::kAborted || !is_final(state);
  if (command == "stop" || command == "attach") return line.process != 0;
  if (command == "exec") return state == TxnState::kOpen;
  if (command == "commit" || command == "abort" || command == "open") return !is_final(state);
  return true;
}

// What may stand where a transaction is asked for.
Result<std::vector<Completion::Word>> transactions_for(Session& session,
                                                       const std::string& command) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  std::vector<Completion::Word> words;
  for (const auto& line : TRY(kernel.status(api::StatusScope::kAll)).lines) {
    if (!takes(command, line)) continue;
    const std::string what = line.txn.name.empty() ? quote_argv(line.txn.command) : line.txn.name;
    words.push_back({clean(line.txn.id.str()), fmt::format("{}  {}", state_name(line.txn.state),
                                                           cut(clean(what), kDescriptionShown))});
  }
  return words;
}

Result<int> internal_ids(Session& session) {
  const auto& operands = session.args.operands;
  const std::string command = operands.empty() ? "" : operands[0];
  for (const auto& word : TRY(transactions_for(session, command))) {
    session.out->text(word.text + "\n");
  }
  return kExitDone;
}

Result<std::vector<Completion::Word>> branches_here(Session& session) {
  gittxn::Command list;
  list.argv = {"git", "for-each-ref", "--format=%(refname:short)", "refs/heads"};
  list.cwd = session.host.cwd;
  list.env = session.host.env;
  const gittxn::Output output = TRY(gittxn::run(list));
  std::vector<Completion::Word> words;
  for (const std::string_view branch : pieces_of(output.out, '\n'))
    words.push_back({clean(branch), ""});
  return words;
}

std::string_view kind_word(Completion::Kind kind) {
  using enum Completion::Kind;
  if (kind == kFiles) return "files";
  if (kind == kFolders) return "folders";
  return kind == kCommand ? "command" : "words";  // of a transaction or a branch: words as well
}

Result<int> internal_complete(Session& session) {
  Completion completion = completion_of(session.args.operands);
  std::vector<Completion::Word> found;
  if (completion.kind == Completion::Kind::kTransactions) {
    found = TRY(transactions_for(session, completion.command));
  } else if (completion.kind == Completion::Kind::kBranches) {
    found = TRY(branches_here(session));
  }
  for (Completion::Word& word : found) {
    if (word.text.starts_with(completion.typed)) completion.words.push_back(std::move(word));
  }
  std::string out = std::string(kind_word(completion.kind)) + "\n";
  for (const Completion::Word& word : completion.words) {
    out += word.text + (word.says.empty() ? "" : "\t" + word.says) + "\n";
  }
  session.out->text(out);
  return kExitDone;
}

Result<int> internal_failpoints(Session& session) {
  for (const std::string& name : Failpoint::names()) session.out->text(name + "\n");
  return kExitDone;
}

Result<int> internal_commands_page(Session& session) {
  session.out->text(commands_page());
  return kExitDone;
}

Result<int> internal_completion(Session& session) {
  const std::string script = completion_script(session.args.operands[0]);
  if (script.empty()) {
    return fail(Code::kUsage, "completion is there for bash, zsh and fish",
                "git txn internal completion bash");
  }
  session.out->text(script);
  return kExitDone;
}

const CommandSpec kInternalCommand{
    .name = "internal",
    .summary = "for this project's own tools",
    .description = "No promises.",
    .stability = Stability::kInternal,
    .subcommands = {
        {.name = "internal failpoints",
         .summary = "list the names that GIT_TXN_FAILPOINT takes",
         .handler = internal_failpoints,
         .examples = {{"git txn internal failpoints", "the names GIT_TXN_FAILPOINT takes"}},
         .outputs = {{""}}},
        {.name = "internal man",
         .summary = "print a manual page as troff",
         .handler = internal_man,
         .operands = {{"COMMAND", Value::kCommand, 0, 1}},
         .flags = {{"--dir", "FOLDER", "write every manual page there", Value::kFolder, "", "",
                    Stability::kInternal}},
         .examples = {{"git txn internal man run", "a manual page as troff"},
                      {"git txn internal man --dir man1", "all of them as files"}},
         .outputs = {{""}}},
        {.name = "internal completion",
         .summary = "print the completion script of a shell",
         .handler = internal_completion,
         .operands = {{"SHELL", Value::kText, 1, 1, "bash, zsh or fish"}},
         .examples = {{"git txn internal completion zsh",
                       "completion for zsh; bash and fish are there as well"}},
         .outputs = {{""}}},
        {.name = "internal complete",
         .summary = "print what may stand where the last word is",
         .handler = internal_complete,
         .operands = {{"WORD", Value::kText, 0, 10000}},
         .examples = {{"git txn internal complete -- run --on", "what a shell asks"}},
         .outputs = {{""}}},
        {.name = "internal ids",
         .summary = "list the transactions that a command takes",
         .handler = internal_ids,
         .operands = {{"COMMAND", Value::kCommand, 0, 1}},
         .examples = {{"git txn internal ids abort", "those that may be aborted"}},
         .outputs = {{""}}},
        {.name = "internal commands",
         .summary = "print docs/commands.md",
         .handler = internal_commands_page,
         .examples = {{"git txn internal commands", "docs/commands.md"}},
         .outputs = {{""}}}}};

}  // namespace

std::vector<CommandSpec> internal_commands() {
  return {kInternalCommand};
}

}  // namespace gittxn::cli
