// The preloaded library: libc's calls that read paths, made from the page that the filter allows,
// each with a record in the ring (recorder.h). Everything else, and every one of these that cannot
// be recorded, is made as libc makes it, and notified.
//
// It needs nothing but the process's own libc, of whatever kind: no library, no memory, no thread
// local storage, no locks; what it asks libc for is weak. When anything fails while it starts, the
// process is traced as if there were no library.
#include <sys/types.h>

#include "capture/trace/preload/ends.h"
#include "capture/trace/preload/modes.h"

// NOLINTBEGIN(bugprone-reserved-identifier, performance-no-int-to-ptr): libc's names, and arguments
// of system calls

#define TXN_ENTRY extern "C" __attribute__((visibility("default")))

TXN_ENTRY __attribute__((weak)) void __chk_fail();

namespace gittxn::preload {

extern "C" {
__attribute__((used, section(".data.txn_config")))
const volatile ring::Config txn_config = {{0x67, 0x69, 0x74, 0x2d, 0x74, 0x78, 0x6e, 0x00, 0xd1,
                                           0x7c, 0x3e, 0xa5, 0x90, 0x4b, 0xe8, 0x26},
                                          {},
                                          0,
                                          0,
                                          {},
                                          0,
                                          0};
}
uint32_t txn_plain;
uint32_t txn_sharers;
uint32_t txn_moved;
uint32_t txn_parted;
Library library;
Process process;

// f(number, a, b, c, d, e): the kernel's order of registers is one to the left.
__asm__(
    ".pushsection .text\n"
    ".hidden txn_page_code\n"
    ".hidden txn_page_code_end\n"
    ".globl txn_page_code\n"
    ".globl txn_page_code_end\n"
    ".balign 16\n"
    "txn_page_code:\n"
    "  endbr64\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  mov %rcx, %rdx\n"
    "  mov %r8, %r10\n"
    "  mov %r9, %r8\n"
    "  xor %r9d, %r9d\n"
    "  syscall\n"
    "  ret\n"
    "txn_page_code_end:\n"
    ".popsection\n");

namespace {

constexpr size_t kPage = 4096;
constexpr long kProtRead = 1, kProtWrite = 2, kProtExec = 4;
constexpr long kShared = 1, kPrivate = 2, kAnonymous = 0x20, kFixedNoReplace = 0x100000;
constexpr long kWipeOnFork = 18;
constexpr uint32_t kModeFlags = O_CREAT | __O_TMPFILE;
constexpr uint32_t kWriteFlags = O_ACCMODE | O_TRUNC | kModeFlags;

// A regular file that was met before is one still, where nothing has changed until it was open.
bool is_met_file(const Wanted& wanted, const Entry& entry) {
  return wanted.look == Look::kOpen && (wanted.flags & O_DIRECTORY) == 0 &&
         is_met(&library.met, entry.path) && load(&library.shared->header.changes) == entry.changes;
}

void meet_files(const Wanted& wanted, const Entry& entry, const Args& args, long result,
                uint32_t mode) {
  if (wanted.look == Look::kStat && (mode & kType) == kRegular) meet(&library.met, entry.path);
  if (wanted.look != Look::kList) return;
  meet_listed(&library.met, entry.path, reinterpret_cast<const char*>(args.b),
              static_cast<size_t>(result));
}

long look(const Wanted& wanted, long number, const Args& args, Caller caller = Caller::kProgram) {
  const bool readable = wanted.path == nullptr || arg(wanted.path) >= static_cast<long>(kPage);
  const Who who = readable ? who_am_i(caller) : Who::kStranger;
  if (who != Who::kGreeted) return notified(who, number, args);
  const Entry entry = begin(wanted);
  const bool dropped = entry.slot == nullptr && bug(ring::kDropWhenFull);
  if (entry.slot == nullptr && !dropped) return notified(who, number, args);
  const long result = library.page(number, args.a, args.b, args.c, args.d, args.e);
  if (dropped) return result;
  if (failed(result)) {
    complete(entry.slot, entry.position, static_cast<uint32_t>(-result), 0);
    return result;
  }
  uint32_t mode = kRegular;
  if (!is_met_file(wanted, entry)) {
    const MayRead may_read = entry.special ? MayRead::kNo : MayRead::kYes;
    mode = mode_after(wanted, number, args, result, may_read);
    meet_files(wanted, entry, args, result, mode);
  }
  complete(entry.slot, entry.position, 0, mode);
  return result;
}

long open_at(int dir, const char* path, int flags, unsigned mode,
             Caller caller = Caller::kProgram) {
  const auto bits = static_cast<uint32_t>(flags);
  const Args args{dir, arg(path), flags, static_cast<long>(mode), 0};
  const auto nofollow = static_cast<uint8_t>((bits & O_NOFOLLOW) != 0);
  const long fd = (bits & kWriteFlags) != 0
                      ? notified(who_am_i(caller), __NR_openat, args)
                      : look({Look::kOpen, nofollow, bits, dir, path}, __NR_openat, args, caller);
  if (!failed(fd)) forget(static_cast<int>(fd));
  return fd;
}

// With an empty path it is the descriptor, which the filter allows.
long stat_with(long number, int dir, const char* path, int flags, const Args& args) {
  const auto bits = static_cast<uint32_t>(flags);
  if ((bits & AT_EMPTY_PATH) != 0) return raw(number, args);
  const auto nofollow = static_cast<uint8_t>((bits & AT_SYMLINK_NOFOLLOW) != 0);
  return look({Look::kStat, nofollow, bits, dir, path}, number, args);
}

long stat_at(int dir, const char* path, void* out, int flags) {
  return stat_with(__NR_newfstatat, dir, path, flags, {dir, arg(path), arg(out), flags});
}

constexpr int kHere = AT_FDCWD;
constexpr int kKeepLink = AT_SYMLINK_NOFOLLOW;

// Of open: passed only where it may make a file.
unsigned mode_in(int flags, __builtin_va_list rest) {
  return (static_cast<uint32_t>(flags) & kModeFlags) != 0 ? __builtin_va_arg(rest, unsigned) : 0;
}

bool known_stat_version(int version) {
  return version == 0 || version == 1;
}

int no_such_version() {
  constexpr long kInvalid = -22;
  return static_cast<int>(give(kInvalid));
}

// A buffer smaller than was said: libc says so and ends the program.
void refuse() {
  if (__chk_fail != nullptr) __chk_fail();
  __builtin_trap();
}

long read_link(const char* path, char* out, size_t size) {
  return look({Look::kReadlink, 1, 0, kHere, path}, __NR_readlink,
              {arg(path), arg(out), arg(size)});
}

long read_link_at(int dir, const char* path, char* out, size_t size) {
  const Args args{dir, arg(path), arg(out), arg(size)};
  const bool itself = arg(path) >= static_cast<long>(kPage) && path[0] == '\0';
  if (itself) return notified(who_am_i(), __NR_readlinkat, args);
  return look({Look::kReadlink, 1, 0, dir, path}, __NR_readlinkat, args);
}

// While it is under way, and until the new directory has been asked for, no path of it is believed.
long change_directory(long number, const Args& args) {
  const Who who = who_am_i();
  if (who == Who::kStranger) return notified(who, number, args);
  __atomic_add_fetch(&process.chdirs, 1, __ATOMIC_SEQ_CST);
  const long result = notified(who, number, args);
  __atomic_add_fetch(&process.chdirs_done, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&process.chdirs, 1, __ATOMIC_SEQ_CST);
  return result;
}

}  // namespace

}  // namespace gittxn::preload

