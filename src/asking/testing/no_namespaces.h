// A machine that gives no namespaces, for a test in a process of its own (base/testing/child.h).
#pragma once

#include <seccomp.h>

#include <cerrno>

namespace gittxn::asking::testing {

// Takes them from this process and its children for ever. False: it could not be done.
inline bool without_namespaces() {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  const bool done = filter != nullptr &&
                    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0) == 0 &&
                    seccomp_load(filter) == 0;
  seccomp_release(filter);
  return done;
}

}  // namespace gittxn::asking::testing
