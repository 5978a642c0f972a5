#include "txn/footprints.h"

#include <fmt/format.h>

#include <algorithm>

namespace gittxn::api {
namespace {

constexpr std::uint64_t kMostBytes = 32u << 20;
constexpr std::uint64_t kMostBytesOfFile = semantic::Budget().bytes;

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

catalogue::Footprints footprints_in(State& state) {
  return {state.repository.objects(),
          catalogue::cache_in(state.repository.txn_dir(), *state.host.clock), kMostBytesOfFile};
}

Result<FootprintReport> footprint_of(catalogue::Footprints& footprints, const Changes& changes) {
  FootprintReport report;
  report.changes = files_of(changes);
  std::uint64_t total = 0;
  for (const PathChange& change : report.changes) {
    if (!catalogue::is_of_file(change)) continue;
    const catalogue::Bytes bytes = TRY(footprints.bytes_of(change));
    const bool large = std::max(bytes.before, bytes.after) > kMostBytesOfFile;
    if (large || total + bytes.both() > kMostBytes) {
      report.notes.push_back(fmt::format("{} is too large to be told by its symbols", change.path));
      continue;
    }
    total += bytes.both();
    const semantic::Footprint& footprint = *TRY(footprints.of(change));
    report.symbols.insert(report.symbols.end(), footprint.writes.begin(), footprint.writes.end());
  }
  return report;
}

}  // namespace gittxn::api