// ---- what libc would do ----

namespace txn = gittxn::preload;

TXN_ENTRY int open64(const char* path, int flags, ...) {
  __builtin_va_list rest;
  __builtin_va_start(rest, flags);
  const unsigned mode = txn::mode_in(flags, rest);
  __builtin_va_end(rest);
  return static_cast<int>(txn::give(txn::open_at(txn::kHere, path, flags, mode)));
}
TXN_ENTRY int open(const char* path, int flags, ...) __attribute__((alias("open64")));
TXN_ENTRY int __open(const char* path, int flags, ...) __attribute__((alias("open64")));
TXN_ENTRY int __open64(const char* path, int flags, ...) __attribute__((alias("open64")));

// In the place of libc's own, which posix_spawn calls in the child it starts in our memory.
extern "C" __attribute__((visibility("hidden"))) int txn_open_inside(const char* path, int flags,
                                                                     ...) {
  __builtin_va_list rest;
  __builtin_va_start(rest, flags);
  const unsigned mode = txn::mode_in(flags, rest);
  __builtin_va_end(rest);
  return static_cast<int>(
      txn::give(txn::open_at(txn::kHere, path, flags, mode, txn::Caller::kLibc)));
}

TXN_ENTRY int openat64(int dir, const char* path, int flags, ...) {
  __builtin_va_list rest;
  __builtin_va_start(rest, flags);
  const unsigned mode = txn::mode_in(flags, rest);
  __builtin_va_end(rest);
  return static_cast<int>(txn::give(txn::open_at(dir, path, flags, mode)));
}
TXN_ENTRY int openat(int dir, const char* path, int flags, ...) __attribute__((alias("openat64")));

