// Looks of a gate at the tree that it was asked of, and whether each would see the same in another
// tree: then what the gate said of the one is true of the other. Pure.
//
// A look is a read (model/read.h) of a kind that a tree answers, and its rules are those of
// certify/judge.h but for one: a gate is no agent whose change is merged, so the executable bit of
// a file that it looked into counts.
//
// Whatever changes how files are checked out is a look of every gate: any .gitattributes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/change.h"
#include "model/read.h"

namespace gittxn::gates {

struct Look {
  ReadKind kind = ReadKind::kContent;  // content, metadata, absence, listing or tree
  std::string path;                    // in the tree; "" is its top
  std::string digest;                  // what was seen, as reads have it
  auto operator<=>(const Look&) const = default;
};
using Looks = std::vector<Look>;  // sorted, each once

// The looks among the reads of a gate that ran on `commit`. nullopt, with the reason in `why`: the
// gate also read something that its tree does not answer (a ref, another commit, an uncommitted
// file), so that its certificate counts for that tree and parent only.
std::optional<Looks> looks_of(const ReadSet& reads, const Oid& commit, std::string* why);

Looks united(Looks one, const Looks& other);

// Leaves out the looks that the policy says do not count: "list:GLOB", the names in these
// directories; "stat:GLOB", of these files everything but that they are there, and their mode.
// Globs as in gates/generated.h; "list:." is the top.
Looks seen_by(Looks looks, const std::vector<std::string>& blind);
// Says why such a rule is wrong, as the rest of a sentence; nullopt: it is not.
std::optional<std::string> blind_problem(std::string_view rule);

// Rows (rows.h): the kind, the digest and the path. kCorrupt: damaged, or of another version.
std::string looks_to_lines(const Looks& looks);
Result<Looks> looks_from_lines(std::string_view lines);

struct Changed {
  Look look;
  std::string cause;  // the path whose change did it
};
std::string in_words(const Changed& changed);  // "src/a has changed"
// The first look that does not see the same on the other side of `diff`, which goes from the tree
// that was looked at to the other, sorted by path.
std::optional<Changed> first_changed(const Looks& looks, const Changes& diff);

}  // namespace gittxn::gates
