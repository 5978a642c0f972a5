#include "model/read.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"
#include "base/json_value.h"
#include "model/codec.h"
#include "model/names.h"

namespace gittxn {
namespace {

constexpr NameTable<ReadKind, 11> kKinds{{
    {ReadKind::kContent, "content"},
    {ReadKind::kMetadata, "metadata"},
    {ReadKind::kAbsence, "absence"},
    {ReadKind::kListing, "listing"},
    {ReadKind::kRef, "ref"},
    {ReadKind::kTree, "tree"},
    {ReadKind::kKernel, "kernel"},
    {ReadKind::kSummary, "summary"},
    {ReadKind::kEnvironment, "environment"},
    {ReadKind::kExternal, "external"},
    {ReadKind::kSearch, "search"},
}};

constexpr NameTable<Strength, 2> kStrengths{{
    {Strength::kHard, "hard"},
    {Strength::kSoft, "soft"},
}};

constexpr NameTable<ReadSource, 7> kSources{{
    {ReadSource::kTrace, "trace"},
    {ReadSource::kHook, "hook"},
    {ReadSource::kMcp, "mcp"},
    {ReadSource::kTranscript, "transcript"},
    {ReadSource::kDeclared, "declared"},
    {ReadSource::kCoarse, "coarse"},
    {ReadSource::kKernel, "kernel"},
}};

// Lower is better. What the kernel itself looked up is exact; the others stand in the model's
// order.
int rank(ReadSource source) {
  return source == ReadSource::kKernel ? -1 : static_cast<int>(source);
}

auto key_of(const Read& read) {
  return std::tie(read.subject, read.kind, read.snapshot, read.digest, read.lines.first,
                  read.lines.count);
}

Result<LineSpan> span_from_json(const Json& json) {
  const auto number = [&](std::size_t i) { return json[i].get<std::int64_t>(); };
  const bool pair = json.is_array() && json.size() == 2 && json[0].is_number_integer() &&
                    json[1].is_number_integer();
  if (!pair || number(0) < 1 || number(1) < 1) {
    return fail(Code::kCorrupt, "lines: not a first line and a count");
  }
  return LineSpan{number(0), number(1)};
}

// What is known of who made a read is not lost with the source that said so.
void keep_attribution(Read& best, const Read& other) {
  if (best.call.empty() && !other.call.empty()) {
    best.session = other.session;
    best.agent = other.agent;
    best.call = other.call;
    best.tool = other.tool;
  }
  best.explains = std::max(best.explains, other.explains);
}

Json header_to_json(const ReadSet& set) {
  Json json{{"complete", set.complete},
            {"unknown_reason", encode_path(set.unknown_reason)},
            {"tool_env", encode_path(set.tool_env_digest.str())},
            {"notes", texts_to_json(set.notes)}};
  if (!set.sessions.empty()) json["sessions"] = texts_to_json(set.sessions);
  if (!set.resumed.empty()) json["resumed"] = texts_to_json(set.resumed);
  return json;
}

Result<ReadSet> header_from_json(const Json& json) {
  Fields fields(json, "read set");
  ReadSet set;
  fields.boolean("complete", set.complete);
  fields.text("unknown_reason", set.unknown_reason);
  fields.name("tool_env", set.tool_env_digest);
  fields.texts("notes", set.notes);
  if (fields.has("sessions")) fields.texts("sessions", set.sessions);
  if (fields.has("resumed")) fields.texts("resumed", set.resumed);
  TRY(fields.done());
  return set;
}

}  // namespace

std::string_view read_kind_name(ReadKind kind) {
  return name_in(kKinds, kind);
}
Result<ReadKind> read_kind_from_name(std::string_view name) {
  return value_in(kKinds, "kind of read", name);
}
std::string_view strength_name(Strength strength) {
  return name_in(kStrengths, strength);
}
Result<Strength> strength_from_name(std::string_view name) {
  return value_in(kStrengths, "strength", name);
}
std::string_view source_name(ReadSource source) {
  return name_in(kSources, source);
}
Result<ReadSource> source_from_name(std::string_view name) {
  return value_in(kSources, "source", name);
}

std::string maker_of(const Read& read) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (!read.call.empty()) add((read.tool.empty() ? "" : read.tool + " ") + "call " + read.call);
  if (!read.agent.empty()) add("sub-agent " + read.agent);
  if (!read.session.empty()) add("session " + read.session);
  if (read.pid != 0) add("pid " + std::to_string(read.pid));
  if (!read.argv.empty()) add(read.argv);
  return text;
}

