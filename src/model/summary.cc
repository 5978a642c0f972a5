#include "model/summary.h"

#include <algorithm>
#include <tuple>

#include "base/json_value.h"
#include "model/codec.h"

namespace gittxn {

namespace {

constexpr std::size_t kMaxSummaryName = 200;
constexpr int kVersion = 1;

bool is_lookup(ReadKind kind) {
  return kind == ReadKind::kContent || kind == ReadKind::kMetadata || kind == ReadKind::kAbsence ||
         kind == ReadKind::kListing || kind == ReadKind::kTree;
}

Result<SummarySource> source_from_json(const Json& json) {
  Fields fields(json, "source of a summary");
  SummarySource source;
  fields.choice("kind", source.kind, read_kind_from_name);
  fields.text("subject", source.subject);
  fields.text("digest", source.digest);
  TRY(fields.done());
  if (!is_lookup(source.kind)) {
    return fail(Code::kCorrupt, "a source of a summary is of no tree");
  }
  return source;
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

Json to_json(const Summary& summary) {
  std::vector<SummarySource> sorted = summary.sources;
  const auto key = [](const SummarySource& s) { return std::tie(s.subject, s.kind, s.digest); };
  std::sort(sorted.begin(), sorted.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Json sources = Json::array();
  for (const SummarySource& source : sorted) {
    sources.push_back({{"kind", read_kind_name(source.kind)},
                       {"subject", encode_path(source.subject)},
                       {"digest", encode_path(source.digest)}});
  }
  return {{"v", kVersion},
          {"name", encode_path(summary.name)},
          {"body", encode_path(summary.body.str())},
          {"bytes", summary.bytes},
          {"made_by", encode_path(summary.made_by)},
          {"sources", std::move(sources)}};
}

Result<Summary> summary_from_json(const Json& json) {
  Fields fields(json, "summary");
  Summary summary;
  int version = 0;
  fields.integer("v", version);
  fields.text("name", summary.name);
  fields.name("body", summary.body);
  fields.integer("bytes", summary.bytes);
  fields.text("made_by", summary.made_by);
  fields.list("sources", summary.sources, source_from_json);
  TRY(fields.done());
  if (version != kVersion) return fail(Code::kCorrupt, "a summary of another version");
  if (summary.sources.size() > kMaxSummarySources) {
    return fail(Code::kCorrupt, "a summary with too many sources");
  }
  return summary;
}

}  // namespace gittxn
