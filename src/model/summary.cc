#include "model/summary.h"

#include <algorithm>
#include <tuple>

#include "base/json.h"
#include "model/fields.h"

namespace gittxn {

namespace {

constexpr std::size_t kMaxSummaryName = 200;
constexpr int kVersion = 1;

bool is_lookup(ReadKind kind) {
  return kind == ReadKind::kContent || kind == ReadKind::kMetadata || kind == ReadKind::kAbsence ||
         kind == ReadKind::kListing || kind == ReadKind::kTree;
}

}  // namespace

Status check_summary_name(std::string_view name) {
  const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!name.empty() && name.size() <= kMaxSummaryName && plain && is_utf8(name)) return {};
  return fail(Code::kUsage, "a summary's name has 1 to 200 bytes and no control characters",
              "call it something like 'overview of src'");
}

void fields(FieldIo& io, SummarySource& source) {
  io.thing("source of a summary");
  io.choice("kind", source.kind, kReadKinds);
  io.text("subject", source.subject);
  io.text("digest", source.digest);
  if (!is_lookup(source.kind)) io.wrong("kind", "a source of a summary is of no tree");
}

void fields(FieldIo& io, Summary& summary) {
  io.thing("summary");
  int version = kVersion;
  io.integer({"v", "of the format"}, version, {.least = kVersion, .most = kVersion});
  io.text("name", summary.name);
  io.name("body", summary.body);
  io.integer("bytes", summary.bytes, kNotNegative);
  io.text("made_by", summary.made_by);
  io.list("sources", summary.sources);
  if (summary.sources.size() > kMaxSummarySources) io.wrong("sources", "too many");
}

std::string manifest_text(const Summary& summary) {
  Summary sorted = summary;
  const auto key = [](const SummarySource& s) { return std::tie(s.subject, s.kind, s.digest); };
  std::ranges::sort(sorted.sources, {}, key);
  const auto repeats = std::ranges::unique(sorted.sources);
  sorted.sources.erase(repeats.begin(), repeats.end());
  return canonical_text(field_list(sorted));
}

}  // namespace gittxn
