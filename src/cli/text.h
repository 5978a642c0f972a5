// Text for people: bytes that came from a repository or an agent made harmless, colours, plurals.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kernel.h"
#include "base/ids.h"
#include "base/text.h"

namespace gittxn::cli {

// What a terminal would act on (control characters, C1 controls, direction overrides) and what is
// not UTF-8, written out as \n, \x1b or \u202e, so that a file name cannot move the cursor, set a
// title, or read backwards. For one line.
std::string clean(std::string_view bytes);
// The same for text of several lines: line ends and tabs stay.
std::string clean_lines(std::string_view bytes);

// As terminals number them.
enum class Colour { kNone = 0, kBold = 1, kDim = 2, kRed = 31, kGreen = 32, kYellow = 33 };

struct Style {
  bool colour = false;
  std::string paint(Colour colour, std::string_view text) const;
};

std::string counted(std::int64_t n, std::string_view singular, std::string_view plural = {});
std::string short_oid(const Oid& oid);            // seven digits; "none" for an empty one
std::string short_branch(const RefName& branch);  // without refs/heads/, cleaned
// The thing waited for and what ends the wait: "another landing on main". Of a reason that has no
// sentence of its own "REASON: SUBJECT". Cleaned.
std::string wait_text(std::string_view words, std::string_view subject);
// The same as a line: "waiting for another landing on main".
std::string wait_line(WaitReason reason, std::string_view subject);
std::string worktree_of(const Txn& txn);         // where its files are; empty when there is none
inline constexpr std::size_t kMakerShown = 200;  // columns that who made a read may take
// The first `most` of many, each as `line` says it, and how many more there are.
template <typename One, typename ToText>
std::string first_of(const std::vector<One>& many, std::size_t most, ToText line,
                     std::string_view before_more) {
  std::string out;
  for (std::size_t i = 0; i < many.size() && i < most; ++i) out += line(many[i]);
  if (many.size() <= most) return out;
  return out + std::string(before_more) + "and " + std::to_string(many.size() - most) + " more\n";
}
// Cut to `columns` with "…", counting a multi-byte character as one column.
std::string cut(std::string_view text, std::size_t columns);
// "text" with blanks up to `columns`.
std::string padded(std::string_view text, std::size_t columns);

}  // namespace gittxn::cli
