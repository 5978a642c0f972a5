// The worktree as its processes see it over time: the snapshot's tree, changed by what the records
// say was written. Kept in memory and only as far as it is looked at; nothing here touches the
// worktree, whose present state says little about what a path meant when it was read.
//
// Where model and record disagree (records of racing processes can be in either order) the caller
// repairs the model with found() and restore(), in the direction that leaves more reads standing.
//
// Objects that cannot be read make every later answer worthless: the first such error sticks, and
// the caller asks for it once at the end.
#pragma once

#include <cstdint>
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

struct Node {
  std::string name;
  Node* parent = nullptr;  // null: the root
  FileMode mode = FileMode::kFile;
  Origin origin = Origin::kSnapshot;
  TreeEntry entry;  // the snapshot's, at snapshot_path; none: the snapshot has nothing
  std::string snapshot_path;
  std::string link_text;   // of a link that is not the snapshot's
  std::uint32_t seen = 0;  // which reads were recorded already (the observer's bits)
  bool loaded = false;
  bool fresh = false;  // a directory the transaction made where there was none
  std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
  std::set<std::string, std::less<>>
      removed;  // names the transaction took away from this directory

  bool directory() const { return mode == FileMode::kTree; }
  bool link() const { return mode == FileMode::kLink; }
};

// A path at or below a ".git", which no tree can hold.
bool in_git_directory(std::string_view path);
// What a metadata read of an entry has for its digest.
std::string metadata_of(const TreeEntry& entry);

class TreeModel {
 public:
  TreeModel(const repo::Objects& objects, const Oid& snapshot_tree);

  Node& root() { return *root_; }
  const Oid& snapshot_tree() const { return tree_; }
  // Null: nothing of that name. `dir` is a directory.
  Node* child(Node& dir, std::string_view name);
  // What stands at a path by itself, no link on the way.
  Node* at(std::string_view path);
  // The text of a link; bounded, "" when it is not a link.
  std::string text_of(Node& link);
  std::string path_of(const Node& node) const;
  // Knows the children of a directory of the snapshot from here on.
  void open(Node& dir);
  std::vector<repo::NamedEntry> list(const Oid& tree);
  // What the snapshot has at a path, whatever has become of it.
  TreeEntry snapshot_entry(std::string_view path);

  // A new node in place of whatever was there.
  Node& make(Node& dir, std::string_view name, FileMode mode, Origin origin);
  // Takes a node out; the directory remembers that the name was taken away.
  std::unique_ptr<Node> detach(Node& node);
  void attach(Node& dir, std::string_view name, std::unique_ptr<Node> node);
  // The removal did not happen: the snapshot's entry again, or null when the snapshot has none.
  Node* restore(Node& dir, std::string_view name);

  const std::optional<Error>& error() const { return error_; }

 private:
  std::unique_ptr<Node> from_snapshot(Node& dir, const std::string& name, TreeEntry entry);
  TreeEntry snapshot_of(const Oid& tree, std::string_view path);
  template <typename T>
  T got(Result<T> what, std::string_view doing);

  const repo::Objects& objects_;
  Oid tree_;
  std::unique_ptr<Node> root_;
  std::optional<Error> error_;
};

}  // namespace gittxn::capture
