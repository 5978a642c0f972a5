#include "catalogue/cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <charconv>
#include <utility>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "catalogue/bytes.h"
#include "catalogue/codec.h"
#include "db/writer_queue.h"

namespace gittxn::catalogue {
namespace {

constexpr std::int64_t kApplicationId = 0x67746361;  // "gtca"
constexpr std::size_t kBatchEntries = 128;
constexpr std::size_t kBatchBytes = 4u << 20;
constexpr std::size_t kIdDigits = 15;      // of the key's digest; fits an integer of SQLite
constexpr std::uint64_t kLargestPart = 8;  // an entry may take an eighth of the bound
constexpr std::int64_t kEvictPart = 8;     // and so many of the entries go at once
constexpr int kMostAnew = 2;
constexpr std::int64_t kMsPerHour = 3'600'000;

FAILPOINT(fp_batch, "catalogue.batch");

std::int64_t id_of(const Key& key) {
  const Digest digest =
      sha256_fields({analysis_version().str(), key.kind, key.object->str(), key.name});
  std::int64_t id = 0;
  std::from_chars(digest.c_str(), digest.c_str() + kIdDigits, id, 16);
  return id;
}

Digest seal_of(const Key& key, std::string_view bytes) {
  return sha256_fields({analysis_version().str(), key.kind, key.object->str(), key.name, bytes});
}

// Made private before SQLite sees it; a link or a folder in its place is not ours.
Status make_private(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) TRY(remove_tree(path));
  const UniqueFd file = TRY(open_fd(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  if (::fchmod(file.get(), 0600) != 0) return fail_errno(errno, "chmod '" + path + "'");
  return {};
}

}  // namespace

Cache::Cache(CacheOptions options) : options_(std::move(options)) {
  if (!options_.directory.empty()) open();
}

Cache::~Cache() {
  flush();
}

void Cache::open() {
  const Status opened = open_alone();
  if (!opened) give_up(opened.error());
}

Status Cache::open_alone() {
  TRY(make_dirs(options_.directory));
  if (::chmod(options_.directory.c_str(), 0700) != 0) {
    return fail_errno(errno, "chmod '" + options_.directory + "'");
  }
  db::WriterQueue line = TRY(db::WriterQueue::open(options_.directory + "/cache.lock"));
  const db::WriterQueue::Turn alone = TRY(line.enter(options_.busy_ms));
  while (true) {
    for (const std::string_view ending : {"", "-wal", "-shm"}) {
      // Others that have it open keep what they have, and find nothing of ours.
      if (damaged_) TRY(remove_tree(path() + std::string(ending)));
    }
    Status opened = try_open();
    damaged_ = !opened && opened.error().code == Code::kCorrupt;
    if (!damaged_ || made_anew_ >= kMostAnew) return opened;
    ++made_anew_;
  }
}

Status Cache::try_open() {
  database_.reset();
  TRY(make_private(path()));
  db::OpenOptions how;
  how.busy_ms = options_.busy_ms;
  database_ = TRY(db::Database::open(path(), how));
  TRY(
      database_->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
                         "PRAGMA journal_size_limit=16777216"));
  if (TRY(database_->pragma_integer("application_id")) == kApplicationId) return {};
  db::Transaction making = TRY(db::Transaction::begin(*database_, db::Transaction::Kind::kWrite));
  if (TRY(database_->pragma_integer("application_id")) != 0 ||
      TRY(database_->pragma_integer("schema_version")) != 0) {
    return fail(Code::kCorrupt, "'" + path() + "' is not a catalogue");
  }
  TRY(
      database_->execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, used INTEGER NOT NULL, body);"
                         "CREATE INDEX by_use ON entry(used);"
                         "PRAGMA application_id=" +
                         std::to_string(kApplicationId)));
  return making.commit();
}

void Cache::give_up(const Error& error) {
  database_.reset();
  if (trouble_.empty()) trouble_ = error.message;
}

void Cache::start_anew() {
  database_.reset();
  ++made_anew_;
  damaged_ = true;
  open();
}

