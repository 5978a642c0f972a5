#include "land/judge/shown_names.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/fs.h"
#include "base/text.h"
#include "model/policy.h"
#include "search/query.h"
#include "semantic/read/text_lines.h"

namespace gittxn::land {
namespace {

constexpr std::size_t kMostText = 32u << 20;

bool has_text(const TreeEntry& entry) {
  return entry.is_file() || entry.mode == FileMode::kLink;
}

// Lines of the new version that the old one has not, each with its end. All of it where there was
// no text before, or nobody can compare the two.
Result<std::string> added_text(const repo::Objects& objects, const PathChange& change) {
  std::string after = TRY(objects.blob(change.after.oid, kMostText));
  if (!has_text(change.before)) return after;
  const std::string before = TRY(objects.blob(change.before.oid, kMostText));
  const auto hunks = semantic::line_difference(before, after);
  if (!hunks) return after;
  const semantic::TextLines lines(after);
  std::string added;
  for (const semantic::LineHunk& hunk : *hunks) added += lines.of(hunk.after);
  return added;
}

// Nothing: there is more, or it cannot be read.
std::optional<std::string> text_of(const repo::Objects& objects, const Changes& writes) {
  std::string text;
  for (const PathChange& change : writes) {
    if (!change.after.present()) continue;
    if (!change.before.present()) text += base_name(change.path) + "\n";
    if (!has_text(change.after) || change.after.oid == change.before.oid) continue;
    const auto added = added_text(objects, change);
    if (!added || text.size() + added->size() > kMostText) return std::nullopt;
    text += *added + "\n";
  }
  return lower_ascii(text);
}

certify::NamedInWrites named_in(const repo::Objects& objects, const Changes& writes) {
  auto known = std::make_shared<std::optional<std::optional<std::string>>>();
  return [&objects, &writes, known](std::string_view word) {
    if (!*known) known->emplace(text_of(objects, writes));
    const std::optional<std::string>& text = **known;
    return !text || word.empty() || has_word(*text, lower_ascii(word));
  };
}

// Goes by where the search began and how deep it went; what else it asked of a name is left out.
certify::NamePart part_of_search(const Read& read, std::string_view path) {
  using certify::NamePart;
  const auto query = search::query_from_text(read.query);
  if (!query || query->kind != search::Kind::kNames) return NamePart::kRoot;
  NamePart part = NamePart::kNone;
  for (const search::Root& root : query->roots) {
    if (covers(path, root.path)) return NamePart::kRoot;
    if (!covers(root.path, path)) continue;
    const std::string_view below = path.substr(root.path.empty() ? 0 : root.path.size() + 1);
    const auto depth = static_cast<std::size_t>(std::ranges::count(below, '/')) + 1;
    if (depth == 1 || (query->recursive && depth <= query->max_depth)) part = NamePart::kEntry;
  }
  return part;
}

}  // namespace

certify::NameRules name_rules(const repo::Objects& objects, const Footprint& txn,
                              std::span<const std::string> hard) {
  return {&txn, named_in(objects, txn.writes), part_of_search, hard};
}

}  // namespace gittxn::land
