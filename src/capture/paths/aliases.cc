// The other names of the tree: where the kernel's table of mounts shows it, or a part of it, too.
#include <charconv>
#include <ranges>

#include "base/fs.h"
#include "capture/paths/path_resolver.h"

namespace gittxn::capture {
namespace {

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 4, value, 8).ptr ==
            text.data() + i + 4) {
      out += static_cast<char>(value);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct MountLine {
  std::string device, root, point;
};

std::vector<MountLine> parse_mountinfo(std::string_view text) {
  std::vector<MountLine> mounts;
  for (const auto line : std::views::split(text, '\n')) {
    std::vector<std::string_view> fields;
    for (const auto field : std::views::split(line, ' ')) fields.emplace_back(field);
    if (fields.size() <= 4) continue;
    mounts.push_back({std::string(fields[2]), unescape(fields[3]), unescape(fields[4])});
  }
  return mounts;
}

}  // namespace

Aliases bind_aliases(std::string_view mountinfo, const std::string& tree) {
  const std::vector<MountLine> mounts = parse_mountinfo(mountinfo);
  const MountLine* home = nullptr;  // the mount the tree is on: the longest, and of those the last
  std::string below_home;
  for (const MountLine& mount : mounts) {
    std::string relative;
    if (!path_below(tree, mount.point, &relative)) continue;
    if (home != nullptr && mount.point.size() < home->point.size()) continue;
    home = &mount;
    below_home = relative;
  }
  Aliases aliases;
  if (home == nullptr) return aliases;
  const std::string inside = normal_path(join_path(home->root, below_home));  // path on its device
  for (const MountLine& mount : mounts) {
    if (&mount == home || mount.device != home->device) continue;
    std::string relative;
    if (path_below(inside, mount.root, &relative)) {
      const std::string seen_at = normal_path(join_path(mount.point, relative));
      if (seen_at != tree) aliases.emplace_back(seen_at, tree);
    } else if (path_below(mount.root, inside, &relative)) {
      aliases.emplace_back(mount.point, join_path(tree, relative));
    }
  }
  return aliases;
}

}  // namespace gittxn::capture
