// One canonical name for whatever a process called a path: through "..", "//" and ".", links inside
// and outside the tree, bind mounts of the tree and other checkouts of the repository.
//
// Inside the tree a path is walked in the model (tree_model.h), so that a link means what it meant
// when it was used. Outside it is walked on disk as it is now, with the links as the records say
// they were at that moment (outside_links.h); git-txn promises nothing about what others change
// there while a command runs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/interpret.h"
#include "capture/paths/outside_links.h"
#include "capture/paths/tree_model.h"

namespace gittxn::capture {

enum class Place {
  kTree,       // the worktree: `node`, or what is missing of it
  kGitDir,     // the private git directory: `rest`
  kCommonGit,  // the repository's own git directory: `rest`
  kCheckout,   // another checkout of the repository: `rest` is a repository path
  kOtherTxn,   // the private worktree of another transaction: `rest`, `owner`
  kOutside,    // `real`
  kPseudo,     // /proc, /sys, /dev
  kLoop,       // links that lead in a circle
};

struct Resolved {
  Place place = Place::kOutside;
  Node* node = nullptr;   // kTree: what is there; null: nothing
  Node* dir = nullptr;    // kTree: the deepest directory that is there
  std::string name{};     // kTree: the last component below `dir`, when nothing else is missing
  std::string missing{};  // kTree, nothing there: the repository path that was looked for
  bool removed = false;   // ... and it was the transaction that took it away
  std::string rest{};
  std::string real{};          // on disk, of what is outside of the tree
  std::string owner{};         // kOtherTxn: the transaction
  std::string lost{};          // a link on the way outside of which nobody knows where it led
  std::vector<Node*> links{};  // of the tree, that were followed on the way
};

enum class LastLink { kFollow, kKeep };

// Bind mounts by which the tree has other names: (mount point, what it shows).
using Aliases = std::vector<std::pair<std::string, std::string>>;
// From the text of /proc/self/mountinfo.
Aliases bind_aliases(std::string_view mountinfo, const std::string& tree);

class PathResolver {
 public:
  PathResolver(const Places& places, TreeModel& model, Aliases aliases)
      : places_(places), model_(model), aliases_(std::move(aliases)) {}
  Resolved resolve(const std::string& path, LastLink last);

  // All records but plain looks, before any is resolved; then start_over().
  void foresee(const Record& record);
  void start_over();
  // A record whose paths have been resolved: what it did to links outside.
  void replay(const Record& record, const Resolved& at, const Resolved* to);

 private:
  struct OnDisk {
    char type = '?';  // 'd', 'l', 'f' anything else, '-' nothing
    std::string link_text;
  };
  struct Outside {
    bool enters_tree = false;
    std::string rest{};  // what is left of the path where it enters the tree
    Resolved resolved{};
  };
  Node* directory_at(std::string_view path);
  Node* child_of(Node& dir, std::string_view name);
  bool is_in_last(std::string_view path, Resolved& out);
  bool walk_names(std::string_view path, Resolved& out);
  void walk_tree(std::string_view path, LastLink last, int depth, Resolved& out);
  void missing_from(Node& dir, std::vector<std::string>& parts, Resolved& out);
  const Outside& walk_outside(const std::string& path, LastLink last);
  Outside walk_disk(const std::string& path, LastLink last);
  const OnDisk& look(const std::string& path);
  OnDisk stands_at(const std::string& path);
  Resolved classify(std::string real) const;
  bool in_other_txn(const std::string& real, Resolved& out) const;
  bool spelt_in_tree(std::string_view path) const;
  OutsideLinks::Spot spot_of(const Resolved& at);
  void put(const Resolved& at, OutsideLinks::Spot spot);
  void foresee_link(const std::string& path, std::string text);
  void foresee_change(const std::string& path);
  void take_away(const Record& record, const Resolved& at);
  void rename(const Record& record, const Resolved& at, const Resolved& to);
  void forget_ways();
  void leave_tree(const std::string& path, LastLink last, int depth, Resolved& out);

  struct LastDirectory {
    std::string path = {};      // of the tree
    std::string absolute = {};  // with a slash at its end
    Node* dir = nullptr;
    std::uint64_t changes = 0;  // the model's
    Node* next = nullptr;       // behind the child that was asked for last
  };

  Places places_;
  TreeModel& model_;
  LastDirectory last_;
  Aliases aliases_;
  OutsideLinks links_;
  std::set<std::string> met_;  // links outside that the records have met, so far
  std::unordered_map<std::string, OnDisk> disk_;
  std::unordered_map<std::string, Outside> outside_[2];
};

}  // namespace gittxn::capture
