#include "capture/connections.h"

#include <algorithm>

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

}  // namespace

Connection classify_connection(std::string_view address) {
  constexpr std::string_view kUnix = "unix:";
  if (address.starts_with(kUnix)) return classify_unix(address.substr(kUnix.size()));
  const std::size_t colon = address.find(':');
  return {Peer::kNetwork,
          std::string(colon == std::string_view::npos ? address : address.substr(colon + 1))};
}

}  // namespace gittxn::capture
