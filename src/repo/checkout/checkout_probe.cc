// Is the person's checkout ready for a landing? Nothing is changed here but two empty files that
// prove, and are gone again, that names can be exchanged.
//
// A touched file is clean when the index has the old entry and the file's stat data is exactly what
// git recorded and not racy; that costs one lstat and is what git itself would conclude. Every
// other file is put to git (status), which knows filters, line ends and file modes. Files that git
// is told not to look at (assume-unchanged, skip-worktree) are hashed by git.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <set>

#include "base/bug.h"
#include "base/fs.h"
#include "base/random.h"
#include "repo/checkout/checkout_stage.h"
#include "repo/refs.h"

namespace gittxn::repo {
namespace {

using Block = std::optional<CheckoutBlock>;
Block blocked(WaitReason reason, std::string path) {
  return CheckoutBlock{reason, std::move(path)};
}

constexpr std::size_t kMostArgumentBytes = 100'000;

Result<Block> operation_in_progress(const CheckoutPlace& place) {
  constexpr std::array<std::pair<std::string_view, WaitReason>, 6> kOperations = {{
      {"rebase-merge", WaitReason::kRebase},
      {"rebase-apply", WaitReason::kRebase},
      {"MERGE_HEAD", WaitReason::kMerge},
      {"CHERRY_PICK_HEAD", WaitReason::kCherryPick},
      {"REVERT_HEAD", WaitReason::kRevert},
      {"sequencer", WaitReason::kCherryPickOrRevert},
  }};
  for (const auto& [file, reason] : kOperations) {
    if (TRY(exists(place.git_dir + "/" + std::string(file)))) {
      return blocked(reason, place.worktree);
    }
  }
  return Block{};
}

// The file system: can a staged file and the one it replaces change places in one step?
Result<Block> cannot_exchange(const CheckoutPlace& place) {
  const std::string root = TRY(internal::staging_root(place));
  TRY(internal::make_staging_root(place, root));
  const std::string one = root + "/probe-" + Random().name(10);
  const std::string two = one + ".other";
  TRY(write_file(one, "", Sync::kNo));
  Status exchanged = write_file(two, "", Sync::kNo);
  if (exchanged) exchanged = rename_exchange(one, two);
  TRY(remove_file(one));
  TRY(remove_file(two));
  if (exchanged) return Block{};
  if (exchanged.error().code != Code::kUnsupported) return std::unexpected(exchanged.error());
  return blocked(WaitReason::kNoExchange, place.worktree);
}

class Probe {
 public:
  Probe(Repository& repository, const CheckoutMove& move, const IndexFile& index,
        const TreeRoot& root)
      : repository_(repository), move_(move), index_(index), root_(root) {
    for (const PathChange& change : move.files) {
      if (!change.after.present()) removed_.insert(change.path);
    }
  }

  Result<Block> run(const struct stat& of_index, int staging) {
    for (const PathChange& change : move_.files) {
      if (Block block = TRY(look_at_directory(change.path, staging))) return block;
      const auto found = TRY(root_.look(change.path));
      Block block = change.before.present() ? TRY(look_at_old(change, found, of_index))
                                            : TRY(look_at_added(change, found));
      if (block) return block;
    }
    if (Block block = TRY(ask_git_for_hashes())) return block;
    return ask_git_for_status();
  }

 private:
  // The directory that will name the file, or the nearest one above it that is there.
  Result<Block> look_at_directory(const std::string& path, int staging) {
    auto spot = TRY(root_.find(path));
    for (std::string above = path; !spot;) {
      above = parent_dir(above);
      spot = TRY(root_.find(above));
    }
    const bool reachable = TRY(internal::same_mount(spot->dir.get(), staging));
    if (!reachable) return blocked(WaitReason::kOtherFileSystem, path);
    const std::string directory = fmt::format("/proc/self/fd/{}", spot->dir.get());
    if (::access(directory.c_str(), W_OK | X_OK) == 0) return Block{};
    return blocked(WaitReason::kDirectoryReadOnly, path);
  }

  // A path that the landing changes or removes.
  Result<Block> look_at_old(const PathChange& change, const std::optional<FoundSpot>& found,
                            const struct stat& of_index) {
    const IndexEntry* entry = index_.find(change.path);
    if (entry == nullptr) return blocked(WaitReason::kStaged, change.path);
    if (entry->stage != 0) return blocked(WaitReason::kUnmerged, change.path);
    if (entry->intent_to_add || index_.oid(*entry) != change.before.oid ||
        entry->mode != static_cast<std::uint32_t>(change.before.mode)) {
      return blocked(WaitReason::kStaged, change.path);
    }
    if (entry->skip_worktree || entry->assume_unchanged) {
      return look_at_flagged(change, *entry, found);
    }
    if (!found || !is_file_or_link(found->info)) return blocked(WaitReason::kUnstaged, change.path);
    if (!index_.stat_matches(*entry, found->info) || index_.is_racy(*entry, of_index)) {
      unclear_.push_back(change.path);
    }
    return Block{};
  }

  // git says nothing about these, so their bytes are compared whatever their stat data is.
  Result<Block> look_at_flagged(const PathChange& change, const IndexEntry& entry,
                                const std::optional<FoundSpot>& found) {
    const WaitReason differs =
        entry.skip_worktree ? WaitReason::kSkipWorktree : WaitReason::kAssumeUnchanged;
    if (!found && entry.skip_worktree) return Block{};  // outside a sparse checkout
    if (!found || !internal::same_kind(found->info, change.before.mode)) {
      return blocked(differs, change.path);
    }
    if (!S_ISLNK(found->info.st_mode)) {
      hashed_.push_back({change.path, change.before.oid, differs});
      return Block{};
    }
    const Oid oid = blob_oid(TRY(bytes_at(*found)));
    if (oid != change.before.oid) return blocked(differs, change.path);
    return Block{};
  }

