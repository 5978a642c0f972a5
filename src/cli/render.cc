#include "cli/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/duration.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMostListed = 10;

std::string label(const Txn& txn) {
  std::string out = clean(txn.id.str());
  if (!txn.name.empty()) out += fmt::format(" \"{}\"", cut(clean(txn.name), 60));
  return out;
}

std::string times(const api::Outcome& outcome) {
  std::int64_t own = std::max<std::int64_t>(0, outcome.total_ms - outcome.command_ms);
  std::string out = format_duration(own);
  if (outcome.command_ms > 0) out += " + agent " + format_duration(outcome.command_ms);
  return out;
}

std::string reads_part(const api::Outcome& outcome) {
  if (!outcome.reads.complete && !outcome.reads.unknown_reason.empty()) {
    return fmt::format("reads unknown ({})", cut(clean(outcome.reads.unknown_reason), 60));
  }
  return counted(outcome.reads.reads.size(), "read") +
         (outcome.txn.state == TxnState::kLanded ? " certified" : "");
}

}  // namespace

std::string units_text(const gates::GateReport& report) {
  const UnitTally& units = report.certificate.tally;
  const int ran = report.reused ? 0 : units.ran;
  const int carried = report.reused ? units.units : units.carried;
  std::string text =
      fmt::format("{}: {} run, {} carried over", counted(units.units, "unit"), ran, carried);
  if (units.saved_ms > 0) text += ", " + format_duration(units.saved_ms) + " saved";
  if (units.flaky > 0) text += fmt::format(", {} flaky", units.flaky);
  if (units.quarantined > 0) text += fmt::format(", {} in quarantine", units.quarantined);
  if (units.failed > 0) text += fmt::format(", {} failed", units.failed);
  if (const int left = units.units - ran - carried; left > 0) {
    text += fmt::format(", {} not reached", left);
  }
  return text;
}

namespace {

std::string gates_part(const api::Outcome& outcome) {
  std::string out = counted(outcome.gates.size(), "gate");
  auto reused = std::count_if(outcome.gates.begin(), outcome.gates.end(),
                              [](const auto& gate) { return gate.reused; });
  UnitTally units;
  for (const auto& gate : outcome.gates) {
    units.units += gate.certificate.tally.units;
    units.ran += gate.reused ? 0 : gate.certificate.tally.ran;
  }
  std::vector<std::string> parts;
  if (reused > 0) parts.push_back(fmt::format("{} reused", reused));
  if (units.units > 0) parts.push_back(fmt::format("{} of {} units run", units.ran, units.units));
  if (!parts.empty()) out += fmt::format(" ({})", fmt::join(parts, ", "));
  return out;
}

// "2 files · 41 reads certified · 2 gates (1 reused) · 1.8 s + agent 4 min"
std::string facts(const api::Outcome& outcome) {
  std::vector<std::string> parts;
  if (!outcome.writes.empty()) parts.push_back(counted(outcome.writes.size(), "file"));
  parts.push_back(reads_part(outcome));
  if (!outcome.gates.empty()) parts.push_back(gates_part(outcome));
  parts.push_back(times(outcome));
  return fmt::format("{}", fmt::join(parts, " · "));
}

// Why it is where it is, in a few words.
std::string reason(const api::Outcome& outcome) {
  const Txn& txn = outcome.txn;
  if (!txn.waiting_reason.empty()) return wait_text(txn.waiting_reason, txn.waiting_subject);
  switch (txn.state) {
    case TxnState::kNothing:
      if (!txn.landed_commit.empty())
        return "its change is there as " + short_oid(txn.landed_commit);
      if (!outcome.command_failed) return "no change to land";
      return fmt::format("the command ended with {} and changed nothing", outcome.command_exit);
    case TxnState::kAborted:
      return "given up; its work is kept";
    case TxnState::kQuarantined:
      return fmt::format("did not land after {}", counted(txn.attempts.size(), "try", "tries"));
    case TxnState::kRejected:
      for (const gates::GateReport& report : outcome.gates) {
        const Certificate& one = report.certificate;
        if (!one.passed) {
          return fmt::format("gate {} {}", clean(one.gate.str()), api::gate_word(one));
        }
      }
      for (const Conflict& conflict : outcome.conflicts) {
        if (conflict.kind == ConflictKind::kGate) return clean(conflict.hint);
      }
      return "refused by policy";
    case TxnState::kOpen:
      if (outcome.command_exit != 0) {
        return fmt::format("the command ended with {}; nothing landed, the work is kept",
                           outcome.command_exit);
      }
      if (!outcome.conflicts.empty()) return "what it read has changed; the work is kept";
      return "not landed; the work is kept";
    case TxnState::kLanding:
      return "was being landed";
    case TxnState::kRepairing:
      return "is being tried again";
    default:
      return "not landed";
  }
}

std::string state_word(const Txn& txn) {
  if (txn.state == TxnState::kNothing && !txn.landed_commit.empty()) return "merged";
  if (!txn.waiting_reason.empty() && !is_final(txn.state)) return "waiting";
  return std::string(state_name(txn.state));
}

Colour state_colour(const Txn& txn) {
  using enum TxnState;
  if (txn.state == kLanded) return Colour::kGreen;
  if (txn.state == kNothing) return Colour::kDim;
  const bool refused = txn.state == kRejected || txn.state == kQuarantined;
  return refused ? Colour::kRed : Colour::kYellow;
}

std::string diff_line(std::string_view line, const Style& style) {
  if (line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ")) {
    return style.paint(Colour::kBold, line);
  }
  if (line.starts_with('+')) return style.paint(Colour::kGreen, line);
  if (line.starts_with('-')) return style.paint(Colour::kRed, line);
  if (line.starts_with("@@")) return style.paint(Colour::kDim, line);
  return std::string(line);
}

std::string conflicts_block(const std::vector<Conflict>& conflicts, const Style& style) {
  const auto line = [&](const Conflict& one) { return conflict_lines(one, style); };
  return first_of(conflicts, kMostListed, line, "  ");
}

// The words of `status`.
std::string shown_state(const api::Outcome& outcome, const Style& style) {
  const Txn& txn = outcome.txn;
  if (outcome.process != 0) return style.paint(Colour::kGreen, "running");
  const std::string word = state_word(txn);
  const bool ran = txn.state == TxnState::kOpen && word == state_name(TxnState::kOpen) &&
                   !txn.attempts.empty() && !txn.attempts.back().traces.empty();
  if (ran && outcome.command_exit != 0) return style.paint(Colour::kRed, "failed");
  if (ran && !txn.attempts.back().command_exit && !outcome.reads.complete) {
    return style.paint(Colour::kYellow, "died");
  }
  return style.paint(state_colour(txn), word);
}

}  // namespace

