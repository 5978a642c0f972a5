// Questions about single objects. The others are answered in objects/ and durable.cc.
#include "repo/objects.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/hash.h"
#include "repo/objects/object_store.h"

namespace gittxn::repo {

using internal::ObjectStore;
using internal::parse_oid;
using internal::RawEntry;
using internal::RawObject;
using internal::to_entry;
using internal::to_oid;
using internal::Tree;

Objects::Objects(std::unique_ptr<State> state) : state_(std::move(state)) {}
Objects::Objects(Objects&&) noexcept = default;
Objects& Objects::operator=(Objects&&) noexcept = default;
Objects::~Objects() = default;

Result<Objects> Objects::open(const std::string& git_dir, const Git& git) {
  auto state = std::make_unique<State>(State{ObjectStore(git_dir, git)});
  TRY(state->store.open());
  return Objects(std::move(state));
}

Result<Objects> Objects::open_in_memory(const std::string& git_dir, const Git& git) {
  auto state = std::make_unique<State>(State{ObjectStore(git_dir, git)});
  TRY(state->store.open());
  TRY(state->store.write_to_memory());
  return Objects(std::move(state));
}

Result<Objects> Objects::beside() const {
  const ObjectStore& ours = state_->store;
  auto state = std::make_unique<State>(State{ObjectStore(ours.git_dir(), ours.git())});
  TRY(state->store.open_beside(ours));
  return Objects(std::move(state));
}

const std::string& Objects::git_dir() const {
  return state_->store.git_dir();
}

Result<CommitInfo> Objects::commit(const Oid& oid) const {
  return state_->store.commit(TRY(parse_oid(oid)));
}

Result<Oid> Objects::tree_of(const Oid& commitish) const {
  return to_oid(TRY(state_->store.tree_of(commitish)));
}

Result<TreeEntry> Objects::entry_at(const Oid& tree, std::string_view path) const {
  RawEntry at;
  at.mode = FileMode::kTree;
  at.oid = TRY(state_->store.tree_of(tree));
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
    if (!at.is_tree()) return TreeEntry{};
    const std::vector<RawEntry>& entries = TRY(state_->store.kept_tree(at.oid))->entries;
    const auto found = std::ranges::lower_bound(entries, name, {}, &RawEntry::name);
    if (found == entries.end() || found->name != name) return TreeEntry{};
    at = *found;
  }
  return to_entry(at);
}

Result<std::vector<NamedEntry>> Objects::list(const Oid& tree) const {
  const Tree read = TRY(state_->store.read_tree(TRY(state_->store.tree_of(tree))));
  std::vector<NamedEntry> entries;
  entries.reserve(read.entries.size());
  for (const RawEntry& entry : read.entries) {
    entries.push_back({std::string(entry.name), to_entry(entry)});
  }
  return entries;
}

TreeEntry ListedEntry::entry() const {
  return {mode, Oid(hex_of({id, GIT_OID_RAWSZ}))};
}

Result<Listing> Objects::listing(const Oid& tree) const {
  internal::Tree read = TRY(state_->store.read_tree(TRY(state_->store.tree_of(tree))));
  Listing listing;
  listing.entries.reserve(read.entries.size());
  for (const RawEntry& entry : read.entries) {
    const char* const behind = entry.name.data() + entry.name.size() + 1;  // as trees are written
    listing.entries.push_back({entry.name, entry.mode, behind});
  }
  listing.bytes = std::make_shared<RawObject>(std::move(read.object));
  return listing;
}

namespace {

class ByName {
 public:
  ByName(const ObjectStore& store, std::string_view name) : store_(store), name_(name) {}

