#include "capture/trace/decode/given.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/fs.h"
#include "capture/trace/decode/tracee.h"

namespace gittxn::capture {

namespace {

using Kind = Given::Kind;

// Pipes without a name are on a file system of their own.
dev_t device_of_pipes() {
  static const dev_t device = [] {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return dev_t{0};
    const UniqueFd in(ends[0]);
    const UniqueFd out(ends[1]);
    struct stat info{};
    return ::fstat(in.get(), &info) == 0 ? info.st_dev : dev_t{0};
  }();
  return device;
}

bool is_terminal(dev_t device) {
  constexpr unsigned kConsoles = 4, kOfTheProcess = 5, kFirstPty = 136, kLastPty = 143;
  const unsigned kind = ::major(device);
  return kind == kConsoles || (kind == kOfTheProcess && ::minor(device) < 2) ||
         (kind >= kFirstPty && kind <= kLastPty);
}

Kind kind_of(const OpenFile& file) {
  if (S_ISREG(file.mode)) return Kind::kFile;
  if (S_ISSOCK(file.mode)) return Kind::kSocket;
  if (S_ISFIFO(file.mode) && file.dev == device_of_pipes()) return Kind::kPipe;
  if (!S_ISCHR(file.mode)) return Kind::kOther;
  if (file.device == ::makedev(1, 3)) return Kind::kNull;
  return is_terminal(file.device) ? Kind::kTerminal : Kind::kOther;
}

// "/proc/TID/fd/N" and the like, without allocation.
class ProcName {
 public:
  ProcName(std::string_view process, std::string_view folder, int descriptor) {
    add("/proc/");
    add(process);
    add(folder);
    end_ = std::to_chars(end_, text_.end() - 1, descriptor).ptr;
    *end_ = 0;
  }
  ProcName(pid_t tid, std::string_view folder, int descriptor)
      : ProcName(Number(tid).text(), folder, descriptor) {}
  const char* text() const { return text_.data(); }

 private:
  struct Number {
    explicit Number(pid_t value) { end = std::to_chars(digits.begin(), digits.end(), value).ptr; }
    std::string_view text() const { return {digits.begin(), end}; }
    std::array<char, 12> digits;
    char* end;
  };
  void add(std::string_view part) { end_ = std::copy(part.begin(), part.end(), end_); }
  std::array<char, 64> text_;
  char* end_ = text_.begin();
};

// One of a process that waits for us, looked at through a copy: a name below /proc is made when it
// is asked for, and unmade when the process ends, for twice the time. By that name where a copy
// cannot be had.
class Descriptor {
 public:
  Descriptor(pid_t tid, int process, int number) : tid_(tid), number_(number) {
    if (process < 0) return;
    copy_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0)));
    is_none_ = !copy_.valid() && errno == EBADF;
  }
  // 0, or an error number; EBADF: there is no such descriptor.
  int look(struct stat* out) const {
    if (is_none_) return EBADF;
    if (copy_.valid()) return ::fstat(copy_.get(), out) == 0 ? 0 : errno;
    if (::stat(name().text(), out) == 0) return 0;
    return errno == ENOENT ? EBADF : errno;
  }
  // False: nothing is known of it.
  bool describe_file(Given* given) const;

 private:
  bool describe_output(Given* given) const;
  ProcName name() const {
    return copy_.valid() ? ProcName("self", "/fd/", copy_.get()) : ProcName(tid_, "/fd/", number_);
  }
  pid_t tid_;
  int number_;
  UniqueFd copy_;
  bool is_none_ = false;
};

// "pos:\t0\nflags:\t02100000\n..."
std::uint64_t field(std::string_view text, std::string_view name, int base) {
  const std::size_t at = text.find(name);
  std::uint64_t value = 0;
  if (at == text.npos) return value;
  text.remove_prefix(at + name.size());
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

bool Descriptor::describe_output(Given* given) const {
  const off_t at = ::lseek(copy_.get(), 0, SEEK_CUR);
  const int flags = ::fcntl(copy_.get(), F_GETFL);
  if (at < 0 || flags < 0) return false;
  given->at = static_cast<std::uint64_t>(at);
  given->flags = static_cast<std::uint32_t>(flags) & (O_ACCMODE | O_APPEND);
  return true;
}

bool Descriptor::describe_file(Given* given) const {
  std::array<char, 4096> buffer;
  ssize_t size = ::readlink(name().text(), buffer.data(), buffer.size());
  if (size <= 0 || static_cast<std::size_t>(size) == buffer.size()) return false;
  given->path.assign(buffer.data(), static_cast<std::size_t>(size));
  // Output that the start closes nobody is shown, so for that no name is made below /proc/PID.
  if (copy_.valid() && number_ != STDIN_FILENO) return describe_output(given);
  // The name of the process's own descriptor: a copy does not tell that the start closes it.
  const UniqueFd info(::open(ProcName(tid_, "/fdinfo/", number_).text(), O_RDONLY | O_CLOEXEC));
  size = info.valid() ? ::read(info.get(), buffer.data(), buffer.size()) : -1;
  if (size <= 0) return false;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  given->at = field(text, "pos:\t", 10);
  const auto flags = static_cast<std::uint32_t>(field(text, "flags:\t", 8));
  if ((flags & O_CLOEXEC) != 0) {
    *given = {.kind = Kind::kClosed};
    return true;
  }
  given->flags = flags & (O_ACCMODE | O_APPEND);
  return true;
}

}  // namespace

Given given_as(const OpenFile& file) {
  return {.kind = kind_of(file), .dev = file.dev, .ino = file.ino};
}

std::vector<Given> given_to(pid_t tid, int process) {
  std::vector<Given> all(kGiven012);
  for (std::size_t i = 0; i < kGiven012; ++i) {
    const Descriptor one(tid, process, static_cast<int>(i));
    struct stat info{};
    if (const int error = one.look(&info); error != 0) {
      if (error == EBADF) all[i].kind = Kind::kClosed;
      continue;
    }
    all[i] = given_as({info.st_mode, info.st_rdev, info.st_dev, info.st_ino});
    if (all[i].kind == Kind::kFile && !one.describe_file(&all[i])) all[i] = {};
  }
  return all;
}

}  // namespace gittxn::capture
