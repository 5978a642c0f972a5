// Messages between the programs in the kernel (trace.bpf.c) and the tracer. Compiled twice, by
// clang's BPF target as C and with the tracer as C++; it never leaves the machine.
//
// A call is two events, kBpfEnter and kBpfReturn of the same thread, because its arguments are only
// certain before it and its result after it. What an event found in memory is its parts, in the
// order they were found; their bytes follow the event.
#pragma once

#include <linux/types.h>

enum BpfEventType {
  kBpfEnter = 1,
  kBpfReturn,
  kBpfFork,         // process: the child; thread: the process that made it
  kBpfArguments,    // bytes of the argument vector of the kBpfExec that follows
  kBpfEnvironment,  // ... and of its environment
  kBpfGiven,        // three BpfGiven of the kBpfExec that follows
  kBpfExec,         // thread was `former` before; parts: file name, interpreter, current directory
  kBpfEnd,          // of a thread; `last`: of its process, result is its wait status, -1 unknown
  kBpfPlace,        // part 0: where out.place is; before the first event that names it
  kBpfUring,        // number: IORING_OP_*
  kBpfForeign,      // a call through the 32-bit or x32 interface
};

enum BpfPartType { kBpfText = 1, kBpfBytes, kBpfDirectory, kBpfAlias };
enum BpfPartState {
  kBpfGood,
  kBpfFault,     // no such memory, or not in memory at that moment
  kBpfTooLong,   // beyond PATH_MAX
  kBpfAbsent,    // no such descriptor
  kBpfDetached,  // no path leads there from the process's root
};
enum BpfPartFlags { kBpfDeleted = 1, kBpfIsDirectory = 2 };

// Text: with its NUL. Directory: where a descriptor or the current directory is; alias: where
// /proc/self/cwd, /dev/fd/3 and the like lead. A place is told once, by the names on the way from
// it up to the root, each with a NUL; what is not a directory has a place too.
struct BpfPart {
  __u8 type, state;
  __u8 argument;     // the position of the address; of a directory: of the descriptor
  __u8 flags;        // BpfPartFlags of a directory
  __u16 size;        // bytes
  __u16 cut;         // alias: length of what it stands for at the beginning of the text before it
  __s32 descriptor;  // directory: AT_FDCWD or the number; alias: the number, or kBpfAlias*
  __u32 place;       // directory, alias: its number; 0: see `state`
};
enum BpfAliasOf { kBpfAliasCwd = -1, kBpfAliasRoot = -2, kBpfAliasExe = -3 };

// Numbers of places go up; one is used for so many after it and then told anew.
enum { kBpfPlacesUsed = 1 << 15 };

// The number of events of kBpfPath bytes that an argument vector and an environment may take.
enum { kBpfArgumentEvents = 512, kBpfEnvironmentEvents = 256 };

// An open file; mode 0: there is none.
struct BpfGiven {
  __u64 inode, at;
  __u32 mode, open_flags;
  __u32 major, minor;
  __u32 device_major, device_minor;
  __u32 place;  // of a regular file
  __u32 unused;
};

enum { kBpfMaxParts = 5, kBpfPath = 4096, kBpfRoom = 16384, kBpfSlack = 4608 };

struct BpfEvent {
  __u8 type;
  __u8 parts_used;
  __u16 number;
  __u32 process, thread;  // numbers of the first PID namespace
  __u32 mode;             // kBpfReturn, kBpfExec: of the file that the call met; 0: not known
  __u64 time_ns;          // of CLOCK_BOOTTIME; kBpfEnter has none
  union {
    __u64 args[6];  // kBpfEnter
    struct {
      __s64 result;
      __u64 inode;
      __u32 major, minor;
      __u32 made;    // the call made the file
      __u32 former;  // kBpfExec
      __u32 last;    // kBpfEnd
      __u32 place;   // kBpfPlace
    } out;
  };
  struct BpfPart parts[kBpfMaxParts];
};

// Which arguments of a call are read, for each call number. Positions count from 1; 0: none.
enum BpfCallFlags {
  kBpfNative = 1,     // of the native interface
  kBpfCompat = 2,     // a path call of the 32-bit interface has this number
  kBpfNoEmpty = 4,    // nothing to see when the path is empty (a stat of a descriptor)
  kBpfAlwaysDir = 8,  // the descriptor itself is the subject
  kBpfAddress = 16,   // `bytes` is a socket address whose length is in the argument behind it
  kBpfMessage = 64,   // `bytes` is a message header, in which the address is
  kBpfMoves = 32,     // of either interface: directories may have another path after it
};
enum BpfObject { kBpfNoObject, kBpfDescriptor, kBpfStatBuffer, kBpfStatxBuffer };
struct BpfCall {
  __u8 flags;
  __u8 text, dir;    // a path and its directory; no dir: the current one
  __u8 text2, dir2;  // ... and of the second path
  __u8 plain2;       // text2 is no path
  __u8 bytes;        // a structure; its size is `size`
  __u8 size;
  __u8 object;  // what tells of the file that was met
  __u8 buffer;  // ... its argument
};
enum { kBpfCalls = 512 };

struct BpfSettings {
  struct BpfCall calls[kBpfCalls];
  __u64 uring_paths;  // a bit for each IORING_OP_* that names a path
};

#ifdef __cplusplus
namespace gittxn::capture {
// Made from the table of calls.h, so that this back end sees what the others see.
BpfSettings bpf_settings();
}  // namespace gittxn::capture
#endif
