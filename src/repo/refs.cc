// The compare-and-swap; refs.h says the order and what a kill leaves at each point. Temporary files
// are made in <common dir>/txn/tmp, on the refs' file system but where git never looks; one that a
// kill leaves there is never read again. A value is never written in place.
//
// Rejected: writing the lock file itself and renaming it, as git does. A kill in between leaves an
// empty lock, and nobody can tell whose it is. With link(2) the lock is born whole.
#include "repo/refs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "base/random.h"
#include "base/sync.h"
#include "repo/refs_files.h"

namespace gittxn::repo {

FAILPOINT(fp_after_ref_lock, "refs.after_lock");
FAILPOINT(fp_after_rename, "refs.after_rename");
FAILPOINT(fp_before_dirsync, "refs.before_dirsync");

namespace {

constexpr std::int64_t kLongestPauseMs = 20;
constexpr std::string_view kOwnRefs = "refs/txn/";

class Deadline {
 public:
  explicit Deadline(std::int64_t ms) : end_ns_(SystemClock().monotonic_ns() + ms * kNsPerMs) {}
  // False when it has passed.
  bool pause() {
    if (SystemClock().monotonic_ns() >= end_ns_) return false;
    SystemClock().sleep_ms(pause_ms_);
    pause_ms_ = std::min(pause_ms_ * 2, kLongestPauseMs);
    return true;
  }

