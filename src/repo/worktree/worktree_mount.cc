// See worktree_mount.h. The holder is a fork of whoever came first, in a session of its own so that
// no Ctrl-C reaches it, with no descriptor but its lock and the FIFO. It never execs: there is no
// program of ours to find from inside an installation that is being replaced.
#include "repo/worktree/worktree_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/subprocess.h"
#include "repo/worktree/worktree_share.h"

namespace gittxn::repo {
namespace {

FAILPOINT(fp_mounted, "mount.mounted");

constexpr std::int64_t kDeadlineMs = 10'000;
constexpr std::int64_t kLockTryMs = 20;
constexpr std::size_t kMaxProcText = 4u << 20;

enum Step : int { kMounted, kNamespace, kIdentity, kPrivate, kProtect, kLayers, kOverlay };
struct Word {
  int step;
  int error;
  pid_t holder;
};

// One overlay, and where it goes: a path below the tree, "" the tree itself.
struct Layers {
  std::string place;
  std::string lower, upper, work;
};

// Everything the holder needs, made before the fork.
struct MountPlan {
  const Worktree* worktree;
  OverlayMarks marks;
  std::vector<Layers> layers;  // the tree's own first
  std::string uid_map, gid_map, boot;
  bool named;  // others may come in
  int users;
  int lock;
  int report;
};

bool write_proc(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

[[noreturn]] void give_up(const MountPlan& plan, Step step, int error) {
  const Word word{step, error, ::getpid()};
  static_cast<void>(::write(plan.report, &word, sizeof word) == sizeof word);
  ::_exit(1);
}

void enter_own_namespace(const MountPlan& plan) {
  const bool user = plan.marks == OverlayMarks::kUser;
  if (::unshare(user ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) != 0) {
    give_up(plan, kNamespace, errno);
  }
  if (user && (!write_proc("/proc/self/setgroups", "deny") ||
               !write_proc("/proc/self/uid_map", plan.uid_map) ||
               !write_proc("/proc/self/gid_map", plan.gid_map))) {
    give_up(plan, kIdentity, errno);
  }
  // What the person mounts later appears inside; nothing of ours appears outside.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    give_up(plan, kPrivate, errno);
  }
}

// The shared checkout can be read inside, and not written, by its own path as well.
void protect_shared(const MountPlan& plan) {
  if (plan.worktree->kind != WorktreeKind::kOverlay) return;
  const char* shared = plan.worktree->shared.c_str();
  if (::mount(shared, shared, nullptr, MS_BIND, nullptr) != 0) give_up(plan, kProtect, errno);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::syscall(SYS_mount_setattr, AT_FDCWD, shared, 0, &attributes, sizeof attributes) == 0)
    return;
  if (errno != ENOSYS ||
      ::mount(nullptr, shared, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
    give_up(plan, kProtect, errno);
  }
}

// A folder that is shared is mounted where the tree has an empty place for it, and nowhere that a
// link of the agent's leads to.
int open_place(const MountPlan& plan, const Layers& layers) {
  const int tree = ::open(plan.worktree->tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (tree < 0 || layers.place.empty()) return tree;
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long place = ::syscall(SYS_openat2, tree, layers.place.c_str(), &how, sizeof how);
  ::close(tree);
  return static_cast<int>(place);
}

// By descriptor, because ':' and ',' of a path mean something in a list of layers.
void mount_overlay(const MountPlan& plan, const Layers& layers) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  const bool whole = layers.place.empty();
  const int place = open_place(plan, layers);
  const int lower = ::open(layers.lower.c_str(), kFlags);
  // The tree has something of its own there by now, or the person's folder is gone: it is shown as
  // it is.
  if (!whole && (place < 0 || lower < 0)) return;
  const int upper = ::open(layers.upper.c_str(), kFlags);
  const int work = ::open(layers.work.c_str(), kFlags);
  if (place < 0 || lower < 0 || upper < 0 || work < 0) give_up(plan, kLayers, errno);
  const bool user = plan.marks == OverlayMarks::kUser;
  const std::string options = fmt::format(
      "lowerdir=/proc/self/fd/{},upperdir=/proc/self/fd/{},workdir=/proc/self/fd/{},index=off,{}",
      lower, upper, work, user ? "userxattr" : "metacopy=off,redirect_dir=on");
  const std::string target = fmt::format("/proc/self/fd/{}", place);
  if (::mount("git-txn", target.c_str(), "overlay", 0, options.c_str()) != 0) {
    give_up(plan, kOverlay, errno);
  }
  for (const int fd : {place, lower, upper, work}) ::close(fd);
}

// Refused while somebody is still inside.
bool unmount_all(const MountPlan& plan) {
  bool all = true;
  for (auto layers = plan.layers.rbegin(); layers != plan.layers.rend(); ++layers) {
    const std::string place = join_path(plan.worktree->tree, layers->place);
    // EINVAL: it was not mounted.
    if (::umount2(place.c_str(), UMOUNT_NOFOLLOW) != 0 && errno == EBUSY) all = false;
  }
  return all;
}

std::string start_time_of(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid), kMaxProcText);
  if (!text) return {};
  // The name, in brackets, may hold anything; 19 fields follow the state before the start time.
  const std::size_t name_end = text->rfind(')');
  if (name_end == text->npos) return {};
  std::istringstream fields(text->substr(name_end + 1));
  std::string field;
  for (int n = 0; n < 20; ++n) fields >> field;
  return fields ? field : std::string();
}

