// Symbols of the changed files, of a transaction against the head: which files that both changed
// can be one, what of the two changes meets, and whether a file that was only read still says the
// same. certify/ is given the answers and knows no language.
//
// Only looks: blobs are read, and nothing is written but the cache of the catalogue, which keeps
// what each side's change of a file did. Cost grows with the files that either side changed; over
// kMostBytes of them nothing is looked into and paths alone decide.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "catalogue/cache.h"
#include "certify/certify.h"
#include "land/judge/merge_way.h"
#include "model/change.h"
#include "repo/objects.h"

namespace gittxn::land {

inline constexpr std::size_t kMostBytes = 32u << 20;

// A file that both sides changed, as one.
struct MergedFile {
  std::string path;
  TreeEntry head, work;
  FileMode mode = FileMode::kFile;
  std::variant<Oid, std::string> contents;  // those of one side, or a text of both
  std::string rule;                         // of semantic/merge.h
};

struct SymbolFindings {
  certify::Symbols symbols;  // `checks` is the caller's to say
  std::vector<MergedFile> files;
  std::vector<std::string> notes;  // for a person: what was not merged, and why
};

// How each of these paths may be merged; asked once, with those that both changed.
using WaysOf = std::function<Result<std::vector<MergeWay>>(const std::vector<std::string>& paths)>;

// What look_into asks of the repository around it.
struct Around {
  WaysOf ways_of;
  catalogue::CacheOptions cache;  // opened when something is looked up in it
};
Around around(const Context& context, const Oid& head);

// `head` and `work`: what each changed since one base.
Result<SymbolFindings> look_into(const repo::Objects& objects, const Changes& head,
                                 const Changes& work, const Around& around);

// What the tree merge left as conflicts because both changed a file, with the merged files in their
// place. Writes blobs and trees. `merged` as it was when a conflict is of another kind.
Result<repo::MergeOutcome> merge_with(repo::Objects& objects, const Oid& base_tree,
                                      const Oid& head_tree, const Oid& work_tree,
                                      const SymbolFindings& findings, repo::MergeOutcome merged);

// Layout aside, comments included: people and models decide on those too. `objects` must outlive
// it. Fails closed.
certify::SaysTheSame says_the_same(const repo::Objects& objects);

}  // namespace gittxn::land
