// status, log and why: the views of many things.
#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "cli/render.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kMostStale = 5;

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024;
  constexpr std::uint64_t kMiB = 1024 * kKiB;
  constexpr std::uint64_t kGiB = 1024 * kMiB;
  if (bytes < kKiB) return fmt::format("{} bytes", bytes);
  if (bytes < kMiB) return fmt::format("{} KiB", bytes / kKiB);
  if (bytes < kGiB) return fmt::format("{} MiB", bytes / kMiB);
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGiB));
}

// Begun and not started, running, failed, died on the way, or done and to be landed by hand.
std::string open_word(const api::StatusReport::Line& line) {
  if (line.txn.attempts.empty()) return line.owner_alive ? "running" : "open";
  const Attempt& attempt = line.txn.attempts.back();
  if (!attempt.command_exit && line.owner_alive) return "running";
  if (attempt.traces.empty()) return "open";
  if (!attempt.command_exit) return line.elsewhere ? "open" : "died";
  return *attempt.command_exit == 0 ? "open" : "failed";
}

std::string doing(const api::StatusReport::Line& line) {
  const Txn& txn = line.txn;
  if (!txn.waiting_reason.empty() && !is_final(txn.state)) return "waiting";
  if (txn.state == TxnState::kOpen) return open_word(line);
  return std::string(state_name(txn.state));
}

Colour colour_of_state(const std::string& word) {
  if (word == "running" || word == "landed") return Colour::kGreen;
  if (word == "aborted" || word == "nothing") return Colour::kDim;
  if (word == "rejected" || word == "quarantined" || word == "failed") return Colour::kRed;
  return Colour::kYellow;
}

// Behind the commit of a landing: what became of it; "" is as it was.
std::string landing_now(const api::LandingNow& now, const RefName& branch) {
  using enum api::LandingNow::How;
  if (now.how == kRewritten) return fmt::format("  (now {})", short_oid(now.commit));
  return now.how == kGone ? fmt::format("  (no longer on {})", short_branch(branch)) : "";
}

std::string owed_detail(const api::StatusReport::Line& line) {
  const std::string what = counted(line.owed, "compensation");
  if (line.owner_alive) return what + " to run, and it is at them";
  const std::string where =
      line.owed_next.empty() ? "in its clone: git txn recover" : line.owed_next;
  return fmt::format("{} {} not ended: {}", what, line.owed == 1 ? "has" : "have", where);
}

// "pid 4711, last call 3 s ago"
std::string process_text(const api::StatusReport::Line& line, std::int64_t now_wall_ms) {
  std::string out = fmt::format("pid {}", line.process);
  if (line.last_call_wall_ms == 0) return out;
  const std::int64_t ago = std::max<std::int64_t>(now_wall_ms - line.last_call_wall_ms, 0);
  return out + fmt::format(", last call {} s ago", ago / 1000);
}

// "Edit src/a.py 3 s ago, 2 files changed, 1200 + 310 tokens", as far as it is known.
std::string working_text(const api::Working& working, std::int64_t now_wall_ms) {
  std::vector<std::string> parts;
  if (!working.tool.empty()) {
    const std::int64_t ago = std::max<std::int64_t>(now_wall_ms - working.tool_wall_ms, 0);
    parts.push_back(fmt::format("{} {} s ago", cut(clean(working.tool), 60), ago / 1000));
  }
  if (working.changed) {
    parts.push_back(counted(static_cast<std::int64_t>(*working.changed), "file") + " changed");
  }
  if (working.used) {
    const auto amount = [&](store::Kind kind) {
      return (*working.used)[static_cast<std::size_t>(kind)];
    };
    using enum store::Kind;
    parts.push_back(fmt::format("tokens: {} in, {} out, {} cached", amount(kInput), amount(kOutput),
                                amount(kCache)));
  }
  return listed(parts);
}