// Says who holds the mount, for those who come later.
Status name_holder(const MountPlan& plan) {
  if (!plan.named) return {};
  const pid_t self = ::getpid();
  return write_file(plan.worktree->path + "/mount",
                    fmt::format("{} {} {}\n", plan.boot, self, start_time_of(self)), Sync::kNo);
}

// True when the last user has gone for good. Whoever comes opens the FIFO first and reads
// <path>/mount then: so when that file is gone and nobody has the FIFO open, nobody has come in
// meanwhile.
bool nobody_left(const MountPlan& plan) {
  if (plan.named) ::unlink((plan.worktree->path + "/mount").c_str());
  ::fcntl(plan.users, F_SETFL, O_NONBLOCK);
  char byte = 0;
  const bool empty = ::read(plan.users, &byte, 1) == 0;
  ::fcntl(plan.users, F_SETFL, 0);
  return empty || !name_holder(plan);
}

[[noreturn]] void hold(const MountPlan& plan) {
  close_other_descriptors({plan.users, plan.lock, plan.report});
  ::setsid();
  ::prctl(PR_SET_NAME, "git-txn-mount", 0, 0, 0);
  enter_own_namespace(plan);
  // Who joins opens our namespaces below /proc.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  protect_shared(plan);
  for (const Layers& layers : plan.layers) mount_overlay(plan, layers);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; null >= 0 && fd < 3; ++fd) ::dup2(null, fd);
  if (::chdir("/") != 0) give_up(plan, kLayers, errno);
  if (const Status named = name_holder(plan); !named) give_up(plan, kLayers, EIO);
  const Word mounted{kMounted, 0, ::getpid()};
  if (::write(plan.report, &mounted, sizeof mounted) != sizeof mounted) ::_exit(1);
  ::close(plan.report);
  ::fcntl(plan.users, F_SETFL, 0);
  std::array<char, 64> ignored{};
  while (true) {
    const ssize_t got = ::read(plan.users, ignored.data(), ignored.size());
    const bool over = got == 0 || (got < 0 && errno != EINTR);
    if (over && nobody_left(plan)) break;
  }
  // Where somebody is still inside the namespace lives as long as they do, and whoever comes next
  // is told by that file to look for it.
  if (!unmount_all(plan) && !name_holder(plan)) ::_exit(1);
  ::_exit(0);
}