Json to_json(const Read& read) {
  Json json{{"kind", read_kind_name(read.kind)},  {"subject", encode_path(read.subject)},
            {"digest", encode_path(read.digest)}, {"strength", strength_name(read.strength)},
            {"source", source_name(read.source)}, {"op", encode_path(read.op)}};
  if (!read.snapshot.empty()) json["snapshot"] = read.snapshot.str();
  if (read.pid != 0) json["pid"] = read.pid;
  if (!read.argv.empty()) json["argv"] = encode_path(read.argv);
  if (!read.query.empty()) json["query"] = encode_path(read.query);
  if (read.lines != LineSpan{}) json["lines"] = {read.lines.first, read.lines.count};
  if (read.explains != 0) json["explains"] = read.explains;
  if (!read.session.empty()) json["session"] = encode_path(read.session);
  if (!read.agent.empty()) json["agent"] = encode_path(read.agent);
  if (!read.call.empty()) json["call"] = encode_path(read.call);
  if (!read.tool.empty()) json["tool"] = encode_path(read.tool);
  return json;
}

Result<Read> read_from_json(const Json& json) {
  Fields fields(json, "read");
  Read read;
  fields.choice("kind", read.kind, read_kind_from_name);
  fields.text("subject", read.subject);
  fields.text("digest", read.digest);
  fields.choice("strength", read.strength, strength_from_name);
  fields.choice("source", read.source, source_from_name);
  fields.text("op", read.op);
  if (fields.has("snapshot")) fields.oid("snapshot", read.snapshot);
  if (fields.has("pid")) fields.integer("pid", read.pid);
  if (fields.has("argv")) fields.text("argv", read.argv);
  if (fields.has("query")) fields.text("query", read.query);
  if (fields.has("lines")) fields.value("lines", read.lines, span_from_json);
  if (fields.has("explains")) fields.integer("explains", read.explains);
  if (fields.has("session")) fields.text("session", read.session);
  if (fields.has("agent")) fields.text("agent", read.agent);
  if (fields.has("call")) fields.text("call", read.call);
  if (fields.has("tool")) fields.text("tool", read.tool);
  const bool asks = read.kind == ReadKind::kSearch;
  if (asks == read.query.empty()) fields.wrong("query", "belongs to a search, and each has one");
  const bool part = read.lines != LineSpan{};
  if (part && read.kind != ReadKind::kContent) fields.wrong("lines", "belongs to content");
  TRY(fields.done());
  return read;
}

void normalize(ReadSet& set) {
  // Stable, so that of equally good sources the first observation stays, with its process.
  std::stable_sort(set.reads.begin(), set.reads.end(),
                   [](const Read& a, const Read& b) { return key_of(a) < key_of(b); });
  std::vector<Read> kept;
  kept.reserve(set.reads.size());
  for (Read& read : set.reads) {
    if (kept.empty() || key_of(kept.back()) != key_of(read)) {
      kept.push_back(std::move(read));
      continue;
    }
    Read& best = kept.back();
    // A soft sighting never softens what another source says was relied on.
    const bool hard = best.strength == Strength::kHard || read.strength == Strength::kHard;
    if (rank(read.source) < rank(best.source)) std::swap(best, read);
    keep_attribution(best, read);
    if (hard) best.strength = Strength::kHard;
  }
  set.reads = std::move(kept);
  std::sort(set.notes.begin(), set.notes.end());
  set.notes.erase(std::unique(set.notes.begin(), set.notes.end()), set.notes.end());
}

std::string reads_to_lines(const ReadSet& set) {
  ReadSet sorted = set;
  normalize(sorted);
  std::string lines = canonical_json(header_to_json(sorted)) + "\n";
  for (const Read& read : sorted.reads) lines += canonical_json(to_json(read)) + "\n";
  return lines;
}

Result<ReadSet> reads_from_lines(std::string_view lines) {
  ReadSet set;
  bool header = true;
  const auto add = [&](const Json& json) -> Status {
    if (header) {
      set = TRY(header_from_json(json));
      header = false;
    } else {
      set.reads.push_back(TRY(read_from_json(json)));
    }
    return {};
  };
  TRY(each_json_line(lines, "read set", add));
  if (header) return fail(Code::kCorrupt, "read set: its first line is missing");
  return set;
}

Digest digest_of(const ReadSet& set) {
  return sha256(reads_to_lines(set));
}

}  // namespace gittxn
