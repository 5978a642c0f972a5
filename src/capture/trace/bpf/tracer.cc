// The eBPF back end: loads the programs, puts the command into the set of traced processes, and
// drains their ring. Nothing stops a traced process: no filter, no listener, no lost setuid bit;
// what it did arrives a few milliseconds later.
//
// The ring is emptied by a clock and not by wake-ups, which would cost each call more than the
// record does. It holds what two processors can write in many such periods; what does not fit is
// counted in the kernel, and one lost event makes the read set unknown. The thread that empties it
// does nothing else; another one makes the records (backlog.h). After the tree is gone the ring is
// emptied once more, so nothing is left in it.
//
// Programs, maps and ring belong to descriptors of the monitor: if it dies they are gone with it.
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/bug.h"
#include "base/clock.h"
#include "capture/trace/tracer.h"

#ifdef GIT_TXN_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capture/trace/bpf/backlog.h"
#include "capture/trace/bpf/event.h"
#include "capture/trace/bpf/join.h"
#include "capture/trace/bpf/kernel_types.h"
#include "capture/trace/bpf/object.h"
#endif

namespace gittxn::capture {

#ifdef GIT_TXN_BPF

namespace {

constexpr std::chrono::milliseconds kShortestWait{2}, kLongestWait{32};
constexpr std::uint32_t kRingBytes = 16u << 20;
// What the programs know a process by are numbers of the first PID namespace (PROC_PID_INIT_INO).
constexpr std::string_view kFirstPidNamespace = "pid:[4026531836]";

// libbpf says why something failed in lines for people; the last that warn are kept.
std::string* messages() {
  static std::string text;
  return &text;
}

int keep_message(libbpf_print_level level, const char* format, va_list args) {
  constexpr std::size_t kKept = 400;
  if (level != LIBBPF_WARN) return 0;
  std::array<char, 512> line;
  const int size = std::vsnprintf(line.data(), line.size(), format, args);
  if (size <= 0 || messages()->size() > kKept) return 0;
  const std::string_view text(line.data(), std::strlen(line.data()));
  messages()->append(text.substr(0, text.find('\n'))).append("; ");
  return 0;
}

std::unexpected<Error> refused(std::string_view what, int error) {
  std::string why = *messages();
  if (why.size() > 2) why.resize(why.size() - 2);
  return fail(Code::kUnsupported,
              fmt::format("{}: {}{}{}", what, std::strerror(error), why.empty() ? "" : ": ", why));
}

bool has_capability(const std::array<__user_cap_data_struct, 2>& data, unsigned number) {
  return (data[number / 32].effective & (1u << number % 32)) != 0;
}

class BpfTracer final : public Tracer {
 public:
  BpfTracer(TreeState* tree, RecordWriter* writer, std::size_t ring_bytes)
      : Tracer(tree, writer),
        ring_bytes_(ring_bytes),
        join_([this](Record record) { writer_->add(std::move(record)); }, boot_time_ns()) {}
  ~BpfTracer() override {
    stop();
    ::ring_buffer__free(ring_);
    for (bpf_link* link : links_) ::bpf_link__destroy(link);
    ::bpf_object__close(object_);
  }
  Status start() override;
  void stop() override;

 private:
  Status load();
  Status open_object(const std::string& types);
  Status attach();
  void empty_ring();
  void count_losses();

  std::size_t ring_bytes_;
  BpfJoin join_;
  bpf_object* object_ = nullptr;
  std::vector<bpf_link*> links_;
  ring_buffer* ring_ = nullptr;
  Backlog backlog_;
  std::promise<void> stop_;
  std::thread emptying_;
  std::thread joining_;
};

Status BpfTracer::open_object(const std::string& types) {
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "git_txn",
              .btf_custom_path = types.c_str());
  object_ = ::bpf_object__open_mem(kBpfObject.data(), kBpfObject.size(), &options);
  if (object_ == nullptr) return refused("the programs cannot be opened", errno);
  std::size_t size = 0;
  bpf_map* constants = ::bpf_object__find_map_by_name(object_, ".rodata");
  void* initial = constants == nullptr
                      ? nullptr
                      : const_cast<void*>(::bpf_map__initial_value(constants, &size));
  if (initial == nullptr || size != sizeof(BpfSettings)) {
    return fail(Code::kFault, "the eBPF programs and their tracer do not fit together");
  }
  const BpfSettings settings = bpf_settings();
  std::memcpy(initial, &settings, sizeof settings);
  const auto bytes = static_cast<std::uint32_t>(ring_bytes_ == 0 ? kRingBytes : ring_bytes_);
  ::bpf_map__set_max_entries(::bpf_object__find_map_by_name(object_, "ring"), bytes);
  return {};
}

// libbpf reads the types, from a file only, when it loads.
Status BpfTracer::load() {
  const UniqueFd file(::memfd_create("kernel-types", MFD_CLOEXEC));
  if (!file.valid()) return fail_errno(errno, "make a memory file");
  TRY(open_object(fmt::format("/proc/self/fd/{}", file.get())));
  const std::string types = TRY(used_kernel_types(::bpf_object__btf(object_)));
  if (::write(file.get(), types.data(), types.size()) != static_cast<ssize_t>(types.size())) {
    return fail_errno(errno, "write a memory file");
  }
  const int error = -::bpf_object__load(object_);
  if (error != 0) return refused("the kernel does not take the programs", error);
  return {};
}

// The trace point of io_uring was renamed in Linux 6.3; where the kernel has no io_uring it has
// none.
Status BpfTracer::attach() {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_) {
    const bool is_uring = std::string_view(::bpf_program__name(program)) == "on_ring";
    bpf_link* link = ::bpf_program__attach(program);
    if (link == nullptr && errno == ENOENT && is_uring) {
      link = ::bpf_program__attach_raw_tracepoint(program, "io_uring_submit_sqe");
    }
    if (link == nullptr) {
      const int error = errno;
      if (is_uring && ::syscall(SYS_io_uring_setup, 0, nullptr) == -1 && errno == ENOSYS) continue;
      return refused("the programs cannot be attached", error);
    }
    links_.push_back(link);
  }
  return {};
}

