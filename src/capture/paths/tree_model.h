// The worktree as its processes see it over time: the snapshot's tree, changed by what the records
// say was written. Kept in memory and only as far as it is looked at; nothing here touches the
// worktree, whose present state says little about what a path meant when it was read.
//
// Nodes stay where they are as long as the model, those too that were taken out of it: what was
// seen of one may be told later. What the snapshot has of a node never changes.
//
// Where model and record disagree (records of racing processes can be in either order) the caller
// repairs the model with found() and restore(), in the direction that leaves more reads standing.
//
// Objects that cannot be read make every later answer worthless: the first such error sticks, and
// the caller asks for it once at the end.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "repo/objects.h"

namespace gittxn::capture {

enum class Origin : std::uint8_t {
  kSnapshot,  // as the snapshot has it, perhaps changed in place
  kOwn,       // wholly the transaction's: created, or replaced
  kGit,       // written by git: a commit's content, whichever commit that was
  kFound,     // there, not in the snapshot, and nobody was seen making it: untracked
};

struct Node;

// The nodes in a directory, sorted by name: in a row, and once one was added or taken away in a
// map.
class NodesInside {
 public:
  // `near`: where to look first; becomes the one behind what was found.
  Node* find(std::string_view name, Node** near = nullptr) const;
  bool empty() const { return size() == 0; }
  std::size_t size() const { return changed_ ? changed_->size() : count_; }
  template <typename See>
  void each(See see) const;
  void begin_with(Node* first, std::size_t count) {
    first_ = first;
    count_ = count;
  }
  void erase(std::string_view name);
  void put(Node& node);  // no other has its name

 private:
  std::map<std::string_view, Node*>& changed();
  Node* first_ = nullptr;
  std::size_t count_ = 0;
  std::unique_ptr<std::map<std::string_view, Node*>> changed_;
};

// There are as many as files are looked at, and most are a line of a tree of the snapshot: these
// have no text of their own.
struct Node {
  std::string_view name;   // a text of the model's
  Node* parent = nullptr;  // null: the root
  FileMode mode = FileMode::kFile;
  std::uint32_t seen = 0;  // which reads were recorded already (the observer's bits)
  Origin origin = Origin::kSnapshot;
  bool loaded = false;
  bool fresh = false;    // a directory the transaction made where there was none
  bool touched = false;  // a directory whose names are not those of `entry` any more, or were not
  // The line of the snapshot's tree, and the directory in which that has it. Null: see `told`.
  const repo::ListedEntry* listed = nullptr;
  const Node* listed_in = nullptr;
  struct Told {
    TreeEntry entry;
    std::string snapshot_path;
    std::string link_text;                       // of a link that is not the snapshot's
    std::set<std::string, std::less<>> removed;  // the transaction took these names away
  };
  std::unique_ptr<Told> told;
  NodesInside children;

  bool directory() const { return mode == FileMode::kTree; }
  bool link() const { return mode == FileMode::kLink; }
  // The snapshot's, at snapshot_path; none: the snapshot has nothing.
  TreeEntry entry() const;
  FileMode entry_mode() const;
  std::string snapshot_path() const;
  bool has_removed(std::string_view gone) const {
    return told != nullptr && told->removed.contains(gone);
  }
  Told& tell();  // what is not the snapshot's line
};

template <typename See>
void NodesInside::each(See see) const {
  if (changed_ != nullptr) {
    for (const auto& [name, node] : *changed_) see(*node);
    return;
  }
  for (std::size_t i = 0; i < count_; ++i) see(first_[i]);
}

// A path at or below a ".git", which no tree can hold.
bool in_git_directory(std::string_view path);
// True: at or below a directory that the transaction made where there was none.
bool in_fresh_directory(const Node* dir);
// What a metadata read of an entry has for its digest.
std::string metadata_of(const TreeEntry& entry);

class TreeModel {
 public:
  TreeModel(const repo::Objects& objects, const Oid& snapshot_tree);
  TreeModel(const TreeModel&) = delete;
  TreeModel& operator=(const TreeModel&) = delete;

  Node& root() { return root_; }
  const Oid& snapshot_tree() const { return tree_; }
  // Null: nothing of that name. `dir` is a directory.
  Node* child(Node& dir, std::string_view name);
  // What stands at a path by itself, no link on the way.
  Node* at(std::string_view path);
  // Another number whenever a name may mean another node than before.
  std::uint64_t changes() const { return changes_; }
  // The text of a link; bounded, "" when it is not a link.
  std::string text_of(Node& link);
  std::string path_of(const Node& node) const;
  // Knows the children of a directory of the snapshot from here on.
  void open(Node& dir);
  std::vector<repo::NamedEntry> list(const Oid& tree);
  // What the snapshot has at a path, whatever has become of it.
  TreeEntry snapshot_entry(std::string_view path);
  // A directory of the snapshot whose children here are all that the snapshot has in it, and which
  // has been opened; null: another one, or it is not known yet.
  const Node* whole_directory(std::string_view path) const;

  // A new node in place of whatever was there.
  Node& make(Node& dir, std::string_view name, FileMode mode, Origin origin);
  // Takes a node out; the directory remembers that the name was taken away.
  void detach(Node& node);
  // Puts one that is in no directory into one, in place of whatever had the name there.
  void attach(Node& dir, std::string_view name, Node& node);
  // The removal did not happen: the snapshot's entry again, or null when the snapshot has none.
  Node* restore(Node& dir, std::string_view name);

  const std::optional<Error>& error() const { return error_; }

 private:
  TreeEntry snapshot_of(const Oid& tree, std::string_view path);
  template <typename T>
  T got(Result<T> what, std::string_view doing);

  const repo::Objects& objects_;
  Oid tree_;
  Node root_;
  std::deque<Node> nodes_;  // of no listing
  std::deque<repo::Listing> listings_;
  std::vector<std::unique_ptr<Node[]>> listed_;  // the nodes of each
  std::deque<std::string> names_;
  std::uint64_t changes_ = 0;
  std::optional<Error> error_;
};

}  // namespace gittxn::capture
