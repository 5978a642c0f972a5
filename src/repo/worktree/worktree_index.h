// git's index file (DIRC), read and patched in place: who is tracked, with which flags and stat
// data.
//
// Three uses, all of them because a git process would have to open every file or could not say it:
// a fresh worktree's stat data after its files were back-dated (so that nothing is racy and nothing
// is hashed), the flags an agent may have set to hide a change, and whether a touched file of the
// person is unchanged. Entries are never added, removed or given another object here: that is git's
// business.
//
// Split indexes, sparse-directory entries and versions unknown to us are kNeedsGit: load_index()
// lets git write such an index out whole first. Pure values except for load_index; any thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/change.h"
#include "repo/git.h"

namespace gittxn::repo {

struct IndexEntry {
  std::uint32_t mode = 0;
  int stage = 0;
  bool assume_unchanged = false;
  bool skip_worktree = false;
  bool intent_to_add = false;
  std::size_t offset = 0;  // of the stat data in the file
  std::size_t name = 0;    // in IndexFile's names
  std::size_t name_length = 0;
};

class IndexFile {
 public:
  // kCorrupt when the bytes contradict themselves.
  static Result<IndexFile> parse(std::string bytes);
  static Result<IndexFile> read(const std::string& file);

  const std::vector<IndexEntry>& entries() const { return entries_; }  // sorted by path, then stage
  std::string_view path(const IndexEntry& entry) const;
  Oid oid(const IndexEntry& entry) const;
  // The first entry of that path: stage 0, or the lowest stage of a conflict; nullptr when absent.
  const IndexEntry* find(std::string_view path) const;
  // This object is what it has at that path; with none, nothing is there.
  bool has(std::string_view path, const Oid& object) const;
  // True when a path is tracked below this directory.
  bool has_below(std::string_view directory) const;

  // Exactly the stat data that this entry holds. False also when it holds none. The time of the
  // last change of the inode does not count where other names of it come and go (core.trustctime).
  enum class Ctime { kCounts, kIgnored };
  bool stat_matches(const IndexEntry& entry, const struct stat& info,
                    Ctime ctime = Ctime::kCounts) const;
  // Written in the same second as the index, or later: equal stat data proves nothing.
  bool is_racy(const IndexEntry& entry, const struct stat& index_info) const;

  void set_stat(const IndexEntry& entry, const struct stat& info);
  void clear_flags(const IndexEntry& entry);  // assume-unchanged and skip-worktree
  std::string finish();                       // the file's bytes with a new checksum

 private:
  Status parse_entries(std::uint32_t version, std::uint32_t count, std::size_t* end);
  Status parse_extensions(std::size_t at) const;
  Status check_order() const;
  std::uint32_t word(std::size_t at) const;
  void set_word(std::size_t at, std::uint32_t value);

  std::string bytes_;
  std::string names_;
  std::vector<IndexEntry> entries_;
  bool hashed_ = true;  // false: index.skipHash, the trailer is all zero
};

// Where an index belongs, for git to read it.
struct IndexSource {
  const Git& git;
  GitOptions options;  // GIT_DIR and GIT_WORK_TREE
  std::string file;
};
// Reads it; when it has to be written out whole first, the copy that is made is `scratch`.
Result<IndexFile> load_index(const IndexSource& source, const std::string& scratch);
// Copies an index with its time stamps (which decide what is racy).
Status copy_index(const std::string& from, const std::string& to);
// Writes a patched index over the file it came from, keeping that file's mode and, when asked, its
// time.
enum class IndexTime { kNow, kKeep };
Status write_index(const std::string& file, IndexFile& index, IndexTime time);

// What git update-index -z --index-info reads: a path becomes this entry, or goes where it is none.
std::string index_line(const TreeEntry& entry, std::string_view path);

// The name git gives a blob of these bytes, as they are.
Oid blob_oid(std::string_view bytes);

}  // namespace gittxn::repo
