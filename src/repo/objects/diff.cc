// The differing-subtree walk: two trees side by side, name by name, going down only where the
// object names differ. Cost grows with the change and the width of the directories on its way,
// never with the number of files. Pure: reads objects, stores nothing.
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
    const Tree a = TRY(store_.read_tree(before));
    const Tree b = TRY(store_.read_tree(after));
    auto left = a.entries.begin();
    auto right = b.entries.begin();
    while (left != a.entries.end() || right != b.entries.end()) {
      static const RawEntry kNothing;
      int order = 0;
      if (left == a.entries.end()) {
        order = 1;
      } else if (right == b.entries.end()) {
        order = -1;
      } else {
        order = left->name.compare(right->name);
      }
      const RawEntry& was = order <= 0 ? *left++ : kNothing;
      const RawEntry& is = order >= 0 ? *right++ : kNothing;
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

Result<Changes> diff_trees(const ObjectStore& store, const git_oid& before, const git_oid& after) {
  if (same(before, after)) return Changes{};
  Differ differ(store);
  TRY(differ.walk(before, after, 0));
  return differ.take();
}

}  // namespace gittxn::repo::internal
