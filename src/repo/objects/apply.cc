// A tree with a list of changes applied: the walk opens only the directories that the changes name.
// A path's `before` is compared with what the tree has there, so that a change made for another
// tree is kStale and never half applied. Directories come into being with their first file and
// vanish with their last one.
#include <algorithm>
#include <span>

#include "base/text.h"
#include "repo/objects/object_store.h"

namespace gittxn::repo::internal {
namespace {

// What git itself refuses to put into an index.
bool is_safe_component(std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.find('\0') != name.npos) return false;
  if (name.size() != 4 || name[0] != '.') return true;
  auto is = [&](std::size_t i, char lower) { return (name[i] | 0x20) == lower; };
  return !(is(1, 'g') && is(2, 'i') && is(3, 't'));
}

Status check_path(std::string_view path) {
  const bool safe = !path.empty() && !path.ends_with('/') &&
                    std::ranges::all_of(pieces_of(path, '/'), is_safe_component);
  if (safe) return {};
  return fail(Code::kUsage, "'" + std::string(path) + "' cannot be a path in a tree");
}

TreeEntry file_side(const TreeEntry& entry) {
  return entry.mode == FileMode::kTree ? TreeEntry{} : entry;
}

class Applier {
 public:
  explicit Applier(const ObjectStore& store) : store_(store) {}

  // `changes` are all below the directory whose path takes the first `prefix` bytes of theirs.
  Result<git_oid> apply(const git_oid& tree, std::span<const PathChange> changes,
                        std::size_t prefix, int depth) {
    TRY(check_depth(depth));
    const Tree from = TRY(store_.read_tree(tree));
    std::vector<RawEntry> to;
    to.reserve(from.entries.size() + changes.size());
    auto old = from.entries.begin();
    for (std::size_t i = 0; i < changes.size();) {
      const std::string_view name = component(changes[i], prefix);
      std::size_t end = i + 1;
      while (end < changes.size() && component(changes[end], prefix) == name) ++end;
      while (old != from.entries.end() && old->name < name) to.push_back(*old++);
      RawEntry was;
      if (old != from.entries.end() && old->name == name) was = *old++;
      TRY(apply_name(was, changes.subspan(i, end - i), prefix, depth, &to));
      i = end;
    }
    to.insert(to.end(), old, from.entries.end());
    if (to.empty()) return empty_tree_oid();
    return store_.write_tree(std::move(to));
  }

 private:
  static std::string_view component(const PathChange& change, std::size_t prefix) {
    const std::string_view rest = std::string_view(change.path).substr(prefix);
    return rest.substr(0, rest.find('/'));
  }

  static std::unexpected<Error> stale(const PathChange& change) {
    return fail(Code::kStale, "'" + change.path + "' is not what the change was made from");
  }

  // All changes of one name: to the file itself (at most one, and first), and below it.
  Status apply_name(const RawEntry& was, std::span<const PathChange> changes, std::size_t prefix,
                    int depth, std::vector<RawEntry>* to) {
    const std::string_view name = component(changes.front(), prefix);
    RawEntry file = was.is_tree() ? RawEntry{} : was;
    if (changes.front().path.size() == prefix + name.size()) {
      const PathChange& change = changes.front();
      if (to_entry(file) != file_side(change.before)) return stale(change);
      const TreeEntry after = file_side(change.after);
      if (after != file_side(change.before)) {
        file = {};
        file.mode = after.mode;
        file.raw_mode = static_cast<std::uint32_t>(after.mode);
        if (after.present()) file.oid = TRY(parse_oid(after.oid));
      }
      changes = changes.subspan(1);
    }
    git_oid below = was.is_tree() ? was.oid : empty_tree_oid();
    if (!changes.empty()) {
      below = TRY(apply(below, changes, prefix + name.size() + 1, depth + 1));
    }
    const bool has_directory = !same(below, empty_tree_oid());
    if (file.present() && has_directory) {
      return fail(Code::kStale, "'" + std::string(name) + "' would be a file and a directory");
    }
    if (!file.present() && !has_directory) return {};
    file.name = name;
    to->push_back(has_directory ? directory_entry(name, below) : file);
    return {};
  }

  const ObjectStore& store_;
};

// The order in which directories are met: "a", "a/x", then "a-b". Plain byte order has "a-b"
// between.
bool in_walk_order(const PathChange& a, const PathChange& b) {
  auto key = [](char c) {
    return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)) + 1;
  };
  return std::lexicographical_compare(a.path.begin(), a.path.end(), b.path.begin(), b.path.end(),
                                      [&](char x, char y) { return key(x) < key(y); });
}

}  // namespace
}  // namespace gittxn::repo::internal

namespace gittxn::repo {

Result<Oid> Objects::apply(const Oid& tree, Changes changes) const {
  const internal::ObjectStore& store = state_->store;
  const git_oid from = TRY(store.tree_of(tree));
  for (const PathChange& change : changes) TRY(internal::check_path(change.path));
  std::sort(changes.begin(), changes.end(), internal::in_walk_order);
  auto same_path = [](const PathChange& a, const PathChange& b) { return a.path == b.path; };
  const auto twice = std::adjacent_find(changes.begin(), changes.end(), same_path);
  if (twice != changes.end()) {
    return fail(Code::kUsage, "'" + twice->path + "' is changed twice in one list");
  }
  git_oid to = from;
  if (!changes.empty()) to = TRY(internal::Applier(store).apply(from, changes, 0, 0));
  if (!changes.empty() && internal::same(to, internal::empty_tree_oid()))
    to = TRY(store.write_tree({}));
  return internal::to_oid(to);
}

}  // namespace gittxn::repo
