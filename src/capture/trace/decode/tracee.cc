#include "capture/trace/decode/tracee.h"

#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>

#include "base/bug.h"
#include "base/fs.h"
#include "base/text.h"

namespace gittxn::capture {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kFirstChunk = 256;  // most paths are shorter
constexpr std::int64_t kBelievedMs = 1000;
constexpr int kMaxAncestors = 64;
constexpr std::size_t kMaxDirectories = 1u << 14;

Peek peek_error() {
  switch (errno) {
    case ESRCH:
      return Peek::kGone;
    case EPERM:
      return Peek::kDenied;
    default:
      return Peek::kFault;
  }
}

std::int64_t coarse_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// Small /proc files, without allocation beyond the caller's buffer.
std::string_view read_small(const char* path, std::span<char> buffer) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return got > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(got))
                 : std::string_view();
}

template <typename Number>
Number number_in(std::string_view text) {
  Number value = 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A thread that is not the first of its process: the kernel's signal test tells, for a tenth of
// what reading a file costs.
bool leads(pid_t tid) {
  return ::syscall(SYS_tgkill, tid, tid, 0) == 0;
}

pid_t leader_of(pid_t tid) {
  std::array<char, 1024> buffer;
  const std::string_view status =
      read_small(fmt::format("/proc/{}/status", tid).c_str(), std::span(buffer));
  const std::size_t at = status.find("\nTgid:");
  const pid_t leader = at == status.npos ? 0 : number_in<pid_t>(status.substr(at + 6));
  return leader == 0 ? tid : leader;
}

}  // namespace

Peek peek_bytes(pid_t tid, std::uint64_t address, void* out, std::size_t size) {
  const iovec local{out, size};
  const iovec remote{std::bit_cast<void*>(address), size};
  const ssize_t got = ::process_vm_readv(tid, &local, 1, &remote, 1, 0);
  if (got < 0) return peek_error();
  return static_cast<std::size_t>(got) == size ? Peek::kOk : Peek::kFault;
}

Peek peek_string(pid_t tid, std::uint64_t address, std::size_t limit, std::string* out) {
  out->clear();
  std::array<char, kPage> buffer;
  std::size_t want = kFirstChunk;
  while (out->size() < limit) {
    // Never across a page in one read: the next page may not be there.
    want = std::min({want, kPage - address % kPage, limit - out->size()});
    const iovec local{buffer.data(), want};
    const iovec remote{std::bit_cast<void*>(address), want};
    const ssize_t got = ::process_vm_readv(tid, &local, 1, &remote, 1, 0);
    if (got < 0) return peek_error();
    if (got == 0) return Peek::kFault;
    const auto size = static_cast<std::size_t>(got);
    const std::size_t length = ::strnlen(buffer.data(), size);
    out->append(buffer.data(), length);
    if (length < size) return Peek::kOk;
    address += size;
    want = kPage;
  }
  return Peek::kLong;
}

