#include "certify/narrow.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "certify/judge.h"

namespace gittxn::certify {

// Reads are cheap to judge one by one (two binary searches in the changes). With many more reads
// than changes it is cheaper to ask which reads a change could touch: about one search per
// directory level.
constexpr std::size_t kReadsPerChange = 8;

Group perhaps_stale(const Group& reads, const Changes& changes) {
  if (reads.size() / kReadsPerChange <= changes.size()) return reads;
  Group found;
  const auto take_equal = [&](std::string_view subject) {
    auto at = std::ranges::lower_bound(reads, subject, {}, &Read::subject);
    for (; at != reads.end() && (*at)->subject == subject; ++at) found.push_back(*at);
  };
  std::string_view last_parent = "/";  // no path is this
  for (const PathChange& change : changes) {
    take_equal(change.path);
    const std::string_view parent = parent_of(change.path);
    if (parent != last_parent) {
      last_parent = parent;
      for (std::string_view at = parent;; at = parent_of(at)) {
        take_equal(at);
        if (at.empty()) break;
      }
    }
    const Shape was = shape_of(change.before);
    const Shape is = shape_of(change.after);
    if (!blocks_lookups(was) && !blocks_lookups(is)) continue;
    if (was == Shape::kFile && is == Shape::kFile) continue;
    // Lookups below it may stop for another reason now.
    const std::string prefix = change.path + "/";
    auto at = std::ranges::lower_bound(reads, prefix, {}, &Read::subject);
    for (; at != reads.end() && (*at)->subject.starts_with(prefix); ++at) found.push_back(*at);
  }
  std::sort(found.begin(), found.end());  // by address, to drop doubles
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace gittxn::certify
