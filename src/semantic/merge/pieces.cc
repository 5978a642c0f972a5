#include "semantic/merge/pieces.h"

#include <algorithm>
#include <utility>

namespace gittxn::semantic {
namespace {

bool ends_a_line(std::string_view text) {
  return text.empty() || text.back() == '\n';
}

}  // namespace

void Pieces::settle(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().in_conflict()) pieces_.emplace_back();
  pieces_.back().settled += text;
}

void Pieces::leave(const Sides<std::string_view>& sides, std::string why) {
  if (sides[kLeft] == sides[kRight]) return settle(sides[kLeft]);
  if (pieces_.empty() || !pieces_.back().in_conflict()) {
    pieces_.emplace_back();
    pieces_.back().why = std::move(why);
  }
  for (const Side side : {kBase, kLeft, kRight}) pieces_.back().sides[side] += sides[side];
}

void Pieces::append(Pieces pieces) {
  for (Piece& piece : pieces.pieces_) {
    if (piece.in_conflict()) {
      leave({piece.sides[kBase], piece.sides[kLeft], piece.sides[kRight]}, std::move(piece.why));
    } else {
      settle(piece.settled);
    }
  }
}

bool Pieces::clean() const {
  return std::ranges::none_of(pieces_, &Piece::in_conflict);
}

std::string Pieces::why() const {
  const auto first = std::ranges::find_if(pieces_, &Piece::in_conflict);
  return first == pieces_.end() ? std::string() : first->why;
}

std::string Pieces::with(Side side) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    text += piece.in_conflict() ? piece.sides[side] : piece.settled;
  }
  return text;
}

Pieces Pieces::by_lines() const {
  Pieces out;
  std::string line;  // settled, and not ended yet
  Piece open;        // a conflict whose last line has not ended yet
  const auto to_all = [&open](std::string_view text) {
    for (std::string& side : open.sides) side += text;
  };
  const auto close = [&] {
    out.leave({open.sides[kBase], open.sides[kLeft], open.sides[kRight]}, open.why);
    open = {};
  };
  for (const Piece& piece : pieces_) {
    if (piece.in_conflict()) {
      if (!open.in_conflict()) open.why = piece.why;
      to_all(std::exchange(line, {}));
      for (const Side side : {kBase, kLeft, kRight}) open.sides[side] += piece.sides[side];
      continue;
    }
    std::string_view rest = piece.settled;
    if (open.in_conflict()) {
      if (!std::ranges::all_of(open.sides, ends_a_line)) {
        const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
        to_all(rest.substr(0, end));
        rest.remove_prefix(end);
      }
      // A line that has not ended goes on in the next piece.
      if (!std::ranges::all_of(open.sides, ends_a_line)) continue;
      close();
    }
    const std::size_t end = rest.rfind('\n') + 1;
    if (end > 0) out.settle(std::exchange(line, {}));
    out.settle(rest.substr(0, end));
    line += rest.substr(end);
  }
  if (open.in_conflict()) close();
  out.settle(line);
  return out;
}

Result<ConflictedText> written(const Pieces& pieces, const MergeLabels& labels) {
  ConflictedText out;
  const Pieces by_lines = pieces.by_lines();
  for (const Piece& piece : by_lines.all()) {
    if (!piece.in_conflict()) {
      out.text += piece.settled;
      continue;
    }
    const Sides<std::string_view> sides = {piece.sides[0], piece.sides[1], piece.sides[2]};
    const LineMerge lines = TRY(merge_lines(sides, labels));
    // Lines that git merges, and that something else stands against, are in conflict as a whole.
    out.text += lines.clean ? between_markers(sides, labels) : lines.text;
    const int conflicts = lines.clean ? 1 : lines.conflicts;
    out.conflicts += conflicts;
    out.reasons.insert(out.reasons.end(), static_cast<std::size_t>(conflicts), piece.why);
  }
  return out;
}

}  // namespace gittxn::semantic