static std::string conflict_words(const Conflict& conflict) {
  const std::string by = conflict.changed_by.empty() ? "" : " by " + clean(conflict.changed_by);
  const std::string hint = clean(conflict.hint);
  switch (conflict.kind) {
    case ConflictKind::kReadStale:
      if (!conflict.question.empty()) {
        return fmt::format("was looked at by `{}`; changed since{}",
                           cut(clean(conflict.question), 60), by);
      }
      if (conflict.read_digest.empty()) return "was not there when it looked; added" + by;
      if (conflict.head_digest.empty()) return "was read; removed since" + by;
      if (conflict.read_digest.starts_with(kUncommitted)) {
        return "was read with an uncommitted edit in it, which is not on the branch; commit it "
               "first";
      }
      return "was read; changed since" + by;
    case ConflictKind::kWriteWrite:
      return "changed here and" + (by.empty() ? " there" : by);
    case ConflictKind::kPredicate:
      return "a search would find something else now" + by;
    case ConflictKind::kKernel:
      return (hint.empty() ? "the rules changed since" : hint + ",") + by;
    case ConflictKind::kGate:
      return "the gate said no" + (hint.empty() ? "" : fmt::format(" ({})", cut(hint, 200)));
    case ConflictKind::kPolicy:
      return "the policy says no";
    case ConflictKind::kCycle:
      return "each depends on what the other changed" + by;
    case ConflictKind::kSymbol:
      return (hint.empty() ? "meets a change" : hint + ",") + by;
  }
  return {};
}

std::string conflict_lines(const Conflict& conflict, const Style& style) {
  const std::string subject =
      conflict.subject.empty() ? "(top of the tree)" : clean(conflict.subject);
  if (conflict.answer.empty()) {
    return "  " + style.paint(Colour::kBold, subject) + "  " + conflict_words(conflict) + "\n";
  }
  // The file is only the reason for which the answer was asked for again.
  const std::string by = conflict.changed_by.empty() ? "" : " by " + clean(conflict.changed_by);
  std::string out = "  " + style.paint(Colour::kBold, clean(conflict.answer)) + "\n";
  out += fmt::format("    {}, which it looked at, was {}{}\n", subject,
                     conflict.read_digest.empty()   ? "added"
                     : conflict.head_digest.empty() ? "removed"
                                                    : "changed",
                     by);
  for (const std::string_view line : lines_of(conflict.shown)) {
    out += style.paint(Colour::kDim, "    | " + clean(line)) + "\n";
  }
  return out;
}

