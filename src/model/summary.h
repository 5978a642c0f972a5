// A summary: a text somebody made from parts of the repository, kept with the digest of each part,
// so that whoever uses it depends on all of them (a read of kind summary).
//
// A source is a look-up in a commit's tree and its answer; it holds in a tree when the same look-up
// gives the same answer there. No commit is named: a source that changed and came back holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/read.h"

namespace gittxn {

struct SummarySource {
  ReadKind kind = ReadKind::kContent;  // content, metadata, absence, listing or tree
  std::string subject;                 // repository path
  std::string digest;                  // land/judge/summaries.h says of what
  bool operator==(const SummarySource&) const = default;
};

// What is stored: the manifest. A summary read names the SHA-256 of its lines.
struct Summary {
  std::string name;
  Digest body;  // artifact
  std::int64_t bytes = 0;
  std::string made_by;  // a transaction's id, or "Name <mail>"
  std::vector<SummarySource> sources;
  bool operator==(const Summary&) const = default;
};

void fields(FieldIo& io, SummarySource& source);
void fields(FieldIo& io, Summary& summary);

inline constexpr std::size_t kMaxSummaryBytes = 1u << 20;
inline constexpr std::size_t kMaxSummarySources = 100'000;

// A name is only ever a name: 1 to 200 bytes of UTF-8 without control characters; it may hold
// slashes and is never part of a path. kUsage.
Status check_summary_name(std::string_view name);

// The manifest: canonical JSON, with the sources sorted, each once.
std::string manifest_text(const Summary& summary);

}  // namespace gittxn
