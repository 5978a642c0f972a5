// The path that a path leads to: each link on the way followed, as it is on disk now. A name that
// is not there is taken as it is written, so that this says as well what would be there.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gittxn::asking {

class RealPaths {
 public:
  // `path` is absolute; the last link is followed too.
  std::string of(std::string_view path);
  std::string of_entry(std::string_view path);  // the last link is not

 private:
  std::string follow(std::string_view path, int depth);

  std::map<std::string, std::string> known_;  // an entry of a real directory -> where it leads
};

}  // namespace gittxn::asking
