// Internal to repo/: the object database under Objects. Reads go through libgit2's odb (loose,
// packs, alternates), and through git's own program for what libgit2 cannot give: a promised object
// of a partial clone, a format it does not know. New objects are written loose into the own
// directory.
//
// libgit2 is given the object *directory*, never the repository: extensions, owners, split and
// sparse indexes, config.worktree, everything that makes git_repository_open refuse, has no bearing
// on objects.
//
// libgit2 refreshes its list of packs whenever an object is not found, and git_odb_write looks for
// each new object first; so writes go to a second odb that has only the loose back end, after one
// look that does not refresh. The worst of an outdated list is a loose copy of a packed object.
// Objects in memory are a back end of the odb that is read, ahead of all others.
#pragma once

#include <git2.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "repo/git.h"
#include "repo/objects.h"

namespace gittxn::repo::internal {

struct OidHash {
  std::size_t operator()(const git_oid& oid) const noexcept {
    std::size_t head = 0;
    std::memcpy(&head, oid.id, sizeof head);  // already uniform
    return head;
  }
};
struct OidEqual {
  bool operator()(const git_oid& a, const git_oid& b) const noexcept {
    return std::memcmp(a.id, b.id, sizeof a.id) == 0;
  }
};
using OidSet = std::unordered_set<git_oid, OidHash, OidEqual>;

inline bool same(const git_oid& a, const git_oid& b) {
  return OidEqual()(a, b);
}
Oid to_oid(const git_oid& oid);
Result<git_oid> parse_oid(const Oid& oid);  // kUsage unless 40 hex digits
Result<std::vector<git_oid>> parse_oids(const std::vector<Oid>& oids);
git_oid checked_oid(const Oid& oid);  // of a name that was checked before: from parse_commit
const git_oid& empty_tree_oid();

// The last libgit2 error as one of ours.
std::unexpected<Error> fail_git2(std::string what);

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using OdbPtr = std::unique_ptr<git_odb, Freer<git_odb_free>>;
using RepositoryPtr = std::unique_ptr<git_repository, Freer<git_repository_free>>;
using OdbObjectPtr = std::unique_ptr<git_odb_object, Freer<git_odb_object_free>>;
using RevwalkPtr = std::unique_ptr<git_revwalk, Freer<git_revwalk_free>>;

// The bytes of one object: libgit2's cached ones, or a copy that git's program gave us.
class RawObject {
 public:
  RawObject() = default;
  explicit RawObject(OdbObjectPtr object)
      : type_(git_odb_object_type(object.get())),
        bytes_(static_cast<const char*>(git_odb_object_data(object.get())),
               git_odb_object_size(object.get())),
        object_(std::move(object)) {}
  RawObject(git_object_t type, std::string bytes)
      : type_(type), copy_(std::make_unique<std::string>(std::move(bytes))) {
    bytes_ = *copy_;
  }
  git_object_t type() const { return type_; }
  std::string_view bytes() const { return bytes_; }

 private:
  git_object_t type_ = GIT_OBJECT_INVALID;
  std::string_view bytes_;
  OdbObjectPtr object_;
  std::unique_ptr<std::string> copy_;
};

// One line of a tree. `raw_mode` is what the tree says (old trees have 0100664); `mode` what it
// means.
struct RawEntry {
  std::string_view name;
  std::uint32_t raw_mode = 0;
  FileMode mode = FileMode::kNone;
  git_oid oid = {};
  bool present() const { return mode != FileMode::kNone; }
  bool is_tree() const { return mode == FileMode::kTree; }
  bool operator==(const RawEntry& other) const {
    return mode == other.mode && (mode == FileMode::kNone || same(oid, other.oid));
  }
};
inline const RawEntry kNoEntry;
TreeEntry to_entry(const RawEntry& entry);
RawEntry directory_entry(std::string_view name, const git_oid& tree);

// Entries sorted by the bytes of their names, which is not git's order: there a directory sorts as
// if its name ended in '/'. Two trees are compared name by name, and "a" may be a file in one of
// them.
struct Tree {
  RawObject object;  // owns the names
  std::vector<RawEntry> entries;
};

// Walks the entries of several trees side by side, name by name.
class InStep {
 public:
  explicit InStep(std::vector<std::span<const RawEntry>> trees)
      : at(trees.size(), &kNoEntry), rest_(std::move(trees)) {}
  bool next();  // false: there are no more

  std::string_view name;
  std::vector<const RawEntry*> at;  // in each tree; kNoEntry where it has none of that name

 private:
  std::vector<std::span<const RawEntry>> rest_;
};

struct ObjectHeader {
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;  // also where libgit2 has no such object
};

// A repository around an object database, for walks along commits. libgit2 gives a database one
// owner and keeps in that what it has unpacked, so stores beside each other have one together; it
// is not made for two threads, though the database is.
struct WalkedRepository {
  RepositoryPtr repository;
  std::mutex walked;
};
// Nobody else walks as long as it lives.
struct Walking {
  std::unique_lock<std::mutex> alone;
  git_repository* repository;
};

class ObjectStore {
 public:
  ObjectStore(std::string git_dir, Git git);
  Status open();
  // Instead: reads what `other` reads, with what that has unpacked, on another thread.
  Status open_beside(const ObjectStore& other);
  Status write_to_memory();  // from now on

