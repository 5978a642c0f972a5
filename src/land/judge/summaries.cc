#include "land/judge/summaries.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/json.h"
#include "capture/interpret.h"
#include "model/fields.h"

namespace gittxn::land {

namespace {

std::string whole_entry(const TreeEntry& entry) {
  return entry.present() ? fmt::format("{} {}", mode_text(entry.mode), entry.oid.str()) : "";
}

}  // namespace

Result<std::string> look_up(const repo::Objects& objects, const Oid& tree, ReadKind kind,
                            const std::string& subject) {
  const TreeEntry entry =
      subject.empty() ? TreeEntry{FileMode::kTree, tree} : TRY(objects.entry_at(tree, subject));
  const bool directory = entry.mode == FileMode::kTree;
  switch (kind) {
    case ReadKind::kContent:
      return directory ? "directory" : entry.oid.str();
    case ReadKind::kMetadata:
      return directory ? std::string(mode_text(entry.mode)) : whole_entry(entry);
    case ReadKind::kAbsence:
      return std::string(entry.present() ? "present" : "");
    case ReadKind::kListing:
      if (!directory) return std::string();
      return capture::listing_digest(TRY(objects.list(entry.oid))).str();
    case ReadKind::kTree:
      return whole_entry(entry);
    default:
      break;
  }
  return fail(Code::kFault, "a look-up that is of no tree: " + std::string(read_kind_name(kind)));
}

Result<std::optional<StaleSource>> first_stale(const repo::Objects& objects, const Oid& tree,
                                               const Summary& summary) {
  for (const SummarySource& source : summary.sources) {
    std::string now = TRY(look_up(objects, tree, source.kind, source.subject));
    if (now != source.digest) return StaleSource{source, std::move(now)};
  }
  return std::nullopt;
}

Result<Summary> load_summary(const store::Store& store, const Digest& manifest) {
  const std::string text = TRY(store.artifact(manifest));
  const Json json = TRY_IN("a summary", parse_json(text));
  return read_fields<Summary>(json);
}

Result<std::vector<certify::SummaryState>> summary_states(const store::Store& store,
                                                          const repo::Objects& objects,
                                                          const ReadSet& reads, const Oid& tree) {
  std::vector<certify::SummaryState> states;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Read& read : reads.reads) {
    if (read.kind != ReadKind::kSummary) continue;
    if (!seen.emplace(read.subject, read.digest).second) continue;
    const auto summary = load_summary(store, Digest(read.digest));
    if (!summary || summary->name != read.subject) continue;
    const auto stale = TRY(first_stale(objects, tree, *summary));
    certify::SummaryState state{read.subject, read.digest, "", "", "", !stale};
    if (stale) {
      state.source = stale->source.subject;
      state.source_digest = stale->source.digest;
      state.source_now = stale->now;
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace gittxn::land
