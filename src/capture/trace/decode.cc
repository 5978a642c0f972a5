// One function per shape of call; the table in calls.cc says which call has which.
#include "capture/trace/decode.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "capture/trace/lookup.h"

namespace gittxn::capture {

namespace {

constexpr std::uint32_t kEmptyPath = 0x1000;  // AT_EMPTY_PATH

int descriptor_argument(const CallSite& site, int index) {
  return index == kNone ? AT_FDCWD : static_cast<int>(site.args[static_cast<std::size_t>(index)]);
}

std::uint32_t flags_argument(const CallSite& site, int index) {
  return index == kNone ? 0
                        : static_cast<std::uint32_t>(site.args[static_cast<std::size_t>(index)]);
}

bool has_at_flags(const Call& call) {
  return call.shape == Shape::kPath || call.shape == Shape::kTwoPaths || call.shape == Shape::kExec;
}

Op open_op(std::uint32_t flags) {
  if ((flags & O_PATH) != 0) return Op::kStat;
  if ((flags & O_TMPFILE) == O_TMPFILE) return Op::kOther;
  if ((flags & O_CREAT) != 0) return Op::kOpenCreate;
  switch (flags & O_ACCMODE) {
    case O_RDONLY:
      return Op::kOpenRead;
    case O_WRONLY:
      return Op::kOpenWrite;
    default:
      return Op::kOpenReadWrite;
  }
}

std::string inet_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    ::inet_ntop(AF_INET, &in.sin_addr, host.data(), host.size());
    return fmt::format("inet:{}:{}", host.data(), ntohs(in.sin_port));
  }
  sockaddr_in6 in{};
  std::memcpy(&in, &address, sizeof in);
  ::inet_ntop(AF_INET6, &in.sin6_addr, host.data(), host.size());
  return fmt::format("inet6:[{}]:{}", host.data(), ntohs(in.sin6_port));
}

// Whether a current directory, or the path of one, may be another one after this call.
bool moves_directories(const Record& record) {
  switch (record.op) {
    case Op::kChdir:
    case Op::kRmdir:
    case Op::kMount:
      return true;
    case Op::kRename:
      return record.mode == 0 || S_ISDIR(record.mode) || record.flags != 0;
    default:
      return false;
  }
}

// Which records a look-up can say something about.
bool is_path(const Record& record) {
  switch (record.op) {
    case Op::kMount:
    case Op::kNote:
    case Op::kBlind:
    case Op::kFork:
    case Op::kExit:
      return false;
    default:
      return record.path.starts_with('/');
  }
}

}  // namespace

void Decoded::clear() {
  before.clear();
  after.clear();
  call = Record();
  has_call = false;
}

Peek Decoder::full_path(const CallSite& site, int directory, std::string path, const Record& record,
                        std::string* out) {
  std::string base;
  if (!path.starts_with('/')) {
    const Peek peek = directory == AT_FDCWD ? dirs_.of(site.tid, &base)
                                            : descriptor_path(site.tid, directory, &base);
    if (peek != Peek::kOk) return peek;
  }
  *out = absolute_path({site.tid, record.pid}, std::move(base), std::move(path),
                       record.nofollow ? Alias::kKeepLast : Alias::kReplace);
  return Peek::kOk;
}

Peek Decoder::read_path(const CallSite& site, int dir_argument, int path_argument,
                        const Record& record, std::string* out) {
  const int directory = descriptor_argument(site, dir_argument);
  const std::uint64_t address = site.args[static_cast<std::size_t>(path_argument)];
  std::string path;
  const bool may_be_empty = (record.flags & kEmptyPath) != 0 || record.op == Op::kReadlink;
  if (address != 0 || !may_be_empty) {
    const Peek peek = peek_string(site.tid, address, PATH_MAX, &path);
    if (peek != Peek::kOk) return peek;
  }
  if (!path.empty()) return full_path(site, directory, std::move(path), record, out);
  // With the flag it is the descriptor itself: for a stat nothing new, the open is recorded.
  if (!may_be_empty || directory < 0 || record.op == Op::kStat) return Peek::kFault;
  return descriptor_path(site.tid, directory, out);
}

