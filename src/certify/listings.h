// Names of directories as context: what semantic makes of a listing, or a search by names alone,
// that an agent alone was shown as the answer of a tool call, and that has another answer at the
// head. Agents list directories all day, and seldom decide on a name that somebody else adds.
//
// It refuses where a name that came or went is one that the transaction can have depended on:
//   went    it read the entry or something below, wrote there, or named it in what it wrote
//   came    it named it in what it wrote, or adds an entry to that directory itself that is the
//   same
//           but for case and extension, or of the same series: a number taken from a listing
//   became something else, or a directory that was listed did
//   in a directory of which policy says that its names count
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "model/read.h"
#include "model/verdict.h"

namespace gittxn::certify {

// True if a word stands in what the transaction wrote. Given by whoever looks into files; what
// cannot be looked into has every word.
using NamedInWrites = std::function<bool(std::string_view word)>;

// The part of a path in a search by names: kEntry, where its name may have been printed; kRoot,
// where the search began there or below. Given by whoever knows queries; of one that is not
// understood everything is its root.
enum class NamePart { kNone, kEntry, kRoot };
using PartOfSearch = std::function<NamePart(const Read& search, std::string_view path)>;

// Both begin with digits, or agree up to their first digit ("0008_users" and "0009_a", "v1.md" and
// "v2.md"); one without a digit is the first of a series ("notes" and "notes-2").
bool of_one_series(std::string_view a, std::string_view b);
// But for case (of ASCII) and extensions: what stands behind the first dot that begins no name.
bool nearly_equal(std::string_view a, std::string_view b);
// The name without its extensions.
std::string_view stem_of(std::string_view name);

struct NameRules {
  const Footprint* txn = nullptr;          // its writes are sorted
  NamedInWrites named = {};                // without it every word was
  PartOfSearch part_of_search = {};        // without it no search is context
  std::span<const std::string> hard = {};  // prefixes of paths
};

// True if a listing or a search that does not hold may be excused; `theirs` leads from its snapshot
// to the head.
bool is_context(const Read& listing, const Changes& theirs, const NameRules& rules);

}  // namespace gittxn::certify
