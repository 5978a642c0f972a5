#include "audit/audit.h"

#include "audit/checks.h"

namespace gittxn::audit {
namespace {

void add(const store::VerifyReport& part, Report& report) {
  report.events = part.events;
  report.problems.insert(report.problems.end(), part.problems.begin(), part.problems.end());
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
  // Before the repository is looked at: it may only have moved on.
  const Claims claims = TRY(read_claims(store, report));
  TRY(found(check_branches(repository, store, claims, place, report), report));
  TRY(found(check_work(repository, store, place, report), report));
  TRY(found(check_artifacts(store, claims, report), report));
  return report;
}

}  // namespace gittxn::audit
