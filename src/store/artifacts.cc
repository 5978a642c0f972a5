// Artifacts: bytes too large for an event, named by their SHA-256, under artifacts/<2>/<62>, or
// rows of a server's store. A file is whole and durable, its name included, before put_artifact
// returns; so an event that names it can be appended then. A kill leaves at most a file that no
// event names.
//
// Small ones that an event is about to name may be rows beside a log in a file as well: they are on
// disk with that event, where a file costs two syncs for its bytes and its name, and waits of its
// own. Large ones would only make the database grow.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

constexpr std::size_t kMostInRow = 16u << 10;

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

Result<std::optional<std::string>> artifact_row(const db::Database& database,
                                                const Digest& digest) {
  db::Statement query =
      TRY(database.statement("SELECT body FROM artifacts WHERE digest = ?", digest));
  if (TRY(query.step())) return query.bytes(0);
  return std::nullopt;
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

Result<std::vector<Digest>> Store::put_artifacts_soon(const std::vector<std::string_view>& all) {
  const auto is_large = [](std::string_view bytes) { return bytes.size() > kMostInRow; };
  if (state_->place.on_server() || std::ranges::any_of(all, is_large)) return put_artifacts(all);
  std::vector<Digest> digests;
  const auto put = [&](db::Database& database) -> Result<Then> {
    digests.clear();
    for (const std::string_view bytes : all) {
      digests.push_back(sha256(bytes));
      TRY_IN("writing an artifact", put_artifact_row(database, digests.back(), bytes));
    }
    return Then::kCommit;
  };
  TRY(write(*state_, put, Durable::kSoon));
  TRY(fp_after_artifact.hit());
  return digests;
}

Result<std::string> Store::artifact(const Digest& digest) const {
  return read_artifact(Log{state_->database, state_->place.dir}, digest);
}

Result<std::string> read_artifact(const Log& log, const Digest& digest) {
  TRY(check_name(digest));
  auto bytes = TRY_IN("reading an artifact", artifact_row(log.database, digest));
  if (bytes && sha256(*bytes) == digest) return *std::move(bytes);
  const bool server = log.database.dialect() == db::Dialect::kPostgres;
  const std::string path = path_of(log.dir, digest);
  if (!server) {
    auto file = TRY_IN("reading an artifact", if_there(read_file(path)));
    if (file && sha256(*file) == digest) return *std::move(file);
    if (file) bytes = std::move(file);
  }
  const std::string name = server || bytes ? digest.str() : "'" + path + "'";
  if (!bytes) return damaged_artifact(fmt::format("the artifact {} is gone", name));
  return damaged_artifact(
      fmt::format("the artifact {} does not have the content it is named by", name));
}

}  // namespace gittxn::store
