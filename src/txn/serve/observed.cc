#include "txn/serve/observed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "agents/hook_log.h"
#include "base/bug.h"
#include "base/fields.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "base/json.h"
#include "base/text.h"
#include "certify/certify.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"
#include "txn/serve/tree_search.h"

namespace gittxn::api {
namespace {

constexpr std::size_t kMostObservations = 200'000;
constexpr std::array<const char*, 5> kFiles = {"hooks.jsonl", "mcp.jsonl", "declared.jsonl",
                                               "transcripts.jsonl", "otel.jsonl"};

using What = capture::Observed::What;

LineSpan span_of(const agents::LineRange& range) {
  if (range.whole() || range.count < 0) return {};
  return {std::max<std::int64_t>(range.first, 1), range.count};
}

// What our own tools asked stands beside the pattern; of a read_set block there is the pattern
// alone, which means what it means to those tools. "": not understood.
std::string question_of(const agents::Query& asked) {
  for (const auto& [name, value] : asked.options) {
    if (name == "query") return value;
  }
  TreeQuery query;
  query.names_only = asked.kind == agents::QueryKind::kGlob;
  if (query.names_only) query.request.globs = {asked.pattern};
  if (!query.names_only) query.request.pattern = asked.pattern;
  const auto parsed = query_of(query);
  return parsed ? search::query_text(*parsed) : "";
}

// The model named the call itself, so that its answer goes to the model. Codex gives calls that a
// script of the model's makes names of another kind, and their answers to the script.
bool is_the_models(const agents::Observation& seen) {
  switch (seen.program) {
    case agents::Program::kClaudeCode:
      return seen.tool_use_id.starts_with("toolu_");
    case agents::Program::kCodex:
      return seen.tool_use_id.starts_with("call_");
    default:
      return false;
  }
}

class Collector {
 public:
  Collector(ObservedFiles& files, Sessions of) : files_(files), of_(of) {}

  void take(const agents::Observation& seen) {
    const bool answered = seen.outcome != agents::Outcome::kAsked && is_the_models(seen);
    if (answered && seen.source == ReadSource::kHook && answered_.size() < kMostObservations) {
      answered_.push_back(seen);
    }
    if (!seen.session.empty()) files_.sessions.insert(seen.session);
    if (const auto* session = std::get_if<agents::Session>(&seen.detail)) {
      resumed(seen, *session);
      phase(seen, *session);
      keep(seen, *session);
    }
    if (const auto* prompt = std::get_if<agents::Prompt>(&seen.detail)) {
      files_.prompts.emplace(seen.session, prompt->digest);
    }
    if (seen.source == ReadSource::kHook || seen.source == ReadSource::kTranscript) tool(seen);
    if (auto one = observed(seen)) {
      if (files_.observed.size() < kMostObservations) {
        files_.observed.push_back(*std::move(one));
      } else {
        ++left_out;
      }
    }
  }

  // Takes the calls of conversations that have ended, as hooks said: the end says that no hook of
  // theirs is missing. `lines_lost`: some may be missing all the same.
  void settle(const agents::HookLogReader& hooks, bool lines_lost) {
    for (const agents::Observation& seen : answered_) {
      const bool open = !hooks.has_ended(seen.session);
      if (lines_lost || (open && of_ == Sessions::kEnded)) continue;
      shown_.insert(seen.tool_use_id);
      const auto* command = std::get_if<agents::Command>(&seen.detail);
      if (command == nullptr || seen.start_ms == 0) continue;
      files_.commands.push_back({command->text, seen.start_ms, seen.end_ms});
    }
    answered_.clear();
  }
  // Marks what other sources say of such a call.
  void finish() {
    for (capture::Observed& one : files_.observed) {
      const bool read =
          one.what == What::kDirectory || one.what == What::kSearch || one.what == What::kFile;
      one.shown = read && one.source != ReadSource::kDeclared && shown_.contains(one.call);
    }
  }

  std::size_t left_out = 0;

  // True if all that the sessions did is known.
  bool whole() const {
    if (files_.sessions.empty() || compacted_ || left_out > 0) return false;
    return of_ == Sessions::kRunning || std::ranges::includes(read_, files_.sessions);
  }

 private:
  // Searches of an agent's own tools are made by programs, and the trace has what those looked at.
  static bool is_ours(const agents::Observation& seen) {
    return seen.source == ReadSource::kMcp || seen.source == ReadSource::kDeclared;
  }

