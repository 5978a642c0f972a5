// The differing-subtree walk: two trees side by side, name by name, going down only where the
// object names differ. Cost grows with the change and the width of the directories on its way,
// of which what is the same is compared and not parsed, never with the number of files. Pure: reads
// objects, stores nothing.
//
// Entries of a tree are in plain byte order here (object_store.h), but a whole walk is not: "a"
// then "a/x" then "a-b". The result is sorted by the bytes of the path at the end.
#include <algorithm>

#include "repo/objects/object_store.h"

namespace gittxn::repo::internal {
namespace {

class Differ {
 public:
  explicit Differ(const ObjectStore& store) : store_(store) {}

  Status walk(const git_oid& before, const git_oid& after, int depth) {
    TRY(check_depth(depth));
    const auto [a, b] = TRY(store_.read_unlike(before, after));
    for (InStep step({a.entries, b.entries}); step.next();) {
      const RawEntry& was = *step.at[0];
      const RawEntry& is = *step.at[1];
      if (!(was == is)) TRY(differ(was, is, depth));
    }
    return {};
  }

  Changes take() {
    auto by_path = [](const PathChange& a, const PathChange& b) { return a.path < b.path; };
    std::sort(changes_.begin(), changes_.end(), by_path);
    return std::move(changes_);
  }

 private:
  Status differ(const RawEntry& was, const RawEntry& is, int depth) {
    const std::size_t length = path_.size();
    if (length != 0) path_ += '/';
    path_ += was.present() ? was.name : is.name;
    if (!was.is_tree() || !is.is_tree()) {
      if (changes_.size() >= kMaxChanges) {
        return fail(Code::kUnsupported,
                    "more than " + std::to_string(kMaxChanges) + " paths differ between two trees");
      }
      changes_.push_back({path_, to_entry(was), to_entry(is)});
    }
    if (was.is_tree() || is.is_tree()) {
      const git_oid& none = empty_tree_oid();
      TRY(walk(was.is_tree() ? was.oid : none, is.is_tree() ? is.oid : none, depth + 1));
    }
    path_.resize(length);
    return {};
  }

  const ObjectStore& store_;
  std::string path_;
  Changes changes_;
};

}  // namespace
}  // namespace gittxn::repo::internal

namespace gittxn::repo {

Result<Changes> Objects::diff(const Oid& before, const Oid& after) const {
  const internal::ObjectStore& store = state_->store;
  const git_oid a = TRY(store.tree_of(before));
  const git_oid b = TRY(store.tree_of(after));
  if (internal::same(a, b)) return Changes{};
  internal::Differ differ(store);
  TRY(differ.walk(a, b, 0));
  return differ.take();
}

}  // namespace gittxn::repo
