#include "capture/channels.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::capture {
namespace {

// Where daemons listen that only answer questions about names, users, keys, time or the screen. The
// per-user directory is /run/user/<uid>; "*" stands for one component.
constexpr std::string_view kHarmless[] = {
    "/run/nscd/",
    "/run/systemd/resolve/",
    "/run/systemd/journal/",
    "/run/systemd/notify",
    "/run/systemd/userdb/",
    "/run/dbus/",
    "/run/avahi-daemon/",
    "/run/user/*/bus",
    "/run/user/*/keyring/",
    "/run/user/*/gnupg/",
    "/run/user/*/wayland-",
    "/run/user/*/pulse/",
    "/run/user/*/pipewire-",
    "/run/user/*/at-spi/",
    "/run/user/*/ssh-agent",
    "/run/user/*/openssh_agent",
    "/run/user/*/gcr/",
    "/var/lib/sss/pipes/",
    "/dev/log",
    "/tmp/.X11-unix/",
    "/tmp/.ICE-unix/",
    "/tmp/ssh-",
    "@/tmp/.X11-unix/",
    "@/tmp/.ICE-unix/",
    "@/tmp/dbus-",
    "@/dbus-vfs-daemon/",
    "@/run/systemd/",
};

// They work on files for whoever asks, wherever their socket is.
constexpr std::string_view kDaemonNames[] = {
    "docker", "containerd", "podman",    "buildkit", "watchman", "gradle",           "bazel",
    "tmux-",  "/emacs",     "fsmonitor", "sccache",  "distccd",  "nix/daemon-socket"};

bool matches(std::string_view path, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return path.starts_with(pattern);
  if (!path.starts_with(pattern.substr(0, star))) return false;
  path.remove_prefix(star);
  const std::size_t slash = path.find('/');
  return slash != std::string_view::npos &&
         path.substr(slash).starts_with(pattern.substr(star + 1));
}

Connection classify_unix(std::string_view path) {
  std::string plain(path);
  if (!path.starts_with('@')) {
    plain = normal_path(path);
    if (plain.starts_with("/var/run/")) plain.erase(0, 4);
  }
  Connection connection{Peer::kDaemon, plain};
  const auto named = [&](std::string_view name) { return plain.contains(name); };
  if (std::ranges::any_of(kDaemonNames, named)) return connection;
  const auto at = [&](std::string_view pattern) { return matches(plain, pattern); };
  if (named("/.gnupg/S.") || named("/agent.") || std::ranges::any_of(kHarmless, at)) {
    connection.peer = Peer::kHarmless;
  }
  return connection;
}

// One name for what a path means, wherever it is.
std::string one_name(const Resolved& at, const std::string& path, const std::string& tree,
                     const TreeModel& model) {
  if (!at.real.empty()) return at.real;
  if (at.place != Place::kTree) return normal_path(path);
  return join_path(tree, at.node != nullptr ? model.path_of(*at.node) : at.missing);
}

}  // namespace

Connection classify_connection(std::string_view address) {
  constexpr std::string_view kUnix = "unix:";
  if (address.starts_with(kUnix)) return classify_unix(address.substr(kUnix.size()));
  const std::size_t colon = address.find(':');
  return {Peer::kNetwork,
          std::string(colon == std::string_view::npos ? address : address.substr(colon + 1))};
}

std::int64_t born_ns(const std::string& path) {
  struct statx info{};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &info) != 0) return 0;
  if ((info.stx_mask & STATX_BTIME) == 0) return 0;
  return info.stx_btime.tv_sec * 1'000'000'000 + info.stx_btime.tv_nsec;
}

// A socket or a pipe that the transaction did not make: whoever is behind it has read what nobody
// saw. What it made itself, it may have given to somebody else to fill; that is not seen.
void Channels::passes_bytes(const Record& record, const Resolved& at, const Resolved* to) {
  if (INJECTED_BUG("interpret.any_pipe")) return;
  // A server's socket is bound, and not opened.
  const bool made =
      record.op == Op::kOpenCreate && (record.path2.starts_with("mknod") || record.path2 == "bind");
  const bool named = to != nullptr && has_second_path(record.op);
  const bool opened = content_open(record) && S_ISFIFO(record.mode);
  if (!made && !opened && (!named || own_.empty())) return;
  if (failed(record)) return;
  std::string name = one_name(at, record.path, tree_, model_);
  if (made) {
    own_.insert(std::move(name));
  } else if (named && own_.contains(name)) {
    own_.insert(one_name(*to, record.path2, tree_, model_));
  } else if (opened && at.place != Place::kPseudo && !own_.contains(name)) {
    // make gives those it starts a pipe of tokens.
    if (base_name(name).starts_with("GMfifo")) return;
    log_.unknown("a pipe that was filled by another program: " + name);
  }
}

void Channels::connected(const Record& record, const Process& process) {
  if (failed(record) && record.result != -EINPROGRESS) return;
  const Connection peer = classify_connection(record.path);
  if (peer.peer == Peer::kNetwork) {
    return log_.add(ReadKind::kExternal, peer.name, "",
                    {.process = &process, .op = "connect", .strength = Strength::kSoft});
  }
  if (peer.peer == Peer::kHarmless) return;
  if (peer.name.starts_with('/')) {
    const Resolved at = resolver_.resolve(peer.name, LastLink::kFollow);
    if (own_.contains(one_name(at, peer.name, tree_, model_))) return;
  }
  if (INJECTED_BUG("interpret.late_servers_are_own") && born_ns(peer.name) >= began_ns_) {
    return;
  }
  if (unknown_result(record) && peer.name.starts_with('/')) {
    // Clients try sockets that were never there; without a result the file is the only witness.
    const auto there = exists(peer.name);
    if (there && !*there) return;
  }
  log_.unknown("daemon " + peer.name);
}

}  // namespace gittxn::capture