  void resumed(const agents::Observation& seen, const agents::Session& session) {
    if (session.phase != agents::SessionPhase::kStarted) return;
    if (session.reason != "resume") {
      begun_.insert(seen.session);
      return;
    }
    if (begun_.contains(seen.session)) return;  // it is known from its beginning
    if (!seen.session.empty()) files_.resumed.insert(seen.session);
    if (!session.parent.empty()) files_.resumed.insert(session.parent);
  }

  void keep(const agents::Observation& seen, const agents::Session& session) {
    if (!session.parent.empty()) begun_by_others_.insert(seen.session);
    if (begun_by_others_.contains(seen.session)) {
      files_.kept.erase(seen.session);
    } else if (seen.agent.empty() && !session.transcript.empty()) {
      files_.kept[seen.session] = session.transcript;
    }
  }

  // An agent that compacts a conversation tells its model again, by itself, what it knew before.
  void phase(const agents::Observation& seen, const agents::Session& session) {
    if (session.phase == agents::SessionPhase::kRead) read_.insert(seen.session);
    const bool plain = session.reason == "startup" || session.reason == "resume";
    if (session.phase == agents::SessionPhase::kStarted && !plain) compacted_ = true;
  }

  void tool(const agents::Observation& seen) {
    if (seen.tool.empty()) return;
    files_.conversations.tools.insert(seen.tool);
    if (seen.outcome == agents::Outcome::kDone) return;
    const auto* read = std::get_if<agents::FileRead>(&seen.detail);
    const auto* write = std::get_if<agents::FileWrite>(&seen.detail);
    if (read != nullptr) files_.conversations.failed.push_back({read->path, seen.cwd});
    if (write != nullptr) files_.conversations.failed.push_back({write->path, seen.cwd});
  }

  static std::optional<capture::Observed> observed(const agents::Observation& seen) {
    capture::Observed one;
    one.cwd = seen.cwd;
    one.source = seen.source;
    one.session = seen.session;
    one.agent = seen.agent;
    one.call = seen.tool_use_id;
    one.tool = seen.tool;
    one.start_ms = seen.start_ms;
    one.end_ms = seen.end_ms;
    const bool done = seen.outcome == agents::Outcome::kDone;
    if (const auto* read = std::get_if<agents::FileRead>(&seen.detail)) {
      const bool absent = seen.outcome == agents::Outcome::kAbsent;
      if (!done && !absent) return std::nullopt;  // what it came to look at only the trace knows
      one.what = absent ? What::kAbsent : What::kFile;
      one.path = read->path;
      one.lines = absent ? LineSpan{} : span_of(read->lines);
    } else if (const auto* listing = std::get_if<agents::Listing>(&seen.detail); listing && done) {
      one.what = What::kDirectory;
      one.path = listing->path.empty() ? "." : listing->path;
    } else if (const auto* query = std::get_if<agents::Query>(&seen.detail);
               query && done && is_ours(seen) && query->kind != agents::QueryKind::kWeb) {
      one.what = What::kSearch;
      one.path = query->root.empty() ? "." : query->root;
      one.query = question_of(*query);
    } else if (const auto* rules = std::get_if<agents::Instructions>(&seen.detail)) {
      one.path = rules->path;
    } else if (const auto* url = std::get_if<agents::Url>(&seen.detail)) {
      one.what = What::kUrl;
      one.path = url->url;
    } else {
      return std::nullopt;
    }
    if (one.path.empty()) return std::nullopt;
    return one;
  }

