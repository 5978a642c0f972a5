// The half of the eBPF back end that runs in the kernel, at the entry and the return of every
// system call and where processes begin and end. It keeps the set of traced processes, reads
// arguments where they are certain, and walks from directories to the root, so that the tracer
// never has to ask /proc for what may have changed since.
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "capture/trace/bpf/event.h"
#include "capture/trace/bpf/kernel.inc"
#include "capture/trace/bpf/parts.inc"

char bpf_license[] SEC("license") = "GPL";

// Traced processes. A child is put in by its parent before it can run.
struct Traced {
  __u32 faults;  // threads with an entry in `again`
};
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct Traced);
} traced SEC(".maps");

// Threads in a call whose memory was not there at its entry; read again at its return, when the
// kernel has brought it in.
struct Again {
  __u64 args[8];  // 6; the verifier likes a power of two
};
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct Again);
} again SEC(".maps");

// ---- calls ----

static __always_inline int is_compat(struct task_struct* task) {
#if defined(__TARGET_ARCH_x86)
  return BPF_CORE_READ(task, thread_info.status) & 2;  // TS_COMPAT
#else
  return (BPF_CORE_READ(task, thread_info.flags) >> 22) & 1;  // TIF_32BIT
#endif
}

static __always_inline __u64 argument(struct Scratch* s, __u32 position) {
  if (position == 0 || position > 6) return 0;
  return s->event.args[position - 1];
}

// A path and what it is relative to. Returns 0 when there is nothing to see, 2 after a fault.
CHECKED_ONCE int add_path(struct Scratch* s, __u32 text, __u32 dir, __u32 flags) {
  if (!s) return 0;
  __u64 address = argument(s, text);
  int offset = -1;
  char first = 0;
  if (address != 0) {
    offset = add_text(s, address, text - 1, 0);
    if (offset >= 0) first = data_at(s, offset);
  }
  if (first == '/') {
    char second = data_at(s, offset + 1);
    if (second == 'p' || second == 'd') add_alias(s, offset, text - 1);
    return 1;
  }
  if (first == 0 && (offset >= 0 || address == 0) && (flags & kBpfNoEmpty)) return 0;
  int descriptor = dir ? (int)argument(s, dir) : CURRENT_DIRECTORY;
  add_directory(s, descriptor, dir ? dir - 1 : 0);
  return address != 0 && offset < 0 ? 2 : 1;
}

static __always_inline int add_structure(struct Scratch* s, __u8 position, __u8 size, __u8 flags) {
  __u32 length = size;
  if (flags & kBpfAddress) length = argument(s, position + 1);
  if (length > 128) length = 128;
  if (length == 0) return 1;
  int offset = add_bytes(s, argument(s, position), position - 1, length);
  // A path of a local socket (AF_UNIX) may be relative.
  int local = offset < 0 || (data_at(s, offset) == 1 && data_at(s, offset + 1) == 0);
  if ((flags & kBpfAddress) && local) add_directory(s, CURRENT_DIRECTORY, 0);
  return offset < 0 ? 2 : 1;
}

// The beginning of struct msghdr.
struct MessageBegin {
  __u64 name;
  __u32 length;
  __u32 unused;
};

// The address that a message header names. Where the header is not in memory nothing is asked for
// again: its bytes are missing, and the tracer says so.
static __always_inline int add_message(struct Scratch* s, __u8 position, __u8 flags) {
  struct MessageBegin header = {};
  __u64 at = argument(s, position);
  if (add_bytes(s, at, position - 1, sizeof header) < 0) return 2;
  if (bpf_probe_read_user(&header, sizeof header, (void*)at) != 0) return 2;
  if (header.name == 0 || header.length == 0) return 1;
  s->event.args[4] = header.name;  // sendmsg and sendmmsg have four arguments at most
  s->event.args[5] = header.length;
  return add_structure(s, 5, 0, flags);
}