std::unexpected<Error> explain(const MountPlan& plan, const Word& word) {
  const bool user = plan.marks == OverlayMarks::kUser;
  const auto cannot = [&](std::string_view what) {
    return fail(Code::kUnsupported, fmt::format("{}: {}", what, std::strerror(word.error)),
                "use --worktree plain; git txn doctor says what works here");
  };
  switch (word.step) {
    case kNamespace:
      return cannot(user ? "this machine gives no user namespace to mount an overlay in"
                         : "this process may not have a mount namespace");
    case kIdentity:
      return cannot("a user namespace cannot be set up here");
    case kPrivate:
    case kProtect:
      return cannot("a mount namespace cannot be set up here");
    case kLayers:
      return fail_errno(word.error, "open the layers of '" + plan.worktree->path + "'");
    default:
      return cannot("an overlay cannot be mounted on " + plan.worktree->tree);
  }
}

// A process in whose namespace an overlay of this worktree is mounted; 0: there is none. Only for
// when the holder was killed: it looks at every process.
Result<pid_t> find_survivor(const Worktree& worktree) {
  std::set<std::string> seen = {TRY(read_link("/proc/self/ns/mnt"))};
  const std::string tree = TRY(real_path(worktree.tree));
  for (const DirEntry& entry : TRY(list_dir("/proc"))) {
    if (entry.name.find_first_not_of("0123456789") != entry.name.npos) continue;
    // Processes of others, and those that end meanwhile, are not ours to find.
    const auto space = read_link("/proc/" + entry.name + "/ns/mnt");
    if (!space || !seen.insert(*space).second) continue;
    const auto table = read_file("/proc/" + entry.name + "/mountinfo", kMaxProcText);
    const bool here = table && (table->find(" " + tree + " ") != table->npos ||
                                table->find(" " + tree + "/") != table->npos);
    if (here && table->find(" - overlay git-txn ") != table->npos) {
      return static_cast<pid_t>(std::stol(entry.name));
    }
  }
  return 0;
}

}  // namespace

enum class Who { kAnybody, kUsAlone };

class MountOpener {
 public:
  MountOpener(const Worktree& worktree, SharedFolders shared)
      : worktree_(worktree),
        shared_(std::move(shared)),
        marks_(worktree.kind == WorktreeKind::kOverlay ? worktree.marks : shared_.marks),
        name_(worktree.path + "/mount"),
        users_(name_ + ".users") {}

  // Waits until a holder whose last user has just gone has ended.
  Result<Mount> open_alone() {
    constexpr std::int64_t kEndingMs = 1000;
    TRY(make_users());
    auto lock = FileLock::acquire(name_ + ".lock", kEndingMs);
    if (!lock && lock.error().code == Code::kBusy) return somebody_inside();
    FileLock alone = TRY(std::move(lock));
    Mount mount = TRY(create(alone, Who::kUsAlone));
    mount.alone_ = std::move(alone);
    return mount;
  }

  Result<Mount> open() {
    TRY(make_users());
    const SystemClock clock;
    const std::int64_t end_ns = clock.monotonic_ns() + kDeadlineMs * 1'000'000;
    do {
      if (auto mount = join()) return std::move(*mount);
      auto lock = FileLock::acquire(name_ + ".lock", kLockTryMs);
      if (lock) return create(*lock, Who::kAnybody);
      if (lock.error().code != Code::kBusy) return std::unexpected(std::move(lock).error());
    } while (clock.monotonic_ns() < end_ns);
    return fail(Code::kBusy, "the mount of '" + worktree_.path + "' neither comes nor goes",
                "see which process holds " + name_ + ".lock, and end it");
  }

 private:
  Status make_users() const {
    if (::mkfifo(users_.c_str(), 0600) == 0 || errno == EEXIST) return {};
    return fail_errno(errno, "make '" + users_ + "'");
  }