namespace {

constexpr std::size_t kBatch = 128;  // pointers of one vector that are read at once
constexpr std::size_t kMostStrings = 2 * kBatch;
constexpr std::size_t kRoom = kMostStrings * kFirstChunk;

// Strings, with one call: vectors are long and their strings short, and as a rule they lie close
// together. What lies within a page of the one before is read with it as one piece of memory, as
// long as there is room for a beginning of all the others.
struct Strings {
  std::array<char, kRoom> bytes;
  // Without data: it could not be read this way (it is longer, or in memory that is not there),
  // which is left to the caller.
  std::array<std::string_view, kMostStrings> found;
};

void peek_strings(pid_t tid, std::span<const std::uint64_t> addresses, Strings* out) {
  std::array<std::uint16_t, kMostStrings> order;
  const std::span in_order = std::span(order).first(addresses.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  std::ranges::sort(in_order, {}, [&](std::uint16_t i) { return addresses[i]; });
  std::array<iovec, kMostStrings> remote;
  std::array<std::size_t, kMostStrings> starts;
  std::array<std::size_t, kMostStrings> pieces;  // which one a string is in
  std::array<std::size_t, kMostStrings> ends;    // of pieces
  std::size_t count = 0, total = 0, left = addresses.size();
  std::uint64_t last = 0;
  for (const std::uint16_t i : in_order) {
    const std::uint64_t address = addresses[i];
    // Never into a page that no string begins in: it may not be there.
    const std::size_t beginning = std::min(kFirstChunk, kPage - address % kPage);
    --left;
    const std::uint64_t low =
        count == 0 ? 0 : std::bit_cast<std::uint64_t>(remote[count - 1].iov_base);
    const std::size_t before = count == 0 ? 0 : total - remote[count - 1].iov_len;
    const std::size_t longer = before + (address - low) + beginning;
    const bool together =
        count != 0 && address - last < kPage && longer + left * kFirstChunk <= kRoom;
    if (together) {
      remote[count - 1].iov_len = std::max(remote[count - 1].iov_len, longer - before);
    } else {
      remote[count++] = {std::bit_cast<void*>(address), beginning};
    }
    starts[i] = together ? before + (address - low) : total;
    pieces[i] = count - 1;
    total = (together ? before : total) + remote[count - 1].iov_len;
    ends[count - 1] = total;
    last = address;
  }
  const iovec local{out->bytes.data(), total};
  const ssize_t got = ::process_vm_readv(tid, &local, 1, remote.data(), count, 0);
  const std::size_t valid = got > 0 ? static_cast<std::size_t>(got) : 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::size_t end = std::min(ends[pieces[i]], valid);
    const std::size_t room = end > starts[i] ? end - starts[i] : 0;
    const char* const text = out->bytes.data() + starts[i];
    const std::size_t length = ::strnlen(text, room);
    out->found[i] = length < room ? std::string_view(text, length) : std::string_view();
  }
}

// A vector of strings while it is read.
struct Vector {
  std::uint64_t address = 0;
  std::size_t most = 0;                         // words
  std::size_t longest = 0;                      // bytes of one
  std::function<bool(std::string_view)> visit;  // gets each word; false: it has enough
  Peek peek = Peek::kOk;                        // kLong: there are more words than it got
  bool over = false;
  std::size_t seen = 0;
  std::array<std::uint64_t, kBatch> pointers{};
  std::size_t count = 0;  // of those that are words
  void end(Peek how) {
    peek = how;
    over = true;
  }
};

// The next pointers of each.
void peek_pointers(pid_t tid, std::span<Vector* const> vectors) {
  std::array<iovec, 2> local;
  std::array<iovec, 2> remote;
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    Vector& one = *vectors[i];
    // A vector that is not aligned may have no whole pointer in its page.
    const std::size_t size = std::min(sizeof one.pointers, kPage - one.address % kPage) / 8 * 8;
    local[i] = {one.pointers.data(), size};
    remote[i] = {std::bit_cast<void*>(one.address), size};
    wanted += size;
  }
  const ssize_t got =
      ::process_vm_readv(tid, local.data(), vectors.size(), remote.data(), vectors.size(), 0);
  const bool all = got >= 0 && static_cast<std::size_t>(got) == wanted;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    Vector& one = *vectors[i];
    const std::size_t size = remote[i].iov_len;
    const Peek peek = all ? Peek::kOk : peek_bytes(tid, one.address, one.pointers.data(), size);
    one.count = 0;
    if (size == 0 || peek != Peek::kOk) {
      one.end(size == 0 ? Peek::kFault : peek);
      continue;
    }
    const auto read = std::span(one.pointers).first(size / 8);
    one.count = static_cast<std::size_t>(std::ranges::find(read, 0u) - read.begin());
    one.over = one.count < read.size();
    one.address += size;
  }
}

void visit_words(pid_t tid, std::span<const std::string_view> found, Vector* vector) {
  std::string longer;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::string_view word = found[i];
    if (word.data() == nullptr) {
      const Peek peek = peek_string(tid, vector->pointers[i], vector->longest, &longer);
      if (peek != Peek::kOk) return vector->end(peek);
      word = longer;
    }
    if (++vector->seen > vector->most || !vector->visit(word)) return vector->end(Peek::kLong);
  }
}

// Some pointers of each vector at a time, and then the words of all of them.
void peek_vectors(pid_t tid, Vector& first, Vector& second) {
  const auto strings = std::make_unique_for_overwrite<Strings>();
  std::vector<std::uint64_t> addresses;
  std::vector<Vector*> vectors = {&first, &second};
  for (Vector* const one : vectors) one->over = one->address == 0;
  while (std::erase_if(vectors, [](const Vector* one) { return one->over; }), !vectors.empty()) {
    peek_pointers(tid, vectors);
    addresses.clear();
    for (const Vector* one : vectors) {
      addresses.insert(addresses.end(), one->pointers.begin(), one->pointers.begin() + one->count);
    }
    if (!addresses.empty()) peek_strings(tid, addresses, strings.get());
    std::span<const std::string_view> found(strings->found);
    for (Vector* const one : vectors) {
      visit_words(tid, found.first(one->count), one);
      found = found.subspan(one->count);
    }
  }
}

}  // namespace

