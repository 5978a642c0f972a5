// Whether a submodule that the agent has checked out holds what no commit has. git asks that with
// the submodule's own configuration, which the agent wrote, and runs what stands there (a file
// system monitor, filters): for us, outside of whatever the agent was confined to. So it is asked
// here, with a git directory that is made for the question. The agent's is read as data: its index,
// its HEAD, its objects.
//
// What cannot be told is changed: a refusal by name costs less than work that is lost.
#include <sys/stat.h>

#include "base/fs.h"
#include "repo/refs.h"
#include "repo/worktree/worktree_gitdir.h"
#include "repo/worktree/worktree_take.h"

namespace gittxn::repo::internal {
namespace {

constexpr int kDeepestSubmodule = 8;
constexpr std::uint32_t kGitlinkMode = 0160000;

// "": nothing is checked out there.
std::string submodule_git_dir(const std::string& path) {
  constexpr std::string_view kPointer = "gitdir: ";
  const std::string dot_git = path + "/.git";
  struct stat info{};
  if (::stat(dot_git.c_str(), &info) != 0) return {};
  if (S_ISDIR(info.st_mode)) return dot_git;
  const std::string says = S_ISREG(info.st_mode) ? first_line_of(dot_git) : std::string();
  if (!says.starts_with(kPointer)) return {};
  return normal_path(join_path(path, says.substr(kPointer.size())));
}

Result<Oid> submodule_head(const TakeView& view, const std::string& git_dir) {
  const HeadValue head = TRY(read_head(git_dir));
  if (!head.symbolic) return head.oid;
  return Refs(git_dir, view.repository->git()).read(head.target);
}

// A git directory that says what the submodule's says, without its configuration.
Result<GitOptions> look_into_submodule(const TakeView& view, const std::string& path,
                                       const std::string& git_dir) {
  const std::string own = view.dir + "/submodule";
  TRY(remove_tree(own));
  const std::vector<std::string> borrowed = TRY(object_directories(git_dir + "/objects"));
  const Oid head = TRY(submodule_head(view, git_dir));
  TRY(make_git_directory(*view.repository, own, RefName("refs/heads/taking"), borrowed,
                         brief_config({})));
  TRY(write_file(own + "/HEAD", head.str() + "\n", Sync::kNo));
  TRY(copy_index(git_dir + "/index", own + "/index"));
  GitOptions git;
  git.dir = path;
  git.extra = {{"GIT_DIR", own}, {"GIT_WORK_TREE", path}, {"GIT_INDEX_FILE", own + "/index"}};
  return git;
}

// Deeper ones are asked each by itself, for the same reason.
bool is_submodule_changed(const TakeView& view, const std::string& path, int depth) {
  const std::string git_dir = submodule_git_dir(path);
  if (git_dir.empty()) return false;
  if (depth > kDeepestSubmodule) return true;
  const auto git = look_into_submodule(view, path, git_dir);
  if (!git) return true;
  const Git& program = view.repository->git();
  const auto status = program.run(
      {"status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty"}, *git);
  if (!status || !status->exit.success() || !status->out.empty()) return true;
  const std::string index = git->extra.at("GIT_INDEX_FILE");
  const auto links = gitlinks_of({program, *git, index});
  if (!links) return true;
  for (const std::string& link : *links) {
    if (is_submodule_changed(view, join_path(path, link), depth + 1)) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> gitlinks_of(const IndexSource& source) {
  std::vector<std::string> links;
  if (!TRY(exists(source.file))) return links;
  const IndexFile index = TRY(load_index(source, source.file));
  for (const IndexEntry& entry : index.entries()) {
    if (entry.mode == kGitlinkMode && entry.stage == 0) links.emplace_back(index.path(entry));
  }
  return links;
}

Result<std::vector<std::string>> changed_submodules(const TakeView& view) {
  std::vector<std::string> changed;
  for (std::string& link : TRY(gitlinks_of({view.repository->git(), view.git, view.index}))) {
    if (is_submodule_changed(view, join_path(view.worktree.tree, link), 0)) {
      changed.push_back(std::move(link));
    }
  }
  return changed;
}

Status forget_submodules(const TakeView& view, const GitOptions& git) {
  std::string input;
  const std::string index = git.extra.at("GIT_INDEX_FILE");
  for (const std::string& link : TRY(gitlinks_of({view.repository->git(), git, index}))) {
    if (submodule_git_dir(join_path(git.dir, link)).empty()) continue;
    input += link + '\0';
  }
  return view.repository->git().feed({"update-index", "--force-remove", "-z", "--stdin"}, git,
                                     input);
}

}  // namespace gittxn::repo::internal
