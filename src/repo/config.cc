// A file that changed about when git read it is not trusted to have been read as it is: then the
// next question asks again. Nothing is stored.
#include "repo/config.h"

#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "base/clock.h"
#include "base/fs.h"
#include "base/text.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo {
namespace {

// Time stamps of files advance in steps of some milliseconds: two changes in one step look alike.
constexpr std::int64_t kSettledNs = 50'000'000;

// "Core.HooksPath" -> "core.hookspath"; a sub-section in between keeps its case.
std::string canonical(const std::string& key) {
  const std::size_t first = key.find('.');
  const std::size_t last = key.rfind('.');
  if (first == std::string::npos) return lower_ascii(key);
  return lower_ascii(key.substr(0, first)) + key.substr(first, last - first) +
         lower_ascii(key.substr(last));
}

std::int64_t ns_of(const timespec& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<std::vector<ListedConfig>> list_config(const Git& git, const GitOptions& where) {
  const std::vector<std::string> fields =
      split_nul(TRY(git.must({"config", "--list", "-z", "--show-scope", "--show-origin"}, where)));
  if (fields.size() % 3 != 0) return fail(Code::kFault, "git config --list ends in the middle");
  std::vector<ListedConfig> listed;
  for (std::size_t i = 0; i < fields.size(); i += 3) {
    const std::string& pair = fields[i + 2];
    const std::size_t line = pair.find('\n');
    ConfigEntry entry{pair.substr(0, line), {}, line != pair.npos};
    if (entry.has_value) entry.value = pair.substr(line + 1);
    listed.push_back({fields[i], fields[i + 1], std::move(entry)});
  }
  return listed;
}

Config::Stamp Config::stamp_of(const std::string& file) {
  struct stat st{};
  if (::stat(file.c_str(), &st) != 0) return {};
  return {st.st_dev, st.st_ino, st.st_size, ns_of(st.st_mtim), ns_of(st.st_ctim)};
}

std::string Config::variable(const std::string& name) const {
  for (const Environment* env : {&where_.extra, &git_.env()}) {
    if (const auto found = env->find(name); found != env->end()) return found->second;
  }
  return {};
}

// "~/x" and "~name/x", as git expands them.
std::string Config::expand(const std::string& path) const {
  if (!path.starts_with('~')) return path;
  const std::size_t slash = std::min(path.find('/'), path.size());
  if (slash == 1) return variable("HOME") + path.substr(1);
  const passwd* user = ::getpwnam(path.substr(1, slash - 1).c_str());
  return user == nullptr ? path : std::string(user->pw_dir) + path.substr(slash);
}

std::string Config::usual_directory() const {
  const std::string xdg = variable("XDG_CONFIG_HOME");
  return (xdg.empty() ? variable("HOME") + "/.config" : xdg) + "/git";
}

std::vector<std::string> Config::usual_files() const {
  const std::string git_dir = variable("GIT_DIR");
  const std::string home = variable("HOME");
  std::vector<std::string> files = {
      "/etc/gitconfig",
      variable("GIT_CONFIG_SYSTEM"),
      variable("GIT_CONFIG_GLOBAL"),
      home + "/.gitconfig",
      usual_directory() + "/config",
      git_dir + "/config",
      git_dir + "/config.worktree",
  };
  std::erase(files, "");
  return files;
}

void Config::follow_include(const std::string& origin, const std::string& key,
                            const std::string& value) {
  if (key != "include.path" && !(key.starts_with("includeif.") && key.ends_with(".path"))) return;
  watch(join_path(parent_dir(origin), expand(value)));
  if (key.starts_with("includeif.onbranch:")) watch(variable("GIT_DIR") + "/HEAD");
}

bool Config::current() const {
  return settled_ && std::all_of(files_.begin(), files_.end(), [](const auto& file) {
           return stamp_of(file.first) == file.second;
         });
}

Status Config::refresh() {
  files_.clear();
  settled_ = false;
  for (const std::string& file : usual_files()) watch(file);
  const std::int64_t asked_ns = SystemClock().wall_ms() * 1'000'000;
  ++asked_;
  listed_ = TRY_IN("reading git's configuration", list_config(git_, where_));
  values_.clear();
  for (const ListedConfig& line : listed_) {
    if (line.origin.starts_with("file:")) {
      const std::string origin = line.origin.substr(5);
      watch(origin);
      follow_include(origin, line.entry.key, line.entry.value);
    }
    values_[line.entry.key] = line.entry;
  }
  settled_ = std::all_of(files_.begin(), files_.end(), [&](const auto& file) {
    return file.second.changed_ns + kSettledNs < asked_ns;
  });
  return {};
}

Result<std::optional<ConfigEntry>> Config::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  if (!current()) TRY(refresh());
  const auto found = values_.find(canonical(key));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

Result<std::optional<std::string>> Config::get(const std::string& key) {
  auto value = TRY(find(key));
  if (!value) return std::nullopt;
  return std::move(value->value);
}

Result<std::vector<ConfigEntry>> Config::below(const std::string& prefix) {
  const std::scoped_lock lock(mutex_);
  if (!current()) TRY(refresh());
  std::vector<ConfigEntry> found;
  for (auto at = values_.lower_bound(prefix); at != values_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    found.push_back(at->second);
  }
  return found;
}

Result<std::vector<ListedConfig>> Config::listed() {
  const std::scoped_lock lock(mutex_);
  if (!current()) TRY(refresh());
  return listed_;
}

Result<std::string> Config::attributes_file() {
  const auto named = TRY(path("core.attributesfile"));
  return named.value_or(usual_directory() + "/attributes");
}

Result<std::optional<bool>> Config::flag(const std::string& key) {
  const auto value = TRY(find(key));
  if (!value) return std::nullopt;
  const std::string text = lower_ascii(value->value);
  if (!value->has_value || text == "true" || text == "yes" || text == "on") return true;
  if (text.empty() || text == "false" || text == "no" || text == "off") return false;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) return number != 0;
  return fail(Code::kUsage, "git config " + key + " is '" + value->value + "', not true or false",
              "see where it is set: git config --show-origin --get-all " + key);
}

Result<std::optional<int>> Config::number(const std::string& key, int least, int most) {
  const auto value = TRY(find(key));
  if (!value) return std::nullopt;
  int number = 0;
  const char* end = value->value.data() + value->value.size();
  const auto parsed = std::from_chars(value->value.data(), end, number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == end;
  if (whole && number >= least && number <= most) return number;
  return fail(Code::kUsage,
              "git config " + key + " is '" + value->value + "', not a number from " +
                  std::to_string(least) + " to " + std::to_string(most),
              "see where it is set: git config --show-origin --get-all " + key);
}

Result<std::optional<std::string>> Config::path(const std::string& key) {
  const auto value = TRY(find(key));
  if (!value) return std::nullopt;
  return expand(value->value);
}

}  // namespace gittxn::repo
