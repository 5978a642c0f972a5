#include "agents/observation.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "model/fields.h"

namespace gittxn::agents {

namespace {

constexpr NameTable<Program, 4> kPrograms = {{{Program::kUnknown, ""},
                                              {Program::kClaudeCode, "claude-code"},
                                              {Program::kCodex, "codex"},
                                              {Program::kOtel, "otel"}}};
constexpr NameTable<Outcome, 4> kOutcomes = {{{Outcome::kAsked, "asked"},
                                              {Outcome::kDone, "done"},
                                              {Outcome::kFailed, "failed"},
                                              {Outcome::kAbsent, "absent"}}};
constexpr NameTable<Via, 3> kVias = {
    {{Via::kTool, "tool"}, {Via::kMention, "mention"}, {Via::kEdit, "edit"}}};
constexpr NameTable<WriteHow, 5> kHows = {{{WriteHow::kUnknown, "unknown"},
                                           {WriteHow::kCreated, "created"},
                                           {WriteHow::kChanged, "changed"},
                                           {WriteHow::kReplaced, "replaced"},
                                           {WriteHow::kRemoved, "removed"}}};
constexpr NameTable<QueryKind, 3> kQueries = {
    {{QueryKind::kGrep, "grep"}, {QueryKind::kGlob, "glob"}, {QueryKind::kWeb, "web"}}};
constexpr NameTable<Phase, 3> kPhases = {
    {{Phase::kLaunched, "launched"}, {Phase::kStarted, "started"}, {Phase::kStopped, "stopped"}}};
constexpr NameTable<SessionPhase, 5> kSessionPhases = {{{SessionPhase::kStarted, "started"},
                                                        {SessionPhase::kTurnEnded, "turn_ended"},
                                                        {SessionPhase::kEnded, "ended"},
                                                        {SessionPhase::kMoved, "moved"},
                                                        {SessionPhase::kRead, "read"}}};
// In the order of Detail's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Detail>> kKinds = {
    "other", "read",   "list",         "write",    "query",   "command", "url",
    "usage", "prompt", "instructions", "subagent", "session", "summary"};

void bounded(FieldIo& io, const Field& field, std::string& text) {
  io.text(field, text);
  if (text.size() > kMaxText) io.wrong(field, "too long");
}
void bounded(FieldIo& io, const Field& field, std::vector<std::string>& texts) {
  const auto each = [](FieldIo& element, std::string& text) { bounded(element, "", text); };
  io.list_of(field, texts, each, {.least = 0, .most = kMaxFiles});
}

template <std::size_t I = 0>
Detail detail_of(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<Detail>) {
    return index == I ? Detail(std::in_place_index<I>) : detail_of<I + 1>(index);
  } else {
    return Detail(std::in_place_index<I>);
  }
}

}  // namespace

static void fields(FieldIo& /*io*/, OtherTool& /*none*/) {}
static void fields(FieldIo& io, FileRead& read) {
  bounded(io, "path", read.path);
  io.integer("first", read.lines.first);
  io.integer("count", read.lines.count);
  io.choice("via", read.via, kVias);
}
static void fields(FieldIo& io, Listing& listing) {
  bounded(io, "path", listing.path);
  io.choice("via", listing.via, kVias);
}
static void fields(FieldIo& io, FileWrite& write) {
  bounded(io, "path", write.path);
  io.choice("how", write.how, kHows);
}
static void fields(FieldIo& io, Query& query) {
  using Option = std::pair<std::string, std::string>;
  const auto option = [](FieldIo& element, Option& one) {
    std::vector<std::string> pair{one.first, one.second};
    const auto text = [](FieldIo& each, std::string& word) { bounded(each, "", word); };
    element.list_of("", pair, text, {.least = 2, .most = 2});
    if (pair.size() == 2 && pair != std::vector{one.first, one.second}) one = {pair[0], pair[1]};
  };
  io.choice("query", query.kind, kQueries);
  bounded(io, "pattern", query.pattern);
  bounded(io, "root", query.root);
  io.list_of("options", query.options, option, {.least = 0, .most = kMaxOptions});
  bounded(io, "files", query.files);
  io.boolean("files_known", query.files_known);
}
static void fields(FieldIo& io, Command& command) {
  bounded(io, "text", command.text);
  bounded(io, "argv", command.argv);
  io.integer("exit_code", command.exit_code);
  io.boolean("cwd_exact", command.cwd_exact);
  io.boolean("background", command.background);
}
static void fields(FieldIo& io, Url& url) {
  bounded(io, "url", url.url);
}
static void fields(FieldIo& io, Usage& usage) {
  bounded(io, "model", usage.model);
  io.integer("input", usage.input);
  io.integer("cache_read", usage.cache_read);
  io.integer("cache_write", usage.cache_write);
  io.integer("output", usage.output);
}
static void fields(FieldIo& io, Prompt& prompt) {
  io.name("digest", prompt.digest);
  io.integer("bytes", prompt.bytes);
}
static void fields(FieldIo& io, Instructions& instructions) {
  bounded(io, "path", instructions.path);
  bounded(io, "reason", instructions.reason);
  bounded(io, "parent", instructions.parent);
}
static void fields(FieldIo& io, SubAgent& agent) {
  io.choice("phase", agent.phase, kPhases);
  bounded(io, "id", agent.id);
  bounded(io, "type", agent.type);
  bounded(io, "transcript", agent.transcript);
  bounded(io, "worktree", agent.worktree);
}
static void fields(FieldIo& io, Session& session) {
  io.choice("phase", session.phase, kSessionPhases);
  bounded(io, "reason", session.reason);
  bounded(io, "parent", session.parent);
  bounded(io, "transcript", session.transcript);
}
static void fields(FieldIo& io, SummaryUse& use) {
  bounded(io, "name", use.name);
  bounded(io, "digest", use.digest);
}

Tally& Tally::operator+=(const Tally& other) {
  lines += other.lines;
  damaged += other.damaged;
  unknown += other.unknown;
  incomplete += other.incomplete;
  return *this;
}

void Emitter::emit(Detail detail) const {
  Observation observation = base;
  observation.detail = std::move(detail);
  sink(std::move(observation));
}

std::string_view kind_name(const Detail& detail) {
  return detail.valueless_by_exception() ? kKinds[0] : kKinds[detail.index()];
}
std::string_view outcome_name(Outcome outcome) {
  return name_in(kOutcomes, outcome);
}
std::string_view program_name(Program program) {
  return name_in(kPrograms, program);
}

void fields(FieldIo& io, Observation& seen) {
  io.thing("observation");
  io.choice("source", seen.source, kReadSources);
  std::string kind(kind_name(seen.detail));
  io.word("kind", kind, kKinds);
  const auto at = static_cast<std::size_t>(std::ranges::find(kKinds, kind) - kKinds.begin());
  if (at != seen.detail.index()) seen.detail = detail_of(at);
  io.choice("program", seen.program, kPrograms);
  bounded(io, "session", seen.session);
  bounded(io, "agent", seen.agent);
  bounded(io, "agent_type", seen.agent_type);
  bounded(io, "cwd", seen.cwd);
  bounded(io, "tool", seen.tool);
  bounded(io, "tool_use_id", seen.tool_use_id);
  bounded(io, "note", seen.note);
  io.integer("start_ms", seen.start_ms);
  io.integer("end_ms", seen.end_ms);
  io.choice("outcome", seen.outcome, kOutcomes);
  std::visit([&io](auto& detail) { fields(io, detail); }, seen.detail);
}

}  // namespace gittxn::agents
