// The caller's side: directories, the two streams, and the end of what takes too long.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "asking/ask.h"
#include "asking/child.h"
#include "asking/place.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/hash.h"
#include "repo/checkout/layered_tree.h"

namespace gittxn::asking {
namespace {

constexpr int kPollMs = 50;
constexpr std::int64_t kPatienceMs = 30'000;  // beyond the time limit, for the end of everything
constexpr std::size_t kMostReport = 4u << 20;
constexpr std::string_view kPrefix = "ask-";

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  Pipe pipe;
  pipe.read = UniqueFd(ends[0]);
  pipe.write = UniqueFd(ends[1]);
  if (::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) return fail_errno(errno, "set up a pipe");
  // A larger pipe makes the command wait less often; a refusal does no harm.
  static_cast<void>(::fcntl(pipe.write.get(), F_SETPIPE_SZ, 1 << 20));
  return pipe;
}

class StreamReader {
 public:
  StreamReader(UniqueFd fd, std::size_t keep) : fd_(std::move(fd)), keep_(keep) {}
  int fd() const { return fd_.get(); }  // -1: it has ended
  bool too_much() const { return stream_.bytes > kMostOutput; }

  // Reads what is there now.
  void drain() {
    std::array<char, 1 << 16> buffer;
    while (fd_.valid() && !too_much()) {
      const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return fd_.reset();
      add(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    }
  }
  Stream finish() {
    stream_.digest = hash_.finish();
    if (stream_.end.size() > keep_) stream_.end.erase(0, stream_.end.size() - keep_);
    return std::move(stream_);
  }

 private:
  void add(std::string_view bytes) {
    hash_.update(bytes);
    stream_.bytes += bytes.size();
    stream_.end += bytes.substr(bytes.size() - std::min(bytes.size(), keep_));
    // Cut only when twice as much is there, so that each byte is moved once.
    if (stream_.end.size() > 2 * keep_) stream_.end.erase(0, stream_.end.size() - keep_);
  }

  UniqueFd fd_;
  std::size_t keep_;
  Sha256 hash_;
  Stream stream_;
};

// A command that runs in its namespaces.
class Running {
 public:
  Running(const AskSpec& spec, pid_t warden, Pipe* out, Pipe* err, UniqueFd report)
      : interrupted_(spec.interrupted),
        timeout_ms_(spec.timeout_ms),
        end_ms_(now_ms() + spec.timeout_ms + kPatienceMs),
        warden_(warden),
        out_(std::move(out->read), spec.keep_bytes),
        err_(std::move(err->read), spec.keep_bytes),
        report_(std::move(report)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { end(); }

  // True when the first process has ended, or is to be ended.
  Result<bool> ended(int wait_ms) {
    if (!report_.valid()) return true;
    if (interrupted_ && interrupted_()) return fail(Code::kInterrupted, "interrupted");
    if (timeout_ms_ >= 0 && now_ms() > end_ms_) {
      return fail(Code::kTimeout, "an asking does not come to an end");
    }
    std::array<pollfd, 3> waiting = {pollfd{report_.get(), POLLIN, 0}, pollfd{out_.fd(), POLLIN, 0},
                                     pollfd{err_.fd(), POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), wait_ms) < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for an asking");
    }
    out_.drain();
    err_.drain();
    if (waiting[0].revents != 0) TRY(read_report());
    return !report_.valid() || said_too_much();
  }

  Result<Asked> finish() {
    Asked asked;
    if (report_.valid()) asked.no_answer = fmt::format("it said more than {} bytes", kMostOutput);
    end();
    out_.drain();
    err_.drain();
    if (asked.no_answer.empty()) TRY(take_report(asked));
    asked.out = out_.finish();
    asked.err = err_.finish();
    return asked;
  }

 private:
  bool said_too_much() const { return out_.too_much() || err_.too_much(); }

