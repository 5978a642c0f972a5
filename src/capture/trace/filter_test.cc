// The filter, run by a small interpreter: what goes to the tracer, what is refused, and that every
// other call is decided by its number alone (or the kernel could not skip the filter for it).
#include "capture/trace/filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

#include "capture/trace/decode/calls.h"

namespace gittxn::capture {
namespace {

constexpr std::uint32_t kAction = SECCOMP_RET_USER_NOTIF;

struct Decision {
  std::uint32_t value = 0;
  bool looked_at_arguments = false;
};

Decision decide(const std::vector<sock_filter>& code, const seccomp_data& data) {
  Decision decision;
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const sock_filter& step = code[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + step.k, 4);
        if (step.k >= offsetof(seccomp_data, instruction_pointer)) {
          decision.looked_at_arguments = true;
        }
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += accumulator >= step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (accumulator & step.k) != 0 ? step.jt : step.jf;
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= step.k;
        break;
      case BPF_RET | BPF_K:
        decision.value = step.k;
        return decision;
      default:
        ADD_FAILURE() << "unknown instruction";
        return decision;
    }
  }
  ADD_FAILURE() << "ran off the end";
  return decision;
}

seccomp_data call(std::uint32_t number, std::initializer_list<std::uint64_t> args = {}) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = kNativeArch;
  std::size_t i = 0;
  for (const std::uint64_t arg : args) data.args[i++] = arg;
  return data;
}

TEST(Filter, EveryOtherCallIsAllowedByItsNumberAlone) {
  const auto code = make_filter(kAction);
  for (std::uint32_t number = 0; number < 512; ++number) {
    const bool refused = number >= 425 && number <= 427;
    const Decision decision = decide(code, call(number));
    if (refused) {
      EXPECT_EQ(decision.value, SECCOMP_RET_ERRNO | ENOSYS) << number;
    } else if (find_call(number) == nullptr) {
      EXPECT_EQ(decision.value, SECCOMP_RET_ALLOW) << number;
      EXPECT_FALSE(decision.looked_at_arguments) << number;
    } else if (number != SYS_newfstatat && number != SYS_statx && number != SYS_seccomp &&
               number != SYS_sendto && number != SYS_sendmsg && number != SYS_unshare) {
      EXPECT_EQ(decision.value, kAction) << find_call(number)->name;
      EXPECT_FALSE(decision.looked_at_arguments) << number;
    }
  }
  for (const Call& row : all_calls()) EXPECT_EQ(find_call(row.number), &row) << row.name;
}

TEST(Filter, AnFstatGoesThroughAndAStatDoesNot) {
  const auto code = make_filter(kAction);
  const auto at_fdcwd = static_cast<std::uint64_t>(static_cast<std::uint32_t>(AT_FDCWD));
  const auto newfstatat = [&](std::uint64_t fd, std::uint64_t flags) {
    return decide(code, call(SYS_newfstatat, {fd, 0x1000, 0x2000, flags})).value;
  };
  EXPECT_EQ(newfstatat(3, AT_EMPTY_PATH), SECCOMP_RET_ALLOW);
  EXPECT_EQ(newfstatat(0, AT_EMPTY_PATH), SECCOMP_RET_ALLOW);
  EXPECT_EQ(newfstatat(3, 0), kAction);
  EXPECT_EQ(newfstatat(3, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW), kAction);
  EXPECT_EQ(newfstatat(at_fdcwd, AT_EMPTY_PATH), kAction);
  EXPECT_EQ(newfstatat(~0ull, AT_EMPTY_PATH), kAction);
  const auto statx = [&](std::uint64_t fd, std::uint64_t flags) {
    return decide(code, call(SYS_statx, {fd, 0x1000, flags, 0, 0})).value;
  };
  EXPECT_EQ(statx(3, AT_EMPTY_PATH), SECCOMP_RET_ALLOW);
  EXPECT_EQ(statx(at_fdcwd, 0), kAction);
}

