#include "cli/detach.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <utility>

#include "api/output.h"
#include "base/json.h"
#include "base/text.h"

namespace gittxn::cli {
namespace {

constexpr const char* kVariable = "GIT_TXN_DETACHED";
constexpr int kRunsEnd = 3;  // the descriptor of the run
constexpr int kHearMs = 50;
constexpr std::size_t kBuffer = 64u << 10;
constexpr std::size_t kMostResult = 64u << 20;
constexpr std::size_t kMostMessage = 8u << 10;

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// One read: what there is; nullopt: nothing now. At the end of file, and where reading fails, the
// descriptor is closed.
std::optional<std::string> read_some(UniqueFd& fd) {
  std::string bytes(kBuffer, '\0');
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got <= 0) fd.reset();
  if (got <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

// The run, for whoever asks its supervisor to end: both do that together.
std::atomic<pid_t> g_run{0};
static_assert(std::atomic<pid_t>::is_always_lock_free, "touched in a signal handler");

extern "C" void pass_on(int number) {
  if (const pid_t run = g_run.load(); run > 0) ::kill(run, number);
}

void pass_on_signals() {
  ::signal(SIGHUP, SIG_IGN);
  struct sigaction action{};
  action.sa_handler = pass_on;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) ::sigaction(number, &action, nullptr);
}

// What the run is started with, made before anything forks.
struct RunPlan {
  std::vector<std::string> argv_text, env_text;
  std::vector<char*> argv, envp;

  explicit RunPlan(const Session& session) {
    argv_text.push_back(session.host.program);
    if (!session.json()) argv_text.emplace_back("--json");
    argv_text.insert(argv_text.end(), session.arguments.begin(), session.arguments.end());
    for (const auto& [name, value] : session.host.env) env_text.push_back(name + "=" + value);
    env_text.push_back(fmt::format("{}={}", kVariable, kRunsEnd));
    for (std::string& one : argv_text) argv.push_back(one.data());
    for (std::string& one : env_text) envp.push_back(one.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
  }
};

// The descriptors that a run is given: 0 to 3.
[[noreturn]] void become_run(const RunPlan& plan, std::array<int, 4> given, pid_t parent) {
  constexpr int kAbove = 10;
  for (int& fd : given) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, kAbove);
  for (int i = 0; i < 4; ++i) ::dup2(given[static_cast<std::size_t>(i)], i);
  close_other_descriptors({kRunsEnd});
  ::signal(SIGHUP, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kExitFault);
  ::execve(plan.argv[0], plan.argv.data(), plan.envp.data());
  static_cast<void>(write_all(2, "git txn: its own program cannot be started\n"));
  ::_exit(kExitFault);
}

class Supervisor {
 public:
  explicit Supervisor(UniqueFd report) : report_(std::move(report)) {}

  Status start(const RunPlan& plan) {
    Pipe out = TRY(open_pipe());
    Pipe err = TRY(open_pipe());
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return fail_errno(errno, "make a socket pair");
    }
    run_ = UniqueFd(ends[0]);
    const UniqueFd theirs(ends[1]);
    null_ = TRY(open_fd("/dev/null", O_RDWR | O_CLOEXEC));
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) return fail_errno(errno, "start a process");
    if (pid_ == 0) {
      become_run(plan, {null_.get(), out.write.get(), err.write.get(), theirs.get()}, parent);
    }
    g_run = pid_;
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    for (const UniqueFd* fd : {&out_, &err_}) ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    return {};
  }

  // As long as anything may still be printed: also by what the command left running.
  void watch() {
    while (run_.valid() || err_.valid()) {
      std::array<pollfd, 4> polls = {pollfd{run_.get(), POLLIN, 0}, pollfd{out_.get(), POLLIN, 0},
                                     pollfd{err_.get(), POLLIN, 0}, pollfd{report_.get(), 0, 0}};
      if (::poll(polls.data(), polls.size(), -1) < 0) continue;
      if (polls[1].revents != 0) take_result();
      if (polls[2].revents != 0) take_output();
      if (polls[3].revents != 0) abandoned();
      if (polls[0].revents != 0) hear();
    }
  }

