#include "model/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/hash.h"
#include "base/json.h"
#include "model/fields.h"

namespace gittxn {
namespace {

constexpr NameTable<FileMode, 5> kModes{{
    {FileMode::kTree, "040000"},
    {FileMode::kFile, "100644"},
    {FileMode::kExecutable, "100755"},
    {FileMode::kLink, "120000"},
    {FileMode::kSubmodule, "160000"},
}};

// One side; null where nothing is.
void side_field(FieldIo& io, const char* key, TreeEntry& side) {
  std::optional<TreeEntry> there;
  if (side.present()) there = side;
  if (io.or_null(key, there)) io.value(key, *there);
  if (there.value_or(TreeEntry{}) != side) side = there.value_or(TreeEntry{});
}

}  // namespace

std::string_view mode_text(FileMode mode) {
  return mode == FileMode::kNone ? std::string_view("000000") : name_in(kModes, mode);
}
Result<FileMode> mode_from_text(std::string_view text) {
  return value_in(kModes, "mode", text);
}

void fields(FieldIo& io, TreeEntry& entry) {
  io.thing("side");
  io.choice("mode", entry.mode, kModes);
  io.oid({"oid", "", "^[0-9a-f]{40}$"}, entry.oid);
}

void fields(FieldIo& io, PathChange& change) {
  io.thing("change");
  io.text("path", change.path);
  side_field(io, "before", change.before);
  side_field(io, "after", change.after);
}

std::string changes_to_lines(const Changes& changes) {
  std::string lines;
  for (const PathChange& change : changes) lines += canonical_text(field_list(change)) + "\n";
  return lines;
}

Result<Changes> changes_from_lines(std::string_view lines) {
  Changes changes;
  const auto add = [&](const Json& json) -> Status {
    PathChange change = TRY(read_fields<PathChange>(json));
    if (!changes.empty() && changes.back().path >= change.path) {
      return fail(Code::kCorrupt, fmt::format("path '{}' is out of order", change.path));
    }
    changes.push_back(std::move(change));
    return {};
  };
  TRY(each_json_line(lines, "changes", add));
  return changes;
}

Digest digest_of(const Changes& changes) {
  return sha256(changes_to_lines(changes));
}

Changes files_of(const Changes& changes) {
  Changes files;
  for (PathChange change : changes) {
    // A file that became a directory is, as far as files go, a file that is gone.
    if (change.before.mode == FileMode::kTree) change.before = {};
    if (change.after.mode == FileMode::kTree) change.after = {};
    if (change.before.present() || change.after.present()) files.push_back(std::move(change));
  }
  return files;
}

}  // namespace gittxn
