// Changes of files as changes of symbols.
#include <fmt/format.h>

#include <algorithm>

#include "txn/symbol_reports.h"

namespace gittxn::api {
namespace {

constexpr std::uint64_t kMostBytes = 32u << 20;

bool is_file_or_nothing(const TreeEntry& entry) {
  return !entry.present() || entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
}

Result<std::uint64_t> size_of(const repo::Objects& objects, const TreeEntry& entry) {
  if (!entry.present()) return std::uint64_t{0};
  return objects.blob_size(entry.oid);
}

Result<std::optional<std::string>> text_of(const repo::Objects& objects, const TreeEntry& entry) {
  if (!entry.present()) return std::optional<std::string>();
  return std::optional<std::string>(TRY(objects.blob(entry.oid)));
}

SymbolChange change_of(const semantic::Write& write) {
  SymbolChange change;
  change.path = write.path;
  change.symbol = write.symbol;
  change.kind = write.kind;
  change.language = write.language;
  change.what = write.change;
  change.renamed_from = write.renamed_from;
  change.renamed_to = write.renamed_to;
  change.opaque = write.opaque;
  if (write.change != semantic::Change::kChanged || write.opaque) return change;
  for (std::size_t i = 0; i < semantic::kCapabilities; ++i) {
    if (write.what.of[i] == 0) continue;
    change.capabilities.emplace_back(
        semantic::capability_name(static_cast<semantic::Capability>(i)));
  }
  if (write.what.comments) change.capabilities.emplace_back("comments");
  return change;
}

}  // namespace

Result<FootprintReport> footprint_of(const repo::Objects& objects, const Changes& changes) {
  FootprintReport report;
  report.changes = files_of(changes);
  const semantic::Budget budget;
  std::uint64_t total = 0;
  for (const PathChange& change : report.changes) {
    if (change.before.oid == change.after.oid) continue;
    if (!is_file_or_nothing(change.before) || !is_file_or_nothing(change.after)) continue;
    const std::uint64_t before = TRY(size_of(objects, change.before));
    const std::uint64_t after = TRY(size_of(objects, change.after));
    if (std::max(before, after) > budget.bytes || total + before + after > kMostBytes) {
      report.notes.push_back(fmt::format("{} is too large to be told by its symbols", change.path));
      continue;
    }
    total += before + after;
    semantic::FileChange file{change.path, TRY(text_of(objects, change.before)), {}};
    file.after = TRY(text_of(objects, change.after));
    for (const semantic::Write& write : semantic::footprint_of({file}, budget).writes) {
      report.symbols.push_back(change_of(write));
    }
  }
  return report;
}

}  // namespace gittxn::api