  const std::string& git_dir() const { return git_dir_; }
  const std::string& objects_dir() const { return objects_dir_; }
  const Git& git() const { return git_; }
  GitOptions here() const;  // git commands on this repository
  Walking walking() const;

  ObjectHeader header(const git_oid& oid) const;
  // kNotFound when neither libgit2 nor git has it.
  Result<RawObject> read(const git_oid& oid) const;
  Result<RawObject> read(const git_oid& oid, git_object_t type) const;  // kCorrupt for another type
  Result<Tree> read_tree(const git_oid& oid) const;                     // zero oid: empty
  // The same for one that is asked for again and again; until the next call. What it cost to parse
  // is kept for kKeptTrees trees.
  Result<const Tree*> kept_tree(const git_oid& oid) const;
  // Both, without most of the entries that are the same in both.
  Result<std::pair<Tree, Tree>> read_unlike(const git_oid& a, const git_oid& b) const;
  Result<git_oid> tree_of(const Oid& commitish) const;  // empty oid: the empty tree
  Result<CommitInfo> commit(const git_oid& oid) const;
  // Without a new look at the packs: refresh() first where others may have written.
  bool has(const git_oid& oid) const;
  void refresh() const;
  Result<git_oid> write(git_object_t type, std::string_view bytes) const;
  Result<git_oid> write_tree(std::vector<RawEntry> entries) const;  // any order

  bool is_shallow() const;        // right now
  bool is_partial_clone() const;  // has promised objects
  // This store's objects directory and those it borrows from, all of them, without repetition.
  Result<std::vector<std::string>> object_dirs() const;
  // Packs that make_durable has synced already; packs never change under one name.
  std::set<std::string>& synced_packs() const { return synced_packs_; }

 private:
  Result<RawObject> ask_git(const git_oid& oid) const;
  Status parse(const git_oid& oid, Tree* tree) const;  // its object is there
  Status share_directory(const git_oid& oid) const;
  Status use(git_odb* odb);
  Status make_writer();

  std::string git_dir_;
  std::string objects_dir_;
  Git git_;
  OdbPtr odb_;
  OdbPtr writer_;  // null: to memory, which is a part of odb_
  std::shared_ptr<WalkedRepository> walked_;
  std::uint32_t shared_dir_mode_ = 0;  // not 0: core.sharedRepository is at work
  mutable std::set<std::string> synced_packs_;

  struct KeptTree {
    git_oid oid = {};
    Tree tree;
  };
  static constexpr std::size_t kKeptTrees = 32;
  mutable std::array<KeptTree, kKeptTrees> kept_trees_;  // each in the place that its name gives it
};

std::string loose_path(const std::string& objects_dir, const git_oid& oid);
Result<CommitInfo> parse_commit(const Oid& oid, std::string_view bytes);

// Trees are untrusted: nothing nests deeper or grows larger than this.
inline constexpr int kMaxDepth = 2048;
inline constexpr std::size_t kMaxChanges = 5'000'000;
Status check_depth(int depth);

// Every object below a tree that none of some base trees has at the same path; each once, children
// before parents, over all calls.
class NewObjects {
 public:
  enum class Enter { kTake, kLook, kSkip };  // kLook: not this tree, but what is below it
  using Filter = std::function<Result<Enter>(const git_oid&, FileMode)>;
  NewObjects(const ObjectStore& store, Filter filter) : store_(store), filter_(std::move(filter)) {}
  Status add_tree(const git_oid& tree, const std::vector<git_oid>& bases);
  Status add_object(const git_oid& oid, FileMode mode);
  const std::vector<git_oid>& found() const { return found_; }

 private:
  Status walk(const RawEntry& entry, const std::vector<git_oid>& bases, int depth);

  const ObjectStore& store_;
  Filter filter_;
  OidSet seen_;
  std::vector<git_oid> found_;
};

// Commits reachable from `tips` and from none of `hidden`, parents before children.
Result<std::vector<git_oid>> new_commits(const ObjectStore& store, const std::vector<git_oid>& tips,
                                         const std::vector<git_oid>& hidden);

// The same as in objects.h.
Result<Unsynced> unsynced(const ObjectStore& store, const Oid& tip,
                          const std::vector<Oid>& durable);
Status sync(const ObjectStore& store, const Unsynced& unsynced,
            const std::vector<std::string>& also);
Status make_durable(const ObjectStore& store, const Oid& tip, const std::vector<Oid>& durable);

}  // namespace gittxn::repo::internal

namespace gittxn::repo {
struct Objects::State {
  internal::ObjectStore store;
  struct Named {
    git_oid tree = {};
    std::string name;
    std::vector<NamedEntry> found;
  };
  mutable Named named = {};  // as all_named found it last
};
}  // namespace gittxn::repo
