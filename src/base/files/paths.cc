// Paths as text; the disk is never asked.
#include "base/fs.h"
#include "base/text.h"

namespace gittxn {

std::string parent_dir(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  path = path.substr(0, slash);
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.empty() ? "/" : std::string(path);
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos || path.size() == 1) return std::string(path);
  return std::string(path.substr(slash + 1));
}

std::string join_path(std::string_view a, std::string_view b) {
  if (a.empty() || b.starts_with('/')) return std::string(b);
  if (b.empty()) return std::string(a);
  std::string joined;
  joined.reserve(a.size() + 1 + b.size());
  joined = a;
  if (joined.back() != '/') joined += '/';
  joined += b;
  return joined;
}

std::string normal_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  for (const std::string_view part : pieces_of(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!absolute) {
      parts.push_back(part);  // "/.." is "/"
    }
  }
  std::string result = absolute ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) result += '/';
    result += parts[i];
  }
  return result.empty() ? "." : result;
}

bool path_below(std::string_view path, std::string_view root, std::string* relative) {
  while (root.size() > 1 && root.back() == '/') root.remove_suffix(1);
  if (!path.starts_with(root)) return false;
  std::string_view rest = path.substr(root.size());
  if (!rest.empty() && rest.front() != '/' && root != "/") return false;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (relative != nullptr) *relative = std::string(rest);
  return true;
}

}  // namespace gittxn
