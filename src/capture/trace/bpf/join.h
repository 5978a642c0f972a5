// From what the programs in the kernel saw to records: joins the entry of a call with its return,
// gives a process that starts a program its argument vector, and says where the trace was blind.
// Knows nothing of rings and programs; one thread uses it.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/trace/bpf/event.h"
#include "capture/trace/decode/environments.h"
#include "capture/trace/decode/tracee.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

class BpfJoin {
 public:
  // `boot_time_ns`: when the clock of events (CLOCK_BOOTTIME) was at 0, since 1970. Records get the
  // time of their call, however late they are joined.
  explicit BpfJoin(std::function<void(Record)> sink, std::int64_t boot_time_ns = 0)
      : sink_(std::move(sink)), boot_time_ns_(boot_time_ns) {}
  void begin(pid_t root) { fork(root, 0); }  // the command itself, before its first event
  void take(std::string_view event);         // in the order of the ring

 private:
  class View;
  struct Event {
    BpfEvent head{};
    std::array<std::string_view, kBpfMaxParts> bytes;  // of each part
    std::size_t parts() const { return head.parts_used; }
  };
  struct Pending {
    bool has_call = false;
    Record call;
    std::string again;  // the event itself, when memory was not there: read at the return
  };
  struct Place {
    std::uint32_t number = 0;
    Peek peek = Peek::kNoPath;
    std::string path;
  };
  // What the kernel put on the stack of a program that starts.
  struct Words {
    std::string text;
    bool read = true;   // memory was there
    bool whole = true;  // ... to their end, as far as events go
  };
  struct Stack {
    Words arguments, environment;
    std::vector<Given> given;
  };

  static bool parse(std::string_view raw, Event* event);
  Pending shape(View view, const Event& event) const;
  void keep_place(const Event& event);
  const Place& place(const BpfPart& part) const;
  void enter(const Event& event, std::string_view raw);
  Pending take_pending(std::uint32_t thread);
  void leave(const Event& event);
  void finish(Pending* pending, const Event& event);
  static void add_words(const Event& event, Words* words);
  std::vector<Given> given_in(const Event& event) const;
  void execute(const Event& event);
  void end(const Event& event);
  void fork(pid_t process, pid_t parent);
  void emit(Record record);
  void blind(pid_t process, std::string reason);

  std::function<void(Record)> sink_;
  std::int64_t boot_time_ns_;
  std::int64_t now_ms_ = 0;                             // of the event at hand; 0: not known
  std::unordered_map<std::uint32_t, Pending> pending_;  // by thread
  std::unordered_map<std::uint32_t, Stack> stacks_;
  std::unordered_map<pid_t, pid_t> parents_;  // of the processes that live
  // By number, in a circle.
  std::vector<Place> places_ = std::vector<Place>(std::size_t{2} * kBpfPlacesUsed);
  Environments environments_;
  bool mounts_changed_ = false;
};

}  // namespace gittxn::capture
