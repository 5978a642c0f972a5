#include "txn/serve/round.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "agents/resume.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "repo/worktree.h"
#include "txn/attempt.h"
#include "txn/go_on.h"
#include "txn/serve/agent_run.h"
#include "txn/serve/observed.h"

namespace gittxn::api {
namespace {

constexpr std::string_view kBriefPlace = "{brief}";
constexpr std::size_t kLeastFence = 3;

// The words are the person's own, and no text of anybody else becomes part of them.
std::vector<std::string> configured_command(std::string words, const Attempt& attempt) {
  for (std::size_t at = words.find(kBriefPlace); at != words.npos;
       at = words.find(kBriefPlace, at)) {
    words.replace(at, kBriefPlace.size(), "\"$1\"");
  }
  return {"sh", "-c", words, "git-txn", round_file(attempt)};
}

// Longer than any run of backticks in the text.
std::string fenced(std::string_view language, const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t i = 0, run = 0; i < text.size(); ++i) {
    run = text[i] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max(kLeastFence, longest + 1), '`');
  const std::string_view end = text.empty() || text.back() == '\n' ? "" : "\n";
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, end, fence);
}

// git takes nothing else in the last part of a key.
bool is_key(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](const unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
}

// Becomes a JSON string if it has anything that could end the line, or act on a terminal.
std::string in_one_line(const std::string& text) {
  const bool plain =
      std::ranges::none_of(text, [](const unsigned char c) { return std::iscntrl(c) != 0; });
  return plain ? encode_path(text) : canonical_json(Json(encode_path(text)));
}

std::string name_of(const std::string& subject) {
  return subject.empty() ? "the top of the tree" : in_one_line(subject);
}

std::string beginning_of(const Refusal& refusal) {
  std::string text = refusal.cut_short
                         ? "git-txn: you were cut short before your change could land. Your "
                           "conversation and your worktree are as you left them."
                         : "git-txn: your change has not landed.";
  if (refusal.went_on) {
    text += fmt::format(
        " {0} is at {1} now and has been merged into this worktree: the files here "
        "are those of {0} with your change.",
        refusal.branch, refusal.went_on->head.str().substr(0, 7));
  }
  return text + "\n";
}

std::string items_of(const WentOn& went) {
  std::string text;
  int number = 0;
  for (const StaleRead& stale : went.stale) {
    const std::string subject =
        stale.subject == kAnything ? "All that has changed" : name_of(stale.subject);
    text += fmt::format("\n{}. {}", ++number, subject);
    if (!stale.changed_by.empty()) text += ", changed by " + in_one_line(stale.changed_by);
    if (!stale.read_by.empty()) text += "; you read it with: " + in_one_line(stale.read_by);
    text += "\n" + (stale.diff.empty() ? std::string() : fenced("diff", stale.diff));
  }
  return number == 0 ? "" : "\nWhat you read, and has changed since:\n" + text;
}

std::string listed(std::string_view title, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text.empty() ? "" : fmt::format("\n{}\n{}", title, text);
}