Peek Decoder::shape_open(const CallSite& site, const Call& call, Record* record) {
  if (call.shape == Shape::kCreat) {
    record->flags = O_CREAT | O_WRONLY | O_TRUNC;
  } else if (call.shape == Shape::kMake) {
    record->flags = O_CREAT | O_EXCL | O_WRONLY;
    record->path2 = call.name;
  } else if (call.shape == Shape::kOpenHow) {
    std::uint64_t flags = 0;
    const Peek peek = peek_bytes(site.tid, site.args[2], &flags, sizeof flags);
    if (peek != Peek::kOk) return peek;
    record->flags = static_cast<std::uint32_t>(flags);
  } else {
    record->flags = flags_argument(site, call.flags);
  }
  record->op = open_op(record->flags);
  if (record->op == Op::kOther) record->path2 = "O_TMPFILE";
  const bool exclusive = (record->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  record->nofollow = (record->flags & O_NOFOLLOW) != 0 || exclusive;
  // O_NOFOLLOW has a bit of AT_EMPTY_PATH's value in no flag of open, so an empty path is an error.
  Record plain = *record;
  plain.flags = 0;
  return read_path(site, call.dir, call.path, plain, &record->path);
}

Peek Decoder::shape_exec(const CallSite& site, const Call& call, Record* record) {
  const Peek peek = read_path(site, call.dir, call.path, *record, &record->path);
  if (peek != Peek::kOk) return peek;
  const std::size_t vector = call.dir == kNone ? 1 : 2;
  return peek_argv(site.tid, site.args[vector], &record->argv);
}

Peek Decoder::shape_two(const CallSite& site, const Call& call, Record* record) {
  if (call.op == Op::kLink) record->nofollow = (record->flags & AT_SYMLINK_FOLLOW) == 0;
  const Peek peek = read_path(site, call.dir, call.path, *record, &record->path);
  if (peek != Peek::kOk) return peek;
  Record destination = *record;
  destination.flags = 0;
  destination.nofollow = true;
  return read_path(site, call.dir2, call.path2, destination, &record->path2);
}

Peek Decoder::shape_address(const CallSite& site, Record* record) {
  sockaddr_storage address{};
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(site.args[2] & 0xffffffffu, sizeof address));
  if (size < sizeof(sa_family_t)) return Peek::kFault;
  const Peek peek = peek_bytes(site.tid, site.args[1], &address, size);
  if (peek != Peek::kOk) return peek;
  const bool connects = record->op == Op::kConnect;
  if (address.ss_family == AF_INET || address.ss_family == AF_INET6) {
    if (!connects) return Peek::kFault;
    record->path = inet_text(address);
    return Peek::kOk;
  }
  if (address.ss_family != AF_UNIX || size <= sizeof(sa_family_t)) return Peek::kFault;
  const std::size_t room = size - sizeof(sa_family_t);
  const char* text = reinterpret_cast<const char*>(&address) + sizeof(sa_family_t);
  if (text[0] == '\0') {
    if (!connects) return Peek::kFault;
    record->path = "unix:@" + std::string(text + 1, room - 1);
    return Peek::kOk;
  }
  std::string path;
  const Peek full =
      full_path(site, AT_FDCWD, std::string(text, ::strnlen(text, room)), *record, &path);
  if (full != Peek::kOk) return full;
  record->path = connects ? "unix:" + path : std::move(path);
  if (!connects) {
    record->flags = O_CREAT | O_EXCL | O_WRONLY;
    record->path2 = "bind";
    record->nofollow = true;
  }
  return Peek::kOk;
}