 private:
  std::int64_t end_ns_;
  std::int64_t pause_ms_ = 1;
};

// In a repository shared by a group, others must be able to replace what we write.
Status share_like(const std::string& dir, int fd, mode_t bits) {
  struct stat st{};
  constexpr mode_t kShared = S_ISGID | S_IWGRP;
  if (::stat(dir.c_str(), &st) != 0 || (st.st_mode & kShared) != kShared) return {};
  if (::fchmod(fd, bits) != 0) return fail_errno(errno, "chmod in '" + dir + "'");
  return {};
}

Result<RefDraft> write_temporary(const std::string& path, const std::string& ref_dir,
                                 std::string_view bytes, Sync sync) {
  UniqueFd fd = TRY(open_fd(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666));
  RefDraft file(path);
  TRY(share_like(ref_dir, fd.get(), 0664));
  TRY(write_all(fd.get(), bytes));
  if (sync == Sync::kYes) TRY(fsync_path(path));
  return file;
}

std::unexpected<Error> in_the_way(const RefName& ref, const std::string& other) {
  return fail(Code::kExists, "the reference " + ref.str() + " cannot be made: " + other + " exists",
              "choose another name, or rename that one");
}

// Every directory above the ref's file.
Status make_ref_dirs(const std::string& dir, const RefName& ref) {
  const std::string& name = ref.str();
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    const std::string path = dir + "/" + name.substr(0, slash);
    if (::mkdir(path.c_str(), 0777) == 0) {
      UniqueFd fd = TRY(open_fd(path, O_RDONLY | O_DIRECTORY));
      TRY(share_like(parent_dir(path), fd.get(), 02775));
      continue;
    }
    const int error = errno;
    struct stat st{};
    if (error != EEXIST && error != ENOTDIR) return fail_errno(error, "mkdir '" + path + "'");
    if (::stat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) {
      return in_the_way(ref, name.substr(0, slash));
    }
  }
  return {};
}

// git removes empty directories of refs, but none that stands in refs/ itself.
Status make_own_root(const std::string& dir) {
  const std::string root = dir + "/" + std::string(kOwnRefs);
  if (TRY(exists(root))) return {};
  TRY(make_ref_dirs(dir, RefName(std::string(kOwnRefs) + "any")));
  return fsync_path(dir + "/refs");
}

std::unexpected<Error> lock_is_held(const RefName& ref, const std::string& lock) {
  auto bytes = read_file(lock, 1u << 10);
  std::string who;
  if (bytes && bytes->size() == 41 && is_oid(bytes->substr(0, 40))) {
    who = ", to become " + bytes->substr(0, 40);
  }
  return fail(Code::kBusy, "the reference " + ref.str() + " is locked by '" + lock + "'" + who,
              "another git command is updating it; if none is running (see: ps -e), a killed one "
              "left it behind: rm '" +
                  lock + "'");
}

// One try at giving the finished file the lock's name: 0 or an errno.
int link_lock(const std::string& from, const std::string& lock) {
  if (::link(from.c_str(), lock.c_str()) == 0) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  // No hard links here; renaming without replacing is as good.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, lock.c_str(), RENAME_NOREPLACE) == 0) return 0;
  return errno;
}

std::string ref_bytes(const RefUpdate& update) {
  return update.desired.str() + "\n";
}

Result<RefDraft> write_ref_draft(const std::string& dir, const RefUpdate& update, Sync sync) {
  if (update.ref.str().starts_with(kOwnRefs)) TRY(make_own_root(dir));
  TRY(make_ref_dirs(dir, update.ref));
  TRY(make_dirs(dir + "/txn/tmp"));
  return write_temporary(dir + "/txn/tmp/ref-" + Random().name(20),
                         parent_dir(dir + "/" + update.ref.str()), ref_bytes(update), sync);
}

Result<RefDraft> take_lock(const std::string& dir, const RefUpdate& update) {
  const std::string path = dir + "/" + update.ref.str();
  const std::string ref_dir = parent_dir(path);
  const std::string lock = path + ".lock";
  std::optional<RefDraft> own;
  if (update.draft == nullptr) own.emplace(TRY(write_ref_draft(dir, update, Sync::kYes)));
  const RefDraft& temporary = own ? *own : *update.draft;
  std::optional<RefDraft> beside;  // when refs/ is on another file system
  Deadline deadline(update.lock_deadline_ms);
  while (true) {
    const int error = link_lock(beside ? beside->path() : temporary.path(), lock);
    if (error == 0) return RefDraft(lock);
    if (error == EXDEV && !beside) {
      // git skips names that begin with a dot or end in ".lock"
      beside.emplace(TRY(write_temporary(ref_dir + "/.txn-" + Random().name(20) + ".lock", ref_dir,
                                         ref_bytes(update), Sync::kYes)));
    } else if (error == ENOENT) {  // git removed the directory, empty, under us
      TRY(make_ref_dirs(dir, update.ref));
      if (!deadline.pause()) return fail_errno(error, "link '" + lock + "'");
    } else if (error != EEXIST) {
      return fail_errno(error, "link '" + lock + "'");
    } else if (!deadline.pause()) {
      return lock_is_held(update.ref, lock);
    }
  }
}

// A packed ref "a" forbids "a/b", and the other way round; loose ones are in the way as files.
Status check_packed_names(const std::string& dir, const RefName& ref) {
  const auto packed = TRY(internal::PackedRefs::read(dir));
  const std::string& name = ref.str();
  for (std::size_t slash = name.find('/', 5); slash != name.npos;
       slash = name.find('/', slash + 1)) {
    const RefName above(name.substr(0, slash));
    if (TRY(packed.find(above)).has_value()) return in_the_way(ref, above.str());
  }
  std::string below;
  TRY(packed.each(name + "/", [&](const RefName& other, const Oid&) { below = other.str(); }));
  if (!below.empty()) return in_the_way(ref, below);
  return {};
}

Status compare(const std::string& dir, const RefUpdate& update) {
  const std::optional<Oid> value = TRY(internal::current_value(dir, update.ref));
  if (!value && update.expected.empty()) return check_packed_names(dir, update.ref);
  if (value && *value == update.expected) return {};
  const std::string is = value ? "is " + value->str() : std::string("does not exist");
  const std::string not_what =
      update.expected.empty() ? "it should not exist" : "not " + update.expected.str();
  return fail(Code::kStale, "the reference " + update.ref.str() + " " + is + ", " + not_what);
}

Status rename_lock(const std::string& lock, const std::string& path, const RefName& ref) {
  if (::rename(lock.c_str(), path.c_str()) == 0) return {};
  int error = errno;
  if (error == EISDIR || error == ENOTEMPTY || error == EEXIST) {
    // git leaves empty directories of deleted refs behind
    if (!internal::remove_empty_dirs(path)) return in_the_way(ref, "a reference below it");
    if (::rename(lock.c_str(), path.c_str()) == 0) return {};
    error = errno;
  }
  return fail_errno(error, "rename '" + lock + "'");
}

// The ref's directory and those above it, up to and including `refs` when whole, else up to and
// including refs/<kind>.
enum class Chain { kKind, kWhole };
Status sync_chain(const std::string& dir, const RefName& ref, Chain chain) {
  std::vector<std::string> paths;
  std::string name = parent_dir(ref.str());
  while (name != "." && (chain == Chain::kWhole || name != "refs")) {
    paths.push_back(dir + "/" + name);
    name = parent_dir(name);
  }
  return fsync_all(paths);
}

// Those kinds were there long before us: git makes and keeps the first two, we the third.
bool has_lasting_kind(const RefName& ref) {
  const std::string& name = ref.str();
  return name.starts_with("refs/heads/") || name.starts_with("refs/tags/") ||
         name.starts_with(kOwnRefs);
}

Status after_rename(const std::string& dir, const RefUpdate& update) {
  TRY(fp_after_rename.hit());
  TRY(fp_before_dirsync.hit());
  if (update.durable == RefDurable::kBytes) return {};
  const bool below_kind = !update.expected.empty() || has_lasting_kind(update.ref);
  return sync_chain(dir, update.ref, below_kind ? Chain::kKind : Chain::kWhole);
}

Status tell_step(const RefUpdate& update, RefStep step) {
  return update.told ? update.told(step) : Status{};
}

Status check_update(const RefUpdate& update) {
  if (!is_ref_name(update.ref.str())) {
    return fail(Code::kUsage, "'" + update.ref.str() + "' is not a valid reference name",
                "see: git help check-ref-format");
  }
  for (const Oid* oid : {&update.expected, &update.desired}) {
    if (oid->empty() || is_oid(oid->str())) continue;
    return fail(Code::kUsage, "'" + oid->str() + "' is not an object name");
  }
  if (update.expected.empty() && update.desired.empty()) {
    return fail(Code::kUsage, "an update of " + update.ref.str() + " names no value");
  }
  return {};
}

}  // namespace