TEST(Filter, PathReadsOfTheAllowedPageGoThrough) {
  constexpr std::uint64_t kPage = 0x6812'3456'7000;
  const auto code = make_filter(kAction, kPage);
  for (std::uint32_t number = 0; number < 512; ++number) {
    seccomp_data data = call(number, {3, 0x1000, 0, 0, 0, 0});
    const std::uint32_t elsewhere = decide(code, data).value;
    EXPECT_EQ(elsewhere, decide(make_filter(kAction), data).value) << number;
    EXPECT_TRUE(!is_library_call(number) || elsewhere == kAction) << number;
    for (const std::uint64_t address : {kPage, kPage + 2, kPage + 4095}) {
      data.instruction_pointer = address;
      const Decision there = decide(code, data);
      EXPECT_EQ(there.value, is_library_call(number) ? SECCOMP_RET_ALLOW : elsewhere) << number;
      EXPECT_FALSE(find_call(number) == nullptr && there.looked_at_arguments) << number;
    }
    for (const std::uint64_t address :
         {kPage - 1, kPage + 4096, kPage + (std::uint64_t{1} << 32)}) {
      data.instruction_pointer = address;
      EXPECT_EQ(decide(code, data).value, elsewhere) << number;
    }
  }
}

TEST(Filter, OnlyMessagesWithAnAddressAreLookedAt) {
  const auto code = make_filter(kAction);
  const auto send_to = [&](std::uint64_t address) {
    return decide(code, call(SYS_sendto, {3, 0x1000, 1, 0, address, 16})).value;
  };
  EXPECT_EQ(send_to(0), SECCOMP_RET_ALLOW);
  EXPECT_EQ(send_to(0x2000), kAction);
  EXPECT_EQ(send_to(std::uint64_t{1} << 32), kAction);
  EXPECT_EQ(decide(code, call(SYS_sendmsg, {3, 0x1000, MSG_NOSIGNAL})).value, kAction);
  EXPECT_EQ(decide(code, call(SYS_sendmsg, {3, 0x1000, kHandOver})).value, SECCOMP_RET_ALLOW);
}

TEST(Filter, OnlyWhatAThreadGetsOfItsOwnIsLookedAt) {
  const auto code = make_filter(kAction);
  constexpr std::uint64_t kFs = 0x200, kFiles = 0x400, kNetwork = 0x40000000;
  EXPECT_EQ(decide(code, call(SYS_unshare, {kNetwork})).value, SECCOMP_RET_ALLOW);
  EXPECT_EQ(decide(code, call(SYS_unshare, {kNetwork | kFs})).value, kAction);
  EXPECT_EQ(decide(code, call(SYS_unshare, {kFiles})).value, kAction);
}

TEST(Filter, OnlyAListenerOfOnesOwnIsLookedAt) {
  const auto code = make_filter(kAction);
  EXPECT_EQ(decide(code, call(SYS_seccomp, {SECCOMP_SET_MODE_FILTER, 0})).value, SECCOMP_RET_ALLOW);
  EXPECT_EQ(decide(code, call(SYS_seccomp, {SECCOMP_SET_MODE_STRICT, 8})).value, SECCOMP_RET_ALLOW);
  EXPECT_EQ(
      decide(code, call(SYS_seccomp, {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER}))
          .value,
      kAction);
}

TEST(Filter, OtherInterfacesAreSeenOrRefused) {
  const auto code = make_filter(kAction);
  seccomp_data data = call(5);
  data.arch = kCompatArch;
  if (!compat_calls().empty()) {
    EXPECT_EQ(decide(code, data).value, kAction);
    data.nr = 20;  // getpid
    EXPECT_EQ(decide(code, data).value, SECCOMP_RET_ALLOW);
  }
  data.nr = 425;
  EXPECT_EQ(decide(code, data).value, SECCOMP_RET_ERRNO | ENOSYS);
  data.arch = AUDIT_ARCH_MIPS;
  data.nr = 1;
  EXPECT_EQ(decide(code, data).value, SECCOMP_RET_ERRNO | ENOSYS);
  EXPECT_EQ(decide(code, call(0x40000000u | 2)).value, SECCOMP_RET_ERRNO | ENOSYS) << "x32";
}

}  // namespace
}  // namespace gittxn::capture