// Stale reads are told with their differences.
std::vector<std::string> refusals_of(const Refusal& refusal) {
  std::vector<std::string> lines;
  for (const Conflict& conflict : refusal.conflicts) {
    const bool told = conflict.kind == ConflictKind::kReadStale && conflict.answer.empty();
    if (told && refusal.went_on && !refusal.went_on->stale.empty()) continue;
    std::string line =
        fmt::format("{}: {}", conflict_kind_name(conflict.kind), name_of(conflict.subject));
    for (const std::string* more : {&conflict.hint, &conflict.answer, &conflict.shown}) {
      if (!more->empty()) line += "; " + in_one_line(*more);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> encoded(const std::vector<std::string>& paths) {
  std::vector<std::string> lines;
  for (const std::string& path : paths) lines.push_back(in_one_line(path));
  return lines;
}

constexpr std::string_view kAsks =
    "\nFor each point above decide one of these three, and say which in your last message:\n"
    "- keep: your change is right as it is;\n"
    "- patch: change what has to be another now;\n"
    "- redo: do that part again.\n"
    "Work in this worktree as before, and do not merge, rebase or commit for this. When you end, "
    "git-txn judges the change again, and lands it.";
constexpr std::string_view kGoesOn = "\nGo on with your task, from where you are.";

// Those of the last command that had any, in the worktree of the last attempt.
Result<std::vector<std::string>> conversations_of(const Txn& txn) {
  const Attempt& last = txn.attempts.back();
  std::vector<std::string> places{observed_dir(last)};
  for (int number = last.number; number > 0; --number) {
    places.push_back(observed_before(last, number));
  }
  std::vector<std::string> kept;
  for (const std::string& place : places) {
    const ObservedFiles files = TRY(read_observed(place, Sessions::kRunning));
    for (const auto& [session, file] : files.kept) {
      if (TRY(exists(file))) kept.push_back(session);
    }
    if (!kept.empty()) break;
  }
  return kept;
}

}  // namespace

std::string round_text(const Refusal& refusal) {
  std::string text = beginning_of(refusal);
  text += listed("It was refused for:", refusals_of(refusal));
  if (refusal.went_on) {
    text += items_of(*refusal.went_on);
    text += listed("These files have conflict markers. Resolve them:",
                   encoded(refusal.went_on->marked));
    text += listed("Of these one side was taken, because no text has both:",
                   encoded(refusal.went_on->kept));
  }
  text += listed("These files still have conflict markers. Resolve them:", encoded(refusal.marked));
  for (const Refusal::GateOutput& gate : refusal.gates) {
    text += fmt::format("\nThe end of what the gate {} printed:\n{}", gate.gate,
                        fenced("text", gate.end));
  }
  std::vector<std::string> paths;
  for (const PathChange& change : refusal.writes) {
    if (change.after.mode != FileMode::kTree && change.before.mode != FileMode::kTree) {
      paths.push_back(in_one_line(change.path));
    }
  }
  text += listed("Your change until now is in:", paths);
  text += refusal.cut_short ? kGoesOn : kAsks;
  return text;
}

std::string round_file(const Attempt& attempt) {
  return join_path(attempt.worktree, "round.md");
}

Status write_round(const Attempt& attempt, Round& round, const std::string& text) {
  round.told = sha256(text);
  TRY(write_file(round_file(attempt), text, Sync::kNo));
  auto inherited = TRY(inherited_by(attempt));
  if (!inherited || inherited->session.empty()) return {};
  inherited->told = round.told;
  return write_inherited(attempt, *inherited);
}

Result<std::optional<Round>> another_round(State& state, const Txn& txn, const RunOptions& options,
                                           std::string* why_not) {
  const Attempt& attempt = txn.attempts.back();
  if (txn.command.empty()) {
    *why_not = "it has no command";
    return std::nullopt;
  }
  const std::string program(base_name(txn.command.front()));
  if (is_key(program)) {
    const auto words = TRY(state.repository.config().get("txn.resume." + program));
    if (words) return Round{configured_command(*words, attempt), "", Digest()};
  }
  const repo::Worktree worktree = TRY(repo::find_worktree(attempt.worktree));
  const auto found =
      TRY(agent_in(state, txn.command, options, join_path(worktree.tree, txn.subdir)));
  if (!found) {
    *why_not = "its command is no agent that can be asked again";
    return std::nullopt;
  }
  const std::vector<std::string> kept = TRY(conversations_of(txn));
  if (kept.size() != 1) {
    *why_not = kept.empty() ? "no conversation of its agent is on disk"
                            : "its agent had more than one conversation";
    return std::nullopt;
  }
  const std::string& session = kept.front();
  auto command = agents::resuming_command(*found, txn.command, session);
  if (!command) {
    *why_not = "the conversation of its agent cannot go on: " + command.error().message;
    return std::nullopt;
  }
  return Round{*std::move(command), session, Digest()};
}

}  // namespace gittxn::api
