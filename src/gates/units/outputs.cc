#include "gates/units/outputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/if_there.h"
#include "gates/evidence/rows.h"

namespace gittxn::gates {
namespace {

FAILPOINT(fp_outputs, "gates.outputs_moved");

constexpr RowsHead kRows{"outputs", 2, 3};
constexpr std::string_view kInventory = "inventory";
constexpr std::string_view kNew = "new.";
constexpr std::size_t kMostInventory = 256u << 20;

std::int64_t time_ns(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::unexpected<Error> too_much(std::string_view most) {
  return fail(Code::kRefused, fmt::format("its set-up and build leave more than {}", most),
              "let them leave less in the checkout, or make them part of each unit");
}

// Finds what differs from the tree, and moves it.
class Taker {
 public:
  Taker(const repo::Objects& objects, const std::string& checkout, std::int64_t since_ns)
      : objects_(objects), checkout_(checkout), since_ns_(since_ns) {}

  Status look(const Oid& tree, const std::string& below) {
    std::map<std::string, TreeEntry> expected;
    for (const repo::NamedEntry& one : TRY(objects_.list(tree))) expected[one.name] = one.entry;
    for (const DirEntry& entry : TRY(list_dir(join_path(checkout_, below)))) {
      if (entry.name == ".git") continue;
      const auto known = expected.find(entry.name);
      const TreeEntry was = known == expected.end() ? TreeEntry() : known->second;
      const bool directory = entry.type == DT_DIR;
      const bool same_kind = directory == (was.mode == FileMode::kTree) && entry.type != DT_FIFO &&
                             entry.type != DT_SOCK;
      if (known != expected.end() && same_kind) expected.erase(known);
      const std::string path = below.empty() ? entry.name : join_path(below, entry.name);
      if (directory && was.mode == FileMode::kSubmodule) {
        expected.erase(entry.name);
      } else if (directory) {
        TRY(look(was.mode == FileMode::kTree ? was.oid : Oid(), path));
      } else {
        TRY(look_at_file(was, path));
      }
    }
    if (expected.empty()) return {};
    const std::string gone = join_path(below, expected.begin()->first);
    return fail(
        Code::kRefused,
        fmt::format("its set-up or build removed '{}', which is a file of the candidate", gone),
        "let it work on a copy");
  }

  Outputs move(const std::string& layer, Error* failed) {
    Outputs outputs;
    std::set<std::string> made;
    for (auto& [path, is] : found_) {
      const std::string to = join_path(layer, path);
      Status moved;
      if (made.insert(parent_dir(to)).second) moved = make_dirs(parent_dir(to), 0777);
      if (moved) moved = rename_over(join_path(checkout_, path), to);
      if (!moved) *failed = moved.error();
      outputs.files.emplace_back(path, is);
    }
    std::ranges::sort(outputs.files, {}, [](const auto& file) { return file.first; });
    return outputs;
  }

 private:
  Status look_at_file(const TreeEntry& was, const std::string& path) {
    const std::string file = join_path(checkout_, path);
    struct stat info{};
    if (::lstat(file.c_str(), &info) != 0) return fail_errno(errno, "stat '" + file + "'");
    const bool link = S_ISLNK(info.st_mode);
    if (!link && !S_ISREG(info.st_mode)) return {};
    if (was.present() && time_ns(info.st_ctim) < since_ns_) return {};
    TreeEntry is;
    is.oid = TRY(objects_.blob_id(link ? TRY(read_link(file)) : TRY(read_file(file))));
    const bool runs = (info.st_mode & S_IXUSR) != 0;
    is.mode = link ? FileMode::kLink : runs ? FileMode::kExecutable : FileMode::kFile;
    if (is == was) return {};
    bytes_ += static_cast<std::uint64_t>(info.st_size);
    found_.emplace_back(path, std::move(is));
    if (found_.size() > kMostOutputFiles)
      return too_much(fmt::format("{} files", kMostOutputFiles));
    if (bytes_ > kMostOutputBytes) return too_much(fmt::format("{} GiB", kMostOutputBytes >> 30));
    return {};
  }

  const repo::Objects& objects_;
  const std::string& checkout_;
  std::int64_t since_ns_;
  std::uint64_t bytes_ = 0;
  std::vector<std::pair<std::string, TreeEntry>> found_;
};

std::string files_of(const std::string& dir, const Digest& digest) {
  return join_path(dir, digest.str() + "/files");
}

// The one that is used last goes last. A refusal to say so costs a build.
void used_now(const Outputs& outputs) {
  static_cast<void>(::utimensat(AT_FDCWD, parent_dir(outputs.layer).c_str(), nullptr, 0));
}

}  // namespace

std::string outputs_to_lines(const Outputs& outputs) {
  std::string text = rows_head(kRows, outputs.files.size());
  for (const auto& [path, is] : outputs.files) {
    add_row(text, {path, mode_text(is.mode), is.oid.str()});
  }
  return text;
}

Result<Outputs> outputs_from_lines(std::string_view text) {
  Outputs outputs;
  TRY(each_row(text, kRows, [&outputs](std::span<std::string> cells) {
    const auto mode = mode_from_text(cells[1]);
    if (mode) outputs.files.emplace_back(std::move(cells[0]), TreeEntry{*mode, Oid(cells[2])});
    return mode.has_value();
  }));
  if (!outputs.files.empty()) outputs.digest = sha256(text);
  return outputs;
}

Result<Outputs> take_outputs(const repo::Objects& objects, const Oid& tree,
                             const std::string& checkout, std::int64_t since_ns,
                             const std::string& dir) {
  Taker taker(objects, checkout, since_ns);
  TRY(taker.look(tree, ""));
  TRY(make_dirs(dir));
  const std::string made = fmt::format("{}/{}{}", dir, kNew, ::getpid());
  TRY(remove_tree(made));
  TRY(make_dirs(made + "/files", 0777));
  Error failed;
  Outputs outputs = taker.move(made + "/files", &failed);
  if (!failed.message.empty()) return std::unexpected(std::move(failed));
  if (outputs.files.empty()) {
    TRY(remove_tree(made));
    return outputs;
  }
  const std::string lines = outputs_to_lines(outputs);
  outputs.digest = sha256(lines);
  TRY(write_file(join_path(made, kInventory), lines, Sync::kNo));
  TRY(fp_outputs.hit());
  outputs.layer = files_of(dir, outputs.digest);
  const Status placed = rename_noreplace(made, parent_dir(outputs.layer));
  if (!placed && placed.error().code != Code::kExists) return std::unexpected(placed.error());
  if (!placed) TRY(remove_tree(made));
  used_now(outputs);
  return outputs;
}

Result<Outputs> kept_outputs(const std::string& dir, const Digest& digest) {
  if (digest.empty()) return Outputs();
  const std::string inventory = join_path(dir, digest.str() + "/" + std::string(kInventory));
  Outputs outputs = TRY(outputs_from_lines(TRY(read_file(inventory, kMostInventory))));
  if (outputs.digest != digest) return fail(Code::kCorrupt, "'" + inventory + "' is damaged");
  outputs.layer = files_of(dir, digest);
  used_now(outputs);
  return outputs;
}

Status prune_outputs(const std::string& dir) {
  std::vector<std::pair<std::int64_t, std::string>> kept;
  for (const DirEntry& entry : TRY(if_there(list_dir(dir))).value_or(std::vector<DirEntry>())) {
    const std::string path = join_path(dir, entry.name);
    struct stat info{};
    if (entry.name.starts_with(kNew)) {
      TRY(remove_tree(path));
    } else if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      kept.emplace_back(time_ns(info.st_mtim), path);
    }
  }
  std::ranges::sort(kept, std::greater());
  for (std::size_t i = kKeptOutputs; i < kept.size(); ++i) TRY(remove_tree(kept[i].second));
  return {};
}

Result<Oid> with_outputs(repo::Objects& objects, const Oid& tree, const Outputs& outputs) {
  Changes changes;
  for (const auto& [path, is] : outputs.files) {
    const TreeEntry was = TRY(objects.entry_at(tree, path));
    if (was.mode == FileMode::kTree) {
      return fail(Code::kStale, fmt::format("'{}' is a directory there", path));
    }
    if (is.mode == FileMode::kLink && !outputs.layer.empty()) {
      TRY(objects.write_blob(TRY(read_link(join_path(outputs.layer, path)))));
    }
    changes.push_back({path, was, is});
  }
  return objects.apply(tree, std::move(changes));
}

}  // namespace gittxn::gates