std::string asked_again(const Admission& admitted) {
  const auto on_head = std::ranges::count(admitted.held, Held::How::kAsked, &Held::how);
  const auto on_candidate = std::ranges::count(admitted.held, Held::How::kCandidate, &Held::how);
  const auto asked = on_head + on_candidate;
  if (asked == 0) return {};
  return fmt::format("{} run again on {}: the same {}, {}",
                     asked == 1 ? "1 command was" : fmt::format("{} commands were", asked),
                     on_candidate == 0 ? "the new head"
                     : on_head == 0    ? "what lands"
                                       : "the new head and on what lands",
                     asked == 1 ? "answer" : "answers", format_duration(admitted.asked_ms));
}

std::vector<std::string> outcome_notes(const api::Outcome& outcome) {
  const auto told = static_cast<std::ptrdiff_t>(std::min(outcome.notes_told, outcome.notes.size()));
  std::vector<std::string> notes(outcome.notes.begin() + told, outcome.notes.end());
  if (!outcome.untracked.empty() && outcome.txn.state != TxnState::kNothing) {
    std::string text =
        fmt::format("including new files: {}",
                    fmt::join(outcome.untracked | std::views::take(kMostListed), ", "));
    if (outcome.untracked.size() > kMostListed) {
      text += fmt::format(" and {} more", outcome.untracked.size() - kMostListed);
    }
    notes.push_back(std::move(text));
  }
  return notes;
}

namespace {

// "src/a.py (rename), src/b.py (rename) and 3 more"
std::string mended_text(const std::vector<Mended>& mended) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(mended.size(), kShown); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", clean(mended[i].path), mended[i].rule);
  }
  if (mended.size() > kShown) text += fmt::format(" and {} more", mended.size() - kShown);
  return text;
}

}  // namespace

std::string outcome_lines(const api::Outcome& outcome, const Style& style) {
  const Txn& txn = outcome.txn;
  std::string word = state_word(txn);
  std::string out = padded(word, 7);
  out = style.paint(state_colour(txn), word) + out.substr(word.size());
  out += fmt::format(" {}  {}", label(txn), short_branch(txn.target));
  if (txn.state == TxnState::kLanded) {
    Oid landed = txn.landed_commit;
    out += fmt::format(" {} → {}", short_oid(outcome.head_before), short_oid(landed));
  } else {
    out += "  " + reason(outcome);
  }
  // A sentence about what went well fits in one line; one that gives a reason needs its own.
  bool well = txn.state == TxnState::kLanded ||
              (txn.state == TxnState::kNothing && !outcome.command_failed);
  out += (well ? "   " : "\n  ") + style.paint(Colour::kDim, facts(outcome)) + "\n";
  if (const std::string asked = asked_again(outcome.admitted); !asked.empty()) {
    out += "  " + style.paint(Colour::kDim, asked) + "\n";
  }
  if (const std::string mended = mended_text(outcome.mended); !mended.empty()) {
    out += "  " + style.paint(Colour::kDim, "mended " + mended) + "\n";
  }
  if (txn.state != TxnState::kLanded && txn.state != TxnState::kNothing) {
    out += conflicts_block(outcome.conflicts, style);
  }
  for (const std::string& repair : outcome.repairs) out += "  " + clean(repair) + "\n";
  if (!outcome.next.empty()) out += fmt::format("next: {}\n", clean(outcome.next));
  // Exit status 1 stands for all of them.
  if (api::exit_code(outcome) != 0) out += fmt::format("outcome: {}\n", api::outcome_name(outcome));
  return out;
}

std::string show_lines(const api::Outcome& outcome, const Style& style) {
  const Txn& txn = outcome.txn;
  std::string out =
      fmt::format("{}  {}\n", style.paint(Colour::kBold, label(txn)), shown_state(outcome, style));
  auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("  {:<10} {}\n", name, value);
  };
  field("branch", short_branch(txn.target));
  if (!txn.attempts.empty()) field("base", short_oid(txn.attempts.back().base));
  if (outcome.process != 0) field("process", fmt::format("pid {}", outcome.process));
  if (!txn.landed_commit.empty()) field("commit", txn.landed_commit.str());
  if (!txn.waiting_reason.empty())
    field("waits", wait_text(txn.waiting_reason, txn.waiting_subject));
  field("isolation", std::string(isolation_name(txn.isolation)));
  field("owner", clean(txn.owner));
  field("begun", format_utc(txn.created_wall_ms));
  if (!txn.command.empty()) field("command", cut(clean(quote_argv(txn.command)), 200));
  if (outcome.command_exit != 0) field("exit", std::to_string(outcome.command_exit));
  if (txn.attempts.size() > 1) field("tries", std::to_string(txn.attempts.size()));
  field("worktree", clean(worktree_of(txn)));
  field("read", reads_part(outcome));
  field("asked", asked_again(outcome.admitted));
  field("mended", mended_text(outcome.mended));
  for (const gates::GateReport& report : outcome.gates) {
    const Certificate& one = report.certificate;
    const char* how = !one.carried_from.empty() ? " (carried over)"
                      : report.reused           ? " (reused)"
                                                : "";
    const std::string units = one.tally.units > 0 ? ", " + units_text(report) : "";
    field("gate", fmt::format("{} {}{}{}", clean(one.gate.str()), api::gate_word(one), how, units));
  }
  for (const std::string& repair : outcome.repairs) field("repair", clean(repair));
  if (!outcome.conflicts.empty()) out += "\n" + conflicts_block(outcome.conflicts, style);
  if (!outcome.writes.empty()) out += "\n";
  for (const PathChange& change : outcome.writes) out += change_line(change, style);
  for (const std::string& note : outcome.notes) out += "  note: " + clean(note) + "\n";
  if (!outcome.next.empty()) out += fmt::format("next: {}\n", clean(outcome.next));
  return out;
}

