// See worktree_gitdir.h. Nothing here is durable: a power cut takes the whole worktree's directory
// with it or leaves one that gc removes by its marker.
#include "repo/worktree/worktree_gitdir.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/if_there.h"
#include "base/text.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo::internal {
namespace {

// Says where the repository is or how its own index is kept, starts a daemon for it, or is set
// anew.
constexpr std::array<std::string_view, 11> kNotInherited = {
    "core.bare",        "core.worktree",         "core.repositoryformatversion",
    "core.hookspath",   "core.fsmonitor",        "core.untrackedcache",
    "core.splitindex",  "core.sharedrepository", "gc.auto",
    "maintenance.auto", "index.skiphash"};

bool is_inherited(std::string_view key) {
  if (std::find(kNotInherited.begin(), kNotInherited.end(), key) != kNotInherited.end()) {
    return false;
  }
  if (key.starts_with("extensions.")) return key == "extensions.partialclone";
  return !key.starts_with("include.") && !key.starts_with("includeif.") &&
         !key.starts_with("remote.txn-target.");
}

// The files that a private directory reads by itself; every other global value came by an include,
// perhaps one that is bound to where the repository is.
std::set<std::string> global_files(const Environment& env) {
  auto value = [&](const char* name) {
    const auto found = env.find(name);
    return found == env.end() ? std::string() : found->second;
  };
  if (const std::string only = value("GIT_CONFIG_GLOBAL"); !only.empty()) return {"file:" + only};
  const std::string home = value("HOME");
  const std::string xdg = value("XDG_CONFIG_HOME");
  return {"file:" + home + "/.gitconfig",
          "file:" + (xdg.empty() ? home + "/.config" : xdg) + "/git/config"};
}

// A remote that is a relative path was meant from the top of the checkout.
Result<std::string> absolute_remote(const Repository& repository, const std::string& url) {
  const RepositoryPlace& place = repository.place();
  const std::string here = join_path(place.worktree.value_or(place.common_dir), url);
  const bool dots = url.starts_with("./") || url.starts_with("../");
  if (url.empty() || url.starts_with('/')) return url;
  if (dots || (url.find(':') == url.npos && TRY(exists(here)))) return normal_path(here);
  return url;
}

// What git looks at when it writes a file of a commit: line ends, encodings, filters, names.
bool decides_checkout(std::string_view key) {
  return key.starts_with("core.") || key.starts_with("filter.") || key.starts_with("lfs.");
}

bool is_remote_url(std::string_view key) {
  return key.starts_with("remote.") && (key.ends_with(".url") || key.ends_with(".pushurl"));
}

bool is_true(const ConfigEntry& entry) {
  return !entry.has_value || entry.value == "true" || entry.value == "yes" || entry.value == "on" ||
         entry.value == "1";
}

Status copy_when_there(const std::string& from, const std::string& to) {
  auto bytes = TRY(if_there(read_file(from)));
  if (!bytes) return {};
  return write_file(to, *bytes, Sync::kNo, 0644);
}

}  // namespace

Result<Inherited> inherited_config(const Repository& repository) {
  Inherited inherited;
  const auto listed = TRY(repository.lasting_config());
  const std::set<std::string> main_files = global_files(repository.git().env());
  std::set<std::string> by_include;
  for (const ListedConfig& line : listed) {
    if (line.scope == "global" && !main_files.contains(line.origin))
      by_include.insert(line.entry.key);
  }
  bool lfs = false, lfs_storage = false;
  Sha256 checkout;
  for (const ListedConfig& line : listed) {
    ConfigEntry entry = line.entry;
    if (decides_checkout(entry.key)) {
      checkout.update(sha256_fields({entry.key, entry.has_value ? "=" : "", entry.value}).str());
    }
    if (entry.key == "core.hookspath") inherited.hooks_path = entry.value;
    if (entry.key == "core.sparsecheckout") inherited.sparse = is_true(entry);
    if (entry.key == "extensions.partialclone") inherited.partial_clone = true;
    if (entry.key == "lfs.storage") lfs_storage = true;
    if (entry.key.starts_with("filter.lfs.")) lfs = true;
    const bool own = line.scope == "local" || line.scope == "worktree";
    // All global values of such a key, in their order: the last one has to stay the last one.
    const bool included = line.scope == "global" && by_include.contains(entry.key);
    if ((!own && !included) || !is_inherited(entry.key)) continue;
    if (is_remote_url(entry.key)) entry.value = TRY(absolute_remote(repository, entry.value));
    inherited.entries.push_back(std::move(entry));
  }
  const auto attributes = read_file(repository.place().common_dir + "/info/attributes");
  checkout.update(sha256_fields({attributes ? *attributes : ""}).str());
  inherited.checkout = checkout.finish();
  // What git-lfs fetched for the repository is there for its worktrees too, and what it makes of
  // their files outlives them.
  const std::string storage = repository.place().common_dir + "/lfs";
  if (!lfs_storage && (lfs || TRY(exists(storage)))) {
    inherited.entries.push_back({"lfs.storage", storage});
  }
  return inherited;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? "\\n" : std::string(1, c);
  }
  return quoted + '"';
}

