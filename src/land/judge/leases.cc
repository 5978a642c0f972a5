#include "land/judge/leases.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "catalogue/footprints.h"

namespace gittxn::land {
namespace {

using store::Lease;
using store::LeaseSubject;

constexpr std::size_t kMostBytesOfFile = 4u << 20;

bool symbol_touched(const LeaseSubject& subject, const TouchedSymbols& symbols) {
  const auto of = symbols.find(subject.path);
  if (of == symbols.end()) return true;
  return std::ranges::any_of(of->second, [&](const std::string& touched) {
    return store::one_in_the_other(touched, subject.symbol);
  });
}

bool meets(const LeaseSubject& subject, const PathChange& change, const TouchedSymbols& symbols) {
  if (!store::covers(subject, change.path)) return false;
  return subject.kind != LeaseSubject::Kind::kSymbol || symbol_touched(subject, symbols);
}

// The first path of the changes that the lease is about; nullptr: none.
const PathChange* first_met(const Lease& lease, const Changes& changes,
                            const TouchedSymbols& symbols) {
  for (const PathChange& change : changes) {
    if (std::ranges::any_of(lease.subjects, [&](const LeaseSubject& subject) {
          return meets(subject, change, symbols);
        })) {
      return &change;
    }
  }
  return nullptr;
}

}  // namespace

Result<TouchedSymbols> touched_symbols(const Context& context, const Changes& changes) {
  TouchedSymbols touched;
  catalogue::Footprints footprints(context.repository->objects(), {}, kMostBytesOfFile);
  for (const Lease& lease : TRY(store::leases(*context.store))) {
    for (const LeaseSubject& subject : lease.subjects) {
      if (subject.kind != LeaseSubject::Kind::kSymbol || touched.contains(subject.path)) continue;
      const auto change = std::ranges::find(changes, subject.path, &PathChange::path);
      if (change == changes.end() || !change->before.is_file_or_absent() ||
          !change->after.is_file_or_absent()) {
        continue;
      }
      const auto footprint = footprints.of(*change);
      // One that cannot be looked into may touch any symbol: then it is left out.
      if (!footprint) continue;
      std::vector<std::string>& of = touched[subject.path];
      for (const semantic::Write& write : (*footprint)->writes) {
        const std::size_t behind = subject.path.size() + 1;
        of.push_back(write.symbol.size() > behind ? write.symbol.substr(behind) : "");
      }
    }
  }
  return touched;
}

Result<std::vector<MetLease>> leases_met(const Context& context, const store::View& view,
                                         const Txn& txn, const Changes& changes,
                                         const TouchedSymbols& symbols) {
  std::vector<MetLease> met;
  if (INJECTED_BUG("land.ignore_leases")) return met;
  std::vector<Lease> in_the_way;
  for (Lease& lease : TRY(store::leases(view))) {
    const bool own = lease.txn == txn.id || lease.owner == txn.id.str() || lease.owner == txn.owner;
    const PathChange* change = nullptr;
    if (lease.held && !own) change = first_met(lease, changes, symbols);
    if (change == nullptr) continue;
    met.push_back({lease, change->path});
    in_the_way.push_back(std::move(lease));
  }
  if (met.empty()) return met;
  TRY(store::confirm_owners(*context.store, in_the_way, *context.clock));
  const store::LeaseMoment moment = TRY(store::moment_of(view, *context.store, *context.clock));
  const store::IsAlive alive = store::alive_in(*context.store);
  std::vector<MetLease> standing;
  for (MetLease& one : met) {
    const store::Standing stands = TRY(store::standing(view, one.lease, moment, alive));
    if (stands == store::Standing::kGood) standing.push_back(std::move(one));
  }
  return standing;
}

std::optional<Wait> denied_by(const std::vector<MetLease>& met) {
  for (const MetLease& one : met) {
    if (one.lease.force != store::Force::kMandatory) continue;
    return Wait{WaitReason::kLease,
                fmt::format("{} of {} on {}", one.lease.id, one.lease.owner, one.path)};
  }
  return std::nullopt;
}

std::vector<std::string> notes_of(const std::vector<MetLease>& met) {
  std::vector<std::string> notes;
  for (const MetLease& one : met) {
    if (one.lease.force == store::Force::kMandatory) continue;
    notes.push_back(
        fmt::format("{} is leased to {} ({}, advisory)", one.path, one.lease.owner, one.lease.id));
  }
  return notes;
}

}  // namespace gittxn::land
