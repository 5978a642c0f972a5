#include "capture/paths/other_checkout.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <vector>

#include "base/bug.h"
#include "base/fs.h"
#include "base/hash.h"
#include "capture/interpret.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::capture {
namespace {

bool sees_content(Op op) {
  return op == Op::kOpenRead || op == Op::kExec || op == Op::kReadlink || op == Op::kOpenReadWrite;
}

}  // namespace

Oid blob_id_of_file(const std::string& path) {
  const auto fd = open_fd(path, O_RDONLY | O_NONBLOCK);
  struct stat info{};
  if (!fd || ::fstat(fd->get(), &info) != 0 || !S_ISREG(info.st_mode)) return Oid{};
  Sha1 hash;
  hash.update(fmt::format("blob {}", info.st_size) + '\0');
  std::vector<char> buffer(1u << 17);
  while (true) {
    const ssize_t size = ::read(fd->get(), buffer.data(), buffer.size());
    if (size < 0) return Oid{};
    if (size == 0) return Oid(hex_of(hash.finish()));
    hash.update({buffer.data(), static_cast<std::size_t>(size)});
  }
}

TreeEntry OtherCheckout::entry_on_disk(const std::string& path) {
  const auto [at, inserted] = hashed_.try_emplace(path);
  TreeEntry& entry = at->second;
  if (!inserted) return entry;
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return entry;
  if (S_ISDIR(info.st_mode)) {
    entry.mode = FileMode::kTree;
  } else if (S_ISLNK(info.st_mode)) {
    const auto text = read_link(path);
    entry = {FileMode::kLink, text ? repo::blob_oid(*text) : Oid{}};
  } else if (S_ISREG(info.st_mode)) {
    entry.mode = (info.st_mode & 0100u) != 0 ? FileMode::kExecutable : FileMode::kFile;
    entry.oid = blob_id_of_file(path);
  }
  const std::int64_t changed_ns = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
  if (!S_ISDIR(info.st_mode) && changed_ns >= traced_ns_) entry.oid = Oid("changed-since");
  return entry;
}

// True when the directory there has other names than the snapshot's, ignored ones aside.
Result<bool> OtherCheckout::names_differ(const Resolved& at,
                                         const std::vector<repo::NamedEntry>& names) {
  std::set<std::string> missing;
  for (const repo::NamedEntry& entry : names) missing.insert(entry.name);
  const auto there = list_dir(at.real);
  if (!there) return true;  // gone since: nobody knows what was there
  for (const DirEntry& entry : *there) {
    if (missing.erase(entry.name) > 0 || entry.name == ".git") continue;
    const std::string suffix = entry.type == DT_DIR ? "/" : "";
    if (!TRY(is_ignored(join_path(at.rest, entry.name) + suffix))) return true;
  }
  return !missing.empty();
}

// Names that a person has not committed are not told from the snapshot's: whoever lists a checkout
// sees a few of them always. Those of another transaction are its work.
Status OtherCheckout::listing(const Resolved& at, const TreeEntry& entry,
                              const ReadLog::Seen& seen) {
  const std::vector<repo::NamedEntry> names = model_.list(entry.oid);
  std::string digest = listing_digest(names).str();
  if (at.place == Place::kOtherTxn && TRY(names_differ(at, names))) digest.insert(0, kUncommitted);
  log_.add(ReadKind::kListing, at.rest, digest, seen);
  return {};
}

// Each new name costs a process. Where somebody walks a hundred thousand of them the rest counts as
// read, which is never too little.
Result<bool> OtherCheckout::is_ignored(const std::string& path) {
  constexpr std::size_t kMostAsked = 1000;
  if (!ignored_) return false;
  const auto known = asked_.find(path);
  if (known != asked_.end()) return known->second;
  if (asked_.size() >= kMostAsked) return false;
  const bool answer = TRY(ignored_(path));
  return asked_[path] = answer;
}

Status OtherCheckout::there(const Record& record, const Resolved& at, const ReadLog::Seen& seen) {
  const TreeEntry snapshot = model_.snapshot_entry(at.rest);
  const TreeEntry now = entry_on_disk(at.real);
  const bool directory = now.mode == FileMode::kTree && snapshot.mode == FileMode::kTree;
  if (directory) {
    if (record.op == Op::kList) return listing(at, snapshot, seen);
    if (!at.rest.empty()) log_.add(ReadKind::kMetadata, at.rest, metadata_of(snapshot), seen);
    return {};
  }
  // Standard input is the caller's own word to the command, unless the repository has the file.
  if (record.path2 == kGiven && !snapshot.present()) return {};
  if (!snapshot.present() && now.mode == FileMode::kTree)
    return {};  // its files are looked at one by one
  if (!snapshot.present() && TRY(is_ignored(at.rest))) return {};
  const bool content = sees_content(record.op) && now.mode != FileMode::kTree;
  const bool same =
      snapshot == now || (content && snapshot.oid == now.oid && snapshot.present() &&
                          (snapshot.mode == FileMode::kLink) == (now.mode == FileMode::kLink));
  std::string digest = same ? "" : std::string(kUncommitted);
  digest += content ? now.oid.str() : metadata_of(now);
  log_.add(content ? ReadKind::kContent : ReadKind::kMetadata, at.rest, digest, seen);
  return {};
}

// A git that works in another transaction's worktree shows work that no commit of ours has.
void OtherCheckout::git_works_there(Process& process, const Resolved& at) {
  if (process.in_other_checkout || process.helper) return;
  process.in_other_checkout = true;
  if (at.place != Place::kOtherTxn) return;
  log_.add(ReadKind::kTree, "", std::string(kUncommitted) + at.owner,
           {.process = &process, .op = "git"});
}

Status OtherCheckout::on(const Record& record, Process& process, const Resolved& at) {
  if (INJECTED_BUG("interpret.no_checkouts")) return {};
  if (at.place == Place::kOtherTxn && INJECTED_BUG("interpret.no_other_txns")) return {};
  const bool done = !failed(record);
  if (process.git && done && record.op == Op::kOpenRead && at.rest == ".git/HEAD") {
    git_works_there(process, at);
  }
  if (in_git_directory(at.rest)) return {};
  if (process.git) {
    if (INJECTED_BUG("interpret.git_looks_away")) return {};
    const bool told_to = done && sees_content(record.op) && !S_ISDIR(record.mode);
    if (!told_to || process.helper || process.in_other_checkout) return {};
  }
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  const bool writes = changes_something(record) && record.op != Op::kSetTimes;
  const bool only_writes = writes && record.op != Op::kOpenReadWrite;
  if (at.place == Place::kOtherTxn && done && !only_writes) {
    log_.note("looked into the worktree of " + at.owner +
              ", which has not landed: " + process.argv);
  }
  if (writes) {
    const bool theirs = at.place == Place::kOtherTxn;
    const std::string place =
        theirs ? "the worktree of " + at.owner + ", which does not land from here"
               : "another checkout of this repository";
    log_.note("wrote '" + at.rest + "' in " + place + ": " + process.argv);
    if (only_writes) return {};
  }
  if (done || (record.result != -ENOENT && record.result != -ENOTDIR))
    return there(record, at, seen);
  const bool expected = !model_.snapshot_entry(at.rest).present();
  log_.add(ReadKind::kAbsence, at.rest, expected ? "" : kUncommitted, seen);
  return {};
}

}  // namespace gittxn::capture