Status BpfTracer::start() {
  ::libbpf_set_print(keep_message);
  messages()->clear();
  TRY(load());
  const auto root = static_cast<std::uint32_t>(tree_->root);
  const std::uint32_t none = 0;
  const int traced = ::bpf_object__find_map_fd_by_name(object_, "traced");
  if (::bpf_map_update_elem(traced, &root, &none, BPF_ANY) != 0) {
    return refused("the command cannot be traced", errno);
  }
  TRY(attach());
  const auto take = [](void* self, void* data, std::size_t size) {
    static_cast<BpfTracer*>(self)->backlog_.put({static_cast<const char*>(data), size});
    return 0;
  };
  ring_ =
      ::ring_buffer__new(::bpf_object__find_map_fd_by_name(object_, "ring"), take, this, nullptr);
  if (ring_ == nullptr) return refused("the ring cannot be mapped", errno);
  join_.begin(tree_->root);
  joining_ = std::thread([this] {
    while (backlog_.take([this](std::string_view event) { join_.take(event); })) continue;
  });
  emptying_ = std::thread([this] { empty_ring(); });
  return {};
}

void BpfTracer::empty_ring() {
  // Nobody waits for this thread, so on a busy machine the ring fills up while it has no processor.
  // Without the right to it it goes on as it is: what is lost is counted.
  constexpr int kAheadOfTheTraced = -10;
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kAheadOfTheTraced));
  const std::future<void> stopped = stop_.get_future();
  std::chrono::milliseconds wait = kShortestWait;
  do {
    const bool leaves = INJECTED_BUG("trace.bpf_ring_left");
    const int taken = leaves ? 0 : ::ring_buffer__consume(ring_);
    backlog_.flush();
    if (taken < 0) return fail_tracing("the trace lost its ring", -taken);
    wait = taken > 0 ? kShortestWait : std::min(2 * wait, kLongestWait);
  } while (stopped.wait_for(wait) == std::future_status::timeout);
}

void BpfTracer::stop() {
  if (!emptying_.joinable()) return;
  stop_.set_value();
  emptying_.join();
  while (!INJECTED_BUG("trace.bpf_ring_left") && ::ring_buffer__consume(ring_) > 0) continue;
  backlog_.close();
  joining_.join();
  count_losses();
}

void BpfTracer::count_losses() {
  const std::uint32_t first = 0;
  std::uint64_t count = 0;
  const int lost = ::bpf_object__find_map_fd_by_name(object_, "lost");
  if (::bpf_map_lookup_elem(lost, &first, &count) != 0) {
    return writer_->lose("the trace does not know what it lost");
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_) {
    bpf_prog_info info{};
    std::uint32_t size = sizeof info;
    if (::bpf_obj_get_info_by_fd(::bpf_program__fd(program), &info, &size) == 0) {
      count += info.recursion_misses;
    }
  }
  if (count != 0) {
    writer_->lose(fmt::format("{} events of the trace were lost: its ring was full", count));
  }
}

}  // namespace

Status may_use_bpf() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return fail_errno(errno, "ask for rights");
  const bool both = has_capability(data, CAP_BPF) && has_capability(data, CAP_PERFMON);
  if (!both && !has_capability(data, CAP_SYS_ADMIN)) {
    return fail(Code::kUnsupported, "it needs root, or CAP_BPF and CAP_PERFMON");
  }
  utsname kernel{};
  if (::uname(&kernel) != 0) return fail_errno(errno, "ask for the kernel's version");
  if (std::strtoul(kernel.release, nullptr, 10) < 6) {
    return fail(Code::kUnsupported, fmt::format("it needs Linux 6, this is {}", kernel.release));
  }
  const auto name = read_link("/proc/self/ns/pid");
  if (!name || *name != kFirstPidNamespace) {
    return fail(Code::kUnsupported, "it only works in the first PID namespace, not in a container");
  }
  return {};
}

std::unique_ptr<Tracer> make_bpf_tracer(TreeState* tree, RecordWriter* writer,
                                        std::size_t ring_bytes) {
  return std::make_unique<BpfTracer>(tree, writer, ring_bytes);
}

#else

Status may_use_bpf() {
  return fail(Code::kUnsupported, "this git-txn was built without it: " GIT_TXN_NO_BPF);
}

std::unique_ptr<Tracer> make_bpf_tracer(TreeState*, RecordWriter*, std::size_t) {
  return nullptr;  // may_use_bpf is asked first
}

#endif

}  // namespace gittxn::capture
