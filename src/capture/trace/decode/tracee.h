// Looking into a traced process from outside: its memory, its directories, its family.
//
// Everything here races with the process, which can change its memory or die at any moment: this is
// a monitor and not a security boundary. What is read is worth something only when the call it
// belongs to is still waiting afterwards; the back ends check that.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

// ERESTARTSYS ... ERESTART_RESTARTBLOCK: a signal came first and the call is made again, or fails
// with EINTR: either way nothing was seen.
constexpr bool was_restarted(std::int64_t result) {
  return result <= -512 && result >= -516;
}

enum class Peek {
  kOk,
  kFault,   // no such memory: the kernel will say EFAULT too
  kGone,    // the process was killed: the call never happens
  kDenied,  // not allowed to look (a process that made itself undumpable)
  kLong,    // no end within the limit
  kNoPath,  // a directory whose path cannot be told: deeper than PATH_MAX, or outside the root
};

Peek peek_bytes(pid_t tid, std::uint64_t address, void* out, std::size_t size);
Peek peek_string(pid_t tid, std::uint64_t address, std::size_t limit, std::string* out);
// The arguments and variables that a program is given when it starts.
struct Start {
  std::vector<std::string> arguments;
  // Each variable with a NUL behind it; not known: it cannot be read, or is longer than is looked
  // at.
  std::string environment;
  bool environment_known = false;
};
// Both vectors, with as few looks at the memory as one of them takes. Says how that went for the
// arguments; kLong: there are more than are kept (trace.h), and those are not in `out`.
Peek peek_start(pid_t tid, std::uint64_t arguments, std::uint64_t environment, Start* out);

// The path that a link below /proc/<tid> says: "cwd", "fd/3". kFault: there is none (no such
// descriptor, a socket).
Peek proc_path(pid_t tid, const std::string& name, std::string* out);
// The path behind a descriptor.
Peek descriptor_path(pid_t tid, int descriptor, std::string* out);
// argv of a running process, for people; "[name]" when it has none.
std::string command_line(pid_t pid);

// Of /proc/<pid>/stat.
struct ProcessStat {
  char state = '\0';
  pid_t parent = 0;
  int threads = 0;
  std::uint64_t started = 0;  // in ticks since boot; 0: it is gone
};
ProcessStat process_stat(pid_t pid);

// Thread -> process and parent. A number can come back for another process after the kernel's
// counter went round, which takes seconds at the very least; so an entry is believed for a second
// and then checked again by the time its thread was started. Of numbers that are gone only a
// bounded lot is kept.
class Family {
 public:
  explicit Family(pid_t monitor) : monitor_(monitor) {}
  struct Member {
    pid_t process = 0;
    pid_t parent = 0;  // 0: the command itself, or its parent has ended
    int code = -1;     // with which it began to end; -1: it has not, as far as is known
  };
  // The process of a thread. Appends a kFork to `news` for each process seen for the first time,
  // ancestors first. A thread that is gone already is its own process.
  const Member& of(pid_t tid, std::vector<Record>* news);
  void forget(pid_t tid) { threads_.erase(tid); }
  // True if `of` was asked for this process, or for one of its threads.
  bool knows(pid_t process) const {
    const auto known = threads_.find(process);
    return known != threads_.end() && known->second.member.process == process;
  }
  // ... or a call of this thread would be the first of its process.
  bool is_new(pid_t tid) const;
  // One thread of a process begins to end it. False: another one said another code before, and
  // which came first in the kernel is not known.
  bool ends(pid_t process, int code);
  // A descriptor (pidfd) of the process that a thread leads; -1: it leads none. Kept here until the
  // next call.
  int descriptor_of(pid_t tid);

 private:
  struct Entry {
    Member member;
    std::uint64_t started = 0;
    std::int64_t checked_ms = 0;
  };
  Entry look(pid_t tid);
  void announce(const Member& member, int depth, std::vector<Record>* news);
  void drop_the_dead();

  pid_t monitor_;
  UniqueFd opened_;
  pid_t opened_for_ = 0;
  std::unordered_map<pid_t, Entry> threads_;
  std::size_t limit_ = 1u << 14;
};

// Current directories, remembered because asking costs as much as the rest of a look-up. What can
// change one (chdir of a thread that shares it, a rename or removal of a directory, a mount) is
// itself a traced call, but takes effect only after it was let go: until its thread is seen again,
// waits in another call, or is gone, nothing is believed and everybody is asked. Before the first
// such call all stand where the command does.
class WorkingDirs {
 public:
  Peek of(pid_t tid, std::string* out);
  void returned(pid_t tid) {  // it makes another call, so its last one is over
    if (!changing_.empty()) std::erase(changing_, tid);
  }
  void forget(pid_t tid) { known_.erase(tid); }  // a number that was given out again
  // It is about to make a call that can change its own, or any of them.
  enum class Scope { kOwn, kAny };
  void changes(pid_t tid, std::uint32_t call, Scope scope);
  // A thread is about to get one, or descriptors, that its process does not share: from then on
  // what is known of one thread says nothing of another.
  void part() { parted_ = true; }
  bool parted() const { return parted_; }
  bool moving();  // a call that can change any of them has not returned, as far as is known
  std::uint64_t moves() const { return moves_; }  // how many such calls there were

 private:
  struct Change {
    pid_t tid;
    std::uint32_t call;
    Scope scope;
    bool operator==(pid_t other) const { return tid == other; }
  };
  bool settled();
  bool parted_ = false;
  bool changed_ = false;  // or some call was about to
  std::string first_;     // where the command stands, and all its tree until then
  std::vector<Change> changing_;
  std::uint64_t moves_ = 0;
  std::unordered_map<pid_t, std::string> known_;
};

}  // namespace gittxn::capture
