#include "certify/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"

namespace gittxn::certify {
namespace {

// More names than this in a witness help nobody.
constexpr int kNamesInWitness = 3;
constexpr char kBehindSlash = '/' + 1;

std::string metadata_of(const TreeEntry& entry) {
  if (!entry.present()) return "";
  const std::string mode(mode_text(entry.mode));
  return entry.mode == FileMode::kTree ? mode : mode + " " + entry.oid.str();
}

std::string content_of(const TreeEntry& entry) {
  return entry.mode == FileMode::kTree ? metadata_of(entry) : entry.oid.str();
}

bool same_content(const TreeEntry& a, const TreeEntry& b) {
  return shape_of(a) == shape_of(b) && a.oid == b.oid;
}

// Bytes that no commit had: they hold only when the head now has exactly them.
std::optional<Stale> judge_uncommitted(const Read& read, const PathChange* change) {
  const std::string seen = read.digest.substr(kUncommitted.size());
  if (change == nullptr) return Stale{read.subject, "not in the head"};
  const std::string now =
      read.kind == ReadKind::kMetadata ? metadata_of(change->after) : content_of(change->after);
  if (now == seen) return std::nullopt;
  return Stale{read.subject, now};
}

std::optional<Stale> judge_content(const Read& read, const PathChange* change) {
  if (change == nullptr || same_content(change->before, change->after)) return std::nullopt;
  return Stale{read.subject, content_of(change->after)};
}

std::optional<Stale> judge_metadata(const Read& read, const PathChange* change) {
  if (change == nullptr) return std::nullopt;
  const bool mode_only = read.digest.find(' ') == std::string::npos;
  const bool same =
      mode_only ? change->before.mode == change->after.mode : change->before == change->after;
  if (same) return std::nullopt;
  return Stale{read.subject, metadata_of(change->after)};
}

// What stops a lookup at something that is not a directory; "" when nothing does.
std::string stopped_at(std::string_view path, const TreeEntry& entry) {
  switch (shape_of(entry)) {
    case Shape::kDirectory:
      return "";
    case Shape::kNothing:
      return "nothing there";
    case Shape::kFile:
      return "not a directory";
    case Shape::kLink:
    case Shape::kSubmodule:
      break;
  }
  return fmt::format("{} at {}", metadata_of(entry), path);  // leads elsewhere: its identity counts
}

// A failed lookup done again. Only what changed is known of the directories on the way, and that is
// enough: one that did not change is the same on both sides, and where one side stopped above it,
// it can only be nothing on both.
std::optional<Stale> judge_absence(const Read& read, const Changes& diff) {
  std::string before;
  std::string after;
  const std::string* cause = nullptr;
  for (std::size_t slash = read.subject.find('/'); slash != std::string::npos;
       slash = read.subject.find('/', slash + 1)) {
    const PathChange* change = find_change(diff, std::string_view(read.subject).substr(0, slash));
    if (change == nullptr) continue;
    if (before.empty()) before = stopped_at(change->path, change->before);
    if (after.empty()) after = stopped_at(change->path, change->after);
    if (cause == nullptr && before != after) cause = &change->path;
    if (!before.empty() && !after.empty()) break;
  }
  const PathChange* itself = find_change(diff, read.subject);
  if (after.empty() && itself != nullptr && itself->after.present()) {
    return Stale{read.subject, metadata_of(itself->after)};
  }
  if (before.empty() && after.empty()) return std::nullopt;
  if (before.empty()) before = "nothing there";
  if (after.empty()) after = "nothing there";
  if (before == after || cause == nullptr) return std::nullopt;
  return Stale{*cause, after};
}

// Collects the first few changed names of a listing or tree read.
class Names {
 public:
  void add(const PathChange& change) {
    if (cause_.empty()) cause_ = change.path;
    ++count_;
    if (count_ > kNamesInWitness) return;
    if (!text_.empty()) text_ += ' ';
    text_ += !change.before.present() ? '+' : change.after.present() ? '~' : '-';
    text_ += change.path;
  }
  bool full() const { return count_ > kNamesInWitness; }
  std::optional<Stale> stale() const {
    if (count_ == 0) return std::nullopt;
    return Stale{cause_, full() ? text_ + " ..." : text_};
  }

