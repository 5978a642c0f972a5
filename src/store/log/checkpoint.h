// The beginning of a pruned log: the projections as they stood after its last pruned event, as one
// artifact. Internal to store/.
//
// JSON lines: the first says which event it stands at, its hash, and the digest of the keys of all
// that was pruned; each other is one row of a projection. A later layout that cannot take these
// rows by their columns' names brings its own reading of them.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "db/database.h"
#include "store/rows.h"

namespace gittxn::store {

struct KeyDigest {
  Seq count = 0;
  Digest digest;
};
struct Checkpoint {
  Seq seq = 0;
  std::string hash;
  KeyDigest keys;
};

// `state` has the projections at that event.
Result<std::string> checkpoint_text(const db::Database& state, const Checkpoint& checkpoint);
// kCorrupt: the artifact is not the one of this start.
Result<Checkpoint> read_checkpoint(const Log& log, const LogStart& start);
// Into projections without a row.
Status load_checkpoint(const Log& log, const LogStart& start, db::Database& target);

// Of the dedup keys of every event up to `pruned` that came with one, deleted already or not.
Result<KeyDigest> digest_keys(const db::Database& database, Seq pruned);

// What the newest log.checkpoint says, but for the log's name; none: the log was never pruned.
Result<std::optional<LogStart>> last_checkpoint_event(const db::Database& database);

}  // namespace gittxn::store
