#include "gates/units/last_build.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "base/bug.h"
#include "base/fields.h"
#include "base/files/copy_tree.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "gates/evidence/survey.h"
#include "model/fields.h"

namespace gittxn::gates {
namespace {

constexpr int kLastBuildFormat = 1;
constexpr std::size_t kMostRecord = 1u << 16;
constexpr time_t kOld = 946'684'800;  // 2000-01-01; archives cannot say 1970

struct LastBuildRecord {
  int format = kLastBuildFormat;
  LastBuild is;
};
void fields(FieldIo& io, LastBuildRecord& record) {
  io.thing("last build");
  io.integer("format", record.format, {.least = kLastBuildFormat, .most = kLastBuildFormat});
  io.name("version", record.is.version);
  io.oid("tree", record.is.tree);
  io.name("outputs", record.is.outputs);
  io.name("looks", record.is.looks);
  io.name("survey", record.is.survey);
  io.integer("since_nothing", record.is.since_nothing, {.least = 0, .most = kGoesOnFor});
}

std::string record_of(const std::string& dir) {
  return join_path(dir, "last");
}

// Tells whether the candidate has room for a path that it does not have.
class Room {
 public:
  Room(const repo::Objects& objects, const Oid& tree) : objects_(objects), tree_(tree) {}

  Result<bool> is_for(const std::string& path) {
    if (TRY(objects_.entry_at(tree_, path)).present()) return false;
    return holds(parent_dir(path));
  }

 private:
  Result<bool> holds(const std::string& directory) {
    if (directory == ".") return true;
    if (const auto known = known_.find(directory); known != known_.end()) return known->second;
    const TreeEntry entry = TRY(objects_.entry_at(tree_, directory));
    const bool room =
        entry.present() ? entry.mode == FileMode::kTree : TRY(holds(parent_dir(directory)));
    known_[directory] = room;
    return room;
  }

  const repo::Objects& objects_;
  Oid tree_;
  std::map<std::string, bool> known_;
};

// The paths of [worktree] are placed anew.
bool is_placed_by(const WorktreeSpec& worktree, const std::string& path) {
  const auto above = [&](const std::string& placed) { return covers(placed, path); };
  return std::ranges::any_of(worktree.copy, above) || std::ranges::any_of(worktree.share, above);
}

Status set_times(const std::string& path, const timespec& time) {
  const timespec times[] = {time, time};
  if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return fail_errno(errno, "set the times of '" + path + "'");
}

Status age(const std::string& checkout, const std::string& below, const Changes& changed) {
  for (const DirEntry& entry : TRY(list_dir(join_path(checkout, below)))) {
    if (entry.name == ".git") continue;
    const std::string path = below.empty() ? entry.name : join_path(below, entry.name);
    if (entry.type == DT_DIR) {
      TRY(age(checkout, path, changed));
    } else {
      const bool is_new = std::ranges::binary_search(changed, path, {}, &PathChange::path);
      TRY(set_times(join_path(checkout, path), {kOld, is_new ? UTIME_NOW : 0}));
    }
  }
  return {};
}

Status place_link(const std::string& from, const std::string& to) {
  const std::string text = TRY(read_link(from));
  struct stat info{};
  if (::lstat(from.c_str(), &info) != 0) return fail_errno(errno, "stat '" + from + "'");
  if (::symlink(text.c_str(), to.c_str()) != 0) return fail_errno(errno, "link '" + to + "'");
  return set_times(to, info.st_mtim);
}

// A look for something that was not there then and is now has seen a change: what it saw on the way
// is in the looks of the build that went on.
Looks at_candidate(const Looks& looks, const Changes& changed) {
  Looks now;
  for (const Look& look : looks) {
    now.push_back(look);
    if (look.kind != ReadKind::kAbsence) continue;
    if (auto met = first_changed({look}, changed)) {
      now.back().kind = ReadKind::kContent;
      now.push_back({ReadKind::kContent, std::move(met->cause), ""});
    }
  }
  return united(std::move(now), {});
}

}  // namespace

Result<std::optional<LastBuild>> last_build(const std::string& dir) {
  const auto text = TRY(if_there(read_file(record_of(dir), kMostRecord)));
  if (!text) return std::nullopt;
  LastBuildRecord record;
  if (!read_text(*text, "the last build", field_list(record))) return std::nullopt;
  return record.is;
}

Status remember_build(const std::string& dir, const LastBuild& build) {
  const LastBuildRecord record{.is = build};
  return write_file(record_of(dir), canonical_text(field_list(record)), Sync::kNo);
}

Result<std::optional<GoesOn>> goes_on_from(const GoesOnRequest& request) {
  const auto& [context, policy, gate, candidate, evidence, trees, outputs_dir] = request;
  const auto known = TRY(last_build(outputs_dir));
  if (!known || known->version != gate.version || known->since_nothing >= kGoesOnFor ||
      !TRY(trees.objects().contains(known->tree))) {
    return std::nullopt;
  }
  const LastBuild& last = *known;
  auto outputs = kept_outputs(outputs_dir, last.outputs);
  const auto looks = context.store->artifact(last.looks);
  const auto survey = context.store->artifact(last.survey);
  if (!outputs || !looks || !survey) return std::nullopt;
  auto chain = looks_from_lines(*looks);
  if (!chain || TRY(evidence.environment_differs(last.survey))) return std::nullopt;
  GoesOn on;
  on.last = last;
  on.changed = TRY(trees.objects().diff(last.tree, candidate.tree));
  if (first_changed({}, on.changed)) return std::nullopt;  // how files are checked out
  on.looks = at_candidate(*chain, on.changed);
  on.survey = *survey;
  Room room(trees.objects(), candidate.tree);
  on.outputs.layer = outputs->layer;
  on.outputs.digest = outputs->digest;
  for (auto& file : outputs->files) {
    if (is_placed_by(policy.worktree, file.first) || !TRY(room.is_for(file.first))) continue;
    on.outputs.files.push_back(std::move(file));
  }
  on.files = TRY(with_outputs(trees.objects(), candidate.tree, on.outputs));
  return std::optional(std::move(on));
}

Status age_checkout(const std::string& checkout, const Changes& changed) {
  return age(checkout, "", changed);
}

Status place_outputs(const Outputs& outputs, const std::string& checkout) {
  std::map<std::string, UniqueFd> directories;
  for (const auto& [path, is] : outputs.files) {
    const std::string from = join_path(outputs.layer, path);
    const std::string to = join_path(checkout, path);
    const std::string above = parent_dir(to);
    auto directory = directories.find(above);
    if (directory == directories.end()) {
      TRY(make_dirs(above, 0777));
      directories.clear();  // they come in the order of their paths
      directory = directories.emplace(above, TRY(open_fd(above, O_RDONLY | O_DIRECTORY))).first;
    }
    if (is.mode == FileMode::kLink) {
      TRY(place_link(from, to));
      continue;
    }
    const UniqueFd file = TRY(open_fd(from, O_RDONLY | O_NOFOLLOW));
    TRY(copy_tree(file.get(), {directory->second.get(), base_name(path), path}, {}));
  }
  return {};
}

Looks chained_looks(Looks now, const Outputs& given, const Looks& chain) {
  std::set<std::string_view> own;
  for (const auto& [path, is] : given.files) own.insert(path);
  std::erase_if(now, [&](const Look& look) { return own.contains(look.path); });
  if (INJECTED_BUG("gates.last_build_only")) return now;
  return united(std::move(now), chain);
}

}  // namespace gittxn::gates
