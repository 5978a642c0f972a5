#include "api/next_try.h"

#include <fmt/format.h>

#include <algorithm>

namespace gittxn::api {
namespace {

std::string question_of(const Refused& refused) {
  if (refused.by == Refused::By::kGate) {
    const std::string& gate = refused.conflicts.front().subject;
    return fmt::format("{} did not pass for {}. What now?", gate, refused.id.str());
  }
  // A file says more than the directory that it is in, or the whole tree.
  const auto named = std::ranges::find_if(
      refused.conflicts, [](const Conflict& conflict) { return conflict.subject != "."; });
  const std::string subject = named == refused.conflicts.end() ? "what it read" : named->subject;
  return fmt::format("{} has changed on {} since {} read it. What now?", subject,
                     short_branch(refused.target), refused.id.str());
}

NextTry asked(const Refused& refused, bool has_agent, bool helps, const Progress& progress) {
  const std::string branch = short_branch(refused.target);
  const std::string merged = " with " + branch + " merged into it";
  const std::string agent = "let its agent go on in its worktree," + merged;
  const std::string again = "run the command again on the new head of " + branch;
  const std::string shell = "open a shell in its worktree," + merged + "; when it ends, land";
  std::vector<Choice> choices;
  if (has_agent) choices.push_back({'r', agent});
  if (refused.by == Refused::By::kConflict) choices.push_back({'a', again});
  if (helps) choices.push_back({'s', shell});
  choices.push_back({'k', "keep it for later"});
  switch (progress.on_ask(question_of(refused), choices)) {
    case 'r':
      return NextTry::kItsAgent;
    case 'a':
      return NextTry::kAgain;
    case 's':
      return NextTry::kShell;
    default:
      return NextTry::kNone;
  }
}

}  // namespace

Result<NextTry> next_try(State& state, const Refused& refused, const Rounds& rounds,
                         const RunOptions& options, const Progress& progress) {
  const bool helps = TRY(rounds.can_help(refused.id, refused.conflicts));
  const bool has_agent = helps && TRY(rounds.has_agent(refused.id));
  if (state.host.stdin_is_terminal) {
    if (!progress.on_ask || options.retries == 0) return NextTry::kNone;
    return asked(refused, has_agent, helps, progress);
  }
  if (has_agent && rounds.count() < options.repairs) return NextTry::kItsAgent;
  const bool may = refused.by == Refused::By::kConflict;
  return may && refused.times_run_again < options.retries ? NextTry::kAgain : NextTry::kNone;
}

}  // namespace gittxn::api
