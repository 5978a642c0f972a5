// The process of git-txn that runs a command of a transaction now, so that a person can look at it
// and stop it. The pid that a shell has of `git txn run` is that of git, which waits for git-txn.
//
// A detached run has a supervisor beside it, which passes on what it is asked, also while no
// command runs; its lock is in the folder of what the run prints (api/output.h).
//
// <attempt>/process is locked by that process for as long as the command runs; the lock, and so
// what is told here, ends with it. Nothing is decided by it.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>

#include "txn/attempt.h"

namespace gittxn::api {

namespace {

constexpr std::int64_t kLookMs = 20;
constexpr std::int64_t kSecondRequestNs = 5'000 * kNsPerMs;
constexpr std::int64_t kGiveUpNs = 30'000 * kNsPerMs;

std::string mark_path(const Attempt& attempt) {
  return join_path(attempt.worktree, "process");
}

// The command has ended; what it did is being taken.
Status wait_until_let_go(State& state, const Txn& txn) {
  const std::int64_t until = state.host.clock->monotonic_ns() + kGiveUpNs;
  while (TRY(state.store->locks().is_held(store::Slots::kOwners, txn.slot))) {
    if (state.host.clock->monotonic_ns() > until) {
      return fail(Code::kTimeout, txn.id.str() + " has ended and its work is still being taken",
                  "git txn show " + txn.id.str());
    }
    state.host.clock->sleep_ms(kLookMs);
  }
  return {};
}

// Why a transaction that a live process works on cannot be had.
std::unexpected<Error> still_running(const Txn& txn) {
  const std::string& id = txn.id.str();
  const int process = running_now(txn).process;
  if (process == 0) {
    return fail(Code::kBusy, id + " is being worked on by a live process",
                "wait until it ends; git txn status shows it");
  }
  return fail(Code::kBusy, fmt::format("{} is still running (pid {})", id, process),
              "wait until it ends, or stop it with: git txn stop " + id);
}

}  // namespace

Result<UniqueFd> mark_process(const std::string& path) {
  UniqueFd fd = TRY(open_fd(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  // Of the process and not of the open file: only then does the kernel tell others whose it is.
  struct flock lock = lock_range(F_WRLCK, 0, 0);
  if (::fcntl(fd.get(), F_SETLK, &lock) != 0) return fail_errno(errno, "lock '" + path + "'");
  return fd;
}

int process_at(const std::string& path) {
  const auto fd = open_fd(path, O_RDONLY | O_CLOEXEC);
  if (!fd) return 0;
  struct flock lock = lock_range(F_WRLCK, 0, 0);
  if (::fcntl(fd->get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid;
}

Result<UniqueFd> mark_running(const Attempt& attempt) {
  return mark_process(mark_path(attempt));
}

std::string output_folder(const State& state, const TxnId& id) {
  return join_path(state.repository.txn_dir(), "output/" + id.str());
}

int supervisor_of(const State& state, const TxnId& id) {
  return process_at(join_path(output_folder(state, id), "process"));
}

Running running_now(const Txn& txn) {
  Running running;
  if (txn.attempts.empty() || txn.attempts.back().worktree.empty()) return running;
  const Attempt& attempt = txn.attempts.back();
  running.process = process_at(mark_path(attempt));
  if (running.process == 0) return running;
  struct stat info = {};
  if (!attempt.traces.empty() && ::stat(attempt.traces.back().c_str(), &info) == 0) {
    running.last_call_wall_ms =
        std::int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / kNsPerMs;
  }
  return running;
}

Status end_running(State& state, const Txn& txn, const Progress& progress) {
  const std::string& id = txn.id.str();
  const bool runs = running_now(txn).process != 0;
  const auto process = [&] {
    return runs ? running_now(txn).process : supervisor_of(state, txn.id);
  };
  const Clock& clock = *state.host.clock;
  const std::int64_t began = clock.monotonic_ns();
  int asked = 0;
  for (int pid = process(); pid != 0; pid = process()) {
    const std::int64_t waited = clock.monotonic_ns() - began;
    if (waited > kGiveUpNs) {
      return fail(Code::kTimeout, fmt::format("{} does not end (pid {})", id, pid),
                  fmt::format("end it with: kill -KILL {}; its work is kept", pid));
    }
    if (asked < 2 && waited >= asked * kSecondRequestNs) {
      // As a Ctrl-C in its terminal: the command ends first, and git-txn keeps what it did.
      if (::kill(pid, SIGINT) != 0 && errno != ESRCH) {
        return fail_errno(errno, fmt::format("interrupt process {}", pid));
      }
      ++asked;
    }
    if (progress.is_interrupted()) {
      return fail(Code::kInterrupted, "interrupted while waiting for " + id + " to end");
    }
    state.host.clock->sleep_ms(kLookMs);
  }
  if (asked > 0) return wait_until_let_go(state, txn);
  return fail(Code::kUsage, "no command of " + id + " is running on this machine",
              "git txn show " + id);
}

std::unexpected<Error> no_work_yet(const Txn& txn) {
  const std::string& id = txn.id.str();
  if (running_now(txn).process == 0) {
    return fail(Code::kUsage, "no work of " + id + " is recorded yet",
                "look into its worktree with: git txn open " + id);
  }
  return fail(Code::kUsage, id + " is still running; its changes are not recorded yet",
              "see them as they are now with: git txn diff " + id);
}

Result<bool> has_worktree(const Txn& txn) {
  if (txn.attempts.empty() || txn.attempts.back().worktree.empty()) return false;
  return repo::has_files(txn.attempts.back().worktree);
}

Status keep_work(State& state, const Txn& txn, const Progress& progress) {
  if (!TRY(has_worktree(txn))) return {};
  if (!txn.attempts.back().reads_left && !TRY(changed_since_taken(state, txn))) return {};
  TRY(take_work(state, txn, Untraced::kCheck, progress));
  return {};
}

Result<Held> hold(State& state, Txn known) {
  while (true) {
    TRY(state.require_here(known));
    auto lock = state.store->locks().try_slot(store::Slots::kOwners, known.slot);
    if (!lock && lock.error().code == Code::kBusy) return still_running(known);
    if (!lock) return std::unexpected(std::move(lock).error());
    Txn txn = TRY(reload(state, known.id));
    // Whoever resumed it in between has another slot.
    if (txn.slot == known.slot) return Held{std::move(txn), *std::move(lock)};
    known = std::move(txn);
  }
}

Result<Held> hold_named(State& state, const std::string& id_or_name) {
  return hold(state, TRY(state.find(id_or_name)));
}

}  // namespace gittxn::api
