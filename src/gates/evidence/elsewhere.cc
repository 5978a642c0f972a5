#include "gates/evidence/elsewhere.h"

#include <set>

#include "base/fs.h"
#include "base/if_there.h"
#include "base/text.h"
#include "capture/trace/trace.h"

namespace gittxn::gates {
namespace {

bool looks_into(capture::Op op) {
  using enum capture::Op;
  return op == kOpenRead || op == kOpenReadWrite || op == kExec;
}

}  // namespace

Result<std::string> tested_elsewhere(repo::Repository& repository,
                                     const std::vector<std::string>& record_files,
                                     const std::string& tree, const Oid& candidate_tree,
                                     const RunView& view) {
  std::vector<std::string> checkouts;
  for (const repo::CheckoutPlace& place : TRY(repository.checkouts())) {
    if (auto real = real_path(place.worktree)) checkouts.push_back(*std::move(real));
  }
  std::string found;
  std::set<std::string> known;
  Error failed;
  const auto look = [&](const capture::Record& record) {
    if (!found.empty() || !looks_into(record.op) || !was_there(record)) return;
    if (!known.insert(record.path).second) return;
    const auto led = view.led.find(record.path);
    const std::string named = led == view.led.end() ? record.path : led->second;
    const bool own = view.apart && path_below(normal_path(named), tree, nullptr);
    if (own || view.is_own(normal_path(named))) return;
    const std::string real = real_path(named).value_or(normal_path(named));
    std::string relative;
    if (path_below(real, tree, &relative)) return;
    for (const std::string& checkout : checkouts) {
      if (!path_below(real, checkout, &relative) || relative.empty()) continue;
      const auto entry = repository.objects().entry_at(candidate_tree, relative);
      if (!entry) failed = entry.error();
      if (entry && entry->is_file()) found = real;
    }
  };
  for (const std::string& file : record_files) {
    TRY(if_there(capture::read_records(file, look)));  // none of what could not be started
  }
  if (!failed.message.empty()) return std::unexpected(failed);
  return found;
}

}  // namespace gittxn::gates
