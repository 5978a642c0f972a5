// If we die: layers without the file that names them, which go with the worktree.
#include "repo/worktree/worktree_share.h"

#include <unistd.h>

#include <cerrno>

#include "base/fs.h"
#include "base/if_there.h"
#include "repo/worktree/worktree_mount.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo {
namespace {

constexpr std::size_t kMostShares = 1u << 20;

std::string shares_file(const Worktree& worktree) {
  return worktree.path + "/shares";
}

std::unexpected<Error> bad_shares(const Worktree& worktree) {
  return fail(Code::kCorrupt, "'" + shares_file(worktree) + "' is damaged",
              "what was kept of the worktree is under refs/txn; start again with: git txn resume");
}

bool is_place(const std::string& path) {
  return !path.empty() && path[0] != '/' && path != "." && normal_path(path) == path &&
         path != ".." && !path.starts_with("../") && path != ".git" && !path.starts_with(".git/");
}

}  // namespace

std::string share_layer(const Worktree& worktree, std::size_t number) {
  return worktree.path + "/share." + std::to_string(number);
}

Result<SharedFolders> shared_folders(const Worktree& worktree) {
  auto text = TRY(if_there(read_file(shares_file(worktree), kMostShares)));
  if (!text) return SharedFolders{};
  if (!text->ends_with('\0')) return bad_shares(worktree);
  const std::vector<std::string> words = split_nul(*text);
  const auto marks = value_in(kOverlayMarks, "marks", words.empty() ? "" : words[0]);
  if (words.size() % 2 == 0 || !marks) return bad_shares(worktree);
  SharedFolders shared{*marks, {}};
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!is_place(words[i]) || !words[i + 1].starts_with('/')) return bad_shares(worktree);
    shared.folders.push_back({words[i], words[i + 1]});
  }
  return shared;
}

Status share_folders(const Worktree& worktree, const std::vector<SharedFolder>& folders) {
  const bool overlay = worktree.kind == WorktreeKind::kOverlay;
  const OverlayMarks marks = overlay ? worktree.marks : overlay_marks();
  std::string text(name_in(kOverlayMarks, marks));
  text += '\0';
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (!is_place(folders[i].path)) return bad_shares(worktree);
    TRY(make_dirs(share_layer(worktree, i) + "/upper", 0755));
    TRY(make_dirs(share_layer(worktree, i) + "/work"));
    text += folders[i].path + '\0' + folders[i].from + '\0';
  }
  return write_file(shares_file(worktree), text, Sync::kNo);
}

Status unshare_folders(const Worktree& worktree) {
  const SharedFolders shared = TRY(shared_folders(worktree));
  TRY(remove_file(shares_file(worktree)));
  for (std::size_t i = 0; i < shared.folders.size(); ++i) {
    TRY(remove_tree(share_layer(worktree, i)));
    const std::string place = join_path(worktree.files, shared.folders[i].path);
    if (::rmdir(place.c_str()) != 0 && errno != ENOENT) {
      return fail_errno(errno, "remove '" + place + "'");
    }
  }
  return {};
}

}  // namespace gittxn::repo
