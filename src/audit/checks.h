// The parts of verify(). Internal to audit/.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "model/event.h"

namespace gittxn::audit {

// What the events say, read once and apart from the projections.
struct Claims {
  struct Landing {
    Seq prepared = 0;
    TxnId txn;
    RefName branch;
    Oid old_head;
    Oid new_head;
    Oid tree;
    bool landed = false;
  };
  std::map<Seq, Landing> landings;                             // by the seq of landing.prepared
  std::map<std::string, std::vector<store::LandedRow>> moves;  // by branch, in order
  std::map<std::string, Seq> artifacts;  // digest -> first event that names it
  std::set<std::string> fences;          // of hubs, that a landing was to set or that closed one
  Seq pruned = 0;                        // the last event that the log no longer has
};
// As far as the log can be read.
Status read_claims(const store::Store& store, Claims& claims, Report& report);

Status check_branches(repo::Repository& repository, const store::Store& store, const Claims& claims,
                      const Place& place, Report& report);
Status check_work(repo::Repository& repository, const store::Store& store, const Place& place,
                  Report& report);
Status check_artifacts(const store::Store& store, const Claims& claims, Report& report);

// "txn: land t-1" entries of a branch's reflog: (transaction, commit). Reflogs are this
// repository's own, so an entry that the log does not know means that the log lost its end.
struct ReflogLanding {
  TxnId txn;
  Oid commit;
};
Result<std::vector<ReflogLanding>> reflog_landings(repo::Repository& repository,
                                                   const RefName& branch);

// The value of the last trailer of that name in a commit message; empty: none.
std::string trailer(std::string_view message, std::string_view name);

}  // namespace gittxn::audit
