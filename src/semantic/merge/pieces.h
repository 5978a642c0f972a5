// A text that is put together from three versions: what is settled, and the places that are in
// conflict, in order. A merge of a tree settles what it can and leaves the rest in conflict, which
// is then shown by whole lines, as small as git's merge of lines makes it.
//
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {

struct Piece {
  std::string settled;       // the text of a piece that is no conflict
  Sides<std::string> sides;  // of one that is
  std::string why;           // of a conflict: what stood against the merge; else empty
  bool in_conflict() const { return !why.empty(); }
};

class Pieces {
 public:
  Pieces() = default;
  explicit Pieces(std::string_view text) { settle(text); }

  void settle(std::string_view text);
  // `why` is not empty. Sides that say the same are settled.
  void leave(const Sides<std::string_view>& sides, std::string why);
  void append(Pieces pieces);

  bool clean() const;
  // The reason of the first conflict; empty when there is none.
  std::string why() const;
  // The whole text, with what `side` has where there is a conflict.
  std::string with(Side side) const;
  const std::vector<Piece>& all() const { return pieces_; }

  // The same text with every conflict grown to whole lines: what is settled on its first and last
  // line is in all three versions. Conflicts that meet are one.
  Pieces by_lines() const;

 private:
  std::vector<Piece> pieces_;  // of two neighbours one at most is settled
};

// The text of a merge whose conflicts stand between markers. Where git's merge of lines settles a
// part of a conflict, what is left of it is shown. kFault when libgit2 has no memory.
Result<ConflictedText> written(const Pieces& pieces, const MergeLabels& labels);

}  // namespace gittxn::semantic
