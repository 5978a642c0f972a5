#include "capture/trace/filter.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "capture/trace/decode/calls.h"

namespace gittxn::capture {

namespace {

constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint32_t kNegative = 0x80000000u;  // AT_FDCWD and other negative descriptors

enum Label : int {
  kNext = FilterCode::kNext,
  kTrap,
  kAllow,
  kRefuse,
  kCompatCall,
  kFstatat,
  kStatx,
  kListener,
  kSendTo,
  kSendMessage,
  kUnshare,
  kReadCall,
};

void empty_path_test(FilterCode* code, Label label, int flags_argument) {
  code->place(label);
  code->load_argument(flags_argument);
  code->jump(BPF_JEQ, std::uint32_t{AT_EMPTY_PATH}, kNext, kReadCall);
  code->load_argument(0);
  code->jump(BPF_JGE, kNegative, kTrap, kAllow);
}

// Where the call is made: the address behind it, which is in the same page.
void page_test(FilterCode* code, std::optional<std::uint64_t> page) {
  code->place(kReadCall);
  if (!page) return;  // goes on to kTrap
  constexpr std::uint32_t kPageMask = 0xfffff000u;
  constexpr std::size_t kAddress = offsetof(seccomp_data, instruction_pointer);
  code->load(kAddress + 4);
  code->jump(BPF_JEQ, static_cast<std::uint32_t>(*page >> 32), kNext, kTrap);
  code->load(kAddress);
  code->mask(kPageMask);
  code->jump(BPF_JEQ, static_cast<std::uint32_t>(*page), kAllow, kTrap);
}

}  // namespace

void FilterCode::load_argument(int index, int half) {
  load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(index) +
       4 * static_cast<std::size_t>(half));
}

void FilterCode::place(int label) {
  const auto index = static_cast<std::size_t>(label);
  at_.resize(std::max(at_.size(), index + 1));
  at_[index] = code_.size();
}

std::vector<sock_filter> FilterCode::finish() {
  const auto distance = [this](std::size_t from, int to) {
    return static_cast<std::uint8_t>(to == kNext ? 0
                                                 : at_[static_cast<std::size_t>(to)] - from - 1);
  };
  for (const Fixup& fix : fixups_) {
    code_[fix.at].jt = distance(fix.at, fix.yes);
    code_[fix.at].jf = distance(fix.at, fix.no);
  }
  return std::move(code_);
}

std::vector<sock_filter> make_filter(std::uint32_t action, std::optional<std::uint64_t> page) {
  FilterCode code;
  code.load(offsetof(seccomp_data, arch));
  code.jump(BPF_JEQ, kNativeArch, kNext, kCompatCall);
  code.load(offsetof(seccomp_data, nr));
  if (kNativeArch != 0) code.jump(BPF_JGE, kX32Bit, kRefuse, kNext);
  for (const Call& call : all_calls()) {
    // A tracer that waits for every process knows better how it ended.
    if (call.shape == Shape::kEnd && action == SECCOMP_RET_TRACE) continue;
    const Label label = call.number == SYS_newfstatat  ? kFstatat
                        : call.number == SYS_statx     ? kStatx
                        : call.number == SYS_seccomp   ? kListener
                        : call.number == SYS_sendto    ? kSendTo
                        : call.number == SYS_sendmsg   ? kSendMessage
                        : call.number == SYS_unshare   ? kUnshare
                        : is_library_call(call.number) ? kReadCall
                                                       : kTrap;
    code.jump_equal(call.number, label);
  }
  for (const std::uint32_t number : kRefusedCalls) code.jump_equal(number, kRefuse);
  code.give(SECCOMP_RET_ALLOW);
  code.place(kCompatCall);
  code.jump(BPF_JEQ, kCompatArch, kNext, kRefuse);
  code.load(offsetof(seccomp_data, nr));
  for (const std::uint32_t number : kRefusedCalls) code.jump_equal(number, kRefuse);
  for (const std::uint32_t number : compat_calls()) code.jump_equal(number, kTrap);
  code.give(SECCOMP_RET_ALLOW);
  empty_path_test(&code, kFstatat, 3);
  empty_path_test(&code, kStatx, 2);
  code.place(kListener);
  code.load_argument(0);
  code.jump(BPF_JEQ, SECCOMP_SET_MODE_FILTER, kNext, kAllow);
  code.load_argument(1);
  code.jump(BPF_JSET, SECCOMP_FILTER_FLAG_NEW_LISTENER, kTrap, kAllow);
  code.place(kSendTo);  // without an address it goes to a peer that is known
  code.load_argument(4);
  code.jump(BPF_JEQ, 0, kNext, kTrap);
  code.load_argument(4, 1);
  code.jump(BPF_JEQ, 0, kAllow, kTrap);
  code.place(kSendMessage);
  code.load_argument(2);
  code.jump(BPF_JEQ, kHandOver, kAllow, kTrap);
  code.place(kUnshare);
  code.load_argument(0);
  code.jump(BPF_JSET, kPartsThreads, kTrap, kAllow);
  page_test(&code, page);
  code.place(kTrap);
  code.give(action);
  code.place(kRefuse);
  code.give(SECCOMP_RET_ERRNO | ENOSYS);
  code.place(kAllow);
  code.give(SECCOMP_RET_ALLOW);
  return code.finish();
}

int put_up(const std::vector<sock_filter>& filter, unsigned long flags) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  const long got = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  return got < 0 ? -errno : static_cast<int>(got);
}

int install_filter(const std::vector<sock_filter>& filter) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  // The filter stops every path call anyway: mitigations of speculation would only slow the rest.
  constexpr unsigned long kFlags =
      SECCOMP_FILTER_FLAG_SPEC_ALLOW | SECCOMP_FILTER_FLAG_NEW_LISTENER;
  const int fd = put_up(filter, kFlags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  return fd == -EINVAL ? put_up(filter, kFlags) : fd;
}

}  // namespace gittxn::capture