std::string config_text(const std::vector<ConfigEntry>& entries) {
  std::string text;
  std::string section_before;
  for (const ConfigEntry& entry : entries) {
    const std::size_t first = entry.key.find('.');
    const std::size_t last = entry.key.rfind('.');
    if (first == entry.key.npos) continue;
    const std::string section = entry.key.substr(0, last);
    if (section != section_before) {
      text += '[' + entry.key.substr(0, first);
      if (last != first) {
        text += ' ';
        text += in_quotes(std::string_view(entry.key).substr(first + 1, last - first - 1));
      }
      text += "]\n";
      section_before = section;
    }
    text += '\t' + entry.key.substr(last + 1);
    if (entry.has_value) text += " = " + in_quotes(entry.value);
    text += '\n';
  }
  return text;
}

Result<std::vector<std::string>> object_directories(const std::string& objects) {
  constexpr std::size_t kMostDirectories = 64;
  std::vector<std::string> found = {TRY(real_path(objects))};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostDirectories; ++i) {
    const std::string text = TRY(or_empty(read_file(found[i] + "/info/alternates", 1u << 20)));
    for (const std::string_view line : lines_of(text)) {
      if (line.empty() || line[0] == '#') continue;
      auto directory = real_path(join_path(found[i], line));
      if (!directory) continue;  // git warns of an alternate that is gone, and goes on
      if (std::find(found.begin(), found.end(), *directory) == found.end()) {
        found.push_back(*directory);
      }
    }
  }
  return found;
}

Result<std::vector<std::string>> object_directories(const Repository& repository) {
  return object_directories(repository.place().common_dir + "/objects");
}

std::string alternates_text(const std::vector<std::string>& directories) {
  std::string text;
  for (const std::string& directory : directories) {
    text += (text.empty() ? "" : ":") + in_quotes(directory);
  }
  return text;
}

std::vector<ConfigEntry> brief_config(const Inherited& inherited) {
  std::vector<ConfigEntry> config = {
      {"core.repositoryformatversion", inherited.partial_clone ? "1" : "0"},
      {"core.bare", "false"}};
  config.insert(config.end(), inherited.entries.begin(), inherited.entries.end());
  config.insert(config.end(), {{"core.fsmonitor", "false"},
                               {"core.untrackedcache", "false"},
                               {"core.splitindex", "false"}});
  return config;
}

Status make_git_directory(const Repository& repository, const std::string& git_dir,
                          const RefName& head, const std::vector<std::string>& borrowed,
                          const std::vector<ConfigEntry>& config) {
  const RepositoryPlace& place = repository.place();
  for (const char* directory :
       {"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"}) {
    TRY(make_dirs(git_dir + "/" + directory, 0755));
  }
  std::string alternates;
  for (const std::string& directory : borrowed) {
    if (directory.find('\n') != directory.npos) {
      return fail(Code::kUnsupported, "the repository's path has a line break: " + directory,
                  "move it to a path without one");
    }
    alternates += directory + '\n';
  }
  TRY(write_file(git_dir + "/objects/info/alternates", alternates, Sync::kNo, 0644));
  TRY(write_file(git_dir + "/HEAD", "ref: " + head.str() + "\n", Sync::kNo, 0644));
  TRY(write_file(git_dir + "/config", config_text(config), Sync::kNo, 0644));
  for (const char* shared : {"/info/attributes", "/info/exclude", "/info/grafts", "/shallow"}) {
    TRY(copy_when_there(place.common_dir + shared, git_dir + shared));
  }
  return copy_when_there(place.git_dir + "/info/sparse-checkout",
                         git_dir + "/info/sparse-checkout");
}

Status copy_refs(const Repository& repository, const std::string& git_dir, const RefName& target,
                 const Oid& base) {
  std::vector<std::pair<RefName, Oid>> refs = {{target, base}};
  for (const char* prefix : {"refs/heads/", "refs/tags/", "refs/remotes/", "refs/notes/"}) {
    for (auto& [name, oid] : TRY(repository.refs().list(prefix))) {
      if (name == target) continue;
      if (name.str().starts_with("refs/remotes/") && name.str().ends_with("/HEAD")) {
        // Which branch a remote's HEAD means is what people ask it for.
        auto text = read_file(repository.place().common_dir + "/" + name.str(), 4096);
        if (text && text->starts_with("ref: ")) {
          TRY(make_dirs(parent_dir(git_dir + "/" + name.str()), 0755));
          TRY(write_file(git_dir + "/" + name.str(), *text, Sync::kNo, 0644));
          continue;
        }
      }
      refs.emplace_back(std::move(name), std::move(oid));
    }
  }
  std::sort(refs.begin(), refs.end());
  std::string text = "# pack-refs with: sorted \n";
  for (const auto& [name, oid] : refs) text += oid.str() + ' ' + name.str() + '\n';
  return write_file(git_dir + "/packed-refs", text, Sync::kNo, 0644);
}

}  // namespace gittxn::repo::internal
