// A file system in memory and a program that runs on it: what it observes, what it leaves behind,
// and the records a tracer would make of it. Running the same program on another tree shows whether
// what it observed still holds, which is the meaning of every read.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "capture/paths/other_checkout.h"
#include "capture/trace/trace.h"
#include "model/testing/trees.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::capture::testing {

using gittxn::testing::Tree;

// The texts behind blob ids, because a tree holds only those.
using Blobs = std::map<Oid, std::string>;

struct File {
  char type = 'f';  // d f l
  bool executable = false;
  std::string text;
};

class Disk {
 public:
  Disk(const Tree& tree, const Blobs& blobs) {
    for (const auto& [path, entry] : tree) {
      for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '/') files_[path.substr(0, i)].type = 'd';
      }
      files_[path] = {entry.mode == FileMode::kLink ? 'l' : 'f',
                      entry.mode == FileMode::kExecutable, blobs.at(entry.oid)};
    }
  }

  struct Found {
    int error = 0;     // of the look-up: 0, ENOENT, ENOTDIR, ELOOP
    std::string path;  // canonical, also of what is not there in a directory that is
    File* file = nullptr;
    bool parent = false;  // only the last component is missing
  };
  Found find(std::string path, bool follow) {
    Found found;
    std::string at;
    for (int links = 0; !path.empty();) {
      const std::size_t slash = path.find('/');
      const std::string name = path.substr(0, slash);
      path = slash == std::string::npos ? "" : path.substr(slash + 1);
      if (name.empty() || name == ".") continue;
      if (name == ".." && at.empty()) {  // out of the tree, where there is nothing
        found.error = ENOENT;
        return found;
      }
      if (name == "..") {
        at = at.rfind('/') == std::string::npos ? "" : at.substr(0, at.rfind('/'));
        continue;
      }
      const std::string next = at.empty() ? name : at + "/" + name;
      const auto file = files_.find(next);
      if (file == files_.end()) {
        found.error = ENOENT;
        found.parent = path.empty();
        found.path = next;
        return found;
      }
      if (file->second.type == 'l' && (!path.empty() || follow)) {
        if (++links > 8) {
          found.error = ELOOP;
          return found;
        }
        path = file->second.text + (path.empty() ? "" : "/" + path);
        continue;
      }
      if (file->second.type != 'd' && !path.empty()) {
        found.error = ENOTDIR;
        return found;
      }
      at = next;
    }
    found.path = at;
    found.file = at.empty() ? &root_ : &files_[at];
    return found;
  }
  std::map<std::string, File>& files() { return files_; }
  std::string names_in(const std::string& dir) const {
    const std::string prefix = dir.empty() ? "" : dir + "/";
    std::string names;
    for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);
         ++at) {
      if (at->first.size() == prefix.size()) continue;
      if (at->first.find('/', prefix.size()) != std::string::npos) continue;
      names += at->first.substr(prefix.size()) + ":" + at->second.type + " ";
    }
    return names;
  }
  Tree tree(Blobs& blobs) const {
    Tree tree;
    for (const auto& [path, file] : files_) {
      if (file.type == 'd') continue;
      const Oid oid = repo::blob_oid(file.text);
      blobs[oid] = file.text;
      const FileMode mode = file.type == 'l'  ? FileMode::kLink
                            : file.executable ? FileMode::kExecutable
                                              : FileMode::kFile;
      tree[path] = {mode, oid};
    }
    return tree;
  }

 private:
  std::map<std::string, File> files_;
  File root_{'d', false, ""};
};

struct Step {
  Op op = Op::kOpenRead;
  std::string path, path2;
  std::uint32_t flags = 0;
  bool nofollow = false;
};

struct Ran {
  std::vector<std::string> observed;
  std::vector<Record> records;
  Tree after;
};

class Runner {
 public:
  Runner(const Tree& tree, Blobs& blobs, std::string root)
      : disk_(tree, blobs), blobs_(blobs), root_(std::move(root)) {}

