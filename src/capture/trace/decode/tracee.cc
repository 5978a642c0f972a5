#include "capture/trace/decode/tracee.h"

#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <signal.h>
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
#include <span>
#include <string_view>

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

constexpr std::size_t kBatch = 64;

// The beginnings of up to kBatch strings with one call: argument vectors are long and their strings
// short. What could not be read this way (a word that is longer, or in memory that is not there) is
// left to the caller: its length is kFirstChunk.
struct Beginnings {
  std::array<char, kBatch * kFirstChunk> bytes;
  std::array<std::size_t, kBatch> lengths;
};

void peek_beginnings(pid_t tid, std::span<const std::uint64_t> addresses, Beginnings* out) {
  std::array<iovec, kBatch> remote;
  std::size_t total = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::size_t size = std::min(kFirstChunk, kPage - addresses[i] % kPage);
    remote[i] = {std::bit_cast<void*>(addresses[i]), size};
    total += size;
  }
  const iovec local{out->bytes.data(), total};
  const ssize_t got = ::process_vm_readv(tid, &local, 1, remote.data(), addresses.size(), 0);
  const std::size_t valid = got > 0 ? static_cast<std::size_t>(got) : 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::size_t size = remote[i].iov_len;
    const bool whole = start + size <= valid;
    const std::size_t length = whole ? ::strnlen(out->bytes.data() + start, size) : size;
    out->lengths[i] = whole && length < size ? length : kFirstChunk;
    start += size;
  }
}

// Gives each word of a vector and whether it was cut, until there are no more, `most` are read, or
// the visitor has enough.
using Visit = std::function<bool(std::string&&, bool cut)>;
Peek peek_words(pid_t tid, std::uint64_t address, std::size_t most, const Visit& visit) {
  if (address == 0) return Peek::kOk;
  std::size_t seen = 0;
  std::array<std::uint64_t, kBatch> pointers{};
  const auto heads = std::make_unique<Beginnings>();
  while (seen < most) {
    const std::size_t bytes = std::min(sizeof pointers, kPage - address % kPage) / 8 * 8;
    if (bytes == 0) return Peek::kFault;  // a vector that is not aligned
    const Peek vector = peek_bytes(tid, address, pointers.data(), bytes);
    if (vector != Peek::kOk) return vector;
    const auto end = std::find(pointers.begin(), pointers.begin() + bytes / 8, 0u);
    const auto count = std::min(static_cast<std::size_t>(end - pointers.begin()), most - seen);
    peek_beginnings(tid, std::span(pointers).first(count), heads.get());
    std::size_t start = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::string word;
      bool cut = false;
      if (heads->lengths[i] < kFirstChunk) {
        word.assign(heads->bytes.data() + start, heads->lengths[i]);
      } else {
        const Peek peek = peek_string(tid, pointers[i], kMaxWord, &word);
        if (peek != Peek::kOk && peek != Peek::kLong) return peek;
        cut = peek == Peek::kLong;
      }
      start += std::min(kFirstChunk, kPage - pointers[i] % kPage);
      ++seen;
      if (!visit(std::move(word), cut)) return Peek::kLong;
    }
    if (count < bytes / 8) return Peek::kOk;
    address += bytes;
  }
  return Peek::kLong;
}

}  // namespace

Peek peek_argv(pid_t tid, std::uint64_t address, std::vector<std::string>* out) {
  out->clear();
  const Peek peek = peek_words(tid, address, kMaxWords, [&](std::string&& word, bool) {
    out->push_back(std::move(word));
    return true;
  });
  return peek == Peek::kLong ? Peek::kOk : peek;
}

Peek peek_settings(pid_t tid, std::uint64_t address, std::vector<std::string>* out) {
  constexpr std::size_t kMaxVariables = 4096;
  out->clear();
  return peek_words(tid, address, kMaxVariables, [&](std::string&& word, bool cut) {
    if (!is_setting(std::string_view(word).substr(0, word.find('=')))) return true;
    out->push_back(std::move(word));
    return !cut && out->size() < kMaxWords;
  });
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

Family::Entry Family::look(pid_t tid) const {
  const ProcessStat stat = process_stat(tid);
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
  if (!changing_.empty() && !settled()) return proc_path(tid, "cwd", out);
  if (known_.size() > kMaxDirectories) known_.clear();
  std::string& known = known_[tid];
  const Peek peek = known.empty() ? proc_path(tid, "cwd", &known) : Peek::kOk;
  if (peek == Peek::kOk)
    *out = known;
  else
    known.clear();
  return peek;
}

void WorkingDirs::changes(pid_t tid, std::uint32_t call, Scope scope) {
  known_.clear();
  changing_.push_back({tid, call, scope});
  if (scope == Scope::kAny) ++moves_;
}

}  // namespace gittxn::capture
