// Ignore rules and attributes decide what of a worktree becomes a change, and how its bytes are
// stored. A change was taken by those of its beginning; on a head that has others the same command
// would leave another one. So where the head changed a .gitignore or a .gitattributes, they are
// asked again:
//
//   taken      a file that the transaction added, which the head's rules keep out
//   left out   a file that was ignored (reads with kLeftOut), which the head's rules let in
//   stored     a file that it wrote, whose bytes the head's attributes store otherwise
//   read       a file that it read, whose bytes a checkout of the head writes otherwise
//
// What has the same answer under both is nobody's conflict, whatever was edited in the rules.
#pragma once

#include <string>
#include <vector>

#include "land/candidate.h"

namespace gittxn::land {

// `op` of the kEnvironment read that says what was left out as ignored: a repository path, and a
// directory, with everything in it, ends with '/'.
inline constexpr std::string_view kLeftOut = "left out as ignored";
// This many are recorded. Of a transaction that left out more, nobody can say what other ignore
// rules would have let in: with one more on record, any change of a .gitignore is a conflict.
inline constexpr std::size_t kMostLeftOut = 1000;
std::vector<Read> left_out(const std::vector<std::string>& ignored, const Oid& snapshot);

// The values of text, crlf, eol, filter, ident, working-tree-encoding (gitattributes(5)).
struct Conversion {
  std::string text, crlf, eol, filter, ident, encoding;
  bool operator==(const Conversion&) const = default;
};
enum class LineEnds { kPlain, kCrLf };  // of the bytes in a blob: whether any line ends with CR LF
// True when a file whose blob was made under `then` would get another one under `now`.
bool stored_otherwise(const Conversion& then, const Conversion& now, LineEnds blob);
// True when a checkout of the same blob has other bytes.
bool written_otherwise(const Conversion& then, const Conversion& now);

// Empty where the level does not certify reads.
Result<std::vector<Conflict>> judge_rules(const Context& context, const Footprint& footprint,
                                          const Candidate& candidate);

}  // namespace gittxn::land
