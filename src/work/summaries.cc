#include "work/summaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "agents/hook_log.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "land/judge/summaries.h"
#include "store/events.h"
#include "store/summaries.h"
#include "txn/attempt.h"

namespace gittxn::api {

namespace events = store::events;

namespace {

FAILPOINT(fp_stored, "api.summary.stored");

constexpr const char* kRequests = "summaries.jsonl";
constexpr std::size_t kMaxRequests = 1000;
constexpr std::size_t kMaxPaths = 10'000;
constexpr int kRequestVersion = 1;

std::string text_file(const std::string& observed, const Digest& body) {
  return join_path(observed, "summary." + body.str());
}

Status check_text(const SummaryRequest& request) {
  TRY(check_summary_name(request.name));
  if (request.text.empty()) return fail(Code::kUsage, "the summary is empty");
  if (request.text.size() > kMaxSummaryBytes) {
    return fail(Code::kUsage, "a summary has at most 1 MiB", "summarise it more");
  }
  if (request.paths.size() > kMaxPaths) return fail(Code::kUsage, "more than 10,000 paths");
  return {};
}

// Repository paths of what somebody in `cwd` calls them; nothing is looked up on disk.
Result<std::vector<std::string>> below(const std::string& top, const std::string& cwd,
                                       const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name;
    const bool odd = path.empty() || path.find('\0') != std::string::npos;
    if (odd || !path_below(normal_path(join_path(cwd, path)), top, &name)) {
      return fail(Code::kRefused, fmt::format("'{}' is not in the worktree {}", path, top),
                  "name files or directories of the repository");
    }
    names.push_back(std::move(name));
  }
  return names;
}

struct Request {
  std::string name;
  Digest body;
  std::vector<std::string> from;
};

void fields(FieldIo& io, Request& request) {
  int version = kRequestVersion;
  io.thing("request for a summary");
  io.integer("v", version);
  io.text("name", request.name);
  io.name("body", request.body);
  io.texts("from", request.from);
  if (version != kRequestVersion) io.wrong("v", "a request of another version");
}

Result<Request> request_from_json(const Json& json) {
  Request request = TRY(read_fields<Request>(json));
  const std::string& hex = request.body.str();
  const bool digest =
      hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!digest) return fail(Code::kCorrupt, "a request that makes no sense");
  TRY(check_summary_name(request.name));
  return request;
}

// Does the look-ups of summaries, of one commit's tree after the other.
class Sources {
 public:
  Sources(const repo::Objects& objects, Oid tree) : objects_(objects), tree_(std::move(tree)) {}

  // Everything at and below a path; a file is its content.
  Status add_path(const std::string& path, const Oid& tree) {
    const TreeEntry entry =
        path.empty() ? TreeEntry{FileMode::kTree, tree} : TRY(objects_.entry_at(tree, path));
    ReadKind kind = ReadKind::kContent;
    if (entry.mode == FileMode::kTree) kind = ReadKind::kTree;
    if (!entry.present()) kind = ReadKind::kAbsence;
    return add(kind, path, tree);
  }

  // What an attempt read, and what it made of it.
  Status add_attempt(const store::Store& store, const Attempt& attempt, const ReadSet& reads) {
    const Changes writes = TRY(recorded_writes(store, attempt));
    for (const PathChange& change : writes) own_.push_back(change.path);
    for (const Read& read : reads.reads) TRY(add_read(store, read));
    for (const PathChange& change : files_of(writes)) TRY(add_path(change.path, tree_));
    return {};
  }

  std::vector<SummarySource> take() { return std::move(sources_); }
  std::size_t count() const { return sources_.size(); }

 private:
  // Its own paths are as it left them; everything else as it was when it was read. Where the two
  // differ it is another's change, and the summary is stale from the first.
  bool is_own(const std::string& path) const {
    return std::any_of(own_.begin(), own_.end(), [&](const std::string& own) {
      return path_below(own, path, nullptr) || path.empty() || path_below(path, own, nullptr);
    });
  }

