// What kinds of worktree a machine can have, and running something inside one.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "repo/worktree/worktree_mount.h"

namespace gittxn::repo {
namespace {

constexpr std::size_t kMaxReport = 1u << 20;
constexpr std::size_t kMaxStatusText = 1u << 20;

// An error as text for a pipe; its strings hold no NUL.
std::string packed(const Error& error) {
  std::string text = std::to_string(static_cast<int>(error.code));
  for (const std::string* part : {&error.message, &error.hint, &error.where}) {
    text += '\0';
    text += *part;
  }
  return text;
}

Error unpacked(const std::string& text) {
  std::array<std::string, 4> parts;
  std::size_t at = 0;
  for (std::string& part : parts) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    part = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
  }
  Error error;
  const long code = std::strtol(parts[0].c_str(), nullptr, 10);
  if (code >= 0 && code <= static_cast<long>(Code::kOutcomeUnknown)) {
    error.code = static_cast<Code>(code);
  }
  error.message = parts[1];
  error.hint = parts[2];
  error.where = parts[3];
  return error;
}

[[noreturn]] void run_inside(const Mount& mount, const std::function<Status()>& work, int report) {
  const int entered = enter_namespaces(mount.fds());
  Status done;
  if (entered == 0) {
    done = work();
  } else {
    done = fail_errno(entered, "enter the worktree's mount");
  }
  const Status told = write_all(report, done ? "done" : packed(done.error()));
  ::_exit(told ? 0 : 1);
}

KindSupport probe_reflink(const std::string& directory) {
  KindSupport support{WorktreeKind::kReflink, false, {}};
  const Status wrote = write_file(directory + "/from", std::string(4096, 'x'), Sync::kNo);
  const UniqueFd from(::open((directory + "/from").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd to(::open((directory + "/to").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!wrote || !from.valid() || !to.valid()) {
    support.detail = "nothing can be written in " + parent_dir(directory);
  } else if (::ioctl(to.get(), FICLONE, from.get()) != 0) {
    support.detail = "the file system of " + parent_dir(directory) + " shares no blocks (FICLONE)";
  } else {
    support.usable = true;
  }
  return support;
}

KindSupport probe_overlay(const std::string& directory) {
  KindSupport support{WorktreeKind::kOverlay, false, {}};
  Worktree worktree;
  worktree.path = directory;
  worktree.tree = directory + "/tree";
  worktree.kind = WorktreeKind::kOverlay;
  worktree.files = directory + "/upper";
  worktree.shared = directory + "/shared/tree";
  worktree.marks = overlay_marks();
  for (const std::string& each :
       {worktree.tree, worktree.files, worktree.shared, directory + "/work"}) {
    if (const Status made = make_dirs(each); !made) {
      support.detail = made.error().message;
      return support;
    }
  }
  const auto mount = Mount::open(worktree);
  if (!mount) {
    support.detail = mount.error().message;
    return support;
  }
  support.usable = true;
  if (worktree.marks == OverlayMarks::kUser) {
    support.detail =
        "in a user namespace: directories of the commit are moved by copying (git mv "
        "refuses)";
  }
  return support;
}

KindSupport probe_kind(const std::string& root, KindSupport (*probe)(const std::string&)) {
  KindSupport support;
  std::string directory = root + "/probe-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {
    support.usable = false;
    support.detail = "nothing can be made in " + root;
    return support;
  }
  support = probe(directory);
  // A tree that cannot be removed is empty, and its name tells what it was for.
  static_cast<void>(remove_tree(directory));
  return support;
}

// Counts no further than it has to.
Status count_files(const Objects& objects, const Oid& tree, std::size_t& left) {
  for (const NamedEntry& entry : TRY(objects.list(tree))) {
    if (left == 0) return {};
    if (entry.entry.mode == FileMode::kTree) {
      TRY(count_files(objects, entry.entry.oid, left));
    } else {
      --left;
    }
  }
  return {};
}

}  // namespace

Status inside(const Mount& mount, const std::function<Status()>& work) {
  if (mount.fds().mount < 0) return work();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  const UniqueFd told(ends[0]);
  UniqueFd report(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, "start a process");
  if (pid == 0) run_inside(mount, work, report.get());
  report.reset();
  const auto text = read_fd(told.get(), kMaxReport);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!text) return std::unexpected(text.error());
  if (*text == "done") return {};
  if (text->empty()) return fail(Code::kFault, "a process inside the worktree was killed");
  return std::unexpected(unpacked(*text));
}

OverlayMarks overlay_marks() {
  // In a user namespace the marks of the machine's administrator are not ours to set, whatever we
  // are called there.
  constexpr std::string_view kWhole = "0 0 4294967295";
  const auto map = read_file("/proc/self/uid_map", 4096);
  const auto status = read_file("/proc/self/status", kMaxStatusText);
  if (!map || !status) return OverlayMarks::kUser;
  std::istringstream ids(*map);
  std::string a, b, c;
  ids >> a >> b >> c;
  constexpr unsigned long long kSysAdmin = 1ull << 21;
  const std::size_t at = status->find("CapEff:");
  const bool may =
      at != status->npos && (std::strtoull(status->c_str() + at + 7, nullptr, 16) & kSysAdmin) != 0;
  return may && fmt::format("{} {} {}", a, b, c) == kWhole ? OverlayMarks::kTrusted
                                                           : OverlayMarks::kUser;
}

std::vector<KindSupport> probe_kinds(const std::string& root) {
  std::vector<KindSupport> kinds = {{WorktreeKind::kPlain, true, {}}};
  kinds.push_back(probe_kind(root, probe_overlay));
  kinds.back().kind = WorktreeKind::kOverlay;
  kinds.push_back(probe_kind(root, probe_reflink));
  kinds.back().kind = WorktreeKind::kReflink;
  return kinds;
}

Result<WorktreeKind> automatic_kind(Repository& repository, const Oid& base,
                                    const std::string& root) {
  // Neither knows these (plan_worktree).
  const bool sparse = TRY(repository.config().flag("core.sparseCheckout")).value_or(false);
  if (sparse || root.find('\n') != root.npos) return WorktreeKind::kPlain;
  std::size_t left = kManyFiles + 1;
  const Oid tree = TRY(repository.objects().tree_of(base));
  TRY(count_files(repository.objects(), tree, left));
  if (left == 0 && probe_kind(root, probe_overlay).usable) return WorktreeKind::kOverlay;
  return probe_kind(root, probe_reflink).usable ? WorktreeKind::kReflink : WorktreeKind::kPlain;
}

}  // namespace gittxn::repo
