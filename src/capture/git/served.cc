#include "capture/git/served.h"

#include <algorithm>
#include <utility>

#include "base/bug.h"

namespace gittxn::capture {
namespace {

bool is_served_search(const Observed& one) {
  return one.what == Observed::What::kSearch && one.source == ReadSource::kMcp;
}

}  // namespace

HeldLooks* Served::looks_of(const Record& record, const Process& process,
                            const std::vector<Observed>& observed) {
  if (!is_server(process.pid) || process.held != nullptr) return nullptr;
  const bool asked = std::ranges::any_of(observed, [&](const Observed& one) {
    return is_served_search(one) && one.start_ms <= record.time_ms &&
           record.time_ms <= one.end_ms + kServersAreLateMs;
  });
  if (!asked || record.time_ms == 0 || INJECTED_BUG("union.served_as_files")) return nullptr;
  if (process_.pid == 0) process_ = process;
  return &held_;
}

void Served::finish(const std::vector<Observed>& observed,
                    const std::function<Read(const Observed&)>& made) {
  std::vector<bool> explained(held_.looks.size());
  bool all = true;
  for (const Observed& one : observed) {
    if (!is_served_search(one)) continue;
    all = searches_.answer(one.query, held_, made(one), &explained) && all;
  }
  for (std::size_t i = 0; i < held_.looks.size(); ++i) {
    if (!all || !explained[i]) log_.release(held_.looks[i], process_);
  }
  if (all) return;
  for (const auto& [path, blob] : in_part_) {
    log_.add(ReadKind::kContent, path, blob.str(), {.process = &process_, .op = "open"});
  }
}

}  // namespace gittxn::capture
