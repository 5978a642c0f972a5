// Bind mounts by which the worktree has other names.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gittxn::capture {

// Where else the tree can be seen: (mount point, what it shows). From the text of
// /proc/self/mountinfo.
std::vector<std::pair<std::string, std::string>> bind_aliases(std::string_view mountinfo,
                                                              const std::string& tree);

}  // namespace gittxn::capture