  Ran run(const std::vector<Step>& program) {
    for (const Step& step : program) {
      record_ = Record();
      record_.op = step.op;
      record_.pid = 1;
      record_.path = root_ + "/" + step.path;
      if (!step.path2.empty()) {
        record_.path2 = step.op == Op::kSymlink ? step.path2 : root_ + "/" + step.path2;
      }
      record_.flags = step.flags;
      record_.nofollow = step.nofollow;
      const Disk::Found before = disk_.find(step.path, !step.nofollow);
      if (before.file != nullptr) record_.mode = mode_of(*before.file);
      std::string saw;
      const int result = perform(step, before, saw);
      record_.result = -result;
      ran_.records.push_back(record_);
      ran_.observed.push_back(std::string(op_name(step.op)) + " " + step.path + " -> " +
                              std::to_string(result) + " " + saw);
    }
    ran_.after = disk_.tree(blobs_);
    return std::move(ran_);
  }

 private:
  static std::uint32_t mode_of(const File& file) {
    if (file.type == 'd') return S_IFDIR | 0755;
    if (file.type == 'l') return S_IFLNK | 0777;
    return S_IFREG | (file.executable ? 0755u : 0644u);
  }
  // What a program writes depends on everything it has seen, so that a stale read shows in the
  // tree.
  std::string next_text() const {
    std::string all;
    for (const std::string& line : ran_.observed) all += line + "\n";
    return "w" + sha256(all).str().substr(0, 8);
  }
  static int error_of(const Disk::Found& found) { return found.file != nullptr ? 0 : found.error; }

  int create_name(const Disk::Found& at, File file) {
    if (at.file != nullptr) return EEXIST;
    if (!at.parent) return at.error;
    disk_.files()[at.path] = std::move(file);
    return 0;
  }

  int open_write(const Step& step, const Disk::Found& at) {
    if (at.file == nullptr) {
      if (step.op != Op::kOpenCreate || !at.parent) return at.error;
      return create_name(at, {'f', false, next_text()});
    }
    if ((step.flags & O_EXCL) != 0) return EEXIST;
    if (at.file->type == 'd') return EISDIR;
    if (at.file->type == 'l') return ELOOP;
    if ((step.flags & O_TRUNC) != 0)
      at.file->text = next_text();
    else
      at.file->text += next_text();
    return 0;
  }

  int remove(const Step& step, const Disk::Found& at) {
    if (at.file == nullptr) return at.error;
    if (at.path.empty()) return EBUSY;
    const bool directory = at.file->type == 'd';
    if (step.op == Op::kUnlink && directory) return EISDIR;
    if (step.op == Op::kRmdir && !directory) return ENOTDIR;
    if (directory && !disk_.names_in(at.path).empty()) return ENOTEMPTY;
    disk_.files().erase(at.path);
    return 0;
  }

  int rename(const Step& step, const Disk::Found& from) {
    if (from.file == nullptr) return from.error;
    const Disk::Found to = disk_.find(step.path2, false);
    if (to.file == nullptr && !to.parent) return to.error;
    if (from.path.empty() || to.path.empty()) return EBUSY;
    if (to.path == from.path) return 0;
    if (to.path.starts_with(from.path + "/")) return EINVAL;
    if (from.path.starts_with(to.path + "/")) return ENOTEMPTY;
    const bool directory = from.file->type == 'd';
    if (to.file != nullptr) {
      if (directory && to.file->type != 'd') return ENOTDIR;
      if (!directory && to.file->type == 'd') return EISDIR;
      if (directory && !disk_.names_in(to.path).empty()) return ENOTEMPTY;
    }
    std::map<std::string, File> moved;
    auto& files = disk_.files();
    for (auto at = files.begin(); at != files.end();) {
      if (at->first != from.path && !at->first.starts_with(from.path + "/")) {
        ++at;
        continue;
      }
      moved[to.path + at->first.substr(from.path.size())] = at->second;
      at = files.erase(at);
    }
    files.erase(to.path);
    files.merge(moved);
    return 0;
  }

  int perform(const Step& step, const Disk::Found& at, std::string& saw) {
    switch (step.op) {
      case Op::kOpenRead:
        if (at.file != nullptr && at.file->type == 'l') return ELOOP;
        if (at.file != nullptr) saw = at.file->type == 'd' ? "directory" : at.file->text;
        return error_of(at);
      case Op::kStat:
        if (at.file != nullptr) {
          saw = std::to_string(mode_of(*at.file));
          if (at.file->type != 'd') saw += at.file->text;
        }
        return error_of(at);
      case Op::kAccess:
        if (at.file != nullptr) saw = std::to_string(mode_of(*at.file));
        return error_of(at);
      case Op::kReadlink:
        if (at.file == nullptr) return at.error;
        if (at.file->type != 'l') return EINVAL;
        saw = at.file->text;
        return 0;
      case Op::kList:
        if (at.file == nullptr) return at.error;
        if (at.file->type != 'd') return ENOTDIR;
        saw = disk_.names_in(at.path);
        return 0;
      case Op::kOpenWrite:
      case Op::kOpenCreate:
        return open_write(step, at);
      case Op::kMkdir:
        return create_name(at, {'d', false, ""});
      case Op::kSymlink:
        return create_name(at, {'l', false, step.path2});
      case Op::kUnlink:
      case Op::kRmdir:
        return remove(step, at);
      case Op::kRename:
        return rename(step, at);
      default:
        return 0;
    }
  }

