#include "cli/json_out.h"

#include <algorithm>

#include "base/clock.h"
#include "base/fields.h"
#include "cli/render.h"

namespace gittxn::cli {
namespace {

Json text(const std::string& bytes) {
  return encode_path(bytes);
}

// The commit that a landing is on its branch today; null: it is not there any more.
Json commit_now_json(const Oid& landed, const api::LandingNow& now) {
  using enum api::LandingNow::How;
  if (now.how == kGone) return nullptr;
  return or_null(now.how == kRewritten ? now.commit.str() : landed.str());
}

}  // namespace

Json txn_json(const Txn& txn) {
  const Attempt* last = txn.attempts.empty() ? nullptr : &txn.attempts.back();
  return Json{{"txn", text(txn.id.str())},
              {"name", text(txn.name)},
              {"state", state_name(txn.state)},
              {"clone", or_null(txn.clone)},
              {"workflow", or_null(txn.workflow)},
              {"phase", or_null(txn.phase)},
              {"waiting", api::waiting_json(txn)},
              {"branch", text(txn.target.str())},
              {"base", last ? or_null(last->base.str()) : Json(nullptr)},
              {"commit", or_null(txn.landed_commit.str())},
              {"isolation", isolation_name(txn.isolation)},
              {"owner", text(txn.owner)},
              {"priority", txn.priority},
              {"command", texts_json(txn.command)},
              {"attempts", txn.attempts.size()},
              {"worktree", or_null(worktree_of(txn))},
              {"begun", format_utc(txn.created_wall_ms)}};
}

Json with_compensations(Json said, const std::vector<Compensation>& all) {
  for (const Compensation& one : all) said["compensations"].push_back(to_json(one));
  return said;
}

Json error_json(const Error& error) {
  return Json{{"error",
               {{"code", code_name(error.code)},
                {"message", text(error.message)},
                {"hint", or_null(error.hint)}}}};
}

static Json status_line_json(const api::StatusReport::Line& line) {
  Json one = txn_json(line.txn);
  one["owner_alive"] = line.owner_alive;
  one["stale"] = texts_json(line.stale);
  one["process"] = line.process == 0 ? Json(nullptr) : Json(line.process);
  one["last_call"] =
      line.last_call_wall_ms == 0 ? Json(nullptr) : Json(format_utc(line.last_call_wall_ms));
  one["command_exit"] = nullptr;
  if (!line.txn.attempts.empty() && line.txn.attempts.back().command_exit) {
    one["command_exit"] = *line.txn.attempts.back().command_exit;
  }
  one["commit_now"] = commit_now_json(line.txn.landed_commit, line.landing);
  one["owed"] = nullptr;
  if (line.owed > 0) {
    one["owed"] = {{"compensations", line.owed}, {"next", or_null(line.owed_next)}};
  }
  return one;
}

Json status_json(const api::StatusReport& report) {
  return Json{{"transactions", each_of(report.lines, status_line_json)},
              {"holders", texts_json(report.holders)},
              {"notes", texts_json(report.notes)},
              {"uncommitted", report.uncommitted}};
}

Json why_json(const api::WhyReport& report) {
  Json out = txn_json(report.txn);
  out["conflicts"] = each_of(report.conflicts, [](const Conflict& one) { return to_json(one); });
  out["witnesses"] = each_of(report.witnesses, [](const api::WhyReport::Witness& one) {
    return Json{{"path", text(one.path)}, {"diff", text(one.diff)}};
  });
  out["excused"] = texts_json(report.excused);
  out["history"] = texts_json(report.history);
  out["next"] = texts_json(report.next);
  out["process"] = report.process == 0 ? Json(nullptr) : Json(report.process);
  return out;
}

Json gate_json(const GateSpec& gate) {
  return Json{{"name", gate.name.str()},
              {"command", texts_json(gate.command)},
              {"timeout_ms", gate.timeout_ms},
              {"env", texts_json(gate.env)},
              {"version", gate.version.str()}};
}

Json policy_json(const Policy& policy) {
  const auto generated = [](const GeneratedFile& file) {
    return Json{{"artifact", text(file.artifact)}, {"from", texts_json(file.from)}};
  };
  return Json{{"version", policy.version.str()},
              {"hash", or_null(policy.trust_hash.str())},
              {"gates", each_of(policy.gates, gate_json)},
              {"generated", each_of(policy.generated, generated)}};
}

Json doctor_json(const std::vector<api::DoctorLine>& lines) {
  const auto check = [](const api::DoctorLine& line) {
    return Json{{"subject", text(line.subject)}, {"ok", line.ok}, {"detail", text(line.detail)}};
  };
  return Json{{"checks", each_of(lines, check)}};
}

Json gc_json(const api::GcReport& report) {
  return Json{{"removed", texts_json(report.removed)},
              {"bytes_freed", report.bytes_freed},
              {"kept", texts_json(report.kept)}};
}

Json verification_json(const audit::Report& verification) {
  return Json{{"events", verification.events},
              {"ok", verification.problems.empty()},
              {"problems", texts_json(verification.problems)},
              {"notes", texts_json(verification.notes)}};
}

Json landing_json(const api::LogLine& line) {
  return Json{{"seq", line.seq},
              {"time", line.time},
              {"commit", or_null(line.commit.str())},
              {"commit_now", commit_now_json(line.commit, line.landing)},
              {"txn", or_null(line.txn.str())},
              {"name", text(line.name)},
              {"branch", text(line.branch.str())},
              {"who", text(line.who)}};
}

std::string reads_json_lines(const ReadSet& reads, Explained explained) {
  std::vector<const Read*> sorted;
  for (const Read& read : reads.reads) sorted.push_back(&read);
  std::ranges::stable_sort(sorted, {}, &Read::subject);
  std::string out;
  for (const Read* read : sorted) {
    Json json = to_json(*read);
    if (explained == Explained::kYes) {
      json["why"] = text(why_it_counts(*read));
      json["by"] = text(who_made_it(*read));
    }
    out += dump_json(json) + "\n";
  }
  return out;
}

}  // namespace gittxn::cli
