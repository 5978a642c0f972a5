// Artifacts: bytes too large for an event, named by their SHA-256, under artifacts/<2>/<62>. A file
// is whole and durable, its name included, before put_artifact returns; so an event that names it
// can be appended then. A kill leaves at most a file that no event names.
#include <fmt/format.h>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_after_artifact, "store.after_artifact");

Result<std::string> path_of(const std::string& dir, const Digest& digest) {
  const std::string& hex = digest.str();
  if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return fail(Code::kCorrupt, fmt::format("'{}' is no artifact's name", hex));
  }
  return fmt::format("{}/artifacts/{}/{}", dir, hex.substr(0, 2), hex.substr(2));
}

Result<bool> is_there(const std::string& path, const Digest& digest) {
  const bool there = TRY(exists(path));
  if (!there) return false;
  const std::string bytes = TRY(read_file(path));
  return sha256(bytes) == digest;
}

}  // namespace

Result<Digest> Store::put_artifact(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  const std::string path = TRY(path_of(state_->dir, digest));
  const bool there = TRY(is_there(path, digest));
  const std::string folder = parent_dir(path);
  if (there) {
    // Whoever wrote it may not have got as far as making its name durable.
    TRY(fsync_path(folder));
  } else {
    TRY(make_dirs(folder, 0700));
    TRY_IN("writing an artifact", write_file(path, bytes, Sync::kYes));
  }
  TRY(fsync_path(parent_dir(folder)));
  TRY(fp_after_artifact.hit());
  return digest;
}

Result<std::string> Store::artifact(const Digest& digest) const {
  return read_artifact(state_->dir, digest);
}

Result<std::string> read_artifact(const std::string& dir, const Digest& digest) {
  const std::string path = TRY(path_of(dir, digest));
  std::string bytes = TRY_IN("reading an artifact", read_file(path));
  if (sha256(bytes) != digest) {
    return fail(Code::kCorrupt, fmt::format("'{}' does not have the content it is named by", path),
                "restore it from a backup of the repository's txn folder");
  }
  return bytes;
}

}  // namespace gittxn::store