  Status add_read(const store::Store& store, const Read& read) {
    const auto tree = [&]() -> Result<Oid> {
      if (read.snapshot.empty() || is_own(read.subject)) return tree_;
      return objects_.tree_of(read.snapshot);
    };
    switch (read.kind) {
      case ReadKind::kContent:
      case ReadKind::kMetadata:
      case ReadKind::kAbsence:
      case ReadKind::kListing:
      case ReadKind::kTree:
        return add(read.kind, read.subject, TRY(tree()));
      case ReadKind::kSearch:  // it looked at no more than this; its rules are reads of their own
        return add_path(read.subject, TRY(tree()));
      case ReadKind::kSummary: {  // and all that the other was made from
        const Summary other = TRY(land::load_summary(store, Digest(read.digest)));
        sources_.insert(sources_.end(), other.sources.begin(), other.sources.end());
        return {};
      }
      case ReadKind::kRef:
      case ReadKind::kKernel:
      case ReadKind::kEnvironment:
      case ReadKind::kExternal:
        return {};  // of no tree
    }
    return add(ReadKind::kTree, "", tree_);  // a kind that is not known here: everything
  }

  Status add(ReadKind kind, const std::string& path, const Oid& tree) {
    if (sources_.size() >= kMaxSummarySources) {
      return fail(Code::kUsage, "a summary of more than 100,000 sources", "name directories");
    }
    sources_.push_back({kind, path, TRY(land::look_up(objects_, tree, kind, path))});
    return {};
  }

  const repo::Objects& objects_;
  Oid tree_;
  std::vector<std::string> own_;
  std::vector<SummarySource> sources_;
};

Result<Digest> store_summary(State& state, Summary summary, const std::string& text,
                             const TxnId& txn) {
  store::Store* store = TRY(state.writing());
  summary.body = TRY(store->put_artifact(text));
  summary.bytes = static_cast<std::int64_t>(text.size());
  const Digest manifest = TRY(store->put_artifact(manifest_text(summary)));
  TRY(fp_stored.hit());
  TRY(store->append({events::summary_added({summary.name, manifest, txn})}));
  return manifest;
}

// One request of a transaction that is over; the result says why not, for a person.
Status publish(State& state, const Txn& txn, const std::string& observed, const Oid& tree,
               const Json& line) {
  const Request request = TRY(request_from_json(line));
  const std::string text = TRY(read_file(text_file(observed, request.body), kMaxSummaryBytes));
  if (sha256(text) != request.body) return fail(Code::kCorrupt, "its text was changed");
  const Attempt& attempt = txn.attempts.back();
  Sources sources(state.repository.objects(), tree);
  for (const std::string& path : request.from) TRY(sources.add_path(path, tree));
  if (request.from.empty()) {
    const ReadSet reads = TRY(recorded_reads(*state.store, txn.id, attempt));
    if (!reads.complete) {
      return fail(Code::kUsage, "what it read is unknown: " + reads.unknown_reason);
    }
    TRY(sources.add_attempt(*state.store, attempt, reads));
  }
  if (sources.count() == 0) return fail(Code::kUsage, "it was made from nothing");
  TRY(store_summary(state, {request.name, {}, 0, txn.id.str(), sources.take()}, text, txn.id));
  return {};
}

Result<SummaryLine> line_of(State& state, const store::StoredSummary& found, const Oid& tree) {
  SummaryLine line{TRY(land::load_summary(*state.store, found.manifest)), found.manifest,
                   found.time, true};
  line.stale = TRY(land::first_stale(state.repository.objects(), tree, line.summary));
  return line;
}

// The tree that a summary is judged against: inside a transaction, its snapshot.
Result<Oid> tree_to_judge(State& state, const std::optional<std::string>& onto) {
  const repo::Objects& objects = state.repository.objects();
  const std::string inside = state.host.variable("GIT_TXN_ID");
  if (!state.host.variable("GIT_TXN_OBSERVED").empty() && !inside.empty()) {
    const Txn txn = TRY(state.find(inside));
    return objects.tree_of(TRY(snapshot_of(state, txn)));
  }
  return objects.tree_of(TRY(state.seen(TRY(state.target(onto)))));
}

