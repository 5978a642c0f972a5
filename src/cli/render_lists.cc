// status, log and why: the views of many things.
#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "cli/render.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMostStale = 5;

std::string doing(const api::StatusReport::Line& line) {
  const Txn& txn = line.txn;
  if (!txn.waiting_reason.empty()) return "waiting";
  if (txn.state == TxnState::kOpen) {
    bool runs = line.owner_alive && !txn.attempts.empty() && !txn.attempts.back().command_exit;
    return runs ? "running" : "open";
  }
  return std::string(state_name(txn.state));
}

Colour colour_of_state(const std::string& word) {
  if (word == "running" || word == "landed") return Colour::kGreen;
  if (word == "rejected" || word == "quarantined") return Colour::kRed;
  return Colour::kYellow;
}

std::string owed_detail(const api::StatusReport::Line& line) {
  const std::string what = counted(line.owed, "compensation");
  if (line.owner_alive) return what + " to run, and it is at them";
  const std::string where =
      line.owed_next.empty() ? "in its clone: git txn recover" : line.owed_next;
  return fmt::format("{} {} not ended: {}", what, line.owed == 1 ? "has" : "have", where);
}

std::string detail(const api::StatusReport::Line& line) {
  const Txn& txn = line.txn;
  std::string id = txn.id.str();
  const std::string next = (line.refused ? "git txn why " : "git txn commit ") + id;
  if (!txn.waiting_reason.empty()) {
    std::string out = clean(txn.waiting_reason);
    if (!txn.waiting_subject.empty()) out += ": " + clean(txn.waiting_subject);
    if (!line.owner_alive) out += "  (nobody is waiting: " + next + ")";
    return out;
  }
  switch (txn.state) {
    case TxnState::kOpen:
      if (line.owner_alive && !txn.command.empty()) return cut(clean(quote_argv(txn.command)), 60);
      return (line.refused ? "its phase was left: " : "land it: ") + next;
    case TxnState::kRejected:
    case TxnState::kQuarantined:
      return "git txn why " + id;
    case TxnState::kPrepared:
    case TxnState::kLanding:
    case TxnState::kRepairing:
      return line.owner_alive ? "" : "its owner is gone: " + next;
    case TxnState::kLanded:
      return short_oid(txn.landed_commit);
    case TxnState::kAborted:
    case TxnState::kNothing:
      return line.owed > 0 ? owed_detail(line) : "";
    default:
      return "";
  }
}

// "2026-11-21T11:02:25.000Z" as "2026-11-21 11:02"
std::string minute(std::string_view time) {
  std::string out = clean(time.substr(0, 16));
  if (out.size() == 16) out[10] = ' ';
  return out;
}

// Whole seconds: what was begun is not known more finely than somebody reads it.
std::string age(const std::string& word, std::int64_t ms) {
  constexpr std::int64_t kSecond = 1000;
  if (ms < kSecond) return "begun just now";
  const std::string time =
      ms < 10 * kSecond ? fmt::format("{} s", ms / kSecond) : format_duration(ms);
  return word == "running" || word == "waiting" ? "for " + time : "begun " + time + " ago";
}

void add_line(std::string& out, const api::StatusReport::Line& line, std::int64_t now_wall_ms,
              const Style& style) {
  const Txn& txn = line.txn;
  std::string word = doing(line);
  std::string name = txn.name.empty() ? "" : fmt::format(" \"{}\"", cut(clean(txn.name), 40));
  out += fmt::format("  {} {}{}  {}", style.paint(colour_of_state(word), padded(word, 11)),
                     clean(txn.id.str()), name,
                     style.paint(Colour::kDim, age(word, now_wall_ms - txn.created_wall_ms)));
  if (std::string more = detail(line); !more.empty()) out += "  " + more;
  out += "\n";
  for (std::size_t i = 0; i < line.stale.size() && i < kMostStale; ++i) {
    out +=
        style.paint(Colour::kYellow, fmt::format("              stale: {}", clean(line.stale[i])));
    out += "\n";
  }
  if (line.stale.size() > kMostStale) {
    out += fmt::format("              stale: and {} more\n", line.stale.size() - kMostStale);
  }
}

}  // namespace

std::string status_lines(const api::StatusReport& report, std::int64_t now_wall_ms,
                         const Style& style) {
  std::string out;
  std::vector<RefName> branches;
  for (const auto& line : report.lines) {
    if (std::find(branches.begin(), branches.end(), line.txn.target) == branches.end()) {
      branches.push_back(line.txn.target);
    }
  }
  for (const RefName& branch : branches) {
    out += style.paint(Colour::kBold, short_branch(branch)) + "\n";
    for (const auto& line : report.lines) {
      if (line.txn.target == branch) add_line(out, line, now_wall_ms, style);
    }
  }
  if (report.lines.empty()) out += "nothing is open; git txn run -- COMMAND starts something\n";
  for (const std::string& holder : report.holders) out += clean(holder) + "\n";
  for (const std::string& note : report.notes) out += clean(note) + "\n";
  if (report.uncommitted) {
    out += "your checkout has uncommitted changes, which no snapshot contains\n";
  }
  return out;
}

std::string log_lines(const std::vector<api::LogLine>& lines, const Style& style) {
  std::string out;
  for (const api::LogLine& line : lines) {
    std::string id = line.txn.empty() ? "outside" : clean(line.txn.str());
    out += fmt::format("{}  {}  {}  {}", style.paint(Colour::kYellow, short_oid(line.commit)),
                       style.paint(Colour::kDim, minute(line.time)), padded(id, 8),
                       padded(short_branch(line.branch), 6));
    if (!line.name.empty()) out += "  " + cut(clean(line.name), 60);
    if (!line.who.empty()) out += "  " + style.paint(Colour::kDim, cut(clean(line.who), 40));
    out += "\n";
  }
  if (lines.empty())
    out += "nothing has landed here yet; git txn run -- COMMAND starts something\n";
  return out;
}

std::string why_lines(const api::WhyReport& report, const Style& style) {
  std::string out = state_sentence(report.txn, style);
  if (!report.txn.waiting_reason.empty()) {
    out += "  waits: " + clean(report.txn.waiting_reason);
    if (!report.txn.waiting_subject.empty()) out += ": " + clean(report.txn.waiting_subject);
    out += "\n";
  }
  if (report.txn.state == TxnState::kLanded && !report.conflicts.empty()) {
    out += "  an earlier try did not land:\n";
  }
  for (const Conflict& conflict : report.conflicts) {
    out += "  " + conflict_line(conflict, style) + "\n";
    // Of a symbol it is in the line above.
    if (!conflict.hint.empty() && conflict.kind != ConflictKind::kSymbol) {
      out += "    " + clean(conflict.hint) + "\n";
    }
    if (!conflict.read_by.empty()) {
      out += "    read by " + cut(clean(conflict.read_by), kMakerShown) + "\n";
    }
  }
  for (const auto& witness : report.witnesses) {
    out += fmt::format("\n{}\n", style.paint(Colour::kBold, clean(witness.path)));
    out += witness.diff.empty() ? "it printed nothing\n" : diff_lines(witness.diff, style);
  }
  if (!report.excused.empty()) out += "\nexcused at semantic\n";
  for (const std::string& line : report.excused) out += "  " + clean(line) + "\n";
  if (!report.history.empty()) out += "\nhistory\n";
  for (const std::string& line : report.history) out += "  " + clean(line) + "\n";
  if (!report.next.empty()) out += "\nnext\n";
  for (const std::string& line : report.next) out += "  " + clean(line) + "\n";
  return out;
}

}  // namespace gittxn::cli
