// Whether a change may land on a head with others' in it, by all that is asked of a change at
// `semantic` but questions, builds and what policy says. For tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "certify/certify.h"
#include "land/judge/beside.h"
#include "land/judge/judge_contents.h"
#include "land/judge/shown_names.h"
#include "land/judge/symbols.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::land::testing {

// Trees; `work` and `head` are made of `base`.
struct Concurrent {
  Oid base, head, work;
  std::vector<std::string> reads;  // paths of the base that an agent was shown
};

inline ReadSet shown(const repo::Objects& objects, const Concurrent& trees) {
  ReadSet reads;
  reads.complete = true;
  for (const std::string& path : trees.reads) {
    Read read;
    read.subject = path;
    read.digest = repo::testing::must(objects.entry_at(trees.base, path)).oid.str();
    read.snapshot = trees.base;
    read.reader = ReaderClass::kShown;
    reads.reads.push_back(std::move(read));
  }
  return reads;
}

// Complaints about the change, each in a line; none: it lands. `cache` is a directory for the
// catalogue's.
inline std::vector<std::string> complaints(repo::Objects& objects, const Concurrent& trees,
                                           const std::string& cache) {
  using repo::testing::must;
  const Changes head = must(objects.diff(trees.base, trees.head));
  Footprint footprint;
  footprint.base = trees.base;
  footprint.writes = must(objects.diff(trees.base, trees.work));
  footprint.reads = shown(objects, trees);
  SystemClock clock;  // the catalogue looks at it until it is closed
  Around around;
  around.ways_of = [](const auto& paths) { return std::vector<MergeWay>(paths.size()); };
  around.footprints = std::make_shared<catalogue::Footprints>(
      objects, catalogue::CacheOptions{.directory = cache, .clock = &clock}, kMostBytes);
  around.tree = trees.head;
  const SymbolFindings found = must(look_into(objects, head, footprint.writes, around));
  repo::MergeOutcome merged = must(objects.merge(trees.base, trees.head, trees.work));
  if (!merged.conflicts.empty()) {
    merged =
        must(merge_with(objects, trees.base, trees.head, trees.work, found, std::move(merged)));
  }
  std::vector<std::string> said;
  for (const auto& conflict : merged.conflicts) said.push_back("a merge of " + conflict.path);
  const std::vector<SnapshotDiff> diffs{{trees.base, head}};
  certify::Input input{&footprint, diffs};
  input.level = Isolation::kSemantic;
  input.symbols = &found.symbols;
  input.contents = judge_contents(objects, trees.head, input.level);
  input.says_the_same = says_the_same(objects);
  input.names = name_rules(objects, footprint, {});
  input.only_came = only_came(objects, trees.head);
  for (const Conflict& conflict : certify::certify(input).conflicts) {
    said.push_back(conflict.subject + ": " + conflict.hint);
  }
  return said;
}

}  // namespace gittxn::land::testing
