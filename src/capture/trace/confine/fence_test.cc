// The filter's answers, and the walk, in processes of their own: a filter is never taken off again.
#include "capture/trace/confine/fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "base/fence.h"
#include "base/fs.h"

namespace gittxn::capture {
namespace {

using ::testing::ElementsAre;

// The result of `say` in a child that has the filter, where there is one.
std::string said_below(const std::vector<sock_filter>& filter,
                       const std::function<std::string()>& say) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const int error = filter.empty() ? 0 : install_fence(filter);
    const std::string said = error == 0 ? say() : "not installed";
    static_cast<void>(write_all(write_end.get(), said).has_value());
    ::_exit(0);
  }
  write_end.reset();
  const auto text = read_fd(read_end.get(), 4096);
  ::waitpid(child, nullptr, 0);
  return text ? *text : text.error().message;
}

// In a process number, user and mount namespace of its own, as process 1 there.
std::string said_in_namespaces(const std::function<std::string()>& say) {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) != 0) return "no namespaces here";
  return said_below({}, say);
}

TEST(Fence, TheMarkIsToldByTheKernel) {
  const auto filter = make_fence("t-7k2m t-abcd", Typing::kAllowed);
  EXPECT_EQ(said_below(filter, fence_mark), "t-7k2m t-abcd");
  EXPECT_THAT(ids_of_mark("t-7k2m t-abcd"), ElementsAre("t-7k2m", "t-abcd"));
  EXPECT_THAT(ids_of_mark(""), ElementsAre());
}

TEST(Fence, TheMarkIsKnownInNamespacesAndBelowForks) {
  const auto filter = make_fence("t-7k2m", Typing::kAllowed);
  const auto below = [] { return said_below({}, fence_mark); };
  EXPECT_EQ(said_below(filter, below), "t-7k2m");
  const auto nested = [] { return said_in_namespaces(fence_mark); };
  const std::string said = said_below(filter, nested);
  if (said == "no namespaces here") GTEST_SKIP() << said;
  EXPECT_EQ(said, "t-7k2m");
}

// A new mark comes before those that the process has already.
TEST(Fence, AnInnerMarkNamesTheOuterOnes) {
  const auto mark = [](const char* id) {
    return [id] { return fence_for({{"GIT_TXN_ID", id}}).value_or("too many"); };
  };
  EXPECT_EQ(mark("t-2222")(), "t-2222");
  const auto filter = make_fence("t-1111", Typing::kAllowed);
  EXPECT_EQ(said_below(filter, mark("t-2222")), "t-2222 t-1111");
  EXPECT_EQ(said_below(filter, mark("t-1111")), "t-1111");
  EXPECT_EQ(said_below(filter, [] { return *fence_for({}); }), "t-1111");
  EXPECT_EQ(*fence_for({{"GIT_TXN_COMPENSATES", "t-3333"}}), "t-3333");
}

TEST(Fence, OtherCallsAreAsTheyWere) {
  const auto filter = make_fence("t-7k2m", Typing::kRefused);
  const auto other = [] {
    std::string said;
    if (::prctl(PR_SET_NAME, "fenced", 0, 0, 0) == 0) said += "named ";
    int width = 0;
    const std::array<int, 2> ends = [] {
      std::array<int, 2> pair{};
      static_cast<void>(::pipe(pair.data()));
      return pair;
    }();
    if (::ioctl(ends[0], FIONREAD, &width) == 0) said += "asked";
    return said;
  };
  EXPECT_EQ(said_below(filter, other), "named asked");
}

// A pipe is no terminal (ENOTTY): only the filter says EPERM.
TEST(Fence, NothingIsTypedIntoATerminal) {
  const auto type = [] {
    std::array<int, 2> ends{};
    static_cast<void>(::pipe(ends.data()));
    std::string said;
    for (const unsigned long request : {0x5412ul, 0x541cul}) {  // TIOCSTI, TIOCLINUX
      char byte = 'x';
      said += ::ioctl(ends[0], request, &byte) < 0 && errno == EPERM ? "refused " : "asked ";
    }
    return said;
  };
  EXPECT_EQ(said_below(make_fence("", Typing::kRefused), type), "refused refused ");
  EXPECT_EQ(said_below(make_fence("t-1", Typing::kAllowed), type), "asked asked ");
  EXPECT_TRUE(make_fence("", Typing::kAllowed).empty());
}

// Without a filter, by the name of a process above.
TEST(Fence, AProcessAboveNamesIt) {
  EXPECT_EQ(fence_name("t-7k2m t-abcd"), "git-txn t-7k2m");
  EXPECT_EQ(fence_name(""), "");
  const auto walk = [] {
    std::string said;
    for (const std::string& id : ids_of_ancestors()) said += id + " ";
    return said;
  };
  const auto below_monitor = [&] {
    ::prctl(PR_SET_NAME, fence_name("t-7k2m").c_str(), 0, 0, 0);
    return said_below({}, [&] {
      ::prctl(PR_SET_NAME, "command", 0, 0, 0);  // as exec does
      return said_below({}, walk);
    });
  };
  EXPECT_EQ(said_below({}, below_monitor), "t-7k2m ");
  EXPECT_EQ(said_below({}, walk), "");
}

}  // namespace
}  // namespace gittxn::capture