Peek peek_start(pid_t tid, std::uint64_t arguments, std::uint64_t environment, Start* out) {
  *out = {};
  std::size_t bytes = 0;
  Vector words{.address = arguments, .most = kMaxWords, .longest = kMaxArguments};
  words.visit = [&](std::string_view word) {
    bytes += word.size() + 1;
    if (bytes > kMaxArguments) return false;
    out->arguments.emplace_back(word);
    return true;
  };
  Vector variables{.address = environment, .most = kMaxEnvironment, .longest = kMaxEnvironment};
  variables.visit = [&](std::string_view word) {
    out->environment.append(word).push_back('\0');
    return out->environment.size() <= kMaxEnvironment;
  };
  peek_vectors(tid, words, variables);
  out->environment_known = variables.peek == Peek::kOk;
  return words.peek;
}

Peek proc_path(pid_t tid, const std::string& name, std::string* out) {
  std::array<char, 64> path;
  *fmt::format_to_n(path.data(), path.size() - 1, FMT_COMPILE("/proc/{}/{}"), tid, name).out = 0;
  std::array<char, kPage> target;
  const ssize_t size = ::readlink(path.data(), target.data(), target.size());
  if (size < 0) return errno == ENOENT ? Peek::kFault : Peek::kNoPath;
  out->assign(target.data(), static_cast<std::size_t>(size));
  if (out->starts_with('/')) return Peek::kOk;
  return out->starts_with("(unreachable)") ? Peek::kNoPath : Peek::kFault;
}

Peek descriptor_path(pid_t tid, int descriptor, std::string* out) {
  if (descriptor < 0) return Peek::kFault;
  return proc_path(tid, "fd/" + std::to_string(descriptor), out);
}

std::string command_line(pid_t pid) {
  std::array<char, kPage> buffer;
  const std::string_view raw =
      read_small(fmt::format("/proc/{}/cmdline", pid).c_str(), std::span(buffer));
  if (raw.empty()) {
    std::string_view name =
        read_small(fmt::format("/proc/{}/comm", pid).c_str(), std::span(buffer));
    if (!name.empty()) name.remove_suffix(1);
    return fmt::format("[{}]", name);
  }
  const std::vector<std::string_view> words = pieces_of(raw, '\0');
  std::string text = quote_argv({words.begin(), words.end()});
  if (text.size() > 200) text.resize(200);
  return text;
}

// "123 (any ) name) S <parent> ...": what follows the last parenthesis cannot be forged by the
// name.
ProcessStat process_stat(pid_t pid) {
  constexpr int kParent = 1, kThreads = 17, kStarted = 19;
  std::array<char, 32> path;
  *fmt::format_to_n(path.data(), path.size() - 1, FMT_COMPILE("/proc/{}/stat"), pid).out = 0;
  std::array<char, 512> buffer;
  std::string_view rest = read_small(path.data(), std::span(buffer));
  rest.remove_prefix(std::min(rest.rfind(')') + 2, rest.size()));
  ProcessStat stat;
  for (int field = 0; field <= kStarted && !rest.empty(); ++field) {
    if (field == 0) stat.state = rest.front();
    if (field == kParent) stat.parent = number_in<pid_t>(rest);
    if (field == kThreads) stat.threads = number_in<int>(rest);
    if (field == kStarted) stat.started = number_in<std::uint64_t>(rest);
    rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  }
  return stat;
}

namespace {

// The struct pidfd_info of Linux 6.13, which tells of a process through a descriptor of it. Headers
// may not have it.
struct PidfdInfo {
  std::uint64_t mask = 1;  // the numbers of processes
  std::uint64_t cgroup = 0;
  std::uint32_t pid = 0, process = 0, parent = 0;
  std::array<std::uint32_t, 9> others{};
};
static_assert(sizeof(PidfdInfo) == 64);

// Parent and start of a process, for a fraction of what its file below /proc costs; no two
// processes have the same `started`, which is no time here. False: it is none, or a thread, or this
// kernel cannot say.
bool ask_kernel(int process, ProcessStat* out) {
  constexpr unsigned long kGetInfo = _IOWR(0xff, 11, PidfdInfo);
  PidfdInfo info;
  struct stat file{};
  if (process < 0 || ::ioctl(process, kGetInfo, &info) != 0) return false;
  if (::fstat(process, &file) != 0) return false;
  out->parent = static_cast<pid_t>(info.parent);
  out->started = file.st_ino;
  return true;
}

}  // namespace

