#include "capture/trace/bpf/join.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/bug.h"
#include "base/clock.h"
#include "base/fs.h"
#include "capture/trace/decode/given.h"
#include "capture/trace/decode/lookup.h"
#include "capture/trace/decode/shape.h"
#include "capture/trace/process_tree.h"

namespace gittxn::capture {

namespace {

std::string_view without_nul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

// "leaf\0parent\0...": the way up.
std::string path_of(const BpfPart& part, std::string_view names) {
  std::string path;
  while (!names.empty()) {
    names.remove_suffix(1);
    const std::size_t start = names.rfind('\0') + 1;  // npos + 1 is the beginning
    path.append("/").append(names.substr(start));
    names = names.substr(0, start);
  }
  if (path.empty()) path = "/";
  if ((part.flags & kBpfDeleted) != 0) path += " (deleted)";
  return path;
}

Peek peek_of(const BpfPart& part) {
  switch (part.state) {
    case kBpfGood:
      return Peek::kOk;
    case kBpfTooLong:
      return part.type == kBpfText ? Peek::kLong : Peek::kNoPath;
    case kBpfDetached:  // a socket, a pipe: the kernel says ENOTDIR
      return (part.flags & kBpfIsDirectory) != 0 ? Peek::kNoPath : Peek::kFault;
    default:
      return Peek::kFault;
  }
}

// What it certainly was, for it worked.
std::uint32_t mode_by(Op op) {
  if (op == Op::kReadlink) return S_IFLNK;
  return op == Op::kChdir || op == Op::kList || op == Op::kRmdir ? S_IFDIR : 0;
}

// The file that the call met.
void put_file(const BpfEvent& head, Record* record) {
  record->mode = head.mode;
  record->dev = ::makedev(head.out.major, head.out.minor);
  record->ino = head.out.inode;
}

// The words of a vector that a "#!" line was put into: program, argument, script, and then what was
// passed, without its first word. Puts the script back as that.
void without_interpreter(const std::string& script, std::vector<std::string>* words) {
  constexpr std::size_t kDeepest = 12;  // five interpreters, each with an argument, and the script
  for (std::size_t i = 1; i < std::min(words->size(), kDeepest); ++i) {
    if ((*words)[i] != script) continue;
    words->erase(words->begin(), words->begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

// Each word with its end; what is left without one is the beginning of a word that was cut.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t end = text.find('\0'); end != text.npos; end = text.find('\0')) {
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return words;
}

}  // namespace

// A call as it was kept: `later` has what could only be read at its return.
class BpfJoin::View final : public CallView {
 public:
  View(const BpfJoin& join, const Event& event, const Event* later)
      : join_(join), event_(event), later_(later) {}

  Peek text(std::uint64_t address, std::size_t, std::string* out) override {
    const BpfPart* part = nullptr;
    const std::string_view bytes = find(kBpfText, address, &part);
    if (part == nullptr) return Peek::kFault;
    if (part->state == kBpfFault) faulted_ = true;
    if (part->state == kBpfGood) *out = without_nul(bytes);
    return peek_of(*part);
  }

  Peek bytes(std::uint64_t address, void* out, std::size_t size) override {
    const BpfPart* part = nullptr;
    const std::string_view found = find(kBpfBytes, address, &part);
    if (part == nullptr) return Peek::kFault;
    if (part->state == kBpfFault) faulted_ = true;
    if (part->state != kBpfGood || found.size() < size) return Peek::kFault;
    std::memcpy(out, found.data(), size);
    return Peek::kOk;
  }

  Peek start(std::uint64_t, std::uint64_t, std::vector<std::string>*) override { return Peek::kOk; }

  Peek directory(int descriptor, std::string* out) override {
    for (std::size_t i = 0; i < event_.parts(); ++i) {
      const BpfPart& part = event_.head.parts[i];
      if (part.type != kBpfDirectory || part.descriptor != descriptor) continue;
      if (part.state != kBpfGood) return peek_of(part);
      const Place& place = join_.place(part);
      *out = place.path;
      return place.peek;
    }
    return Peek::kNoPath;  // nobody looked: never a shorter set
  }

  std::string absolute(std::string base, std::string path, Alias alias) override {
    const BpfPart* part = path.starts_with('/') ? alias_of(path) : nullptr;
    const auto process = static_cast<pid_t>(event_.head.process);
    if (part == nullptr) {
      const Whose whose{static_cast<pid_t>(event_.head.thread), process};
      return absolute_path(whose, std::move(base), std::move(path), alias);
    }
    const std::string rest = path.substr(std::min<std::size_t>(part->cut, path.size()));
    const Place& place = join_.place(*part);
    const bool leads = part->state == kBpfGood && place.peek == Peek::kOk;
    if (leads && (alias == Alias::kReplace || !rest.empty())) {
      std::string target = place.path;
      if (target == "/" && !rest.empty()) target.clear();
      return target + rest;
    }
    static constexpr std::string_view kNames[] = {"cwd", "root", "exe"};
    return fmt::format("/proc/{}/{}{}", process,
                       part->descriptor >= 0 ? fmt::format("fd/{}", part->descriptor)
                                             : kNames[-part->descriptor - 1],
                       rest);
  }

  bool faulted() const { return faulted_; }

 private:
  // The part of this type whose address this is; what was read later counts.
  std::string_view find(__u8 type, std::uint64_t address, const BpfPart** out) const {
    std::string_view bytes;
    for (const Event* event : {&event_, later_}) {
      for (std::size_t i = 0; event != nullptr && i < event->parts(); ++i) {
        const BpfPart& part = event->head.parts[i];
        if (part.type != type || part.argument >= 6) continue;
        if (event_.head.args[part.argument] != address) continue;
        *out = &part;
        bytes = event->bytes[i];
      }
    }
    return bytes;
  }

  const BpfPart* alias_of(std::string_view path) const {
    for (const Event* event : {&event_, later_}) {
      for (std::size_t i = 1; event != nullptr && i < event->parts(); ++i) {
        const BpfPart* parts = event->head.parts;
        if (parts[i].type != kBpfAlias || parts[i - 1].type != kBpfText) continue;
        if (without_nul(event->bytes[i - 1]) != path) continue;
        return &parts[i];
      }
    }
    return nullptr;
  }

  const BpfJoin& join_;
  const Event& event_;
  const Event* later_;
  bool faulted_ = false;
};

bool BpfJoin::parse(std::string_view raw, Event* event) {
  constexpr std::size_t kShort = offsetof(BpfEvent, parts);
  if (raw.size() < kShort) return false;
  std::memcpy(&event->head, raw.data(), std::min(raw.size(), sizeof event->head));
  if (event->head.parts_used > kBpfMaxParts) return false;
  if (event->head.parts_used == 0) return true;
  if (raw.size() < sizeof event->head) return false;
  std::string_view rest = raw.substr(sizeof event->head);
  for (int i = 0; i < event->head.parts_used; ++i) {
    const std::size_t size = event->head.parts[i].size;
    if (size > rest.size()) return false;
    event->bytes[static_cast<std::size_t>(i)] = rest.substr(0, size);
    rest.remove_prefix(size);
  }
  return true;
}

void BpfJoin::take(std::string_view raw) {
  Event event;
  if (!parse(raw, &event)) return blind(0, "an event of the kernel that cannot be read");
  const auto process = static_cast<pid_t>(event.head.process);
  now_ms_ = (boot_time_ns_ + static_cast<std::int64_t>(event.head.time_ns)) / kNsPerMs;
  switch (event.head.type) {
    case kBpfEnter:
      return enter(event, raw);
    case kBpfReturn:
      return leave(event);
    case kBpfFork:
      return fork(process, static_cast<pid_t>(event.head.thread));
    case kBpfArguments:
      return add_words(event, &stacks_[event.head.thread].arguments);
    case kBpfEnvironment:
      return add_words(event, &stacks_[event.head.thread].environment);
    case kBpfGiven:
      stacks_[event.head.thread].given = given_in(event);
      return;
    case kBpfExec:
      return execute(event);
    case kBpfEnd:
      return end(event);
    case kBpfPlace:
      return keep_place(event);
    case kBpfUring:
      return blind(process,
                   fmt::format("paths through io_uring (operation {})", event.head.number));
    case kBpfForeign:
      return blind(process, "a 32-bit program");
    default:
      return blind(process, "an event of the kernel that is not known");
  }
}

void BpfJoin::keep_place(const Event& event) {
  if (event.parts() == 0) return;
  const BpfPart& part = event.head.parts[0];
  Place& kept = places_[event.head.out.place % places_.size()];
  kept.number = event.head.out.place;
  kept.peek = peek_of(part);
  kept.path = kept.peek == Peek::kOk ? path_of(part, event.bytes[0]) : "";
}

const BpfJoin::Place& BpfJoin::place(const BpfPart& part) const {
  static const Place kUnknown;
  const Place& kept = places_[part.place % places_.size()];
  return part.place != 0 && kept.number == part.place ? kept : kUnknown;
}

void BpfJoin::emit(Record record) {
  record.time_ms = now_ms_;
  sink_(std::move(record));
}

void BpfJoin::blind(pid_t process, std::string reason) {
  emit({.op = Op::kBlind, .pid = process, .path = std::move(reason)});
}

void BpfJoin::fork(pid_t process, pid_t parent) {
  pending_.erase(static_cast<std::uint32_t>(process));
  parents_[process] = parent;
  emit({.op = Op::kFork, .pid = process, .parent = parent});
}

// The record of a call without its result.
BpfJoin::Pending BpfJoin::shape(View view, const Event& event) const {
  Pending pending;
  const Call* call = find_call(event.head.number);
  if (call == nullptr) return pending;
  CallSite site{.tid = static_cast<pid_t>(event.head.thread), .number = event.head.number};
  std::copy_n(event.head.args, site.args.size(), site.args.begin());
  Record& record = pending.call;
  record.op = call->op;
  record.pid = static_cast<pid_t>(event.head.process);
  Peek peek = shape_call(view, site, *call, &record);
  if (call->shape == Shape::kExec && peek == Peek::kOk) {
    peek = shape_start(view, site, *call, &record);
  }
  pending.has_call = peek == Peek::kOk;
  if (peek == Peek::kNoPath || peek == Peek::kDenied) {
    record = {.op = Op::kBlind, .pid = record.pid};
    record.path =
        fmt::format("a directory whose path cannot be told, used by: {}", command_line(record.pid));
    pending.has_call = true;
  }
  // Only what is needed and was not there is asked for again.
  if (view.faulted()) pending.again = "?";
  return pending;
}

void BpfJoin::enter(const Event& event, std::string_view raw) {
  Pending& pending = pending_[event.head.thread];
  pending = shape(View(*this, event, nullptr), event);
  if (!pending.again.empty()) pending.again = raw;
}

// The call of a thread, which then has none.
BpfJoin::Pending BpfJoin::take_pending(std::uint32_t thread) {
  const auto found = pending_.find(thread);
  return found == pending_.end() ? Pending() : std::exchange(found->second, Pending());
}

void BpfJoin::leave(const Event& event) {
  Pending pending = take_pending(event.head.thread);
  if (!pending.again.empty()) {
    Event before;
    const std::string raw = std::move(pending.again);
    if (!parse(raw, &before)) return;
    pending = shape(View(*this, before, &event), before);
    if (!pending.again.empty()) {
      // Not even the kernel could read it: then it looked at nothing.
      const bool unread = event.head.out.result == -EFAULT || event.head.out.result == -EINVAL ||
                          event.head.out.result == -EBADF || event.head.out.result == -E2BIG;
      if (!unread) {
        blind(static_cast<pid_t>(before.head.process), "arguments that were gone after the call");
      }
      return;
    }
  }
  if (pending.has_call) finish(&pending, event);
}

void BpfJoin::finish(Pending* pending, const Event& event) {
  const BpfEvent& head = event.head;
  Record& record = pending->call;
  if (record.op == Op::kBlind) return emit(std::move(record));
  const std::int64_t result = head.out.result;
  if (was_restarted(result)) return;
  record.result = result < 0 ? static_cast<std::int32_t>(result) : 0;
  if (result >= 0) {
    record.mode = mode_by(record.op);
    if (head.mode != 0 && head.out.made == 0 && record.op != Op::kOther) {
      put_file(head, &record);
    }
    if (record.op == Op::kMount) mounts_changed_ = true;
    // The source of a rename has no descriptor; it stands at its new name now.
    if (record.op == Op::kRename && !mounts_changed_) look_at(record.path2, &record);
  }
  emit(std::move(record));
}

void BpfJoin::add_words(const Event& event, Words* words) {
  words->read = event.parts() != 0 && event.head.parts[0].state == kBpfGood;
  words->whole = words->read && event.head.parts[0].cut == 0;  // nothing is left after this one
  if (words->read) words->text.append(event.bytes[0]);
}

std::vector<Given> BpfJoin::given_in(const Event& event) const {
  std::array<BpfGiven, kGiven012> files;
  if (event.parts() == 0 || event.bytes[0].size() != sizeof files) return {};
  std::memcpy(files.data(), event.bytes[0].data(), sizeof files);
  std::vector<Given> all;
  for (const BpfGiven& file : files) {
    Given& given = all.emplace_back(Given{.kind = Given::Kind::kClosed});
    if (file.mode == 0) continue;
    given = given_as({file.mode, ::makedev(file.device_major, file.device_minor),
                      ::makedev(file.major, file.minor), file.inode});
    if (given.kind != Given::Kind::kFile) continue;
    const Place& at = place(BpfPart{.place = file.place});
    if (at.peek != Peek::kOk) {
      given = {};
      continue;
    }
    given.path = at.path;
    given.at = file.at;
    given.flags = file.open_flags & (O_ACCMODE | O_APPEND);
  }
  return all;
}

// The kernel has started the program: this is the return of its call.
void BpfJoin::execute(const Event& event) {
  const auto process = static_cast<pid_t>(event.head.process);
  Pending pending;
  for (const std::uint32_t thread : {event.head.thread, event.head.out.former}) {
    Pending call = take_pending(thread);
    if (call.has_call && call.call.op == Op::kExec) pending = std::move(call);
  }
  if (event.head.out.former != event.head.thread) pending_.erase(event.head.out.former);
  Stack stack = std::move(stacks_[event.head.thread]);
  stacks_.erase(event.head.thread);
  if (event.parts() < 3) return blind(process, "a program without a name");
  View view(*this, event, nullptr);
  const std::string name(without_nul(event.bytes[0]));
  const std::string interpreter(without_nul(event.bytes[1]));
  const bool script = interpreter != name;
  Record& record = pending.call;
  if (!pending.has_call || record.op != Op::kExec) {
    record = {.op = Op::kExec};
    std::string base;
    if (!name.starts_with('/') && view.directory(AT_FDCWD, &base) != Peek::kOk) {
      blind(process, "a directory whose path cannot be told, used by: " + name);
    }
    record.path = view.absolute(std::move(base), name, Alias::kReplace);
  }
  record.pid = process;
  record.result = 0;
  const auto parent = parents_.find(process);
  if (parent != parents_.end() && parents_.contains(parent->second)) record.parent = parent->second;
  if (view.directory(AT_FDCWD, &record.path2) != Peek::kOk) record.path2.clear();
  if (stack.environment.whole) environments_.describe(stack.environment.text, &record);
  record.given = std::move(stack.given);
  record.argv = split_words(stack.arguments.text);
  if (!stack.arguments.read) blind(process, "arguments of " + name);
  record.argv_cut = (!stack.arguments.whole || record.argv.size() > kMaxWords) &&
                    !INJECTED_BUG("trace.whole_though_cut");
  record.argv.resize(std::min(record.argv.size(), kMaxWords));
  if (!script) {
    put_file(event.head, &record);
    return emit(std::move(record));
  }
  // Of a script the kernel only keeps the interpreter.
  record.mode = S_IFREG | S_IXUSR;
  without_interpreter(name, &record.argv);
  emit(std::move(record));
  Record read{.op = Op::kOpenRead, .pid = process, .path2 = "#!"};
  std::string base;
  if (!interpreter.starts_with('/') && view.directory(AT_FDCWD, &base) != Peek::kOk) return;
  read.path = view.absolute(std::move(base), interpreter, Alias::kReplace);
  put_file(event.head, &read);
  emit(std::move(read));
}

void BpfJoin::end(const Event& event) {
  pending_.erase(event.head.thread);
  stacks_.erase(event.head.thread);
  if (event.head.out.last == 0) return;
  const auto process = static_cast<pid_t>(event.head.process);
  parents_.erase(process);
  const auto status = static_cast<int>(event.head.out.result);
  if (status < 0) return emit({.op = Op::kExit, .pid = process, .assumed = true});
  emit(exit_record(process, status));
}

}  // namespace gittxn::capture
