#include "capture/union.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/bug.h"
#include "base/fs.h"
#include "base/text.h"
#include "capture/lines.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kNamed = 10;  // paths in a note
constexpr std::size_t kMaxBlob = 64u << 20;
// A look of a server may be on record after the call it was made for: whoever records looks of many
// processes is behind on a busy machine. Nothing is lost by waiting, as a server opens nothing
// else.
constexpr std::int64_t kServersAreLateMs = 5'000;

auto identity(const Observed& one) {
  return std::tie(one.session, one.call, one.what, one.path, one.lines.first, one.lines.count,
                  one.query);
}

bool names_lines(const Observed& one) {
  return one.what == Observed::What::kFile && (one.lines.count > 0 || one.lines.first > 1);
}

bool is_served_search(const Observed& one) {
  return one.what == Observed::What::kSearch && one.source == ReadSource::kMcp;
}

}  // namespace

std::vector<Observed> joined(std::vector<Observed> observed) {
  // Stable: of equally good sources the first stays. Calls without an id are never joined.
  std::ranges::stable_sort(observed, [](const Observed& a, const Observed& b) {
    return std::pair(identity(a), a.source) < std::pair(identity(b), b.source);
  });
  std::vector<Observed> kept;
  for (Observed& one : observed) {
    const bool same =
        !kept.empty() && !one.call.empty() && identity(kept.back()) == identity(one) &&
        (kept.back().source == ReadSource::kDeclared) == (one.source == ReadSource::kDeclared);
    if (!same) {
      kept.push_back(std::move(one));
      continue;
    }
    Observed& best = kept.back();
    if (best.start_ms == 0) best.start_ms = one.start_ms;
    if (best.end_ms == 0) best.end_ms = one.end_ms;
    if (best.cwd.empty()) best.cwd = one.cwd;
    if (best.agent.empty()) best.agent = one.agent;
    if (best.tool.empty()) best.tool = one.tool;
  }
  return kept;
}

void Union::on_process(const Record& record) {
  if (observed_.empty()) return;
  servers_.erase(record.pid);
  if (record.op == Op::kFork) return;
  if (serves_worktree(record.path, record.argv)) servers_.insert(record.pid);
}

Resolved Union::place_of(const Observed& one) {
  const bool absolute = one.path.starts_with('/');
  if (!absolute && one.cwd.empty()) return {};  // outside, which says nothing
  return resolver_.resolve(absolute ? one.path : join_path(one.cwd, one.path), LastLink::kFollow);
}

// The call during which the file was looked at, and of which this may be the one open.
const Observed* Union::call_of(const Record& record, const Process& process,
                               const std::string& path) {
  const bool server = servers_.contains(process.pid);
  for (const Observed& one : observed_) {
    if (!names_lines(one) || one.start_ms == 0) continue;
    if (one.source == ReadSource::kDeclared && !server) continue;
    const std::int64_t end_ms = one.end_ms + (server ? kServersAreLateMs : 0);
    const bool during = one.start_ms <= record.time_ms && record.time_ms <= end_ms;
    const bool opened = used_.contains(&one) && record.op == Op::kOpenRead;
    if (!during || (opened && !server)) continue;
    const Resolved at = place_of(one);
    if (at.place == Place::kTree && at.node != nullptr && model_.path_of(*at.node) == path) {
      return &one;
    }
  }
  return nullptr;
}

bool Union::read_lines(const Observed& one, const Node& node, const Process& process) {
  if (!searches_.has_blob_lines(node.snapshot_path())) return false;
  const auto text = objects_.blob(node.entry().oid, kMaxBlob);
  if (!text) return false;
  const LineSpan lines = lines_in(*text, one.lines);
  Read read =
      read_of(one, ReadKind::kContent, node.snapshot_path(), lines_digest(*text, lines).str());
  read.lines = lines;
  read.pid = process.pid;
  read.argv = process.argv;
  read.explains = process.pid == 0 ? 0 : 1;
  log_.add(std::move(read));
  used_.insert(&one);
  return true;
}

bool Union::explains(const Record& record, const Process& process, const Resolved& at) {
  if (observed_.empty() || record.time_ms == 0 || record.result < 0) return false;
  const bool opens = record.op == Op::kOpenRead;
  if (!opens && record.op != Op::kStat && record.op != Op::kAccess) return false;
  if (process.git || process.held != nullptr) return false;
  const bool server = servers_.contains(process.pid);
  if (!server && !agents_.reports(process.pid)) return false;
  // One that was repeated is not one, whichever of them the call made.
  if (opens && record.again && !server) return false;
  if (at.place != Place::kTree || at.node == nullptr) return false;
  const Node& node = *at.node;
  if (node.origin != Origin::kSnapshot || node.directory() || node.link()) return false;
  const std::string path = model_.path_of(node);
  if (path != node.snapshot_path() || observer_.changed_in_place(path)) return false;
  const Observed* const call = call_of(record, process, path);
  if (call == nullptr) return false;
  if (opens && !read_lines(*call, node, process)) return false;
  if (opens && server) in_part_.emplace(path, node.entry().oid);
  if (opens) return true;
  // What it is, and not how large or how new: of that the agent is shown the lines it asked for.
  log_.add(ReadKind::kMetadata, path, mode_text(node.entry_mode()),
           {.process = &process, .op = op_name(record.op)});
  return true;
}

