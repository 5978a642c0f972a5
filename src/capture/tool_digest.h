// One digest over the contents of everything that was executed or loaded from outside the
// repository, and of the ignored files that were read inside it: the tool environment.
//
// Contents are hashed once and remembered by (device, inode, size, change time) in a cache file
// that all transactions of a repository share. A file that changed within two seconds before the
// cache was written is not believed from it (its clock may not have ticked since), as git does with
// its index. The file is replaced whole; of two writers at once one wins and the other's entries
// are made again. A line that is not exactly as written is passed over. Losing the file costs time,
// nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/ids.h"
#include "base/result.h"

namespace gittxn::capture {

class ToolDigest {
 public:
  explicit ToolDigest(std::string cache_file) : cache_file_(std::move(cache_file)) {}

  // A file by its path now. What is not there any more counts as just that. Of a program its loader
  // counts too, because the kernel opens it and nobody sees that.
  void add_program(const std::string& path);
  void add_file(const std::string& path) { add_file_as(path, path); }
  // A file that goes by a name of its own, because where it is differs from run to run.
  void add_file_as(const std::string& label, const std::string& path) {
    files_.emplace(label, path);
  }

  // SHA-256 of the file as it is now, or a word that says why there is none.
  std::string digest_of(const std::string& path);
  // Hashes what is new and writes the cache. A cache that cannot be written is no error.
  Result<Digest> finish();

  // (device, inode, size, change time in ns)
  using Identity = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;

 private:
  struct Known {
    std::string digest;
    bool used = false;
  };
  void load();
  void store() const;
  std::string digest_of_file(const std::string& path);

  std::string cache_file_;
  std::map<Identity, Known> known_;
  bool loaded_ = false;
  bool changed_ = false;
  std::map<std::string, std::string> files_;  // label -> path
};

// Where installed tools and libraries are; anything read there is part of the environment.
bool under_tool_prefix(std::string_view path);
// A file that came with the system. One of the same name in somebody's home may be anything.
bool came_with_system(std::string_view real_path);
// "libfoo.so", "libfoo.so.1.2": loaded code, wherever it is.
bool is_shared_library(std::string_view path);

}  // namespace gittxn::capture
