// The state of TreeTools, for the files that implement it: the tree it serves, and how what was
// served gets on record. tree_tools.h has the contract.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agents/observation.h"
#include "txn/serve/served_tree.h"
#include "txn/serve/tree_search.h"
#include "txn/serve/tree_tools.h"

namespace gittxn::api {

inline constexpr const char* kServedLog = "mcp.jsonl";
inline constexpr const char* kDeclaredLog = "declared.jsonl";

struct TreeTools::State {
  State(const Host& host, ServedTree served, std::string to)
      : clock(host.clock), cwd(host.cwd), tree(std::move(served)), observed(std::move(to)) {}

  Clock* clock;
  std::string cwd;
  ServedTree tree;
  std::string observed;
  std::int64_t recorded = 0;

  struct Noted {
    agents::Detail detail;
    agents::Outcome outcome = agents::Outcome::kDone;
    std::string tool;
    std::int64_t began_ms = 0;
  };
  agents::Observation observation(Noted noted, const Caller& caller) const;
  Status append(agents::Observation one, const char* file);
  Status record(Noted noted, const Caller& caller) {
    return append(observation(std::move(noted), caller), kServedLog);
  }
  // The read that an error amounts to, because the agent learned something from it.
  std::unexpected<Error> failed(Error error, Noted noted, const Caller& caller);

  // A path as an agent wrote it. A name that is not UTF-8 cannot be written in JSON: it is the way
  // shown_path() shows it, unless there is a file of just that name.
  Result<std::string> path_of(const std::string& given) const;

  // A file that was left for us beside the observations; most are not there, and one that cannot
  // be read tells nothing.
  std::optional<std::string> note(std::string_view name, std::size_t max) const;

  // The query of a search or a glob, done and recorded.
  Result<SearchAnswer> run(const TreeQuery& asked, const std::string& tool, agents::Query query,
                           const Caller& caller, const std::function<bool()>& stop);
};

}  // namespace gittxn::api
