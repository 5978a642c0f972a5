// The meaning of revisions in a git command line: the snapshot and what the transaction built
// on it, the target as it was fetched later, a commit that can never change, or another branch.
//
// The first part is text alone. GitRevisions asks the repository; what it answers is kept, because
// git's program is asked for abbreviated ids.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "capture/git/git_argv.h"
#include "repo/objects.h"

namespace gittxn::capture {

struct InterpretInput;

// "HEAD", "@", "HEAD^{commit}", "@~0": the commit that is checked out.
bool names_head(std::string_view revision);
// "A..B", "A...B", "^A", "A^!": whether the word is more than a revision.
bool is_range(std::string_view word);
// The revisions of a word; "HEAD" for an end that is left out. Of "A" it is "A".
std::vector<std::string> ends_of_range(std::string_view word);
// "A^{tree}" -> "A".
std::optional<std::string> without_tree(std::string_view word);
// "REV:path" names a path from the top, "REV:./path" from where git runs. ":path" and ":0:path" are
// the index's. False for ":/text", for a pathspec's signs and for what has no colon.
bool split_object(const std::string& text, GitRead& read);

struct GitMeaning {
  enum class Kind {
    kSnapshot,     // as far as contents go; also a commit of the transaction's own
    kTargetLater,  // `commit`, fetched from the target
    kFixed,        // `commit` by its id (or a tree's): no landing changes it
    kOtherRef,     // `ref` had `commit` when the transaction began
    kUnknown,      // no such thing, or a name that only git can read
  } kind = Kind::kUnknown;
  Oid commit{};
  std::string ref{};
  std::string suffix{};   // "~3", "^2", "@{1}": from there
  bool relative = false;  // which commit it is changes when the branch moves
};

class GitRevisions {
 public:
  GitRevisions(const repo::Objects& objects, const InterpretInput& input);
  GitMeaning meaning_of(const std::string& revision);
  // The tree that a meaning with a commit shows; nullopt where nobody can tell.
  std::optional<Oid> tree_of(const GitMeaning& meaning);
  std::optional<Oid> merge_base(const GitMeaning& a, const GitMeaning& b);
  // Something wrote that ref in the transaction: from here on it is the transaction's own.
  void written(std::string_view ref) { written_.emplace(ref); }

 private:
  const std::string& git_dir() const;
  GitMeaning meaning_of_commit(const Oid& commit) const;
  GitMeaning fetched(const Oid& commit) const;
  GitMeaning meaning_of_id(const std::string& id);
  std::optional<GitMeaning> meaning_of_ref(const std::string& name, const std::string& suffix);
  std::optional<Oid> ask_git(const std::string& revision);

  const repo::Objects& objects_;
  const InterpretInput& input_;
  std::string target_;  // "refs/heads/main"
  std::set<std::string, std::less<>> written_;
  std::map<std::string, std::optional<Oid>> asked_;
};

}  // namespace gittxn::capture
