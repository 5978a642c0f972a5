// The repository that a local store belongs to. `cp -a` of a repository copies its store, and with
// it the paths of worktrees that are the original's: what is removed, taken or run there would be
// the original's live work. So <txn dir>/home says where the store is at home: the folder, as its
// inode and when it was made, and its path.
//
// A copy is told by the original being there still. It lets go of the worktrees: in its log they
// are gone, on disk nothing is touched. A repository that was moved, or put back in its place from
// a backup, has no original beside it and goes on. Clones of a hub have marks of their own
// (clone.h).
//
// If we die: some of the events that let go of worktrees, and the old mark; the next command goes
// on.
#include <fmt/format.h>
#include <sys/stat.h>

#include <sstream>

#include "base/failpoint.h"
#include "base/fs.h"
#include "store/events.h"
#include "txn/clone.h"

namespace gittxn::api {

namespace {

FAILPOINT(fp_let_go, "api.home.let_go");

constexpr std::size_t kMostHomeBytes = 1u << 16;

struct Home {
  std::string place;  // clone_place
  std::string path;   // the common git directory
  bool operator==(const Home&) const = default;
};

std::string home_file(const State& state) {
  return state.repository.txn_dir() + "/home";
}

// Nothing: a store from before there were marks, or no mark that we know.
Result<std::optional<Home>> read_home(const State& state) {
  const auto text = read_file(home_file(state), kMostHomeBytes);
  if (!text && text.error().code == Code::kNotFound) return std::optional<Home>{};
  if (!text) return std::unexpected(text.error());
  std::istringstream lines(*text);
  Home home;
  std::getline(lines, home.place);
  std::getline(lines, home.path, '\0');
  if (home.path.ends_with('\n')) home.path.pop_back();
  if (home.place.empty() || !home.path.starts_with('/')) return std::optional<Home>{};
  return std::optional<Home>(std::move(home));
}

bool is_same_folder(const std::string& a, const std::string& b) {
  struct stat one{}, other{};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// True when the folder at the other path is the one that ours was copied from.
Result<bool> is_copy_of(const Home& known, const Home& here) {
  if (known.path == here.path || is_same_folder(known.path, here.path)) return false;
  const bool has_store = TRY(exists(known.path + "/txn/kernel.db"));
  if (!has_store) return false;  // it was moved
  if (known.place != here.place) return true;
  // Moved, and another one is there by now; or a snapshot of the file system, inodes and all.
  const auto there = place_of_folder(known.path);
  return there && *there == here.place;
}

// The worktrees are the original's: here they are gone.
Result<int> let_go_of_worktrees(State& state) {
  int let_go = 0;
  for (const Txn& txn : TRY(state.store->txns({}))) {
    bool any = false;
    for (const Attempt& attempt : txn.attempts) {
      if (attempt.worktree.empty()) continue;
      TRY(state.store->append({store::events::worktree_removed(txn.id, attempt.number)}));
      TRY(fp_let_go.hit());
      any = true;
    }
    if (any && !is_final(txn.state)) ++let_go;
  }
  return let_go;
}

}  // namespace

Status settle_home(State& state) {
  if (state.membership.hub) return {};
  const Home here{TRY(clone_place(state)), state.repository.place().common_dir};
  const auto known = TRY(read_home(state));
  if (known && *known == here) return {};
  if (known && TRY(is_copy_of(*known, here))) {
    const int open = TRY(let_go_of_worktrees(state));
    state.home_notes.push_back(fmt::format(
        "this repository is a copy of {}; worktrees of transactions that were begun there are left "
        "alone{}",
        known->path,
        open == 0 ? ""
                  : fmt::format(", and {} open here {} what was kept of {}: git txn status", open,
                                open == 1 ? "has only" : "have only", open == 1 ? "it" : "them")));
  }
  TRY(state.repository.refs().make_root());
  TRY_IN("noting where the store is at home",
         write_file(home_file(state), here.place + "\n" + here.path + "\n", Sync::kYes, 0600));
  return {};
}

}  // namespace gittxn::api
