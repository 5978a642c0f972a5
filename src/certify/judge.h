// Does one read still hold? The rules for each kind, against the difference between the commit it
// was read from and the head. Every rule is "the same lookup, done at the head, gives the same
// answer":
//
//   content    the entry at the path has the same type and blob (the executable bit is no content)
//   metadata   the whole entry is the same; a digest without a blob id ("100644", "040000")
//              looked at type and mode only
//   absence    nothing is there now, and the lookup stops for the same reason: ENOENT and
//              ENOTDIR are different answers, and a link or submodule on the way leads elsewhere
//   listing    the same entry names and types are in the directory
//   tree       nothing at or below the path changed
//
// What the transaction itself does to a path hides nothing that the head did to it: in the order of
// landing the head came first, and the look-up would have met it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/change.h"
#include "model/read.h"

namespace gittxn::certify {

struct Stale {
  std::string cause;        // the path whose change did it
  std::string digest_now;   // what the same read would see at the head
  std::string detail = {};  // what is different, for people; "" the kind of read says it
};

// Content, metadata, absence, listing or tree.
constexpr bool is_path_read(ReadKind kind) {
  return kind == ReadKind::kContent || kind == ReadKind::kMetadata || kind == ReadKind::kAbsence ||
         kind == ReadKind::kListing || kind == ReadKind::kTree;
}

// A search, or a part of a file: judged by whoever looks into files.
inline bool lies_in_contents(const Read& read) {
  return read.kind == ReadKind::kSearch || read.lines != LineSpan{};
}

// Commits and their names, which agents are shown and seldom decide on.
inline bool is_history(const Read& read) {
  return read.kind == ReadKind::kRef && read.strength == Strength::kSoft;
}

// True if no program can have computed with the bytes of the file: an agent alone was shown them,
// or an edit was made.
bool reads_for_an_edit(const Read& read);

// `diff` is sorted by path. Only for the five kinds above, and not for a part of a file.
std::optional<Stale> judge(const Read& read, const Changes& diff);

// What a lookup meets: an executable and a plain file are the same thing.
enum class Shape { kNothing, kDirectory, kFile, kLink, kSubmodule };
Shape shape_of(const TreeEntry& entry);

// The change of exactly `path`, or null.
const PathChange* find_change(const Changes& changes, std::string_view path);
// Index of the first change that is not before `path`.
std::size_t first_from(const Changes& changes, std::string_view path);
// "" for the root's children; the root itself has none and must not be asked for.
std::string_view parent_of(std::string_view path);
// Those of paths strictly below: "a/b" is below "a", and everything is below "".
std::span<const PathChange> below(const Changes& changes, std::string_view root);
// Those of entries of a directory itself that came, went or became something else, in the order of
// the changes, until `use` has had enough and returns false.
void each_entry(const Changes& changes, std::string_view directory,
                const std::function<bool(const PathChange&)>& use);
// Something a lookup of a path below it cannot pass: a file, a link, a submodule.
bool blocks_lookups(Shape shape);

// Writes of a transaction and of the head that do not commute, both against the transaction's base.
struct Overlap {
  std::string path;   // of the transaction's write
  std::string cause;  // of the head's
  TreeEntry ours;     // what the transaction makes of `path`
  TreeEntry head;     // what the head made of `cause`
};

// Sorted by path. A path that both changed to different results; and a write below something the
// other side turned into a file. Two sides that removed or made the same directory agree about it.
std::vector<Overlap> overlaps(const Changes& writes, const Changes& head);

// Of what the head changed: the paths of which both made the same, and the directories that came or
// went with them on both sides. Sorted by path.
Changes made_equal(const Changes& writes, const Changes& head);

}  // namespace gittxn::certify
