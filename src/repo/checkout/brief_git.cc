#include "repo/checkout/brief_git.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs.h"
#include "repo/worktree/worktree_gitdir.h"

namespace gittxn::repo {
namespace {

// Nothing runs a program, and files are compared as LayeredTrees::write_index says.
constexpr std::string_view kFixed[] = {
    "core.repositoryformatversion=0", "core.bare=false",
    "core.fsmonitor=false",           "core.untrackedcache=false",
    "core.splitindex=false",          "core.checkstat=minimal",
    "core.trustctime=false",          "core.hookspath=/dev/null",
    "core.logallrefupdates=false",    "gc.auto=0",
    "maintenance.auto=false",         "submodule.recurse=false"};

ConfigEntry entry_of(std::string_view setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::size_t value = std::min(equals + 1, setting.size());
  return {std::string(setting.substr(0, equals)), std::string(setting.substr(value))};
}

}  // namespace

Result<std::vector<SeenObjects>> seen_objects(const Repository& repository,
                                              const std::string& below) {
  std::vector<SeenObjects> seen;
  for (const std::string& from : TRY(internal::object_directories(repository))) {
    const std::string name = seen.empty() ? "objects" : fmt::format("objects.{}", seen.size());
    seen.push_back({from, join_path(below, name)});
  }
  return seen;
}

Status make_brief_git(Repository& repository, LayeredTrees& trees, const BriefGit& git,
                      const Oid& tree, const std::vector<SeenObjects>& objects,
                      const std::string& git_dir) {
  const Oid committed = TRY(repository.objects().tree_of(git.commit));
  std::vector<std::string> borrowed;
  for (const SeenObjects& one : objects) borrowed.push_back(one.as);
  std::vector<ConfigEntry> config;
  for (const std::string& setting : git.settings) config.push_back(entry_of(setting));
  for (const std::string_view setting : kFixed) config.push_back(entry_of(setting));
  TRY(internal::make_git_directory(repository, git_dir, git.branch, borrowed, config));
  const std::string ref = join_path(git_dir, git.branch.str());
  TRY(make_dirs(parent_dir(ref), 0755));
  TRY(write_file(ref, git.commit.str() + "\n", Sync::kNo, 0644));
  return trees.write_index(committed, tree, join_path(git_dir, "index"));
}

}  // namespace gittxn::repo
