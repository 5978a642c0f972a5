// Another round of an agent whose change was refused: its own conversation goes on in the same
// worktree, and it is told what has changed (docs/formats/brief.md).
//
// Known are Claude Code and Codex, where the command of the transaction is the agent itself and had
// exactly one conversation that it keeps on disk. What else a command starts is asked again by the
// words of `txn.resume.NAME`, NAME being the program's; {brief} in them is the file with the text,
// which is the standard input, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/txn.h"
#include "txn/host.h"
#include "txn/outcome.h"

namespace gittxn::api {

struct Round {
  std::vector<std::string> command;
  std::string session;  // of the conversation; "": nobody can tell which one goes on
  Digest told;          // SHA-256 of what it is told
};
// nullopt, with the reason as a sentence in `why_not`: the agent cannot be asked again.
Result<std::optional<Round>> another_round(State& state, const Txn& txn, const RunOptions& options,
                                           std::string* why_not);

struct Refusal {
  std::string branch;  // "main"
  std::vector<Conflict> conflicts;
  std::optional<WentOn> went_on;    // what was merged, and what was read and has changed
  std::vector<std::string> marked;  // files that still have conflict markers
  struct GateOutput {
    std::string gate;
    std::string end;  // of what it printed
  };
  std::vector<GateOutput> gates;
  Changes writes;          // the change of the transaction until now
  bool cut_short = false;  // the agent was killed, or the machine was
};
// The words for the agent. Nothing that was read and has changed is left out or cut; names and
// contents are those of anybody, and fenced.
std::string round_text(const Refusal& refusal);

// The file that the agent is given: mode 0600, beside the worktree, gone with it. What it is told
// is noted in what the attempt has from those before it (txn/go_on.h).
std::string round_file(const Attempt& attempt);
Status write_round(const Attempt& attempt, Round& round, const std::string& text);

}  // namespace gittxn::api
