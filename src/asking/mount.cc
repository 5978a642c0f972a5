// The mounts of an asking. The first process of the namespaces is root of them, whoever it is
// outside, and none of these mounts is seen outside; so nothing has to be undone.
//
// What is to be seen later is opened first, because the directories that are made empty may be
// above it. Nothing is made read-only here: that is for the command's confinement, in a namespace
// below.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "asking/place.h"
#include "base/fs.h"

namespace gittxn::asking {
namespace {

constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV;
constexpr unsigned long kWithDevices = MS_NOSUID;
// The memory of each: a question has no use for more.
constexpr std::string_view kTemporaryOptions = "size=512m,nr_inodes=256k,mode=1777";
constexpr std::string_view kOtherOptions = "size=64m,nr_inodes=64k,mode=0755";
constexpr std::array kDevices = {"null", "zero", "full", "random", "urandom", "tty"};
constexpr std::array<std::pair<const char*, const char*>, 5> kDeviceLinks = {
    {{"fd", "/proc/self/fd"},
     {"stdin", "/proc/self/fd/0"},
     {"stdout", "/proc/self/fd/1"},
     {"stderr", "/proc/self/fd/2"},
     {"ptmx", "pts/ptmx"}}};

std::unexpected<Error> refused(std::string_view what, int error = errno) {
  return fail(Code::kUnsupported,
              fmt::format("an asking cannot {}: {}", what, std::strerror(error)),
              "git txn doctor says what works here");
}

std::string path_of(const UniqueFd& fd) {
  return fmt::format("/proc/self/fd/{}", fd.get());
}

Status mount_one(const char* type, const std::string& place, unsigned long flags,
                 std::string_view options) {
  if (::mount("git-txn", place.c_str(), type, flags, std::string(options).c_str()) == 0) return {};
  return refused(fmt::format("mount {} on {}", type, place));
}

Status show_at(const std::string& from, const std::string& place) {
  if (::mount(from.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0) return {};
  return refused("show " + place);
}

struct Layer {
  std::vector<UniqueFd> lower;  // the highest first
  UniqueFd upper, work;
};

struct Layers {
  Layer tree;
  std::vector<Layer> caches;
  UniqueFd records;
  std::vector<UniqueFd> objects;
};

constexpr int kDirectory = O_PATH | O_DIRECTORY | O_NOFOLLOW;

Result<Layer> open_layer(const std::vector<std::string>& lower, const std::string& own) {
  Layer layer;
  for (const std::string& dir : lower) layer.lower.push_back(TRY(open_fd(dir, kDirectory)));
  layer.upper = TRY(open_fd(own + "/upper", kDirectory));
  layer.work = TRY(open_fd(own + "/work", kDirectory));
  return layer;
}

Result<Layers> open_layers(const PlacePlan& plan) {
  Layers layers;
  std::vector<std::string> lower = {plan.layers.above, plan.layers.below};
  if (!plan.over.empty()) lower.insert(lower.begin(), plan.over);
  layers.tree = TRY(open_layer(lower, plan.now));
  for (std::size_t i = 0; i < plan.caches.size(); ++i) {
    layers.caches.push_back(TRY(open_layer({plan.caches[i]}, cache_dir(plan, i))));
  }
  layers.records = TRY(open_fd(plan.now + "/records", kDirectory));
  for (const repo::SeenObjects& one : plan.objects) {
    layers.objects.push_back(TRY(open_fd(one.from, kDirectory)));
  }
  return layers;
}

// Mounts by descriptor, because ':' and ',' of a path mean something in the options of an overlay.
// Nothing is synced: what is written is thrown away.
Status mount_layer(const Layer& layer, const std::string& at) {
  std::string lower;
  for (const UniqueFd& dir : layer.lower) lower += (lower.empty() ? "" : ":") + path_of(dir);
  return mount_one("overlay", at, kPlain,
                   fmt::format("lowerdir={},upperdir={},workdir={},index=off,userxattr,volatile",
                               lower, path_of(layer.upper), path_of(layer.work)));
}

using Device = std::pair<std::string, UniqueFd>;

// Mounts of devices, made while devices can still be mounted so that they work.
std::vector<Device> copy_devices() {
  std::vector<Device> devices;
  for (const char* name : kDevices) {
    const std::string path = join_path("/dev", name);
    UniqueFd copy(static_cast<int>(
        ::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)));
    // One that this machine has not, an asking has not either.
    if (copy.valid()) devices.emplace_back(path, std::move(copy));
  }
  return devices;
}

// Keeps every other device from being opened, wherever it has a name.
Status close_devices() {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NODEV;
  if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) ==
      0)
    return {};
  return refused("keep devices away");
}

Status fill_devices(const std::vector<Device>& devices) {
  for (const auto& [path, copy] : devices) {
    TRY(open_fd(path, O_WRONLY | O_CREAT | O_EXCL, 0666));
    if (::syscall(SYS_move_mount, copy.get(), "", AT_FDCWD, path.c_str(),
                  MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return refused("have the device " + path);
    }
  }
  for (const auto& [name, leads] : kDeviceLinks) {
    const std::string link = join_path("/dev", name);
    if (::symlink(leads, link.c_str()) != 0) return refused("make " + link);
  }
  TRY(make_dirs("/dev/pts", 0755));
  return mount_one("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC,
                   "newinstance,ptmxmode=0666,mode=0620");
}

Status empty_places(const PlacePlan& plan, const std::vector<Device>& devices) {
  for (const EmptyPlace& place : plan.empty) {
    const bool temporary = place.kind == EmptyPlace::Kind::kTemporary;
    const bool device = place.kind == EmptyPlace::Kind::kDevices;
    TRY(mount_one("tmpfs", place.path, device ? kWithDevices : kPlain,
                  temporary ? kTemporaryOptions : kOtherOptions));
    if (device) TRY(fill_devices(devices));
  }
  for (const std::string& path : plan.folders) TRY(make_dirs(path, 0755));
  for (const std::string& path : plan.temporary) {
    if (::chmod(path.c_str(), 01777) != 0) return refused("make " + path);
  }
  return {};
}

Status raise_loopback(Network network) {
  if (network == Network::kHost) return {};
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (socket.valid() && ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return {};
  return refused("have a network of its own");
}

}  // namespace

Status mount_places(const PlacePlan& plan) {
  // A mount that is made outside meanwhile does not appear inside.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return refused("have mounts of its own");
  }
  const Layers layers = TRY(open_layers(plan));
  const std::vector<Device> devices = copy_devices();
  TRY(close_devices());
  TRY(mount_one("proc", "/proc", kPlain | MS_NOEXEC, ""));
  TRY(empty_places(plan, devices));
  TRY(mount_layer(layers.tree, plan.at));
  for (std::size_t i = 0; i < plan.caches.size(); ++i) {
    TRY(mount_layer(layers.caches[i], plan.caches[i]));
  }
  const std::string records(kRecordsInside);
  TRY_IN("the records of an asking", make_dirs(records, 0700));
  TRY(show_at(path_of(layers.records), records));
  for (std::size_t i = 0; i < plan.objects.size(); ++i) {
    TRY(make_dirs(plan.objects[i].as, 0755));
    TRY(show_at(path_of(layers.objects[i]), plan.objects[i].as));
  }
  return raise_loopback(plan.network);
}

}  // namespace gittxn::asking