  Disk disk_;
  Blobs& blobs_;
  std::string root_;
  Record record_;
  Ran ran_;
};

// Random trees and programs with few names, so that they meet.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  Tree tree(Blobs& blobs) {
    Tree tree;
    for (std::uint64_t i = 0, n = 2 + random_.below(7); i < n; ++i) put(tree, blobs);
    return tree;
  }
  Tree edited(Tree tree, Blobs& blobs) {
    for (std::uint64_t i = 0, n = 1 + random_.below(3); i < n; ++i) {
      if (random_.below(3) == 0 && !tree.empty()) {
        auto at = tree.begin();
        std::advance(at, random_.below(tree.size()));
        tree.erase(at);
      } else {
        put(tree, blobs);
      }
    }
    return tree;
  }
  std::vector<Step> program() {
    std::vector<Step> steps;
    for (std::uint64_t i = 0, n = 1 + random_.below(6); i < n; ++i) steps.push_back(step());
    return steps;
  }

 private:
  std::string name() { return std::string(1, static_cast<char>('a' + random_.below(3))); }
  std::string path() {
    std::string text = name();
    for (std::uint64_t i = 0, n = random_.below(3); i < n; ++i) text += "/" + name();
    return text;
  }
  void put(Tree& tree, Blobs& blobs) {
    const std::string where = path();
    for (auto at = tree.begin(); at != tree.end();) {
      const std::string& other = at->first;
      const bool clash =
          other == where || other.starts_with(where + "/") || where.starts_with(other + "/");
      at = clash ? tree.erase(at) : std::next(at);
    }
    static constexpr FileMode kModes[] = {FileMode::kFile, FileMode::kFile, FileMode::kExecutable,
                                          FileMode::kLink};
    const FileMode mode = kModes[random_.below(4)];
    std::string text = mode == FileMode::kLink
                           ? path()
                           : std::string(1, static_cast<char>('p' + random_.below(3)));
    if (mode == FileMode::kLink && random_.below(3) == 0) text = "../" + text;
    const Oid oid = repo::blob_oid(text);
    blobs[oid] = text;
    tree[where] = {mode, oid};
  }
  Step step() {
    static constexpr Op kOps[] = {Op::kOpenRead,   Op::kOpenRead,   Op::kStat,       Op::kAccess,
                                  Op::kReadlink,   Op::kList,       Op::kList,       Op::kOpenWrite,
                                  Op::kOpenCreate, Op::kOpenCreate, Op::kOpenCreate, Op::kMkdir,
                                  Op::kSymlink,    Op::kUnlink,     Op::kUnlink,     Op::kRmdir,
                                  Op::kRename,     Op::kRename};
    Step step;
    step.op = kOps[random_.below(std::size(kOps))];
    step.path = path();
    step.nofollow = random_.below(4) == 0;
    switch (step.op) {
      case Op::kList:
        step.nofollow = false;
        break;
      case Op::kOpenCreate:
        step.flags = O_CREAT | O_WRONLY;
        step.flags |= random_.below(3) == 0 ? O_EXCL : random_.below(2) == 0 ? O_TRUNC : O_APPEND;
        step.nofollow = (step.flags & O_EXCL) != 0;
        break;
      case Op::kOpenWrite:
        step.flags =
            static_cast<std::uint32_t>(random_.below(2) == 0 ? O_WRONLY | O_TRUNC : O_WRONLY);
        step.nofollow = false;
        break;
      case Op::kRename:
      case Op::kSymlink:
        step.path2 = path();
        step.nofollow = true;
        break;
      case Op::kReadlink:
      case Op::kUnlink:
      case Op::kRmdir:
      case Op::kMkdir:
        step.nofollow = true;
        break;
      default:
        break;
    }
    return step;
  }

  Random random_;
};

}  // namespace gittxn::capture::testing
