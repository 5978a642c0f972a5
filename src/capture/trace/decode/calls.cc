// The table of calls. Numbers newer than the oldest headers we build with are written out; from 424
// on every architecture has the same ones.
#include "capture/trace/decode/calls.h"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace gittxn::capture {

namespace {

constexpr std::uint32_t kOpenTree = 428, kMoveMount = 429, kFsMount = 432, kOpenat2 = 437;
constexpr std::uint32_t kFaccessat2 = 439, kOpenTreeAttr = 467;
constexpr std::uint32_t kFchmodat2 = 452, kSetxattrat = 463, kGetxattrat = 464;
constexpr std::uint32_t kListxattrat = 465, kRemovexattrat = 466, kFileGetattr = 468;
constexpr std::uint32_t kFileSetattr = 469;

constexpr auto kKeep = Call::Last::kKeep;

constexpr Call path_call(std::uint32_t number, const char* name, Op op,
                         Call::Last last = Call::Last::kFollow) {
  return {number, name, op, Shape::kPath, kNone, 0, kNone, kNone, kNone, last};
}
constexpr Call at_call(std::uint32_t number, const char* name, Op op, int flags = kNone,
                       Call::Last last = Call::Last::kFollow) {
  return {number, name, op, Shape::kPath, 0, 1, flags, kNone, kNone, last};
}

constexpr Call kCalls[] = {
    {SYS_openat, "openat", Op::kOpenRead, Shape::kOpen, 0, 1, 2},
    at_call(SYS_newfstatat, "newfstatat", Op::kStat, 3),
#ifdef SYS_readlink
    path_call(SYS_readlink, "readlink", Op::kReadlink, kKeep),
    path_call(SYS_access, "access", Op::kAccess),
    path_call(SYS_stat, "stat", Op::kStat),
    path_call(SYS_lstat, "lstat", Op::kStat, kKeep),
    {SYS_open, "open", Op::kOpenRead, Shape::kOpen, kNone, 0, 1},
#endif
    at_call(SYS_statx, "statx", Op::kStat, 2),
    {SYS_getdents64, "getdents64", Op::kList, Shape::kDescriptor, 0, kNone, kNone},
    {SYS_execve, "execve", Op::kExec, Shape::kExec, kNone, 0, kNone},
    at_call(SYS_readlinkat, "readlinkat", Op::kReadlink, kNone, kKeep),
    at_call(SYS_faccessat, "faccessat", Op::kAccess),
    at_call(kFaccessat2, "faccessat2", Op::kAccess, 3),
    at_call(SYS_unlinkat, "unlinkat", Op::kUnlink, 2, kKeep),
    path_call(SYS_chdir, "chdir", Op::kChdir),
    {SYS_fchdir, "fchdir", Op::kChdir, Shape::kDescriptor, 0, kNone, kNone},
    {kOpenat2, "openat2", Op::kOpenRead, Shape::kOpenHow, 0, 1, 2},
    {SYS_exit_group, "exit_group", Op::kExit, Shape::kEnd, kNone, kNone, kNone},
    {SYS_execveat, "execveat", Op::kExec, Shape::kExec, 0, 1, 4},
    at_call(SYS_mkdirat, "mkdirat", Op::kMkdir, kNone, kKeep),
    {SYS_symlinkat, "symlinkat", Op::kSymlink, Shape::kSymlink, 1, 2, kNone, kNone, 0, kKeep},
    {SYS_linkat, "linkat", Op::kLink, Shape::kTwoPaths, 0, 1, 4, 2, 3, kKeep},
#ifdef SYS_renameat
    {SYS_renameat, "renameat", Op::kRename, Shape::kTwoPaths, 0, 1, kNone, 2, 3, kKeep},
#endif
    {SYS_renameat2, "renameat2", Op::kRename, Shape::kTwoPaths, 0, 1, 4, 2, 3, kKeep},
    at_call(SYS_fchmodat, "fchmodat", Op::kChmod),
    at_call(kFchmodat2, "fchmodat2", Op::kChmod, 3),
    at_call(SYS_fchownat, "fchownat", Op::kOther, 4),
    at_call(SYS_utimensat, "utimensat", Op::kSetTimes, 3),
    path_call(SYS_truncate, "truncate", Op::kTruncate),
    {SYS_mknodat, "mknodat", Op::kOpenCreate, Shape::kMake, 0, 1, kNone, kNone, kNone, kKeep},
#ifdef SYS_unlink
    path_call(SYS_unlink, "unlink", Op::kUnlink, kKeep),
    path_call(SYS_rmdir, "rmdir", Op::kRmdir, kKeep),
    path_call(SYS_mkdir, "mkdir", Op::kMkdir, kKeep),
    {SYS_rename, "rename", Op::kRename, Shape::kTwoPaths, kNone, 0, kNone, kNone, 1, kKeep},
    {SYS_link, "link", Op::kLink, Shape::kTwoPaths, kNone, 0, kNone, kNone, 1, kKeep},
    {SYS_symlink, "symlink", Op::kSymlink, Shape::kSymlink, kNone, 1, kNone, kNone, 0, kKeep},
    path_call(SYS_chmod, "chmod", Op::kChmod),
    path_call(SYS_chown, "chown", Op::kOther),
    path_call(SYS_lchown, "lchown", Op::kOther, kKeep),
    path_call(SYS_utime, "utime", Op::kSetTimes),
    path_call(SYS_utimes, "utimes", Op::kSetTimes),
    at_call(SYS_futimesat, "futimesat", Op::kSetTimes),
    {SYS_creat, "creat", Op::kOpenCreate, Shape::kCreat, kNone, 0, kNone},
    {SYS_getdents, "getdents", Op::kList, Shape::kDescriptor, 0, kNone, kNone},
    {SYS_mknod, "mknod", Op::kOpenCreate, Shape::kMake, kNone, 0, kNone, kNone, kNone, kKeep},
    {SYS_uselib, "uselib", Op::kOpenRead, Shape::kPath, kNone, 0, kNone},
#endif
    path_call(SYS_getxattr, "getxattr", Op::kOther),
    path_call(SYS_lgetxattr, "lgetxattr", Op::kOther, kKeep),
    path_call(SYS_listxattr, "listxattr", Op::kOther),
    path_call(SYS_llistxattr, "llistxattr", Op::kOther, kKeep),
    path_call(SYS_setxattr, "setxattr", Op::kOther),
    path_call(SYS_lsetxattr, "lsetxattr", Op::kOther, kKeep),
    path_call(SYS_removexattr, "removexattr", Op::kOther),
    path_call(SYS_lremovexattr, "lremovexattr", Op::kOther, kKeep),
    at_call(kGetxattrat, "getxattrat", Op::kOther, 2),
    at_call(kListxattrat, "listxattrat", Op::kOther, 2),
    at_call(kSetxattrat, "setxattrat", Op::kOther, 2),
    at_call(kRemovexattrat, "removexattrat", Op::kOther, 2),
    at_call(kFileGetattr, "file_getattr", Op::kOther, 4),
    at_call(kFileSetattr, "file_setattr", Op::kOther, 4),
    path_call(SYS_statfs, "statfs", Op::kOther),
    {SYS_inotify_add_watch, "inotify_add_watch", Op::kOther, Shape::kPath, kNone, 1, kNone},
    {SYS_fanotify_mark, "fanotify_mark", Op::kOther, Shape::kPath, 3, 4, kNone},
    at_call(SYS_name_to_handle_at, "name_to_handle_at", Op::kOther, 4, kKeep),
    {SYS_open_by_handle_at, "open_by_handle_at", Op::kBlind, Shape::kBlind, kNone, kNone, kNone},
    at_call(kOpenTree, "open_tree", Op::kOther, 2),
    at_call(kOpenTreeAttr, "open_tree_attr", Op::kOther, 2),
    {SYS_mount, "mount", Op::kMount, Shape::kMount, kNone, 1, kNone},
    {SYS_umount2, "umount2", Op::kMount, Shape::kMount, kNone, 0, kNone},
    {SYS_pivot_root, "pivot_root", Op::kMount, Shape::kMount, kNone, 0, kNone},
    {SYS_chroot, "chroot", Op::kMount, Shape::kMount, kNone, 0, kNone},
    {kMoveMount, "move_mount", Op::kMount, Shape::kMount, 2, 3, kNone},
    {kFsMount, "fsmount", Op::kMount, Shape::kMount, kNone, kNone, kNone},
    {SYS_setns, "setns", Op::kMount, Shape::kMount, kNone, kNone, kNone},
    {SYS_unshare, "unshare", Op::kOther, Shape::kUnshare, kNone, kNone, 0},
    {SYS_connect, "connect", Op::kConnect, Shape::kAddress, kNone, 1, kNone},
    {SYS_bind, "bind", Op::kOpenCreate, Shape::kAddress, kNone, 1, kNone},
    {SYS_sendto, "sendto", Op::kConnect, Shape::kAddress, kNone, 4, kNone},
    {SYS_sendmsg, "sendmsg", Op::kConnect, Shape::kMessage, kNone, 1, kNone},
    {SYS_sendmmsg, "sendmmsg", Op::kConnect, Shape::kMessage, kNone, 1, kNone},
    {SYS_seccomp, "seccomp", Op::kNote, Shape::kListener, kNone, kNone, kNone},
};

constexpr std::size_t kIndexSize = 512;
constexpr auto kIndex = [] {
  std::array<const Call*, kIndexSize> index{};
  for (const Call& call : kCalls) index[call.number] = &call;
  return index;
}();

constexpr std::uint32_t kLibraryCalls[] = {
    SYS_openat,   SYS_newfstatat, SYS_statx, SYS_getdents64, SYS_readlinkat,
#ifdef SYS_readlink
    SYS_readlink, SYS_access,
#endif
};

#if defined(__x86_64__)
// i386: open link unlink execve chdir mknod chmod access rename mkdir rmdir symlink readlink
// truncate creat stat64 lstat64 getdents64 openat mkdirat unlinkat renameat fstatat64 readlinkat
// faccessat renameat2 statx openat2 faccessat2
constexpr std::uint32_t kCompat[] = {5,   9,   10,  11,  12,  14,  15,  33,  38,  39,
                                     40,  83,  85,  92,  8,   195, 196, 220, 295, 296,
                                     301, 302, 300, 305, 307, 353, 383, 437, 439};
#else
constexpr std::span<const std::uint32_t> kCompat;
#endif

}  // namespace

std::span<const Call> all_calls() {
  return kCalls;
}

const Call* find_call(std::uint32_t number) {
  return number < kIndexSize ? kIndex[number] : nullptr;
}

bool is_library_call(std::uint32_t number) {
  return std::ranges::find(kLibraryCalls, number) != std::end(kLibraryCalls);
}

std::span<const std::uint32_t> compat_calls() {
  return kCompat;
}

}  // namespace gittxn::capture