  // Beside whoever mounted it; nullopt: nobody alive has, or it is just ending.
  std::optional<Mount> join() const {
    Mount mount;
    mount.in_use_ = UniqueFd(::open(users_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (!mount.in_use_.valid()) return std::nullopt;
    const auto text = read_file(name_, 4096);
    if (!text) return std::nullopt;
    std::istringstream words(*text);
    std::string boot, started;
    pid_t pid = 0;
    if (!(words >> boot >> pid >> started) || boot != SystemClock().boot_id()) return std::nullopt;
    if (!namespaces_of(pid, mount) || start_time_of(pid) != started) return std::nullopt;
    return mount;
  }

  bool namespaces_of(pid_t pid, Mount& mount) const {
    const std::string process = fmt::format("/proc/{}", pid);
    mount.mount_ = UniqueFd(::open((process + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
    mount.root_ = UniqueFd(::open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (marks_ == OverlayMarks::kUser) {
      mount.user_ = UniqueFd(::open((process + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
      if (!mount.user_.valid()) return false;
    }
    return mount.mount_.valid() && mount.root_.valid();
  }

  std::unexpected<Error> somebody_inside() const {
    return fail(Code::kBusy, "a process is in the mount of '" + worktree_.path + "'",
                "let it end, or stop it");
  }

  Result<Mount> create(const FileLock& lock, Who who) const {
    if (TRY(exists(name_))) {
      // Of a holder that was killed, on this boot or an earlier one.
      Mount beside;
      const pid_t survivor = TRY(find_survivor(worktree_));
      if (survivor != 0 && who == Who::kUsAlone) return somebody_inside();
      if (survivor != 0 && namespaces_of(survivor, beside)) return beside;
      TRY(remove_file(name_));
    }
    return fork_holder(lock, who);
  }

  Result<Mount> fork_holder(const FileLock& lock, Who who) const {
    const UniqueFd reading(::open(users_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    Mount mount;
    mount.in_use_ = UniqueFd(::open(users_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    std::array<int, 2> ends{};
    if (!reading.valid() || !mount.in_use_.valid() || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return fail_errno(errno, "prepare the mount of '" + worktree_.path + "'");
    }
    const UniqueFd told(ends[0]);
    UniqueFd report(ends[1]);
    MountPlan plan{&worktree_,
                   marks_,
                   layers(),
                   fmt::format("{0} {0} 1", ::geteuid()),
                   fmt::format("{0} {0} 1", ::getegid()),
                   SystemClock().boot_id(),
                   who == Who::kAnybody,
                   reading.get(),
                   lock.descriptor(),
                   report.get()};
    // Twice, so that nobody has to wait for it.
    const pid_t pid = ::fork();
    if (pid < 0) return fail_errno(errno, "start the mount holder");
    if (pid == 0) {
      const pid_t holder = ::fork();
      if (holder == 0) hold(plan);
      if (holder < 0) give_up(plan, kNamespace, errno);
      ::_exit(0);
    }
    report.reset();
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    const std::string said = TRY(read_fd(told.get(), 64));
    return finish(plan, said, std::move(mount));
  }

  std::vector<Layers> layers() const {
    std::vector<Layers> all;
    if (worktree_.kind == WorktreeKind::kOverlay) {
      all.push_back({"", worktree_.shared, worktree_.files, worktree_.path + "/work"});
    }
    for (std::size_t i = 0; i < shared_.folders.size(); ++i) {
      const std::string layer = share_layer(worktree_, i);
      const SharedFolder& folder = shared_.folders[i];
      all.push_back({folder.path, folder.from, layer + "/upper", layer + "/work"});
    }
    return all;
  }

  Result<Mount> finish(const MountPlan& plan, const std::string& said, Mount mount) const {
    Word word{};
    if (said.size() != sizeof word) {
      return fail(Code::kFault, "the mount holder was killed", "try again");
    }
    std::memcpy(&word, said.data(), sizeof word);
    if (word.step != kMounted) return explain(plan, word);
    TRY(fp_mounted.hit());
    if (!namespaces_of(word.holder, mount)) {
      return fail(Code::kFault, "the mount holder was killed", "try again");
    }
    return mount;
  }

  const Worktree& worktree_;
  SharedFolders shared_;
  OverlayMarks marks_;
  std::string name_, users_;
};

Result<Mount> Mount::open(const Worktree& worktree) {
  SharedFolders shared = TRY(shared_folders(worktree));
  if (worktree.kind != WorktreeKind::kOverlay && shared.folders.empty()) return Mount();
  return MountOpener(worktree, std::move(shared)).open();
}

Result<Mount> Mount::open_alone(const Worktree& worktree) {
  return MountOpener(worktree, {}).open_alone();
}

}  // namespace gittxn::repo
