#include "capture/other_checkout.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/bug.h"
#include "base/fs.h"
#include "base/sha1.h"
#include "capture/interpret.h"

namespace gittxn::capture {
namespace {

Oid finish_blob(Sha1& hash) {
  std::string text;
  for (const char byte : hash.finish()) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return Oid(text);
}

std::string blob_header(std::size_t size) {
  std::string header = "blob " + std::to_string(size);
  header += '\0';
  return header;
}

bool in_git_directory(const std::string& path) {
  return path == ".git" || path.starts_with(".git/") || path.ends_with("/.git") ||
         path.find("/.git/") != std::string::npos;
}

bool sees_content(Op op) {
  return op == Op::kOpenRead || op == Op::kExec || op == Op::kReadlink || op == Op::kOpenReadWrite;
}

std::string metadata_of(const TreeEntry& entry) {
  const std::string mode(mode_text(entry.mode));
  return entry.mode == FileMode::kTree ? mode : mode + " " + entry.oid.str();
}

}  // namespace

Oid blob_id(std::string_view bytes) {
  Sha1 hash;
  hash.update(blob_header(bytes.size()));
  hash.update(bytes);
  return finish_blob(hash);
}

Oid blob_id_of_file(const std::string& path) {
  const auto fd = open_fd(path, O_RDONLY | O_NONBLOCK);
  struct stat info{};
  if (!fd || ::fstat(fd->get(), &info) != 0 || !S_ISREG(info.st_mode)) return Oid{};
  Sha1 hash;
  hash.update(blob_header(static_cast<std::size_t>(info.st_size)));
  std::vector<char> buffer(1u << 17);
  while (true) {
    const ssize_t size = ::read(fd->get(), buffer.data(), buffer.size());
    if (size < 0) return Oid{};
    if (size == 0) return finish_blob(hash);
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
    entry = {FileMode::kLink, text ? blob_id(*text) : Oid{}};
  } else if (S_ISREG(info.st_mode)) {
    entry.mode = (info.st_mode & 0100u) != 0 ? FileMode::kExecutable : FileMode::kFile;
    entry.oid = blob_id_of_file(path);
  }
  const std::int64_t changed_ns = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
  if (!S_ISDIR(info.st_mode) && changed_ns >= traced_ns_) entry.oid = Oid("changed-since");
  return entry;
}

void OtherCheckout::listing(const std::string& path, const TreeEntry& entry,
                            const ReadLog::Seen& seen) {
  log_.add(ReadKind::kListing, path, listing_digest(model_.list(entry.oid)).str(), seen);
}

// Each new name costs a process. Where somebody walks a hundred thousand of them the rest counts as
// read, which is never too little.
Result<bool> OtherCheckout::is_ignored(const std::string& path) {
  constexpr std::size_t kMostQuestions = 1000;
  if (!ignored_) return false;
  const auto known = asked_.find(path);
  if (known != asked_.end()) return known->second;
  if (asked_.size() >= kMostQuestions) return false;
  const bool answer = TRY(ignored_(path));
  return asked_[path] = answer;
}

Status OtherCheckout::there(const Record& record, const Resolved& at, const ReadLog::Seen& seen) {
  const TreeEntry snapshot = model_.snapshot_entry(at.rest);
  const TreeEntry now = entry_on_disk(at.real);
  const bool directory = now.mode == FileMode::kTree && snapshot.mode == FileMode::kTree;
  if (directory) {
    if (record.op == Op::kList)
      listing(at.rest, snapshot, seen);
    else if (!at.rest.empty())
      log_.add(ReadKind::kMetadata, at.rest, metadata_of(snapshot), seen);
    return {};
  }
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

Status OtherCheckout::on(const Record& record, const Process& process, const Resolved& at) {
  if (INJECTED_BUG("interpret.no_checkouts")) return {};
  // git looks at its index there; that it was in another repository directory is what counts.
  if (process.git || in_git_directory(at.rest)) return {};
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  const bool done = record.result >= 0 || (record.assumed && !record.predicted);
  if (changes_something(record) && record.op != Op::kSetTimes) {
    log_.note("wrote '" + at.rest + "' in another checkout of this repository: " + process.argv);
    if (record.op != Op::kOpenReadWrite) return {};
  }
  if (done || (record.result != -ENOENT && record.result != -ENOTDIR))
    return there(record, at, seen);
  const bool expected = !model_.snapshot_entry(at.rest).present();
  log_.add(ReadKind::kAbsence, at.rest, expected ? "" : kUncommitted, seen);
  return {};
}

}  // namespace gittxn::capture
