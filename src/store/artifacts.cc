// Artifacts: bytes too large for an event, named by their SHA-256, under artifacts/<2>/<62>, or
// rows of a server's store. A file is whole and durable, its name included, before put_artifact
// returns; so an event that names it can be appended then. A kill leaves at most a file that no
// event names.
#include <fmt/format.h>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/if_there.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

FAILPOINT(fp_after_artifact, "store.after_artifact");

Status check_name(const Digest& digest) {
  const std::string& hex = digest.str();
  if (hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos) return {};
  return fail(Code::kCorrupt, fmt::format("'{}' is no artifact's name", hex));
}

std::string path_of(const std::string& dir, const Digest& digest) {
  const std::string& hex = digest.str();
  return fmt::format("{}/artifacts/{}/{}", dir, hex.substr(0, 2), hex.substr(2));
}

std::unexpected<Error> damaged_artifact(std::string message) {
  return fail(Code::kCorrupt, std::move(message),
              "git txn verify says all that is wrong; put it back from a backup: docs/BACKUPS.md");
}

Status put_artifact_row(const db::Database& database, const Digest& digest,
                        std::string_view bytes) {
  db::Statement insert = TRY(database.statement(
      "INSERT INTO artifacts (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE "
      "SET body = excluded.body WHERE artifacts.body <> excluded.body"));
  insert.bind(1, digest).bind_bytes(2, bytes);
  return insert.run();
}

Result<std::string> artifact_row(const db::Database& database, const Digest& digest) {
  db::Statement query =
      TRY(database.statement("SELECT body FROM artifacts WHERE digest = ?", digest));
  if (TRY(query.step())) return query.bytes(0);
  return damaged_artifact(fmt::format("the artifact {} is gone", digest.str()));
}

Result<std::string> artifact_file(const std::string& path) {
  auto bytes = read_file(path);
  if (bytes || bytes.error().code != Code::kNotFound) return bytes;
  return damaged_artifact(fmt::format("the artifact '{}' is gone", path));
}

}  // namespace

Result<Digest> Store::put_artifact(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  TRY(check_version(*state_));
  if (state_->place.on_server()) {
    TRY_IN("writing an artifact", put_artifact_row(state_->database, digest, bytes));
    TRY(fp_after_artifact.hit());
    return digest;
  }
  const std::string path = path_of(state_->place.dir, digest);
  const auto known = TRY(if_there(read_file(path)));
  const std::string folder = parent_dir(path);
  if (known && sha256(*known) == digest) {
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
  return read_artifact(Log{state_->database, state_->place.dir}, digest);
}

Result<std::string> read_artifact(const Log& log, const Digest& digest) {
  TRY(check_name(digest));
  const std::string path = path_of(log.dir, digest);
  const bool row = log.database.dialect() == db::Dialect::kPostgres;
  std::string bytes =
      TRY_IN("reading an artifact", row ? artifact_row(log.database, digest) : artifact_file(path));
  if (sha256(bytes) != digest) {
    return damaged_artifact(fmt::format("'{}' does not have the content it is named by", path));
  }
  return bytes;
}

}  // namespace gittxn::store
