#include "land/under_way.h"

#include <fcntl.h>
#include <unistd.h>

namespace gittxn::land {
namespace {

constexpr std::size_t kMostOfAPhrase = 512;
constexpr std::int64_t kPatienceMs = 1000;  // of some system calls

std::string folder(const std::string& txn_dir) {
  return join_path(txn_dir, "landing");
}

bool is_held(const std::string& path) {
  return SlotLock::is_held(path, 0).value_or(false);
}

void remove_dead(const std::string& dir) {
  const auto entries = list_dir(dir);
  if (!entries) return;
  for (const DirEntry& entry : *entries) {
    const std::string path = join_path(dir, entry.name);
    if (!is_held(path)) static_cast<void>(remove_file(path).has_value());
  }
}

}  // namespace

// A file that another landing has created and not locked yet looks dead, so that one landing at a
// time creates its file and removes others'.
UnderWay::UnderWay(const std::string& txn_dir, const TxnId& txn)
    : path_(join_path(folder(txn_dir), txn.str())) {
  if (!make_dirs(folder(txn_dir))) return;
  const auto making = FileLock::acquire(folder(txn_dir) + ".lock", kPatienceMs);
  if (!making) return;
  remove_dead(folder(txn_dir));
  auto lock = SlotLock::try_acquire(path_, 0);
  auto file = lock ? open_fd(path_, O_WRONLY) : std::unexpected(lock.error());
  if (!file) return;
  lock_ = *std::move(lock);
  file_ = *std::move(file);
}

UnderWay::~UnderWay() {
  if (lock_.held()) static_cast<void>(remove_file(path_).has_value());
}

// Writes first and cuts off then, so that whoever reads meanwhile finds a line.
void UnderWay::say(std::string_view phrase) {
  if (!lock_.held()) return;
  const std::string line = std::string(phrase.substr(0, kMostOfAPhrase)) + "\n";
  const ssize_t written = ::pwrite(file_.get(), line.data(), line.size(), 0);
  if (written > 0) static_cast<void>(::ftruncate(file_.get(), written));
}

std::optional<std::string> under_way(const std::string& txn_dir, const TxnId& txn) {
  const std::string path = join_path(folder(txn_dir), txn.str());
  if (!is_held(path)) return std::nullopt;
  const auto text = read_file(path, kMostOfAPhrase + 1);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace gittxn::land
