// What a commit or a transaction changes, at path level.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gittxn {

class FieldIo;  // base/fields.h

enum class FileMode : std::uint32_t {
  kNone = 0,
  kTree = 0040000,
  kFile = 0100644,
  kExecutable = 0100755,
  kLink = 0120000,
  kSubmodule = 0160000,
};

// One side of a change: nothing (kNone, empty oid), or a mode and an object.
struct TreeEntry {
  FileMode mode = FileMode::kNone;
  Oid oid;
  bool present() const { return mode != FileMode::kNone; }
  bool is_file() const { return mode == FileMode::kFile || mode == FileMode::kExecutable; }
  bool is_file_or_absent() const { return !present() || is_file(); }
  bool operator==(const TreeEntry&) const = default;
};

// A difference between two trees. Directories appear only where one side has a directory of that
// name and the other has not (as entries of mode kTree), because listings depend on that.
struct PathChange {
  std::string path;
  TreeEntry before;
  TreeEntry after;
  bool is_directory() const {
    return before.mode == FileMode::kTree || after.mode == FileMode::kTree;
  }
  bool operator==(const PathChange&) const = default;
};

void fields(FieldIo& io, TreeEntry& entry);
void fields(FieldIo& io, PathChange& change);  // a side where nothing is, is null

using Changes = std::vector<PathChange>;  // sorted by path (bytes), unique

std::string_view mode_text(FileMode mode);               // "100644"; kNone is "000000"
Result<FileMode> mode_from_text(std::string_view text);  // never kNone
std::string changes_to_lines(const Changes& changes);
Result<Changes> changes_from_lines(std::string_view lines);  // kCorrupt also when out of order
Digest digest_of(const Changes& changes);                    // SHA-256 of the lines
// The files only, without directory entries: the write set users see. A file that became a
// directory stays as a removal, a directory that became a file as an addition.
Changes files_of(const Changes& changes);

}  // namespace gittxn