bool Union::lists_for_agent(const Record& record, const Process& process, const Resolved& at) {
  if (record.op != Op::kList || !servers_.contains(process.pid) || at.node == nullptr) return false;
  return std::ranges::any_of(observed_, [&](const Observed& one) {
    return one.shown && one.start_ms <= record.time_ms &&
           record.time_ms <= one.end_ms + kServersAreLateMs && place_of(one).node == at.node;
  });
}

bool Union::is_file_of_call(const Record& record, const Process& process, const Resolved& at) {
  if (observed_.empty() || process.git || at.place != Place::kTree || at.node == nullptr ||
      at.node->directory()) {
    return false;
  }
  const auto of_file = [](const Observed& one) {
    return one.shown && one.what == Observed::What::kFile;
  };
  if (is_server(process)) {
    return std::ranges::any_of(observed_, [&](const Observed& one) {
      return of_file(one) && one.start_ms <= record.time_ms &&
             record.time_ms <= one.end_ms + kServersAreLateMs && place_of(one).node == at.node;
    });
  }
  if (!shown_files_) {
    shown_files_.emplace();
    for (const Observed& one : observed_) {
      const Resolved place = of_file(one) ? place_of(one) : Resolved{};
      if (place.place != Place::kTree) continue;
      shown_files_->insert(place.node != nullptr ? model_.path_of(*place.node) : place.missing);
    }
  }
  return !shown_files_->empty() && shown_files_->contains(model_.path_of(*at.node));
}

HeldLooks* Union::looks_of(const Record& record, const Process& process) {
  if (!servers_.contains(process.pid) || process.held != nullptr) return nullptr;
  const bool asked = std::ranges::any_of(observed_, [&](const Observed& one) {
    return is_served_search(one) && one.start_ms <= record.time_ms &&
           record.time_ms <= one.end_ms + kServersAreLateMs;
  });
  if (!asked || record.time_ms == 0 || INJECTED_BUG("union.served_as_files")) return nullptr;
  if (server_.pid == 0) server_ = process;
  return &held_;
}

void Union::answer_served() {
  std::vector<bool> explained(held_.looks.size());
  bool all = true;
  for (const Observed& one : observed_) {
    if (!is_served_search(one)) continue;
    Read made = read_of(one, ReadKind::kSearch, "", "");
    all = searches_.answer(one.query, held_, std::move(made), &explained) && all;
  }
  for (std::size_t i = 0; i < held_.looks.size(); ++i) {
    if (!all || !explained[i]) log_.release(held_.looks[i], server_);
  }
  if (all) return;
  for (const auto& [path, blob] : in_part_) {
    log_.add(ReadKind::kContent, path, blob.str(), {.process = &server_, .op = "open"});
  }
}

Read Union::read_of(const Observed& one, ReadKind kind, std::string subject,
                    std::string digest) const {
  Read read;
  read.kind = kind;
  read.subject = std::move(subject);
  read.digest = std::move(digest);
  read.source = one.source;
  read.snapshot = log_.snapshot();
  read.op = "tool call";
  read.session = one.session;
  read.agent = one.agent;
  read.call = one.call;
  if (one.shown) read.reader = ReaderClass::kShown;
  read.tool = one.tool;
  return read;
}

void Union::add_node(const Observed& one, Node& node) {
  // What the transaction or git wrote is no read, or one that the trace has; of what is there and
  // in no commit nothing can be said.
  if (node.origin != Origin::kSnapshot || node.snapshot_path() != model_.path_of(node)) return;
  const std::string path = node.snapshot_path();
  if (one.what == Observed::What::kDirectory) {
    if (!node.directory() || node.entry_mode() != FileMode::kTree) return;
    log_.add(
        read_of(one, ReadKind::kListing, path, observer_.masked_listing(node.entry().oid, path)));
    return;
  }
  if (one.what != Observed::What::kFile || node.directory()) return;
  if (names_lines(one) && read_lines(one, node, Process{})) return;
  log_.add(read_of(one, ReadKind::kContent, path, node.entry().oid.str()));
}

