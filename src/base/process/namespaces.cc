// setns(2) for a mount namespace puts a process at that namespace's own root, which is outside of a
// chroot the caller lives in: so the root is entered again by descriptor.
#include "base/namespaces.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace gittxn {

int enter_namespaces(const NamespaceFds& fds) {
  if (fds.mount < 0) return 0;
  if (fds.user >= 0 && ::setns(fds.user, CLONE_NEWUSER) != 0) return errno;
  if (::setns(fds.mount, CLONE_NEWNS) != 0) return errno;
  if (fds.root < 0) return 0;
  struct stat wanted{};
  struct stat here{};
  if (::fstat(fds.root, &wanted) != 0 || ::stat("/", &here) != 0) return errno;
  if (wanted.st_dev == here.st_dev && wanted.st_ino == here.st_ino) return 0;
  if (::fchdir(fds.root) != 0 || ::chroot(".") != 0 || ::chdir("/") != 0) return errno;
  return 0;
}

}  // namespace gittxn
