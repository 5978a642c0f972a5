// References by our own file code, because git's update is atomic but not durable (the directory is
// never synced) and because a landing must leave no lock that does not name it.
//
// A swap, in order: a finished, synced file holding "<new>\n" is link(2)ed to <ref>.lock (so the lock
// is never empty or half written, and its bytes say whose it is: the new value); the current value is
// read under the lock and compared; the lock is renamed over the ref; the directory is fsynced; a
// packed value of the same ref is thereby shadowed. A kill leaves: nothing; or our lock, which
// remove_own_lock() recognises by its bytes; or the new value. An fsync that fails after the rename is
// kOutcomeUnknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/ids.h"

namespace gittxn::repo {

struct RefUpdate {
  RefName ref;
  Oid expected;              // empty: the ref must not exist
  Oid desired;               // empty: delete
  std::string reflog_who;    // "Name <mail> time zone"; empty: no reflog entry
  std::string reflog_message;
  std::int64_t lock_deadline_ms = 5000;
};

class Refs {
 public:
  explicit Refs(std::string common_dir) : dir_(std::move(common_dir)) {}
  // Follows symbolic refs to the branch's real name; the name that locks are named by.
  Result<RefName> resolve_name(const RefName& name) const;
  // kNotFound when there is none, kCorrupt for a zero-length or malformed file.
  Result<Oid> read(const RefName& name) const;
  // "refs/heads/" and friends, loose over packed, sorted by name.
  Result<std::vector<std::pair<RefName, Oid>>> list(std::string_view prefix) const;
  // kStale when the value is not `expected`, kBusy when the lock was not had in time.
  Status update(const RefUpdate& update) const;
  // Removes <ref>.lock if its bytes are "<desired>\n". True when it was there.
  Result<bool> remove_own_lock(const RefName& ref, const Oid& desired) const;
  Status sync_directory(const RefName& ref) const;

 private:
  std::string dir_;
};

}  // namespace gittxn::repo
