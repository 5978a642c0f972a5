#include "asking/real_paths.h"

#include <utility>

#include "base/fs.h"
#include "base/text.h"

namespace gittxn::asking {

namespace {

constexpr int kMostLinksDeep = 40;  // as the kernel

}  // namespace

std::string RealPaths::follow(std::string_view path, int depth) {
  std::string real = "/";
  for (const std::string_view name : pieces_of(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      real = parent_dir(real);
      continue;
    }
    const std::string entry = join_path(real, name);
    const auto known = known_.find(entry);
    if (known != known_.end()) {
      real = known->second;
      continue;
    }
    std::string leads = entry;
    if (depth < kMostLinksDeep) {
      if (const auto text = read_link(entry)) leads = follow(join_path(real, *text), depth + 1);
    }
    real = known_.emplace(entry, std::move(leads)).first->second;
  }
  return real;
}

std::string RealPaths::of(std::string_view path) {
  return follow(path, 0);
}

std::string RealPaths::of_entry(std::string_view path) {
  const std::string name = base_name(path);
  if (name == "." || name == "..") return of(path);
  return join_path(of(parent_dir(path)), name);
}

}  // namespace gittxn::asking