// The newest of each name.
Result<std::map<std::string, store::StoredSummary>> stored(State& state) {
  std::map<std::string, store::StoredSummary> all;
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return all;
  for (store::StoredSummary& one : TRY(store::summaries(*store))) all[one.name] = std::move(one);
  return all;
}

std::unexpected<Error> no_such(const std::string& name) {
  return fail(Code::kUsage, fmt::format("there is no summary '{}'", name),
              "git txn summary list names them");
}

}  // namespace

Status request_summary(const Host& host, const SummaryRequest& request) {
  TRY(check_text(request));
  if (request.reads_of) {
    return fail(Code::kUsage, "inside a transaction a summary is of what that transaction reads",
                "leave out --reads-of");
  }
  const std::string observed = host.variable("GIT_TXN_OBSERVED");
  if (observed.empty()) return fail(Code::kUsage, "this is not inside a transaction");
  const std::string top = TRY(real_path(join_path(parent_dir(observed), "tree")));
  const std::vector<std::string> from = TRY(below(top, host.cwd, request.paths));
  const Digest body = sha256(request.text);
  TRY(write_file(text_file(observed, body), request.text, Sync::kYes));
  const std::string line = canonical_text(field_list(Request{request.name, body, from}));
  return append_line_durable(join_path(observed, kRequests), line);
}

Status publish_summaries(State& state, const Txn& txn, std::vector<std::string>& notes) {
  const bool over = txn.state == TxnState::kLanded || txn.state == TxnState::kNothing;
  if (!over || txn.attempts.empty() || txn.attempts.back().worktree.empty()) return {};
  const Attempt& attempt = txn.attempts.back();
  const std::string observed = observed_dir(attempt);
  const auto text = read_file(join_path(observed, kRequests), 64u << 20);
  if (!text && text.error().code == Code::kNotFound) return {};
  const auto refused = [&](const std::string& what, const Error& error) {
    notes.push_back(fmt::format("{} was not stored: {}", what, error.message));
  };
  if (!text) {
    refused("a summary", text.error());
    return {};
  }
  const Oid& commit = txn.state == TxnState::kLanded ? txn.landed_commit : attempt.base;
  const Oid tree = TRY(state.repository.objects().tree_of(commit));
  std::size_t count = 0;
  for (const std::string_view line : lines_of(*text)) {
    if (line.empty() || ++count > kMaxRequests) continue;
    const auto json = parse_json(line);
    if (!json) {
      refused("a summary", json.error());
      continue;
    }
    const Status done = publish(state, txn, observed, tree, *json);
    if (done) continue;
    // A request that makes no sense is its agent's; a store that fails is ours.
    const bool theirs = done.error().code == Code::kUsage || done.error().code == Code::kCorrupt ||
                        done.error().code == Code::kNotFound;
    if (!theirs) return done;
    refused("a summary that " + txn.id.str() + " made", done.error());
  }
  return {};
}

