// Parsing of what git writes below refs/ and in packed-refs. Names and values come from files that
// anybody may have written: each is checked, and a file that says neither a value nor a pointer is
// a clear stop that names it, because after a power cut git's own refs are found empty.
#include "repo/refs_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/fs.h"
#include "base/if_there.h"
#include "base/text.h"

namespace gittxn::repo {
namespace {

constexpr std::size_t kLargestRefFile = 64u << 10;
constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kLongestComponent = 250;  // with ".lock" it is still a file name

bool is_component(std::string_view part) {
  if (part.empty() || part.size() > kLongestComponent) return false;
  if (part.front() == '.' || part.ends_with(".lock") || part.ends_with('.')) return false;
  if (part.find("..") != part.npos || part.find("@{") != part.npos) return false;
  return std::none_of(part.begin(), part.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
           std::strchr("~^:?*[\\", c) != nullptr;
  });
}

std::string_view without_end_space(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

bool is_ref_name(std::string_view name) {
  return name.starts_with("refs/") && name.size() <= kLongestName && !name.ends_with('/') &&
         std::ranges::all_of(pieces_of(name, '/'), is_component);
}

bool is_oid(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string short_branch(const RefName& branch) {
  const std::string& name = branch.str();
  return name.starts_with(kHeads) ? name.substr(kHeads.size()) : name;
}

Result<HeadValue> read_head(const std::string& git_dir) {
  if (auto head = TRY(internal::read_loose(git_dir, RefName("HEAD")))) return *std::move(head);
  return fail(Code::kCorrupt, "'" + git_dir + "/HEAD' does not exist",
              "point it at a branch again with: git symbolic-ref HEAD refs/heads/BRANCH");
}

namespace internal {
namespace {

std::unexpected<Error> broken_file(const RefName& name, const std::string& path,
                                   const std::string& why) {
  return fail(Code::kCorrupt, "the reference " + name.str() + " is broken: '" + path + "' " + why,
              "find its last value with 'git txn log' or in the reflog, then: rm '" + path +
                  "' && git update-ref " + name.str() + " VALUE");
}

Result<std::optional<HeadValue>> parse_loose(const RefName& name, const std::string& path,
                                             std::string_view bytes) {
  if (bytes.empty()) return broken_file(name, path, "is empty");
  const std::string_view text = without_end_space(bytes);
  if (text.starts_with("ref:")) {
    std::string_view target = text.substr(4);
    while (target.starts_with(' ')) target.remove_prefix(1);
    if (!is_ref_name(target)) return broken_file(name, path, "points to no valid name");
    return HeadValue{true, RefName(std::string(target)), {}};
  }
  if (!is_oid(text)) return broken_file(name, path, "holds no object name");
  return HeadValue{false, {}, Oid(std::string(text))};
}

}  // namespace

Result<std::optional<HeadValue>> read_loose(const std::string& dir, const RefName& name) {
  const std::string path = dir + "/" + name.str();
  struct stat st{};
  if (::lstat(path.c_str(), &st) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fail_errno(errno, "stat '" + path + "'");
  }
  if (S_ISLNK(st.st_mode)) {  // how very old git wrote symbolic refs
    const std::string target = TRY(read_link(path));
    if (is_ref_name(target)) return HeadValue{true, RefName(target), {}};
    if (::stat(path.c_str(), &st) != 0) return std::nullopt;
  }
  if (S_ISDIR(st.st_mode)) return std::nullopt;
  auto bytes = TRY(if_there(read_file(path, kLargestRefFile)));
  if (!bytes) return std::nullopt;  // gone since
  return parse_loose(name, path, *bytes);
}

Result<PackedRefs> PackedRefs::read(const std::string& dir) {
  return PackedRefs(TRY(or_empty(read_file(dir + "/packed-refs"))));
}

Result<std::optional<Oid>> PackedRefs::find(const RefName& name) const {
  // "<40 hex> <name>\n"; a name has no space and no line break, so this is found nowhere else.
  const std::string line_end = " " + name.str() + "\n";
  const std::size_t at = text_.find(line_end);
  if (at == text_.npos) return std::nullopt;
  const bool starts_line = at == 40 || (at > 40 && text_[at - 41] == '\n');
  const std::string value = starts_line ? text_.substr(at - 40, 40) : std::string();
  if (!is_oid(value)) {
    return fail(Code::kCorrupt, "packed-refs has a malformed line for " + name.str(),
                "check the repository with: git fsck");
  }
  return Oid(value);
}

Status PackedRefs::each(std::string_view prefix,
                        const std::function<void(RefName, Oid)>& each) const {
  for (const std::string_view line : lines_of(text_)) {
    if (line.empty() || line[0] == '#' || line[0] == '^') continue;
    const bool well_formed = line.size() > 41 && line[40] == ' ' && is_oid(line.substr(0, 40));
    if (!well_formed) {
      return fail(Code::kCorrupt, "packed-refs has a malformed line",
                  "check the repository with: git fsck");
    }
    const std::string_view name = line.substr(41);
    if (!name.starts_with(prefix) || !is_ref_name(name)) continue;
    each(RefName(std::string(name)), Oid(std::string(line.substr(0, 40))));
  }
  return {};
}

Result<std::optional<Oid>> current_value(const std::string& dir, const RefName& name) {
  const auto loose = TRY(read_loose(dir, name));
  if (loose && loose->symbolic) {
    return fail(Code::kUsage, name.str() + " is a symbolic reference to " + loose->target.str());
  }
  if (loose) return loose->oid;
  return TRY(PackedRefs::read(dir)).find(name);
}

bool remove_empty_dirs(const std::string& path) {
  const auto entries = list_dir(path);
  if (!entries) return false;
  for (const DirEntry& entry : *entries) {
    if (entry.type != DT_DIR || !remove_empty_dirs(path + "/" + entry.name)) return false;
  }
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
}

}  // namespace internal

namespace {

Status list_loose(const std::string& dir, const std::string& below, std::string_view prefix,
                  std::vector<std::pair<RefName, HeadValue>>* found) {
  for (const DirEntry& entry : TRY(or_empty(list_dir(dir + "/" + below)))) {
    const std::string name = below + "/" + entry.name;
    if (!is_ref_name(name)) continue;  // lock files, temporary files: no refs to git either
    if (entry.type == DT_DIR) {
      const std::string inside = name + "/";
      if (inside.starts_with(prefix) || prefix.starts_with(inside)) {
        TRY(list_loose(dir, name, prefix, found));
      }
      continue;
    }
    if (!name.starts_with(prefix)) continue;
    auto loose = TRY(internal::read_loose(dir, RefName(name)));
    if (loose) found->emplace_back(RefName(name), *std::move(loose));
  }
  return {};
}

}  // namespace

Result<RefName> Refs::resolve_name(const RefName& name) const {
  constexpr int kMostSteps = 5;  // git's own limit
  RefName at = name;
  for (int step = 0; step <= kMostSteps; ++step) {
    if (at.str() != "HEAD" && !is_ref_name(at.str())) {
      return fail(Code::kUsage, "'" + at.str() + "' is not a valid reference name",
                  "see: git help check-ref-format");
    }
    const auto loose = TRY(internal::read_loose(dir_, at));
    if (!loose || !loose->symbolic) return at;
    at = loose->target;
  }
  return fail(Code::kCorrupt, "the symbolic reference " + name.str() + " leads in a circle",
              "see where it points with: git symbolic-ref " + name.str());
}

Result<Oid> Refs::read(const RefName& name) const {
  const RefName real = TRY(resolve_name(name));
  if (real.str() == "HEAD") return TRY(read_head(dir_)).oid;  // detached
  if (auto value = TRY(internal::current_value(dir_, real))) return *std::move(value);
  return fail(Code::kNotFound, "there is no reference " + real.str());
}

Result<std::vector<std::pair<RefName, Oid>>> Refs::list(std::string_view prefix) const {
  if (!prefix.starts_with("refs/") || prefix.find("..") != prefix.npos) {
    return fail(Code::kUsage, "references are listed below refs/ only");
  }
  std::vector<std::pair<RefName, HeadValue>> loose;
  TRY(list_loose(dir_, std::string(prefix.substr(0, prefix.rfind('/'))), prefix, &loose));
  std::map<RefName, Oid> values;
  const internal::PackedRefs packed = TRY(internal::PackedRefs::read(dir_));
  TRY(packed.each(prefix, [&](RefName name, Oid oid) {  // sorted, mostly
    values.insert_or_assign(values.end(), std::move(name), std::move(oid));
  }));
  for (auto& [name, ref] : loose) {
    if (ref.symbolic) ref.oid = TRY(if_there(read(name))).value_or(Oid());
    values[name] = ref.oid;
  }
  std::erase_if(values, [](const auto& ref) { return ref.second.empty(); });
  return std::vector<std::pair<RefName, Oid>>(values.begin(), values.end());
}

}  // namespace gittxn::repo
