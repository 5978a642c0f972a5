#include "txn/bounds/confine.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/bug.h"
#include "txn/bounds/confine_places.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMostOutsideNamed = 20;
constexpr const char* kTemporary[] = {"/tmp", "/var/tmp", "/dev/shm"};
// Devices for terminals, random numbers and virtual machines; no disks.
constexpr const char* kDevices[] = {"/dev/null",    "/dev/zero", "/dev/full",   "/dev/random",
                                    "/dev/urandom", "/dev/tty",  "/dev/ptmx",   "/dev/pts",
                                    "/dev/mqueue",  "/dev/kvm",  "/dev/console"};
// A process may say things of itself there. The rest belongs to the machine.
constexpr const char* kOfMachine[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
                                      "/proc/fs",  "/proc/acpi",          "/proc/scsi"};

// A place that does not exist has no real path and needs no permission.
void add_real(const std::string& path, std::set<std::string>& paths) {
  if (auto real = real_path(path)) paths.insert(*std::move(real));
}

Status add_configured(State& state, std::set<std::string>& write) {
  const auto more = TRY(state.repository.config().get("txn.confinewrite"));
  if (!more) return {};
  std::istringstream places(*more);
  for (std::string path; std::getline(places, path, ':');) {
    if (path.empty()) continue;
    if (path.starts_with("~/")) path = join_path(state.variable("HOME"), path.substr(2));
    if (!path.starts_with('/')) {
      return fail(Code::kUsage, "txn.confineWrite names '" + path + "', which is not absolute",
                  "separate absolute paths, or such that begin with ~/, by ':'");
    }
    add_real(normal_path(path), write);
  }
  return {};
}

std::set<std::string> temporary_places(State& state) {
  std::set<std::string> places;
  for (const char* path : kTemporary) add_real(path, places);
  if (const std::string temp = state.variable("TMPDIR"); temp.starts_with('/')) {
    add_real(temp, places);
  }
  places.erase("/");
  return places;
}

// The repository, its checkouts, its store, other transactions' worktrees, and the home directory.
Result<std::set<std::string>> protected_places(State& state) {
  std::set<std::string> places;
  add_real(state.repository.place().common_dir, places);
  add_real(TRY(state.worktree_root()), places);
  for (const auto& checkout : TRY(state.repository.checkouts())) {
    add_real(checkout.worktree, places);
  }
  for (const char* name : {"HOME", "XDG_CONFIG_HOME"}) {
    if (const std::string path = state.variable(name); path.starts_with('/')) {
      add_real(path, places);
    }
  }
  return places;
}

// What lies below a place that may be written and must not be. Below a temporary directory all of
// the directory there that holds it: else it could be moved away with what is above it.
std::set<std::string> kept_below(const std::set<std::string>& write,
                                 const std::set<std::string>& temporary,
                                 const std::set<std::string>& secured) {
  std::set<std::string> kept;
  for (const std::string& root : write) {
    for (const std::string& one : secured) {
      std::string below;
      if (!path_below(one, root, &below) || below.empty()) continue;
      const bool whole = temporary.contains(root);
      kept.insert(whole ? join_path(root, below.substr(0, below.find('/'))) : one);
    }
  }
  return kept;
}

// Where the person's command line sent the output of the command: it may open that again by name
// (/dev/stderr).
void add_output(std::set<std::string>& write) {
  for (const int fd : {1, 2}) {
    struct stat info{};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (auto path = read_link(fmt::format("/proc/self/fd/{}", fd))) add_real(*path, write);
  }
}

// Without a mount namespace nothing can be kept below what is allowed: then that is not allowed.
// But for /proc, where the kernel keeps what is the machine's from all but its administrator.
void leave_out(std::set<std::string>& write, const std::set<std::string>& kept,
               std::vector<std::string>& notes) {
  std::erase_if(write, [&](const std::string& root) {
    const bool holds = std::ranges::any_of(
        kept, [&](const std::string& one) { return path_below(one, root, nullptr); });
    const bool of_system = root == "/proc" && ::geteuid() != 0;
    if (holds && !of_system) {
      notes.push_back(fmt::format(
          "{} cannot be written by the confined command: what it must not change lies below",
          root));
    }
    return holds && !of_system;
  });
}

Result<std::string> confine_mode(State& state, const RunOptions& options) {
  if (options.confine) return *options.confine;
  return TRY(state.repository.config().get("txn.confine")).value_or("off");
}

}  // namespace

Result<bool> is_confined(State& state, const RunOptions& options) {
  const std::string mode = TRY(confine_mode(state, options));
  if (mode == kConfinedWrites) return true;
  if (mode == "off") return false;
  const std::string named = options.confine ? "--confine" : "txn.confine";
  if (mode == "declared" || mode == "learned") {
    return fail(Code::kUsage,
                fmt::format("{} {} is no longer there: a command that cannot read part of its tree "
                            "cannot work in it",
                            named, mode),
                "what it reads is recorded and certified all the same; confine what it writes: "
                "--confine writes");
  }
  return fail(Code::kUsage, fmt::format("{} does not know '{}'", named, mode), "use writes or off");
}

Status check_confine(State& state, const RunOptions& options) {
  if (TRY(is_confined(state, options))) TRY(capture::confine_means());
  return {};
}

Result<capture::Confine> confine_to(State& state, const ConfinedPlace& place, Environment& env,
                                    std::vector<std::string>& notes) {
  const capture::ConfineMeans means = TRY(capture::confine_means());
  const std::set<std::string> temporary = temporary_places(state);
  std::set<std::string> write = temporary;
  for (const char* path : kDevices) add_real(path, write);
  add_real("/proc", write);
  for (const std::string& path : ordinary_places(state.host.env)) add_real(path, write);
  TRY(add_configured(state, write));
  add_output(write);
  std::set<std::string> kept = kept_below(write, temporary, TRY(protected_places(state)));
  for (const char* path : kOfMachine) add_real(path, kept);

  capture::Confine confine;
  confine.mounts = means.no_mounts.empty();
  if (!confine.mounts) {
    notes.push_back(fmt::format("{}: modes, owners and times of files outside are not protected",
                                means.no_mounts));
    leave_out(write, kept, notes);
  }
  if (!means.scopes) {
    notes.emplace_back(
        "this kernel's Landlock keeps no signals and no abstract sockets back (Linux 6.12 does)");
  }
  const std::string usual = env.contains("TMPDIR") ? env["TMPDIR"] : "/tmp";
  const bool may_write_there = std::ranges::any_of(write, [&](const std::string& root) {
    return path_below(real_path(usual).value_or(usual), root, nullptr);
  });
  if (!may_write_there) {
    TRY(make_dirs(place.temp));
    env["TMPDIR"] = place.temp;
  }
  for (const std::string& path : place.own) add_real(path, write);
  if (INJECTED_BUG("confine.nothing_kept")) kept.clear();
  confine.write.assign(write.begin(), write.end());
  confine.kept.assign(kept.begin(), kept.end());
  confine.tree = place.own.front();
  return confine;
}

Status tell_outside(const std::string& record_file, const capture::Confine& confine,
                    std::vector<std::string>& notes) {
  for (const std::string& path :
       TRY(capture::outside_scope(record_file, confine, kMostOutsideNamed))) {
    std::string shown;
    if (!path_below(path, confine.tree, &shown)) shown = path;
    notes.push_back("outside of what it may write: " + shown);
  }
  return {};
}

}  // namespace gittxn::api
