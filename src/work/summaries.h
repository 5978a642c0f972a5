// Summaries of the facade: stored by events and artifacts, outside of transactions at once, inside
// of one when it has landed.
//
// Inside, nothing of the repository is opened, for that would be a read of everything: a request is
// left beside the observations (summaries.jsonl and the text), and whoever lands the transaction
// stores it, before the worktree goes. If we die between the two, `git txn gc` does it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "land/judge/summaries.h"
#include "model/summary.h"
#include "model/txn.h"
#include "txn/host.h"

namespace gittxn::api {

// A text that was made from parts of the repository, stored with what it was made from.
struct SummaryRequest {
  std::string name;
  std::string text;
  std::vector<std::string> paths;       // what it was made from, relative to the current directory
  std::optional<std::string> reads_of;  // else: all that this transaction read and changed
  std::optional<std::string> onto;      // the branch it was made from
};
struct SummaryLine {
  Summary summary;      // made from: by path, once each
  Digest digest;        // of what says what it was made from; a read of the summary names it
  std::string time;     // when it was stored
  bool judged = false;  // where the look was made; and the first path that changed
  std::optional<land::StaleSource> stale = {};
};

// Inside a transaction: asks for a summary to be stored when the transaction has landed. Without
// paths it is made from all that the transaction reads and changes. kUsage, kRefused: a path
// outside of the tree.
Status request_summary(const Host& host, const SummaryRequest& request);

// Outside of transactions. kUsage: it would be made from nothing, or what the transaction read is
// unknown; or a path is not there.
Result<SummaryLine> add_summary(State& state, const SummaryRequest& request);
// The newest of each name, or those named (kUsage: there is none), judged at the head of the
// branch.
Result<std::vector<SummaryLine>> summaries(State& state, const std::optional<std::string>& onto,
                                           const std::vector<std::string>& names);
// Judged at the head of the branch; inside a transaction at its snapshot, and the use is on
// record before this returns: the transaction depends on all that the summary was made from. Of
// one that is stale there is no text, unless that is asked for; then nothing can be certified by
// it, and it is a soft read.
struct ShownSummary {
  SummaryLine line;
  std::optional<std::string> text;
};
enum class IfStale { kRefuse, kShow };
Result<ShownSummary> summary(State& state, const std::string& name,
                             const std::optional<std::string>& onto, IfStale if_stale);
// Outside of transactions. kUsage: there is none of that name. Who was shown it before still
// depends on what it was made from.
Status remove_summary(State& state, const std::string& name);

// Stores what a transaction that landed, or changed nothing, asked to be stored. A repeat stores
// nothing more. What an agent asked for and makes no sense is told in `notes`.
Status publish_summaries(State& state, const Txn& txn, std::vector<std::string>& notes);

}  // namespace gittxn::api
