#include "land/judge/meaning/includes.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "semantic/compare/events.h"

namespace gittxn::land {
namespace {

constexpr std::size_t kMostIncluded = 200;

std::string_view last_part_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// "./" and "../" taken out; empty: it leaves the tree.
std::string plain_path(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : pieces_of(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return {};
    } else {
      parts.pop_back();
    }
  }
  std::string plain;
  for (const std::string_view part : parts) {
    plain += plain.empty() ? "" : "/";
    plain += part;
  }
  return plain;
}

// The names in lines of `#include`, with quotes or brackets; a line that says it by a macro is
// "?".
std::vector<std::string_view> said_includes(std::string_view text) {
  std::vector<std::string_view> said;
  for (std::string_view line : lines_of(text)) {
    const auto skip = [&line]() {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip();
    if (!line.starts_with("include")) continue;
    line.remove_prefix(std::string_view("include").size());
    skip();
    const char ends = line.starts_with('<') ? '>' : '"';
    const std::size_t end = line.empty() ? line.npos : line.find(ends, 1);
    const bool told = end != line.npos && (line[0] == '<' || line[0] == '"');
    said.push_back(told ? line.substr(0, end + 1) : std::string_view("?"));
  }
  return said;
}

class Includes {
 public:
  Includes(SeenFiles& files, const std::set<std::string>& asked, const OtherIncludes& but = {})
      : files_(files), asked_(asked), but_(but) {}

  Status look(const std::string& path) {
    if (!seen_.insert(path).second) return {};
    if (seen_.size() > kMostIncluded) {
      known_ = false;
      return {};
    }
    const std::string text = TRY(files_.text_of(path));
    for (const std::string_view said : said_includes(text)) {
      if (!but_.gone.contains({path, std::string(said)})) TRY(follow(said, path));
    }
    auto more = but_.fresh.lower_bound({path, {}});
    for (; more != but_.fresh.end() && more->first == path; ++more) {
      TRY(follow(more->second, path));
    }
    return {};
  }

  const std::set<std::string>& seen() const { return seen_; }
  bool are_all() const { return known_ && !outside_; }
  // It may be that the path is included, by something that is no file of the tree. Such a file can
  // include a header of the tree, and none of its sources.
  bool may_include(const std::string& path) const {
    return !known_ || seen_.contains(path) || (outside_ && semantic::is_header(path));
  }

 private:
  Status follow(std::string_view said, const std::string& from) {
    if (said.size() < 3) {
      known_ = false;
      return {};
    }
    const std::string file(said.substr(1, said.size() - 2));
    std::string folder = from.substr(0, from.rfind('/') == from.npos ? 0 : from.rfind('/'));
    for (;;) {
      for (const char* below : {"/", "/include/", "/src/"}) {
        const std::string path = plain_path(folder + below + file);
        if (!path.empty() && TRY(files_.is_file(path))) return look(path);
      }
      if (folder.empty()) break;
      folder.resize(folder.rfind('/') == folder.npos ? 0 : folder.rfind('/'));
    }
    const bool may_be = std::ranges::any_of(
        asked_, [&](const std::string& path) { return last_part_of(path) == last_part_of(file); });
    if (may_be) known_ = false;
    if (said.front() != '<') outside_ = true;
    return {};
  }

  SeenFiles& files_;
  const std::set<std::string>& asked_;
  const OtherIncludes but_;
  std::set<std::string> seen_;
  bool known_ = true;
  bool outside_ = false;  // a file is included that is neither the tree's nor the system's
};

bool in_c(std::string_view language) {
  return semantic::family_of(language) == semantic::Family::kC;
}

}  // namespace

Status find_includes(SeenFiles& files, const semantic::Footprint& other,
                     semantic::Footprint* side) {
  std::set<std::string_view> names;
  std::set<std::string> asked;
  for (const semantic::Write& write : other.writes) {
    if (!in_c(write.language)) continue;
    names.insert(write.defines.begin(), write.defines.end());
    asked.insert(write.path);
  }
  std::set<std::string> users, headers;
  for (const semantic::Use& use : side->uses) {
    if (!in_c(use.language) || !names.contains(use.name)) continue;
    (semantic::is_header(use.path) ? headers : users).insert(use.path);
  }
  for (const std::string& user : users) {
    Includes includes(files, asked);
    TRY(includes.look(user));
    for (const std::string& path : asked) {
      if (!includes.may_include(path)) side->apart.emplace(user, path);
    }
  }
  if (headers.empty()) return {};
  // A header may count on what stands before it in whoever includes both; of a source that is the
  // source itself.
  for (const std::string& path : asked) {
    if (semantic::is_header(path) || !TRY(files.is_file(path))) continue;
    Includes includes(files, headers);
    TRY(includes.look(path));
    for (const std::string& header : headers) {
      if (!includes.may_include(header)) side->apart.emplace(header, path);
    }
  }
  return {};
}

Result<Included> included_by(SeenFiles& files, const std::string& path, const OtherIncludes& but) {
  const std::set<std::string> nothing;
  Includes includes(files, nothing, but);
  TRY(includes.look(path));
  return Included{includes.seen(), includes.are_all()};
}

}  // namespace gittxn::land
