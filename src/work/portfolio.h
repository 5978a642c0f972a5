// A portfolio: repositories on this machine whose work goes together. The repository that a command
// runs in keeps the list; store/work/portfolio.h says what is in whose log.
//
// A member's store is only looked at, except that relay() appends to it. What cannot be looked at
// (gone, moved, another repository, corrupt) is an error that names the member; status tells it
// beside the others. All but status are refused inside of a transaction.
//
// If we die while relaying: some members were told; the next relay tells the rest, and nobody
// twice.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/workflow.h"
#include "store/work/portfolio.h"
#include "txn/host.h"

namespace gittxn::api {

struct MemberRequest {
  std::string path;                 // of a checkout, or a bare repository
  std::optional<std::string> name;  // unset: as it is known, else the name of its folder
  std::optional<std::vector<std::string>> needs;  // unset: as it is known, else nothing
  std::string actor;                              // empty: the caller's git identity
};
// Makes the store of the member where it has none. Adding it again changes what is given.
// kUsage: not a repository, this one itself, a circle (named), no such need. kExists: it is a
// member already, at another place that is still there (a second clone of a hub, or a copy), and is
// not named.
Result<store::Member> add_member(State& state, const MemberRequest& request);
Result<store::Member> set_needs(State& state, const std::string& name,
                                const std::vector<std::string>& needs, const std::string& actor);
Status remove_member(State& state, const std::string& name, const std::string& actor);

struct MemberLine {
  store::Member member;
  std::string problem;              // why it cannot be looked at; "": it was
  std::vector<Workflow> workflows;  // newest first
  Seq head = 0;                     // of its log
  Seq told = 0;                     // the last event of this log that it was told
  int waiting = 0;                  // events that it was not told yet
};
struct PortfolioReport {
  std::vector<MemberLine> members;      // topological order: what others need first
  std::vector<store::Relayed> relayed;  // what this repository was told, as a member of another
};
Result<PortfolioReport> portfolio_status(State& state);

struct RelayLine {
  std::string name;
  int events = 0;  // told now
};
struct RelayReport {
  std::vector<RelayLine> told;
  std::optional<Error> left;  // names each member that could not be told, and why; unset: none
};
// A member that cannot be told keeps no other from being told. `left` is kStale where one was told
// what this log does not have (any more); with kAnew it is told what is so instead.
Result<RelayReport> relay_events(State& state, store::Relay how = store::Relay::kOn);

// The member's repository with its store. The error names the member: it is not there, has no
// store, is another repository by now, or its log is known to be damaged.
Result<std::unique_ptr<State>> open_member(const State& state, const store::Member& listed);

}  // namespace gittxn::api
