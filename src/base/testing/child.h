// A part of a test in a process of its own, which may be killed. For tests.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gittxn::testing {

// `body` gives the exit status; nothing that the parent has is destroyed there.
template <typename Body>
pid_t in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends the test ends it too
    ::_exit(body());
  }
  return child;
}

inline int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

inline bool was_killed(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace gittxn::testing
