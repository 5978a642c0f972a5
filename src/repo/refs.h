// References by our own file code, because git's update is atomic but not durable (the directory is
// never synced) and because a landing must leave no lock that does not name it.
//
// A swap, in order: a finished, synced file holding "<new>\n" (a draft, which whoever syncs other
// files as well can have beforehand) is link(2)ed to <ref>.lock (so the lock is never empty or half
// written, and its bytes say whose it is: the new value); the current
// value is read under the lock and compared; the reflog entry is appended; the lock is renamed over
// the ref; the directory is fsynced; a packed value of the same ref is thereby shadowed. A kill
// leaves: nothing; or our lock, which remove_own_lock() recognises by its bytes; or the new value.
// An fsync that fails after the rename is kOutcomeUnknown.
//
// A deletion is git's own (update-ref -d): it may have to rewrite packed-refs, and nobody is
// promised that it is durable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/names.h"
#include "repo/config.h"
#include "repo/git.h"

namespace gittxn::repo {

// The steps of moving a ref, as git tells its hook reference-transaction.
enum class RefStep { kPrepared, kCommitted, kAborted };
inline constexpr NameTable<RefStep, 3> kRefSteps{{
    {RefStep::kPrepared, "prepared"},
    {RefStep::kCommitted, "committed"},
    {RefStep::kAborted, "aborted"},
}};

// kBytes: a power cut may take the update back, and leaves no empty file. For what pins something
// that can be told again.
enum class RefDurable { kWhole, kBytes };

// A finished file on its way to a name that counts. Unlinked when it goes, if it is there still;
// one that a kill leaves is never read again.
class RefDraft {
 public:
  explicit RefDraft(std::string path) : path_(std::move(path)) {}
  RefDraft(RefDraft&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RefDraft& operator=(RefDraft&&) = delete;
  ~RefDraft();
  const std::string& path() const { return path_; }
  void release() { path_.clear(); }

 private:
  std::string path_;
};

struct RefUpdate {
  RefName ref;
  Oid expected;            // empty: the ref must not exist
  Oid desired;             // empty: delete
  std::string reflog_who;  // "Name <mail> time zone"; empty: no reflog entry
  std::string reflog_message;
  std::int64_t lock_deadline_ms = 5000;
  RefDurable durable = RefDurable::kWhole;
  // Made by Refs::draft() for the same value, and on disk; null: update() writes and syncs one.
  const RefDraft* draft = nullptr;
  // Called with the ref locked and found as expected; an error then is the update's, and nothing
  // has moved. After a yes it is called again with how it ended, and what it answers changes
  // nothing. Not of deletions.
  std::function<Status(RefStep)> told = {};
};

// What the file of a reference, or HEAD, says: another one (which need not exist), or a commit.
struct HeadValue {
  bool symbolic = false;
  RefName target;  // symbolic
  Oid oid;         // not symbolic
};
// Of the git directory of one checkout. kCorrupt for a zero-length or malformed file.
Result<HeadValue> read_head(const std::string& git_dir);

// git check-ref-format, for a full name below refs/. Names from outside are paths: check them
// first.
bool is_ref_name(std::string_view name);
bool is_oid(std::string_view text);  // 40 lower-case hex digits
inline constexpr std::string_view kHeads = "refs/heads/";
std::string short_branch(const RefName& branch);  // "main"; another name as it is

class Refs {
 public:
  // `git` is used to delete, and to ask whether a missing reflog should be begun.
  Refs(std::string common_dir, const Git& git);
  // Follows symbolic refs to the branch's real name; the name that locks are named by.
  Result<RefName> resolve_name(const RefName& name) const;
  // kNotFound when there is none, kCorrupt for a zero-length or malformed file.
  Result<Oid> read(const RefName& name) const;
  // "refs/heads/" and friends, loose over packed, sorted by name. A symbolic ref is listed with the
  // value it leads to, or not at all when that does not exist.
  Result<std::vector<std::pair<RefName, Oid>>> list(std::string_view prefix) const;
  // kStale when the value is not `expected`, kBusy when the lock was not had in time, kExists when
  // a ref is in the way as a directory ("a" and "a/b"), kUsage for a symbolic ref: resolve_name
  // first.
  Status update(const RefUpdate& update) const;
  // The file that update() will give its name, written and not synced: for whoever waits for the
  // disk once, with other files.
  Result<RefDraft> draft(const RefUpdate& update) const;
  // Removes <ref>.lock if its bytes are "<desired>\n". True when it was there.
  Result<bool> remove_own_lock(const RefName& ref, const Oid& desired) const;
  // update() of a reference below refs/txn/, by whoever holds its transaction: a lock of our form
  // that was waited for in vain was left by a process that was killed, and is removed.
  Status update_held(const RefUpdate& update) const;
  // Makes refs/txn and its name durable where it is not there: before anything is kept below it.
  Status make_root() const;
  // Makes the present value durable, whoever wrote it: the file, and every directory above it.
  Status sync_directory(const RefName& ref) const;
  // The repository's own configuration, whichever checkout one is in.
  Config& config() const { return *config_; }

 private:
  Status erase(const RefUpdate& update) const;

  std::string dir_;
  Git git_;
  std::shared_ptr<Config> config_;
};

}  // namespace gittxn::repo
