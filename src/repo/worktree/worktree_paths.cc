#include "repo/worktree/worktree_paths.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace gittxn::repo {
namespace {

constexpr int kPassDirectory = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Calls step(parent fd, component) for each directory on the way; it returns the next descriptor.
template <typename Step>
Result<std::optional<Spot>> walk(int root, std::string_view path, Step step) {
  UniqueFd dir(::openat(root, ".", kPassDirectory));
  if (!dir.valid()) return fail_errno(errno, "open the directory of the tree");
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    const std::string name(rest.substr(0, slash));
    if (name.empty() || name == "." || name == ".." || name.find('\0') != name.npos) {
      return fail(Code::kCorrupt, fmt::format("'{}' is not a path in a repository", path));
    }
    if (slash == rest.npos) return std::optional<Spot>(Spot{std::move(dir), name});
    Result<UniqueFd> next = step(dir.get(), name);
    if (!next) return std::unexpected(std::move(next).error());
    if (!next->valid()) return std::optional<Spot>{};
    dir = *std::move(next);
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

Result<TreeRoot> TreeRoot::open(const std::string& path) {
  TreeRoot root;
  root.path_ = path;
  root.fd_ = TRY(open_fd(path, O_RDONLY | O_DIRECTORY));
  return root;
}

Result<std::optional<Spot>> TreeRoot::find(std::string_view path) const {
  return walk(fd_.get(), path, [&](int dir, const std::string& name) -> Result<UniqueFd> {
    UniqueFd next(::openat(dir, name.c_str(), kPassDirectory));
    if (next.valid() || errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
        errno == ENAMETOOLONG) {
      return next;
    }
    return fail_errno(errno, fmt::format("open '{}' on the way to '{}'", name, path));
  });
}

Result<Spot> TreeRoot::make(std::string_view path, mode_t mode) const {
  auto spot = walk(fd_.get(), path, [&](int dir, const std::string& name) -> Result<UniqueFd> {
    if (::mkdirat(dir, name.c_str(), mode) != 0 && errno != EEXIST) {
      return fail_errno(errno, fmt::format("make directory '{}' on the way to '{}'", name, path));
    }
    UniqueFd next(::openat(dir, name.c_str(), kPassDirectory));
    if (next.valid()) return next;
    return fail(Code::kExists,
                fmt::format("'{}' is in the way of '{}' and is no directory", name, path));
  });
  if (!spot) return std::unexpected(std::move(spot).error());
  return *std::move(*spot);
}

Result<std::optional<FoundSpot>> TreeRoot::look(std::string_view path) const {
  auto spot = TRY(find(path));
  const auto info = spot ? TRY(stat_at(*spot)) : std::nullopt;
  if (!info) return std::nullopt;
  return FoundSpot{*std::move(spot), *info};
}

Result<std::optional<struct stat>> TreeRoot::stat(std::string_view path) const {
  const auto found = TRY(look(path));
  return found ? std::optional(found->info) : std::nullopt;
}

Status TreeRoot::prune_parents(std::string_view path) const {
  for (std::size_t slash = path.rfind('/'); slash != path.npos; slash = path.rfind('/')) {
    path = path.substr(0, slash);
    const auto spot = TRY(find(path));
    if (!spot) continue;
    if (::unlinkat(spot->dir.get(), spot->name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) {
      continue;
    }
    return {};  // not empty, or a mount point: it stays, and so does everything above it
  }
  return {};
}

Result<std::optional<struct stat>> stat_at(const Spot& spot) {
  struct stat info{};
  if (::fstatat(spot.dir.get(), spot.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return std::optional<struct stat>(info);
  }
  if (errno == ENOENT || errno == ENOTDIR) return std::optional<struct stat>{};
  return fail_errno(errno, fmt::format("stat '{}'", spot.name));
}

static Result<UniqueFd> open_file(const Spot& spot) {
  UniqueFd fd(
      ::openat(spot.dir.get(), spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, fmt::format("open '{}'", spot.name));
  return fd;
}

Result<std::string> bytes_at(const Spot& spot, std::size_t max_bytes) {
  const auto info = TRY(stat_at(spot));
  if (!info) return fail(Code::kNotFound, fmt::format("'{}' is gone", spot.name));
  if (S_ISLNK(info->st_mode)) {
    std::string target(static_cast<std::size_t>(info->st_size) + 1, '\0');
    const ssize_t size =
        ::readlinkat(spot.dir.get(), spot.name.c_str(), target.data(), target.size());
    if (size < 0) return fail_errno(errno, fmt::format("read link '{}'", spot.name));
    target.resize(static_cast<std::size_t>(size));
    return target;
  }
  const UniqueFd fd = TRY(open_file(spot));
  return TRY_IN(fmt::format("reading '{}'", spot.name), read_fd(fd.get(), max_bytes));
}

Result<Digest> digest_at(const Spot& spot) {
  const auto info = TRY(stat_at(spot));
  if (!info) return fail(Code::kNotFound, fmt::format("'{}' is gone", spot.name));
  if (S_ISLNK(info->st_mode)) return sha256(TRY(bytes_at(spot)));
  if (!S_ISREG(info->st_mode)) return fail(Code::kFault, fmt::format("'{}' is no file", spot.name));
  const UniqueFd fd = TRY(open_file(spot));
  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("read '{}'", spot.name));
    if (got == 0) return hash.finish();
    hash.update(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
}

std::string join_tree(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + '/' + name;
}

std::string quote_path(std::string_view path) {
  bool plain = true;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') plain = false;
  }
  if (plain) return std::string(path);
  std::string quoted = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::vector<std::string> split_nul(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return parts;
}

}  // namespace gittxn::repo
