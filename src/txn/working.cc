#include "txn/working.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "agents/hook_log.h"
#include "base/fs.h"
#include "txn/attempt.h"
#include "txn/bounds/usage.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMostOfACall = 200;  // bytes of what it was about

// Names what a call was about, in a few words; "" nothing that has any.
std::string subject_of(const agents::Observation& seen) {
  if (const auto* one = std::get_if<agents::FileRead>(&seen.detail)) return one->path;
  if (const auto* one = std::get_if<agents::FileWrite>(&seen.detail)) return one->path;
  if (const auto* one = std::get_if<agents::Listing>(&seen.detail)) return one->path;
  if (const auto* one = std::get_if<agents::Query>(&seen.detail)) return one->pattern;
  if (const auto* one = std::get_if<agents::Url>(&seen.detail)) return one->url;
  const auto* command = std::get_if<agents::Command>(&seen.detail);
  if (command == nullptr) return "";
  return command->text.empty() ? quote_argv(command->argv) : command->text;
}

void add_tool_call(const Attempt& attempt, Working& working) {
  const std::string tree = join_path(attempt.worktree, "tree");
  agents::HookLogReader reader([&](agents::Observation&& seen) {
    const std::int64_t at = std::max(seen.start_ms, seen.end_ms);
    if (seen.tool.empty() || at < working.tool_wall_ms) return;
    std::string subject = subject_of(seen);
    std::string below;
    if (path_below(subject, tree, &below) && !below.empty()) subject = below;
    subject.resize(std::min(subject.find('\n'), std::min(subject.size(), kMostOfACall)));
    working.tool = seen.tool + (subject.empty() ? "" : " " + subject);
    working.tool_wall_ms = at;
  });
  // No hook has run, or its log is damaged: then no call is known.
  static_cast<void>(agents::read_hook_log(join_path(observed_dir(attempt), "hooks.jsonl"), reader));
}

}  // namespace

Result<repo::Taken> work_until_now(State& state, const Txn& txn) {
  const repo::Worktree worktree = TRY(repo::find_worktree(txn.attempts.back().worktree));
  const std::string folder =
      fmt::format("{}/tmp/look-{}-{}", state.repository.txn_dir(), txn.id.str(), ::getpid());
  TRY(make_dirs(parent_dir(folder)));
  auto taken = repo::take_a_look(state.repository, worktree, TRY(snapshot_of(state, txn)),
                                 txn.target, folder);
  TRY(remove_tree(folder));
  return taken;
}

Working working_now(State& state, const Txn& txn) {
  Working working;
  add_tool_call(txn.attempts.back(), working);
  if (const auto used = told_until_now(txn)) working.used = *used;
  if (const auto work = work_until_now(state, txn)) {
    working.changed = static_cast<std::size_t>(std::ranges::count_if(
        work->changes, [](const PathChange& change) { return !change.is_directory(); }));
  }
  return working;
}

}  // namespace gittxn::api
