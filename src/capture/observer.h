// Records about the worktree -> reads of the repository and own writes in the model. One record is
// at most a few reads; what a record teaches about the tree is applied before the next is looked
// at.
//
// The rules (docs/design/0002-reads.md):
//   a look-up that met the snapshot's file     content or metadata read of it
//   ... that met what the transaction wrote    no read
//   ... that met nothing                       absence read, unless the transaction removed it
//   making a name in a directory               that the directory is there
//   ... that must not be there, or that the    absence read: it would have failed or been in the
//       transaction does not keep              way otherwise
//   replacing a file whole                     no read: a write of the same path by others is a
//                                              conflict of writes
//   ... with the very bytes it had             content read
//   appending and changing in place            content read, if the file ended up changed
//   ... a file that was not there             absence read, if the file ended up with bytes in it
//   moving or linking the snapshot's file      its content moves: a read of it; of a directory, of
//                                              all that is in it
//   removing                                   that it was there; of a directory, that it was empty
// Nothing below a directory that the transaction made is a read: that it was not there is one.
// git's own look-ups are nobody's observation, and what git writes is a commit's content, so a
// later read of it is a read of that commit.
#pragma once

#include <set>
#include <string>

#include "capture/own_writes.h"
#include "capture/paths/path_resolver.h"
#include "capture/paths/tree_model.h"
#include "capture/read_log.h"

namespace gittxn::capture {

struct ObserverInput {
  const repo::Objects* objects = nullptr;
  Oid snapshot;
  Oid base;  // of `writes`; another than the snapshot when the agent moved it
  const Changes* writes = nullptr;
  OwnWrites::Fate fate = OwnWrites::Fate::kTaken;
};

class Observer {
 public:
  Observer(const ObserverInput& input, TreeModel& model, ReadLog& log);

  // `at` is record.path resolved; `to` record.path2 of a rename or link (null otherwise).
  void on(const Record& record, Process& process, const Resolved& at, const Resolved* to);
  // Links of the tree that were followed on the way to somewhere.
  void followed(const std::vector<Node*>& links, const Process& process, std::string_view op);
  // An open for reading of something that is there but not the snapshot's: maybe an ignored file.
  const std::set<std::string>& found_files() const { return found_files_; }
  // Whether anybody opened the snapshot's file there to change it in place.
  bool changed_in_place(const std::string& path) const { return own_.changed_in_place(path); }
  // True: the transaction writes no path, and opened none to change it in place.
  bool has_no_own_paths() const { return own_.has_none(); }
  // A path the transaction writes, as it was taken.
  bool own_path(std::string_view path) const { return own_.has(path); }
  // The digest of a listing of this tree of the snapshot, found at `path`, without own paths.
  std::string masked_listing(const Oid& tree, std::string_view path) const;
  // A process that may bring another commit's files into the tree begins.
  void base_may_move() { base_may_have_moved_ = input_.base != input_.snapshot; }

  // Reads by repository path, as a git command line names them: contents at and below, or names.
  void path_contents(const std::string& path, const ReadLog::Seen& seen);
  // ... of another commit than the snapshot: the target's, as fetched later.
  void path_contents_at(const Oid& commit, const std::string& path, const ReadLog::Seen& seen);
  void path_names(const std::string& path, const ReadLog::Seen& seen);
  // After the last record: own writes that changed nothing.
  void finish() { own_.finish(); }

 private:
  enum Look : unsigned { kShape = 1, kMetadata = 2, kContent = 4, kListing = 8 };

  void look(Look depth, const Record& record, const Process& process, const Resolved& at);
  void open_for_writing(const Record& record, Process& process, const Resolved& at);
  void create(const Record& record, Process& process, const Resolved& at);
  void make_exclusive(FileMode mode, const Record& record, Process& process, const Resolved& at);
  void remove(const Record& record, Process& process, const Resolved& at);
  void rename(const Record& record, Process& process, const Resolved& from, const Resolved& to);
  void hard_link(const Record& record, Process& process, const Resolved& from, const Resolved& to);

  void saw_node(Look depth, Node& node, const ReadLog::Seen& seen);
  void saw_git_node(Look depth, Node& node, const ReadLog::Seen& seen);
  void saw_nothing(const Resolved& at, const Process& process, const ReadLog::Seen& seen);
  void saw_no_place(const Resolved& at, const Process& process, const ReadLog::Seen& seen);
  void saw_listing(Node& dir, const ReadLog::Seen& seen);
  void moved_away(Node& node, const ReadLog::Seen& seen, int depth);

  struct Spot {
    Node* dir = nullptr;
    std::string name;
  };
  Spot spot_of(const Record& record, const Process& process, const Resolved& at);
  // What is there now according to a record that met something the model does not have.
  Node* reveal(const Record& record, const Process& process, const Resolved& at);
  Node* replace(Node& dir, const std::string& name, FileMode mode, const Process& process);
  void forget_git_read(Node& node, const Process& process);
  void contents_of(const TreeEntry& entry, const Oid& commit, const std::string& path,
                   const ReadLog::Seen& seen);
  void list_all_below(const Oid& tree, const std::string& path, const ReadLog::Seen& seen,
                      int depth);
  ObserverInput input_;
  TreeModel& model_;
  ReadLog& log_;
  Oid base_tree_;
  bool base_may_have_moved_ = false;
  std::set<std::string> found_files_;
  OwnWrites own_;
};

}  // namespace gittxn::capture
