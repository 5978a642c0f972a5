// A certifier that is obviously right and slow, to judge the real one by: every read is answered by
// walking whole trees, the snapshot's and the head's, and compared.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "base/random.h"
#include "base/text.h"
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
  std::set<std::string> named;     // words that stand in what the transaction wrote
  std::vector<std::string> listings;
  std::vector<std::pair<std::string, std::string>> kernel;
};

inline bool is_file(const TreeEntry& entry) {
  return entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
}

inline bool is_merged(const Case& c, const std::string& path) {
  return std::ranges::find(c.symbols.merged, path) != c.symbols.merged.end();
}

// Each name of a directory and what is there; a file is one whether or not it can be run.
inline std::map<std::string, FileMode> names_in(const Tree& tree, const std::string& directory) {
  std::map<std::string, FileMode> names;
  const std::string prefix = directory.empty() ? "" : directory + "/";
  for (const std::string& path : all_paths(tree)) {
    if (path.size() <= prefix.size() || !path.starts_with(prefix)) continue;
    const std::string name =
        path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size());
    const FileMode mode = entry_of(tree, prefix + name).mode;
    names[name] = mode == FileMode::kExecutable ? FileMode::kFile : mode;
  }
  return names;
}

// Compares names in lower case.
inline bool take_after(const std::string& mine, const std::string& theirs) {
  static const std::regex numbered("([^0-9]*)[0-9].*"), first_of_all("(.[^.]*).*");
  std::smatch a, b;
  const bool in_mine = std::regex_match(mine, a, numbered);
  const bool in_theirs = std::regex_match(theirs, b, numbered);
  if (in_mine && in_theirs && a[1] == b[1]) return true;
  const std::string stem_a = std::regex_replace(mine, first_of_all, "$1");
  const std::string stem_b = std::regex_replace(theirs, first_of_all, "$1");
  const auto begins = [](const std::string& before, const std::string& stem) {
    return std::regex_match(
        before, std::regex(std::regex_replace(stem, std::regex("[.]"), "[.]") + "[-_. ]*"));
  };
  if (in_mine && !in_theirs && begins(a[1], stem_b)) return true;
  if (in_theirs && !in_mine && begins(b[1], stem_a)) return true;
  return stem_a == stem_b;
}

// True if the agent cannot depend on the names that came and went in a directory it was shown.
inline bool is_context(const Case& c, const Read& read) {
  if (read.kind != ReadKind::kListing || read.reader != ReaderClass::kShown) return false;
  for (const std::string& prefix : c.listings) {
    if ((read.subject + "/").starts_with(prefix + "/") || prefix.empty()) return false;
  }
  if (!read.subject.empty() && entry_of(c.head, read.subject).mode != FileMode::kTree) return false;
  const auto was = names_in(c.base, read.subject), is = names_in(c.head, read.subject);
  const auto own = names_in(c.ours, read.subject);
  std::set<std::string> touched;
  for (const Read& one : c.txn.reads.reads) touched.insert(one.subject + "/");
  for (const PathChange& one : c.txn.writes) touched.insert(one.path + "/");
  std::map<std::string, FileMode> both = was;
  both.insert(is.begin(), is.end());
  for (const auto& [name, mode] : both) {
    const bool before = was.contains(name), after = is.contains(name);
    if (before && after && was.at(name) == is.at(name)) continue;
    if (before && after) return false;
    const std::string path = (read.subject.empty() ? "" : read.subject + "/") + name + "/";
    const auto at = touched.lower_bound(path);
    if (at != touched.end() && at->starts_with(path)) return false;
    if (c.named.contains(name)) return false;
    if (before && c.named.contains(name.substr(0, name.find('.')))) return false;
    if (before) continue;
    for (const auto& [mine, kind] : own) {
      const bool added = !was.contains(mine) || was.at(mine) != kind;
      if (added && take_after(lower_ascii(mine), lower_ascii(name))) return false;
    }
  }
  return true;
}

