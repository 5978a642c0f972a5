#include "capture/trace/confine/fence.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/bug.h"
#include "base/fence.h"
#include "capture/trace/decode/calls.h"
#include "capture/trace/filter.h"

namespace gittxn::capture {

namespace {

constexpr std::uint32_t kCompatIoctl = 54;  // of i386 and of arm
constexpr std::uint32_t kX32Ioctl = 0x40000000 + 514;
constexpr std::uint32_t kNoCall = ~0u;
constexpr std::size_t kMaxId = 64;
constexpr std::size_t kMaxName = 15;  // what the kernel keeps of one

enum FenceLabel : int { kNative = FilterCode::kNext + 1, kTerminal, kForbidden, kMark, kAsked };

}  // namespace

Result<std::string> fence_for(const Environment& env) {
  std::string id;
  for (const char* name : {"GIT_TXN_ID", "GIT_TXN_COMPENSATES"}) {
    const auto found = env.find(name);
    if (id.empty() && found != env.end()) id = found->second.substr(0, kMaxId);
  }
  std::ranges::replace(id, ' ', '_');  // what is no id of ours stays one word
  std::string mark = fence_mark();
  const std::vector<std::string> already = ids_of_mark(mark);
  if (id.empty() || std::ranges::find(already, id) != already.end()) return mark;
  mark = mark.empty() ? id : id + " " + mark;
  if (mark.size() < kMaxFenceMark) return mark;
  return fail(Code::kUnsupported, "too many transactions run inside of one another");
}

std::string fence_name(const std::string& mark) {
  if (INJECTED_BUG("fence.unnamed")) return {};
  const std::size_t end = std::min(mark.find(' '), mark.size());
  return mark.empty() ? "" : ("git-txn " + mark.substr(0, end)).substr(0, kMaxName);
}

std::vector<sock_filter> make_fence(std::string_view mark, Typing typing) {
  const bool guard = typing == Typing::kRefused;
  if (kNativeArch == 0 || (mark.empty() && !guard)) return {};
  if (INJECTED_BUG("fence.unmarked")) mark = {};
  const auto if_guarded = [guard](std::uint32_t number) { return guard ? number : kNoCall; };
  FilterCode code;
  code.load(offsetof(seccomp_data, arch));
  code.jump_equal(kNativeArch, kNative);
  code.load(offsetof(seccomp_data, nr));
  code.jump_equal(if_guarded(kCompatIoctl), kTerminal);
  code.give(SECCOMP_RET_ALLOW);
  code.place(kNative);
  code.load(offsetof(seccomp_data, nr));
  code.jump_equal(SYS_prctl, kMark);
  code.jump_equal(if_guarded(SYS_ioctl), kTerminal);
  code.jump_equal(if_guarded(kX32Ioctl), kTerminal);
  code.give(SECCOMP_RET_ALLOW);
  code.place(kTerminal);
  code.load_argument(1);
  code.jump_equal(TIOCSTI, kForbidden);
  code.jump_equal(TIOCLINUX, kForbidden);
  code.give(SECCOMP_RET_ALLOW);
  code.place(kForbidden);
  code.give(SECCOMP_RET_ERRNO | EPERM);
  code.place(kMark);
  code.load_argument(0);
  code.jump_equal(static_cast<std::uint32_t>(kFenceAsk), kAsked);
  code.give(SECCOMP_RET_ALLOW);
  code.place(kAsked);
  code.load_argument(1);
  for (std::size_t i = 0; i < mark.size(); ++i) {
    const int another = kAsked + 1 + static_cast<int>(i);
    code.jump(BPF_JEQ, static_cast<std::uint32_t>(i), FilterCode::kNext, another);
    code.give(SECCOMP_RET_ERRNO | (kFenceAnswer + static_cast<unsigned char>(mark[i])));
    code.place(another);
  }
  code.give(SECCOMP_RET_ERRNO | kFenceAnswer);
  return code.finish();
}

int install_fence(const std::vector<sock_filter>& filter) {
  return -put_up(filter, SECCOMP_FILTER_FLAG_SPEC_ALLOW);
}

}  // namespace gittxn::capture