// The fortified ones: without a mode there is nothing to create with.
TXN_ENTRY int __open64_2(const char* path, int flags) {
  if ((static_cast<uint32_t>(flags) & txn::kModeFlags) != 0) txn::refuse();
  return static_cast<int>(txn::give(txn::open_at(txn::kHere, path, flags, 0)));
}
TXN_ENTRY int __open_2(const char* path, int flags) __attribute__((alias("__open64_2")));
TXN_ENTRY int __openat64_2(int dir, const char* path, int flags) {
  if ((static_cast<uint32_t>(flags) & txn::kModeFlags) != 0) txn::refuse();
  return static_cast<int>(txn::give(txn::open_at(dir, path, flags, 0)));
}
TXN_ENTRY int __openat_2(int dir, const char* path, int flags)
    __attribute__((alias("__openat64_2")));

TXN_ENTRY int stat64(const char* path, void* out) {
  return static_cast<int>(txn::give(txn::stat_at(txn::kHere, path, out, 0)));
}
// Named otherwise here, because the structures have these names.
TXN_ENTRY int entry_stat(const char* path, void* out) __asm__("stat")
    __attribute__((alias("stat64")));
TXN_ENTRY int lstat64(const char* path, void* out) {
  return static_cast<int>(txn::give(txn::stat_at(txn::kHere, path, out, txn::kKeepLink)));
}
TXN_ENTRY int lstat(const char* path, void* out) __attribute__((alias("lstat64")));
TXN_ENTRY int fstatat64(int dir, const char* path, void* out, int flags) {
  return static_cast<int>(txn::give(txn::stat_at(dir, path, out, flags)));
}
TXN_ENTRY int fstatat(int dir, const char* path, void* out, int flags)
    __attribute__((alias("fstatat64")));

// What programs built against a glibc before 2.33 call.
TXN_ENTRY int __xstat64(int version, const char* path, void* out) {
  return txn::known_stat_version(version) ? stat64(path, out) : txn::no_such_version();
}
TXN_ENTRY int __xstat(int version, const char* path, void* out) __attribute__((alias("__xstat64")));
TXN_ENTRY int __lxstat64(int version, const char* path, void* out) {
  return txn::known_stat_version(version) ? lstat64(path, out) : txn::no_such_version();
}
TXN_ENTRY int __lxstat(int version, const char* path, void* out)
    __attribute__((alias("__lxstat64")));
TXN_ENTRY int __fxstatat64(int version, int dir, const char* path, void* out, int flags) {
  return txn::known_stat_version(version) ? fstatat64(dir, path, out, flags)
                                          : txn::no_such_version();
}
TXN_ENTRY int __fxstatat(int version, int dir, const char* path, void* out, int flags)
    __attribute__((alias("__fxstatat64")));

TXN_ENTRY int entry_statx(int dir, const char* path, int flags, unsigned mask,
                          void* out) __asm__("statx");
TXN_ENTRY int entry_statx(int dir, const char* path, int flags, unsigned mask, void* out) {
  const txn::Args args{dir, txn::arg(path), flags, static_cast<long>(mask), txn::arg(out)};
  return static_cast<int>(txn::give(txn::stat_with(__NR_statx, dir, path, flags, args)));
}

TXN_ENTRY int access(const char* path, int mode) {
  return static_cast<int>(txn::give(txn::look({txn::Look::kAccess, 0, 0, txn::kHere, path},
                                              __NR_access, {txn::arg(path), mode})));
}