static __always_inline void keep_for_return(struct Scratch* s, struct Traced* process,
                                            __u32 thread) {
  struct Again kept = {};
  __builtin_memcpy(kept.args, s->event.args, sizeof s->event.args);
  if (bpf_map_update_elem(&again, &thread, &kept, BPF_ANY) == 0) {
    __sync_fetch_and_add(&process->faults, 1);
  } else {
    count_lost();
  }
}

static __always_inline void forget_for_return(struct Traced* process, __u32 thread) {
  if (process->faults != 0 && bpf_map_delete_elem(&again, &thread) == 0) {
    __sync_fetch_and_add(&process->faults, -1);
  }
}

// The registers lie as ptrace shows them, from r10 to orig_ax: one read for all. (A pointer of the
// kernel that is followed directly, instead of by a read, makes the verifier search all types by
// name, 0.3 ms each; so nothing here does.)
static __always_inline void read_arguments(struct Scratch* s, struct pt_regs* regs) {
#if defined(__TARGET_ARCH_x86)
  __u64 from_r10[8] = {};
  bpf_probe_read_kernel(from_r10, sizeof from_r10,
                        (void*)regs + bpf_core_field_offset(struct pt_regs, r10));
  s->event.args[0] = from_r10[7];
  s->event.args[1] = from_r10[6];
  s->event.args[2] = from_r10[5];
  s->event.args[3] = from_r10[0];
  s->event.args[4] = from_r10[2];
  s->event.args[5] = from_r10[1];
#else
  bpf_probe_read_kernel(s->event.args, sizeof s->event.args,
                        (void*)regs + bpf_core_field_offset(struct pt_regs, regs));
  s->event.args[0] = BPF_CORE_READ(regs, orig_x0);
#endif
}

static __always_inline long number_of(struct pt_regs* regs) {
#if defined(__TARGET_ARCH_x86)
  return BPF_CORE_READ(regs, orig_ax);
#else
  return BPF_CORE_READ(regs, syscallno);
#endif
}

static __always_inline void foreign(void) {
  __u64 both = bpf_get_current_pid_tgid();
  struct Scratch* s = begin(kBpfForeign, both >> 32, (__u32)both);
  if (s) send(s);
}

SEC("raw_tp/sys_enter")
int BPF_PROG(on_enter, struct pt_regs* regs, long id) {
  if ((__u64)id >= kBpfCalls) {
    if ((id & 0x40000000) && (settings.calls[id & (kBpfCalls - 1)].flags & kBpfMoves)) {
      __sync_fetch_and_add(&moves, 1);
    }
    __u32 process = bpf_get_current_pid_tgid() >> 32;
    if ((id & 0x40000000) && bpf_map_lookup_elem(&traced, &process)) foreign();
    return 0;
  }
  const volatile struct BpfCall* call = &settings.calls[id];
  __u8 flags = call->flags;
  if (flags == 0) return 0;
  if (flags & kBpfMoves) __sync_fetch_and_add(&moves, 1);
  __u64 both = bpf_get_current_pid_tgid();
  __u32 process = both >> 32, thread = both;
  struct Traced* member = bpf_map_lookup_elem(&traced, &process);
  if (!member) return 0;
  if (is_compat((void*)bpf_get_current_task())) {
    if (flags & kBpfCompat) foreign();
    return 0;
  }
  if (!(flags & kBpfNative)) return 0;
  struct Scratch* s = begin(kBpfEnter, process, thread);
  if (!s) return 0;
  s->event.number = id;
  read_arguments(s, regs);
  int first = 1, second = 1, third = 1;
  if (flags & kBpfAlwaysDir) {
    add_directory(s, (int)argument(s, call->dir), call->dir - 1);
  } else if (call->text) {
    first = add_path(s, call->text, call->dir, flags);
    if (first == 0) return 0;
  }
  if (call->text2 && call->plain2) {
    if (add_text(s, argument(s, call->text2), call->text2 - 1, 0) < 0) second = 2;
  } else if (call->text2) {
    second = add_path(s, call->text2, call->dir2, 0);
  }
  if (flags & kBpfMessage) {
    third = add_message(s, call->bytes, flags);
  } else if (call->bytes) {
    third = add_structure(s, call->bytes, call->size, flags);
  }
  if (first == 2 || second == 2 || third == 2) keep_for_return(s, member, thread);
  send(s);
  return 0;
}

