// The reads of a transaction while its change is taken.
#pragma once

#include <memory>

#include "base/threads.h"
#include "repo/worktree.h"
#include "txn/attempt.h"

namespace gittxn::api {

// The reads are not known for sure, which is said unless it is said already.
void mark_unknown(ReadSet& reads, std::string_view reason);

// Makes those that were left, for store::recorded_reads. Not complete where the worktree is gone,
// and its traces with it.
Result<ReadSet> left_reads(State& state, const TxnId& id, const Attempt& attempt, ReadSet recorded);

struct ReadSources;

// Makes the reads of the last attempt on a thread of its own while git is asked for the change
// (design/0048). The change is guessed, to be what was recorded last, as it is after a command that
// only looked. Where it turns out to be another one, or commits came with it, the reads are made
// again: they are never those of a guess. What is given must outlive it.
class ReadsAhead {
 public:
  ReadsAhead(State& state, const Txn& txn, const Oid& snapshot, const repo::Worktree& worktree);
  ~ReadsAhead();
  ReadsAhead(const ReadsAhead&) = delete;
  ReadsAhead& operator=(const ReadsAhead&) = delete;

  // Begins where there is enough to read. Whatever fails is left to reads().
  void begin();
  // Those of what was taken. Once.
  Result<ReadSet> reads(const repo::Taken& taken);

 private:
  Status prepare();

  State& state_;
  const Txn& txn_;
  const Oid& snapshot_;
  const repo::Worktree& worktree_;
  std::unique_ptr<repo::Objects> objects_;  // of the thread
  std::unique_ptr<ReadSources> sources_;
  Beside<Result<ReadSet>> guessed_;  // the last member: it is waited for before the others go
};

}  // namespace gittxn::api
