// A worktree on disk as the tools of an agent are served from it: files and directories beneath one
// top, and nothing else. A path that leads out of it, by "..", by a link or by /proc, is refused by
// the kernel (openat2), so no check of ours can be raced. Git's own directory is not served.
//
// Every open is one a traced process makes for a reason that is recorded: nothing is looked at that
// was not asked for, and a directory is listed once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "search/tree.h"

namespace gittxn::api {

class ServedTree final : public search::Tree {
 public:
  // `top`: an existing directory. kNotFound, kUnsupported where the kernel has no openat2.
  static Result<ServedTree> open(const std::string& top);
  const std::string& top() const { return top_; }

  // A path as somebody wrote it, below the top: relative to it, or absolute and below it. "" is the
  // top. Nothing is looked up. kUsage: it holds a NUL or is too long; kRefused: it is elsewhere.
  Result<std::string> path_of(std::string_view given) const;

  struct File {
    UniqueFd fd;
    std::string path;  // in the repository; links on the way are resolved
    std::uint64_t size = 0;
  };
  // A regular file, links within the tree followed. kNotFound; kRefused: it leads out of the tree
  // or into git's directory; kUsage: it is a directory or another kind of thing.
  Result<File> open_file(const std::string& path) const;

  struct Named {
    std::string path;  // in the repository; links on the way are resolved
    bool is_directory = false;
  };
  // What a path names, links within the tree followed. Errors as open_file; kUsage: neither a
  // directory nor a regular file.
  Result<Named> resolve(const std::string& path) const;

  // Object ids here are the paths themselves: what is on disk has no object. Links are not
  // followed.
  Result<TreeEntry> entry(const std::string& path) const override;
  Result<std::vector<search::NamedEntry>> list(const std::string& path) const override;
  Result<std::string> blob(const Oid& oid) const override;
  void forget() { listed_.clear(); }  // before the next question: the agent writes meanwhile

 private:
  Result<UniqueFd> open_beneath(const std::string& path, int flags, std::uint64_t resolve) const;
  // The path that was opened, in the repository. kRefused: git's directory.
  Result<std::string> real_name(int fd, const std::string& asked) const;

  std::string top_;
  UniqueFd dir_;
  mutable std::map<std::string, std::vector<search::NamedEntry>> listed_;
};

}  // namespace gittxn::api
