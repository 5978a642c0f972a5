#include <sys/syscall.h>

#include <array>

#include "capture/trace/bpf/event.h"
#include "capture/trace/decode/calls.h"

namespace gittxn::capture {

namespace {

// IORING_OP_*: connect, openat, statx, openat2, renameat, unlinkat, mkdirat, symlinkat, linkat,
// setxattr, getxattr, uring_cmd (a device's own), bind.
constexpr std::array<unsigned, 13> kUringPaths = {16, 18, 21, 28, 35, 36, 37,
                                                  38, 39, 42, 44, 46, 56};

// Of the 32-bit interface: rename, rmdir, unlinkat, renameat, renameat2, mount, umount, umount2,
// pivot_root, chroot, move_mount, setns.
#if defined(__x86_64__)
constexpr std::array<unsigned, 12> kCompatMoves = {38, 40, 301, 302, 353, 21,
                                                   22, 52, 217, 61,  429, 346};
#else
constexpr std::array<unsigned, 12> kCompatMoves = {38, 40, 328, 329, 382, 21,
                                                   22, 52, 218, 61,  429, 375};
#endif

bool moves_directories(const Call& call) {
  return call.op == Op::kRename || call.op == Op::kRmdir || call.op == Op::kMount ||
         call.number == SYS_unlinkat;
}

__u8 position(int argument) {
  return argument == kNone ? __u8{0} : static_cast<__u8>(argument + 1);
}

void tell_stat(const Call& call, BpfCall* row) {
  if (call.op != Op::kStat) return;
  row->flags |= kBpfNoEmpty;
  row->object = call.number == SYS_statx ? kBpfStatxBuffer : kBpfStatBuffer;
  row->buffer = call.number == SYS_statx ? 5 : call.dir == kNone ? 2 : 3;
}

BpfCall row_of(const Call& call) {
  BpfCall row{};
  if (call.shape == Shape::kListener) return row;  // there is room for one beside us
  if (call.shape == Shape::kUnshare) return row;   // each thread is asked for its own directory
  if (call.shape == Shape::kEnd) return row;       // the end itself is seen
  row.flags = kBpfNative;
  if (moves_directories(call)) row.flags |= kBpfMoves;
  row.text = position(call.path);
  row.dir = position(call.dir);
  switch (call.shape) {
    case Shape::kPath:
      tell_stat(call, &row);
      break;
    case Shape::kOpenHow:
      row.bytes = position(call.flags);
      row.size = sizeof(__u64);  // the flags are its first member
      [[fallthrough]];
    case Shape::kOpen:
    case Shape::kCreat:
      row.object = kBpfDescriptor;
      break;
    case Shape::kDescriptor:
      row.flags |= kBpfAlwaysDir;
      break;
    case Shape::kSymlink:
      row.plain2 = 1;
      [[fallthrough]];
    case Shape::kTwoPaths:
      row.text2 = position(call.path2);
      row.dir2 = position(call.dir2);
      break;
    case Shape::kAddress:
      row.text = 0;
      row.flags |= kBpfAddress;
      row.bytes = position(call.path);
      break;
    case Shape::kMessage:
      row.text = 0;
      row.flags |= kBpfAddress | kBpfMessage;
      row.bytes = position(call.path);
      break;
    default:
      break;
  }
  return row;
}

}  // namespace

BpfSettings bpf_settings() {
  BpfSettings settings{};
  for (const Call& call : all_calls()) settings.calls[call.number] = row_of(call);
  for (const std::uint32_t number : compat_calls()) settings.calls[number].flags |= kBpfCompat;
  for (const unsigned number : kCompatMoves) settings.calls[number].flags |= kBpfMoves;
  for (const unsigned opcode : kUringPaths) settings.uring_paths |= 1ull << opcode;
  return settings;
}

}  // namespace gittxn::capture
