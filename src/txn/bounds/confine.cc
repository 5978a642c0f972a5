#include "txn/bounds/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/bug.h"

namespace gittxn::api {

namespace {

// The places that tools and agents need to go on working: their caches, and the state of the agents
// themselves. A confined command may write there. It is a way out in time: what a later run outside
// takes from a cache, or from an agent's settings, a confined one may have put there (`git txn
// version --enforces` says so).
struct Ordinary {
  std::string_view program;   // whose it is; "" of many
  std::string_view variable;  // where it is, when that is set and absolute
  std::string_view below;     // ... and what of it
  std::string_view place;     // else: from the home directory; "" that is below the first one
  enum class Kind { kDirectory, kFile } kind = Kind::kDirectory;
  std::string_view made = {};  // what a file is made with; "" it is not made
};
constexpr auto kOneFile = Ordinary::Kind::kFile;

// cargo and go keep programs that people run beside their caches: so parts of them alone.
constexpr Ordinary kOrdinary[] = {
    {"", "XDG_CACHE_HOME", "", ".cache"},
    {"npm", "npm_config_cache", "", ".npm"},
    {"yarn", "YARN_GLOBAL_FOLDER", "", ".yarn/berry"},
    {"pnpm", "PNPM_HOME", "store", ".local/share/pnpm/store"},
    {"bun", "BUN_INSTALL_CACHE_DIR", "", ".bun/install/cache"},
    {"go", "GOCACHE", "", ""},
    {"go", "GOMODCACHE", "", "go/pkg"},
    {"go", "GOPATH", "pkg", "go/pkg"},
    {"cargo", "CARGO_HOME", "registry", ".cargo/registry"},
    {"cargo", "CARGO_HOME", "git", ".cargo/git"},
    {"cargo", "CARGO_HOME", ".package-cache", ".cargo/.package-cache", kOneFile},
    {"cargo", "CARGO_HOME", ".package-cache-mutate", ".cargo/.package-cache-mutate", kOneFile},
    {"cargo", "CARGO_HOME", ".global-cache", ".cargo/.global-cache", kOneFile},
    {"pip", "PIP_CACHE_DIR", "", ""},
    {"uv", "UV_CACHE_DIR", "", ""},
    {"ccache", "CCACHE_DIR", "", ""},
    {"gradle", "GRADLE_USER_HOME", "caches", ".gradle/caches"},
    {"gradle", "GRADLE_USER_HOME", "daemon", ".gradle/daemon"},
    {"mvn", "", "", ".m2/repository"},
    {"dotnet", "NUGET_PACKAGES", "", ".nuget/packages"},
    {"claude", "CLAUDE_CONFIG_DIR", "", ".claude"},
    // It writes that in place where it cannot rename into it, but does not make it so.
    {"claude", "", "", ".claude.json", kOneFile, "{}\n"},
    {"codex", "CODEX_HOME", "", ".codex"},
    {"gemini", "", "", ".gemini"},
    {"copilot", "", "", ".copilot"},
    {"opencode", "", "", ".local/share/opencode"},
    {"opencode", "", "", ".local/state/opencode"},
    {"goose", "", "", ".local/share/goose"},
    {"goose", "", "", ".local/state/goose"},
    {"amp", "", "", ".local/share/amp"},
    {"aider", "", "", ".aider"}};

std::string absolute_of(const Environment& env, std::string_view name) {
  const auto found = env.find(std::string(name));
  return found != env.end() && found->second.starts_with('/') ? found->second : std::string();
}

// Never over one that somebody makes meanwhile.
void make_when_absent(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;  // it is there, or cannot be made
  static_cast<void>(write_all(fd, text).has_value());
  ::close(fd);
}

// Absolute paths, as the variables of `env` place them (XDG_CACHE_HOME, CARGO_HOME, ...). Those of
// a tool that is on PATH are made where they are not there yet, as the tool itself would: with
// nothing in it a place is no more than a name.
std::vector<std::string> ordinary_places(const Environment& env) {
  std::vector<std::string> places;
  const std::string home = absolute_of(env, "HOME");
  for (const Ordinary& one : kOrdinary) {
    std::string path = one.variable.empty() ? "" : absolute_of(env, one.variable);
    if (!path.empty()) {
      if (!one.below.empty()) path = join_path(path, one.below);
    } else if (!home.empty() && !one.place.empty()) {
      path = join_path(home, one.place);
    } else {
      continue;
    }
    const bool in_use = one.program.empty() || !on_path(env, std::string(one.program)).empty();
    // Where that fails the tool could not make it either.
    if (in_use && one.kind == Ordinary::Kind::kDirectory) {
      static_cast<void>(make_dirs(path).has_value());
    } else if (in_use && !one.made.empty()) {
      make_when_absent(path, one.made);
    }
    places.push_back(normal_path(path));
  }
  return places;
}

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
    if (path.starts_with("~/")) path = join_path(state.host.variable("HOME"), path.substr(2));
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
  if (const std::string temp = state.host.variable("TMPDIR"); temp.starts_with('/')) {
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
    if (const std::string path = state.host.variable(name); path.starts_with('/')) {
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

}  // namespace

Result<bool> is_confined(State& state, const RunOptions& options) {
  const auto set = TRY(state.repository.config().get("txn.confine"));
  const std::string mode = options.confine.value_or(set.value_or("off"));
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
