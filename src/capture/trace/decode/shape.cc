// One function per shape of call; the table in calls.cc says which call has which.
#include "capture/trace/decode/shape.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::capture {

namespace {

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

bool opens_tree(const Call& call) {
  return std::string_view(call.name).starts_with("open_tree") && !INJECTED_BUG("trace.no_trees");
}
constexpr std::uint32_t kOpenTreeClone = 1;  // OPEN_TREE_CLONE

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

// One call; the arguments of shape_call as members.
class Shaper {
 public:
  Shaper(CallView& view, const CallSite& site, const Call& call)
      : view_(view), site_(site), call_(call) {}
  Peek shape(Record* record);

 private:
  Peek open(Record* record);
  Peek exec(Record* record);
  Peek two(Record* record);
  Peek message(Record* record);
  Peek mount(Record* record);
  Peek address_at(std::uint64_t place, std::uint64_t length, Record* record);
  Peek read_path(int dir_argument, int path_argument, const Record& record, std::string* out);
  Peek full_path(int directory, std::string path, const Record& record, std::string* out);

  std::uint64_t argument(int index) const { return site_.args[static_cast<std::size_t>(index)]; }

  CallView& view_;
  const CallSite& site_;
  const Call& call_;
};

Peek Shaper::full_path(int directory, std::string path, const Record& record, std::string* out) {
  std::string base;
  if (!path.starts_with('/')) {
    if (const Peek peek = view_.directory(directory, &base); peek != Peek::kOk) return peek;
  }
  *out = view_.absolute(std::move(base), std::move(path),
                        record.nofollow ? Alias::kKeepLast : Alias::kReplace);
  return Peek::kOk;
}

Peek Shaper::read_path(int dir_argument, int path_argument, const Record& record,
                       std::string* out) {
  const int directory = dir_argument == kNone ? AT_FDCWD : static_cast<int>(argument(dir_argument));
  const std::uint64_t address = argument(path_argument);
  std::string path;
  const bool may_be_empty = (record.flags & AT_EMPTY_PATH) != 0 || record.op == Op::kReadlink;
  if (address != 0 || !may_be_empty) {
    if (const Peek peek = view_.text(address, PATH_MAX, &path); peek != Peek::kOk) return peek;
  }
  if (!path.empty()) return full_path(directory, std::move(path), record, out);
  // With the flag it is the descriptor itself: for a stat nothing new, the open is recorded.
  if (!may_be_empty || directory < 0 || record.op == Op::kStat) return Peek::kFault;
  return view_.directory(directory, out);
}

Peek Shaper::open(Record* record) {
  if (call_.shape == Shape::kCreat) {
    record->flags = O_CREAT | O_WRONLY | O_TRUNC;
  } else if (call_.shape == Shape::kMake) {
    record->flags = O_CREAT | O_EXCL | O_WRONLY;
    record->path2 = call_.name;
  } else if (call_.shape == Shape::kOpenHow) {
    std::uint64_t flags = 0;
    const Peek peek = view_.bytes(site_.args[2], &flags, sizeof flags);
    if (peek != Peek::kOk) return peek;
    record->flags = static_cast<std::uint32_t>(flags);
  } else {
    record->flags = static_cast<std::uint32_t>(argument(call_.flags));
  }
  record->op = open_op(record->flags);
  if (record->op == Op::kOther) record->path2 = "O_TMPFILE";
  const bool exclusive = (record->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  record->nofollow = (record->flags & O_NOFOLLOW) != 0 || exclusive;
  // O_NOFOLLOW has a bit of AT_EMPTY_PATH's value in no flag of open, so an empty path is an error.
  Record plain = *record;
  plain.flags = 0;
  return read_path(call_.dir, call_.path, plain, &record->path);
}

Peek Shaper::exec(Record* record) {
  const Peek peek = read_path(call_.dir, call_.path, *record, &record->path);
  if (peek != Peek::kOk) return peek;
  if (view_.directory(AT_FDCWD, &record->path2) != Peek::kOk) record->path2.clear();
  return Peek::kOk;
}

Peek Shaper::two(Record* record) {
  if (call_.op == Op::kLink) record->nofollow = (record->flags & AT_SYMLINK_FOLLOW) == 0;
  const Peek peek = read_path(call_.dir, call_.path, *record, &record->path);
  if (peek != Peek::kOk) return peek;
  Record destination = *record;
  destination.flags = 0;
  destination.nofollow = true;
  return read_path(call_.dir2, call_.path2, destination, &record->path2);
}

// Only the first of several messages is looked at: as a rule they have one address.
Peek Shaper::message(Record* record) {
  struct Header {  // the beginning of struct msghdr
    std::uint64_t name = 0;
    std::uint64_t length = 0;
  } header;
  const Peek peek = view_.bytes(argument(call_.path), &header, sizeof header);
  if (peek != Peek::kOk) return peek;
  if (header.name == 0) return Peek::kFault;
  return address_at(header.name, header.length, record);
}

Peek Shaper::address_at(std::uint64_t place, std::uint64_t length, Record* record) {
  sockaddr_storage address{};
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(length & 0xffffffffu, sizeof address));
  if (size < sizeof(sa_family_t)) return Peek::kFault;
  if (const Peek peek = view_.bytes(place, &address, size); peek != Peek::kOk) return peek;
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
  const Peek full = full_path(AT_FDCWD, std::string(text, ::strnlen(text, room)), *record, &path);
  if (full != Peek::kOk) return full;
  record->path = connects ? "unix:" + path : std::move(path);
  if (!connects) {
    record->flags = O_CREAT | O_EXCL | O_WRONLY;
    record->path2 = "bind";
    record->nofollow = true;
  }
  return Peek::kOk;
}

Peek Shaper::mount(Record* record) {
  constexpr std::uint64_t kPropagation = MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE;
  // The propagation of later mounts changes no path.
  if (call_.number == SYS_mount && (site_.args[3] & kPropagation) != 0) return Peek::kFault;
  record->path2 = call_.name;
  if (call_.path == kNone) return Peek::kOk;
  const Peek peek = read_path(call_.dir, call_.path, *record, &record->path);
  return peek == Peek::kFault ? Peek::kOk : peek;
}

Peek Shaper::shape(Record* record) {
  record->nofollow = call_.last == Call::Last::kKeep;
  const bool has_at_flags =
      call_.shape == Shape::kPath || call_.shape == Shape::kTwoPaths || call_.shape == Shape::kExec;
  if (has_at_flags && call_.flags != kNone) {
    record->flags = static_cast<std::uint32_t>(argument(call_.flags));
    if ((record->flags & AT_SYMLINK_NOFOLLOW) != 0) record->nofollow = true;
  }
  switch (call_.shape) {
    case Shape::kPath: {
      if (call_.op == Op::kOther) record->path2 = call_.name;
      // A tree that is mounted nowhere: what is opened in it has a path that leads elsewhere.
      if (opens_tree(call_) && (record->flags & kOpenTreeClone) != 0) record->op = Op::kMount;
      if (call_.number == SYS_unlinkat && (record->flags & AT_REMOVEDIR) != 0) {
        record->op = Op::kRmdir;
      }
      return read_path(call_.dir, call_.path, *record, &record->path);
    }
    case Shape::kOpen:
    case Shape::kOpenHow:
    case Shape::kCreat:
    case Shape::kMake:
      return open(record);
    case Shape::kExec:
      return exec(record);
    case Shape::kTwoPaths:
      return two(record);
    case Shape::kAddress:
      return address_at(argument(call_.path), argument(call_.path + 1), record);
    case Shape::kMessage:
      return message(record);
    case Shape::kDescriptor:
      if (call_.op == Op::kList) record->flags = static_cast<std::uint32_t>(site_.args[0]);
      return view_.directory(static_cast<int>(site_.args[0]), &record->path);
    case Shape::kSymlink: {
      const Peek peek = view_.text(argument(call_.path2), PATH_MAX, &record->path2);
      if (peek != Peek::kOk) return peek;
      return read_path(call_.dir, call_.path, *record, &record->path);
    }
    case Shape::kMount:
      return mount(record);
    case Shape::kUnshare:
    case Shape::kEnd:
      return Peek::kFault;
    case Shape::kBlind:
      record->path = call_.name;
      return Peek::kOk;
    case Shape::kListener:
      // Only one fits into a chain of filters, and both back ends have it: the kernel says EBUSY.
      record->path = "a program wanted a seccomp listener of its own and was refused";
      return Peek::kOk;
  }
  return Peek::kFault;
}

}  // namespace

Peek shape_call(CallView& view, const CallSite& site, const Call& call, Record* record) {
  return Shaper(view, site, call).shape(record);
}

Peek shape_start(CallView& view, const CallSite& site, const Call& call, Record* record) {
  const std::size_t vector = call.dir == kNone ? 1 : 2;  // the environment is behind it
  const Peek words = view.start(site.args[vector], site.args[vector + 1], &record->argv);
  record->argv_cut = words == Peek::kLong && !INJECTED_BUG("trace.whole_though_cut");
  return words == Peek::kLong ? Peek::kOk : words;
}

}  // namespace gittxn::capture
