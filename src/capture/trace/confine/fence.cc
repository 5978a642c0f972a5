#include "capture/trace/confine/fence.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/bug.h"
#include "base/fence.h"
#include "capture/trace/decode/calls.h"

namespace gittxn::capture {

namespace {

constexpr std::uint32_t kCompatIoctl = 54;  // of i386 and of arm
constexpr std::uint32_t kX32Ioctl = 0x40000000 + 514;
constexpr std::uint32_t kNoCall = ~0u;
constexpr std::size_t kMaxId = 64;
constexpr std::size_t kMaxName = 15;  // what the kernel keeps of one

class FenceCode {
 public:
  void load(std::size_t offset) {
    code_.push_back({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)});
  }
  void give(std::uint32_t value) { code_.push_back({BPF_RET | BPF_K, 0, 0, value}); }
  // The next `over` instructions run when it is not equal.
  void skip_if(std::uint32_t value, std::uint8_t over) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, over, 0, value});
  }
  void skip_unless(std::uint32_t value, std::uint8_t over) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, over, value});
  }
  std::vector<sock_filter> finish() { return std::move(code_); }

 private:
  std::vector<sock_filter> code_;
};

constexpr std::size_t low_half(int argument) {  // both machines are little-endian
  return offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument);
}

constexpr std::uint32_t kPass = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kForbid = SECCOMP_RET_ERRNO | EPERM;

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
  FenceCode code;
  code.load(offsetof(seccomp_data, arch));
  code.skip_if(kNativeArch, 3);
  code.load(offsetof(seccomp_data, nr));
  code.skip_if(if_guarded(kCompatIoctl), 6);  // to the terminal's
  code.give(kPass);
  code.load(offsetof(seccomp_data, nr));
  code.skip_if(SYS_prctl, 8);  // to the mark's
  code.skip_if(if_guarded(SYS_ioctl), 2);
  code.skip_if(if_guarded(kX32Ioctl), 1);
  code.give(kPass);
  code.load(low_half(1));  // the terminal's
  code.skip_if(TIOCSTI, 2);
  code.skip_if(TIOCLINUX, 1);
  code.give(kPass);
  code.give(kForbid);
  code.load(low_half(0));  // the mark's
  code.skip_if(static_cast<std::uint32_t>(kFenceAsk), 1);
  code.give(kPass);
  code.load(low_half(1));
  for (std::size_t i = 0; i < mark.size(); ++i) {
    code.skip_unless(static_cast<std::uint32_t>(i), 1);
    code.give(SECCOMP_RET_ERRNO | (kFenceAnswer + static_cast<unsigned char>(mark[i])));
  }
  code.give(SECCOMP_RET_ERRNO | kFenceAnswer);
  return code.finish();
}

int install_fence(const std::vector<sock_filter>& filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  const long done =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
  return done == 0 ? 0 : errno;
}

}  // namespace gittxn::capture