int Family::descriptor_of(pid_t tid) {
  if (opened_for_ != tid) opened_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, tid, 0)));
  opened_for_ = tid;
  return opened_.get();
}

Family::Entry Family::look(pid_t tid) {
  ProcessStat stat;
  opened_for_ = 0;  // it may be of a process that had this number before
  if (!ask_kernel(descriptor_of(tid), &stat)) stat = process_stat(tid);
  const pid_t parent = stat.parent == monitor_ ? 0 : stat.parent;
  return {{tid, parent}, stat.started, coarse_ms()};
}

void Family::drop_the_dead() {
  std::erase_if(threads_,
                [](const auto& item) { return ::kill(item.first, 0) != 0 && errno == ESRCH; });
  limit_ = std::max<std::size_t>(limit_, 2 * threads_.size());
}

const Family::Member& Family::of(pid_t tid, std::vector<Record>* news) {
  const auto known = threads_.find(tid);
  if (known != threads_.end() && coarse_ms() - known->second.checked_ms < kBelievedMs) {
    return known->second.member;
  }
  Entry entry = look(tid);
  if (known != threads_.end() && known->second.started == entry.started) {
    known->second.checked_ms = entry.checked_ms;
    return known->second.member;
  }
  if (threads_.size() > limit_) drop_the_dead();
  if (entry.started != 0 && !leads(tid)) entry.member.process = leader_of(tid);
  const Member member = entry.member;
  threads_[tid] = entry;
  if (member.process == tid)
    announce(member, 0, news);
  else
    of(member.process, news);
  return threads_[tid].member;
}

void Family::announce(const Member& member, int depth, std::vector<Record>* news) {
  if (member.parent != 0 && !threads_.contains(member.parent) && depth < kMaxAncestors) {
    const Entry parent = look(member.parent);
    if (parent.started != 0) {
      threads_[member.parent] = parent;
      announce(parent.member, depth + 1, news);
    }
  }
  news->push_back({.op = Op::kFork, .pid = member.process, .parent = member.parent});
}

bool Family::is_new(pid_t tid) const {
  return !threads_.contains(tid) && leads(tid);
}

bool Family::ends(pid_t process, int code) {
  int& said = threads_[process].member.code;
  if (said == -1) said = code;
  return said == code;
}

bool WorkingDirs::settled() {
  std::erase_if(changing_, [](const Change& change) {
    if (::kill(change.tid, 0) != 0 && errno == ESRCH) return true;
    // "running", or the number of the call in which it waits.
    std::array<char, 256> buffer;
    const std::string_view waits =
        read_small(fmt::format("/proc/{}/syscall", change.tid).c_str(), std::span(buffer));
    return !waits.empty() && waits[0] >= '0' && waits[0] <= '9' &&
           number_in<std::uint32_t>(waits) != change.call;
  });
  return changing_.empty();
}

bool WorkingDirs::moving() {
  const auto is_any = [](const Change& change) { return change.scope == Scope::kAny; };
  if (std::ranges::none_of(changing_, is_any)) return false;
  return !settled() && std::ranges::any_of(changing_, is_any);
}

Peek WorkingDirs::of(pid_t tid, std::string* out) {
  if (!changed_ && !first_.empty()) {
    *out = first_;
    return Peek::kOk;
  }
  if (!changing_.empty() && !settled()) return proc_path(tid, "cwd", out);
  if (known_.size() > kMaxDirectories) known_.clear();
  std::string& known = known_[tid];
  const Peek peek = known.empty() ? proc_path(tid, "cwd", &known) : Peek::kOk;
  if (peek == Peek::kOk) {
    *out = known;
    if (!changed_) first_ = known;
  } else {
    known.clear();
  }
  return peek;
}

void WorkingDirs::changes(pid_t tid, std::uint32_t call, Scope scope) {
  changed_ = !INJECTED_BUG("trace.directory_of_the_command");
  known_.clear();
  changing_.push_back({tid, call, scope});
  if (scope == Scope::kAny) ++moves_;
}

}  // namespace gittxn::capture
