// One canonical name for whatever a process called a path: through "..", "//" and ".", links inside
// and outside the tree, bind mounts of the tree and other checkouts of the repository.
//
// Inside the tree a path is walked in the model (tree_model.h), so that a link means what it meant
// when it was used. Outside it is walked on disk as it is now, once for each path; git-txn promises
// nothing about what changes there while a command runs.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/interpret.h"
#include "capture/tree_model.h"

namespace gittxn::capture {

enum class Place {
  kTree,       // the worktree: `node`, or what is missing of it
  kGitDir,     // the private git directory: `rest`
  kCommonGit,  // the repository's own git directory: `rest`
  kCheckout,   // another checkout of the repository: `rest` is a repository path
  kOutside,    // `real`
  kPseudo,     // /proc, /sys, /dev
  kLoop,       // links that lead in a circle
};

struct Resolved {
  Place place = Place::kOutside;
  Node* node = nullptr;  // kTree: what is there; null: nothing
  Node* dir = nullptr;   // kTree: the deepest directory that is there
  std::string name;      // kTree: the last component below `dir`, when nothing else is missing
  std::string missing;   // kTree, nothing there: the repository path that was looked for
  bool removed = false;  // ... and it was the transaction that took it away
  std::string rest;
  std::string real;          // kOutside, kCheckout: on disk
  std::vector<Node*> links;  // of the tree, that were followed on the way
};

enum class LastLink { kFollow, kKeep };

// Where else the tree can be seen: (mount point, what it shows). From the text of
// /proc/self/mountinfo.
std::vector<std::pair<std::string, std::string>> bind_aliases(std::string_view mountinfo,
                                                              const std::string& tree);

class PathResolver {
 public:
  PathResolver(const Places& places, TreeModel& model,
               std::vector<std::pair<std::string, std::string>> aliases);
  Resolved resolve(const std::string& path, LastLink last);

 private:
  struct OnDisk {
    char type = '?';  // 'd', 'l', 'f' anything else, '-' nothing
    std::string link_text;
  };
  struct Outside {
    bool enters_tree = false;
    std::string rest;  // what is left of the path where it enters the tree
    Resolved resolved;
  };
  void walk_tree(std::string_view path, LastLink last, int depth, Resolved& out);
  void missing_from(Node& dir, std::vector<std::string>& parts, Resolved& out);
  const Outside& walk_outside(const std::string& path, LastLink last);
  Outside walk_disk(const std::string& path, LastLink last);
  const OnDisk& on_disk(const std::string& path);
  Outside classify(std::string real) const;
  void leave_tree(const std::string& path, LastLink last, int depth, Resolved& out);

  Places places_;
  TreeModel& model_;
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::unordered_map<std::string, OnDisk> disk_;
  std::unordered_map<std::string, Outside> outside_[2];
};

}  // namespace gittxn::capture