std::string state_sentence(const Txn& txn, const Style& style) {
  return fmt::format("{} {}  {}\n", style.paint(state_colour(txn), padded(state_word(txn), 7)),
                     label(txn), short_branch(txn.target));
}

std::string begun_lines(const Txn& txn, const Style& style) {
  std::string id = clean(txn.id.str());
  std::string out = state_sentence(txn, style);
  if (std::string tree = worktree_of(txn); !tree.empty()) out += "  " + clean(tree) + "\n";
  out += fmt::format("next: git txn exec {} -- COMMAND, then git txn commit {}\n", id, id);
  return out;
}

namespace {

std::string went_on_lines(const Txn& txn, const api::WentOn& went, const Style& style) {
  const std::string branch = short_branch(txn.target);
  std::string out =
      fmt::format("{} at {} is merged into its worktree\n", branch, short_oid(went.head));
  for (const std::string& path : went.marked) {
    out += style.paint(Colour::kYellow, "  conflict markers in " + clean(path)) + "\n";
  }
  for (const std::string& why : went.kept) {
    out += style.paint(Colour::kYellow, "  " + clean(why)) + "\n";
  }
  for (const api::StaleRead& one : went.stale) {
    const std::string by = one.changed_by.empty() ? "" : " by " + clean(one.changed_by);
    const std::string end = one.diff.empty() ? "; the difference is too long to be shown" : ":";
    const std::string what = one.subject == api::kAnything
                                 ? "its reads are unknown, and the branch has changed"
                                 : "it read " + (one.subject.empty() ? "." : clean(one.subject)) +
                                       ", which was changed" + by;
    out += "  " + what + end + "\n" + diff_lines(one.diff, style);
  }
  if (std::ranges::any_of(went.stale, &api::StaleRead::rejudged)) {
    out +=
        "the differences above count as read from now on: check that the change still makes "
        "sense\n";
  }
  return out;
}

}  // namespace

std::string resumed_lines(const api::Resumed& resumed, const Style& style) {
  const Txn& txn = resumed.txn;
  if (!resumed.went_on) return begun_lines(txn, style);
  const std::string id = clean(txn.id.str());
  std::string out = state_sentence(txn, style);
  if (std::string tree = worktree_of(txn); !tree.empty()) out += "  " + clean(tree) + "\n";
  out += went_on_lines(txn, *resumed.went_on, style);
  const auto stays_stale = std::not_fn(&api::StaleRead::rejudged);
  if (std::ranges::any_of(resumed.went_on->stale, stays_stale)) {
    return out + fmt::format("{} does not let it land with stale reads\nnext: git txn {} {}\n",
                             isolation_name(txn.isolation), txn.command.empty() ? "why" : "retry",
                             id);
  }
  const std::string next =
      resumed.went_on->marked.empty() ? "" : "resolve the conflict markers, then ";
  return out + fmt::format("next: {}git txn commit {}\n", next, id);
}

std::string diff_lines(std::string_view diff, const Style& style) {
  std::string out;
  for (const std::string_view line : pieces_of(diff, '\n')) {
    out += diff_line(clean_lines(line), style) + "\n";
  }
  return out;
}

Colour colour_of_change(std::string_view word) {
  if (word == "added") return Colour::kGreen;
  return word == "removed" ? Colour::kRed : Colour::kNone;
}

std::string change_line(const PathChange& change, const Style& style) {
  const std::string_view word = !change.before.present()                ? "added"
                                : !change.after.present()               ? "removed"
                                : change.before.oid == change.after.oid ? "mode"
                                                                        : "changed";
  return fmt::format("  {} {}\n", style.paint(colour_of_change(word), padded(word, 8)),
                     clean(change.path));
}

}  // namespace gittxn::cli
