// A certifier that is obviously right and slow, to judge the real one by: every read is answered by
// walking whole trees, the snapshot's and the head's, and compared.
#pragma once

#include <fmt/format.h>
#include <algorithm>

#include <set>
#include <string>

#include "base/random.h"
#include "certify/certify.h"
#include "model/testing/trees.h"
#include "model/verdict.h"

namespace gittxn::certify::testing {

using gittxn::testing::all_paths;
using gittxn::testing::clash;
using gittxn::testing::diff;
using gittxn::testing::entry_of;
using gittxn::testing::observe;
using gittxn::testing::Tree;

// One random history: a snapshot, what the transaction did to it and read of it, and a head.
struct Case {
  Tree base, ours, head;
  Footprint txn;
  std::vector<SnapshotDiff> diffs;
  std::vector<Landed> history;
  Symbols symbols;                 // which of the files that both changed may be one
  std::set<std::string> laid_out;  // what the head changed the layout of, and no more
  std::vector<std::pair<std::string, std::string>> kernel;
};

inline bool is_file(const TreeEntry& entry) {
  return entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
}

inline bool is_merged(const Case& c, const std::string& path) {
  return std::ranges::find(c.symbols.merged, path) != c.symbols.merged.end();
}

// The changes of one file's bytes that semantic lets pass.
inline bool is_excused(const Case& c, const Read& read) {
  const TreeEntry was = entry_of(c.base, read.subject), is = entry_of(c.head, read.subject);
  if (read.kind != ReadKind::kContent && read.kind != ReadKind::kMetadata) return false;
  if (!is_file(was) || was.mode != is.mode) return false;
  const bool written = entry_of(c.ours, read.subject) != was;
  return is_merged(c, read.subject) || (!written && c.laid_out.contains(read.subject));
}

enum class Excused { kNothing, kWhatSemanticDoes };

// True when every hard read sees the same in both trees.
inline bool reads_hold(const Case& c, const Tree& head, Excused excused) {
  for (const Read& read : c.txn.reads.reads) {
    if (read.strength == Strength::kSoft || observe(c.base, read) == observe(head, read)) continue;
    if (excused == Excused::kNothing || !is_excused(c, read)) return false;
  }
  return true;
}

// Everything that git was asked for as history is as it was.
inline bool history_holds(const Case& c) {
  return std::ranges::none_of(c.txn.reads.reads, [&](const Read& read) {
    return read.kind == ReadKind::kRef && c.base != c.head;
  });
}

// The base with what both made the same, and with nothing else of either.
inline Tree with_equal_writes(const Case& c) {
  Tree tree = c.base;
  std::set<std::string> paths = all_paths(c.ours);
  paths.merge(all_paths(c.base));
  for (const std::string& path : paths) {
    const TreeEntry before = entry_of(c.base, path);
    const TreeEntry after = entry_of(c.ours, path);
    if (before == after || after != entry_of(c.head, path)) continue;
    if (before.mode != FileMode::kTree) tree.erase(path);
    if (after.present() && after.mode != FileMode::kTree) tree[path] = after;
  }
  return tree;
}

// What certify() must say.
inline bool may_land(const Case& c, Isolation level) {
  const bool exact = level == Isolation::kSerializable || level == Isolation::kStrict;
  Tree head = c.head;
  if (!exact) {
    for (const std::string& path : c.symbols.merged) head[path] = entry_of(c.ours, path);
  }
  if (clash(c.base, c.ours, head)) return false;
  if (level < Isolation::kSemantic) {
    const Tree equal = with_equal_writes(c);
    return equal == c.base || (c.txn.reads.complete && reads_hold(c, equal, Excused::kNothing));
  }
  if (!c.txn.reads.complete && c.base != c.head) return false;
  if (exact) return reads_hold(c, c.head, Excused::kNothing) && history_holds(c);
  return reads_hold(c, c.head, Excused::kWhatSemanticDoes);
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Case make() {
    Case c;
    for (std::uint64_t i = 0, n = random_.below(8); i < n; ++i) put(c.base);
    c.ours = edit(c.base, 4);
    // Now and then the head did some of what the transaction did, or all of it and more.
    c.head = random_.below(4) != 0 ? edit(c.base, 4) : edit(part_of(c.base, c.ours), 2);
    c.txn.txn = TxnId("t-1");
    c.txn.base = Oid("b");
    c.txn.writes = diff(c.base, c.ours);
    c.txn.reads.complete = random_.below(16) != 0;
    for (std::uint64_t i = 0, n = random_.below(5); i < n; ++i) {
      c.txn.reads.reads.push_back(read(c.base));
    }
    if (random_.below(12) == 0) c.txn.reads.reads.push_back(history(c));
    normalize(c.txn.reads);
    refine(c);
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

  static Read history(Case& c) {
    Read read;
    read.kind = ReadKind::kRef;
    read.subject = "HEAD";
    read.digest = "b";
    read.snapshot = Oid("b");
    read.strength = Strength::kSoft;
    c.kernel = {{"HEAD", c.base == c.head ? "b" : "moved"}};
    return read;
  }

  // Arbitrary findings of symbols about the files that the head changed.
  void refine(Case& c) {
    for (const auto& [path, was] : c.base) {
      const TreeEntry mine = entry_of(c.ours, path), theirs = entry_of(c.head, path);
      if (!is_file(was) || was.mode != theirs.mode || was == theirs) continue;
      if (random_.below(2) == 0) c.laid_out.insert(path);
      const bool both = mine.mode == was.mode && mine != was && mine != theirs;
      if (both && random_.below(4) != 0) c.symbols.merged.push_back(path);
    }
  }

  // The base with some of what was made of it.
  Tree part_of(const Tree& base, const Tree& made) {
    Tree tree = base;
    for (const PathChange& change : diff(base, made)) {
      if (change.is_directory() || random_.below(4) == 0) continue;
      if (!change.after.present()) {
        tree.erase(change.path);
        continue;
      }
      remove(tree, change.path);
      for (std::size_t i = 0; i < change.path.size(); ++i) {
        if (change.path[i] == '/') tree.erase(change.path.substr(0, i));
      }
      tree[change.path] = change.after;
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
