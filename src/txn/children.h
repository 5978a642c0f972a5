// Sub-agents that ask for a worktree of their own. Each gets one beside its parent's, of the same
// snapshot: a child of the attempt. When it has ended its change is certified against the parent's
// worktree and put into it, or kept beside and told; it never lands by itself. What it read joins
// the reads of the parent whatever became of its change, because the parent decides on what the
// child says.
//
// A child is in the log (txn.child) and below the attempt's directory, children/<n>, and goes with
// it. Work that did not get into the parent is kept at refs/txn/<id>/child-<attempt>-<n>.
// If we die while a change is put into the parent, some of its files are there and the log does not
// say that it was joined; the child's worktree still has all of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "land/judge/symbols.h"
#include "txn/attempt.h"
#include "txn/serve/ask.h"

namespace gittxn::api {

class Children {
 public:
  Children(State& state, Txn txn, const Progress& progress);

  // Answers what hooks ask for; to be called often while the command runs. Nothing but the asks
  // depends on it, so a failure is the answer, and a note.
  void look();
  // After the whole tree has ended: the session's own worktree is joined, what is left of killed
  // sub-agents is kept.
  Status finish();
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Child {
    int number = 0;
    std::string name;
    std::string path;
    Oid joined;  // the tree that was joined last
    bool over = false;
  };

  Result<std::string> done_for(const Ask& asked);
  Result<std::string> make(const std::string& name);
  Result<repo::Taken> take(const Child& child) const;
  Status join(Child& child);
  struct Merge {
    Oid tree;
    std::vector<std::string> conflicts;  // subjects; with any there is no tree
  };
  Result<Merge> merge(const Child& child, const repo::Taken& taken, const repo::Taken& parent);
  Status apply(const Oid& from, const Oid& to);
  Result<Oid> keep(const Child& child, const repo::Taken& taken);
  Status tell(const Child& child, const repo::Taken& taken,
              const std::vector<std::string>& conflicts);
  Status record(const Child& child, std::string_view phase, const Oid& kept);

  State& state_;
  Txn txn_;
  const Progress& progress_;
  Oid snapshot_;
  std::map<std::string, Child> children_;  // by name
  int said_ = 0;
  std::vector<std::string> notes_;
};

// Adds what the children of the last attempt have read; `writes`: the change of the parent.
Status add_child_reads(State& state, const Txn& txn, const Oid& snapshot, const Changes& writes,
                       ReadSet& reads);

}  // namespace gittxn::api
