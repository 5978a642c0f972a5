// The rounds of an agent in one run: after a refusal its own conversation goes on in the same
// worktree, with the branch merged into it, before anything is run from the beginning.
//
// If we die: before the merge, as the refusal left it; after it, an open transaction at the head,
// whose agent `git txn resume` asks. Nothing that was done is done again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "txn/attempt.h"
#include "txn/serve/round.h"

namespace gittxn::api {

class Rounds {
 public:
  // All must outlive it.
  Rounds(State& state, const RunOptions& options, const Progress& progress)
      : state_(state), options_(options), progress_(progress), next_(options) {}

  // False: nobody who is told of these can do something about them.
  Result<bool> can_help(const TxnId& id, const std::vector<Conflict>& conflicts) const;
  // Its agent can be asked.
  Result<bool> has_agent(const TxnId& id) const;
  // Merges the branch into the worktree and writes what has changed; next() runs the round then:
  // the agent, or a shell of the person's. `refusal` is filled up. False: the agent cannot be
  // asked, or something stays stale.
  enum class Of { kAgent, kShell };
  Result<bool> begin(Of whom, const TxnId& id, Refusal refusal, const std::string& why);
  // True: the last command was a round, and the conversation did not go on in it.
  Result<bool> is_lost(const Txn& txn) const;
  // The command of the beginning is the next one.
  void start_over();

  const RunOptions& next() const { return next_; }
  int count() const { return count_; }
  const std::string& file() const { return file_; }  // what the last round is told

 private:
  State& state_;
  const RunOptions& options_;
  const Progress& progress_;
  RunOptions next_;
  Result<std::optional<Round>> round_of(Of whom, const Txn& txn) const;

  std::optional<Round> round_;  // that next() runs, or has run
  std::string file_;
  int count_ = 0;
};

}  // namespace gittxn::api
