// Questions about history. libgit2 answers them from the objects; where it cannot (a shallow
// repository, whose last commits name parents that are not here, which libgit2 1.5 does not know
// about) git's own program is asked. Nothing is written.
#include <algorithm>

#include "base/text.h"
#include "repo/objects/object_store.h"
#include "repo/refs.h"

namespace gittxn::repo::internal {
namespace {

// Before a walk along first parents goes further than this, git is asked whether it leads anywhere.
constexpr std::size_t kFirstParentsUnasked = 2000;

Result<std::vector<git_oid>> ask_rev_list(const ObjectStore& store,
                                          const std::vector<git_oid>& tips,
                                          const std::vector<git_oid>& hidden,
                                          std::vector<std::string> args) {
  GitOptions options = store.here();
  for (const git_oid& tip : tips) options.input += to_oid(tip).str() + "\n";
  for (const git_oid& old : hidden) options.input += "^" + to_oid(old).str() + "\n";
  args.insert(args.begin(), "rev-list");
  args.push_back("--stdin");
  const std::string lines = TRY(store.git().must(std::move(args), options));
  std::vector<git_oid> oids;
  for (const std::string_view line : lines_of(lines)) {
    oids.push_back(TRY(parse_oid(Oid(std::string(line)))));
  }
  return oids;
}

Result<RevwalkPtr> start_walk(const Walking& walking, const std::vector<git_oid>& tips,
                              const std::vector<git_oid>& hidden) {
  git_revwalk* walk = nullptr;
  if (git_revwalk_new(&walk, walking.repository) != 0) return fail_git2("walking history");
  RevwalkPtr owned(walk);
  git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
  for (const git_oid& tip : tips) {
    if (git_revwalk_push(walk, &tip) != 0) return fail_git2("walking history");
  }
  for (const git_oid& old : hidden) {
    if (git_revwalk_hide(walk, &old) != 0) return fail_git2("walking history");
  }
  return owned;
}

Result<std::vector<git_oid>> libgit2_commits(const ObjectStore& store,
                                             const std::vector<git_oid>& tips,
                                             const std::vector<git_oid>& hidden) {
  const Walking walking = store.walking();
  const RevwalkPtr walk = TRY(start_walk(walking, tips, hidden));
  std::vector<git_oid> commits;
  git_oid next{};
  int status = 0;
  while ((status = git_revwalk_next(&next, walk.get())) == 0) commits.push_back(next);
  if (status != GIT_ITEROVER) return fail_git2("walking history");
  return commits;
}

// The usual landing: one commit on top of what is hidden. No walk finds that out faster.
Result<bool> is_one_commit(const ObjectStore& store, const git_oid& tip,
                           const std::vector<git_oid>& hidden) {
  const CommitInfo info = TRY(store.commit(tip));
  auto is_hidden = [&](const git_oid& oid) {
    return std::any_of(hidden.begin(), hidden.end(),
                       [&](const git_oid& old) { return same(old, oid); });
  };
  return !is_hidden(tip) && !info.parents.empty() &&
         std::all_of(info.parents.begin(), info.parents.end(),
                     [&](const Oid& parent) { return is_hidden(checked_oid(parent)); });
}

Result<bool> ask_is_ancestor(const ObjectStore& store, const Oid& ancestor, const Oid& descendant) {
  const Output output = TRY(store.git().run(
      {"merge-base", "--is-ancestor", ancestor.str(), descendant.str()}, store.here()));
  if (output.exit.status == 0 || output.exit.status == 1) return output.exit.status == 0;
  return fail(Code::kNotFound, "git merge-base --is-ancestor: " + output.err);
}

// From `from` to `to` through side parents: of all commits between them, each step takes the first
// parent that is one of them.
Result<std::vector<Oid>> ask_path(const ObjectStore& store, const git_oid& from,
                                  const git_oid& to) {
  const auto between = TRY(ask_rev_list(store, {to}, {from}, {"--ancestry-path"}));
  const OidSet known(between.begin(), between.end());
  std::vector<Oid> path;
  for (git_oid at = to; !same(at, from);) {
    const CommitInfo info = TRY(store.commit(at));
    path.push_back(info.oid);
    const auto next = std::ranges::find_if(info.parents, [&](const Oid& parent) {
      const git_oid oid = checked_oid(parent);
      return same(oid, from) || known.contains(oid);
    });
    if (next == info.parents.end()) {
      return fail(Code::kCorrupt, "no path of commits ends at " + info.oid.str());
    }
    at = checked_oid(*next);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

Result<std::vector<git_oid>> new_commits(const ObjectStore& store, const std::vector<git_oid>& tips,
                                         const std::vector<git_oid>& hidden) {
  if (tips.size() == 1 && TRY(is_one_commit(store, tips[0], hidden))) return tips;
  if (!store.is_shallow()) {
    auto commits = libgit2_commits(store, tips, hidden);
    if (commits) return commits;
  }
  return ask_rev_list(store, tips, hidden, {"--topo-order", "--reverse"});
}

}  // namespace gittxn::repo::internal

namespace gittxn::repo {

Result<std::optional<Oid>> Objects::merge_base(const Oid& a, const Oid& b) const {
  const internal::ObjectStore& store = state_->store;
  const git_oid first = TRY(internal::parse_oid(a));
  const git_oid second = TRY(internal::parse_oid(b));
  if (!store.is_shallow()) {
    git_oid base{};
    if (git_merge_base(&base, store.walking().repository, &first, &second) == 0) {
      return internal::to_oid(base);
    }
  }
  // "None" and "an object is missing" are one answer of libgit2; git tells them apart.
  const Output output = TRY(store.git().run({"merge-base", a.str(), b.str()}, store.here()));
  if (output.exit.status == 1 && output.err.empty()) return std::nullopt;
  if (!output.exit.success()) return fail(Code::kNotFound, "git merge-base: " + output.err);
  const Oid oid(output.out.substr(0, output.out.find('\n')));
  TRY(internal::parse_oid(oid));
  return oid;
}

Result<bool> Objects::is_ancestor(const Oid& ancestor, const Oid& descendant) const {
  const internal::ObjectStore& store = state_->store;
  const git_oid old = TRY(internal::parse_oid(ancestor));
  const git_oid tip = TRY(internal::parse_oid(descendant));
  if (ancestor == descendant) return true;
  if (!store.is_shallow()) {
    const int answer = git_graph_descendant_of(store.walking().repository, &tip, &old);
    if (answer >= 0) return answer == 1;
  }
  return internal::ask_is_ancestor(store, ancestor, descendant);
}

Result<std::optional<std::vector<Oid>>> Objects::first_parent_path(const Oid& from,
                                                                   const Oid& to) const {
  const internal::ObjectStore& store = state_->store;
  const git_oid old = TRY(internal::parse_oid(from));
  const git_oid tip = TRY(internal::parse_oid(to));
  std::vector<Oid> path;
  const bool shallow = store.is_shallow();
  for (git_oid at = tip; !internal::same(at, old);) {
    if (path.size() == internal::kFirstParentsUnasked &&
        !TRY(internal::ask_is_ancestor(store, from, to))) {
      return std::nullopt;
    }
    auto info = store.commit(at);
    if (!info && info.error().code == Code::kNotFound && shallow && !path.empty()) break;
    if (!info) return std::unexpected(std::move(info).error());
    path.push_back(info->oid);
    if (info->parents.empty()) break;
    at = internal::checked_oid(info->parents[0]);
    if (!internal::same(at, old)) continue;
    std::reverse(path.begin(), path.end());
    return path;
  }
  if (path.empty()) return path;  // from == to
  if (!TRY(is_ancestor(from, to))) return std::nullopt;
  return TRY(internal::ask_path(store, old, tip));
}

}  // namespace gittxn::repo
