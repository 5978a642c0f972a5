// The file that a catalogue keeps: `<common git dir>/txn/catalogue/cache.db`, mode 0600 in a folder
// of mode 0700. A cache and nothing else: it may be deleted at any time, also while programs use
// it.
//
// One SQLite file, with the write-ahead log and without a single sync (docs/design/0020): a row an
// entry, found by the first bytes of its key's digest. Each row begins with a digest over the
// version of the analysis, its key and its bytes, so that whatever is damaged, foreign or of
// another version is not found. A file that has such a row, or that SQLite does not take for its
// own, is deleted and made anew.
//
// Nothing here is an error to its caller: what cannot be read is not there, what cannot be written
// is not kept, and trouble() says why.
//
// Opening, making and deleting the file are one process's at a time (cache.lock beside it): SQLite
// lets nobody wait while a file becomes one with a write-ahead log.
//
// Bounded: over the limit the least recently used entries go, to nine tenths of it; of several
// programs that write at once each may be a batch over it. "Used" is told to the hour.
//
// If we die between any two lines: the last batches may be missing. After a loss of power the file
// may be damaged, which is noticed as above.
//
// One thread at a time; several processes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "db/database.h"

namespace gittxn::catalogue {

inline constexpr std::uint64_t kCacheLimit = 512ull << 20;

struct CacheOptions {
  std::string directory;  // made when absent; empty: nothing is kept
  std::uint64_t limit_bytes = kCacheLimit;
  const Clock* clock = nullptr;
  // How long others who write may be waited for; then it goes on without, as nobody needs it.
  std::int64_t busy_ms = 2'000;
};

// The cache of a repository; `txn_dir` is its txn/.
inline CacheOptions cache_in(const std::string& txn_dir, const Clock& clock) {
  return {.directory = txn_dir + "/catalogue", .clock = &clock};
}

// What an entry is about.
struct Key {
  std::string_view kind;
  const Oid* object = nullptr;
  std::string_view name;
};

class Cache {
 public:
  explicit Cache(CacheOptions options);
  ~Cache();  // writes what is held back
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  std::optional<std::string> find(const Key& key);
  // Held back until there is a batch, or flush(); found by find() at once.
  void put(const Key& key, std::string_view bytes);
  void flush();

  // Why entries could not be kept; empty when they could.
  const std::string& trouble() const { return trouble_; }
  std::uint64_t bytes_on_disk() const;  // of the entries; 0 when nothing is kept

 private:
  void open();
  Status open_alone();
  Status try_open();
  void give_up(const Error& error);
  void start_anew();  // the file there is damaged
  Status write_batch();
  Status keep_bound();
  std::string path() const { return options_.directory + "/cache.db"; }

  CacheOptions options_;
  std::optional<db::Database> database_;
  std::string trouble_;
  int made_anew_ = 0;
  bool damaged_ = false;  // what is there is deleted when it is opened next
  std::unordered_map<std::int64_t, std::string> held_;
  std::size_t held_bytes_ = 0;
  std::vector<std::int64_t> touched_;
};

}  // namespace gittxn::catalogue