Result<SummaryLine> add_summary(State& state, const SummaryRequest& request) {
  TRY(refuse_inside(state.host, "summary add"));
  TRY(check_text(request));
  if (request.paths.empty() == !request.reads_of) {
    return fail(Code::kUsage, "a summary is made from paths, or from what one transaction read",
                "name paths, or --reads-of ID");
  }
  store::Store* store = TRY(state.writing());
  const repo::Objects& objects = state.repository.objects();
  Oid commit = TRY(state.seen(TRY(state.target(request.onto))));
  std::optional<Txn> txn;
  ReadSet reads;
  if (request.reads_of) {
    txn = TRY(state.find(*request.reads_of));
    const bool taken = !txn->attempts.empty() && !txn->attempts.back().reads.empty();
    if (taken) reads = TRY(recorded_reads(*store, txn->id, txn->attempts.back()));
    if (!taken || !reads.complete) {
      return fail(Code::kUsage,
                  fmt::format("what {} read is not known{}", txn->id.str(),
                              taken ? ": " + reads.unknown_reason : " yet"),
                  "name paths instead");
    }
    commit = work_of(*txn);
  }
  const Oid tree = TRY(objects.tree_of(commit));
  Sources sources(objects, tree);
  const std::string top = state.repository.place().worktree.value_or(state.host.cwd);
  const std::vector<std::string> names = TRY(below(top, state.host.cwd, request.paths));
  for (const std::string& path : names) {
    const TreeEntry entry =
        path.empty() ? TreeEntry{FileMode::kTree, {}} : TRY(objects.entry_at(tree, path));
    if (!entry.present()) {
      return fail(Code::kUsage, fmt::format("there is no '{}' on the branch", path),
                  "commit it first; a summary is made from what is committed");
    }
    TRY(sources.add_path(path, tree));
  }
  if (txn) TRY(sources.add_attempt(*store, txn->attempts.back(), reads));
  if (sources.count() == 0) return fail(Code::kUsage, txn->id.str() + " has read nothing");
  Summary summary{request.name, {}, 0, TRY(state.caller()), sources.take()};
  const Digest manifest = TRY(store_summary(state, std::move(summary), request.text, TxnId()));
  return SummaryLine{TRY(land::load_summary(*store, manifest)), manifest,
                     format_utc(state.host.clock->wall_ms())};
}

Result<std::vector<SummaryLine>> summaries(State& state, const std::optional<std::string>& onto,
                                           const std::vector<std::string>& names) {
  const auto all = TRY(stored(state));
  for (const std::string& name : names) {
    if (!all.contains(name)) return no_such(name);
  }
  std::vector<SummaryLine> lines;
  if (all.empty()) return lines;
  const Oid head = TRY(state.seen(TRY(state.target(onto))));
  const Oid tree = TRY(state.repository.objects().tree_of(head));
  for (const auto& [name, found] : all) {
    const bool wanted = names.empty() || std::ranges::find(names, name) != names.end();
    if (wanted) lines.push_back(TRY(line_of(state, found, tree)));
  }
  return lines;
}

Result<ShownSummary> summary(State& state, const std::string& name,
                             const std::optional<std::string>& onto, IfStale if_stale) {
  const auto all = TRY(stored(state));
  const auto found = all.find(name);
  if (found == all.end()) return no_such(name);
  const std::string observed = state.host.variable("GIT_TXN_OBSERVED");
  const Oid tree = TRY(tree_to_judge(state, onto));
  ShownSummary shown{TRY(line_of(state, found->second, tree)), std::nullopt};
  if (shown.line.stale && if_stale == IfStale::kRefuse) return shown;
  shown.text = TRY(state.store->artifact(shown.line.summary.body));
  if (observed.empty()) return shown;
  agents::Observation one;
  one.source = ReadSource::kDeclared;
  one.cwd = state.host.cwd;
  one.tool = "summary show";
  one.start_ms = one.end_ms = state.host.clock->wall_ms();
  one.outcome = shown.line.stale ? agents::Outcome::kFailed : agents::Outcome::kDone;
  one.detail = agents::SummaryUse{name, shown.line.digest.str()};
  const std::string line = TRY(agents::log_line_of(one));
  TRY_IN("recording that it was shown",
         agents::append_to_hook_log(join_path(observed, "declared.jsonl"), line));
  return shown;
}

Status remove_summary(State& state, const std::string& name) {
  TRY(refuse_inside(state.host, "summary remove"));
  const auto all = TRY(stored(state));
  if (!all.contains(name)) return no_such(name);
  store::Store* store = TRY(state.writing());
  const auto removed = store->append({events::summary_removed(name, TRY(state.caller()))});
  if (!removed && removed.error().code == Code::kStale) return no_such(name);  // somebody else did
  if (!removed) return std::unexpected(removed.error());
  return {};
}

}  // namespace gittxn::api
