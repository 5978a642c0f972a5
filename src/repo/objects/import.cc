// Brings a transaction's objects home: out of its private git directory into the repository's own
// store. Few small objects are copied loose, children before parents, so that a kill leaves nothing
// that names what is not there. Many or large ones become one pack, which git's own program writes
// straight into our store (it streams; a 1 GB file never passes through this process).
//
// Nothing is durable here: make_durable syncs what a landing or a kept attempt needs.
#include <algorithm>
#include <utility>

#include "repo/objects/object_store.h"
#include "repo/worktree/worktree_gitdir.h"

namespace gittxn::repo::internal {
namespace {

constexpr std::size_t kMostLooseObjects = 1000;
constexpr std::size_t kMostLooseBytes = 16u << 20;
constexpr std::size_t kMostCommitsWalked = 256;

class Importer {
 public:
  Importer(const ObjectStore& to, const ObjectStore& from, NewObjects::Enter present)
      : to_(to),
        from_(from),
        present_(present),
        found_(from, [this](const git_oid& oid, FileMode mode) { return enter(oid, mode); }) {}

  Status add_tree(const git_oid& tree, const std::vector<git_oid>& bases) {
    std::vector<git_oid> readable;
    for (const git_oid& base : bases) {
      if (same(base, empty_tree_oid()) || from_.has(base)) readable.push_back(base);
    }
    return found_.add_tree(tree, readable);
  }

  // Commits that `to` lacks, parents first. False when there are so many that git should do it.
  Result<bool> add_commits(const std::vector<git_oid>& tips) {
    std::vector<CommitInfo> order;
    OidSet seen;
    for (const git_oid& tip : tips) {
      if (!TRY(collect(tip, &order, &seen))) return false;
    }
    for (const CommitInfo& info : order) {
      std::vector<git_oid> bases;
      for (const Oid& parent : info.parents) {
        const git_oid oid = checked_oid(parent);
        const ObjectStore& holder = from_.has(oid) ? from_ : to_;
        bases.push_back(checked_oid(TRY(holder.commit(oid)).tree));
      }
      TRY(add_tree(checked_oid(info.tree), bases));
      TRY(found_.add_object(checked_oid(info.oid), FileMode::kNone));
    }
    return true;
  }

  Status copy() const {
    std::size_t bytes = 0;
    for (const git_oid& oid : found_.found()) bytes += from_.header(oid).size;
    if (found_.found().size() > kMostLooseObjects || bytes > kMostLooseBytes) {
      std::string input;
      for (const git_oid& oid : found_.found()) input += to_oid(oid).str() + "\n";
      return pack(std::move(input), {});
    }
    for (const git_oid& oid : found_.found()) {
      const RawObject object = TRY(from_.read(oid));
      const git_oid written = TRY(to_.write(object.type(), object.bytes()));
      if (same(written, oid)) continue;
      return fail(Code::kCorrupt,
                  "the object " + to_oid(oid).str() + " does not have that content");
    }
    return {};
  }

  // Everything reachable from the tips that none of our refs reaches, as one pack.
  Status pack_history(const std::vector<git_oid>& tips) const {
    std::string input;
    for (const git_oid& tip : tips) input += to_oid(tip).str() + "\n";
    input += TRY(to_.git().must({"for-each-ref", "--format=^%(objectname)"}, to_.here()));
    return pack(std::move(input), {"--revs"});
  }

 private:
  Result<NewObjects::Enter> enter(const git_oid& oid, FileMode mode) const {
    if (!to_.has(oid)) return NewObjects::Enter::kTake;
    return mode == FileMode::kTree ? present_ : NewObjects::Enter::kSkip;
  }

  // Depth first, so that a commit is listed after its parents.
  Result<bool> collect(const git_oid& tip, std::vector<CommitInfo>* order, OidSet* seen) const {
    struct Frame {
      CommitInfo info;
      std::size_t next_parent = 0;
    };
    std::vector<Frame> stack;
    auto push = [&](const git_oid& oid) -> Status {
      if (to_.has(oid) || !seen->insert(oid).second) return {};
      auto info = from_.commit(oid);
      if (!info && info.error().code == Code::kNotFound) {
        return fail(Code::kUnsupported, "the history is cut off at " + to_oid(oid).str(),
                    "it was fetched with --depth; fetch the rest with: git fetch --unshallow");
      }
      if (!info) return std::unexpected(std::move(info).error());
      stack.push_back({*std::move(info), 0});
      return {};
    };
    TRY(push(tip));
    while (!stack.empty()) {
      if (stack.size() + order->size() > kMostCommitsWalked) return false;
      Frame& top = stack.back();
      if (top.next_parent < top.info.parents.size()) {
        const git_oid parent = checked_oid(top.info.parents[top.next_parent++]);
        TRY(push(parent));
        continue;
      }
      order->push_back(std::move(top.info));
      stack.pop_back();
    }
    return true;
  }

  Status pack(std::string input, std::vector<std::string> extra) const {
    GitOptions options = to_.here();
    options.input = std::move(input);
    options.extra["GIT_OBJECT_DIRECTORY"] = to_.objects_dir();
    options.extra["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = alternates_text(TRY(from_.object_dirs()));
    std::vector<std::string> args = {"pack-objects", "-q", "--window=0"};
    args.insert(args.end(), extra.begin(), extra.end());
    args.push_back(to_.objects_dir() + "/pack/pack");
    TRY_IN("copying objects", to_.git().must(std::move(args), options));
    to_.refresh();
    return {};
  }

  const ObjectStore& to_;
  const ObjectStore& from_;
  NewObjects::Enter present_;
  NewObjects found_;
};

}  // namespace
}  // namespace gittxn::repo::internal

namespace gittxn::repo {

using internal::NewObjects;

Status Objects::import(const Objects& other, const Oid& tree, const std::vector<Oid>& commits,
                       const Oid& known) {
  const internal::ObjectStore& to = state_->store;
  const internal::ObjectStore& from = other.state_->store;
  to.refresh();
  from.refresh();
  internal::Importer importer(to, from,
                              known.empty() ? NewObjects::Enter::kSkip : NewObjects::Enter::kLook);
  std::vector<git_oid> bases;
  if (!known.empty()) bases.push_back(TRY(to.tree_of(known)));
  const std::vector<git_oid> tips = TRY(internal::parse_oids(commits));
  const git_oid wanted = TRY(from.tree_of(tree));
  if (!TRY(importer.add_commits(tips))) {
    TRY(importer.pack_history(tips));
    internal::Importer rest(to, from, NewObjects::Enter::kSkip);
    TRY(rest.add_tree(wanted, bases));
    return rest.copy();
  }
  TRY(importer.add_tree(wanted, bases));
  return importer.copy();
}

}  // namespace gittxn::repo