static __always_inline void met_file(struct Scratch* s, struct file* file) {
  struct inode* inode = BPF_CORE_READ(file, f_inode);
  __u32 device = BPF_CORE_READ(inode, i_sb, s_dev);
  s->event.mode = BPF_CORE_READ(inode, i_mode);
  s->event.out.inode = BPF_CORE_READ(inode, i_ino);
  s->event.out.major = device >> 20;
  s->event.out.minor = device & 0xfffff;
}

// The first members of struct stat and struct statx, as the kernel has just filled them in.
struct StatBegin {
  __u64 device, inode;
#if defined(__TARGET_ARCH_x86)
  __u64 links;
  __u32 mode;
#else
  __u32 mode, links;
#endif
};
struct StatxBegin {
  __u32 unused[7];
  __u16 mode, unused2;
  __u64 inode;
  __u64 unused3[12];
  __u32 major, minor;
};

static __always_inline void met_object(struct Scratch* s, __u8 object, __u64 buffer, long result) {
  if (object == kBpfDescriptor) {
    struct file* file = file_of((void*)bpf_get_current_task(), result);
    if (!file) return;
    met_file(s, file);
    s->event.out.made = (BPF_CORE_READ(file, f_mode) & FILE_WAS_MADE) != 0;
  } else if (object == kBpfStatBuffer) {
    struct StatBegin info;
    if (bpf_probe_read_user(&info, sizeof info, (void*)buffer) != 0) return;
    s->event.mode = info.mode;
    s->event.out.inode = info.inode;
    s->event.out.major = ((info.device >> 8) & 0xfff) | ((info.device >> 32) & ~0xfffu);
    s->event.out.minor = (info.device & 0xff) | ((info.device >> 12) & ~0xffu);
  } else if (object == kBpfStatxBuffer) {
    struct StatxBegin info;
    if (bpf_probe_read_user(&info, sizeof info, (void*)buffer) != 0) return;
    s->event.mode = info.mode;
    s->event.out.inode = info.inode;
    s->event.out.major = info.major;
    s->event.out.minor = info.minor;
  }
}

// The arguments that a buffer can be in are as they were at the entry.
static __always_inline __u64 buffer_of(struct pt_regs* regs, __u8 position) {
#if defined(__TARGET_ARCH_x86)
  if (position == 2) return BPF_CORE_READ(regs, si);
  if (position == 3) return BPF_CORE_READ(regs, dx);
  return BPF_CORE_READ(regs, r8);
#else
  if (position == 2) return BPF_CORE_READ(regs, regs[1]);
  if (position == 3) return BPF_CORE_READ(regs, regs[2]);
  return BPF_CORE_READ(regs, regs[4]);
#endif
}

// What could not be read at the entry. The event of the entry has the directories.
CHECKED_ONCE int read_again(struct Scratch* s, __u32 thread, __u32 id) {
  if (!s || id >= kBpfCalls) return 0;
  const volatile struct BpfCall* call = &settings.calls[id];
  struct Again* kept = bpf_map_lookup_elem(&again, &thread);
  if (!kept) return 0;
  __u32 text = call->text, text2 = call->text2, bytes = call->bytes, size = call->size;
  if (text) {
    int offset = add_text(s, kept->args[(text - 1) & 7], text - 1, 0);
    if (offset >= 0) add_alias(s, offset, text - 1);
  }
  if (text2) {
    int offset = add_text(s, kept->args[(text2 - 1) & 7], text2 - 1, 0);
    if (offset >= 0 && !call->plain2) add_alias(s, offset, text2 - 1);
  }
  if (call->flags & kBpfMessage) {  // where the header was there and the address was not
    __u64 length = kept->args[5];
    if (length != 0) add_bytes(s, kept->args[4], 4, length > 128 ? 128 : length);
  } else if (bytes) {
    if (call->flags & kBpfAddress) {
      __u64 length = kept->args[bytes & 7];
      size = length > 128 ? 128 : length;
    }
    if (size) add_bytes(s, kept->args[(bytes - 1) & 7], bytes - 1, size);
  }
  return 1;
}

