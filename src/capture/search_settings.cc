#include "capture/search_settings.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/fs.h"
#include "base/text.h"
#include "repo/git.h"

namespace gittxn::capture {
namespace {

using search::Vouched;

constexpr std::size_t kMaxRules = 1u << 20;

Vouched vouched_if(bool condition) {
  return condition ? Vouched::kYes : Vouched::kNo;
}

// (key in lower case, value), all scopes, in git's order.
using Values = std::vector<std::pair<std::string, std::string>>;

Values parse_values(std::string_view list) {
  Values values;
  for (const std::string_view item : pieces_of(list, '\0')) {
    const std::size_t line = item.find('\n');
    const bool has = line != std::string_view::npos;
    // A key without a value is true.
    values.emplace_back(item.substr(0, line), has ? item.substr(line + 1) : "true");
  }
  return values;
}

bool is_off(std::string_view value) {
  return value == "false" || value == "no" || value == "off" || value == "0" || value.empty();
}

bool changes_git_grep(std::string_view key, std::string_view value) {
  if (key.starts_with("grep.") || key == "core.quotepath") return true;
  if (key.starts_with("color.")) return value == "always";
  const bool tree = key == "core.ignorecase" || key == "core.precomposeunicode" ||
                    key == "core.sparsecheckout" || key == "submodule.recurse";
  return tree && !is_off(value);
}

bool converts(std::string_view key, std::string_view value) {
  if (key == "core.autocrlf") return !is_off(value);
  if (key == "core.eol") return value != "lf" && value != "native";
  if (key == "core.symlinks") return is_off(value);
  return key == "core.attributesfile";
}

bool converts_lines(std::string_view key, std::string_view value) {
  return key != "core.autocrlf" && key != "core.eol" && converts(key, value);
}

bool is_there(const std::string& path) {
  const auto there = exists(path);
  return !there || *there;
}

// A rule that keeps what would be hidden. A file that cannot be read may have one.
bool may_show(const std::string& path) {
  if (!is_there(path)) return false;
  const auto text = read_file(path, kMaxRules);
  return !text || text->starts_with('!') || text->find("\n!") != std::string::npos;
}

bool rules_above_show(const std::string& tree) {
  for (std::string directory = parent_dir(tree);; directory = parent_dir(directory)) {
    for (const char* name : {".ignore", ".rgignore", ".fdignore", ".gitignore"}) {
      if (may_show(join_path(directory, name))) return true;
    }
    if (directory == "/" || directory == ".") return false;
  }
}

bool harmless_attribute(std::string_view attribute, Reader reader) {
  if (attribute.starts_with('-') || attribute.starts_with('!')) attribute.remove_prefix(1);
  const std::size_t equals = attribute.find('=');
  const std::string_view name = attribute.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : attribute.substr(equals + 1);
  if (reader == Reader::kLines && (name == "text" || name == "eol" || name == "crlf")) return true;
  if (name == "text") return value.empty() || value == "auto";
  if (name == "eol") return value.empty() || value == "lf";
  // git grep takes a file for binary, or not, by these.
  if (name == "diff" || name == "binary") return reader != Reader::kGitGrep;
  static constexpr std::array<std::string_view, 6> kNames = {
      "merge", "whitespace", "export-ignore", "export-subst", "delta", "conflict-marker-size"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("linguist-") ||
         name.starts_with("gitlab-");
}

bool harmless_line(std::string_view line, Reader reader) {
  constexpr std::string_view kBlank = " \t\r";
  std::size_t at = line.find_first_not_of(kBlank);
  if (at == std::string_view::npos || line[at] == '#') return true;
  if (line[at] == '"' || line.substr(at).starts_with("[attr]")) return false;
  for (bool pattern = true; at != std::string_view::npos; pattern = false) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    if (!pattern && !harmless_attribute(line.substr(at, end - at), reader)) return false;
    at = line.find_first_not_of(kBlank, end);
  }
  return true;
}

}  // namespace

std::string variable(const Environment& env, const std::string& name) {
  const auto at = env.find(name);
  return at == env.end() ? std::string() : at->second;
}

SearchSettings search_settings(const Places& places, const Environment& caller) {
  SearchSettings settings;
  settings.known = true;
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
                           "GIT_CONFIG_NOSYSTEM"}) {
    settings.variables[name] = variable(caller, name);
  }
  const std::string home = variable(caller, "HOME");
  const std::string config_home = variable(caller, "XDG_CONFIG_HOME");
  const repo::Git git(caller);
  repo::GitOptions where;
  where.dir = places.tree;
  const auto list = git.must({"config", "--list", "-z", "--includes"}, where);
  if (!list) return settings;
  const Values values = parse_values(*list);
  const auto none = [&](auto matters) {
    return std::ranges::none_of(
        values, [&](const auto& value) { return matters(value.first, value.second); });
  };
  const std::string config = config_home.empty() ? join_path(home, ".config") : config_home;
  std::vector<std::string> excludes{join_path(config, "git/ignore"), join_path(config, "fd/ignore"),
                                    join_path(places.private_git_dir, "info/exclude"),
                                    join_path(places.common_git_dir, "info/exclude")};
  bool shows = false;
  for (const auto& [key, value] : values) {
    if (key != "core.excludesfile") continue;
    const bool at_home = value.starts_with("~/") && !home.empty();
    const bool plain = value.starts_with('/') || at_home;
    shows = shows || !plain;
    excludes.push_back(at_home ? join_path(home, value.substr(2)) : value);
  }
  shows = shows || std::ranges::any_of(excludes, may_show);
  const bool attributes = is_there(join_path(config, "git/attributes")) ||
                          is_there("/etc/gitattributes") ||
                          is_there(join_path(places.private_git_dir, "info/attributes")) ||
                          is_there(join_path(places.common_git_dir, "info/attributes"));
  settings.git_answers = git_settings(values);
  settings.git = vouched_if(none(changes_git_grep));
  settings.plain_checkout = vouched_if(!attributes && none(converts));
  settings.same_lines = vouched_if(!attributes && none(converts_lines));
  settings.outside_rules = vouched_if(!shows && !rules_above_show(places.tree));
  return settings;
}

bool attributes_matter(std::string_view text, Reader reader) {
  return std::ranges::any_of(lines_of(text),
                             [&](std::string_view line) { return !harmless_line(line, reader); });
}

bool is_search_setting(std::string_view path) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "/config",    "/config.worktree", "/config.lock",  "/.gitconfig", "/gitconfig",
      "/exclude",   "/ignore",          "/attributes",   "/.ignore",    "/.rgignore",
      "/.fdignore", "/.gitignore",      "/gitattributes"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return path.ends_with(name); }) ||
         path.ends_with("/.gitconfig.lock") || path.ends_with("/config.worktree.lock");
}

}  // namespace gittxn::capture
