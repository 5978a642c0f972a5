// Entering the mount namespace of another process, for a child that is about to exec. Descriptors,
// not process numbers: what is entered is what was opened, whoever has ended meanwhile.
#pragma once

namespace gittxn {

struct NamespaceFds {
  int user = -1;   // -1: the one we are in
  int mount = -1;  // -1: nothing is entered at all
  int root = -1;   // the root directory there, where that is not the namespace's own (chroot)
};

// 0 or an errno. Only for a process with one thread; safe between fork and exec. The current
// directory is the root afterwards.
int enter_namespaces(const NamespaceFds& fds);

}  // namespace gittxn
