// shape.cc says what the call asks for; this adds who makes it and what stands there.
#include "capture/trace/decode/decode.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <utility>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/trace/decode/given.h"

namespace gittxn::capture {

namespace {

// Whether a current directory, or the path of one, may be another one after this call.
bool moves_directories(const Record& record) {
  if (record.op == Op::kRename) {
    return record.mode == 0 || S_ISDIR(record.mode) || record.flags != 0;
  }
  return record.op == Op::kChdir || record.op == Op::kRmdir || record.op == Op::kMount;
}

}  // namespace

void Decoded::clear() {
  before.clear();
  after.clear();
  call = Record();
  has_call = false;
  environment.clear();
  environment_known = false;
}

// A call of a process that waits for us: its memory, and what /proc says of its directories.
class Decoder::ProcessView final : public CallView {
 public:
  ProcessView(WorkingDirs* dirs, pid_t tid, pid_t process, Decoded* out)
      : dirs_(dirs), tid_(tid), process_(process), out_(out) {}
  Peek text(std::uint64_t address, std::size_t limit, std::string* out) override {
    return peek_string(tid_, address, limit, out);
  }
  Peek bytes(std::uint64_t address, void* out, std::size_t size) override {
    return peek_bytes(tid_, address, out, size);
  }
  Peek start(std::uint64_t arguments, std::uint64_t environment,
             std::vector<std::string>* out) override {
    Start start;
    const Peek peek = peek_start(tid_, arguments, environment, &start);
    *out = std::move(start.arguments);
    out_->environment = std::move(start.environment);
    out_->environment_known = start.environment_known;
    return peek;
  }
  Peek directory(int descriptor, std::string* out) override {
    return descriptor == AT_FDCWD ? dirs_->of(tid_, out) : descriptor_path(tid_, descriptor, out);
  }
  std::string absolute(std::string base, std::string path, Alias alias) override {
    return absolute_path({tid_, process_}, std::move(base), std::move(path), alias);
  }

