// A certifier that is obviously right and slow, to judge the real one by. Trees are plain maps from
// path to file; every read is answered by walking the whole map, on both trees, and compared.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "base/random.h"
#include "model/verdict.h"

namespace gittxn::certify::testing {

using Tree =
    std::map<std::string, TreeEntry>;  // files and links only; directories follow from them

inline bool is_directory(const Tree& tree, const std::string& path) {
  if (path.empty()) return true;
  const auto at = tree.lower_bound(path + "/");
  return at != tree.end() && at->first.starts_with(path + "/");
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

// What this read sees in this tree, own paths masked.
inline std::string observe(const Tree& tree, const Read& read, const std::set<std::string>& own) {
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
      if (!own.contains(read.subject) && !directory) return found + type_of(entry);
      for (const std::string& path : all_paths(tree)) {
        const std::size_t slash = path.rfind('/');
        const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
        if (parent == read.subject && !own.contains(path)) {
          seen += path + ":" + type_of(entry_of(tree, path)) + "\n";
        }
      }
      return seen;
    case ReadKind::kTree:
      for (const std::string& path : all_paths(tree)) {
        const bool inside =
            read.subject.empty() || path == read.subject || path.starts_with(read.subject + "/");
        if (!inside || own.contains(path)) continue;
        const TreeEntry e = entry_of(tree, path);
        seen += fmt::format("{}:{:o}:{}\n", path, static_cast<unsigned>(e.mode), e.oid.str());
      }
      return seen;
    default:
      return "";
  }
}

// True when the two changes of `base` do not merge path by path.
inline bool clash(const Tree& base, const Tree& ours, const Tree& head) {
  std::set<std::string> paths = all_paths(base);
  paths.merge(all_paths(ours));
  paths.merge(all_paths(head));
  Tree merged;
  for (const std::string& path : paths) {
    const TreeEntry b = entry_of(base, path);
    const TreeEntry o = entry_of(ours, path);
    const TreeEntry h = entry_of(head, path);
    if (o != b && h != b && o != h) return true;
    const TreeEntry m = o == b ? h : o;
    if (m.present() && m.mode != FileMode::kTree) merged[path] = m;
  }
  for (const auto& [path, entry] : merged) {
    if (is_directory(merged, path)) return true;
  }
  return false;
}

// One random history: a snapshot, what the transaction did to it and read of it, and a head.
struct Case {
  Tree base, ours, head;
  Footprint txn;
  std::vector<SnapshotDiff> diffs;
  std::vector<Landed> history;
};

inline bool reads_hold(const Case& c) {
  std::set<std::string> own;
  for (const PathChange& change : c.txn.writes) own.insert(change.path);
  for (const Read& read : c.txn.reads.reads) {
    if (read.strength == Strength::kSoft) continue;
    if (observe(c.base, read, own) != observe(c.head, read, own)) return false;
  }
  return true;
}

// What certify() must say.
inline bool may_land(const Case& c, Isolation level) {
  if (clash(c.base, c.ours, c.head)) return false;
  const bool strict = level == Isolation::kStrict || level == Isolation::kSerializable;
  if (!strict) return true;
  if (!c.txn.reads.complete && c.base != c.head) return false;
  return reads_hold(c);
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Case make() {
    Case c;
    for (std::uint64_t i = 0, n = random_.below(8); i < n; ++i) put(c.base);
    c.ours = edit(c.base, 4);
    c.head = edit(c.base, 4);
    c.txn.txn = TxnId("t-1");
    c.txn.base = Oid("b");
    c.txn.writes = diff(c.base, c.ours);
    c.txn.reads.complete = random_.below(16) != 0;
    for (std::uint64_t i = 0, n = random_.below(5); i < n; ++i) {
      c.txn.reads.reads.push_back(read(c.base));
    }
    normalize(c.txn.reads);
    c.diffs.push_back({Oid("b"), diff(c.base, c.head)});
    c.history.push_back({Oid("cafe"), TxnId("t-0"), "", c.diffs[0].changes});
    return c;
  }

  Random& random() { return random_; }

 private:
  // Few names and little depth, so that random paths meet often. '-' sorts before '/' and '0'
  // after.
  std::string path() {
    static const char* const kNames[] = {"a", "b", "a-", "a0"};
    std::string text = kNames[random_.below(4)];
    for (std::uint64_t i = 0, n = random_.below(3); i < n; ++i) {
      text += std::string("/") + kNames[random_.below(4)];
    }
    return text;
  }

  TreeEntry entry() {
    static const FileMode kModes[] = {FileMode::kFile, FileMode::kFile, FileMode::kExecutable,
                                      FileMode::kLink};
    return {kModes[random_.below(4)],
            Oid(std::string(1, static_cast<char>('p' + random_.below(3))))};
  }

  static void remove(Tree& tree, const std::string& path) {
    tree.erase(path);
    auto at = tree.lower_bound(path + "/");
    while (at != tree.end() && at->first.starts_with(path + "/")) at = tree.erase(at);
  }

  void put(Tree& tree) {
    const std::string where = path();
    remove(tree, where);
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (where[i] == '/') tree.erase(where.substr(0, i));
    }
    tree[where] = entry();
  }

  Tree edit(Tree tree, std::uint64_t most) {
    for (std::uint64_t i = 0, n = random_.below(most); i < n; ++i) {
      if (random_.below(3) == 0) {
        remove(tree, path());
      } else {
        put(tree);
      }
    }
    return tree;
  }

  // A read that the interpreter could have made of this tree.
  Read read(const Tree& tree) {
    Read r;
    r.snapshot = Oid("b");
    r.subject = path();
    const TreeEntry seen = entry_of(tree, r.subject);
    const std::uint64_t choice = random_.below(4);
    if (choice == 0) {
      r.kind = ReadKind::kTree;
      if (random_.below(4) == 0) r.subject.clear();
      r.digest = "t";
    } else if (!seen.present()) {
      r.kind = ReadKind::kAbsence;
    } else if (seen.mode == FileMode::kTree) {
      r.kind = choice == 1 ? ReadKind::kMetadata : ReadKind::kListing;
      r.digest = choice == 1 ? "040000" : "l";
    } else if (choice == 1) {
      r.kind = ReadKind::kContent;
      r.digest = seen.oid.str();
    } else {
      r.kind = ReadKind::kMetadata;
      r.digest = fmt::format("{:06o}", static_cast<unsigned>(seen.mode));
      if (choice == 2) r.digest += " " + seen.oid.str();
    }
    if (random_.below(10) == 0) r.strength = Strength::kSoft;
    return r;
  }

  Random random_;
};

}  // namespace gittxn::certify::testing