  Status read_report() {
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(report_.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (got < 0) return fail_errno(errno, "hear of an asking");
    if (got == 0) report_.reset();
    said_.append(buffer.data(), static_cast<std::size_t>(got));
    if (said_.size() <= kMostReport) return {};
    return fail(Code::kFault, "the report of an asking is too long");
  }

  Status take_report(Asked& asked) {
    Ran ran = TRY(ran_in(said_));
    asked.status = ran.trace.exit_status;
    asked.timed_out = ran.trace.timed_out;
    if (ran.trace.timed_out) {
      asked.no_answer = fmt::format("it took longer than {} ms", timeout_ms_);
    }
    asked.lost = std::move(ran.trace.lost);
    asked.wanted_hidden = std::move(ran.wanted.hidden);
    asked.reached = std::move(ran.wanted.reached);
    for (std::size_t i = 0; i < ran.wanted.led_from.size(); ++i) {
      asked.led.emplace(std::move(ran.wanted.led_from[i]), std::move(ran.wanted.led_to[i]));
    }
    asked.left_running = std::move(ran.trace.left_running);
    return {};
  }

  void end() {
    if (warden_ == 0) return;
    // One that has ended already is still ours to wait for, so that its number is no other's.
    ::kill(warden_, SIGTERM);
    while (::waitpid(warden_, nullptr, 0) < 0 && errno == EINTR) {
    }
    warden_ = 0;
  }
  static std::int64_t now_ms() { return SystemClock().monotonic_ns() / kNsPerMs; }

  std::function<bool()> interrupted_;
  std::int64_t timeout_ms_;
  std::int64_t end_ms_;
  pid_t warden_;
  StreamReader out_, err_;
  UniqueFd report_;
  std::string said_;
};

// Removes the directories that have no living owner. `root` is locked.
Status remove_leftovers(const std::string& root) {
  for (const DirEntry& entry : TRY(list_dir(root))) {
    if (entry.type != DT_DIR || !entry.name.starts_with(kPrefix)) continue;
    const std::string dir = join_path(root, entry.name);
    const auto lock = FileLock::acquire(dir + "/lock", 0);
    if (!lock && lock.error().code == Code::kBusy) continue;
    if (!lock) return std::unexpected(lock.error());
    TRY_IN("what a killed asking left", remove_tree(dir));
  }
  return {};
}

Status make_layer(const PlacePlan& plan) {
  const std::string& now = plan.now;
  if (!INJECTED_BUG("asking.layer_stays")) TRY(remove_tree(now));
  TRY(remove_tree(now + "/work"));
  TRY(remove_tree(now + "/records"));
  TRY(make_dirs(now));
  TRY(make_dirs(now + "/upper", 0777));
  TRY(make_dirs(now + "/work"));
  for (std::size_t i = 0; i < plan.caches.size(); ++i) {
    TRY(make_dirs(cache_dir(plan, i) + "/upper", 0777));
    TRY(make_dirs(cache_dir(plan, i) + "/work"));
  }
  return make_dirs(now + "/records");
}

// The top of the tree is as old as it was before anything was put into the layer.
Status settle_layer(const std::string& now, const std::string& like) {
  struct stat info{};
  if (::stat(like.c_str(), &info) != 0) return fail_errno(errno, "stat '" + like + "'");
  const timespec times[2] = {info.st_mtim, info.st_mtim};
  if (::utimensat(AT_FDCWD, (now + "/upper").c_str(), times, 0) == 0) return {};
  return fail_errno(errno, "set the time of '" + now + "'");
}

}  // namespace

struct Asker::State {
  State(repo::Repository& of, std::string path, FileLock held, repo::LayeredTrees layered)
      : repository(of), dir(std::move(path)), lock(std::move(held)), trees(std::move(layered)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  // The next asker removes what cannot be removed now, when the lock is gone.
  ~State() { static_cast<void>(remove_tree(dir)); }

  repo::Repository& repository;
  std::string dir;
  FileLock lock;
  repo::LayeredTrees trees;
};

Asker::Asker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Asker::Asker(Asker&&) noexcept = default;
Asker& Asker::operator=(Asker&&) noexcept = default;
Asker::~Asker() = default;

Result<Asker> Asker::open(repo::Repository& repository, const std::string& root,
                          const std::string& shared) {
  TRY(make_dirs(root));
  const FileLock making = TRY(FileLock::acquire(root + "/lock", kPatienceMs));
  // A leftover that cannot be removed prevents no asking; collect_askings reports it.
  static_cast<void>(remove_leftovers(root));
  std::string dir = join_path(TRY(real_path(root)), std::string(kPrefix) + "XXXXXX");
  if (::mkdtemp(dir.data()) == nullptr) return fail_errno(errno, "make a directory in " + root);
  FileLock lock = TRY(FileLock::acquire(dir + "/lock", 0));
  auto trees = repo::LayeredTrees::open(repository, shared, dir + "/trees");
  if (!trees) {
    // The error to report is the first; what cannot be removed now is removed by the next one.
    static_cast<void>(remove_tree(dir));
    return std::unexpected(std::move(trees).error());
  }
  return Asker(std::make_unique<State>(repository, dir, std::move(lock), *std::move(trees)));
}

Status collect_askings(const std::string& root) {
  if (!TRY(exists(root))) return {};
  const FileLock making = TRY(FileLock::acquire(root + "/lock", 0));
  return remove_leftovers(root);
}

struct Asking::State {
  State(const AskSpec& spec, pid_t warden, Pipe* out, Pipe* err, UniqueFd report)
      : running(spec, warden, out, err, std::move(report)) {}

