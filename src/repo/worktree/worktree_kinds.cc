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
#include "repo/worktree/worktree_paths.h"

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
  std::vector<std::string> parts = split_nul(text);
  parts.resize(4);
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

Status try_reflink(const std::string& directory) {
  const Status wrote = write_file(directory + "/from", std::string(4096, 'x'), Sync::kNo);
  const UniqueFd from(::open((directory + "/from").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd to(::open((directory + "/to").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!wrote || !from.valid() || !to.valid()) {
    return fail(Code::kUnsupported, "nothing can be written in " + parent_dir(directory));
  }
  if (::ioctl(to.get(), FICLONE, from.get()) == 0) return {};
  return fail(Code::kUnsupported,
              "the file system of " + parent_dir(directory) + " shares no blocks (FICLONE)");
}

Status try_overlay(const std::string& directory) {
  Worktree worktree = worktree_at(directory, WorktreeKind::kOverlay);
  worktree.shared = directory + "/shared/tree";
  worktree.marks = overlay_marks();
  for (const std::string& each :
       {worktree.tree, worktree.files, worktree.shared, directory + "/work"}) {
    TRY(make_dirs(each));
  }
  TRY(Mount::open(worktree));
  return {};
}

KindSupport probe_kind(const std::string& root, WorktreeKind kind) {
  KindSupport support{kind, false, "nothing can be made in " + root};
  std::string directory = root + "/probe-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) return support;
  const bool overlay = kind == WorktreeKind::kOverlay;
  const Status tried = overlay ? try_overlay(directory) : try_reflink(directory);
  support.usable = tried.has_value();
  support.detail = tried ? "" : tried.error().message;
  if (tried && overlay && overlay_marks() == OverlayMarks::kUser) {
    support.detail =
        "in a user namespace: directories of the commit are moved by copying (git mv "
        "refuses)";
  }
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
  return {{WorktreeKind::kPlain, true, {}},
          probe_kind(root, WorktreeKind::kOverlay),
          probe_kind(root, WorktreeKind::kReflink)};
}

Result<WorktreeKind> automatic_kind(Repository& repository, const Oid& base,
                                    const std::string& root) {
  // Neither knows these (plan_worktree).
  const bool sparse = TRY(repository.config().flag("core.sparseCheckout")).value_or(false);
  if (sparse || root.find('\n') != root.npos) return WorktreeKind::kPlain;
  std::size_t left = kManyFiles + 1;
  const Oid tree = TRY(repository.objects().tree_of(base));
  TRY(count_files(repository.objects(), tree, left));
  if (left == 0 && probe_kind(root, WorktreeKind::kOverlay).usable) return WorktreeKind::kOverlay;
  return probe_kind(root, WorktreeKind::kReflink).usable ? WorktreeKind::kReflink
                                                         : WorktreeKind::kPlain;
}

}  // namespace gittxn::repo
