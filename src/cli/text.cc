#include "cli/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"

namespace gittxn::cli {
namespace {

bool acts_on_terminal(char32_t point) {
  if (point < 0x20 || (point >= 0x7F && point <= 0x9F)) return true;
  if (point == 0x061C || point == 0x200E || point == 0x200F) return true;
  return (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

std::string clean_with(std::string_view bytes, std::string_view allowed) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    char32_t point = 0;
    const std::size_t length = utf8_sequence(bytes.substr(at), &point);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at++]));
      continue;
    }
    if (length == 1 && allowed.find(bytes[at]) != std::string_view::npos) {
      out += bytes[at];
    } else if (point == '\n') {
      out += "\\n";
    } else if (point == '\t') {
      out += "\\t";
    } else if (acts_on_terminal(point)) {
      const auto number = static_cast<std::uint32_t>(point);
      out += number < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
    } else {
      out += bytes.substr(at, length);
    }
    at += length;
  }
  return out;
}

// What a transaction waits for, as a sentence; any other reason is said in the words of the log.
// The text in between is the subject of the wait.
struct WaitSentence {
  WaitReason reason;
  std::string_view before, behind;
};
constexpr std::string_view kCommitOrStash = "; commit it or stash it";
constexpr std::string_view kUnlessNoneRuns = "; if none is running, delete that file";
constexpr auto kWaitSentences = std::to_array<WaitSentence>({
    {WaitReason::kLease, "a lease: ", ""},
    {WaitReason::kPlace, "", ", which has lost twice to others and goes first"},
    {WaitReason::kTrust, "your yes to the commands of the policy: ", ""},
    {WaitReason::kInterrupted, "you; it was interrupted", ""},
    {WaitReason::kUnstaged, "you: uncommitted edits in ", kCommitOrStash},
    {WaitReason::kStaged, "you: staged edits in ", kCommitOrStash},
    {WaitReason::kUnmerged, "you: an unresolved merge conflict in ",
     "; resolve it, git add it and commit"},
    {WaitReason::kUntracked, "you: an untracked file is in the way, ", "; move it or delete it"},
    {WaitReason::kMerge, "you: a merge in progress in ", "; finish it or git merge --abort"},
    {WaitReason::kRebase, "you: a rebase in progress in ", "; finish it or git rebase --abort"},
    {WaitReason::kCherryPick, "you: a cherry-pick in progress in ",
     "; finish it or git cherry-pick --abort"},
    {WaitReason::kRevert, "you: a revert in progress in ", "; finish it or git revert --abort"},
    {WaitReason::kCherryPickOrRevert, "you: a cherry-pick or revert in progress in ",
     "; finish it or abort it"},
    {WaitReason::kIndexLock, "another git command, which holds ", kUnlessNoneRuns},
    {WaitReason::kRefLock, "another git command, which holds ", kUnlessNoneRuns},
});

const WaitSentence* wait_sentence(std::optional<WaitReason> reason) {
  const auto* const found = std::ranges::find(kWaitSentences, reason, &WaitSentence::reason);
  return found == kWaitSentences.end() ? nullptr : found;
}

}  // namespace

std::string clean(std::string_view bytes) {
  return clean_with(bytes, "");
}
std::string clean_lines(std::string_view bytes) {
  return clean_with(bytes, "\n\t");
}

std::string Style::paint(Colour which, std::string_view text) const {
  if (!colour || which == Colour::kNone) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(which), text);
}

std::string counted(std::int64_t n, std::string_view singular, std::string_view plural) {
  if (n == 1) return fmt::format("1 {}", singular);
  if (plural.empty()) return fmt::format("{} {}s", n, singular);
  return fmt::format("{} {}", n, plural);
}

std::string short_oid(const Oid& oid) {
  return oid.empty() ? "none" : clean(oid.str().substr(0, 7));
}

std::string worktree_of(const Txn& txn) {
  if (txn.attempts.empty() || txn.attempts.back().worktree.empty()) return {};
  return txn.attempts.back().worktree + "/tree";
}

std::string short_branch(const RefName& branch) {
  constexpr std::string_view kHeads = "refs/heads/";
  const bool is_head = branch.str().starts_with(kHeads);
  return clean(branch.str().substr(is_head ? kHeads.size() : 0));
}

std::string wait_text(std::string_view words, std::string_view subject) {
  const std::optional<WaitReason> reason = wait_reason(words);
  if (reason == WaitReason::kTurn) {
    return "another landing on " + short_branch(RefName(std::string(subject)));
  }
  const WaitSentence* sentence = wait_sentence(reason);
  if (sentence == nullptr) {
    return clean(words) + (subject.empty() ? "" : ": " + clean(subject));
  }
  return std::string(sentence->before) + clean(subject) + std::string(sentence->behind);
}

std::string wait_line(WaitReason reason, std::string_view subject) {
  const bool known = reason == WaitReason::kTurn || wait_sentence(reason) != nullptr;
  return (known ? "waiting for " : "waiting: ") + wait_text(wait_words(reason), subject);
}

std::string cut(std::string_view text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((text[at] & 0xC0) == 0x80) continue;  // inside a character
    if (++seen < columns) continue;
    std::size_t next = at + 1;
    while (next < text.size() && (text[next] & 0xC0) == 0x80) ++next;
    if (next == text.size()) break;
    return std::string(text.substr(0, at)) + "…";
  }
  return std::string(text);
}

std::string padded(std::string_view text, std::size_t columns) {
  std::size_t seen = 0;
  for (char c : text) seen += (c & 0xC0) != 0x80 ? 1 : 0;
  std::string out(text);
  if (seen < columns) out.append(columns - seen, ' ');
  return out;
}

}  // namespace gittxn::cli
