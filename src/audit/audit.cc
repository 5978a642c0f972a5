#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "audit/checks.h"
#include "base/fs.h"

namespace gittxn::audit {
namespace {

// What is met again on another way is said in the same words.
bool add_problem(std::string problem, Report& report) {
  const bool told = std::ranges::find(report.problems, problem) != report.problems.end();
  if (!told) report.problems.push_back(std::move(problem));
  return !told;
}

void add(const store::VerifyReport& part, Report& report) {
  report.events = std::max(report.events, part.events);
  for (std::size_t i = 0; i < part.problems.size(); ++i) {
    const bool added = add_problem(part.problems[i], report);
    if (added && part.newer.contains(i)) report.newer.insert(report.problems.size() - 1);
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
  if (report.problems.size() == report.newer.size()) return {};
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
  add_problem(error.where.empty() ? error.message : error.where + ": " + error.message, report);
  return {};
}

}  // namespace

Result<Report> verify(repo::Repository& repository, const store::Store& store, Replay replay,
                      const Place& place) {
  Report report;
  add(TRY(store.verify()), report);
  if (replay == Replay::kYes) add(TRY(store.verify_replay()), report);
  report.of_log = report.problems.size();
  // Before the repository is looked at: it may only have moved on.
  Claims claims;
  const Status read = read_claims(store, claims, report);
  TRY(found(read, report));
  TRY(found(check_artifacts(store, claims, report), report));
  TRY(add_next_step(store, report));
  if (!read) {
    report.notes.emplace_back("the log cannot be read, so branches were not compared with it");
    return report;
  }
  TRY(found(check_branches(repository, store, claims, place, report), report));
  TRY(found(check_work(repository, store, place, report), report));
  return report;
}

Result<Report> verify_without_store(repo::Repository& repository) {
  Report report;
  const auto lost = [&](const std::string& what) {
    report.problems.push_back(what + ", but there is no store: it was lost");
  };
  for (const auto& [branch, head] : TRY(repository.refs().list("refs/heads/"))) {
    const std::vector<ReflogLanding> landings = TRY(reflog_landings(repository, branch));
    if (landings.empty()) continue;
    lost(fmt::format("the reflog of {} shows {} landing as {}", branch.str(),
                     landings.back().txn.str(), landings.back().commit.str().substr(0, 7)));
  }
  std::set<std::string> kept;
  for (const auto& [name, oid] : TRY(repository.refs().list("refs/txn/"))) {
    const std::string rest = name.str().substr(std::string_view("refs/txn/").size());
    const std::size_t slash = rest.find('/');
    // Of a hub there are the mark of its log and the fences of its branches alone.
    if (slash != std::string::npos && !rest.starts_with("fence/"))
      kept.insert(rest.substr(0, slash));
  }
  for (const std::string& txn : kept) lost(fmt::format("refs/txn/{} keeps work", txn));
  if (!report.problems.empty()) {
    report.notes.emplace_back(
        "put a copy of the store back: docs/BACKUPS.md; without one git txn begins anew, and what "
        "is kept under refs/txn/ stays");
  }
  return report;
}

}  // namespace gittxn::audit