 private:
  int count_ = 0;
  std::string cause_;
  std::string text_;
};

// A directory that itself came, went or became something else.
bool directory_changed(const Read& read, const Changes& diff, Names& names) {
  const PathChange* change = read.subject.empty() ? nullptr : find_change(diff, read.subject);
  if (change == nullptr || shape_of(change->before) == shape_of(change->after)) return false;
  names.add(*change);
  return true;
}

std::optional<Stale> judge_listing(const Read& read, const Changes& diff) {
  Names names;
  if (directory_changed(read, diff, names)) return names.stale();
  each_entry(diff, read.subject, [&names](const PathChange& change) {
    names.add(change);
    return !names.full();
  });
  return names.stale();
}

std::optional<Stale> judge_tree(const Read& read, const Changes& diff) {
  Names names;
  if (!read.subject.empty()) {
    if (const PathChange* change = find_change(diff, read.subject)) names.add(*change);
  }
  for (const PathChange& change : below(diff, read.subject)) {
    if (names.full()) break;
    names.add(change);
  }
  return names.stale();
}

}  // namespace

bool reads_for_an_edit(const Read& read) {
  return read.reader == ReaderClass::kEdits || read.reader == ReaderClass::kShown ||
         INJECTED_BUG("certify.any_reader");
}

Shape shape_of(const TreeEntry& entry) {
  switch (entry.mode) {
    case FileMode::kNone:
      return Shape::kNothing;
    case FileMode::kTree:
      return Shape::kDirectory;
    case FileMode::kFile:
    case FileMode::kExecutable:
      return Shape::kFile;
    case FileMode::kLink:
      return Shape::kLink;
    case FileMode::kSubmodule:
      return Shape::kSubmodule;
  }
  return Shape::kFile;
}

bool blocks_lookups(Shape shape) {
  return shape == Shape::kFile || shape == Shape::kLink || shape == Shape::kSubmodule;
}

std::size_t first_from(const Changes& changes, std::string_view path) {
  const auto at = std::ranges::lower_bound(changes, path, {}, &PathChange::path);
  return static_cast<std::size_t>(at - changes.begin());
}

const PathChange* find_change(const Changes& changes, std::string_view path) {
  const std::size_t i = first_from(changes, path);
  return i < changes.size() && changes[i].path == path ? &changes[i] : nullptr;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::span<const PathChange> below(const Changes& changes, std::string_view root) {
  if (root.empty()) return changes;
  const std::string name(root);
  const std::size_t first = first_from(changes, name + "/");
  return std::span(changes).subspan(first, first_from(changes, name + kBehindSlash) - first);
}

void each_entry(const Changes& changes, std::string_view directory,
                const std::function<bool(const PathChange&)>& use) {
  const std::string prefix = directory.empty() ? "" : std::string(directory) + "/";
  std::size_t i = first_from(changes, prefix);
  while (i < changes.size() && changes[i].path.starts_with(prefix)) {
    const std::string& path = changes[i].path;
    const std::size_t slash = path.find('/', prefix.size());
    if (slash != std::string::npos) {
      // Deeper paths are no entries of it: go on with the first path after that directory.
      i = first_from(changes, path.substr(0, slash) + kBehindSlash);
      continue;
    }
    if (shape_of(changes[i].before) != shape_of(changes[i].after) && !use(changes[i])) return;
    ++i;
  }
}

std::optional<Stale> judge(const Read& read, const Changes& diff) {
  if (read.digest.starts_with(kUncommitted)) {
    return judge_uncommitted(read, find_change(diff, read.subject));
  }
  switch (read.kind) {
    case ReadKind::kContent:
      return judge_content(read, find_change(diff, read.subject));
    case ReadKind::kMetadata:
      return judge_metadata(read, find_change(diff, read.subject));
    case ReadKind::kAbsence:
      return judge_absence(read, diff);
    case ReadKind::kListing:
      return judge_listing(read, diff);
    case ReadKind::kTree:
      return judge_tree(read, diff);
    case ReadKind::kRef:
    case ReadKind::kKernel:
    case ReadKind::kSummary:
    case ReadKind::kEnvironment:
    case ReadKind::kExternal:
    case ReadKind::kSearch:
      break;
  }
  return std::nullopt;
}

}  // namespace gittxn::certify
