// Whole-tree system-call trace: runs a command and records every path operation of every process it
// starts, with the real result where the back end knows it.
//
// Process shape: caller ── monitor (forked, tiny, a child subreaper) ── command and its tree. The
// monitor writes the records; if it dies the caller kills the tree, if the caller dies the monitor
// does. Both are told by a pipe, and the command itself by a parent-death signal. A record file
// without its end mark (a killed monitor) makes the read set unknown, never silently shorter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/namespaces.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "capture/trace/confine/confine.h"

namespace gittxn::capture {

// The most that is kept of an argument vector: bytes, each word with its end, and words.
inline constexpr std::size_t kMaxArguments = 2u << 20;
inline constexpr std::size_t kMaxWords = 1u << 18;
// The most that is looked at of an environment, in bytes; and how many variables that a search may
// depend on are kept, and how long each may be.
inline constexpr std::size_t kMaxEnvironment = 1u << 20;
inline constexpr std::size_t kMaxSettings = 256;
inline constexpr std::size_t kMaxSetting = 4096;

enum class Backend { kAuto, kBpf, kHybrid, kNotify, kPtrace, kOff };
std::string_view backend_name(Backend backend);
Result<Backend> backend_from_name(std::string_view name);

struct Capability {
  Backend backend;
  bool usable = false;
  std::string detail;  // why not, or what this kernel lacks ("no synchronous wake-up: needs 6.6")
};
// In the order in which kAuto tries them; runs a tiny child for each.
std::vector<Capability> probe_backends();

// What a process asked the kernel. `path` is absolute, with the directory descriptor or the current
// directory put before it and the process's own aliases (/proc/self/cwd, /dev/fd/3) replaced; it is
// otherwise byte for byte what the process passed: links, "..", "." and "//" are still in it, and
// interpret.h resolves them. It may be longer than PATH_MAX.
enum class Op : std::uint8_t {
  kExec,           // argv; the interpreter of a "#!" file follows as a kOpenRead of its own
  kOpenRead,       // also of directories: see `mode`
  kOpenWrite,      // no O_CREAT; O_TRUNC in `flags` says that the old content is gone
  kOpenReadWrite,  // no O_CREAT
  kOpenCreate,     // O_CREAT in any access mode (flags & O_ACCMODE); mknod and bind with
                   // O_CREAT|O_EXCL
  kStat,           // stat family; also an open with O_PATH, which sees no content
  kAccess,
  kReadlink,
  kList,  // getdents, once for a run of calls; the directory behind the descriptor
  kMkdir,
  kUnlink,
  kRmdir,
  kRename,   // path -> path2; flags: RENAME_NOREPLACE, RENAME_EXCHANGE; mode: of the source
  kLink,     // path -> path2 (the new name)
  kSymlink,  // path: the new link; path2: the text in it
  kChmod,
  kTruncate,
  kSetTimes,
  kChdir,  // also fchdir
  kConnect,
  kMount,  // mount, umount, pivot_root, chroot, setns...: paths no longer mean what they did
  kOther,  // a look at, or change of, what git does not store; path2 is the call's name:
           // chown, xattrs, statfs, watches, name_to_handle_at, O_TMPFILE
  kFork,   // the first sight of a process, before any other record of it. A second kFork of a
           // pid means that the number was used again: forget what was known of it
  kExit,   // how a process ended, see below
  kNote,   // for a person; path is the text ("setuid program lost its bit: /usr/bin/sudo")
  kBlind,  // something that the trace cannot follow: the read set is unknown(path)
  // A link stands at `path` that the next call of this process removes or replaces, if it succeeds;
  // path2: the text in it. Not from the eBPF back end.
  kWasLink,
};
// path2 of the kOpenRead of a file that the command was given open, as its standard input.
inline constexpr std::string_view kGiven = "given";
std::string_view op_name(Op op);

// The target of a descriptor of a program that starts.
struct Given {
  enum class Kind : std::uint8_t {
    kUnknown,
    kClosed,
    kNull,  // /dev/null
    kTerminal,
    kPipe,  // one without a name: whoever has the same `dev` and `ino` has an end of it
    kSocket,
    kFile,   // a regular one
    kOther,  // a directory, a device, a pipe with a name, ...
  };
  Kind kind = Kind::kUnknown;
  std::uint64_t dev = 0, ino = 0;  // of what it leads to, unless there is nothing
  // kFile: the path that the kernel has for it, " (deleted)" behind that of one without a name;
  // where it is in the file; O_ACCMODE and O_APPEND of how it was opened.
  std::string path{};
  std::uint64_t at = 0;
  std::uint32_t flags = 0;
  bool operator==(const Given&) const = default;
};
inline constexpr std::size_t kGiven012 = 3;

// Results. The eBPF and ptrace back ends know the kernel's own, and so does hybrid for the reads
// that its library makes. A notified call runs after the record is made, so `assumed` is true for
// it; the monitor then looks the path up itself just before it lets the call go on:
//   assumed=false, the result is the kernel's own.
//   assumed=true and predicted: it is what existence and type say: 0, or -ENOENT, -ENOTDIR,
//   -EEXIST,
//     -EISDIR, -ELOOP, -EINVAL (readlink of no link), -EACCES (exec). Permissions, full disks and
//     non-empty directories are not predicted. Between look-up and call only the traced tree itself
//     can change a private worktree, and what it changes is recorded as its own write: the
//     prediction then is one of the two orders in which the tree itself raced. Rely on it inside
//     the worktree; outside it is a hint.
//   assumed=true, not predicted: nothing is known; presence and absence both count.
// `mode`, `dev`, `ino` come from the same look-up: what stood at `path` BEFORE the call (the last
// link followed unless `nofollow`); mode 0: nothing did, or it could not be looked up. Of a read
// that the library made `mode` is the kernel's own answer, of a file or directory that it opened
// the type alone, and `dev` and `ino` are 0. So an O_CREAT open with mode 0 and result >= 0 made a
// new file.
// The eBPF back end has them from the kernel's own structures where a call succeeded: of opens,
// stats, execs (of a script only that it is an executable file), what is a directory or a link by
// the call's success, and the source of a rename; else mode is 0.
//
// kExit: `result` is what a shell says, the exit code or 128 and the signal, and `flags` the
// signal. The last one of a process counts; none, or one whose result is not known: nobody knows.
// eBPF and ptrace have the kernel's own. So have the others for what the monitor waits for itself,
// which is the command and what outlives its parent; for the rest it is what the process said when
// it began to end (exit_group), assumed and predicted. Without a signal that word is final: the
// kernel takes the first one, and where two threads said different things the result is not known.
// A deadly signal that comes between our answer and the kernel's next instructions, some
// microseconds, is not seen, and the parent is told the signal. What killed it could as well have
// come too late, so the same run might have given what is recorded here; an answer that is compared
// with that of another run stands for no less. Of a process that a signal ended there is no word,
// and none of one whose threads all ended one by one (no program of a libc does that).
struct Record {
  std::uint64_t seq = 0;  // 1, 2, ... in the file; order of the calls as the monitor saw them
  Op op = Op::kOther;
  std::int32_t pid = 0;     // thread group
  std::int32_t parent = 0;  // kFork, kExec; 0: the command itself, or one whose parent has ended
  std::string path{};       // kExec: the program; kConnect: "unix:/path", "unix:@abstract",
                            // "inet:host:port", "inet6:[host]:port"
  std::string path2{};      // rename's, link's destination; symlink's text; kExec: the directory it
                            // runs in, "" unknown; else the call's name
  std::int32_t result = 0;  // >= 0, or -errno
  bool assumed = false;     // the result is not the kernel's own, see above
  bool predicted = false;   // ... but what a look-up just before the call says
  std::uint32_t flags = 0;  // open flags as passed (O_TRUNC, O_APPEND, ...), or AT_ flags
  std::uint32_t mode = 0;   // st_mode before the call
  std::uint64_t dev = 0, ino = 0;   // before the call
  std::vector<std::string> argv{};  // kExec only
  bool argv_cut = false;            // ... there was more: words are missing at the end
  bool nofollow = false;            // a link at the end of `path` is itself the subject
  // kOpenRead of the same file by the same process, seen before with nothing between that could
  // have changed what it means: perhaps many times, all after this one are left out.
  bool again = false;
  // kExec of one of these (asks_for_settings): the variables that its answer may depend on, as
  // "NAME=value"; worth nothing unless env_known.
  bool env_known = false;
  std::vector<std::string> env{};
  // kExec: SHA-256 over the environment, but for what environments.h leaves out; "" not known.
  // Equal ones were given the same values.
  std::string env_digest{};
  // kExec: standard input, output and error of the program; empty: not known, else all three. eBPF
  // looks at those that it has. The others look when it is asked for, so that one which is closed
  // by its start (O_CLOEXEC) is only known to be if it is a file.
  std::vector<Given> given{};
  // Wall clock not long before the call (since 1970, UTC); 0 unknown. Given by read_records from
  // the marks of the file, so that what an agent says it did then can be laid beside it.
  std::int64_t time_ms = 0;
};

// A program by whose name people search, or that only prints; and whether a variable may change
// what it prints.
bool asks_for_settings(std::string_view program);
bool is_setting(std::string_view variable);

// What one record says by itself, without knowing what is where.
bool unknown_result(const Record& record);  // whether it came to anything: both count
bool failed(const Record& record);
enum class Outcome { kDone, kNothingThere, kSomethingThere, kOther, kUnknown };
Outcome outcome_of(const Record& record);
// Whether it changed anything that a later record could see; a call that failed did not.
bool changes_something(const Record& record);
bool may_change(Op op);
bool only_looks(Op op);  // changes nothing in the tree
// True: the record only looks, and met no link, so that every path means what it meant before.
bool is_plain_look(const Record& record);
bool has_second_path(Op op);
bool keeps_last_link(const Record& record);  // it names an entry, whether it is a link or not
bool content_open(const Record& record);
// Whether something stood at `path` before the call, as far as the record tells: by what the
// back end saw there, else by the result.
bool was_there(const Record& record);

struct TraceSpec {
  std::vector<std::string> argv;
  std::string program = {};  // the file, where argv[0] does not name it
  std::string cwd;
  Environment env;
  std::string record_file;         // created, mode 0600; kExists when there is one already
  std::optional<Confine> confine;  // the command and everything it starts
  NamespaceFds enter;              // before the program is looked for and `cwd` is entered
  Backend backend = Backend::kAuto;
  int stdin_fd = 0, stdout_fd = 1, stderr_fd = 2;  // given to the command as they are
  // True: the command becomes the terminal's foreground process group (a Ctrl-Z stops it and then
  // the caller's group). False: it gets a session of its own, without a terminal that could stop
  // it.
  bool foreground = false;
  std::int64_t timeout_ms = -1;
  std::int64_t linger_ms = 250;   // for what is left to end by itself, as `make > >(tee log)` does
  std::int64_t grace_ms = 2000;   // between SIGTERM and SIGKILL of what is left of the tree
  bool keep_running = false;      // leave what is left (a choice with a warning)
  std::function<void()> started;  // called once the command's program runs
  // Polled every 50 ms; each call that returns true is one Ctrl-C (the function consumes it): the
  // first is a SIGINT to the command, the second ends the tree. In the foreground the terminal
  // sends them itself and the monitor counts them.
  std::function<bool()> interrupted;
  std::size_t ring_bytes = 0;  // kBpf: what the kernel keeps for us, a power of two; 0: enough
  // When this descriptor can be read (the end of a pipe whose other end the command has),
  // on_readable is called and must read what is there; at the end of file the descriptor is no
  // longer looked at. Without it a command that says more than a pipe holds would wait for the next
  // poll.
  int watch_fd = -1;
  std::function<void()> on_readable;
};

struct TraceResult {
  Backend used = Backend::kOff;
  int exit_status = 0;  // or 128 + signal
  bool timed_out = false;
  bool interrupted = false;               // a Ctrl-C reached the command, whatever it made of it
  std::string lost;                       // why the records are not complete; empty: they are
  std::vector<std::string> left_running;  // processes ended after the command (argv), or kept
};

// Returns when the whole tree is gone (or kept). kNotFound: the program does not exist; nothing
// ran. kUnsupported: the back end asked for by name is not usable here. With kAuto the first usable
// one is taken, and kOff (with `lost`) where none is. The caller has one thread while this runs:
// the monitor is a fork of it that goes on without exec. During the call the caller is a child
// subreaper.
Result<TraceResult> run_traced(const TraceSpec& spec);

struct RecordSummary {
  std::uint64_t records = 0;  // handed to the sink
  bool complete = false;      // has its end mark and nothing was lost
  std::string reason;         // when not
};
// Streams a record file in order; bounded memory. A damaged tail is reported, not an error.
Result<RecordSummary> read_records(const std::string& record_file,
                                   const std::function<void(const Record&)>& sink);
// Streams the records that are no plain looks. Plain looks are counted and skipped; their bytes are
// not verified, which read_records does.
Result<RecordSummary> read_telling_records(const std::string& record_file,
                                           const std::function<void(const Record&)>& sink);

}  // namespace gittxn::capture
