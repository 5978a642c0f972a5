// A certifier that is obviously right and slow, to judge the real one by: every read is answered by
// walking whole trees, the snapshot's and the head's, and compared.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "base/random.h"
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
  if (level < Isolation::kSemantic) return true;
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
