// What is refused by name until it is supported: submodules, git-lfs objects, and names that would
// be one file on a system that does not tell upper from lower case. Only what the change itself
// brings in is refused; a repository that already has such a thing keeps it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "repo/worktree/worktree_take.h"

namespace gittxn::repo::internal {
namespace {

// Upper to lower case for the letters that file systems fold and people use in names. The whole of
// Unicode's folding is not needed to find a clash that a person made by accident.
char32_t fold(char32_t c) {
  if (c >= U'A' && c <= U'Z') return c + 32;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;  // Latin-1
  if (c >= 0x100 && c <= 0x137) return c | 1;              // Latin Extended-A
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return c + (c & 1);
  if (c >= 0x14A && c <= 0x177) return c | 1;
  if (c >= 0x391 && c <= 0x3A9) return c + 32;  // Greek
  if (c >= 0x410 && c <= 0x42F) return c + 32;  // Cyrillic
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  return c;
}

// Bytes that are not UTF-8 stand for themselves.
std::u32string folded(std::string_view name) {
  std::u32string text;
  for (std::size_t i = 0; i < name.size();) {
    const auto lead = static_cast<unsigned char>(name[i]);
    const std::size_t length = lead < 0xC2   ? 1
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 1;
    char32_t c = length == 1 ? lead : lead & (0x7Fu >> length);
    bool whole = i + length <= name.size();
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto next = static_cast<unsigned char>(name[i + k]);
      if ((next & 0xC0) != 0x80) whole = false;
      c = c << 6 | (next & 0x3Fu);
    }
    text += whole ? fold(c) : char32_t{0x110000} + lead;
    i += whole ? length : 1;
  }
  return text;
}

// Each name that the change adds, with the directory it is in: a directory counts when it is new
// too.
std::map<std::string, std::set<std::string>> added_names(const Changes& changes) {
  std::map<std::string, std::set<std::string>> added;
  for (const PathChange& change : changes) {
    if (change.before.present() || !change.after.present()) continue;
    std::string_view path = change.path;
    while (!path.empty()) {
      const std::size_t slash = path.rfind('/');
      const std::string directory(slash == path.npos ? "" : path.substr(0, slash));
      const std::string name(slash == path.npos ? path : path.substr(slash + 1));
      if (!added[directory].insert(name).second) break;  // and everything above it
      path = directory.empty() ? std::string_view() : path.substr(0, slash);
    }
  }
  return added;
}

Result<std::vector<std::string>> find_clashes(const Objects& objects, const Taken& taken) {
  std::vector<std::string> clashes;
  const Oid base_tree = TRY(objects.tree_of(taken.base));
  for (const auto& [directory, names] : added_names(taken.changes)) {
    Oid tree = taken.tree;
    if (!directory.empty()) tree = TRY(objects.entry_at(taken.tree, directory)).oid;
    std::map<std::u32string, std::vector<std::string>> by_fold;
    for (const NamedEntry& entry : TRY(objects.list(tree))) {
      by_fold[folded(entry.name)].push_back(entry.name);
    }
    for (const auto& [key, same] : by_fold) {
      if (same.size() < 2) continue;
      for (const std::string& name : same) {
        const std::string path = join_tree(directory, name);
        if (!names.contains(name) || TRY(objects.entry_at(base_tree, path)).present()) continue;
        clashes.push_back(quote_path(join_tree(directory, same[0])) + " and " +
                          quote_path(join_tree(directory, same[1])));
        break;
      }
    }
  }
  return clashes;
}

}  // namespace

namespace {

// False: no file says anything of the attributes of these paths. git looks for them in the
// worktree, then in the index, which has those of the base.
Result<bool> may_have_attributes(const TakeView& view, const std::vector<std::string>& paths) {
  const Repository& repository = *view.repository;
  for (const std::string& file :
       {std::string("/etc/gitattributes"), TRY(repository.config().attributes_file()),
        view.dir + "/info/attributes", repository.place().common_dir + "/info/attributes"}) {
    if (TRY(exists(file))) return true;
  }
  const Objects& objects = view.repository->objects();
  const Oid tree = TRY(objects.tree_of(view.base));
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    for (std::string above = parent_dir(path);; above = parent_dir(above)) {
      if (!folders.insert(above).second) break;
      const std::string file = above == "." ? ".gitattributes" : above + "/.gitattributes";
      if (TRY(exists(join_path(view.worktree.tree, file)))) return true;
      if (TRY(objects.entry_at(tree, file)).present()) return true;
      if (above == ".") break;
    }
  }
  return false;
}

}  // namespace

Status refuse_lfs(const TakeView& view, const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  const bool may = TRY(may_have_attributes(view, paths));
  if (!may) return {};
  GitOptions options = view.git;
  for (const std::string& path : paths) options.input += path + '\0';
  const std::string text =
      TRY(view.repository->git().must({"check-attr", "-z", "--stdin", "filter"}, options));
  const std::vector<std::string> fields = split_nul(text);  // path, "filter", value
  std::vector<std::string> kept;
  for (std::size_t i = 0; i + 2 < fields.size(); i += 3) {
    if (fields[i + 2] == "lfs") kept.push_back(fields[i]);
  }
  if (kept.empty()) return {};
  const LfsTrouble trouble = TRY(lfs_trouble(*view.repository, view.target));
  if (trouble.why.empty()) return {};
  return fail(Code::kUnsupported,
              fmt::format("{} cannot land: git-lfs keeps {}, and {}", name_paths(kept),
                          kept.size() == 1 ? "it" : "them", trouble.why),
              fmt::format("{}; or land the rest: put back (git checkout -- FILE) or remove what "
                          "git-lfs keeps in {}",
                          trouble.next, view.worktree.tree));
}

Status check_changes(const TakeView& view, const Objects& objects, const Taken& taken) {
  std::vector<std::string> submodules;
  std::vector<std::string> written;
  for (const PathChange& change : taken.changes) {
    if (change.before.mode == FileMode::kSubmodule || change.after.mode == FileMode::kSubmodule) {
      submodules.push_back(change.path);
    } else if (change.after.present() && !change.is_directory()) {
      written.push_back(change.path);
    }
  }
  if (!submodules.empty()) {
    return fail(
        Code::kUnsupported, "submodules were changed: " + name_paths(submodules),
        "changes to submodules cannot be landed yet; put them back, or commit them by hand");
  }
  TRY(refuse_lfs(view, written));
  const std::vector<std::string> clashes = TRY(find_clashes(objects, taken));
  if (clashes.empty()) return {};
  return fail(Code::kUnsupported,
              "names that are the same where case does not count: " + clashes.front(),
              "rename one of them");
}

}  // namespace gittxn::repo::internal

namespace gittxn::repo {

Result<LfsTrouble> lfs_trouble(const Repository& repository, const RefName& target) {
  Config& config = repository.config();
  const bool filter = TRY(config.get("filter.lfs.clean")) || TRY(config.get("filter.lfs.process"));
  if (!filter) return LfsTrouble{"git-lfs is not set up here", "set it up with: git lfs install"};
  auto remote = TRY(config.get("txn." + short_branch(target) + ".remote"));
  if (!remote) remote = TRY(config.get("txn.remote"));
  if (TRY(config.get("txn.hub")) || (remote && *remote != "local")) {
    return LfsTrouble{"a landing is pushed without what git-lfs keeps",
                      "commit and push it by hand"};
  }
  return LfsTrouble{};
}

}  // namespace gittxn::repo