 private:
  void hear() {
    std::string message(kMostMessage, '\0');
    const ssize_t got = ::recv(run_.get(), message.data(), message.size(), 0);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return ended();
    message.resize(static_cast<std::size_t>(got));
    if (message[0] == 'B') begun(message.substr(1));
    if (message[0] == 'S') started();
  }

  void begun(const std::string& message) {
    const std::size_t line_end = std::min(message.find('\n'), message.size() - 1);
    id_ = message.substr(0, line_end);
    folder_ = message.substr(line_end + 1);
    auto writer = api::OutputWriter::open(folder_);
    const std::string answer = writer ? "." : writer.error().message;
    if (writer) writer_ = *std::move(writer);
    static_cast<void>(::send(run_.get(), answer.data(), answer.size(), MSG_NOSIGNAL));
  }

  void started() {
    if (!report_.valid()) return;
    started_ = true;
    report(fmt::format("started {} {}\n", id_, pid_));
    held_.clear();
    // Nothing of the caller is ours from here on: who reads its output waits for its end.
    for (int fd = 0; fd < 3; ++fd) ::dup2(null_.get(), fd);
  }

  void report(const std::string& text) {
    static_cast<void>(write_all(report_.get(), text));  // the caller may be gone
    report_.reset();
  }

  // The caller is gone before the command runs: nobody would learn of the transaction.
  void abandoned() {
    report_.reset();
    ::kill(pid_, SIGTERM);
  }

  void take_result() {
    const auto bytes = read_some(out_);
    if (bytes && result_.size() + bytes->size() <= kMostResult) result_ += *bytes;
  }

  void take_output() {
    const auto bytes = read_some(err_);
    if (!bytes) return;
    if (writer_ && lost_.empty()) {
      if (const Status kept = writer_->append(*bytes); !kept) lost_ = kept.error().message;
    }
    if (started_) return;
    if (!writer_) static_cast<void>(write_all(2, *bytes));
    if (writer_ && held_.size() < kBuffer) held_ += *bytes;
  }

  // The rest in the pipes belongs before the end.
  void drain() {
    for (auto [fd, take] :
         {std::pair(&out_, &Supervisor::take_result), std::pair(&err_, &Supervisor::take_output)}) {
      while (fd->valid()) {
        pollfd ready{fd->get(), POLLIN, 0};
        if (::poll(&ready, 1, 0) <= 0) break;
        (this->*take)();
      }
    }
  }

  void ended() {
    run_.reset();
    g_run = 0;
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    drain();
    const bool killed = WIFSIGNALED(status);
    api::RunEnd end{killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status), result_, lost_};
    if (killed) end.result.clear();
    // Without it the run counts as one that was killed.
    if (writer_) static_cast<void>(api::write_run_end(folder_, end));
    if (writer_) writer_->let_go();
    if (!report_.valid()) return;
    static_cast<void>(write_all(2, held_));
    report(fmt::format("ended {}\n{}", end.exit, end.result));
    for (int fd = 0; fd < 3; ++fd) ::dup2(null_.get(), fd);
  }

  UniqueFd report_;  // closed when the caller has been told
  UniqueFd run_, out_, err_, null_;
  pid_t pid_ = 0;
  std::string id_, folder_;
  std::optional<api::OutputWriter> writer_;
  std::string result_, held_;
  std::string lost_;  // why what it prints is not kept any more
  bool started_ = false;
};

[[noreturn]] void supervise(const RunPlan& plan, UniqueFd report) {
  ::setsid();
  pass_on_signals();
  close_other_descriptors({report.get()});
  Supervisor supervisor(std::move(report));
  if (const Status started = supervisor.start(plan); !started) {
    Printer(2).text("git txn: " + clean_lines(started.error().message) + "\n");
    ::_exit(kExitFault);
  }
  // No folder is kept from being unmounted or removed.
  static_cast<void>(::chdir("/") == 0);
  supervisor.watch();
  ::_exit(kExitDone);
}