std::optional<std::string> Cache::find(const Key& key) {
  const std::int64_t id = id_of(key);
  std::string body;
  std::int64_t used_ms = 0;
  if (const auto held = held_.find(id); held != held_.end()) {
    body = held->second;
    used_ms = options_.clock->wall_ms();
  } else {
    if (!database_) return std::nullopt;
    const auto look = [&]() -> Result<bool> {
      db::Statement query = TRY(database_->statement("SELECT used, body FROM entry WHERE id=?"));
      query.bind(1, id);
      if (!TRY(query.step())) return false;
      used_ms = query.integer(0);
      body = query.text(1);
      return true;
    };
    const Result<bool> there = look();
    if (!there && there.error().code == Code::kCorrupt && made_anew_ < kMostAnew) start_anew();
    if (!there || !*there) return std::nullopt;
  }
  const std::string_view whole = body;
  const bool whole_enough = whole.size() >= kHexDigest;
  if (!whole_enough ||
      seal_of(key, whole.substr(kHexDigest)).str() != whole.substr(0, kHexDigest)) {
    // Nobody else writes here, so it is damage, and who knows of what else.
    held_.erase(id);
    if (database_ && made_anew_ < kMostAnew) start_anew();
    return std::nullopt;
  }
  if (options_.clock->wall_ms() - used_ms > kMsPerHour) touched_.push_back(id);
  return body.substr(kHexDigest);
}

void Cache::put(const Key& key, std::string_view bytes) {
  if (!database_ || bytes.size() > options_.limit_bytes / kLargestPart) return;
  std::string& body = held_[id_of(key)];
  body = seal_of(key, bytes).str();
  body += bytes;
  held_bytes_ += body.size();
  if (held_.size() >= kBatchEntries || held_bytes_ >= kBatchBytes) flush();
}

void Cache::flush() {
  while (database_ && (!held_.empty() || !touched_.empty())) {
    Status written = write_batch();
    if (written) written = keep_bound();
    const bool damaged = !written && written.error().code == Code::kCorrupt;
    if (damaged && made_anew_ < kMostAnew) {
      start_anew();
      continue;
    }
    // A full disk, or one that is read-only: on without it.
    if (!written && written.error().code != Code::kBusy) give_up(written.error());
    break;
  }
  held_.clear();
  held_bytes_ = 0;
  touched_.clear();
}

Status Cache::write_batch() {
  db::Transaction writing = TRY(db::Transaction::begin(*database_, db::Transaction::Kind::kWrite));
  const std::int64_t now_ms = options_.clock->wall_ms();
  {
    db::Statement insert =
        TRY(database_->statement("INSERT OR REPLACE INTO entry(id,used,body) VALUES(?,?,?)"));
    db::Statement touch = TRY(database_->statement("UPDATE entry SET used=? WHERE id=?"));
    for (const std::int64_t id : touched_) {
      touch.bind(1, now_ms).bind(2, id);
      TRY(touch.run());
      touch.reset();
    }
    for (const auto& [id, body] : held_) {
      insert.bind(1, id).bind(2, now_ms).bind(3, body);
      TRY(insert.run());
      insert.reset();
    }
  }
  TRY(fp_batch.hit());
  return writing.commit();
}

std::uint64_t Cache::bytes_on_disk() const {
  if (!database_) return 0;
  const auto pages = database_->pragma_integer("page_count");
  const auto unused = database_->pragma_integer("freelist_count");
  const auto size = database_->pragma_integer("page_size");
  if (!pages || !unused || !size) return 0;
  return static_cast<std::uint64_t>((*pages - *unused) * *size);
}

Status Cache::keep_bound() {
  if (bytes_on_disk() <= options_.limit_bytes) return {};
  while (bytes_on_disk() > options_.limit_bytes / 10 * 9) {
    db::Statement count = TRY(database_->statement("SELECT count(*) FROM entry"));
    TRY(count.step());
    const std::int64_t entries = count.integer(0);
    if (entries == 0) return {};
    count.reset();
    db::Statement evict = TRY(database_->statement(
        "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY used LIMIT ?)"));
    evict.bind(1, 1 + entries / kEvictPart);
    TRY(evict.run());
  }
  return {};
}

}  // namespace gittxn::catalogue