TXN_ENTRY ssize_t readlink(const char* path, char* out, size_t size) {
  return txn::give(txn::read_link(path, out, size));
}
TXN_ENTRY ssize_t __readlink_chk(const char* path, char* out, size_t size, size_t room) {
  if (size > room) txn::refuse();
  return txn::give(txn::read_link(path, out, size));
}
TXN_ENTRY ssize_t readlinkat(int dir, const char* path, char* out, size_t size) {
  return txn::give(txn::read_link_at(dir, path, out, size));
}
TXN_ENTRY ssize_t __readlinkat_chk(int dir, const char* path, char* out, size_t size, size_t room) {
  if (size > room) txn::refuse();
  return txn::give(txn::read_link_at(dir, path, out, size));
}

TXN_ENTRY ssize_t getdents64(int fd, void* out, size_t size) {
  constexpr size_t kMost = 0x7fffffff;  // as libc
  return txn::give(txn::look({txn::Look::kList, 0, static_cast<uint32_t>(fd), fd, nullptr},
                             __NR_getdents64,
                             {fd, txn::arg(out), txn::arg(size > kMost ? kMost : size)}));
}

TXN_ENTRY int chdir(const char* path) {
  return static_cast<int>(txn::give(txn::change_directory(__NR_chdir, {txn::arg(path)})));
}
TXN_ENTRY int fchdir(int fd) {
  return static_cast<int>(txn::give(txn::change_directory(__NR_fchdir, {fd})));
}

// A program that puts up a sandbox of its own may not have allowed what recording asks for: from
// then on it makes its own calls and no others. Its children do so too until they run a program.
TXN_ENTRY int prctl(int option, ...) {
  constexpr int kSetSeccomp = 22;
  if (option == kSetSeccomp) txn::txn_plain = 1;
  __builtin_va_list rest;
  __builtin_va_start(rest, option);
  const long b = __builtin_va_arg(rest, long);
  const long c = __builtin_va_arg(rest, long);
  const long d = __builtin_va_arg(rest, long);
  const long e = __builtin_va_arg(rest, long);
  __builtin_va_end(rest);
  return static_cast<int>(txn::give(txn::raw(__NR_prctl, {option, b, c, d, e})));
}

// libc has no function for seccomp(). Without a frame of its own, as libc's: the call may return
// twice, or on another stack.
__asm__(
    ".pushsection .text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    ".balign 16\n"
    "syscall:\n"
    "  endbr64\n"
    "  cmp $317, %rdi\n"  // __NR_seccomp
    "  je 3f\n"
    "  cmp $56, %rdi\n"  // __NR_clone
    "  je 4f\n"
    "  cmp $58, %rdi\n"  // __NR_vfork
    "  je 4f\n"
    "  cmp $435, %rdi\n"  // __NR_clone3
    "  je 4f\n"
    "  cmp $3, %rdi\n"  // __NR_close
    "  je 6f\n"
    "  cmp $33, %rdi\n"  // __NR_dup2
    "  je 6f\n"
    "  cmp $292, %rdi\n"  // __NR_dup3
    "  je 6f\n"
    "  cmp $436, %rdi\n"  // __NR_close_range
    "  je 7f\n"
    "1:\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  mov %rcx, %rdx\n"
    "  mov %r8, %r10\n"
    "  mov %r9, %r8\n"
    "  mov 8(%rsp), %r9\n"
    "  syscall\n"
    "  cmp $-4095, %rax\n"
    "  jae 2f\n"
    "  ret\n"
    "2:\n"
    "  neg %eax\n"
    "  push %rax\n"
    "  call *__errno_location@GOTPCREL(%rip)\n"
    "  pop %rdx\n"
    "  mov %edx, (%rax)\n"
    "  mov $-1, %rax\n"
    "  ret\n"
    "3:\n"
    "  movl $1, txn_plain(%rip)\n"
    "  jmp 1b\n"
    "4:\n"  // whether and when the child leaves our memory is not known
    "  lock incl txn_sharers(%rip)\n"
    "  jmp 1b\n"
    "7:\n"
    "  test $2, %ecx\n"  // CLOSE_RANGE_UNSHARE
    "  jz 6f\n"
    "  movl $1, txn_parted(%rip)\n"
    "6:\n"
    "  lock incl txn_moved(%rip)\n"
    "  jmp 1b\n"
    ".size syscall, .-syscall\n"
    ".globl vfork\n"
    ".type vfork, @function\n"
    ".balign 16\n"
    "vfork:\n"
    "  endbr64\n"
    "  lock incl txn_sharers(%rip)\n"
    "  pop %rdi\n"  // the child writes over the stack
    "  mov $58, %eax\n"
    "  syscall\n"
    "  push %rdi\n"
    "  test %rax, %rax\n"
    "  jz 5f\n"
    "  lock decl txn_sharers(%rip)\n"  // the child runs a program now, or is gone
    "  cmp $-4095, %rax\n"
    "  jae 2b\n"
    "5:\n"
    "  ret\n"
    ".size vfork, .-vfork\n"
    ".popsection\n");

