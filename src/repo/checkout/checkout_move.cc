// Moving the files. Each path is one of three steps, and each step is safe to be killed in and to
// be done again; checkout_stage.h says how the state is told from which inode is where.
//
//   changed   staged file and old file exchange names; what came out is compared with the old
//             bytes. If it is not them, somebody saved in between: the names are exchanged back,
//             and the save stands where the person put it.
//   removed   renamed out, compared, and renamed back (NOREPLACE) if it is the person's
//   added     renamed in with NOREPLACE: what is there already stays
//
// A save can come at any instant: by rename (then the path is another inode) or in place by an
// editor that opened the old inode (then the displaced inode changes: before the check it is put
// back, after it find_late_saves sees it). In no order of events is a byte of the person
// overwritten or unlinked.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/bug.h"
#include "base/failpoint.h"
#include "base/if_there.h"
#include "repo/checkout/checkout_stage.h"

namespace gittxn::repo {

using internal::Manifest;
using internal::Slot;

namespace {

FAILPOINT(fp_mid_move, "checkout.mid_move");
FAILPOINT(fp_mid_swap, "checkout.mid_swap");
FAILPOINT(fp_after_move, "checkout.after_move");

enum class Done { kMoved, kPersons };

Result<bool> rename_spots(const Spot& from, const Spot& to, unsigned int flags) {
  if (::renameat2(from.dir.get(), from.name.c_str(), to.dir.get(), to.name.c_str(), flags) == 0) {
    return true;
  }
  // Something else is at one of the names by now: for the caller to look again.
  if (errno == EEXIST || errno == ENOENT || errno == ENOTEMPTY || errno == ENOTDIR) return false;
  return fail_errno(errno, fmt::format("rename '{}'", to.name));
}

// Directories that hold nothing but directories are nobody's work, and git does not know them.
void remove_empty_directories(const Spot& spot) {
  UniqueFd fd(
      ::openat(spot.dir.get(), spot.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return;
  const auto entries = list_dir(fmt::format("/proc/self/fd/{}", fd.get()));
  if (!entries) return;
  for (const DirEntry& entry : *entries) {
    UniqueFd parent(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
    remove_empty_directories({std::move(parent), entry.name});
  }
  // Refused when there is anything in it, which is what we want then.
  ::unlinkat(spot.dir.get(), spot.name.c_str(), AT_REMOVEDIR);
}

class Mover {
 public:
  Mover(Repository& repository, const CheckoutMove& move, std::string directory, TreeRoot checkout,
        TreeRoot staging, Manifest manifest)
      : repository_(repository),
        move_(move),
        directory_(std::move(directory)),
        checkout_(std::move(checkout)),
        staging_(std::move(staging)),
        manifest_(std::move(manifest)) {}

  Result<MoveReport> run() {
    // Removals first: a file may have to make room for a directory, and the other way round.
    TRY(each(&Mover::remove, [](const PathChange& c) { return !c.after.present(); }));
    TRY(each(&Mover::exchange,
             [](const PathChange& c) { return c.before.present() && c.after.present(); }));
    TRY(each(&Mover::add, [](const PathChange& c) { return !c.before.present(); }));
    return std::move(report_);
  }

 private:
  using Step = Result<Done> (Mover::*)(const PathChange&, const Slot&);

  template <typename Wanted>
  Status each(Step step, Wanted wanted) {
    for (const PathChange& change : move_.files) {
      const auto slot = manifest_.slots.find(change.path);
      if (!wanted(change)) continue;
      Done done = Done::kPersons;
      if (slot != manifest_.slots.end() && !slot->second.persons) {
        if (slot->second.index_only) continue;
        done = TRY_IN("moving '" + change.path + "'", (this->*step)(change, slot->second));
      }
      if (done == Done::kPersons) report_.left_to_person.push_back(change.path);
      TRY(fp_mid_move.hit());
    }
    return {};
  }

  // Is this the file that the old commit had?
  // `file`: the same spot as a path, for git.
  Result<bool> is_old(const Spot& spot, const std::string& file, const PathChange& change,
                      const Slot& slot) const {
    if (INJECTED_BUG("checkout.no_byte_check")) return true;
    const auto info = TRY(stat_at(spot));
    if (!info || !internal::same_kind(*info, change.before.mode)) return false;
    constexpr std::uint32_t kRun = 0111;
    if (slot.old.ino != 0 && S_ISREG(info->st_mode) &&
        (info->st_mode & kRun) != (slot.old.mode & kRun)) {
      return false;
    }
    auto digest = TRY(if_there(digest_at(spot)));
    if (!digest) return false;
    if (*digest == slot.old.digest) return true;
    // Other bytes may still be the same content: line ends, a filter.
    if (S_ISLNK(info->st_mode)) return blob_oid(TRY(bytes_at(spot))) == change.before.oid;
    const GitOptions git = internal::checkout_options(move_.place);
    const Output named =
        TRY(repository_.git().run({"hash-object", "--path=" + change.path, "--", file}, git));
    return named.exit.success() && named.out == change.before.oid.str() + "\n";
  }

  std::string in_checkout(const PathChange& change) const {
    return move_.place.worktree + "/" + change.path;
  }

  Result<bool> is_staged(const Spot& spot, const Slot& slot) const {
    const auto info = TRY(stat_at(spot));
    if (!info || !internal::same_inode(slot.staged, *info)) return false;
    return is_new(spot, slot);
  }

  Result<bool> is_new(const Spot& spot, const Slot& slot) const {
    const auto info = TRY(stat_at(spot));
    if (!info || (info->st_mode & (S_IFMT | 0111)) != (slot.staged.mode & (S_IFMT | 0111))) {
      return false;
    }
    const auto digest = digest_at(spot);
    return digest && *digest == slot.staged.digest;
  }

  // The file in new/ or out/, as long as it is there.
  Result<std::optional<FoundSpot>> kept_at(const char* area, const std::string& path) const {
    auto found = TRY(staging_.look(area + path));
    if (!found || S_ISDIR(found->info.st_mode)) return std::nullopt;
    return found;
  }

  // Checked or not: out of the way for good. A name that is taken holds an earlier displacement.
  Status keep(const Spot& from, const std::string& path) const {
    for (int i = 0;; ++i) {
      const Spot to =
          TRY(staging_.make("old/" + path + (i == 0 ? "" : fmt::format("~{}", i)), 0700));
      const bool kept = TRY(rename_spots(from, to, RENAME_NOREPLACE));
      const auto still = kept ? std::optional<struct stat>() : TRY(stat_at(from));
      if (kept || !still) return {};
    }
  }

  // A build that looks at time stamps must see that the file changed now, not when it was staged.
  static void touch(const Spot& spot) {
    ::utimensat(spot.dir.get(), spot.name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }

  Result<Done> exchange(const PathChange& change, const Slot& slot) {
    const auto staged = TRY(kept_at("new/", change.path));
    if (!staged) return Done::kMoved;  // done before
    const auto place = TRY(checkout_.find(change.path));
    if (!place) return Done::kPersons;  // its directory is gone, or is a link now
    if (internal::same_inode(slot.staged, staged->info)) {
      const bool clean = TRY(is_old(*place, in_checkout(change), change, slot));
      if (!clean) return TRY(is_new(*place, slot)) ? Done::kMoved : Done::kPersons;
      touch(*staged);
      const bool exchanged = TRY(rename_spots(*staged, *place, RENAME_EXCHANGE));
      if (!exchanged) return Done::kPersons;  // removed in this instant
      TRY(fp_mid_swap.hit());
    }
    const bool clean = TRY(is_old(*staged, directory_ + "/new/" + change.path, change, slot));
    if (!clean) return put_back(*staged, *place, change, slot);
    TRY(keep(*staged, change.path));
    return Done::kMoved;
  }

  // What came out is the person's: it goes back where it was. If they have saved yet again
  // meanwhile, the later save is the one that stays in place, and the earlier one is kept.
  Result<Done> put_back(const Spot& saved, const Spot& place, const PathChange& change,
                        const Slot& slot) {
    bool back = TRY(rename_spots(saved, place, RENAME_EXCHANGE));
    if (!back) {
      back = TRY(rename_spots(saved, place, RENAME_NOREPLACE));
      if (!back) TRY(keep(saved, change.path));
      return Done::kPersons;
    }
    const bool ours = TRY(is_staged(saved, slot));
    if (ours) return Done::kPersons;
    const bool later = TRY(rename_spots(saved, place, RENAME_EXCHANGE));
    if (!later) TRY(rename_spots(saved, place, RENAME_NOREPLACE));
    const auto left = TRY(stat_at(saved));
    if (left) TRY(keep(saved, change.path));
    return Done::kPersons;
  }

  Result<Done> remove(const PathChange& change, const Slot& slot) {
    auto out = TRY(kept_at("out/", change.path));
    if (!out) {
      const auto done = TRY(kept_at("old/", change.path));
      const auto place = TRY(checkout_.look(change.path));
      if (done && place) return Done::kPersons;  // made anew since
      if (!place) {
        TRY(checkout_.prune_parents(change.path));
        return Done::kMoved;
      }
      const bool clean = TRY(is_old(*place, in_checkout(change), change, slot));
      if (!clean) return Done::kPersons;
      const Spot to = TRY(staging_.make("out/" + change.path, 0700));
      const bool renamed = TRY(rename_spots(*place, to, RENAME_NOREPLACE));
      if (!renamed) return Done::kMoved;  // removed in this instant
      TRY(fp_mid_swap.hit());
      out = TRY(kept_at("out/", change.path));
      if (!out) return fail(Code::kFault, "what was just renamed is gone");
    }
    const bool clean = TRY(is_old(*out, directory_ + "/out/" + change.path, change, slot));
    if (!clean) {
      auto place = checkout_.make(change.path);
      bool back = false;
      if (place) back = TRY(rename_spots(*out, *place, RENAME_NOREPLACE));
      if (!back) TRY(keep(*out, change.path));
      return Done::kPersons;
    }
    TRY(keep(*out, change.path));
    TRY(checkout_.prune_parents(change.path));
    return Done::kMoved;
  }

  Result<Done> add(const PathChange& change, const Slot& slot) {
    const auto staged = TRY(kept_at("new/", change.path));
    if (!staged) return Done::kMoved;  // done before
    auto place = checkout_.make(change.path);
    if (!place && place.error().code == Code::kExists) return Done::kPersons;
    if (!place) return std::unexpected(std::move(place).error());
    touch(*staged);
    bool added = TRY(rename_spots(*staged, *place, RENAME_NOREPLACE));
    if (!added) {
      remove_empty_directories(*place);
      added = TRY(rename_spots(*staged, *place, RENAME_NOREPLACE));
    }
    if (added) return Done::kMoved;
    return TRY(is_new(*place, slot)) ? Done::kMoved : Done::kPersons;
  }

  Repository& repository_;
  const CheckoutMove& move_;
  std::string directory_;
  TreeRoot checkout_;
  TreeRoot staging_;
  Manifest manifest_;
  MoveReport report_;
};

}  // namespace

Result<MoveReport> move_checkout(Repository& repository, const TxnId& txn,
                                 const CheckoutMove& move) {
  if (move.files.empty()) return MoveReport{};
  std::string directory = TRY(internal::staging_directory(move.place, txn));
  Manifest manifest = TRY_IN("moving the checkout", internal::read_manifest(directory));
  TreeRoot checkout = TRY(TreeRoot::open(move.place.worktree));
  TreeRoot staging = TRY(TreeRoot::open(directory));
  Mover mover(repository, move, std::move(directory), std::move(checkout), std::move(staging),
              std::move(manifest));
  MoveReport report = TRY(mover.run());
  TRY(fp_after_move.hit());
  return report;
}

}  // namespace gittxn::repo
