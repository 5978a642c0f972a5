#include "capture/interpret.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/bug.h"
#include "base/fs.h"
#include "base/hash.h"
#include "capture/agent_processes.h"
#include "capture/asked/asked.h"
#include "capture/channels.h"
#include "capture/git/git_reads.h"
#include "capture/housekeeping.h"
#include "capture/observer.h"
#include "capture/paths/other_checkout.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"
#include "capture/search_settings.h"
#include "capture/searches.h"
#include "capture/shown.h"
#include "capture/tool_digest.h"
#include "capture/union.h"
#include "questions/question.h"

namespace gittxn::capture {
namespace {

OwnWrites::Fate fate_of(const InterpretInput& input) {
  return input.thrown_away ? OwnWrites::Fate::kThrownAway : OwnWrites::Fate::kTaken;
}

constexpr std::size_t kMaxMountinfo = 16u << 20;
constexpr std::int64_t kShownByServer = -1;  // Process::shown, shown_files

std::string_view type_name(FileMode mode) {
  switch (mode) {
    case FileMode::kTree:
      return "directory";
    case FileMode::kLink:
      return "link";
    case FileMode::kSubmodule:
      return "submodule";
    default:
      return "file";
  }
}

// 0 when it is not known: then every file counts as changed since, and no socket as older.
std::int64_t trace_began_ns(const std::vector<std::string>& record_files) {
  return record_files.empty() ? 0 : born_ns(record_files.front());
}

class Interpreter {
 public:
  Interpreter(const repo::Objects& objects, const InterpretInput& input, const Oid& tree,
              Aliases aliases)
      : input_(input),
        log_(
            input.snapshot,
            [this](Process::Part part, ReadKind kind, std::string_view subject,
                   std::string_view op) { return housekeeping_.covers(part, kind, subject, op); },
            std::bind_front(&Observer::masked_listing, &observer_)),
        model_(objects, tree),
        resolver_(input.places, model_, std::move(aliases)),
        observer_({&objects, input.snapshot, input.base, &input.writes, fate_of(input)}, model_,
                  log_),
        other_(model_, log_, input.ignored, trace_began_ns(input.record_files)),
        git_(objects, input, model_, resolver_, observer_, log_),
        tools_(input.tool_cache_file),
        housekeeping_(input, model_, resolver_, tools_),
        searches_(objects, input, model_, observer_, log_),
        shown_(input, agents_),
        union_(objects, input.observations, agents_,
               {model_, resolver_, observer_, log_, searches_}),
        asked_(input, model_, searches_, log_),
        channels_(input.places.tree, trace_began_ns(input.record_files), model_, resolver_, log_) {}

  void run();
  Result<ReadSet> finish();

 private:
  void on(const Record& record);
  void forked(const Record& record);
  void executed(const Record& record);
  void on_path(const Record& record, Process& process);
  void in_the_tree(const Record& record, Process& process, const Resolved& at, const Resolved* to);
  void at_place(const Record& record, Process& process, const Resolved& at);
  void on_git_dir(const Record& record, Process& process, const std::string& rest);
  void on_common_git(const Record& record, Process& process, const std::string& rest);
  void on_objects(const Record& record, Process& process);
  void on_outside(const Record& record, Process& process, const std::string& real);
  bool is_worktree_path(std::string_view path) const;
  void watch_git(const Record& record, Process& process) const;
  void end(Process& process);
  void end_processes();
  void everything(Process& process, std::string_view why);
  Status digest_ignored();

