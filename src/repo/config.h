// git's configuration as git itself reads it: only git knows every rule of scopes and includes. All
// of it is asked for at once, and again only when a file that it came from, or could come from, has
// changed; a child process for each question would cost more than a whole landing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/git.h"

namespace gittxn::repo {

struct ConfigEntry {
  std::string key;  // "section.sub.section.key" as git config --list prints it
  std::string value;
  bool has_value = true;  // false: a key without "=", which means true
};

struct ListedConfig {
  std::string scope, origin;  // as git calls them: "local", "file:.git/config"
  ConfigEntry entry;
};
// All that git sees there, the later the stronger.
Result<std::vector<ListedConfig>> list_config(const Git& git, const GitOptions& where);

// Any thread. Errors: kFault with git's own message when a file does not parse, kUsage when a value
// is not of its type.
class Config {
 public:
  // `where`: what is asked; its GIT_DIR must be absolute.
  Config(Git git, GitOptions where) : git_(std::move(git)), where_(std::move(where)) {}

  // The last value, as it is written; "" for a key without one. Keys in any case, as git takes
  // them.
  Result<std::optional<std::string>> get(const std::string& key);
  Result<std::optional<bool>> flag(const std::string& key);         // --type=bool
  Result<std::optional<std::string>> path(const std::string& key);  // --type=path: with ~ expanded
  // A whole number in these bounds, without a unit.
  Result<std::optional<int>> number(const std::string& key, int least, int most);
  // The last values of all keys that begin with it, sorted by key.
  Result<std::vector<ConfigEntry>> below(const std::string& prefix);
  // All of it, as git lists it: the later the stronger.
  Result<std::vector<ListedConfig>> listed();
  // core.attributesFile, or where it is by default. It need not be there.
  Result<std::string> attributes_file();

  std::uint64_t times_asked() const { return asked_; }  // of git, since the beginning

 private:
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    std::int64_t size = -1;  // -1: not there
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };

  static Stamp stamp_of(const std::string& file);
  Result<std::optional<ConfigEntry>> find(const std::string& key);
  Status refresh();
  bool current() const;
  std::vector<std::string> usual_files() const;
  std::string usual_directory() const;
  std::string expand(const std::string& path) const;
  std::string variable(const std::string& name) const;
  // Files that this entry makes part of the configuration, or that decide whether they are.
  void follow_include(const std::string& origin, const std::string& key, const std::string& value);
  void watch(const std::string& file) { files_.emplace(file, stamp_of(file)); }

  Git git_;
  GitOptions where_;
  std::mutex mutex_;
  std::vector<ListedConfig> listed_;
  std::map<std::string, ConfigEntry> values_;
  std::map<std::string, Stamp> files_;
  bool settled_ = false;  // false: something changed so lately that another change could hide
  std::uint64_t asked_ = 0;
};

}  // namespace gittxn::repo