Refs::Refs(std::string common_dir, const Git& git)
    : dir_(std::move(common_dir)),
      git_(git),
      config_(
          std::make_shared<Config>(git, GitOptions{.dir = dir_, .extra = {{"GIT_DIR", dir_}}})) {}

RefDraft::~RefDraft() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<RefDraft> Refs::draft(const RefUpdate& update) const {
  TRY(check_update(update));
  return write_ref_draft(dir_, update, Sync::kNo);
}

Status Refs::update(const RefUpdate& update) const {
  TRY(check_update(update));
  if (update.desired.empty()) return erase(update);
  RefDraft lock = TRY(take_lock(dir_, update));
  TRY(fp_after_ref_lock.hit());
  TRY(compare(dir_, update));
  Status done = tell_step(update, RefStep::kPrepared);
  if (done) done = internal::append_reflogs(dir_, *config_, update);
  if (done) done = rename_lock(lock.path(), dir_ + "/" + update.ref.str(), update.ref);
  // How it ended is a fact, whatever whoever is told makes of it; as with git.
  if (!done) static_cast<void>(tell_step(update, RefStep::kAborted).has_value());
  TRY(std::move(done));
  lock.release();
  Status synced = after_rename(dir_, update);
  if (synced) static_cast<void>(tell_step(update, RefStep::kCommitted).has_value());
  if (synced) return {};
  Error error = std::move(synced).error();
  error.code = Code::kOutcomeUnknown;
  error.message = "the reference " + update.ref.str() +
                  " was moved, but is perhaps not durable: " + error.message;
  return std::unexpected(std::move(error));
}

Status Refs::erase(const RefUpdate& update) const {
  const GitOptions options{.dir = dir_, .extra = {{"GIT_DIR", dir_}}};
  Deadline deadline(update.lock_deadline_ms);
  while (true) {
    const std::optional<Oid> value = TRY(internal::current_value(dir_, update.ref));
    if (!value || *value != update.expected) {
      return fail(Code::kStale, "the reference " + update.ref.str() + " is " +
                                    (value ? value->str() : "gone") + ", not " +
                                    update.expected.str());
    }
    const Output output = TRY(git_.run(
        {"update-ref", "--no-deref", "-d", update.ref.str(), update.expected.str()}, options));
    if (output.exit.success()) return {};
    const bool locked = output.err.find(".lock") != std::string::npos;
    const bool moved = output.err.find("but expected") != std::string::npos;
    if (!locked && !moved) return fail(Code::kFault, "git update-ref -d: " + output.err);
    if (locked && !deadline.pause()) {
      return lock_is_held(update.ref, dir_ + "/" + update.ref.str() + ".lock");
    }
  }
}

Result<bool> Refs::remove_own_lock(const RefName& ref, const Oid& desired) const {
  if (!is_ref_name(ref.str())) return fail(Code::kUsage, "'" + ref.str() + "' is not a reference");
  const std::string lock = dir_ + "/" + ref.str() + ".lock";
  auto bytes = TRY(if_there(read_file(lock, 1u << 20)));
  if (!bytes) return false;
  if (desired.empty() || *bytes != desired.str() + "\n") return false;
  TRY(remove_file(lock));
  return true;
}

Status Refs::update_held(const RefUpdate& wanted) const {
  Status updated = update(wanted);
  const bool ours = wanted.ref.str().starts_with(kOwnRefs);
  if (updated || updated.error().code != Code::kBusy || !ours) return updated;
  constexpr std::size_t kLongest = 65;  // a SHA-256, and the end of the line
  const auto bytes = read_file(dir_ + "/" + wanted.ref.str() + ".lock", kLongest);
  if (!bytes || !bytes->ends_with('\n')) return updated;
  const Oid left(bytes->substr(0, bytes->size() - 1));
  if (!TRY(remove_own_lock(wanted.ref, left))) return updated;
  return update(wanted);
}

Status Refs::make_root() const {
  return make_own_root(dir_);
}

Status Refs::sync_directory(const RefName& ref) const {
  if (!is_ref_name(ref.str())) return fail(Code::kUsage, "'" + ref.str() + "' is not a reference");
  Status file = fsync_path(dir_ + "/" + ref.str());
  if (file) return sync_chain(dir_, ref, Chain::kWhole);
  if (file.error().code != Code::kNotFound) return file;
  // Packed since, perhaps by a git that synced nothing. The order is git's: packed-refs, then the
  // file.
  TRY(fsync_path(dir_ + "/packed-refs"));
  return fsync_path(dir_);
}

}  // namespace gittxn::repo
