// Reflogs, for people: `git reflog` shows what moved a branch. They are no part of any promise, so
// they are not synced; they are written under the ref's lock, before the rename, as git does it, so
// that entries are in order and a full disk stops the update while it still can be stopped. A kill
// in between leaves an entry for a move that did not happen, as it would with git.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fs.h"
#include "repo/refs_files.h"

namespace gittxn::repo::internal {
namespace {

// One line: every run of white space becomes one space.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '\0') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// git's rule (core.logAllRefUpdates): by default in repositories with a worktree, for branches,
// remote branches and notes.
Result<bool> begins_log(Config& config, const RefName& ref) {
  const std::string all = TRY(config.get("core.logAllRefUpdates")).value_or("");
  if (all == "always") return true;
  const auto wanted = TRY(config.flag("core.logAllRefUpdates"));
  const bool bare = TRY(config.flag("core.bare")).value_or(false);
  const std::string& name = ref.str();
  return wanted.value_or(!bare) &&
         (name.starts_with("refs/heads/") || name.starts_with("refs/remotes/") ||
          name.starts_with("refs/notes/"));
}

enum class Missing { kLeave, kBegin };

Status append_line(const std::string& path, std::string_view line, Missing missing) {
  int flags = O_WRONLY | O_APPEND;
  if (missing == Missing::kBegin) {
    TRY(make_dirs(parent_dir(path), 0777));
    flags |= O_CREAT;
    struct stat st{};
    if (::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode)) (void)remove_empty_dirs(path);
  }
  auto fd = open_fd(path, flags, 0666);
  if (!fd && fd.error().code == Code::kNotFound && missing == Missing::kLeave) return {};
  if (!fd) return std::unexpected(std::move(fd).error());
  return write_all(fd->get(), line);
}

// Logs of every HEAD (the main one, and linked worktrees') that is at this branch.
Status append_head_logs(const std::string& dir, const RefName& ref, std::string_view line) {
  std::vector<std::string> git_dirs = {dir};
  auto linked = list_dir(dir + "/worktrees");
  if (linked) {
    for (const DirEntry& entry : *linked) git_dirs.push_back(dir + "/worktrees/" + entry.name);
  }
  for (const std::string& git_dir : git_dirs) {
    const auto head = read_head(git_dir);
    if (!head || !head->symbolic || head->target != ref) continue;
    TRY(append_line(git_dir + "/logs/HEAD", line, Missing::kLeave));
  }
  return {};
}

}  // namespace

Status append_reflogs(const std::string& dir, Config& config, const RefUpdate& update) {
  if (update.reflog_who.empty()) return {};
  const std::string none(40, '0');
  const std::string line = (update.expected.empty() ? none : update.expected.str()) + " " +
                           update.desired.str() + " " + one_line(update.reflog_who) + "\t" +
                           one_line(update.reflog_message) + "\n";
  const std::string log = dir + "/logs/" + update.ref.str();
  struct stat st{};
  const bool is_there = ::stat(log.c_str(), &st) == 0 && S_ISREG(st.st_mode);
  if (is_there || TRY(begins_log(config, update.ref))) {
    TRY_IN("writing the reflog",
           append_line(log, line, is_there ? Missing::kLeave : Missing::kBegin));
  }
  return append_head_logs(dir, update.ref, line);
}

}  // namespace gittxn::repo::internal
