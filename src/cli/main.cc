// git-txn: what the process is (arguments, environment, signals) is read here and nowhere else, and
// handed to run_program as values.
//
// Signals. SIGINT counts one request to stop, SIGTERM and SIGHUP two: the facade takes them one by
// one, passes the first on to the command of a transaction and ends its whole tree at the second.
// SIGPIPE gets a handler that does nothing, so that a write fails instead of killing us in the
// middle of a landing, and so that programs we start get the default back.
#include <signal.h>

#include <algorithm>
#include <atomic>

#include "base/fs.h"
#include "cli/program.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

std::atomic<int> g_pending{0};
static_assert(std::atomic<int>::is_always_lock_free, "touched in a signal handler");

extern "C" void on_interrupt(int) {
  g_pending.fetch_add(1);
}
extern "C" void on_termination(int) {
  g_pending.fetch_add(2);
}
extern "C" void on_broken_pipe(int) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction now{};
  // Under nohup a hang-up stays ignored. An interrupt does not: a shell without job control ignores
  // it for its background jobs, and whoever sends one to us means it.
  bool ignored = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  if (ignored && signal == SIGHUP) return;
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void handle_signals() {
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_termination);
  handle(SIGHUP, on_termination);
  handle(SIGPIPE, on_broken_pipe);
}

}  // namespace
}  // namespace gittxn::cli

int main(int argc, char** argv, char** envp) {
  gittxn::cli::handle_signals();
  gittxn::SystemClock clock;
  gittxn::Random random;
  gittxn::cli::Process process;
  process.arguments.assign(argv + std::min(argc, 1), argv + argc);
  process.env = gittxn::environment_from(envp);
  // Not known where /proc is not mounted: agents are then run without hooks, which is said.
  process.program = gittxn::read_link("/proc/self/exe").value_or("");
  process.clock = &clock;
  process.random = &random;
  process.interrupts = &gittxn::cli::g_pending;
  const bool driver = !process.arguments.empty() && process.arguments[0] == "merge-driver";
  const int status = gittxn::cli::run_program(std::move(process));
  return driver && status > gittxn::cli::kExitNo ? gittxn::cli::kExitDriver : status;
}