Peek Decoder::shape(const CallSite& site, const Call& call, Record* record) {
  record->nofollow = call.last == Call::Last::kKeep;
  if (has_at_flags(call)) {
    record->flags = flags_argument(site, call.flags);
    if ((record->flags & AT_SYMLINK_NOFOLLOW) != 0 && call.flags != kNone) record->nofollow = true;
  }
  switch (call.shape) {
    case Shape::kPath: {
      if (call.op == Op::kOther) record->path2 = call.name;
      if (call.number == SYS_unlinkat && (record->flags & AT_REMOVEDIR) != 0) {
        record->op = Op::kRmdir;
      }
      return read_path(site, call.dir, call.path, *record, &record->path);
    }
    case Shape::kOpen:
    case Shape::kOpenHow:
    case Shape::kCreat:
    case Shape::kMake:
      return shape_open(site, call, record);
    case Shape::kExec:
      return shape_exec(site, call, record);
    case Shape::kTwoPaths:
      return shape_two(site, call, record);
    case Shape::kAddress:
      return shape_address(site, record);
    case Shape::kDescriptor:
      if (call.op == Op::kList) record->flags = static_cast<std::uint32_t>(site.args[0]);
      return descriptor_path(site.tid, static_cast<int>(site.args[0]), &record->path);
    case Shape::kSymlink: {
      const auto text = static_cast<std::size_t>(call.path2);
      const Peek peek = peek_string(site.tid, site.args[text], PATH_MAX, &record->path2);
      if (peek != Peek::kOk) return peek;
      return read_path(site, call.dir, call.path, *record, &record->path);
    }
    case Shape::kMount: {
      constexpr std::uint64_t kPropagation = MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE;
      // How later mounts spread is nothing that a path can mean.
      if (call.number == SYS_mount && (site.args[3] & kPropagation) != 0) return Peek::kFault;
      record->path2 = call.name;
      mounts_changed_ = true;
      if (call.path == kNone) return Peek::kOk;
      const Peek peek = read_path(site, call.dir, call.path, *record, &record->path);
      return peek == Peek::kFault ? Peek::kOk : peek;
    }
    case Shape::kBlind:
      record->path = call.name;
      return Peek::kOk;
    case Shape::kListener:
      // Only one fits into a chain of filters, and both back ends have it: the kernel says EBUSY.
      record->path = "a program wanted a seccomp listener of its own and was refused";
      return Peek::kOk;
  }
  return Peek::kFault;
}

// What comes with a program that is about to start.
void Decoder::describe_program(const CallSite& site, Decoded* out) {
  const Record& exec = out->call;
  if (exec.result != 0 || !S_ISREG(exec.mode)) return;
  if ((exec.mode & S_ISUID) != 0 || ((exec.mode & S_ISGID) != 0 && (exec.mode & S_IXGRP) != 0)) {
    Record note;
    note.op = Op::kNote;
    note.pid = exec.pid;
    note.path = "setuid program lost its bit: " + exec.path;
    out->after.push_back(std::move(note));
  }
  std::string interpreter = interpreter_of(exec.path);
  if (interpreter.empty()) return;
  Record read;
  read.op = Op::kOpenRead;
  read.pid = exec.pid;
  read.path2 = "#!";
  read.assumed = true;
  if (full_path(site, AT_FDCWD, std::move(interpreter), read, &read.path) != Peek::kOk) return;
  predict(&read);
  out->after.push_back(std::move(read));
}

bool Decoder::decode(const CallSite& site, Decoded* out) {
  out->clear();
  const Family::Member& member = family_.of(site.tid, &out->before);
  if (!out->before.empty()) dirs_.forget(site.tid);
  dirs_.returned(site.tid);
  Record& record = out->call;
  record.pid = member.process;
  record.assumed = true;
  if (site.arch != native_arch()) {
    record.op = Op::kBlind;
    record.path = "a 32-bit program";
    out->has_call = true;
    return true;
  }
  const Call* call = find_call(site.number);
  if (call == nullptr) return true;
  record.op = call->op;
  const Peek peek = shape(site, *call, &record);
  // After a fault too: what we cannot read the kernel may still understand.
  if (peek != Peek::kOk && moves_directories(record)) dirs_.changes(site.tid);
  switch (peek) {
    case Peek::kOk:
      break;
    case Peek::kGone:
      return false;
    case Peek::kFault:
    case Peek::kLong:
      return true;  // the kernel answers EFAULT, ENOENT, ENAMETOOLONG: nothing seen
    case Peek::kDenied:
    case Peek::kNoPath:
      record = Record();
      record.op = Op::kBlind;
      record.pid = member.process;
      record.path = peek == Peek::kDenied ? "a process whose memory cannot be read: "
                                          : "a directory whose path cannot be told, used by: ";
      record.path += command_line(member.process);
      out->has_call = true;
      return true;
  }
  out->has_call = true;
  if (record.op == Op::kExec) record.parent = member.parent;
  if (!mounts_changed_ && is_path(record)) {
    predict(&record);
    if (record.op == Op::kExec) describe_program(site, out);
  }
  if (moves_directories(record)) dirs_.changes(site.tid);
  return true;
}

}  // namespace gittxn::capture
