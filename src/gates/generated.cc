#include "gates/generated.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gates/policy_rules.h"

namespace gittxn::gates {
namespace {

std::string anchored(std::string_view glob) {
  std::string rule = "/" + std::string(glob);
  if (rule.ends_with('/')) rule += "**";
  return rule;
}

bool matches_any(const std::vector<search::IgnoreRule>& rules, std::string_view path) {
  return std::any_of(rules.begin(), rules.end(),
                     [path](const search::IgnoreRule& rule) { return is_one_of(rule, path); });
}

// Of a directory: something in it.
std::string sample_of(const std::string& artifact) {
  return artifact.ends_with('/') ? artifact + "x" : artifact;
}

}  // namespace

std::optional<search::IgnoreRule> parse_glob(std::string_view glob) {
  auto rule = search::parse_rule(anchored(glob));
  return rule ? std::optional(*std::move(rule)) : std::nullopt;
}

bool is_one_of(const search::IgnoreRule& glob, std::string_view path) {
  return glob.matches(path, path.substr(path.rfind('/') + 1), search::Target::kFile);
}

Generated::Generated(const Policy& policy) {
  for (const GeneratedFile& said : policy.generated) {
    File file;
    file.artifact = said.artifact;
    for (const std::string& glob : said.from) {
      if (auto rule = parse_glob(glob)) file.from.push_back(*std::move(rule));
    }
    files_.push_back(std::move(file));
  }
  std::vector<std::vector<std::size_t>> direct(files_.size());
  for (std::size_t at = 0; at < files_.size(); ++at) {
    for (std::size_t other = 0; other < files_.size(); ++other) {
      const bool made = matches_any(files_[at].from, sample_of(files_[other].artifact));
      if (made) direct[at].push_back(other);
    }
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open{i};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t other : direct[at]) {
        if (seen.insert(other).second) open.push_back(other);
      }
    }
    files_[i].through.assign(seen.begin(), seen.end());
  }
}

bool Generated::File::is(std::string_view path) const {
  return artifact.ends_with('/') ? path.starts_with(artifact) : path == artifact;
}

bool Generated::is_made_from(const File& file, std::string_view path) const {
  if (matches_any(file.from, path)) return true;
  return std::any_of(file.through.begin(), file.through.end(),
                     [&](std::size_t other) { return matches_any(files_[other].from, path); });
}

std::optional<std::string> glob_problem(std::string_view glob) {
  std::string path(glob);
  // Stars are names as others are, and a directory may end with a slash.
  std::replace(path.begin(), path.end(), '*', 'x');
  if (auto why = path_problem(path)) return why;
  if (!parse_glob(glob)) {
    return "is no glob: letters, digits, '_.-+@,', '*' in a name and at most two '**' for "
           "directories";
  }
  return std::nullopt;
}

std::optional<std::string> generated_problem(const Policy& policy) {
  const Generated generated(policy);
  for (std::size_t i = 0; i < generated.files().size(); ++i) {
    const Generated::File& file = generated.files()[i];
    for (std::size_t j = 0; j < file.from.size(); ++j) {
      if (!is_one_of(file.from[j], sample_of(file.artifact))) continue;
      return fmt::format("'{}' is made from itself: it is one of '{}'", file.artifact,
                         policy.generated[i].from[j]);
    }
    for (const std::size_t other : file.through) {
      const auto& back = generated.files()[other].through;
      if (other == i || !std::binary_search(back.begin(), back.end(), i)) continue;
      return fmt::format("'{}' and '{}' are made from each other", file.artifact,
                         generated.files()[other].artifact);
    }
  }
  return std::nullopt;
}

}  // namespace gittxn::gates