namespace gittxn::preload {

namespace {

// ---- start ----

PageCall make_page() {
  const long address = static_cast<long>(txn_config.page);
  const long got = raw(__NR_mmap, {address, kPage, kProtRead | kProtWrite,
                                   kPrivate | kAnonymous | kFixedNoReplace, -1});
  if (failed(got)) return nullptr;
  if (got == address) {
    const auto size = static_cast<size_t>(txn_page_code_end - txn_page_code);
    copy(reinterpret_cast<void*>(got), txn_page_code, size);
    if (raw(__NR_mprotect, {got, kPage, kProtRead | kProtExec}) == 0) {
      return reinterpret_cast<PageCall>(got);
    }
  }
  raw(__NR_munmap, {got, kPage});
  return nullptr;
}

// The descriptor is closed at once: programs close what they do not know.
ring::Shared* map_ring() {
  const long fd =
      library.page(__NR_openat, AT_FDCWD, arg(const_cast<const char*>(&txn_config.ring[0])),
                   O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0);
  if (failed(fd)) return nullptr;
  struct stat info;
  constexpr auto kSize = static_cast<long>(sizeof(ring::Shared));
  long got = -1;
  if (raw(__NR_fstat, {fd, arg(&info)}) == 0 && info.st_size == kSize) {
    got = raw(__NR_mmap, {0, kSize, kProtRead | kProtWrite, kShared, fd});
  }
  raw(__NR_close, {fd});
  if (failed(got)) return nullptr;
  auto* shared = reinterpret_cast<ring::Shared*>(got);
  const uint8_t* run = const_cast<const uint8_t*>(&txn_config.run[0]);
  if (same(shared->header.run, run, sizeof shared->header.run)) return shared;
  raw(__NR_munmap, {got, kSize});
  return nullptr;
}

__attribute__((constructor)) void start() {
  constexpr long kSeccompOfThread = 21;  // PR_GET_SECCOMP; 2: filters
  if (txn_config.page == 0 || raw(__NR_prctl, {kSeccompOfThread}) != 2) return;
  library.page = make_page();
  if (library.page == nullptr) return;
  const bool keep = bug(ring::kKeepNumberAfterFork);
  if (!keep && raw(__NR_madvise, {arg(&process), sizeof process, kWipeOnFork}) != 0) return;
  library.shared = map_ring();
  if (library.shared == nullptr) return;
  store(&process.started, own_pid());
  const Patch patches[] = {
      {"readlink", __NR_readlink, reinterpret_cast<void*>(&::readlink)},
      {"getdents64", __NR_getdents64, reinterpret_cast<void*>(&::getdents64)},
      {"open64", __NR_openat, reinterpret_cast<void*>(&::open64)},
      {"__open64_nocancel", __NR_openat, reinterpret_cast<void*>(&::txn_open_inside)},
      {"fstatat64", __NR_newfstatat, reinterpret_cast<void*>(&::fstatat64)},
      {"access", __NR_access, reinterpret_cast<void*>(&::access)},
  };
  if (!is_single_threaded()) return;
  Sites sites;
  find_sites(patches, sizeof patches / sizeof patches[0], &sites);
  overwrite(sites);
}

}  // namespace

}  // namespace gittxn::preload

// NOLINTEND(bugprone-reserved-identifier, performance-no-int-to-ptr)
