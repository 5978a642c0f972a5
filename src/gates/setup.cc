
#include <fmt/format.h>
#include <sys/stat.h>

#include "gates/checkout.h"
#include "gates/place.h"
#include "repo/worktree/worktree_mount.h"
#include "repo/worktree/worktree_paths.h"
#include "repo/worktree/worktree_share.h"

namespace gittxn::gates {
namespace {

// What is brought in must be ignored by the repository: everything else in a worktree is part of
// the change, and somebody's ".env" must not land.
Status require_ignored(const GateContext& context, const std::string& tree,
                       const std::string& path) {
  repo::GitOptions options;
  options.dir = tree;
  Output output =
      TRY(context.repository->git().run({"check-ignore", "-q", "--", "./" + path}, options));
  if (output.exit.success()) return {};
  if (output.exit.status != 1) return fail(Code::kFault, "git check-ignore: " + output.err);
  return fail(
      Code::kRefused,
      fmt::format("'{}' of [worktree] in .gittxn.toml is not ignored here, so it would land "
                  "with every change",
                  path),
      fmt::format("add /{} to .gitignore, or commit it and take it out of .gittxn.toml", path));
}

Status place_all(const GateContext& context, const Policy& policy, const SetUpRequest& request) {
  if (context.main_checkout.empty()) return {};
  const std::string& tree = request.tree;
  for (const std::string& path : request.mounted) TRY(require_ignored(context, tree, path));
  std::string from = TRY(real_path(context.main_checkout));
  for (const auto* list : {&policy.worktree.copy, &policy.worktree.share}) {
    for (const std::string& path : *list) {
      Placed result = TRY_IN("setting up the worktree", place_path({from, tree, path}));
      if (result == Placed::kCopied) TRY(require_ignored(context, tree, path));
    }
  }
  return {};
}

// True when the tree has nothing there, and no file or link on the way to it.
Result<bool> is_free(const repo::Worktree& worktree, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const auto above = TRY(repo::path_on_disk(worktree, path.substr(0, slash)));
    struct stat info{};
    if (!above) return true;
    if (::lstat(above->c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  }
  return !TRY(repo::path_on_disk(worktree, path));
}

// The folders of [worktree] share that the worktree lacks, with an empty place for each.
Result<std::vector<repo::SharedFolder>> folders_to_share(const GateContext& context,
                                                         const Policy& policy,
                                                         const repo::Worktree& worktree) {
  std::vector<repo::SharedFolder> folders;
  if (context.main_checkout.empty()) return folders;
  const std::string from = TRY(real_path(context.main_checkout));
  for (const std::string& path : policy.worktree.share) {
    const auto folder = TRY_IN("setting up the worktree", folder_at(from, path));
    if (!folder || !TRY(is_free(worktree, path))) continue;
    TRY_IN("setting up the worktree", make_place(worktree.files, path));
    folders.push_back({path, *folder});
  }
  return folders;
}

std::string names_of(const std::vector<repo::SharedFolder>& folders) {
  std::string names;
  for (const repo::SharedFolder& folder : folders) {
    names += (names.empty() ? "" : ", ") + repo::quote_path(folder.path);
  }
  return names;
}

// With the folders that are shared; where nothing can be mounted they are copied like the rest.
Result<repo::Mount> mount_with_shares(const repo::Worktree& worktree,
                                      std::vector<repo::SharedFolder>& folders,
                                      std::vector<std::string>& notes) {
  if (folders.empty()) return repo::Mount::open(worktree);
  TRY(repo::share_folders(worktree, folders));
  auto mount = repo::Mount::open(worktree);
  if (mount || mount.error().code != Code::kUnsupported) return mount;
  const std::string why = mount.error().message;
  TRY(repo::unshare_folders(worktree));
  auto without = repo::Mount::open(worktree);
  if (!without) return without;
  notes.push_back(fmt::format("[worktree] share: {} copied and not mounted: {}",
                              names_of(folders) + (folders.size() == 1 ? " is" : " are"), why));
  folders.clear();
  return without;
}

std::string last_lines(const std::string& output) {
  constexpr std::size_t kMostShown = 2000;
  std::string_view text = output;
  if (text.size() > kMostShown) text.remove_prefix(text.size() - kMostShown);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

Result<std::vector<std::string>> set_up(const GateContext& context, const Policy& policy,
                                        const SetUpRequest& request) {
  TRY(place_all(context, policy, request));
  std::vector<std::string> records;
  for (const auto& argv : policy.worktree.run) {
    ProcessSpec spec = process_of(context, GateName("set-up"), argv, request.tree, request.env);
    spec.record_file = fmt::format("{}/set-up-{}.trace", request.record_dir, records.size() + 1);
    spec.trace = request.trace;
    records.push_back(spec.record_file);
    ProcessResult result = TRY_IN("setting up the worktree", run_process(spec, *context.clock));
    if (result.passed()) continue;
    return fail(Code::kFault,
                fmt::format("the set-up command {} of .gittxn.toml {}: {}", quote_argv(argv),
                            result.how(), last_lines(result.output)),
                "run it in a fresh clone to see what it needs");
  }
  return records;
}

Status prepare_worktree(const GateContext& context, const Policy& policy,
                        const repo::Worktree& worktree, Sharing sharing,
                        std::vector<std::string>& notes) {
  std::vector<repo::SharedFolder> folders;
  if (sharing == Sharing::kMount) folders = TRY(folders_to_share(context, policy, worktree));
  const repo::Mount mount = TRY(mount_with_shares(worktree, folders, notes));
  const WorktreeSpec& setup = policy.worktree;
  if (setup.copy.empty() && setup.share.empty() && setup.run.empty()) return {};
  SetUpRequest request;
  request.tree = worktree.tree;
  request.record_dir = worktree.path;
  request.env = scrubbed_environment(context.caller, {});
  for (const repo::SharedFolder& folder : folders) request.mounted.push_back(folder.path);
  return repo::inside(mount, [&]() -> Status {
    for (const std::string& record : TRY(set_up(context, policy, request))) {
      TRY(remove_file(record));
    }
    return {};
  });
}

}  // namespace gittxn::gates
