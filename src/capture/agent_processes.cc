#include "capture/agent_processes.h"

#include <utility>

#include "base/fs.h"

namespace gittxn::capture {
namespace {

constexpr int kMostAbove = 100;

}  // namespace

bool starts_hook(const Record& exec) {
  return base_name(exec.path) == "git-txn" && exec.argv.size() > 1 && exec.argv[1] == "hook";
}

void AgentProcesses::on_process(const Record& record) {
  if (record.op == Op::kFork) {
    parents_[record.pid] = record.parent;
    programs_[record.pid] = program(record.parent);
    before_.erase(record.pid);
    reporting_.erase(record.pid);  // the number may be used again
    return;
  }
  before_[record.pid] = program(record.pid);
  programs_[record.pid] = ++started_;
  if (!starts_hook(record)) return;
  std::int32_t pid = record.pid;
  bool found = false;
  std::int64_t last = 0;
  for (int i = 0; i < kMostAbove; ++i) {
    const auto parent = parents_.find(pid);
    if (parent == parents_.end() || parent->second == 0) return;
    pid = parent->second;
    reporting_.insert(pid);
    const std::int64_t runs = program(pid);
    if (runs == 0 || std::exchange(last, runs) == runs) continue;  // it has forked
    const bool before = !agents_.insert(runs).second;
    if (before && !std::exchange(found, true)) itself_.insert(runs);
  }
}

}  // namespace gittxn::capture
