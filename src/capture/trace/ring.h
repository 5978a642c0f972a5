// The monitor's side of the ring (ring_layout.h): shared memory in which the preloaded library of
// each traced process writes the paths it reads.
//
// The traced tree can write all of it, so every entry is copied, then checked; what no library of
// ours would have written is damage, and the caller then makes the set unknown. Nobody is ever
// waited for: an entry whose call has not returned is taken as it stands (`assumed`), and a writer
// that has not finished its entry is told to make its call outside, where it is notified.
//
// The memory has no name in the file system: the library opens it through /proc/<monitor>/fd, so it
// is gone with the monitor, whatever happens. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "capture/trace/ring_layout.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

class Ring {
 public:
  static Result<std::unique_ptr<Ring>> create(std::uint32_t bugs = 0);  // of ring::Bug
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // What the kernel calls the memory of every ring; no file system has it.
  static constexpr const char* kPath = "/memfd:git-txn-trace (deleted)";

  // What the library has to know; `page` is where the filter allows path reads.
  const ring::Config& config() const { return config_; }

  // Whether the sixth argument of a call is the library's.
  bool is_greeting(std::uint64_t argument) const {
    return argument >> 24 == config_.secret && (argument & ring::kMaxProcesses) != 0;
  }
  // The process that waits in a notified call says which number it has, if it is a greeting;
  // entries of a number that was never met are damage. A call that takes no sixth argument has in
  // that register whatever the program left there, so a number is believed only where one can be
  // new: nobody else was met with it, and the process's own, of the program it ran before, is
  // lower.
  void greets(std::uint64_t argument, pid_t process);

  // Before a call is let go that changes the path of a directory; while `moving`, relative paths
  // are notified.
  enum class Directories { kStand, kMove };
  void directories_change();
  void set_directories(Directories now);

  // Must be called before a call is let go that may change the file at some path.
  void something_changes();

  // Must be called before a call is let go that no library made: it may open something.
  void another_calls();

  // All that was claimed before this moment has a lower position.
  std::uint64_t mark() const;
  // Hands out, in order, all before `mark`. kCorrupt: the ring is damaged; it is closed, and the
  // library goes on without it. Records whose call has not returned are assumed, and not predicted.
  // One is lent until `sink` returns, which may number it and nothing else.
  Status drain(std::uint64_t mark, const std::function<void(Record&)>& sink);
  // The library writes no more; what it has written can still be drained.
  void close();

  ring::Shared* shared_for_test() { return shared_; }

 private:
  Ring() = default;
  enum class Step { kNothing, kEntry };
  Result<Step> take(std::uint64_t position, ring::Slot* entry);
  Status tell(const ring::Slot& entry, Record& record) const;
  void find_the_dead();

  UniqueFd memory_;
  ring::Shared* shared_ = nullptr;
  ring::Config config_{};
  std::uint64_t head_ = 0;
  std::unordered_map<std::uint32_t, pid_t> processes_;
  std::unordered_map<pid_t, std::uint32_t> numbers_;
  // Numbers that write no more, and the position by which all of theirs is handed out.
  struct Leaving {
    std::uint32_t number;
    std::uint64_t mark;
  };
  std::vector<Leaving> leaving_;
  std::size_t limit_ = 1u << 12;
};

// The library of a run.
struct Preloaded {
  std::unique_ptr<Ring> ring;  // none: no library
  std::string library;         // loading it is nothing the command asked for
};

}  // namespace gittxn::capture