  ObservedFiles& files_;
  std::set<std::string> read_;  // sessions that are known whole
  std::set<std::string> begun_, begun_by_others_;
  bool compacted_ = false;
  Sessions of_;
  std::vector<agents::Observation> answered_;  // by hooks, in order
  std::set<std::string> shown_;                // calls
};

bool was_part(const ReadSet& set, const std::set<std::string>& sessions) {
  return std::any_of(set.sessions.begin(), set.sessions.end(),
                     [&](const std::string& session) { return sessions.contains(session); });
}

// Whether the landing left the file as the conversation saw it or made it: semantic lets a file
// pass that was laid out anew, or merged with the head's, and an exact level takes none of that
// over.
Result<bool> landed_as_known(const repo::Objects& objects, const TreeEntry& landed,
                             const PathChange* own, const Read& read) {
  if (own != nullptr) return landed == own->after;
  const Oid snapshot = TRY(objects.tree_of(read.snapshot));
  return landed == TRY(objects.entry_at(snapshot, read.subject));
}

// True if no name came or went, in what was shown, between then and the landing: semantic may have
// let it pass, and the conversation does not know it.
Result<bool> knows_names(const repo::Objects& objects, const Txn& earlier, const Read& read) {
  const bool names = read.kind == ReadKind::kListing || read.kind == ReadKind::kSearch;
  if (!names || read.reader != ReaderClass::kShown || INJECTED_BUG("observed.names_let_pass"))
    return true;
  const repo::CommitInfo landed = TRY(objects.commit(earlier.landed_commit));
  if (landed.parents.empty()) return true;
  const Changes since = TRY(objects.diff(read.snapshot, landed.parents.front()));
  return std::ranges::none_of(since, [&](const PathChange& change) {
    const bool there = covers(read.subject, change.path) || covers(change.path, read.subject);
    return there && certify::shape_of(change.before) != certify::shape_of(change.after);
  });
}

// Certified at semantic or above, every read held when it landed; what it changed itself the
// conversation knows as it landed. `level`: of the transaction that goes on with it.
Result<Read> as_landed(State& state, const Txn& earlier, const Changes& writes, Isolation level,
                       Read read) {
  if (earlier.landed_commit.empty() || earlier.isolation < Isolation::kSemantic) return read;
  const bool file_read = read.kind == ReadKind::kContent || read.kind == ReadKind::kMetadata;
  const bool path = file_read || read.kind == ReadKind::kAbsence;
  const auto change = std::find_if(writes.begin(), writes.end(),
                                   [&](const PathChange& one) { return one.path == read.subject; });
  const PathChange* own = change == writes.end() ? nullptr : &*change;
  const repo::Objects& objects = state.repository.objects();
  const Oid tree = TRY(objects.tree_of(earlier.landed_commit));
  const TreeEntry entry = path ? TRY(objects.entry_at(tree, read.subject)) : TreeEntry{};
  const bool refined = certify::is_exact(level) && !certify::is_exact(earlier.isolation);
  if (refined && file_read && !TRY(landed_as_known(objects, entry, own, read))) return read;
  if (!TRY(knows_names(objects, earlier, read))) return read;
  read.snapshot = earlier.landed_commit;
  if (!path || own == nullptr) return read;
  const bool file = entry.present() && entry.mode != FileMode::kTree;
  read.lines = {};
  read.kind = file              ? ReadKind::kContent
              : entry.present() ? ReadKind::kMetadata
                                : ReadKind::kAbsence;
  read.digest = file ? entry.oid.str() : entry.present() ? std::string(mode_text(entry.mode)) : "";
  return read;
}

// True when the session was part of this attempt.
Result<bool> inherit(State& state, const Txn& earlier, const Attempt& attempt,
                     const std::set<std::string>& sessions, Isolation level, ReadSet& reads) {
  if (attempt.reads.empty()) return false;
  const ReadSet known = TRY(recorded_reads(*state.store, earlier.id, attempt));
  if (!was_part(known, sessions)) return false;
  if (!known.complete && reads.complete) {
    reads.complete = false;
    reads.unknown_reason = "resumed: what was read in " + earlier.id.str() + " is not known";
  }
  const Changes writes = TRY(recorded_writes(*state.store, attempt));
  for (const Read& read : known.reads) {
    const bool others = read.kind == ReadKind::kKernel || read.kind == ReadKind::kEnvironment ||
                        read.strength == Strength::kSoft;
    if (others) continue;
    reads.reads.push_back(TRY(as_landed(state, earlier, writes, level, read)));
    reads.reads.back().question = 0;  // its worktree may be gone, so it is not asked again
  }
  return true;
}

constexpr const char* kKernelFile = "kernel.jsonl";
constexpr std::size_t kMaxKernelFile = 64u << 20;

// What was shown, and by what.
struct Shown {
  std::string subject;
  std::string version;
  std::string op;
};
void fields(FieldIo& io, Shown& shown) {
  io.text("subject", shown.subject);
  io.text("version", shown.version);
  io.text("op", shown.op);
}

Read read_of(std::string_view line) {
  Shown shown;
  Read read;
  read.kind = ReadKind::kKernel;
  read.source = ReadSource::kDeclared;
  const Status told = read_text(line, "what the kernel showed", field_list(shown));
  if (!told) shown = {.subject = "(a line that makes no sense)", .version = "", .op = ""};
  read.subject = std::move(shown.subject);
  read.digest = std::move(shown.version);  // of such a line there is none
  read.op = std::move(shown.op);
  return read;
}

}  // namespace

Result<ObservedFiles> read_observed(const std::string& directory, Sessions sessions) {
  ObservedFiles files;
  Collector collector(files, sessions);
  for (const char* name : kFiles) {
    agents::HookLogReader reader([&](agents::Observation&& seen) { collector.take(seen); });
    const Status read = agents::read_hook_log(join_path(directory, name), reader);
    if (!read && read.error().code == Code::kNotFound) continue;
    if (!read) return std::unexpected(read.error());
    const std::uint64_t lost = reader.tally().damaged + reader.unparsed_events();
    if (name == kFiles.front()) collector.settle(reader, lost > 0);
    if (lost > 0) files.notes.push_back(fmt::format("{} lines of {} are damaged", lost, name));
  }
  collector.finish();
  files.conversations.whole = files.notes.empty() && collector.whole();
  if (collector.left_out > 0) {
    files.notes.push_back(
        fmt::format("{} observations are more than are looked at", collector.left_out));
  }
  return files;
}

Result<bool> is_observed(const Attempt& attempt) {
  for (const char* name : kFiles) {
    if (TRY(exists(join_path(observed_dir(attempt), name)))) return true;
  }
  return false;
}

Result<bool> was_told(const Attempt& attempt, const std::string& session, const Digest& text) {
  const ObservedFiles files = TRY(read_observed(observed_dir(attempt), Sessions::kRunning));
  return files.prompts.contains({session, text});
}

Status inherit_reads(State& state, const Txn& txn, const ObservedFiles& files, Earlier which,
                     ReadSet& reads) {
  reads.sessions.assign(files.sessions.begin(), files.sessions.end());
  reads.resumed.assign(files.resumed.begin(), files.resumed.end());
  if (files.resumed.empty()) return {};
  bool known = which == Earlier::kOthers;
  for (const Txn& earlier : TRY(state.store->txns({}))) {
    if (earlier.id == txn.id && which == Earlier::kOthers) continue;
    if (earlier.id == txn.id) {
      // Earlier attempts of this one count as well; the last is what is being taken.
      for (std::size_t i = 0; i + 1 < earlier.attempts.size(); ++i) {
        const Attempt& attempt = earlier.attempts[i];
        known = TRY(inherit(state, earlier, attempt, files.resumed, txn.isolation, reads)) || known;
      }
      continue;
    }
    if (earlier.attempts.empty()) continue;
    const Attempt& last = earlier.attempts.back();
    known = TRY(inherit(state, earlier, last, files.resumed, txn.isolation, reads)) || known;
  }
  if (known) {
    reads.notes.emplace_back("the conversation was resumed: its earlier reads count");
  } else if (reads.complete) {
    reads.complete = false;
    reads.unknown_reason = "resumed: the conversation was begun where nothing was recorded";
  }
  normalize(reads);
  return {};
}

Result<std::vector<Read>> summary_reads(const Attempt& attempt) {
  std::vector<Read> reads;
  agents::HookLogReader reader([&](agents::Observation&& one) {
    const auto* use = std::get_if<agents::SummaryUse>(&one.detail);
    if (use == nullptr) return;
    Read read;
    read.kind = ReadKind::kSummary;
    read.subject = use->name;
    read.digest = use->digest;
    read.source = one.source;
    read.op = one.tool;
    // It was stale already, and shown as that: nothing is left to certify it by.
    if (one.outcome == agents::Outcome::kFailed) read.strength = Strength::kSoft;
    reads.push_back(std::move(read));
  });
  const std::string log = join_path(observed_dir(attempt), "declared.jsonl");
  const Status status = agents::read_hook_log(log, reader);
  if (!status && status.error().code != Code::kNotFound) return std::unexpected(status.error());
  return reads;
}

Status note_kernel_reads(State& state, const store::View& view,
                         const std::vector<std::string>& subjects, std::string_view shown_by) {
  const std::string observed = state.host.variable("GIT_TXN_OBSERVED");
  if (observed.empty()) return {};
  const TxnId reader(state.host.variable("GIT_TXN_ID"));
  for (const std::string& subject : subjects) {
    const auto version = TRY(store::kernel_version(view, subject, reader));
    const Shown shown{subject, version.value_or(""), std::string(shown_by)};
    TRY_IN("recording what was shown", append_line_durable(join_path(observed, kKernelFile),
                                                           canonical_text(field_list(shown))));
  }
  return {};
}

Result<std::vector<Read>> kernel_reads(const Attempt& attempt, const Oid& snapshot) {
  std::vector<Read> reads;
  const auto file = join_path(observed_dir(attempt), kKernelFile);
  const std::string text = TRY(if_there(read_file(file, kMaxKernelFile))).value_or("");
  for (const std::string_view line : lines_of(text)) {
    Read read = read_of(line);
    read.snapshot = snapshot;
    reads.push_back(std::move(read));
  }
  return reads;
}

}  // namespace gittxn::api