SEC("raw_tp/sys_exit")
int BPF_PROG(on_return, struct pt_regs* regs, long result) {
  __u64 id = number_of(regs);
  if (id >= kBpfCalls) return 0;
  const volatile struct BpfCall* call = &settings.calls[id];
  if (call->flags & kBpfMoves) __sync_fetch_and_add(&moves, 1);
  if (!(call->flags & kBpfNative)) return 0;
  __u64 both = bpf_get_current_pid_tgid();
  __u32 process = both >> 32, thread = both;
  struct Traced* member = bpf_map_lookup_elem(&traced, &process);
  if (!member || is_compat((void*)bpf_get_current_task())) return 0;
  struct Scratch* s = begin(kBpfReturn, process, thread);
  if (!s) return 0;
  s->event.number = id;
  s->event.out.result = result;
  s->event.out.inode = 0;
  s->event.out.major = 0;
  s->event.out.minor = 0;
  s->event.out.made = 0;
  if (result >= 0 && call->object) {
    met_object(s, call->object, buffer_of(regs, call->buffer), result);
  }
  if (member->faults != 0) {
    read_again(s, thread, id);
    forget_for_return(member, thread);
  }
  send(s);
  return 0;
}

// ---- processes ----

SEC("raw_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
  __u32 process = BPF_CORE_READ(parent, tgid), made = BPF_CORE_READ(child, tgid);
  if (process == made || !bpf_map_lookup_elem(&traced, &process)) return 0;
  struct Traced member = {};
  if (bpf_map_update_elem(&traced, &made, &member, BPF_ANY) != 0) count_lost();
  struct Scratch* s = begin(kBpfFork, made, process);
  if (s) send(s);
  return 0;
}

struct Words {
  struct Scratch* s;
  __u64 at, end;
};

static long send_words(__u32 index, struct Words* words) {
  struct Scratch* s = words->s;
  if (words->at >= words->end) return 1;
  __u64 left = words->end - words->at;
  __u32 size = left > kBpfPath ? kBpfPath : left;
  s->used = 0;
  s->event.parts_used = 0;
  struct BpfPart* part = new_part(s, kBpfBytes, 0);
  if (!part) return 1;
  part->cut = left > size;
  if (bpf_probe_read_user(s->data, size, (void*)words->at) != 0) {
    part->state = kBpfFault;
    send(s);
    return 1;
  }
  part->size = size;
  s->used = size;
  words->at += size;
  send(s);
  return 0;
}

// Adds what a descriptor leads to, behind what was found before.
CHECKED_ONCE int add_given(struct Scratch* s, int descriptor) {
  if (!s) return 0;
  __u32 used = s->used;
  if (used > 2 * sizeof(struct BpfGiven)) return 0;
  struct BpfGiven* given = (void*)s->data + used;
  s->used = used + sizeof *given;
  __builtin_memset(given, 0, sizeof *given);
  struct file* file = file_of((void*)bpf_get_current_task(), descriptor);
  if (!file) return 0;
  struct inode* inode = BPF_CORE_READ(file, f_inode);
  __u32 device = BPF_CORE_READ(inode, i_sb, s_dev);
  __u32 is_device = BPF_CORE_READ(inode, i_rdev);
  given->mode = BPF_CORE_READ(inode, i_mode);
  given->inode = BPF_CORE_READ(inode, i_ino);
  given->major = device >> 20;
  given->minor = device & 0xfffff;
  given->device_major = is_device >> 20;
  given->device_minor = is_device & 0xfffff;
  if ((given->mode & TYPE_MASK) != REGULAR) return 0;
  given->at = BPF_CORE_READ(file, f_pos);
  given->open_flags = BPF_CORE_READ(file, f_flags);
  struct Place at = {};
  place_of_file(file, &at);
  given->place = place_of(&at);
  return 0;
}