std::string open_detail(const api::StatusReport::Line& line, const std::string& next,
                        std::int64_t now_wall_ms) {
  const Txn& txn = line.txn;
  if (line.owner_alive) {
    std::string out = line.process == 0 ? "" : process_text(line, now_wall_ms);
    if (txn.command.empty()) return out;
    return out + (out.empty() ? "" : "  ") + cut(clean(quote_argv(txn.command)), 60);
  }
  if (line.refused) return "its phase was left: " + next;
  const std::string word = open_word(line);
  if (txn.attempts.empty()) return "nothing was run in it: git txn abort " + txn.id.str();
  if (line.unjudged) {
    return "its agent has still to be told what has changed: git txn resume " + txn.id.str();
  }
  if (api::is_unfinished(txn)) {
    const auto exit = txn.attempts.back().command_exit;
    return (exit ? fmt::format("the command ended with {}", *exit) : "its process exited") +
           "; go on with it: git txn resume " + txn.id.str();
  }
  if (word == "died") return "its process exited; to land its work: " + next;
  if (word == "failed") {
    return fmt::format("the command ended with {}; to land its work all the same: {}",
                       txn.attempts.back().command_exit.value_or(0), next);
  }
  const bool fresh = !txn.attempts.empty() && txn.attempts.back().traces.empty() &&
                     txn.attempts.back().kept.empty();
  return fresh ? "nothing has run in it: git txn exec " + txn.id.str() + " -- COMMAND"
               : "land it: " + next;
}