  Result<Block> look_at_added(const PathChange& change, const std::optional<FoundSpot>& found) {
    if (index_.find(change.path) != nullptr) return blocked(WaitReason::kStaged, change.path);
    // Something on the way that is no directory: fine if the landing removes it.
    for (std::size_t slash = change.path.find('/'); slash != std::string::npos;
         slash = change.path.find('/', slash + 1)) {
      const std::string above = change.path.substr(0, slash);
      const auto info = TRY(root_.stat(above));
      if (!info) break;
      if (S_ISDIR(info->st_mode)) continue;
      if (removed_.contains(above)) break;
      return blocked(WaitReason::kUntracked, above);
    }
    if (!found) return Block{};
    if (!S_ISDIR(found->info.st_mode)) return blocked(WaitReason::kUntracked, change.path);
    return look_below(change.path);
  }

  // A directory where the landing adds a file: everything in it has to go with the landing.
  Result<Block> look_below(const std::string& directory) {
    for (const DirEntry& entry : TRY(list_dir(root_.path() + "/" + directory))) {
      const std::string path = directory + "/" + entry.name;
      if (entry.type == DT_DIR) {
        if (Block block = TRY(look_below(path))) return block;
      } else if (!removed_.contains(path)) {
        return blocked(WaitReason::kUntracked, path);
      }
    }
    return Block{};
  }

  Result<Block> ask_git_for_hashes() {
    std::vector<std::string> paths;
    for (const Flagged& file : hashed_) paths.push_back(file.path);
    const std::vector<Oid> oids = TRY(internal::hash_paths(repository_, move_.place, paths));
    for (std::size_t i = 0; i < oids.size(); ++i) {
      if (oids[i] != hashed_[i].oid) return blocked(hashed_[i].differs, paths[i]);
    }
    return Block{};
  }

  Result<Block> ask_git_for_status() {
    for (std::size_t next = 0; next < unclear_.size();) {
      std::vector<std::string> args = {
          "-c", "core.fsmonitor=false", "status",       "--porcelain=v2",
          "-z", "--untracked-files=no", "--no-renames", "--"};
      for (std::size_t bytes = 0; next < unclear_.size() && bytes < kMostArgumentBytes; ++next) {
        bytes += unclear_[next].size() + 1;
        args.push_back(unclear_[next]);
      }
      const std::string text =
          TRY(repository_.git().must(std::move(args), internal::checkout_options(move_.place)));
      if (text.empty()) continue;
      // "1 XY sub mH mI mW hH hI path", "u XY sub m1 m2 m3 mW h1 h2 h3 path"
      const std::string record = split_nul(text).front();
      std::size_t at = 0;
      for (int fields = record[0] == 'u' ? 10 : 8; fields > 0 && at != std::string::npos;
           --fields) {
        at = record.find(' ', at + (at == 0 ? 0 : 1));
      }
      if (at == std::string::npos) return fail(Code::kFault, "git status said: " + record);
      if (record[0] == 'u') return blocked(WaitReason::kUnmerged, record.substr(at + 1));
      const bool staged = record[2] != '.';
      return blocked(staged ? WaitReason::kStaged : WaitReason::kUnstaged, record.substr(at + 1));
    }
    return Block{};
  }

  struct Flagged {
    std::string path;
    Oid oid;
    WaitReason differs;
  };

  Repository& repository_;
  const CheckoutMove& move_;
  const IndexFile& index_;
  const TreeRoot& root_;
  std::set<std::string> removed_;
  std::vector<std::string> unclear_;
  std::vector<Flagged> hashed_;
};

}  // namespace

Result<std::optional<CheckoutBlock>> probe_checkout(Repository& repository,
                                                    const CheckoutMove& move) {
  if (INJECTED_BUG("checkout.no_probe")) return Block{};
  const CheckoutPlace& place = move.place;
  if (Block block = TRY(operation_in_progress(place))) return block;
  const HeadValue head = TRY(read_head(place.git_dir));
  if (!head.symbolic || head.target != place.branch) {
    return fail(Code::kStale, place.worktree + " is not on " + place.branch.str() + " any more");
  }
  const bool ours = TRY(internal::lock_names(place, move.new_commit));
  if (!ours && TRY(exists(internal::lock_path(place)))) {
    return blocked(WaitReason::kIndexLock, internal::lock_path(place));
  }
  if (move.files.empty()) return Block{};
  if (Block block = TRY(cannot_exchange(place))) return block;
  const TreeRoot root = TRY(TreeRoot::open(place.worktree));
  struct stat of_index{};
  if (::lstat(internal::index_path(place).c_str(), &of_index) != 0) {
    return fail_errno(errno, "stat '" + internal::index_path(place) + "'");
  }
  const IndexFile index = TRY(internal::load_checkout_index(repository, place));
  const std::string staging = TRY(internal::staging_root(place));
  const UniqueFd staging_fd = TRY(open_fd(staging, O_PATH | O_DIRECTORY));
  return Probe(repository, move, index, root).run(of_index, staging_fd.get());
}

}  // namespace gittxn::repo