// Standard input, output and error.
static __always_inline void send_given(__u32 process, __u32 thread) {
  struct Scratch* s = begin(kBpfGiven, process, thread);
  struct BpfPart* part = s ? new_part(s, kBpfBytes, 0) : 0;
  if (!part) return;
  add_given(s, 0);
  add_given(s, 1);
  add_given(s, 2);
  part->size = s->used;
  send(s);
}

// The words lie one behind the other on the new stack, where the kernel has just put them: first
// the arguments, then the environment.
SEC("raw_tp/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task, int former, struct linux_binprm* program) {
  __u64 both = bpf_get_current_pid_tgid();
  __u32 process = both >> 32, thread = both, before = former;
  struct Traced* member = bpf_map_lookup_elem(&traced, &process);
  if (!member) return 0;
  forget_for_return(member, before);  // its memory is another one now
  struct Scratch* s = begin(kBpfArguments, process, thread);
  if (!s) return 0;
  struct mm_struct* memory = BPF_CORE_READ(task, mm);
  struct Words words = {.s = s};
  words.at = BPF_CORE_READ(memory, arg_start);
  words.end = BPF_CORE_READ(memory, arg_end);
  bpf_loop(kBpfArgumentEvents, send_words, &words, 0);
  s->event.type = kBpfEnvironment;
  words.at = BPF_CORE_READ(memory, env_start);
  words.end = BPF_CORE_READ(memory, env_end);
  bpf_loop(kBpfEnvironmentEvents, send_words, &words, 0);
  send_given(process, thread);
  s = begin(kBpfExec, process, thread);
  if (!s) return 0;
  s->event.out.result = 0;
  s->event.out.former = before;
  met_file(s, BPF_CORE_READ(program, file));
  add_text(s, (__u64)BPF_CORE_READ(program, filename), 0, 1);
  add_text(s, (__u64)BPF_CORE_READ(program, interp), 1, 1);
  add_directory(s, CURRENT_DIRECTORY, 0);
  send(s);
  return 0;
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(on_end, struct task_struct* task) {
  __u64 both = bpf_get_current_pid_tgid();
  __u32 process = both >> 32, thread = both;
  struct Traced* member = bpf_map_lookup_elem(&traced, &process);
  if (!member) return 0;
  forget_for_return(member, thread);
  struct Scratch* s = begin(kBpfEnd, process, thread);
  if (!s) return 0;
  // The status of the process, whatever this thread says; set when the last thread begins to end.
  int known = BPF_CORE_READ(task, signal, flags) & 4;  // SIGNAL_GROUP_EXIT
  s->event.out.result = known ? BPF_CORE_READ(task, signal, group_exit_code) : -1;
  // The count of living threads went down before we are asked.
  s->event.out.last = BPF_CORE_READ(task, signal, live.counter) == 0;
  send(s);
  if (s->event.out.last) bpf_map_delete_elem(&traced, &process);
  return 0;
}

// Before Linux 6.3 it is called io_uring_submit_sqe.
SEC("raw_tp/io_uring_submit_req")
int BPF_PROG(on_ring, struct io_kiocb* request) {
  __u8 opcode = BPF_CORE_READ(request, opcode);
  if (opcode == 35 || opcode == 36) __sync_fetch_and_add(&moves, 1);  // renameat, unlinkat
  if (opcode >= 64 || !((settings.uring_paths >> opcode) & 1)) return 0;
  __u64 both = bpf_get_current_pid_tgid();
  __u32 process = both >> 32;
  if (!bpf_map_lookup_elem(&traced, &process)) return 0;
  struct Scratch* s = begin(kBpfUring, process, (__u32)both);
  if (!s) return 0;
  s->event.number = opcode;
  send(s);
  return 0;
}