  // True when there are any.
  Result<bool> find_below(const git_oid& tree, const std::string& above, int depth) {
    if (without_.contains(tree)) return false;
    TRY(internal::check_depth(depth));
    bool any = false;
    const internal::Tree read = TRY(store_.read_tree(tree));
    for (const RawEntry& entry : read.entries) {
      if (entry.is_tree()) {
        const std::string below = above + std::string(entry.name) + "/";
        if (TRY(find_below(entry.oid, below, depth + 1))) any = true;
      } else if (entry.name == name_) {
        found.push_back({above + std::string(entry.name), to_entry(entry)});
        any = true;
      }
    }
    if (!any) without_.insert(tree);
    return any;
  }

  std::vector<NamedEntry> found;

 private:
  const ObjectStore& store_;
  std::string_view name_;
  internal::OidSet without_;
};

}  // namespace

Result<std::vector<NamedEntry>> Objects::all_named(const Oid& tree, std::string_view name) const {
  const git_oid top = TRY(state_->store.tree_of(tree));
  State::Named& last = state_->named;
  if (last.name == name && internal::same(last.tree, top)) return last.found;
  ByName search(state_->store, name);
  TRY(search.find_below(top, "", 0));
  last = {top, std::string(name), std::move(search.found)};
  return last.found;
}

namespace {

// Returns false when it is enough. A tree that stands at several paths is unpacked once.
Result<bool> unpack_below(const ObjectStore& store, const git_oid& tree, int depth,
                          const std::function<bool()>& enough) {
  TRY(internal::check_depth(depth));
  if (enough()) return false;
  const internal::Tree read = TRY(store.read_tree(tree));
  for (const RawEntry& entry : std::views::reverse(read.entries)) {
    if (entry.is_tree() && !TRY(unpack_below(store, entry.oid, depth + 1, enough))) return false;
  }
  return true;
}

}  // namespace

void Objects::unpack_trees(const Oid& tree, const std::function<bool()>& enough) const {
  const auto top = state_->store.tree_of(tree);
  // A tree that cannot be read is reported by the reader that needs it.
  if (top) (void)unpack_below(state_->store, *top, 0, enough);
}

Result<std::string> Objects::blob(const Oid& oid, std::size_t max_bytes) const {
  const git_oid name = TRY(parse_oid(oid));
  const internal::ObjectHeader header = state_->store.header(name);
  if (header.size > max_bytes) {
    return fail(Code::kFault, "the blob " + oid.str() + " has " + std::to_string(header.size) +
                                  " bytes, more than " + std::to_string(max_bytes));
  }
  const RawObject object = TRY(state_->store.read(name, GIT_OBJECT_BLOB));
  return std::string(object.bytes());
}

Result<Oid> Objects::blob_id(std::string_view bytes) const {
  git_oid oid{};
  if (git_odb_hash(&oid, bytes.data(), bytes.size(), GIT_OBJECT_BLOB) != 0) {
    return internal::fail_git2("hashing bytes");
  }
  return to_oid(oid);
}

Result<std::uint64_t> Objects::blob_size(const Oid& oid) const {
  const git_oid name = TRY(parse_oid(oid));
  const internal::ObjectHeader header = state_->store.header(name);
  if (header.type == GIT_OBJECT_BLOB) return header.size;
  const RawObject object = TRY(state_->store.read(name, GIT_OBJECT_BLOB));
  return object.bytes().size();
}

Result<bool> Objects::contains(const Oid& oid) const {
  const git_oid name = TRY(parse_oid(oid));
  if (state_->store.has(name)) return true;
  state_->store.refresh();
  return state_->store.has(name);
}

Result<Oid> Objects::write_blob(std::string_view bytes) {
  return to_oid(TRY(state_->store.write(GIT_OBJECT_BLOB, bytes)));
}

Status Objects::make_durable(const Oid& tip, const std::vector<Oid>& durable) const {
  return internal::make_durable(state_->store, tip, durable);
}

Result<Unsynced> Objects::unsynced(const Oid& tip, const std::vector<Oid>& durable) const {
  return internal::unsynced(state_->store, tip, durable);
}

Status Objects::sync(const Unsynced& unsynced, const std::vector<std::string>& also) const {
  return internal::sync(state_->store, unsynced, also);
}

}  // namespace gittxn::repo
