// See worktree_ignore.h. The listing asks git for untracked names with untracked directories folded
// into one, asks the rules about those, and descends level by level into the directories that are
// left: a node_modules of 100,000 files costs one name.
#include "repo/worktree/worktree_ignore.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bug.h"
#include "base/fs.h"
#include "base/text.h"
#include "repo/objects/object_store.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo {
namespace {

constexpr std::size_t kMostIgnoreBytes = 64u << 20;

// git does not follow a .gitignore that is a link.
bool is_file(FileMode mode) {
  return mode == FileMode::kFile || mode == FileMode::kExecutable;
}

}  // namespace

IgnoreRules::IgnoreRules(Repository& repository, Oid commit, std::string scratch)
    : IgnoreRules(repository.objects(), repository.git(), repository.here(), std::move(commit),
                  std::move(scratch)) {}

IgnoreRules::IgnoreRules(const Objects& objects, Git git, GitOptions here, Oid commit,
                         std::string scratch)
    : objects_(objects),
      git_(std::move(git)),
      options_(std::move(here)),
      commit_(std::move(commit)),
      scratch_(std::move(scratch)) {
  options_.dir = scratch_;
  options_.extra["GIT_WORK_TREE"] = scratch_;
}

IgnoreRules::~IgnoreRules() {
  // Whoever made the directory around it removes what could not be removed here.
  if (written_) (void)remove_tree(scratch_);
}

// Every .gitignore of the commit, put where it belongs.
Status IgnoreRules::write_rules() {
  if (written_) return {};
  TRY(remove_tree(scratch_));
  TRY(make_dirs(scratch_));
  written_ = true;
  const TreeRoot root = TRY(TreeRoot::open(scratch_));
  for (const NamedEntry& one : TRY(objects_.all_named(commit_, ".gitignore"))) {
    if (!is_file(one.entry.mode)) continue;
    const std::string rules = TRY(objects_.blob(one.entry.oid, kMostIgnoreBytes));
    TRY(root.make(one.name));
    TRY(write_file(join_path(root.path(), one.name), rules, Sync::kNo));
  }
  return {};
}

Result<std::vector<std::string>> IgnoreRules::check_ignore(const std::vector<std::string>& more,
                                                           const std::vector<std::string>& paths) {
  TRY_IN("reading the ignore rules of " + commit_.str(), write_rules());
  std::vector<std::string> args = {"check-ignore", "--no-index", "-z", "--stdin"};
  args.insert(args.end(), more.begin(), more.end());
  GitOptions options = options_;
  // "./", because a name that begins with ':' would be taken for more than a name.
  for (const std::string& path : paths) options.input += "./" + path + '\0';
  const Output output = TRY(git_.run(std::move(args), options));
  // 1: none of them is ignored.
  if (output.exit.status > 1) return fail(Code::kFault, "git check-ignore: " + output.err);
  return split_nul(output.out);
}

Result<std::vector<bool>> IgnoreRules::ignored(const std::vector<std::string>& paths) {
  std::vector<bool> answers(paths.size(), false);
  if (paths.empty()) return answers;
  const std::vector<std::string> named = TRY(check_ignore({}, paths));
  const std::set<std::string> ignored(named.begin(), named.end());
  for (std::size_t i = 0; i < paths.size(); ++i) answers[i] = ignored.contains("./" + paths[i]);
  return answers;
}

Result<std::string> IgnoreRules::rule_for(const std::string& path) {
  const auto fields = TRY(check_ignore({"-v"}, {path}));  // file, line, pattern, path
  return fields.size() < 4 ? std::string() : fields[0] + ":" + fields[1] + ":" + fields[2];
}

Result<bool> IgnoreRules::ignored(const std::string& path) {
  std::vector<std::string> unknown;
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string directory = path.substr(0, slash + 1);
    const auto known = directories_.find(directory);
    if (known == directories_.end()) {
      unknown.push_back(directory);
    } else if (known->second) {
      return true;
    }
  }
  if (!path.ends_with('/')) unknown.push_back(path);
  const std::vector<bool> answers = TRY(ignored(unknown));
  bool any = false;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    if (unknown[i].ends_with('/')) directories_[unknown[i]] = answers[i];
    if (answers[i]) any = true;
  }
  return any;
}

