// Artifacts: bytes too large for an event, named by their SHA-256, under artifacts/<2>/<62>, or
// rows of a server's store. A file is whole and durable, its name included, before put_artifact
// returns; so an event that names it can be appended then. A kill leaves at most a file that no
// event names.
#include <fmt/format.h>

#include <set>

#include "base/failpoint.h"
#include "base/hash.h"
#include "base/if_there.h"
#include "base/random.h"
#include "base/sync.h"
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

// Drafts beside where they will be; then all bytes are synced, then all names.
class NewFiles {
 public:
  NewFiles() = default;
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;
  ~NewFiles() {
    // Drafts are left only by an error, which is told; nobody looks at "*.tmp-*".
    for (const std::string& draft : drafts_) static_cast<void>(remove_file(draft).has_value());
  }

  Status add(const std::string& path, std::string_view bytes) {
    const std::string folder = parent_dir(path);
    // The name of a file that is there may not be durable yet: its writer may have died before.
    names_.insert({folder, parent_dir(folder)});
    const auto known = TRY(if_there(read_file(path)));
    if (known && *known == bytes) return {};
    TRY(make_dirs(folder, 0700));
    drafts_.push_back(path + ".tmp-" + Random().name(10));
    paths_.push_back(path);
    return write_draft(drafts_.back(), bytes, Sync::kNo);
  }
  Status publish() {
    TRY(fsync_all(drafts_));
    for (std::size_t i = 0; i < drafts_.size(); ++i) TRY(rename_over(drafts_[i], paths_[i]));
    drafts_.clear();
    Status synced = fsync_all({names_.begin(), names_.end()});
    // They are there, but after a power cut perhaps not.
    if (!synced) synced.error().code = Code::kOutcomeUnknown;
    return synced;
  }

 private:
  std::vector<std::string> drafts_, paths_;
  std::set<std::string> names_;
};

}  // namespace

Result<Digest> Store::put_artifact(std::string_view bytes) {
  return TRY(put_artifacts({bytes})).front();
}

Result<std::vector<Digest>> Store::put_artifacts(const std::vector<std::string_view>& all) {
  TRY(check_version(*state_));
  std::vector<Digest> digests;
  for (const std::string_view bytes : all) digests.push_back(sha256(bytes));
  if (state_->place.on_server()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      TRY_IN("writing an artifact", put_artifact_row(state_->database, digests[i], all[i]));
    }
  } else {
    NewFiles files;
    for (std::size_t i = 0; i < all.size(); ++i) {
      TRY_IN("writing an artifact", files.add(path_of(state_->place.dir, digests[i]), all[i]));
    }
    TRY_IN("writing an artifact", files.publish());
  }
  TRY(fp_after_artifact.hit());
  return digests;
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