// The changes of one file's bytes that semantic lets pass, and names of a directory.
inline bool is_excused(const Case& c, const Read& read) {
  const TreeEntry was = entry_of(c.base, read.subject), is = entry_of(c.head, read.subject);
  if (is_context(c, read)) return true;
  if (read.kind != ReadKind::kContent && read.kind != ReadKind::kMetadata) return false;
  if (read.reader == ReaderClass::kAny) return false;  // it may have computed with the bytes
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
  explicit Generator(std::uint64_t seed) : random_(seed), aims_(seed) {}

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
    if (random_.below(4) == 0) c.txn.reads.reads = {shown(c.base)};
    normalize(c.txn.reads);
    refine(c);
    if (aims_.below(4) == 0) aim(c);
    c.diffs.push_back({Oid("b"), diff(c.base, c.head)});
    c.history.push_back({Oid("cafe"), TxnId("t-0"), "", c.diffs[0].changes});
    return c;
  }

  Random& random() { return random_; }

 private:
  // Few names and little depth, so that random paths meet often. '-' sorts before '/' and '0'
  // after.
  std::string path() {
    std::string text = name();
    for (std::uint64_t i = 0, n = random_.below(3); i < n; ++i) text += "/" + name();
    return text;
  }

  std::string name() {
    static const char* const kNames[] = {"a", "b", "a-", "a0", "B.c", "1", "a2"};
    return kNames[random_.below(random_.below(3) == 0 ? 7 : 4)];
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

  // Names of a directory that an agent alone was shown.
  Read shown(const Tree& tree) {
    std::vector<std::string> directories{""};
    for (const std::string& path : all_paths(tree)) {
      if (entry_of(tree, path).mode == FileMode::kTree) directories.push_back(path);
    }
    Read r;
    r.snapshot = Oid("b");
    r.kind = ReadKind::kListing;
    r.subject = directories[random_.below(directories.size())];
    r.digest = "l";
    r.reader = ReaderClass::kShown;
    return r;
  }

  // Arbitrary findings of symbols about the files that the head changed, and words in what the
  // transaction wrote.
  void refine(Case& c) {
    for (std::uint64_t i = random_.below(3); i > 0; --i) c.named.insert(name());
    for (const Read& read : c.txn.reads.reads) {
      if (read.kind != ReadKind::kListing || random_.below(4) != 0) continue;
      c.listings.push_back(random_.below(4) == 0 ? "" : read.subject);
    }
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

  // Leaves a single read, of a file that semantic may excuse, so that the reader's class decides.
  void aim(Case& c) {
    std::vector<std::string> paths(c.laid_out.begin(), c.laid_out.end());
    paths.insert(paths.end(), c.symbols.merged.begin(), c.symbols.merged.end());
    if (paths.empty()) return;
    Read r;
    r.snapshot = Oid("b");
    r.subject = paths[aims_.below(paths.size())];
    r.digest = entry_of(c.base, r.subject).oid.str();
    r.reader = aims_.below(2) == 0 ? ReaderClass::kAny : ReaderClass::kShown;
    c.txn.reads.reads = {r};
  }

  ReaderClass reader() {
    static const ReaderClass kReaders[] = {ReaderClass::kAny, ReaderClass::kEdits,
                                           ReaderClass::kShown};
    return kReaders[random_.below(3)];
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
      if (choice != 1 && random_.below(4) != 0) r.reader = ReaderClass::kShown;
    } else if (choice == 1) {
      r.kind = ReadKind::kContent;
      r.digest = seen.oid.str();
      r.reader = reader();
    } else {
      r.kind = ReadKind::kMetadata;
      r.digest = fmt::format("{:06o}", static_cast<unsigned>(seen.mode));
      if (choice == 2) r.digest += " " + seen.oid.str();
      r.reader = reader();
    }
    if (random_.below(10) == 0) r.strength = Strength::kSoft;
    return r;
  }

  Random random_, aims_;
};

}  // namespace gittxn::certify::testing