namespace {

class Lister {
 public:
  Lister(Repository& repository, const TreeRoot& root, Oid base_tree, IgnoreRules& rules)
      : repository_(repository), root_(root), base_tree_(std::move(base_tree)), rules_(rules) {}

  // `names`: as git ls-files -o --directory prints them.
  Result<Untracked> list(std::vector<std::string> names) {
    while (!names.empty()) {
      const std::vector<bool> ignored = TRY(rules_.ignored(names));
      std::vector<std::string> below;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (ignored[i]) {
          found_.ignored.push_back(std::move(names[i]));
        } else if (names[i].ends_with('/')) {
          names[i].pop_back();
          TRY(descend(names[i], below));
        } else {
          TRY(add_file(std::move(names[i])));
        }
      }
      names = std::move(below);
    }
    std::sort(found_.files.begin(), found_.files.end());
    std::sort(found_.ignored.begin(), found_.ignored.end());
    return std::move(found_);
  }

 private:
  Status add_file(std::string path) {
    const auto info = TRY(root_.stat(path));
    // Sockets, pipes and devices are nothing that git stores.
    if (info && is_file_or_link(*info)) found_.files.push_back(std::move(path));
    return {};
  }

  Status descend(const std::string& directory, std::vector<std::string>& below) {
    const auto spot = TRY(root_.find(directory));
    if (!spot) return {};
    UniqueFd fd(::openat(spot->dir.get(), spot->name.c_str(),
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd.valid()) {
      if (errno == ENOENT || errno == ENOTDIR) return {};
      return fail_errno(errno, "list '" + directory + "'");
    }
    const auto entries = TRY(list_dir(fmt::format("/proc/self/fd/{}", fd.get())));
    for (const DirEntry& entry : entries) {
      if (entry.name == ".git" && TRY(is_repository(directory))) {
        found_.repositories.push_back(directory);
        return {};
      }
      if (entry.name == ".gitignore" && TRY(is_scratch(directory))) {
        found_.scratch.push_back(directory);
        return {};
      }
    }
    for (const DirEntry& entry : entries) {
      if (entry.name == ".git") continue;  // git never stores it
      below.push_back(directory + '/' + entry.name + (entry.type == DT_DIR ? "/" : ""));
    }
    return {};
  }

  Result<bool> is_repository(const std::string& directory) const {
    const std::string path = directory + "/.git";
    const auto found = TRY(root_.look(path));
    if (!found) return false;
    if (S_ISDIR(found->info.st_mode)) return TRY(root_.stat(path + "/HEAD")).has_value();
    if (!S_ISREG(found->info.st_mode) || found->info.st_size > 1 << 16) return false;
    return TRY(bytes_at(*found)).starts_with("gitdir:");
  }

  // Ignores everything in it, itself included, and nothing of the base was ever there.
  Result<bool> is_scratch(const std::string& directory) {
    const std::string path = directory + "/.gitignore";
    const auto found = TRY(root_.look(path));
    if (!found || !S_ISREG(found->info.st_mode) || found->info.st_size > 1 << 16) return false;
    if (TRY(repository_.objects().entry_at(base_tree_, directory)).present()) return false;
    const std::string text = TRY(bytes_at(*found));
    bool everything = false;
    for (std::string_view line : lines_of(text)) {
      while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
      if (line.starts_with('!')) return false;
      if (line == "*" || line == "/*" || line == "**") everything = true;
    }
    return everything;
  }

  Repository& repository_;
  const TreeRoot& root_;
  Oid base_tree_;
  IgnoreRules& rules_;
  Untracked found_;
};

}  // namespace

Result<Untracked> list_untracked(Repository& repository, const GitOptions& git,
                                 const std::string& tree, const Oid& base, IgnoreRules& rules) {
  std::vector<std::string> listing = {"ls-files", "-o", "-z", "--directory",
                                      "--no-empty-directory"};
  if (INJECTED_BUG("worktree.own_ignore_rules")) listing.emplace_back("--exclude-standard");
  const std::string text = TRY(repository.git().must(listing, git));
  const TreeRoot root = TRY(TreeRoot::open(tree));
  const Oid base_tree = TRY(repository.objects().tree_of(base));
  return Lister(repository, root, base_tree, rules).list(split_nul(text));
}

}  // namespace gittxn::repo
