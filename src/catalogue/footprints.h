// Footprints of changes of one file, in symbols and names, kept by the two versions: whoever lands
// next to it asks again, and so does every later try.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/cache.h"
#include "model/change.h"
#include "repo/objects.h"
#include "semantic/footprint.h"

namespace gittxn::catalogue {

// `change` is of a file or nothing on both sides; a blob of more than `most` bytes is an error.
// `cache` may be nullptr. One thread at a time.
Result<semantic::Footprint> footprint_of(const repo::Objects& objects, const PathChange& change,
                                         std::size_t most, Cache* cache);

// As codec.h has it: strict, bounded, kCorrupt.
std::string encode(const semantic::Footprint& footprint);
Result<semantic::Footprint> decode_footprint(std::string_view bytes);

}  // namespace gittxn::catalogue
