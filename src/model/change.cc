#include "model/change.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/json_value.h"
#include "model/codec.h"
#include "model/names.h"

namespace gittxn {
namespace {

constexpr NameTable<FileMode, 5> kModes{{
    {FileMode::kTree, "040000"},
    {FileMode::kFile, "100644"},
    {FileMode::kExecutable, "100755"},
    {FileMode::kLink, "120000"},
    {FileMode::kSubmodule, "160000"},
}};

Json side_to_json(const TreeEntry& entry) {
  if (!entry.present()) return nullptr;
  return Json{{"mode", mode_text(entry.mode)}, {"oid", entry.oid.str()}};
}

Result<TreeEntry> side_from_json(const Json& json) {
  Fields fields(json, "side");
  TreeEntry entry;
  fields.choice("mode", entry.mode, mode_from_text);
  fields.oid("oid", entry.oid);
  TRY(fields.done());
  return entry;
}

}  // namespace

std::string_view mode_text(FileMode mode) {
  return mode == FileMode::kNone ? std::string_view("000000") : name_in(kModes, mode);
}
Result<FileMode> mode_from_text(std::string_view text) {
  return value_in(kModes, "mode", text);
}

Json to_json(const PathChange& change) {
  return Json{{"path", encode_path(change.path)},
              {"before", side_to_json(change.before)},
              {"after", side_to_json(change.after)}};
}

Result<PathChange> change_from_json(const Json& json) {
  Fields fields(json, "change");
  PathChange change;
  fields.text("path", change.path);
  if (fields.has("before")) fields.value("before", change.before, side_from_json);
  if (fields.has("after")) fields.value("after", change.after, side_from_json);
  TRY(fields.done());
  return change;
}

std::string changes_to_lines(const Changes& changes) {
  std::string lines;
  for (const PathChange& change : changes) lines += canonical_json(to_json(change)) + "\n";
  return lines;
}

Result<Changes> changes_from_lines(std::string_view lines) {
  Changes changes;
  const auto add = [&](const Json& json) -> Status {
    PathChange change = TRY(change_from_json(json));
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
