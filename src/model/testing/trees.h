// Trees as plain maps, what a look-up in one sees, and what changed between two: slow and obviously
// right, for tests to judge the real thing by.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "model/change.h"
#include "model/read.h"

namespace gittxn::testing {

using Tree =
    std::map<std::string, TreeEntry>;  // files and links only; directories follow from them

inline bool is_directory(const Tree& tree, const std::string& path) {
  if (path.empty()) return true;
  const auto at = tree.lower_bound(path + "/");
  return at != tree.end() && at->first.starts_with(path + "/");
}

// True if a directory of one tree has no file left in the other.
inline bool empties_directory(const Tree& before, const Tree& after) {
  return std::ranges::any_of(before, [&after](const auto& file) {
    const std::size_t slash = file.first.rfind('/');
    return slash != std::string::npos && !is_directory(after, file.first.substr(0, slash));
  });
}

inline TreeEntry entry_of(const Tree& tree, const std::string& path) {
  if (const auto at = tree.find(path); at != tree.end()) return at->second;
  if (is_directory(tree, path)) return {FileMode::kTree, Oid{}};
  return {};
}

inline std::set<std::string> all_paths(const Tree& tree) {
  std::set<std::string> paths;
  for (const auto& [path, entry] : tree) {
    paths.insert(path);
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i] == '/') paths.insert(path.substr(0, i));
    }
  }
  return paths;
}

// As repo::Objects::diff: files, and directories where only one side has one.
inline Changes diff(const Tree& before, const Tree& after) {
  std::set<std::string> paths = all_paths(before);
  paths.merge(all_paths(after));
  Changes changes;
  for (const std::string& path : paths) {
    const PathChange change{path, entry_of(before, path), entry_of(after, path)};
    if (change.before != change.after) changes.push_back(change);
  }
  return changes;
}

inline std::string type_of(const TreeEntry& entry) {
  switch (entry.mode) {
    case FileMode::kNone:
      return "nothing";
    case FileMode::kTree:
      return "directory";
    case FileMode::kLink:
      return "link";
    case FileMode::kSubmodule:
      return "submodule";
    default:
      return "file";
  }
}

// What the kernel would say to somebody who looks the path up.
inline std::string lookup(const Tree& tree, const std::string& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '/') continue;
    const TreeEntry entry = entry_of(tree, path.substr(0, i));
    if (!entry.present()) return "ENOENT";
    if (entry.mode == FileMode::kLink) return "link " + path.substr(0, i) + entry.oid.str();
    if (entry.mode != FileMode::kTree) return "ENOTDIR";
  }
  return entry_of(tree, path).present() ? "found" : "ENOENT";
}

// The answer of this read in this tree.
inline std::string observe(const Tree& tree, const Read& read) {
  const std::string found = lookup(tree, read.subject);
  const TreeEntry entry = entry_of(tree, read.subject);
  const bool directory = entry.mode == FileMode::kTree || read.subject.empty();
  std::string seen;
  switch (read.kind) {
    case ReadKind::kContent:
      return found + type_of(entry) + entry.oid.str();
    case ReadKind::kMetadata:
      seen = found + fmt::format("{:o}", static_cast<unsigned>(entry.mode));
      return read.digest.find(' ') == std::string::npos ? seen : seen + entry.oid.str();
    case ReadKind::kAbsence:
      return found;
    case ReadKind::kListing:
      if (!directory) return found + type_of(entry);
      for (const std::string& path : all_paths(tree)) {
        const std::size_t slash = path.rfind('/');
        const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
        if (parent == read.subject) {
          seen += path + ":" + type_of(entry_of(tree, path)) + "\n";
        }
      }
      return seen;
    case ReadKind::kTree:
      for (const std::string& path : all_paths(tree)) {
        const bool inside =
            read.subject.empty() || path == read.subject || path.starts_with(read.subject + "/");
        if (!inside) continue;
        const TreeEntry e = entry_of(tree, path);
        seen += fmt::format("{}:{:o}:{}\n", path, static_cast<unsigned>(e.mode), e.oid.str());
      }
      return seen;
    default:
      return "";
  }
}

// Both changes of `base` together, path by path; nothing when they clash.
inline std::optional<Tree> merge(const Tree& base, const Tree& ours, const Tree& head) {
  std::set<std::string> paths = all_paths(base);
  paths.merge(all_paths(ours));
  paths.merge(all_paths(head));
  Tree merged;
  for (const std::string& path : paths) {
    const TreeEntry b = entry_of(base, path);
    const TreeEntry o = entry_of(ours, path);
    const TreeEntry h = entry_of(head, path);
    if (o != b && h != b && o != h) return std::nullopt;
    const TreeEntry m = o == b ? h : o;
    if (m.present() && m.mode != FileMode::kTree) merged[path] = m;
  }
  for (const auto& [path, entry] : merged) {
    if (is_directory(merged, path)) return std::nullopt;
  }
  return merged;
}

inline bool clash(const Tree& base, const Tree& ours, const Tree& head) {
  return !merge(base, ours, head).has_value();
}

}  // namespace gittxn::testing
