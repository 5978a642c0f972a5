// Worktrees that the agent made of its own repository (`git worktree add`). Their commits and files
// do not land, and their repository is the private one, which goes with the transaction's worktree.
// So what is in them and nowhere else becomes a commit that is kept, and is told.
//
// What git has on record of one is the agent's to write: it counts only where the worktree itself
// says that it belongs there.
#include <dirent.h>
#include <fmt/format.h>

#include "base/fs.h"
#include "repo/refs.h"
#include "repo/worktree/worktree_take.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::size_t kMostLinked = 64;
constexpr std::size_t kMostPointer = 1u << 16;

// The worktree's changes since its HEAD, as a commit on it; nullopt: there are none.
Result<std::optional<Oid>> uncommitted_in(const TakeView& view, const Objects& objects,
                                          const LinkedWork& linked, const Oid& head) {
  const Git& git = view.repository->git();
  GitOptions options = view.git;
  options.dir = linked.path;
  options.extra["GIT_WORK_TREE"] = linked.path;
  options.extra["GIT_INDEX_FILE"] = view.dir + "/linked-index";
  // Not into the repository's own store, where what is there counts as whole.
  options.extra["GIT_OBJECT_DIRECTORY"] = view.dir + "/objects";
  TRY(remove_file(view.dir + "/linked-index"));
  TRY(git.must({"read-tree", head.str()}, options));
  TRY(forget_submodules(view, options));
  TRY(git.must({"add", "-A"}, options));
  const std::string tree = TRY(git.line({"write-tree"}, options));
  const CommitInfo on = TRY(objects.commit(head));
  if (Oid(tree) == on.tree) return std::optional<Oid>{};
  // The same work is the same commit, whenever it is taken.
  const std::string date = on.committer.substr(on.committer.rfind('>') + 1);
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    options.extra[fmt::format("GIT_{}_NAME", who)] = "git-txn";
    options.extra[fmt::format("GIT_{}_EMAIL", who)] = "git-txn@localhost";
    options.extra[fmt::format("GIT_{}_DATE", who)] = date.substr(date.find_first_not_of(' '));
  }
  options.input = fmt::format("Uncommitted work in the worktree {}\n", base_name(linked.path));
  return std::optional<Oid>(TRY(git.line({"commit-tree", tree, "-p", head.str()}, options)));
}

Status look_into_linked(const TakeView& view, const Objects& objects, const std::string& name,
                        const std::vector<Oid>& elsewhere, Taken* taken) {
  const std::string record = view.worktree.git_dir + "/worktrees/" + name;
  LinkedWork linked;
  linked.path = parent_dir(first_line_of(record + "/gitdir"));
  const std::string back = "gitdir: ";
  const std::string says = first_line_of(linked.path + "/.git");
  const bool there = linked.path.starts_with('/') && says.starts_with(back) &&
                     says.ends_with("/.git/worktrees/" + name);
  const HeadValue value = TRY(read_head(record));
  Oid head = value.oid;
  if (value.symbolic) {
    auto branch = Refs(view.worktree.git_dir, view.repository->git()).read(value.target);
    if (!branch) return {};  // unborn: without a commit there is nothing to put work on
    head = *std::move(branch);
  }
  const auto tip = there ? TRY(uncommitted_in(view, objects, linked, head)) : std::optional<Oid>{};
  for (const Oid& known : elsewhere) {
    if (!tip && TRY(objects.is_ancestor(head, known))) return {};
  }
  linked.tip = tip.value_or(head);
  taken->tips.push_back(linked.tip);
  taken->linked.push_back(std::move(linked));
  return {};
}

}  // namespace

std::string first_line_of(const std::string& path) {
  const auto text = read_file(path, kMostPointer);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

Status read_linked(const TakeView& view, const Objects& objects, const std::vector<Oid>& elsewhere,
                   Taken* taken) {
  const auto records = list_dir(view.worktree.git_dir + "/worktrees");
  if (!records) return {};  // there are none
  for (const DirEntry& record : *records) {
    if (record.type != DT_DIR || taken->linked.size() >= kMostLinked) continue;
    const Status looked = look_into_linked(view, objects, record.name, elsewhere, taken);
    if (looked) continue;
    taken->notes.push_back(fmt::format("the worktree {} that was made in it could not be read: {}",
                                       quote_path(record.name), looked.error().message));
  }
  return {};
}

}  // namespace gittxn::repo::internal