void Union::add(const Observed& one) {
  if (one.what == Observed::What::kUrl) {
    Read read = read_of(one, ReadKind::kExternal, one.path, "");
    read.strength = Strength::kSoft;
    log_.add(std::move(read));
    return;
  }
  if (one.what == Observed::What::kSearch) return;  // served: with what was opened for it
  const Resolved at = place_of(one);
  if (at.place != Place::kTree) return;
  if (at.node != nullptr) return add_node(one, *at.node);
  if (at.missing.empty()) return;
  const TreeEntry entry = model_.snapshot_entry(at.missing);
  const bool file = entry.present() && entry.mode != FileMode::kTree;
  if (one.what == Observed::What::kFile && file) {  // read, and removed since
    log_.add(read_of(one, ReadKind::kContent, at.missing, entry.oid.str()));
  } else if (one.what == Observed::What::kAbsent && !entry.present() && !at.removed) {
    log_.add(read_of(one, ReadKind::kAbsence, at.missing, ""));
  }
}

// A question about a root that no process's looks can be laid beside.
void Union::add_search(const Observed& one, const std::string& root) {
  Read made = read_of(one, ReadKind::kSearch, root, "");
  if (auto query = search::query_from_text(one.query)) {
    const bool file = model_.snapshot_entry(root).mode != FileMode::kTree;
    query->roots = {{root, root}};
    query->cwd = file ? "" : root;
    const std::string whole = search::query_text(*query);
    if (searches_.answer(whole, HeldLooks{}, made, nullptr)) return;
  }
  observer_.path_contents(root, {.op = "declared", .source = one.source});
}

void Union::add_declared_file(const Observed& one, const std::string& path, const TreeEntry& entry,
                              Node* node) {
  const bool still = node != nullptr && node->origin == Origin::kSnapshot &&
                     node->snapshot_path() == path && !observer_.changed_in_place(path) &&
                     !observer_.own_path(path);
  if (names_lines(one)) {
    const auto text = objects_.blob(entry.oid, kMaxBlob);
    const std::int64_t count = text ? line_count(*text) : 0;
    const std::int64_t last = one.lines.first + std::max<std::int64_t>(one.lines.count, 1) - 1;
    if (text && last > count) {
      log_.note(
          fmt::format("lines were declared behind the end of '{}', which has {}: that there "
                      "are none counts as read",
                      path, count));
    }
    if (still && read_lines(one, *node, Process{})) return;
  }
  log_.add(read_of(one, ReadKind::kContent, path, entry.oid.str()));
}

// Read from the snapshot, whether or not anybody opened it, and whatever the transaction has made
// of it since.
void Union::add_declared(const Observed& one) {
  const Resolved at = place_of(one);
  if (at.place != Place::kTree) {
    return log_.note("declared, and not in the worktree, so it is not checked: " + one.path);
  }
  observer_.followed(at.links, Process{}, "declared");
  const std::string path = at.node != nullptr ? model_.path_of(*at.node) : at.missing;
  if (one.what == Observed::What::kSearch) return add_search(one, path);
  const TreeEntry entry = model_.snapshot_entry(path);
  const bool absent = one.what == Observed::What::kAbsent;
  if (!entry.present()) {
    // A file that it made itself was not there before: that much is certain.
    if (!absent && at.node == nullptr) {
      log_.note("declared, and not there; that counts as read: " + path);
    }
    return log_.add(read_of(one, ReadKind::kAbsence, path, ""));
  }
  if (absent && !at.removed) log_.note("declared to be absent, and it is there: " + path);
  if (entry.mode == FileMode::kTree) {
    return log_.add(
        read_of(one, ReadKind::kListing, path, observer_.masked_listing(entry.oid, path)));
  }
  add_declared_file(one, path, entry, at.node);
}

// Notes the files that were opened and not declared, and nothing else.
void Union::check_declared() {
  std::set<std::string> declared;
  for (const Observed& one : observed_) {
    if (one.source != ReadSource::kDeclared || one.what != Observed::What::kFile) continue;
    const Resolved at = place_of(one);
    if (at.place != Place::kTree) continue;
    declared.insert(at.node != nullptr ? model_.path_of(*at.node) : at.missing);
  }
  if (declared.empty()) return;
  std::set<std::string> opened;
  for (const Read& read : log_.reads()) {
    if (read.kind == ReadKind::kContent && read.source != ReadSource::kDeclared) {
      opened.insert(read.subject);
    }
  }
  std::vector<std::string> only_opened;
  std::set_difference(opened.begin(), opened.end(), declared.begin(), declared.end(),
                      std::back_inserter(only_opened));
  if (!only_opened.empty()) log_.note("opened and never declared: " + listed(only_opened, kNamed));
}

void Union::finish() {
  for (const Observed& one : observed_) {
    const bool declared = one.source == ReadSource::kDeclared && one.what != Observed::What::kUrl;
    if (declared && INJECTED_BUG("union.declared_is_a_hint")) continue;
    if (!used_.contains(&one)) declared ? add_declared(one) : add(one);
  }
  answer_served();
  check_declared();
}

}  // namespace gittxn::capture
