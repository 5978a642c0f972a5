// Files that a failed command looked for, which the person's checkout has and a fresh worktree has
// not, because git ignores them: .env, node_modules and their like.
#include <fmt/format.h>
#include <sys/stat.h>

#include <set>
#include <vector>

#include "base/fs.h"
#include "base/json.h"
#include "base/text.h"
#include "repo/worktree/worktree_paths.h"
#include "txn/attempt.h"

namespace gittxn::api {
namespace {

constexpr std::size_t kMostAsked = 1000;
constexpr std::size_t kMostNamed = 5;

// The upper end of what is missing: of node_modules/lib/index.js the folder node_modules.
Result<std::string> end_of_gap(State& state, const Oid& tree, const std::string& path) {
  const repo::Objects& objects = state.repository.objects();
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string above = path.substr(0, slash);
    if (!TRY(objects.entry_at(tree, above)).present()) return above;
  }
  return path;
}

// The paths in the checkout that git ignores.
Result<std::vector<std::string>> ignored_ones(State& state, const std::string& checkout,
                                              const std::set<std::string>& paths) {
  std::vector<std::string> ignored;
  if (paths.empty()) return ignored;
  repo::GitOptions git;
  git.dir = checkout;
  for (const std::string& path : paths) git.input += "./" + path + '\0';
  const Output output = TRY(state.repository.git().run({"check-ignore", "-z", "--stdin"}, git));
  constexpr int kNone = 1;
  if (!output.exit.success() && output.exit.status != kNone) {
    return fail(Code::kFault, "git check-ignore: " + output.err);
  }
  for (const std::string_view path : pieces_of(output.out, '\0')) {
    ignored.emplace_back(path.substr(path.starts_with("./") ? 2 : 0));
  }
  return ignored;
}

std::string toml_list(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) {
    list += (list.empty() ? "\"" : ", \"") + encode_path(path) + "\"";
  }
  return "[" + list + "]";
}

}  // namespace

Status tell_lacking(State& state, const Oid& snapshot, const ReadSet& reads,
                    std::vector<std::string>& notes) {
  const std::string checkout = state.repository.place().worktree.value_or("");
  if (checkout.empty()) return {};
  const Oid tree = TRY(state.repository.objects().tree_of(snapshot));
  std::set<std::string> missing;
  for (const Read& read : reads.reads) {
    if (read.kind != ReadKind::kAbsence || read.subject.empty()) continue;
    const std::string path = TRY(end_of_gap(state, tree, read.subject));
    if (missing.size() < kMostAsked && TRY(exists(join_path(checkout, path)))) missing.insert(path);
  }
  const auto ignored = TRY(ignored_ones(state, checkout, missing));
  std::vector<std::string> files, folders;
  std::string names;
  for (const std::string& path : ignored) {
    if (files.size() + folders.size() == kMostNamed) break;
    struct stat info{};
    const bool folder =
        ::stat(join_path(checkout, path).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    (folder ? folders : files).push_back(path);
    names += (names.empty() ? "" : ", ") + repo::quote_path(path);
  }
  if (names.empty()) return {};
  std::string policy;
  if (!files.empty()) policy += "copy = " + toml_list(files);
  if (!folders.empty()) {
    policy += (policy.empty() ? "share = " : ", share = ") + toml_list(folders);
  }
  notes.push_back(fmt::format(
      "the command looked for {}, which your checkout has and its fresh worktree has not, because "
      "git ignores {}; .gittxn.toml can bring {} there: [worktree] {}",
      names, ignored.size() == 1 ? "it" : "them", ignored.size() == 1 ? "it" : "them", policy));
  return {};
}

}  // namespace gittxn::api
