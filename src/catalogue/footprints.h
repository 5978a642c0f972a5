// Footprints of changes of one file, in symbols and names, kept by the two versions: whoever lands
// next to it asks again, and so does every later try.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/cache.h"
#include "model/change.h"
#include "repo/objects.h"
#include "semantic/footprint.h"

namespace gittxn::catalogue {

// The contents of a file changed, or the file is new or gone.
bool is_of_file(const PathChange& change);
// The same of a file in a language that is known.
bool is_of_code(const PathChange& change);

struct Bytes {
  std::uint64_t before = 0, after = 0;
  std::uint64_t both() const { return before + after; }
};

struct KeptFootprint {
  Bytes bytes;
  semantic::Footprint footprint;
};

// Footprints that one judgement asks for, each found or made once. One thread at a time.
class Footprints {
 public:
  // Looks nothing up before it is asked. `most`: bytes of a version, of which more are an error.
  Footprints(const repo::Objects& objects, CacheOptions options, std::size_t most);

  // Bytes of both versions. No object is looked at where the footprint is kept.
  Result<Bytes> bytes_of(const PathChange& change);
  // `change` is_of_file(). The footprint lives as long as this.
  Result<const semantic::Footprint*> of(const PathChange& change);
  // Makes those of code among `changes` that are not kept yet, until both versions of what was
  // looked at have more than `bytes`. What fails is left to whoever asks for it.
  void make(const Changes& changes, std::uint64_t bytes);

 private:
  const KeptFootprint* find(const PathChange& change, const std::string& name);

  const repo::Objects& objects_;
  CacheOptions options_;
  std::size_t most_;
  std::optional<Cache> cache_;
  std::map<std::string, KeptFootprint> known_;  // by path and versions
};

// As codec.h has it: strict, bounded, kCorrupt.
std::string encode(const KeptFootprint& kept);
Result<KeptFootprint> decode_footprint(std::string_view bytes);

}  // namespace gittxn::catalogue
