// From the agent's index to one that says what the worktree holds: what `git add -A` would do, with
// the base's ignore rules and with what the base tracks never untracked.
//
//   1. what the base tracks, the index does not and the disk still has, goes back into the index
//   2. every tracked path that differs from the disk is removed, or marked to be hashed again
//   3. that is done, and untracked files that the base's rules do not ignore are added
//
// Paths travel NUL-terminated and literal: a name may hold line breaks, wildcards or invalid UTF-8.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "repo/worktree/worktree_ignore.h"
#include "repo/worktree/worktree_take.h"

namespace gittxn::repo::internal {
namespace {

struct RawDiff {
  FileMode before = FileMode::kNone;
  Oid before_oid;
  char status = ' ';
  std::string path;
};

// ":<mode> <mode> <oid> <oid> <status>" NUL path NUL ..., without renames.
Result<std::vector<RawDiff>> parse_raw(const std::string& text) {
  std::vector<RawDiff> diffs;
  const std::vector<std::string> fields = split_nul(text);
  for (std::size_t i = 0; i < fields.size(); i += 2) {
    const std::string& head = fields[i];
    if (head.size() != 98 || head[0] != ':' || i + 1 == fields.size()) {
      return fail(Code::kFault, "git printed a difference that is none: " + head);
    }
    RawDiff diff;
    if (head.substr(1, 6) != "000000") diff.before = TRY(mode_from_text(head.substr(1, 6)));
    diff.before_oid = Oid(head.substr(15, 40));
    diff.status = head[97];
    diff.path = fields[i + 1];
    diffs.push_back(std::move(diff));
  }
  return diffs;
}

// Step 1. A path that the agent took out of its index, but not off the disk, is still tracked.
Status track_what_the_base_tracks(const TakeView& view, const TreeRoot& root) {
  const std::string text =
      TRY(view.repository->git().must({"diff-index", "--cached", "-z", "--raw", "--no-renames",
                                       "--no-abbrev", "--diff-filter=D", view.base.str()},
                                      view.git));
  std::string input;
  for (const RawDiff& diff : TRY(parse_raw(text))) {
    const auto info = TRY(root.stat(diff.path));
    if (!info) continue;
    const bool submodule = diff.before == FileMode::kSubmodule && S_ISDIR(info->st_mode);
    if (!submodule && !is_file_or_link(*info)) continue;
    input += index_line({diff.before, diff.before_oid}, diff.path);
  }
  return view.repository->git().feed({"update-index", "-z", "--index-info"}, view.git,
                                     std::move(input));
}

struct Work {
  std::vector<std::string> add;  // hash what is there
  std::vector<std::string> remove;
  std::vector<std::string> unmerged;
  std::vector<std::string> submodules;
  std::vector<std::string> special;
};

// Step 2.
Result<Work> compare_with_disk(const TakeView& view, const TreeRoot& root) {
  Work work;
  const std::string text = TRY(view.repository->git().must(
      {"diff-files", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=dirty"},
      view.git));
  std::set<std::string> seen;
  for (RawDiff& diff : TRY(parse_raw(text))) {
    // A conflict comes first, and then again as a difference to one of its sides.
    if (!seen.insert(diff.path).second) continue;
    if (diff.status == 'U') work.unmerged.push_back(diff.path);
    const auto info = TRY(root.stat(diff.path));
    const bool submodule = diff.before == FileMode::kSubmodule;
    if (submodule) {
      work.submodules.push_back(std::move(diff.path));
    } else if (!info || S_ISDIR(info->st_mode)) {
      work.remove.push_back(std::move(diff.path));
    } else if (is_file_or_link(*info)) {
      work.add.push_back(std::move(diff.path));
    } else {
      work.special.push_back(std::move(diff.path));
    }
  }
  for (std::string& path : TRY(changed_submodules(view))) {
    if (seen.insert(path).second) work.submodules.push_back(std::move(path));
  }
  return work;
}

// Names that git takes for its own directory somewhere (.GIT, git~1) it leaves out, with a word on
// stderr and success.
Status add_paths(const TakeView& view, const std::vector<std::string>& paths) {
  constexpr std::string_view kLeftOut = "Ignoring path ";
  if (paths.empty()) return {};
  GitOptions options = view.git;
  for (const std::string& path : paths) options.input += path + '\0';
  const Output output =
      TRY(view.repository->git().run({"update-index", "--add", "-z", "--stdin"}, options));
  std::vector<std::string> refused;
  for (const std::string_view line : lines_of(output.err)) {
    if (line.starts_with(kLeftOut)) refused.emplace_back(line.substr(kLeftOut.size()));
  }
  if (!refused.empty()) {
    return fail(
        Code::kUnsupported, "git does not store files of these names: " + name_paths(refused),
        "on some systems they would be its own directory; rename or remove them, or have the "
        "repository's .gitignore name them");
  }
  if (output.exit.success()) return {};
  return git_failed("update-index", output.err);
}

Status refuse_what_git_cannot_store(const Work& work, const Untracked& untracked) {
  if (!work.submodules.empty()) {
    return fail(Code::kUnsupported, "submodules were changed: " + name_paths(work.submodules),
                "changes to submodules cannot be landed yet; put them back, or commit them in the "
                "submodule's own repository");
  }
  if (!untracked.repositories.empty()) {
    return fail(Code::kUnsupported,
                "there are git repositories in the worktree: " + name_paths(untracked.repositories),
                "move them out of it, remove their .git if their files are to land, or have the "
                "repository's .gitignore name them");
  }
  if (!work.special.empty()) {
    return fail(Code::kUnsupported,
                "tracked files became pipes, sockets or devices: " + name_paths(work.special),
                "put them back, or remove them");
  }
  return {};
}

}  // namespace

void note_unmerged(const std::vector<std::string>& paths, Taken* taken) {
  if (paths.empty()) return;
  taken->notes.push_back("taken in the middle of a merge, conflict markers may be in: " +
                         name_paths(paths));
}

std::string name_paths(const std::vector<std::string>& paths) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> quoted;
  for (const std::string& path : paths) quoted.push_back(quote_path(path));
  return listed(quoted, kNamed);
}

Status update_index(TakeView& view, const TreeRoot& root, Taken* taken) {
  // The index of an overlay names it already.
  if (!view.upper) TRY(track_what_the_base_tracks(view, root));
  Work work = TRY(compare_with_disk(view, root));
  // First, because git does not list what is in a directory where the index has a file.
  std::string removals;
  for (const std::string& path : work.remove) {
    // Of an overlay: there, below the upper directory, and needed to hash others.
    if (!view.upper || !view.upper->attributes.contains(path)) removals += index_line({}, path);
  }
  TRY(view.repository->git().feed({"update-index", "-z", "--index-info"}, view.git,
                                  std::move(removals)));
  IgnoreRules rules(*view.repository, view.base, view.dir + "/rules");
  Untracked untracked =
      TRY(list_untracked(*view.repository, view.git, view.worktree.tree, view.base, rules));
  std::vector<std::string> add = work.add;
  add.insert(add.end(), untracked.files.begin(), untracked.files.end());
  TRY(refuse_what_git_cannot_store(work, untracked));
  TRY(refuse_lfs(view, add));
  if (view.upper) TRY(add_moved(view, rules, &untracked.files));

  Status added = add_paths(view, add);
  if (!added && added.error().code == Code::kUnsupported) return added;
  if (!added) {
    Error error = std::move(added).error().in("reading the changed files");
    if (error.hint.empty()) {
      error.hint = "make the file that git names readable, or remove it, in " + view.worktree.tree;
    }
    return std::unexpected(std::move(error));
  }

  taken->untracked = std::move(untracked.files);
  taken->ignored = std::move(untracked.ignored);
  note_unmerged(work.unmerged, taken);
  if (!untracked.scratch.empty()) {
    taken->notes.push_back("left out, because they ignore themselves: " +
                           name_paths(untracked.scratch));
  }
  return {};
}

}  // namespace gittxn::repo::internal
