// The seccomp filter: which calls go to the tracer, which are refused, and that every other one is
// decided by its number alone.
//
// The kernel keeps a bitmap of calls that a filter allows whatever their arguments are, and skips
// the filter for them; so architecture and number are tested first, and arguments only for three
// calls, and the place where the call is made for path reads:
//   newfstatat, statx  with exactly AT_EMPTY_PATH and a real descriptor are an fstat (libc's fstat
//   is
//                      this call): let through. A non-empty path with exactly this flag and a real
//                      descriptor would be missed; nothing that is known does that.
//   seccomp            only when somebody wants a listener of their own
// With an allowed page, path reads that are made from it are let through: the preloaded
// library records those itself.
//
// exit_group is no path call: it goes to a tracer that does not wait for every process.
//
// io_uring is refused (ENOSYS): its operations pass no filter. A 32-bit program's path calls go to
// the tracer, which cannot read them and says so. x32 calls are refused.
#pragma once

#include <linux/filter.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"

namespace gittxn::capture {

// Flags with which the child hands over its listener: the filter that it has just put up lets that
// message through, for nobody looks at calls yet. To a local socket the second says nothing.
inline constexpr int kHandOver = MSG_NOSIGNAL | MSG_CONFIRM;

// A small assembler: forward labels, and only jumps that fit into eight bits.
class FilterCode {
 public:
  enum : int { kNext = 0 };        // the label of what follows
  void load(std::size_t offset) {  // of seccomp_data
    emit({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)});
  }
  void load_argument(int index, int half = 0);  // its low half; both machines are little-endian
  void mask(std::uint32_t value) { emit({BPF_ALU | BPF_AND | BPF_K, 0, 0, value}); }
  void give(std::uint32_t value) { emit({BPF_RET | BPF_K, 0, 0, value}); }
  void jump(std::uint16_t test, std::uint32_t value, int yes, int no) {
    fixups_.push_back({code_.size(), yes, no});
    emit({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), 0, 0, value});
  }
  void jump_equal(std::uint32_t value, int yes) { jump(BPF_JEQ, value, yes, kNext); }
  void place(int label);
  std::vector<sock_filter> finish();

 private:
  struct Fixup {
    std::size_t at;
    int yes, no;
  };
  void emit(sock_filter instruction) { code_.push_back(instruction); }
  std::vector<sock_filter> code_;
  std::vector<Fixup> fixups_;
  std::vector<std::size_t> at_;
};

// In a child before exec: puts a filter up for good. What seccomp(2) says, or -errno.
int put_up(const std::vector<sock_filter>& filter, unsigned long flags);

// `action`: SECCOMP_RET_USER_NOTIF or SECCOMP_RET_TRACE. `page`: the address of the allowed page.
std::vector<sock_filter> make_filter(std::uint32_t action,
                                     std::optional<std::uint64_t> page = std::nullopt);

// In the child, between fork and exec: sets no_new_privs and installs. Async-signal-safe. Returns
// the listener, or -errno; -EBUSY: somebody outside has one already.
//
// Ptrace wants no listener, but asks for one all the same: only one fits into a chain of filters,
// and a notification comes before a ptrace stop, so another's would take calls away from us unseen,
// from outside (then we must not start) or from inside (then it is refused while ours is open).
int install_filter(const std::vector<sock_filter>& filter);

}  // namespace gittxn::capture
