// Kept work and artifacts.
#include <fmt/format.h>

#include <map>

#include "audit/checks.h"

namespace gittxn::audit {
namespace {

using KeptRefs = std::map<std::string, Oid>;

// Work that nobody landed stays reachable by its ref; a person may have thrown away what was
// aborted.
Status check_attempt(repo::Repository& repository, const store::Store& store, const Txn& txn,
                     const Attempt& attempt, const KeptRefs& refs, Report& report) {
  const std::string name = fmt::format("refs/txn/{}/{}", txn.id.str(), attempt.number);
  const auto found = refs.find(name);
  if (found != refs.end() && found->second == attempt.kept) return {};
  // Taken again, landed or thrown away since the log was read?
  const std::optional<Txn> now = TRY(store.txn(txn.id));
  if (!now || now->version != txn.version) return {};
  const bool there = TRY(repository.objects().contains(attempt.kept));
  const std::string what =
      fmt::format("{}, attempt {} ({})", txn.id.str(), attempt.number, state_name(txn.state));
  if (there && found != refs.end()) {
    report.problems.push_back(fmt::format("{}: {} is {}, but the log says {}", what, name,
                                          found->second.str(), attempt.kept.str()));
  } else if (txn.state == TxnState::kAborted) {
    report.notes.push_back(what + ": its work was thrown away");
  } else {
    report.problems.push_back(fmt::format("{}: {} is missing, {} {}", what, name,
                                          attempt.kept.str(),
                                          there ? "is kept by nothing" : "is gone"));
  }
  return {};
}

}  // namespace

Status check_work(repo::Repository& repository, const store::Store& store, const Place& place,
                  Report& report) {
  const std::vector<Txn> txns = TRY(store.txns({}));
  KeptRefs refs;
  for (const auto& [name, oid] : TRY(repository.refs().list("refs/txn/"))) {
    refs.emplace(name.str(), oid);
    const bool there = TRY(repository.objects().contains(oid));
    if (!there) {
      report.problems.push_back(
          fmt::format("{} names {}, which is missing", name.str(), oid.str()));
    }
  }
  for (const Txn& txn : txns) {
    if (txn.state == TxnState::kLanded || txn.state == TxnState::kNothing) continue;
    if (txn.clone != place.clone) continue;
    for (const Attempt& attempt : txn.attempts) {
      if (attempt.kept.empty()) continue;
      TRY(check_attempt(repository, store, txn, attempt, refs, report));
    }
  }
  return {};
}

Status check_artifacts(const store::Store& store, const Claims& claims, Report& report) {
  for (const auto& [digest, seq] : claims.artifacts) {
    ++report.artifacts;
    const Result<std::string> bytes = store.artifact(Digest(digest));
    if (bytes) continue;
    const Code code = bytes.error().code;
    if (code != Code::kNotFound && code != Code::kCorrupt) return std::unexpected(bytes.error());
    report.problems.push_back(
        fmt::format("event {} names an artifact: {}", seq, bytes.error().message));
  }
  return {};
}

}  // namespace gittxn::audit