  const InterpretInput& input_;
  ReadLog log_;
  TreeModel model_;
  PathResolver resolver_;
  Observer observer_;
  OtherCheckout other_;
  GitReads git_;
  ToolDigest tools_;
  Housekeeping housekeeping_;
  Searches searches_;
  AgentProcesses agents_;
  Shown shown_;
  Union union_;
  Asked asked_;
  Channels channels_;
  std::map<std::int32_t, Process> processes_;
  std::optional<Error> error_;
};

// ---- processes ----

void Interpreter::forked(const Record& record) {
  agents_.on_process(record);
  union_.on_process(record);
  shown_.forked(record);
  if (const auto old = processes_.find(record.pid); old != processes_.end()) {
    end(old->second);  // the number is used again
    processes_.erase(old);
  }
  Process child;
  if (const auto parent = processes_.find(record.parent); parent != processes_.end()) {
    child = parent->second;
    child.explained = true;  // by the parent, as long as it runs the same program
    child.held = nullptr;
  }
  child.pid = record.pid;
  child.parent = record.parent;
  child.part = Process::Part::kOther;
  housekeeping_.next(record, nullptr);
  asked_.forked(record, child.question);
  processes_[record.pid] = std::move(child);
}

void Interpreter::executed(const Record& record) {
  Process& process = processes_[record.pid];
  process.pid = record.pid;
  if (failed(record)) return on_path(record, process);
  agents_.on_process(record);
  union_.on_process(record);
  end(process);
  Process next;
  next.pid = record.pid;
  next.parent = process.parent;
  next.cwd = process.cwd;
  next.argv = argv_text(record.argv);
  const Resolved program = resolver_.resolve(record.path, LastLink::kFollow);
  const search::Vouched name = housekeeping_.vouches_for(record, program);
  next.part = housekeeping_.next(record, &program);
  next.question = asked_.started(record, program, name, process.question);
  const Shown::Numbers shown = shown_.started(record, program);
  next.shown = shown.names;
  next.shown_files = shown.files;
  next.printed = union_.is_server(next) ? kShownByServer : shown.printed;
  next.program = agents_.program(record.pid);
  next.edits = only_edits(record, program);
  next.git = program.place == Place::kOutside && is_git_program(record.path) &&
             !serves_worktree(record.path, record.argv);
  if (next.git) {
    // The missing arguments may say what it read.
    if (!record.argv_cut) next.use = parse_git(record.path, record.argv);
    // Only its sender can explain data that is sent to another process.
    const bool sends = process.git && process.use.is(kPushes) && next.use.command == "pack-objects";
    next.helper = process.explains_helpers() && !sends && !next.use.is(kServes);
    if (next.use.is(kMovesBase)) observer_.base_may_move();
  }
  next.parent_ours = process.git ? process.in_our_repository : process.parent_ours;
  process = std::move(next);
  process.held = searches_.begin(record, program, name);
  on_path(record, process);
}

// Everything was read, unless it turns out to be part of a search.
void Interpreter::everything(Process& process, std::string_view why) {
  if (process.held == nullptr) return git_.everything(process, why);
  process.held->everything.insert(why);
}

void Interpreter::end(Process& process) {
  const bool replaced =
      searches_.settle(process, [&](std::string_view why) { git_.everything(process, why); });
  if (replaced) process.explained = true;
  git_.explain(process);
}

// git says where it runs by where it looks for a repository first.
void Interpreter::watch_git(const Record& record, Process& process) const {
  constexpr std::string_view kName = "/.git";
  if (!process.started_in.empty() || !record.path.ends_with(kName)) return;
  process.started_in = record.path.substr(0, record.path.size() - kName.size());
  if (process.started_in.empty()) process.started_in = "/";
}

void Interpreter::end_processes() {
  for (auto& [pid, process] : processes_) end(process);
  processes_.clear();
  asked_.end_processes();
  git_.finish();
}

// ---- places ----

void Interpreter::on_objects(const Record& record, Process& process) {
  if (record.op != Op::kOpenRead || failed(record)) return;
  if (S_ISDIR(record.mode)) return;
  process.opened_objects = true;
  if (!process.git) everything(process, "the object store, read by another program than git");
}

void Interpreter::on_git_dir(const Record& record, Process& process, const std::string& rest) {
  if (rest.starts_with("objects/")) {
    if (rest != "objects/info/alternates") on_objects(record, process);
    return;
  }
  if (failed(record)) return;
  if (rest.starts_with("refs/") && changes_something(record)) git_.wrote_ref(rest);
  if (process.git) {
    if (rest == "HEAD" && process.use.is(kServes)) process.served = true;
    // HEAD says that this is the repository it works on; a failed look-up does not.
    if (rest == "HEAD" || content_open(record)) process.in_our_repository = true;
    if (rest == "index" && content_open(record)) process.opened_objects = true;
    return;
  }
  // A walk over the tree meets its directories, which the tree has none of; names alone give no
  // reference's value. A file that is read there counts.
  const bool directory = S_ISDIR(record.mode) || (record.flags & O_DIRECTORY) != 0 ||
                         INJECTED_BUG("interpret.git_files_are_directories");
  if (directory || !content_open(record)) return;
  if (rest == "index") {
    if (process.held != nullptr) process.held->opened_index = true;
    return everything(process, kReadIndex);
  }
  if (rest == "HEAD" || rest == "packed-refs" || rest.starts_with("refs/") ||
      rest.starts_with("logs/")) {
    git_.history(process, op_name(record.op));
  }
}

void Interpreter::on_common_git(const Record& record, Process& process, const std::string& rest) {
  if (rest.starts_with("objects/")) {
    if (process.held != nullptr && !process.git) process.held->spoiled = "it searched objects";
    return on_objects(record, process);
  }
  if (failed(record) || rest.starts_with("txn/") || rest == "txn") return;
  if (process.git && process.use.is(kServes)) {
    process.served = process.served || rest == "HEAD";
    return;
  }
  if (process.helper) return;
  const bool reads = content_open(record);
  const bool head = rest == "HEAD" || (rest.starts_with("worktrees/") && rest.ends_with("/HEAD"));
  if (process.git) {
    if (head && reads) process.in_other_checkout = true;
  } else if (reads && (rest == "index" || rest.ends_with("/index"))) {
    everything(process, "another checkout's index");
    if (process.held != nullptr) process.held->spoiled = "it searched another checkout's index";
  } else if (reads && (head || rest == "packed-refs" || rest.starts_with("refs/"))) {
    git_.history(process, op_name(record.op));
  }
  const bool wrote = record.op == Op::kOpenCreate || record.op == Op::kOpenWrite ||
                     record.op == Op::kRename || record.op == Op::kUnlink;
  if (wrote) {
    log_.note("wrote '" + rest + "' in the repository's own git directory: " + process.argv);
  }
}

void Interpreter::on_outside(const Record& record, Process& process, const std::string& real) {
  if (failed(record)) return;
  const bool makes = record.op == Op::kOpenCreate || record.op == Op::kSymlink;
  if (makes && process.use.is(kWritesFiles) && !real.ends_with(".lock")) process.exported = true;
  if (real.starts_with("/tmp/") || real.starts_with("/var/tmp/")) return;
  const bool script = record.path2 == "#!";
  if (script && process.held != nullptr) process.held->spoiled = "a script";
  if (script && process.git && record.path.find("/git-core/") == std::string::npos &&
      process.use.command != "submodule") {
    process.git = false;  // a script called git, which may do anything before it calls git
  }
  if (record.op == Op::kExec || (record.op == Op::kOpenRead && script)) {
    return tools_.add_program(real);
  }
  if (record.op != Op::kOpenRead || !(S_ISREG(record.mode) || record.mode == 0)) return;
  if (under_tool_prefix(real) || is_shared_library(real)) tools_.add_file(real);
}

void Interpreter::on_path(const Record& record, Process& process) {
  if (!record.path.starts_with('/')) return;
  // It looks in each directory on the way up whether that is a repository.
  const bool finds_none =
      process.git && !process.in_our_repository && failed(record) && record.path.ends_with("/HEAD");
  if (process.git) watch_git(record, process);
  if (finds_none) return;
  process.asked = process.git && content_open(record) && asks_for(process.use, record.path);
  if (process.quiet() && only_looks(record.op) && is_worktree_path(record.path)) return;
  const LastLink last = keeps_last_link(record) ? LastLink::kKeep : LastLink::kFollow;
  const Resolved at = resolver_.resolve(record.path, last);
  std::optional<Resolved> to;
  if (has_second_path(record.op) && record.path2.starts_with('/')) {
    to = resolver_.resolve(record.path2, LastLink::kKeep);
  }
  const bool other = at.place == Place::kTree || at.place == Place::kOutside;
  if (process.git && other && record.result >= 0 && content_open(record) &&
      record.path.ends_with("/HEAD")) {
    process.in_other_repository = true;
  }
  if (!process.lists_for_itself(record)) asked_.on_path(record, process, at, to ? &*to : nullptr);
  shown_.on_path(record, at, to ? &*to : nullptr);
  resolver_.replay(record, at, to ? &*to : nullptr);
  if (record.op == Op::kWasLink) return;
  if (!at.lost.empty()) {
    log_.unknown("a link outside the worktree that is gone, and nobody knows where it led: " +
                 at.lost);
  }
  channels_.passes_bytes(record, at, to ? &*to : nullptr);
  const bool in_tree = at.place == Place::kTree || (to && to->place == Place::kTree);
  const bool looks = only_looks(record.op) || record.op == Op::kChdir;
  if (process.held != nullptr && in_tree && !looks) process.held->spoiled = "it writes";
  const bool sets = !looks && !in_tree && is_search_setting(record.path);
  if (sets && !housekeeping_.is_own_git(process.part, record.path)) searches_.settings_changed();
  if (in_tree) {
    in_the_tree(record, process, at, to ? &*to : nullptr);
  } else {
    observer_.followed(at.links, process, op_name(record.op));
  }
  at_place(record, process, at);
  if (to) at_place(record, process, *to);
}

void Interpreter::in_the_tree(const Record& record, Process& process, const Resolved& at,
                              const Resolved* to) {
  const std::int64_t files = process.shown_files;
  if (files == 0 && union_.is_file_of_call(record, process, at)) {
    const bool server = union_.is_server(process);
    process.shown_files = server ? kShownByServer : shown_.by_itself(process.pid);
  }
  if (union_.explains(record, process, at)) {
    observer_.followed(at.links, process, op_name(record.op));
  } else {
    HeldLooks* const served = union_.looks_of(record, process);
    if (served != nullptr) process.held = served;
    if (union_.lists_for_agent(record, process, at)) process.shown = kShownByServer;
    observer_.on(record, process, at, to);
    if (process.shown == kShownByServer) process.shown = 0;
    if (served != nullptr) process.held = nullptr;
  }
  process.shown_files = files;
}

void Interpreter::at_place(const Record& record, Process& process, const Resolved& at) {
  switch (at.place) {
    case Place::kGitDir:
      return on_git_dir(record, process, at.rest);
    case Place::kCommonGit:
      return on_common_git(record, process, at.rest);
    case Place::kOtherTxn:
    case Place::kCheckout:
      if (auto status = other_.on(record, process, at); !status && !error_) {
        error_ = std::move(status).error();
      }
      return;
    case Place::kOutside:
      return on_outside(record, process, at.real);
    case Place::kTree:
    case Place::kPseudo:
    case Place::kLoop:
      return;
  }
}

// Spelt as a path in the tree and not in its git directory; others take the long way.
bool Interpreter::is_worktree_path(std::string_view path) const {
  const std::string& tree = input_.places.tree;
  if (!path.starts_with(tree)) return false;
  path.remove_prefix(tree.size());
  return path.starts_with('/') && !path.starts_with("/.git") && path.find("/.") == path.npos;
}

void Interpreter::on(const Record& record) {
  asked_.next(record);
  switch (record.op) {
    case Op::kFork:
      return forked(record);
    case Op::kExec:
      return executed(record);
    case Op::kExit:
      return asked_.ended(record);
    case Op::kNote:
      return log_.note(record.path);
    case Op::kBlind:
      return log_.unknown(record.path);
    case Op::kMount:
      if (!failed(record)) {
        log_.unknown("mounts were changed (" + record.path2 + "), paths may mean something else");
      }
      return;
    default:
      break;
  }
  Process& process = processes_[record.pid];
  process.pid = record.pid;
  if (record.op == Op::kConnect) {
    asked_.connected(record, process);
    return channels_.connected(record, process);
  }
  if (record.op == Op::kChdir && !failed(record)) {
    process.cwd = record.path;
  }
  on_path(record, process);
}

// ---- the whole ----

void Interpreter::run() {
  if (input_.record_files.empty()) log_.unknown("nothing was traced");
  for (const std::string& file : input_.record_files) {  // errors are told below
    static_cast<void>(read_telling_records(file, [this](const Record& record) {
      resolver_.foresee(record);
      housekeeping_.foresee(record);
    }));
  }
  resolver_.start_over();
  housekeeping_.start_over();
  for (const std::string& file : input_.record_files) {
    const auto summary = read_records(file, [this](const Record& record) { on(record); });
    end_processes();
    if (!summary) {
      log_.unknown("no trace: " + summary.error().message);
    } else if (!summary->complete) {
      log_.unknown(summary->reason.empty() ? "the trace is not complete" : summary->reason);
    }
  }
  observer_.finish();
  union_.finish();
}

Status Interpreter::digest_ignored() {
  for (const std::string& path : observer_.found_files()) {
    if (input_.ignored && TRY(input_.ignored(path))) {
      const std::string file =
          input_.on_disk ? TRY(input_.on_disk(path)) : join_path(input_.places.tree, path);
      tools_.add_file_as("tree:" + path, file);
    }
  }
  return {};
}

Result<ReadSet> Interpreter::finish() {
  TRY(digest_ignored());
  if (model_.error()) return std::unexpected(*model_.error());
  if (error_) return std::unexpected(*error_);
  const Digest tools = TRY(tools_.finish());
  log_.add(ReadKind::kEnvironment, "tools", tools.str(), {.op = "exec"});
  const auto alone = [this](std::int64_t number) {
    return number == kShownByServer || shown_.to_agent_alone(number);
  };
  log_.settle_shown(alone);
  ReadSet set = log_.finish([this](std::vector<Read>& reads) { return asked_.finish(reads); });
  const auto computes_nothing = [&](const ReadLog::OwnLook& look) {
    return agents_.is_itself(look.program) || alone(look.shown) || asked_.is_run(look.question);
  };
  log_.settle_own(computes_nothing, set);
  set.no_questions = asked_.others(set.reads);
  set.tool_env_digest = tools;
  return set;
}

}  // namespace

Digest listing_digest(std::vector<repo::NamedEntry> entries) {
  std::ranges::sort(entries, [](const auto& a, const auto& b) { return a.name < b.name; });
  Sha256 hash;
  for (const repo::NamedEntry& entry : entries) {
    hash.update(sha256_fields({entry.name, type_name(entry.entry.mode)}).str());
  }
  return hash.finish();
}

Result<ReadSet> interpret(const repo::Objects& objects, const InterpretInput& input) {
  const Oid tree = TRY_IN("reading the snapshot", objects.tree_of(input.snapshot));
  const auto mounts = read_file("/proc/self/mountinfo", kMaxMountinfo);
  Interpreter interpreter(objects, input, tree,
                          bind_aliases(mounts ? *mounts : "", input.places.tree));
  interpreter.run();
  return interpreter.finish();
}

}  // namespace gittxn::capture
