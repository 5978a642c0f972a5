// The child's half calls only what is safe between fork and exec. Copies of the places are taken
// before the whole is made read-only, and put over it afterwards: so no mount is ever made writable
// that was not, and a place inside of another one is put there last.
#include "capture/trace/confine/view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace gittxn::capture {

namespace {

bool write_map(const char* path, std::string_view text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

int own_namespace(const ViewPlan& plan) {
  if (::unshare(CLONE_NEWNS) == 0) return 0;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
  const bool written = write_map("/proc/self/setgroups", "deny") &&
                       write_map("/proc/self/uid_map", plan.uid_map) &&
                       write_map("/proc/self/gid_map", plan.gid_map);
  return written ? 0 : errno;
}

int make_read_only(int at, const char* path, unsigned flags) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  const long done =
      ::syscall(SYS_mount_setattr, at, path, flags | AT_RECURSIVE, &attributes, sizeof attributes);
  return done == 0 ? 0 : errno;
}

// 0 or an errno. What has gone needs no place.
int copy_place(ViewPlace* place) {
  place->copy = static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, place->path.c_str(),
                                           OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  if (place->copy < 0) return errno == ENOENT ? 0 : errno;
  const bool writable = place->kind == ViewPlace::Kind::kWritable;
  return writable ? 0 : make_read_only(place->copy, "", AT_EMPTY_PATH);
}

// The capabilities that containers leave to their administrators, without CAP_MKNOD.
constexpr std::array kRightsKept = {CAP_CHOWN,    CAP_DAC_OVERRIDE,     CAP_FOWNER,  CAP_FSETID,
                                    CAP_KILL,     CAP_SETGID,           CAP_SETUID,  CAP_SETPCAP,
                                    CAP_SETFCAP,  CAP_NET_BIND_SERVICE, CAP_NET_RAW, CAP_SYS_CHROOT,
                                    CAP_IPC_LOCK, CAP_AUDIT_WRITE};

}  // namespace

ViewPlan plan_view(std::vector<ViewPlace> places) {
  std::ranges::stable_sort(
      places, [](const ViewPlace& a, const ViewPlace& b) { return a.path.size() < b.path.size(); });
  ViewPlan plan;
  plan.places = std::move(places);
  plan.uid_map = fmt::format("{0} {0} 1", ::geteuid());
  plan.gid_map = fmt::format("{0} {0} 1", ::getegid());
  return plan;
}

int enter_view(ViewPlan& plan) {
  if (const int error = own_namespace(plan); error != 0) return error;
  // Later mounts of the person appear inside; none of ours appears outside.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return errno;
  for (ViewPlace& place : plan.places) {
    if (const int error = copy_place(&place); error != 0) return error;
  }
  if (const int error = make_read_only(AT_FDCWD, "/", 0); error != 0) return error;
  for (const ViewPlace& place : plan.places) {
    if (place.copy < 0) continue;
    const long moved = ::syscall(SYS_move_mount, place.copy, "", AT_FDCWD, place.path.c_str(),
                                 MOVE_MOUNT_F_EMPTY_PATH);
    if (moved != 0) return errno;
    ::close(place.copy);
  }
  return 0;
}

int drop_privileges() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (std::ranges::find(kRightsKept, capability) != kRightsKept.end()) continue;
    // Without CAP_SETPCAP there are none to gain either, for new ones are refused (no_new_privs).
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) return errno;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return errno;
  std::array<std::uint32_t, 2> kept{};
  for (const int capability : kRightsKept) {
    kept.at(static_cast<std::size_t>(capability) / 32) |= 1u << (capability % 32);
  }
  for (std::size_t half = 0; half < sets.size(); ++half) {
    sets.at(half).effective &= kept.at(half);
    sets.at(half).permitted &= kept.at(half);
    sets.at(half).inheritable &= kept.at(half);
  }
  return ::syscall(SYS_capset, &header, sets.data()) == 0 ? 0 : errno;
}

Status probe_view() {
  ViewPlan plan = plan_view({{"/tmp", ViewPlace::Kind::kWritable}});
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, "start a process");
  if (child == 0) ::_exit(std::min(enter_view(plan), 255));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  if (error == 0) return {};
  return fail(Code::kUnsupported,
              fmt::format("this machine gives no mount namespace: {}", std::strerror(error)),
              "run as a user who may have user namespaces, or as the machine's administrator");
}

}  // namespace gittxn::capture