 private:
  WorkingDirs* dirs_;
  pid_t tid_, process_;
  Decoded* out_;
};

namespace {

// Most programs that are tried along the PATH are not there, and what each would be given is
// hundreds of words. Should it start after all, nobody takes what it was given for known.
Peek keep_start(CallView& view, const CallSite& site, const Call& call, Record* exec) {
  if (!failed(*exec)) return shape_start(view, site, call, exec);
  exec->argv_cut = true;
  return Peek::kOk;
}

// What comes with a program that is about to start.
void describe_program(CallView& view, Decoded* out) {
  const Record& exec = out->call;
  if (exec.result != 0 || !S_ISREG(exec.mode)) return;
  if ((exec.mode & S_ISUID) != 0 || ((exec.mode & S_ISGID) != 0 && (exec.mode & S_IXGRP) != 0)) {
    std::string note = "setuid program lost its bit: " + exec.path;
    out->after.push_back({.op = Op::kNote, .pid = exec.pid, .path = std::move(note)});
  }
  std::string interpreter = interpreter_of(exec.path);
  if (interpreter.empty()) return;
  Record read{.op = Op::kOpenRead, .pid = exec.pid, .path2 = "#!", .assumed = true};
  std::string base;
  if (!interpreter.starts_with('/') && view.directory(AT_FDCWD, &base) != Peek::kOk) return;
  read.path = view.absolute(std::move(base), std::move(interpreter), Alias::kReplace);
  predict(&read);
  out->after.push_back(std::move(read));
}

// The entries that are about to go may be links that others have followed.
void keep_links(Decoded* out) {
  const Record& call = out->call;
  const bool renames = call.op == Op::kRename;
  if ((call.op != Op::kUnlink && !renames) || call.result != 0) return;
  for (const std::string* path : {&call.path, &call.path2}) {
    if (path == &call.path ? !S_ISLNK(call.mode) : !renames) continue;
    auto text = read_link(*path);
    if (!text) continue;  // no link, or nothing
    out->before.push_back({.op = Op::kWasLink,
                           .pid = call.pid,
                           .path = *path,
                           .path2 = *std::move(text),
                           .nofollow = true});
  }
}

}  // namespace

void Decoder::end(const CallSite& site, const Family::Member& member, Decoded* out) {
  Record& record = out->call;
  record.op = Op::kExit;
  record.result = static_cast<std::int32_t>(site.args[0] & 0xffu);
  record.predicted = family_.ends(member.process, record.result);
  if (INJECTED_BUG("trace.status_of_the_parent")) record.pid = member.parent;
  out->has_call = true;
  dirs_.forget(site.tid);
}

// Looks where the descriptors of a starting program lead. Most programs that are tried along the
// PATH are not there.
void Decoder::keep_given(const Family::Member& member, pid_t tid, Decoded* out) {
  if (failed(out->call)) {
    out->environment_known = false;
    return;
  }
  if (INJECTED_BUG("trace.given_before_the_fork")) tid = member.parent;
  if (!mounts_changed_) out->call.given = given_to(tid, family_.descriptor_of(tid));
}

bool Decoder::decode(const CallSite& site, Decoded* out) {
  out->clear();
  const Call* call = site.arch == kNativeArch ? find_call(site.number) : nullptr;
  const bool ends = call != nullptr && call->shape == Shape::kEnd;
  // Nothing is on record of it, and nothing will be: a subshell that only ran what it has built in.
  if (ends && family_.is_new(site.tid)) return true;
  const Family::Member& member = family_.of(site.tid, &out->before);
  if (!out->before.empty()) dirs_.forget(site.tid);
  dirs_.returned(site.tid);
  Record& record = out->call;
  record.pid = member.process;
  record.assumed = true;
  if (site.arch != kNativeArch) {
    record.op = Op::kBlind;
    record.path = "a 32-bit program";
    out->has_call = true;
    return true;
  }
  if (ends) end(site, member, out);
  if (call == nullptr || ends) return true;
  if (call->shape == Shape::kAddress && site.number == SYS_sendto &&
      INJECTED_BUG("trace.no_datagrams"))
    return true;
  const bool one = INJECTED_BUG("trace.threads_share_a_directory");
  if (call->shape == Shape::kUnshare && !one && process_stat(member.process).threads > 1)
    dirs_.part();
  record.op = call->op;
  ProcessView view(&dirs_, site.tid, member.process, out);
  Peek peek = shape_call(view, site, *call, &record);
  const bool foreseen = peek == Peek::kOk && !mounts_changed_ && record.op != Op::kMount &&
                        record.path.starts_with('/');
  if (foreseen) predict(&record);
  if (record.op == Op::kExec && peek == Peek::kOk) peek = keep_start(view, site, *call, &record);
  if (record.op == Op::kMount && peek != Peek::kFault) mounts_changed_ = true;
  // After a fault too: what we cannot read the kernel may still understand.
  const auto scope = record.op == Op::kChdir && site.by_library ? WorkingDirs::Scope::kOwn
                                                                : WorkingDirs::Scope::kAny;
  if (peek != Peek::kOk && moves_directories(record)) {
    dirs_.changes(site.tid, site.number, scope);
  }
  if (peek == Peek::kGone) return false;
  // The kernel answers EFAULT, ENOENT, ENAMETOOLONG: nothing seen.
  if (peek == Peek::kFault || peek == Peek::kLong) return true;
  out->has_call = true;
  if (peek != Peek::kOk) {
    record = {.op = Op::kBlind, .pid = member.process};
    record.path = peek == Peek::kDenied ? "a process whose memory cannot be read: "
                                        : "a directory whose path cannot be told, used by: ";
    record.path += command_line(member.process);
    return true;
  }
  if (record.op == Op::kExec) record.parent = member.parent;
  if (foreseen) {
    keep_links(out);
    if (record.op == Op::kExec) describe_program(view, out);
  }
  if (record.op == Op::kExec) keep_given(member, site.tid, out);
  if (moves_directories(record)) dirs_.changes(site.tid, site.number, scope);
  return true;
}

}  // namespace gittxn::capture
