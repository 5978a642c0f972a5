// What a transaction waits for, as a sentence: see text.h. The reasons are words of the log and of
// --json and stay as they are there.
#include <fmt/format.h>

#include <array>

#include "cli/text.h"

namespace gittxn::cli {
namespace {

// The text in between is the subject of the wait.
struct WaitSentence {
  std::string_view reason, before, behind;
};
constexpr std::string_view kCommitOrStash = "; commit it or stash it";
constexpr std::string_view kUnlessNoneRuns = "; if none is running, delete that file";
constexpr auto kWaitSentences = std::to_array<WaitSentence>({
    {"lease", "a lease: ", ""},
    {"trust", "your yes to the commands of the policy: ", ""},
    {"interrupted", "you; it was interrupted", ""},
    {"uncommitted edits", "you: uncommitted edits in ", kCommitOrStash},
    {"staged edits", "you: staged edits in ", kCommitOrStash},
    {"unmerged", "you: an unresolved merge conflict in ", "; resolve it, git add it and commit"},
    {"untracked file in the way", "you: an untracked file is in the way, ",
     "; move it or delete it"},
    {"merge in progress", "you: a merge in progress in ", "; finish it or git merge --abort"},
    {"rebase in progress", "you: a rebase in progress in ", "; finish it or git rebase --abort"},
    {"cherry-pick in progress", "you: a cherry-pick in progress in ",
     "; finish it or git cherry-pick --abort"},
    {"revert in progress", "you: a revert in progress in ", "; finish it or git revert --abort"},
    {"cherry-pick or revert in progress", "you: a cherry-pick or revert in progress in ",
     "; finish it or abort it"},
    {"index.lock held", "another git command, which holds ", kUnlessNoneRuns},
    {"ref lock held", "another git command, which holds ", kUnlessNoneRuns},
});

const WaitSentence* wait_sentence(std::string_view reason) {
  for (const WaitSentence& one : kWaitSentences) {
    if (one.reason == reason) return &one;
  }
  return nullptr;
}

}  // namespace

std::string wait_text(std::string_view reason, std::string_view subject) {
  if (reason == "turn") {
    return "another landing on " + short_branch(RefName(std::string(subject)));
  }
  const WaitSentence* sentence = wait_sentence(reason);
  if (sentence == nullptr) {
    return clean(reason) + (subject.empty() ? "" : ": " + clean(subject));
  }
  return std::string(sentence->before) + clean(subject) + std::string(sentence->behind);
}

std::string wait_line(std::string_view reason, std::string_view subject) {
  const bool known = reason == "turn" || wait_sentence(reason) != nullptr;
  return (known ? "waiting for " : "waiting: ") + wait_text(reason, subject);
}

}  // namespace gittxn::cli
