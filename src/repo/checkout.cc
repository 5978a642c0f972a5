// What LandingPrepared records of a checkout, and the lock on its index.
//
// index.lock is git's own protocol: a file that exists is a lock. Ours is linked into place
// finished and synced, so that it is never empty and always says whose it is, after a power cut
// too; and it is only ever removed by name of the landing. A kill leaves the lock (recovery's), or
// a "lock-*" file in <git dir>/txn, which nobody minds and the next prune removes.
#include "repo/checkout.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "base/random.h"
#include "base/sync.h"
#include "model/fields.h"
#include "repo/checkout/checkout_stage.h"
#include "repo/refs.h"

namespace gittxn::repo {
namespace {

FAILPOINT(fp_after_checkout_lock, "checkout.after_lock");

constexpr std::string_view kLockWord = "git-txn ";
constexpr std::int64_t kFirstPause_ms = 5;
constexpr std::int64_t kLongestPause_ms = 100;

Result<std::string> text_field(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name) || !json[name].is_string()) {
    return fail(Code::kCorrupt, fmt::format("a recorded checkout has no '{}'", name));
  }
  return json[name].text();
}

Error busy(const std::string& path) {
  Error error{Code::kBusy, "the index is locked: " + path, {}, {}};
  const auto text = read_file(path, 4096);
  if (text && text->starts_with(kLockWord)) {
    error.message += " by " + text->substr(0, text->find('\n'));
    error.hint = "see what is there with: git txn recover";
  } else {
    error.hint = "a git command is running there, or one died and left the file: then remove it";
  }
  return error;
}

std::string lock_text(const TxnId& txn, const Oid& new_commit) {
  return fmt::format("{}{} {}\n", kLockWord, txn.str(), new_commit.str());
}

// Empty when there is no lock. git's own lock may be a whole index.
Result<std::string> read_lock(const std::string& path) {
  auto fd = TRY(if_there(open_fd(path, O_RDONLY | O_NOFOLLOW)));
  if (!fd) return std::string();
  std::string text(4096, '\0');
  const ssize_t got = ::read(fd->get(), text.data(), text.size());
  if (got < 0) return fail_errno(errno, "read '" + path + "'");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

}  // namespace

Json to_json(const CheckoutMove& move) {
  Json files = Json::array();
  for (const PathChange& change : move.files) files.push_back(to_json(change));
  return Json{{"worktree", encode_path(move.place.worktree)},
              {"git_dir", encode_path(move.place.git_dir)},
              {"branch", encode_path(move.place.branch.str())},
              {"old", move.old_commit.str()},
              {"new", move.new_commit.str()},
              {"files", std::move(files)}};
}

Result<CheckoutMove> checkout_move_from_json(const Json& json) {
  CheckoutMove move;
  move.place.worktree = decode_path(TRY(text_field(json, "worktree")));
  move.place.git_dir = decode_path(TRY(text_field(json, "git_dir")));
  move.place.branch = RefName(decode_path(TRY(text_field(json, "branch"))));
  move.old_commit = Oid(TRY(text_field(json, "old")));
  move.new_commit = Oid(TRY(text_field(json, "new")));
  if (!is_oid(move.old_commit.str()) || !is_oid(move.new_commit.str()) || !json.contains("files") ||
      !json["files"].is_array()) {
    return fail(Code::kCorrupt, "a recorded checkout has no commits or files");
  }
  for (const Json& change : json["files"])
    move.files.push_back(TRY(read_fields<PathChange>(change)));
  return move;
}

std::string internal::lock_path(const CheckoutPlace& place) {
  return place.git_dir + "/index.lock";
}

Result<bool> internal::lock_names(const CheckoutPlace& place, const Oid& new_commit) {
  const std::string text = TRY(read_lock(lock_path(place)));
  return text.starts_with(kLockWord) && text.ends_with(" " + new_commit.str() + "\n");
}

Result<std::vector<std::string>> index_to_sync(const CheckoutPlace& place) {
  const std::string index = place.git_dir + "/index";
  if (!TRY(exists(index))) return std::vector<std::string>{};
  return std::vector<std::string>{index, place.git_dir};
}

Result<IndexLock> IndexLock::acquire(const CheckoutPlace& place, const TxnId& txn,
                                     const Oid& new_commit, std::int64_t deadline_ms) {
  const std::string path = internal::lock_path(place);
  const std::string text = lock_text(txn, new_commit);
  const std::string made = fmt::format("{}/txn/lock-{}", place.git_dir, Random().name(10));
  TRY(make_dirs(place.git_dir + "/txn"));
  TRY(write_draft(made, text, Sync::kYes, 0644));
  SystemClock clock;
  const std::int64_t until = clock.boot_ms() + deadline_ms;
  for (std::int64_t pause_ms = kFirstPause_ms;;) {
    const Status linked = hard_link(made, path);
    if (linked || linked.error().code != Code::kExists) {
      TRY(remove_file(made));
      if (!linked) return std::unexpected(linked.error());
      IndexLock lock(path, text);
      TRY(fp_after_checkout_lock.hit());
      return lock;
    }
    const std::int64_t left_ms = until - clock.boot_ms();
    if (deadline_ms >= 0 && left_ms <= 0) {
      TRY(remove_file(made));
      return std::unexpected(busy(path));
    }
    clock.sleep_ms(deadline_ms < 0 ? pause_ms : std::min(pause_ms, left_ms));
    pause_ms = std::min(pause_ms * 2, kLongestPause_ms);
  }
}

IndexLock IndexLock::adopt(const CheckoutPlace& place, const TxnId& txn, const Oid& new_commit) {
  IndexLock lock(internal::lock_path(place), lock_text(txn, new_commit));
  lock.abandon();
  return lock;
}

IndexLock::IndexLock(IndexLock&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      text_(std::move(other.text_)),
      abandoned_(other.abandoned_) {}

IndexLock& IndexLock::operator=(IndexLock&& other) noexcept {
  if (this != &other) {
    if (!abandoned_) (void)unlink();  // as the destructor
    path_ = std::exchange(other.path_, {});
    text_ = std::move(other.text_);
    abandoned_ = other.abandoned_;
  }
  return *this;
}

IndexLock::~IndexLock() {
  // Nobody is left to tell; a lock that stays is found by name by the next discard or recovery.
  if (!abandoned_) (void)unlink();
}

void IndexLock::abandon() {
  abandoned_ = true;
}

Result<bool> IndexLock::stands() const {
  return !path_.empty() && TRY(read_lock(path_)) == text_;
}

Status IndexLock::unlink() {
  // A person may have removed it, and git may hold its own by now.
  if (TRY(stands())) TRY(remove_file(path_));
  path_.clear();
  return {};
}

}  // namespace gittxn::repo
