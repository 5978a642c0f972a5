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
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "catalogue/footprints.h"
#include "certify/certify.h"
#include "land/land.h"
#include "model/change.h"
#include "model/policy.h"
#include "repo/objects.h"
#include "semantic/commute.h"
#include "semantic/language.h"
#include "semantic/merge/line_merge.h"

namespace gittxn::land {

inline constexpr std::size_t kMostBytes = 32u << 20;

// A file that both sides changed, as one.
struct MergedFile {
  std::string path;
  TreeEntry head, work;
  FileMode mode = FileMode::kFile;
  std::variant<Oid, std::string> contents;  // those of one side, or a text of both
  std::string rule;                         // of semantic/merge.h, or kRecorded
};

struct SymbolFindings {
  certify::Symbols symbols;  // `checks` is the caller's to say
  std::vector<MergedFile> files;
  std::vector<std::string> notes;  // for a person: what was not merged, and why
};

struct MergeWay {
  enum class Kind { kSymbols, kUnion, kNever } kind = Kind::kSymbols;
  std::string why;  // not to be merged, as the end of a sentence
};

// The way of each path, in their order. Only looks.
Result<std::vector<MergeWay>> merge_ways(const Context& context, const Oid& head,
                                         const std::vector<std::string>& paths);

// How each of these paths may be merged; asked once, with those that both changed.
using WaysOf = std::function<Result<std::vector<MergeWay>>(const std::vector<std::string>& paths)>;

// The text of a file that both changed, as a person resolved it (repo/rerere.h), if one did.
using Recorded =
    std::function<Result<std::optional<std::string>>(const semantic::Sides<std::string>& texts)>;
inline constexpr std::string_view kRecorded = "rerere";  // as a rule of a MergedFile

// What look_into asks of the repository around it.
struct Around {
  WaysOf ways_of;
  Recorded recorded = {};  // asked of what is not merged; none: nobody is
  std::shared_ptr<catalogue::Footprints> footprints;  // of versions up to kMostBytes
  // A tree of the base, but for what either changed: the head's. None: names are not followed
  // through modules that nobody changed.
  Oid tree = {};
};
// `objects`: those in which the changes are, and what is mended is written; it must outlive this.
Around around(const Context& context, const repo::Objects& objects, const Oid& head);

// `head` and `work`: what each changed since one base.
Result<SymbolFindings> look_into(const repo::Objects& objects, const Changes& head,
                                 const Changes& work, const Around& around);

// The clash of two changes, in a file of each: `left` of the finding is the transaction's.
certify::SymbolClash clash_of(const semantic::Finding& finding, std::string path,
                              std::string cause);

// What the tree merge left as conflicts because both changed a file, with the merged files in their
// place. Writes blobs and trees. `merged` as it was when a conflict is of another kind.
Result<repo::MergeOutcome> merge_with(repo::Objects& objects, const Oid& base_tree,
                                      const Oid& head_tree, const Oid& work_tree,
                                      const SymbolFindings& findings, repo::MergeOutcome merged);

// Layout aside, comments included: people and models decide on those too. `objects` must outlive
// it. Fails closed.
certify::SaysTheSame says_the_same(const repo::Objects& objects);

// builds.cc
// Adds what it finds to `findings`, and takes out of it what it can prove better: two changes of
// one manifest in different symbols of it, when the merged file has both and nothing else. `head`
// and `work`: what each changed since one base.
Status look_at_builds(const repo::Objects& objects, const Oid& head_tree, const Changes& head,
                      const Changes& work, SymbolFindings& findings);

// generated.cc
// Adds to `findings`. `head` and `work`: what each changed since one base. Looks into the files
// that the other side edited only where a source changed and its file did not.
Status look_at_generated(const repo::Objects& objects, const Policy& policy, const Changes& head,
                         const Changes& work, SymbolFindings& findings);

// Empty when the policy knows of no such file.
certify::FindOutOfDate find_out_of_date(const Policy& policy);

// made_once.cc
// A line that both sides made alike and `merged` has once, or that is gone from it so. Imports are
// sets, and which bracket closes what is not said by its line: in a known language neither counts.
// `language` may be nullptr.
std::optional<std::string> made_once(const semantic::Language* language,
                                     const semantic::Sides<std::string>& texts,
                                     const std::string& merged);

}  // namespace gittxn::land
