#include "repo/attributes.h"

#include <fmt/format.h>

#include <set>

#include "base/fs.h"
#include "repo/worktree_paths.h"

namespace gittxn::repo {
namespace {

constexpr std::string_view kFile = ".gitattributes";

// Those at the root and in every directory above a path, as lines for update-index.
Result<std::string> attribute_files(const Objects& objects, const Oid& commitish,
                                    const std::vector<std::string>& paths) {
  const Oid tree = TRY(objects.tree_of(commitish));
  std::set<std::string> asked;
  std::string lines;
  for (const std::string& path : paths) {
    for (std::size_t end = 0; end != path.npos;) {
      const std::string file = path.substr(0, end) + std::string(end == 0 ? "" : "/").append(kFile);
      end = path.find('/', end == 0 ? 0 : end + 1);
      if (!asked.insert(file).second) continue;
      const TreeEntry entry = TRY(objects.entry_at(tree, file));
      // git reads none through a link, for it would lead out of the tree.
      if (entry.mode != FileMode::kFile && entry.mode != FileMode::kExecutable) continue;
      lines += fmt::format("100644 {}\t{}", entry.oid.str(), file) + '\0';
    }
  }
  return lines;
}

// `index` need not exist: to git that is an empty one.
Result<std::vector<std::string>> ask(const Repository& repository, const std::string& index,
                                     const std::string& attribute,
                                     const std::vector<std::string>& paths) {
  GitOptions options;
  options.dir = repository.place().common_dir;
  options.extra["GIT_INDEX_FILE"] = index;
  options.extra["GIT_DIR"] = repository.place().common_dir;
  options.extra["GIT_WORK_TREE"] = repository.place().common_dir;  // not looked at: --cached
  for (const std::string& path : paths) options.input += path + '\0';
  const std::string answer =
      TRY(repository.git().must({"check-attr", "--cached", "-z", "--stdin", attribute}, options));
  const std::vector<std::string> fields = split_nul(answer);  // path, attribute, value
  std::vector<std::string> values;
  for (std::size_t i = 2; i < fields.size(); i += 3) values.push_back(fields[i]);
  if (values.size() != paths.size()) {
    return fail(Code::kFault, fmt::format("git answered for {} of {} paths when it was asked for "
                                          "the attribute '{}'",
                                          values.size(), paths.size(), attribute));
  }
  return values;
}

}  // namespace

Result<std::vector<std::string>> attribute_of(Repository& repository, const Oid& commitish,
                                              const std::string& attribute,
                                              const std::vector<std::string>& paths,
                                              Random& random) {
  if (paths.empty()) return std::vector<std::string>{};
  const std::string files = TRY(attribute_files(repository.objects(), commitish, paths));
  const std::string folder = repository.txn_dir() + "/tmp";
  const std::string index = fmt::format("{}/{}{}", folder, kAttributesIndex, random.name(12));
  if (files.empty()) return ask(repository, index, attribute, paths);
  TRY(make_dirs(folder));
  GitOptions options;
  options.dir = repository.place().common_dir;
  options.extra["GIT_INDEX_FILE"] = index;
  options.extra["GIT_DIR"] = repository.place().common_dir;
  options.input = files;
  auto values = [&]() -> Result<std::vector<std::string>> {
    TRY_IN("reading .gitattributes",
           repository.git().must({"update-index", "-z", "--index-info"}, options));
    return ask(repository, index, attribute, paths);
  }();
  TRY(remove_file(index));
  return values;
}

}  // namespace gittxn::repo
