#include "txn/bounds/confine_places.h"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "base/fs.h"
#include "txn/attempt.h"

namespace gittxn::api {

namespace {

struct Ordinary {
  std::string_view program;   // whose it is; "" of many
  std::string_view variable;  // where it is, when that is set and absolute
  std::string_view below;     // ... and what of it
  std::string_view place;     // else: from the home directory; "" that is below the first one
  enum class Kind { kDirectory, kFile } kind = Kind::kDirectory;
  std::string_view made = "";  // what a file is made with; "" it is not made
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

}  // namespace

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

}  // namespace gittxn::api
