#include "repo/attributes.h"

#include <fmt/format.h>

#include <set>

#include "base/fs.h"
#include "repo/worktree/worktree_paths.h"

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
      if (!entry.is_file()) continue;
      lines += fmt::format("100644 {}\t{}", entry.oid.str(), file) + '\0';
    }
  }
  return lines;
}

// The index that `options` name need not exist: to git that is an empty one.
Result<std::vector<std::vector<std::string>>> ask(const Repository& repository, GitOptions options,
                                                  const std::vector<std::string>& attributes,
                                                  const std::vector<std::string>& paths) {
  for (const std::string& path : paths) options.input += path + '\0';
  std::vector<std::string> command{"check-attr", "--cached", "-z", "--stdin"};
  command.insert(command.end(), attributes.begin(), attributes.end());
  const std::vector<std::string> fields =  // path, attribute, value
      split_nul(TRY(repository.git().must(command, options)));
  if (fields.size() != paths.size() * attributes.size() * 3) {
    return fail(Code::kFault, fmt::format("git gave {} answers when it was asked for {} "
                                          "attributes of {} paths",
                                          fields.size() / 3, attributes.size(), paths.size()));
  }
  std::vector<std::vector<std::string>> values(paths.size());
  for (std::size_t i = 2; i < fields.size(); i += 3) {
    values[i / 3 / attributes.size()].push_back(fields[i]);
  }
  return values;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> attributes_of(
    Repository& repository, const Oid& commitish, const std::vector<std::string>& attributes,
    const std::vector<std::string>& paths, Random& random) {
  if (paths.empty()) return std::vector<std::vector<std::string>>{};
  const std::string files = TRY(attribute_files(repository.objects(), commitish, paths));
  const std::string folder = repository.txn_dir() + "/tmp";
  const std::string index = fmt::format("{}/{}{}", folder, kAttributesIndex, random.name(12));
  const std::string& dir = repository.place().common_dir;
  const GitOptions options{.dir = dir,
                           .extra = {{"GIT_INDEX_FILE", index},
                                     {"GIT_DIR", dir},
                                     {"GIT_WORK_TREE", dir}}};  // not looked at: --cached
  if (files.empty()) return ask(repository, options, attributes, paths);
  TRY(make_dirs(folder));
  auto values = [&]() -> Result<std::vector<std::vector<std::string>>> {
    TRY_IN("reading .gitattributes",
           repository.git().feed({"update-index", "-z", "--index-info"}, options, files));
    return ask(repository, options, attributes, paths);
  }();
  TRY(remove_file(index));
  return values;
}

}  // namespace gittxn::repo
