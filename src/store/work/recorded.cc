#include "store/work/recorded.h"

namespace gittxn::store {

Result<ReadSet> recorded_reads(const Store& store, const TxnId& txn, const Attempt& attempt) {
  ReadSet reads;
  if (!attempt.reads.empty()) {
    const std::string lines = TRY(store.artifact(attempt.reads));
    reads = TRY(reads_from_lines(lines));
  }
  reads.complete = attempt.reads_complete;
  reads.unknown_reason = attempt.unknown_reason;
  reads.tool_env_digest = attempt.tool_env;
  if (!attempt.reads_left) return reads;
  if (store.left_reads()) return store.left_reads()(txn, attempt, std::move(reads));
  if (reads.unknown_reason.empty()) reads.unknown_reason = "its traces have not been read yet";
  return reads;
}

Result<Changes> recorded_writes(const Store& store, const Attempt& attempt) {
  if (attempt.writes.empty()) return Changes{};
  const std::string lines = TRY(store.artifact(attempt.writes));
  return changes_from_lines(lines);
}

}  // namespace gittxn::store