  Running running;
  const repo::LayeredTrees* trees = nullptr;
  std::string record_file, git_dir;
  std::vector<std::string> own_places;
};

Asking::Asking(std::unique_ptr<State> state) : state_(std::move(state)) {}
Asking::Asking(Asking&&) noexcept = default;
Asking& Asking::operator=(Asking&&) noexcept = default;
Asking::~Asking() = default;

Result<bool> Asking::ended(int wait_ms) {
  return state_->running.ended(wait_ms);
}

const std::vector<std::string>& Asking::own_places() const {
  return state_->own_places;
}

Result<Asked> Asking::finish() {
  Result<Asked> asked = state_->running.finish();
  // An answer from a checkout that was removed meanwhile is void, and so is an error.
  TRY(state_->trees->check());
  if (asked) asked->record_file = state_->record_file;
  if (asked) asked->git_dir = state_->git_dir;
  return asked;
}

Result<Asking> Asker::begin(const AskSpec& spec) {
  const repo::LayeredTrees::Layers layers =
      TRY_IN("the tree to ask about", state_->trees.layers_of(spec.tree));
  const std::string now = state_->dir + "/now";
  ChildPlan plan;
  plan.spec = &spec;
  plan.places = TRY(plan_places(spec, layers, now));
  TRY(make_layer(plan.places));
  const std::string git_dir = now + "/upper/.git";
  if (spec.git) {
    repo::Repository& repository = state_->repository;
    plan.places.objects = TRY(repo::seen_objects(repository, std::string(kRepositoryInside)));
    TRY_IN("the git directory of an asking",
           repo::make_brief_git(repository, state_->trees, *spec.git, spec.tree,
                                plan.places.objects, git_dir));
  }
  TRY(settle_layer(now, layers.above));
  Pipe out = TRY(make_pipe());
  Pipe err = TRY(make_pipe());
  Pipe report = TRY(make_pipe());
  plan.out = out.write.get();
  plan.err = spec.one_stream ? out.write.get() : err.write.get();
  plan.report = report.write.get();
  const pid_t warden = TRY(start_asking(plan));
  for (Pipe* pipe : {&out, &err, &report}) pipe->write.reset();
  auto state = std::make_unique<Asking::State>(spec, warden, &out, &err, std::move(report.read));
  state->trees = &state_->trees;
  state->record_file = now + "/records/records";
  if (spec.git) state->git_dir = git_dir;
  state->own_places = own_places_of(plan.places);
  return Asking(std::move(state));
}

Result<Asked> Asker::ask(const AskSpec& spec) {
  Asking asking = TRY(begin(spec));
  for (;;) {
    const auto ended = asking.ended(kPollMs);
    if (ended && !*ended) continue;
    if (ended) return asking.finish();
    TRY(state_->trees.check());
    return std::unexpected(ended.error());
  }
}

std::string root_below(const std::string& worktree_root) {
  return worktree_root + "/asking";
}

}  // namespace gittxn::asking
