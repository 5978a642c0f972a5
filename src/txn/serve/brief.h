// The brief: what a running agent is told when something that it read has changed on its target
// branch. `git txn run` writes it beside the worktree; `git txn hook` and `git txn mcp` hand it to
// the agent, `git txn status` shows it. docs/formats/brief.md describes the files.
//
// A brief says all that is stale at one head; a later one, with a higher number, replaces it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gittxn::api {

struct Brief {
  struct Change {
    std::string subject;     // what was read: a path, or what a query asked for
    std::string changed_by;  // "t-7k2m (fix auth)", "Pat Person <...>"; empty: not known
    std::string diff;        // unified, from what was read to the head; cut where it is long
  };
  int number = 0;  // 1, 2, ... in an attempt
  Oid head;
  std::string branch;  // "main"
  std::vector<Change> changes;
};

// What is said to the agent, at most kMaxBriefText bytes: the paths, and of the diffs what fits.
inline constexpr std::size_t kMaxBriefText = 8000;
std::string brief_text(const Brief& brief);

// Writes brief.json and brief.md into the directory, each whole or not at all; the JSON, which is
// what programs read, last. No sync: after a power cut there is no agent left to be told.
Status write_brief(const std::string& observed, const Brief& brief);
// None: there is nothing to tell. kCorrupt: not a brief.
Result<std::optional<Brief>> read_brief(const std::string& observed);
// There was something to tell, and it holds again.
Status remove_brief(const std::string& observed);

// True for the first who asks with these names; so each conversation is told once. What was told
// stays told when it dies before it said so to its model.
Result<bool> first_telling(const std::string& observed, const Brief& brief,
                           const std::string& listener);

}  // namespace gittxn::api
