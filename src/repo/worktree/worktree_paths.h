// Paths inside a tree that somebody else changes at the same time. Every component but the last is
// opened by descriptor and never through a link, so that nothing outside the tree is ever read or
// changed, whatever is swapped for what in between. Repository paths: bytes, no leading slash.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/hash.h"
#include "base/result.h"

namespace gittxn::repo {

// A name in a directory that is held open.
struct Spot {
  UniqueFd dir;
  std::string name;
};

// What is there, as lstat(2) says it.
struct FoundSpot : Spot {
  struct stat info;
};

class TreeRoot {
 public:
  static Result<TreeRoot> open(const std::string& path);
  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  // nullopt: a directory on the way is absent, or is a link or a file.
  Result<std::optional<Spot>> find(std::string_view path) const;
  // Makes the directories on the way. kExists: something that is no directory is in the way.
  Result<Spot> make(std::string_view path, mode_t mode = 0777) const;
  // nullopt: nothing is there.
  Result<std::optional<FoundSpot>> look(std::string_view path) const;
  Result<std::optional<struct stat>> stat(std::string_view path) const;
  // Removes the directories above the path that are empty, up to the root.
  Status prune_parents(std::string_view path) const;

 private:
  std::string path_;
  UniqueFd fd_;
};

// lstat of a spot; nullopt: nothing is there.
Result<std::optional<struct stat>> stat_at(const Spot& spot);
// SHA-256 of a file's bytes or of a link's target; kNotFound when it is gone, kFault for anything
// else.
Result<Digest> digest_at(const Spot& spot);
Result<std::string> bytes_at(const Spot& spot, std::size_t max_bytes = std::size_t{1} << 30);

inline bool is_file_or_link(const struct stat& info) {
  return S_ISREG(info.st_mode) || S_ISLNK(info.st_mode);
}
// A path of the tree: a name in a directory; "" is the tree itself.
std::string join_tree(const std::string& directory, const std::string& name);
// Quoted as git quotes names in messages and in line-based input, when it has to be.
std::string quote_path(std::string_view path);
// Splits NUL-terminated records.
std::vector<std::string> split_nul(std::string_view text);

}  // namespace gittxn::repo