// The report of the supervisor. Interrupted: it is let go of, and asks the run to end.
Result<std::string> hear_from(Session& session, UniqueFd report) {
  const api::Progress progress = session.progress();
  std::string text;
  while (report.valid()) {
    pollfd ready{report.get(), POLLIN, 0};
    if (progress.is_interrupted()) {
      return fail(Code::kInterrupted, "interrupted before the command was started",
                  "what is left of it is shown by: git txn status");
    }
    if (::poll(&ready, 1, kHearMs) > 0) text += read_some(report).value_or("");
  }
  return text;
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<int> tell_started(Session& session, const Detached& one) {
  const std::string id = clean(one.txn.str());
  return session.made(
      kDetachedJson(one), id,
      fmt::format("{0} runs in the background (pid {1})\n"
                  "follow it with: git txn attach {0}, and end it with: git txn stop {0}\n",
                  id, one.process));
}

// The run itself has told why, on our standard error.
Result<int> tell_not_started(Session& session, int status, const std::string& result) {
  const auto parsed = parse_json(trimmed(result));
  if (!parsed) {
    return fail(Code::kFault, "the run ended before its command was started",
                "what is left of it is shown by: git txn status");
  }
  const std::string txn = std::as_const(*parsed)["txn"].text_or("");
  if (session.json() && txn.empty()) session.out->text(result);
  if (session.json() && !txn.empty()) session.out->json(kDetachedJson({TxnId(txn)}));
  return status;
}

}  // namespace

Result<int> run_detached(Session& session) {
  if (session.host.program.empty()) {
    return fail(Code::kUnsupported, "git-txn does not know its own file, which it has to start",
                "mount /proc, or run it without --detach");
  }
  const RunPlan plan(session);
  Pipe report = TRY(open_pipe());
  const pid_t supervisor = ::fork();
  if (supervisor < 0) return fail_errno(errno, "start the supervisor");
  if (supervisor == 0) supervise(plan, std::move(report.write));
  report.write.reset();
  const std::string text = TRY(hear_from(session, std::move(report.read)));
  session.reporter->finish();
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const auto words = pieces_of(std::string_view(text).substr(0, line_end), ' ');
  if (words.size() == 3 && words[0] == "started") {
    return tell_started(session, {TxnId(std::string(words[1])), number_in(words[2])});
  }
  const int status = words.size() == 2 ? number_in(words[1]) : kExitFault;
  return tell_not_started(session, status, text.substr(std::min(line_end + 1, text.size())));
}

int take_supervisor(Environment& env) {
  const std::string text = variable(env, kVariable);
  env.erase(kVariable);
  const int fd = number_in(text);
  // One that is not open is none of ours.
  return fd > 2 && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
}

void tell_supervisor(int supervisor, api::Kernel& kernel, api::Progress& progress) {
  progress.on_begun = [supervisor, &kernel](const TxnId& id) -> Status {
    const std::string folder = TRY(api::make_output_folder(kernel, id));
    const std::string message = "B" + id.str() + "\n" + folder;
    std::string answer(kMostMessage, '\0');
    ssize_t got = ::send(supervisor, message.data(), message.size(), MSG_NOSIGNAL);
    if (got > 0) got = ::recv(supervisor, answer.data(), answer.size(), 0);
    if (got <= 0) return fail(Code::kFault, "the supervisor of the run is gone");
    answer.resize(static_cast<std::size_t>(got));
    if (answer == ".") return {};
    return fail(Code::kFault, "what it prints cannot be kept: " + answer);
  };
  progress.on_started = [supervisor] {
    // A supervisor that is gone has ended us by its death already.
    static_cast<void>(::send(supervisor, "S", 1, MSG_NOSIGNAL));
  };
}

}  // namespace gittxn::cli
