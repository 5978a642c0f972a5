#include "txn/footprints.h"

#include <fmt/format.h>

#include <algorithm>

namespace gittxn::api {
namespace {

constexpr std::uint64_t kMostBytes = 32u << 20;

Result<std::uint64_t> size_of(const repo::Objects& objects, const TreeEntry& entry) {
  if (!entry.present()) return std::uint64_t{0};
  return objects.blob_size(entry.oid);
}

Result<std::optional<std::string>> text_of(const repo::Objects& objects, const TreeEntry& entry) {
  if (!entry.present()) return std::optional<std::string>();
  return std::optional<std::string>(TRY(objects.blob(entry.oid)));
}

}  // namespace

std::vector<std::string> capabilities_of(const semantic::Write& write) {
  std::vector<std::string> names;
  if (write.change != semantic::Change::kChanged || write.opaque) return names;
  for (std::size_t i = 0; i < semantic::kCapabilities; ++i) {
    const auto capability = static_cast<semantic::Capability>(i);
    if (write.what.has(capability)) names.emplace_back(semantic::capability_name(capability));
  }
  if (write.what.comments) names.emplace_back("comments");
  return names;
}

Result<FootprintReport> footprint_of(const repo::Objects& objects, const Changes& changes) {
  FootprintReport report;
  report.changes = files_of(changes);
  const semantic::Budget budget;
  std::uint64_t total = 0;
  for (const PathChange& change : report.changes) {
    if (change.before.oid == change.after.oid) continue;
    if (!change.before.is_file_or_absent() || !change.after.is_file_or_absent()) continue;
    const std::uint64_t before = TRY(size_of(objects, change.before));
    const std::uint64_t after = TRY(size_of(objects, change.after));
    if (std::max(before, after) > budget.bytes || total + before + after > kMostBytes) {
      report.notes.push_back(fmt::format("{} is too large to be told by its symbols", change.path));
      continue;
    }
    total += before + after;
    semantic::FileChange file{change.path, TRY(text_of(objects, change.before)), {}};
    file.after = TRY(text_of(objects, change.after));
    for (semantic::Write& write : semantic::footprint_of({file}, budget).writes) {
      report.symbols.push_back(std::move(write));
    }
  }
  return report;
}

}  // namespace gittxn::api
