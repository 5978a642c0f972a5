// Symbols, names and imports of every file of a repository, kept by content: a blob is looked into
// once, and a tree whose id is known costs nothing. So the catalogue of another tree costs what
// differs: of two trees with the same id the names are the same, and only where ids differ anything
// is looked at.
//
//   file(path, entry)   all that one blob says, from the cache or made now
//   fill(tree)          looks into what is missing below a tree, on all processors
//   visit(tree, ...)    its files, each with the names that are in it
//
// Every answer is right without the cache too; trouble() says why nothing is kept. Memory: the
// files that are being looked into (kInFlight bytes of text at once), and the names of a few
// thousand.
//
// One thread at a time. What a crash leaves: cache.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "catalogue/cache.h"
#include "catalogue/codec.h"
#include "repo/objects.h"

namespace gittxn::catalogue {

inline constexpr std::size_t kInFlight = 8u << 20;

struct CatalogueOptions {
  CacheOptions cache;
  int threads = 0;  // 0: one a processor
  semantic::Budget budget;
  std::function<void(std::size_t done, std::size_t of)> on_progress;
  std::function<bool()> interrupted;  // asked now and then; true ends with kInterrupted
};

struct Filled {
  std::size_t files = 0;  // looked into now
  std::uint64_t bytes = 0;
  std::size_t directories = 0;  // made now
};

class Catalogue {
 public:
  // `objects` must outlive it; `git` opens the same objects for other threads.
  Catalogue(const repo::Objects& objects, repo::Git git, CatalogueOptions options);
  ~Catalogue();

  // Ids are without the path (semantic::id_in). What is no file is opaque.
  Result<semantic::FileFacts> file(std::string_view path, const TreeEntry& entry);

  // Of bytes that need not be in the repository.
  Result<semantic::FileFacts> text(std::string_view path, std::string_view bytes);

  // `tree` may be a commit.
  Result<Filled> fill(const Oid& tree);

  using Visitor = std::function<Status(const std::string& path, const FileNames& file)>;
  // Every file, those of a directory before what is below it, in the order of paths. Fills first
  // what is missing.
  Status visit(const Oid& tree, const Visitor& visitor);

  const repo::Objects& objects() const { return objects_; }
  const std::string& trouble() const { return cache_.trouble(); }
  Cache& cache() { return cache_; }

 private:
  struct Plan;
  Status plan(const Oid& tree, Plan* plan);
  Status look(Plan* plan, Filled* filled);
  template <typename Make>
  Result<semantic::FileFacts> kept_or_made(const Key& key, Make make);
  Result<NameSet> names_of(const std::string& name, const TreeEntry& entry);
  Result<Directory> make_directory(const Oid& tree);
  std::optional<std::string> find_directory(const Oid& tree);
  Status visit_below(const Oid& tree, const std::string& path, int depth, const Visitor& visitor);

  const repo::Objects& objects_;
  repo::Git git_;
  CatalogueOptions options_;
  Cache cache_;
  std::unordered_map<std::string, NameSet> names_;  // of files just looked into
  std::size_t names_held_ = 0;
};

// What tells the language of a file besides its bytes: the ending of its name, or all of it.
std::string_view language_hint(std::string_view path);

// All that a blob says, nothing remembered.
Result<semantic::FileFacts> look_into(const repo::Objects& objects, std::string_view hint,
                                      const TreeEntry& entry, const semantic::Budget& budget);

}  // namespace gittxn::catalogue