std::string detail(const api::StatusReport::Line& line, std::int64_t now_wall_ms) {
  const Txn& txn = line.txn;
  if (line.elsewhere && !is_final(txn.state)) {
    return "in the clone " + (txn.clone.empty() ? "it was begun in" : clean(txn.clone));
  }
  std::string id = txn.id.str();
  const std::string next = (line.refused ? "git txn why " : "git txn commit ") + id;
  if (!txn.waiting_reason.empty()) {
    std::string out = wait_text(txn.waiting_reason, txn.waiting_subject);
    if (!line.owner_alive) out += "  (its process exited: " + next + ")";
    return out;
  }
  switch (txn.state) {
    case TxnState::kOpen:
      return open_detail(line, next, now_wall_ms);
    case TxnState::kRejected:
    case TxnState::kQuarantined:
      return "git txn why " + id;
    case TxnState::kPrepared:
    case TxnState::kLanding:
    case TxnState::kRepairing:
      if (!line.phase.empty()) return clean(line.phase);
      return line.owner_alive ? "" : "its process exited: " + next;
    case TxnState::kLanded:
      return short_oid(txn.landed_commit) + landing_now(line.landing, txn.target);
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
  if (std::string more = detail(line, now_wall_ms); !more.empty()) out += "  " + more;
  out += "\n";
  if (line.working) {
    const std::string now = working_text(*line.working, now_wall_ms);
    if (!now.empty()) out += style.paint(Colour::kDim, "              " + now) + "\n";
  }
  const std::string stale = "              stale: ";
  const auto stale_line = [&](const std::string& subject) {
    return style.paint(Colour::kYellow, stale + clean(subject)) + "\n";
  };
  out += first_of(line.stale, kMostStale, stale_line, stale);
  for (const std::string& command : line.to_ask) {
    out += style.paint(Colour::kYellow, fmt::format("              landing runs `{}` again",
                                                    cut(clean(command), 60))) +
           "\n";
  }
}

std::string state_of(const Compensation& one) {
  if (!one.ended && one.runs == 0) return "registered";
  if (!one.ended) return fmt::format("was started {} and did not end", counted(one.runs, "time"));
  if (one.timed_out) return "took too long";
  return one.exit_status == 0 ? "ran" : fmt::format("failed, exit {}", one.exit_status);
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

std::string queue_line(const api::QueueLine& one, const Style& style) {
  const api::StatusReport::Line& line = one.line;
  const Txn& txn = line.txn;
  std::string out =
      one.place == 1 ? style.paint(Colour::kBold, short_branch(txn.target)) + "\n" : "";
  const std::string name = txn.name.empty() ? "" : fmt::format(" \"{}\"", cut(clean(txn.name), 40));
  std::string doing = clean(line.phase);
  if (line.elsewhere) {
    doing = "in the clone " + (txn.clone.empty() ? "it was begun in" : clean(txn.clone));
  } else if (!txn.waiting_reason.empty()) {
    doing = "waiting for " + wait_text(txn.waiting_reason, txn.waiting_subject);
  }
  if (!line.elsewhere && line.phase.empty() && !line.owner_alive) {
    if (!doing.empty()) doing += "; ";
    doing += fmt::format("nobody is landing it: git txn commit {}", clean(txn.id.str()));
  }
  if (doing.empty()) doing = "landing";
  return out + fmt::format("  {:>2}  {}{}  {}\n", one.place, clean(txn.id.str()), name, doing);
}

std::string landing_line(const api::LogLine& line, const Style& style) {
  const std::string id = line.txn.empty() ? "outside" : clean(line.txn.str());
  std::string out =
      fmt::format("{}  {}  {}  {}", style.paint(Colour::kYellow, short_oid(line.commit)),
                  style.paint(Colour::kDim, minute(line.time)), padded(id, 8),
                  padded(short_branch(line.branch), 6));
  if (!line.name.empty()) out += "  " + cut(clean(line.name), 60);
  if (!line.who.empty()) out += "  " + style.paint(Colour::kDim, cut(clean(line.who), 40));
  if (const std::string asked = asked_again(line.admitted); !asked.empty()) {
    out += "  " + style.paint(Colour::kDim, asked);
  }
  return out + style.paint(Colour::kYellow, landing_now(line.landing, line.branch)) + "\n";
}

std::string gc_lines(const api::GcReport& report) {
  std::string out;
  std::int64_t refs = 0;
  for (const std::string& line : report.removed) {
    if (line.starts_with("refs/")) {
      ++refs;  // their names say nothing to anybody; --json has them
    } else {
      out += "removed  " + clean(line) + "\n";
    }
  }
  if (refs > 0) {
    out += "removed  " + counted(refs, "ref") + " of transactions that have ended\n";
  }
  for (const std::string& line : report.kept) out += "kept     " + clean(line) + "\n";
  if (report.removed.empty()) return out + "nothing to remove\n";
  if (report.bytes_freed > 0) out += "freed " + bytes_text(report.bytes_freed) + "\n";
  return out;
}

static std::string held_line(const Held& held) {
  const std::string command = "  `" + clean(held.question) + "` ";
  switch (held.how) {
    case Held::How::kAsked:
      return fmt::format("{}was run again on the new head: the same answer, {}\n", command,
                         format_duration(held.took_ms));
    case Held::How::kCandidate:
      return fmt::format("{}was run again on what lands, and passed, {}\n", command,
                         format_duration(held.took_ms));
    case Held::How::kGate:
      return command + "is what a gate runs on what lands\n";
    case Held::How::kReplaced:
      return command + "was run again later by the transaction itself, and passed\n";
  }
  return {};
}

std::string admitted_lines(const api::WhyReport& report) {
  const Admission& admitted = report.admitted;
  std::string out;
  if (!report.to_ask.empty()) out += "\nrun again when it lands\n";
  for (const std::string& command : report.to_ask) {
    out += fmt::format("  `{}` looked at what has changed\n", clean(command));
  }
  if (!admitted.held.empty()) out += "\nheld by answers\n";
  for (const Held& held : admitted.held) out += held_line(held);
  if (!report.excused.empty()) out += "\nexcused at semantic\n";
  for (const std::string& line : report.excused) out += "  " + clean(line) + "\n";
  if (admitted.more > 0) out += fmt::format("  and {} more\n", admitted.more);
  return out;
}

std::string why_lines(const api::WhyReport& report, const Style& style) {
  std::string out = state_sentence(report.txn, style);
  if (report.process != 0) {
    out += fmt::format("  its command is still running (pid {})\n", report.process);
  } else if (api::is_unfinished(report.txn)) {
    const auto exit = report.txn.attempts.back().command_exit;
    out += fmt::format("  its command {}, so that its change may be half done\n",
                       exit ? fmt::format("ended with {}", *exit) : "died");
  }
  if (!report.txn.waiting_reason.empty()) {
    out += "  waits for " + wait_text(report.txn.waiting_reason, report.txn.waiting_subject) + "\n";
  }
  if (report.txn.state == TxnState::kLanded && !report.conflicts.empty()) {
    out += "  an earlier try did not land:\n";
  }
  for (const Conflict& conflict : report.conflicts) {
    out += conflict_lines(conflict, style);
    // The lines above name it already for a symbol and for an answer.
    const bool told = conflict.kind == ConflictKind::kSymbol || !conflict.answer.empty();
    if (!conflict.hint.empty() && !told) {
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
  out += admitted_lines(report);
  if (!report.history.empty()) out += "\nhistory\n";
  for (const std::string& line : report.history) out += "  " + clean(line) + "\n";
  if (!report.next.empty()) out += "\nnext\n";
  for (const std::string& line : report.next) out += "  " + clean(line) + "\n";
  return out;
}

std::string compensation_lines(const std::vector<Compensation>& all) {
  std::string out;
  for (const Compensation& one : all) {
    out += fmt::format("  compensation {}  {}: {}\n", one.number, state_of(one),
                       clean(one.name.empty() ? quote_argv(one.argv) : one.name));
  }
  return out;
}

bool undone(const std::vector<Compensation>& compensations) {
  return std::ranges::all_of(compensations, [](const Compensation& one) {
    return one.ended && !one.timed_out && one.exit_status == 0;
  });
}

}  // namespace gittxn::cli
