#include "model/read.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "model/fields.h"

namespace gittxn {
namespace {

constexpr NameTable<Strength, 2> kStrengths{{
    {Strength::kHard, "hard"},
    {Strength::kSoft, "soft"},
}};

constexpr NameTable<ReaderClass, 4> kReaders{{
    {ReaderClass::kAny, "any"},
    {ReaderClass::kEdits, "edits"},
    {ReaderClass::kShown, "shown"},
    {ReaderClass::kItself, "itself"},
}};

// Lower is better. What the kernel itself looked up is exact; the others stand in the model's
// order.
int rank(ReadSource source) {
  return source == ReadSource::kKernel ? -1 : static_cast<int>(source);
}

constexpr std::size_t kMaxArgv = 200;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

auto thing_of(const Read& read) {
  return std::tie(read.subject, read.kind, read.snapshot, read.digest, read.lines.first,
                  read.lines.count);
}

auto key_of(const Read& read) {
  return std::tuple_cat(thing_of(read), std::tie(read.question));
}

constexpr NameTable<Question::Kind, 2> kQuestionKinds{{
    {Question::Kind::kPure, "pure"},
    {Question::Kind::kRunner, "runner"},
}};

// [first, count]
void span_field(FieldIo& io, const Field& field, LineSpan& lines) {
  std::vector<std::int64_t> pair{lines.first, lines.count};
  const auto number = [](FieldIo& each, std::int64_t& one) { each.integer("", one, {.least = 1}); };
  io.list_of(field, pair, number, {.least = 2, .most = 2});
  if (pair.size() == 2 && LineSpan{pair[0], pair[1]} != lines) lines = {pair[0], pair[1]};
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

}  // namespace

std::string_view read_kind_name(ReadKind kind) {
  return name_in(kReadKinds, kind);
}
std::string_view source_name(ReadSource source) {
  return name_in(kReadSources, source);
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

void fields(FieldIo& io, Question& question) {
  io.thing("question");
  io.integer("number", question.number, {.least = 1});
  io.choice("kind", question.kind, kQuestionKinds);
  io.text("name", question.name);
  io.text("program", question.program);
  io.texts("argv", question.argv);
  io.text("tree", question.tree);
  io.text("directory", question.directory);
  if (io.maybe("env", question.env)) io.texts("env", question.env);
  if (io.maybe("environment", question.environment)) io.name("environment", question.environment);
  if (io.maybe("settings", question.settings)) io.texts("settings", question.settings);
  if (io.maybe("input", question.input)) io.text("input", question.input);
  io.integer("status", question.status, kNotNegative);
  if (io.maybe("own", question.own)) io.texts("own", question.own);
  if (io.maybe("met", question.met)) io.texts("met", question.met);
  if (io.maybe("unsettled", question.unsettled)) io.texts("unsettled", question.unsettled);
  if (io.maybe("in_between", question.in_between)) io.boolean("in_between", question.in_between);
}

void fields(FieldIo& io, ReadSet& set) {
  io.thing("read set");
  io.boolean("complete", set.complete);
  io.text("unknown_reason", set.unknown_reason);
  if (io.maybe("unknown_since", set.unknown_since)) io.oid("unknown_since", set.unknown_since);
  io.name("tool_env", set.tool_env_digest);
  io.texts("notes", set.notes);
  if (io.maybe("sessions", set.sessions)) io.texts("sessions", set.sessions);
  if (io.maybe("resumed", set.resumed)) io.texts("resumed", set.resumed);
  if (io.maybe("questions", set.questions)) io.list("questions", set.questions);
  if (io.maybe("no_questions", set.no_questions)) io.texts("no_questions", set.no_questions);
}

void fields(FieldIo& io, Read& read) {
  io.thing("read");
  io.choice("kind", read.kind, kReadKinds);
  io.text("subject", read.subject);
  io.text("digest", read.digest);
  io.choice("strength", read.strength, kStrengths);
  io.choice("source", read.source, kReadSources);
  io.text("op", read.op);
  if (io.maybe("snapshot", read.snapshot)) io.oid("snapshot", read.snapshot);
  if (io.maybe("pid", read.pid)) io.integer("pid", read.pid, kPositive);
  if (io.maybe("argv", read.argv)) io.text("argv", read.argv);
  if (io.maybe("query", read.query)) io.text("query", read.query);
  if (io.maybe("lines", read.lines))
    span_field(io, {"lines", "the first line and how many"}, read.lines);
  if (io.maybe("explains", read.explains)) io.integer("explains", read.explains, kPositive);
  if (io.maybe("session", read.session)) io.text("session", read.session);
  if (io.maybe("agent", read.agent)) io.text("agent", read.agent);
  if (io.maybe("call", read.call)) io.text("call", read.call);
  if (io.maybe("tool", read.tool)) io.text("tool", read.tool);
  if (io.maybe("question", read.question)) io.integer("question", read.question, kPositive);
  if (io.maybe("reader", read.reader)) {
    constexpr const char* kMeaning =
        "edits: a program that made an edit somebody wrote down; shown: an agent alone; itself: an "
        "agent's own program, which showed it to nobody";
    io.choice({"reader", kMeaning}, read.reader, kReaders);
  }
  const bool asks = read.kind == ReadKind::kSearch;
  if (asks == read.query.empty()) io.wrong("query", "belongs to a search, and each has one");
  const bool part = read.lines != LineSpan{};
  if (part && read.kind != ReadKind::kContent) io.wrong("lines", "belongs to content");
}

void normalize(ReadSet& set) {
  // Stable, so that of equally good sources the first observation stays, with its process.
  std::stable_sort(set.reads.begin(), set.reads.end(),
                   [](const Read& a, const Read& b) { return key_of(a) < key_of(b); });
  std::vector<Read> kept;
  kept.reserve(set.reads.size());
  for (Read& read : set.reads) {
    const bool same_thing = !kept.empty() && thing_of(kept.back()) == thing_of(read);
    const bool holds_anyway = same_thing && kept.back().question == 0 &&
                              kept.back().strength == Strength::kHard &&
                              kept.back().reader <= read.reader;
    if (holds_anyway && read.question != 0) continue;
    if (!same_thing || kept.back().question != read.question) {
      kept.push_back(std::move(read));
      continue;
    }
    Read& best = kept.back();
    // A soft sighting never softens what another source says was relied on.
    const bool hard = best.strength == Strength::kHard || read.strength == Strength::kHard;
    const bool better = best.reader == read.reader ? rank(read.source) < rank(best.source)
                                                   : read.reader < best.reader;
    if (better) std::swap(best, read);
    keep_attribution(best, read);
    if (hard) best.strength = Strength::kHard;
  }
  set.reads = std::move(kept);
  std::sort(set.notes.begin(), set.notes.end());
  set.notes.erase(std::unique(set.notes.begin(), set.notes.end()), set.notes.end());
}

void add_reads(ReadSet& set, ReadSet other) {
  const std::int64_t before = set.questions.empty() ? 0 : set.questions.back().number;
  for (Question& question : other.questions) {
    question.number += before;
    set.questions.push_back(std::move(question));
  }
  for (std::string& one : other.no_questions) set.no_questions.push_back(std::move(one));
  for (Read& read : other.reads) {
    if (read.question != 0) read.question += before;
    set.reads.push_back(std::move(read));
  }
}

std::string argv_text(const std::vector<std::string>& argv) {
  std::vector<std::string> first;
  for (std::size_t bytes = 0, i = 0; i < argv.size() && bytes <= kMaxArgv; ++i) {
    bytes += argv[i].size() + 1;
    first.push_back(argv[i]);
  }
  std::string text = quote_argv(first);
  if (text.size() <= kMaxArgv) return text;
  std::size_t end = kMaxArgv;
  for (int back = 0; back < 3 && continues_character(text[end]); ++back) --end;
  text.resize(end);
  return text;
}

const Question* question_of(const ReadSet& set, std::int64_t number) {
  const auto at = std::ranges::find(set.questions, number, &Question::number);
  return at == set.questions.end() ? nullptr : &*at;
}

std::string reads_to_lines(const ReadSet& set) {
  ReadSet sorted = set;
  normalize(sorted);
  std::string lines = canonical_text(field_list(sorted)) + "\n";
  for (const Read& read : sorted.reads) lines += canonical_text(field_list(read)) + "\n";
  return lines;
}

Result<ReadSet> reads_from_lines(std::string_view lines) {
  ReadSet set;
  bool header = true;
  const auto add = [&](const Json& json) -> Status {
    if (header) {
      set = TRY(read_fields<ReadSet>(json));
      header = false;
    } else {
      set.reads.push_back(TRY(read_fields<Read>(json)));
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
