#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/checks.h"
#include "base/fs.h"

namespace gittxn::audit {
namespace {

void add(const store::VerifyReport& part, Report& report) {
  report.events = part.events;
  for (const std::string& problem : part.problems) {
    // Replaying meets some of what reading has met, and says it in the same words.
    const bool told = std::ranges::find(report.problems, problem) != report.problems.end();
    if (!told) report.problems.push_back(problem);
  }
}

// A migration's copies, beside the file.
Result<std::string> copies_beside(const std::string& dir) {
  std::string names;
  for (const DirEntry& entry : TRY(list_dir(dir))) {
    const bool copy = entry.name.starts_with("kernel.db.v") && entry.name.ends_with(".bak");
    if (copy) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

// One line, whatever the store's own problems are; what a newer program wrote is not one to
// restore.
Status add_next_step(const store::Store& store, Report& report) {
  const auto newer = [](const std::string& problem) {
    return problem.find("is not known to this git-txn") != std::string::npos;
  };
  if (std::ranges::all_of(report.problems, newer)) return {};
  std::string step =
      "the store does not hold: keep it aside as it is, and restore a backup: docs/BACKUPS.md";
  if (!store.place().on_server()) {
    const std::string copies = TRY(copies_beside(store.dir()));
    if (!copies.empty()) {
      step += fmt::format("; of before an older layout was taken over there is {} beside {}",
                          copies, join_path(store.dir(), "kernel.db"));
    }
  }
  report.notes.push_back(std::move(step));
  return {};
}

// Damage found on the way is a finding; the other parts are still looked at.
Status found(Status status, Report& report) {
  if (status || status.error().code != Code::kCorrupt) return status;
  const Error& error = status.error();
  report.problems.push_back(error.where.empty() ? error.message
                                                : error.where + ": " + error.message);
  return {};
}

}  // namespace

Result<Report> verify(repo::Repository& repository, const store::Store& store, Replay replay,
                      const Place& place) {
  Report report;
  add(TRY(store.verify()), report);
  if (replay == Replay::kYes) add(TRY(store.verify_replay()), report);
  TRY(add_next_step(store, report));
  // Before the repository is looked at: it may only have moved on.
  const Claims claims = TRY(read_claims(store, report));
  TRY(found(check_branches(repository, store, claims, place, report), report));
  TRY(found(check_work(repository, store, place, report), report));
  TRY(found(check_artifacts(store, claims, report), report));
  return report;
}

}  // namespace gittxn::audit
