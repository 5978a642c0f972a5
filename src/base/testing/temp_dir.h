// A fresh directory for one test, gone with its scope.
#pragma once

#include <stdlib.h>

#include <string>

#include "base/fs.h"

namespace gittxn::testing {

class TempDir {
 public:
  TempDir() {
    std::string pattern = "/tmp/git-txn-test.XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TempDir() {
    if (!remove_tree(path_)) std::abort();  // a test left what we cannot remove
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string at(std::string_view name) const { return join_path(path_, name); }

 private:
  std::string path_;
};

}  // namespace gittxn::testing
