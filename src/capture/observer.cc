#include "capture/observer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/fs.h"
#include "capture/interpret.h"

namespace gittxn::capture {
namespace {

constexpr int kMaxDepth = 256;  // of directories below each other; git itself stops at 4096 bytes
constexpr std::string_view kBeforeGitMovedOn = "a state git has replaced since";

FileMode mode_from(std::uint32_t mode) {
  if (S_ISDIR(mode)) return FileMode::kTree;
  if (S_ISLNK(mode)) return FileMode::kLink;
  return (mode & 0100u) != 0 ? FileMode::kExecutable : FileMode::kFile;
}

std::string digest_of(unsigned shape_only, const TreeEntry& entry) {
  return shape_only == 0 ? metadata_of(entry) : std::string(mode_text(entry.mode));
}

}  // namespace

Observer::Observer(const ObserverInput& input, TreeModel& model, ReadLog& log)
    : input_(input), model_(model), log_(log), own_(*input.writes, input.fate, model, log) {
  if (input_.base.empty()) input_.base = input_.snapshot;
}

void Observer::followed(const std::vector<Node*>& links, const Process& process,
                        std::string_view op) {
  if (process.quiet()) return;
  for (Node* link : links) saw_node(kContent, *link, {.process = &process, .op = op});
}

// ---- what was seen ----

void Observer::saw_node(Look depth, Node& node, const ReadLog::Seen& seen) {
  if (node.directory() && depth != kListing) depth = kShape;  // a directory is only that it is one
  // What is held may be taken for explained, and then another process's look at the same counts.
  HeldLooks* held = seen.process != nullptr ? seen.process->held : nullptr;
  const bool asked = seen.process != nullptr && seen.process->question != 0;
  if (held != nullptr || (seen.process != nullptr && seen.process->is_apart())) {
    const bool own = node.origin != Origin::kSnapshot;
    if (own && held != nullptr) held->own.insert(model_.path_of(node));
    if (own && asked) log_.met_own(*seen.process, model_.path_of(node));
  } else {
    if ((node.seen & depth) != 0) return;
    node.seen |= depth;
  }
  switch (node.origin) {
    case Origin::kOwn:
      if (depth == kContent && seen.process != nullptr)
        log_.looked_at_own(*seen.process, model_.path_of(node));
      return;
    case Origin::kFound:
      if (depth == kContent) found_files_.insert(model_.path_of(node));
      return;
    case Origin::kGit:
      return saw_git_node(depth, node, seen);
    case Origin::kSnapshot:
      break;
  }
  if (depth == kListing) return saw_listing(node, seen);
  const bool root = node.parent == nullptr;  // that it is a directory can never change
  if (held != nullptr && (depth == kContent || !root)) {
    using Form = HeldLooks::Form;
    const Form entry = depth == kMetadata ? Form::kMetadata : Form::kShape;
    log_.hold(depth == kContent ? Form::kContent : entry, node, seen);
  } else if (depth == kContent) {
    log_.add(ReadKind::kContent, node.snapshot_path(), node.entry().oid.str(), seen);
  } else if (!root) {
    log_.add(ReadKind::kMetadata, node.snapshot_path(), digest_of(depth & kShape, node.entry()),
             seen);
  }
}

// Written by git: a commit's file. When the transaction moved its base this is the new base's, else
// the snapshot's (a checkout, a stash), and a path that neither has is the transaction's own.
void Observer::saw_git_node(Look depth, Node& node, const ReadLog::Seen& seen) {
  const std::string path = model_.path_of(node);
  Oid commit = input_.snapshot;
  TreeEntry entry = node.entry();
  if (input_.base != input_.snapshot) {
    commit = input_.base;
    auto there = input_.objects->entry_at(base_tree_, path);
    entry = there ? *there : TreeEntry{};
  }
  if (!entry.present()) return;
  if (depth == kListing) {
    if (entry.mode != FileMode::kTree) return;
    log_.add_at(commit, ReadKind::kListing, path, masked_listing(entry.oid, path), seen);
  } else if (depth == kContent && entry.mode != FileMode::kTree) {
    log_.add_at(commit, ReadKind::kContent, path, entry.oid.str(), seen);
  } else {
    log_.add_at(commit, ReadKind::kMetadata, path, digest_of(depth & kShape, entry), seen);
  }
}

void Observer::saw_nothing(const Resolved& at, const Process& process, const ReadLog::Seen& seen) {
  if (at.removed && process.held != nullptr) process.held->own.insert(at.missing);
  if (at.removed) log_.met_own(process, at.missing);
  if (process.quiet() || at.removed || at.missing.empty()) return;
  // Whoever looks for a repository asks for many that can never appear.
  if (in_git_directory(at.missing)) return;
  // Whatever appears below a directory of its own makes that directory appear, and that one is a
  // read.
  if (in_fresh_directory(at.dir)) return;
  log_.add(ReadKind::kAbsence, at.missing, "", seen);
  if (base_may_have_moved_) log_.add_at(input_.base, ReadKind::kAbsence, at.missing, "", seen);
}

// A name that could not be made because there is no directory to put it in: it is the directory
// that was not there.
void Observer::saw_no_place(const Resolved& at, const Process& process, const ReadLog::Seen& seen) {
  Resolved parent = at;
  const std::size_t slash = at.missing.rfind('/');
  const bool blocked = at.dir != nullptr && !at.dir->directory();  // by a file: that is in the path
  if (!blocked && at.name.empty() && slash != std::string::npos) parent.missing.resize(slash);
  saw_nothing(parent, process, seen);
}

std::string Observer::masked_listing(const Oid& tree, std::string_view path) const {
  std::vector<repo::NamedEntry> entries = model_.list(tree);
  std::erase_if(entries, [&](const repo::NamedEntry& entry) {
    return own_path(join_path(path, entry.name));
  });
  return listing_digest(entries).str();
}

void Observer::saw_listing(Node& dir, const ReadLog::Seen& seen) {
  if (dir.entry_mode() != FileMode::kTree) return;
  const bool held = seen.process != nullptr && seen.process->held != nullptr;
  if (held && !base_may_have_moved_) return log_.hold(HeldLooks::Form::kListing, dir, seen);
  const std::string path = dir.snapshot_path();
  const std::string digest = masked_listing(dir.entry().oid, path);
  log_.add(ReadKind::kListing, path, digest, seen);
  if (base_may_have_moved_) {
    log_.add_at(input_.base, ReadKind::kListing, path, digest, seen);
  }
}

void Observer::look(Look depth, const Record& record, const Process& process, const Resolved& at) {
  if (process.quiet()) return;
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  const Outcome outcome = outcome_of(record);
  if (at.node != nullptr) {
    // A failure on what the model has: somebody was faster, or may not look. It was there, or not.
    const bool done = outcome == Outcome::kDone || outcome == Outcome::kUnknown;
    saw_node(done ? depth : kShape, *at.node, seen);
    return;
  }
  if (outcome == Outcome::kDone || outcome == Outcome::kSomethingThere) {
    if (Node* node = reveal(record, process, at)) return saw_node(depth, *node, seen);
    return;
  }
  saw_nothing(at, process, seen);
}

// ---- what the model did not know ----

Node* Observer::reveal(const Record& record, const Process& process, const Resolved& at) {
  if (at.dir == nullptr || !at.dir->directory() || at.missing.empty()) return nullptr;
  // Component by component: a removal that did not happen is taken back, anything else was never
  // seen being made.
  std::string rest = at.missing;
  const std::string prefix = model_.path_of(*at.dir);
  if (!prefix.empty()) rest.erase(0, prefix.size() + 1);
  Node* dir = at.dir;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    const bool last = slash == std::string::npos;
    Node* next = model_.child(*dir, name);
    if (next == nullptr && dir->has_removed(name)) next = model_.restore(*dir, name);
    if (next == nullptr) {
      const Origin origin = process.git ? Origin::kGit : Origin::kFound;
      next = &model_.make(*dir, name, last ? mode_from(record.mode) : FileMode::kTree, origin);
      if (process.git) next->tell().entry = model_.snapshot_entry(model_.path_of(*next));
    }
    if (last) return next;
    if (!next->directory()) return nullptr;
    rest.erase(0, slash + 1);
    dir = next;
  }
}

// Where a new name goes: its directory and its name there. Directories the model does not know are
// made.
Observer::Spot Observer::spot_of(const Record& record, const Process& process, const Resolved& at) {
  Node* node = at.node;
  if (node == nullptr && !at.name.empty()) return {at.dir, at.name};
  if (node == nullptr) node = reveal(record, process, at);
  if (node == nullptr || node->parent == nullptr) return {};
  return {node->parent, std::string(node->name)};
}

// ---- writes ----

// A read of git's file that git has since written again was of a state in between, and which one is
// not known when the base moved.
void Observer::forget_git_read(Node& node, const Process& process) {
  // A merge leaves what has an edit in it; what it overwrites had the bytes of before.
  if (process.git && process.use.command == "merge") own_.overtaken(model_.path_of(node));
  const bool was_read = node.origin == Origin::kGit && (node.seen & (kContent | kMetadata)) != 0;
  if (!was_read || !process.git || input_.base == input_.snapshot) return;
  log_.add_at(input_.base, ReadKind::kContent, model_.path_of(node),
              std::string(kUncommitted) + std::string(kBeforeGitMovedOn),
              {.process = &process, .op = "open"});
}

Node* Observer::replace(Node& dir, const std::string& name, FileMode mode, const Process& process) {
  // That there is a directory to put it in; the write itself would come about without one.
  if (!process.quiet()) saw_node(kShape, dir, {.process = &process, .op = "new name"});
  Node* before = model_.child(dir, name);
  if (before != nullptr) forget_git_read(*before, process);
  Node& made = model_.make(dir, name, mode, process.git ? Origin::kGit : Origin::kOwn);
  const std::string path = model_.path_of(made);
  const TreeEntry snapshot = model_.snapshot_entry(path);
  if (process.git) {
    made.tell() = {.entry = snapshot, .snapshot_path = path};
  } else if (snapshot.present() && snapshot.mode != FileMode::kTree && mode != FileMode::kTree) {
    own_.rewrote(path);
  } else if (!snapshot.present() && mode != FileMode::kTree && !in_fresh_directory(&dir)) {
    own_.created(path);
  }
  return &made;
}

void Observer::open_for_writing(const Record& record, Process& process, const Resolved& at) {
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  const Outcome outcome = outcome_of(record);
  Node* node = at.node;
  if (node == nullptr && outcome == Outcome::kDone && record.mode != 0) {
    node = reveal(record, process, at);
  }
  if (outcome != Outcome::kDone && outcome != Outcome::kUnknown) {
    const bool no_place = node == nullptr && outcome == Outcome::kNothingThere;
    if (no_place && record.op == Op::kOpenCreate) return saw_no_place(at, process, seen);
    return look(kShape, record, process, at);
  }
  if (node == nullptr) return saw_nothing(at, process, seen);
  // Without O_CREAT it would have failed on nothing.
  const bool reads = (record.flags & O_ACCMODE) != O_WRONLY;
  const bool must_be_there = record.op != Op::kOpenCreate && !process.quiet();
  // The monitor does not predict permissions: an open of a read-only file may have failed, and then
  // nothing was replaced.
  const bool truncates = (record.flags & O_TRUNC) != 0 && outcome == Outcome::kDone &&
                         (!record.assumed || record.mode == 0 || (record.mode & 0200u) != 0);
  if (must_be_there && (truncates || !reads)) saw_node(kShape, *node, seen);
  if (truncates && node->parent != nullptr && !node->directory()) {
    const FileMode mode = node->mode;
    replace(*node->parent, std::string(node->name), mode, process);
    return;
  }
  if (process.quiet()) return;
  if (reads) return saw_node(kContent, *node, seen);
  // What is changed in place, if it is, builds on what was there; that is known at the end.
  if (node->origin == Origin::kSnapshot) {
    own_.changes_in_place(*node);
  }
}

void Observer::create(const Record& record, Process& process, const Resolved& at) {
  if ((record.flags & O_EXCL) != 0) {
    return make_exclusive(FileMode::kFile, record, process, at);
  }
  const Outcome outcome = outcome_of(record);
  if (at.node == nullptr && outcome == Outcome::kUnknown) return;  // made, or could not be
  if (at.node != nullptr || outcome != Outcome::kDone || record.mode != 0) {
    return open_for_writing(record, process, at);
  }
  const Spot spot = spot_of(record, process, at);
  if (spot.dir == nullptr) return;
  const Node* made = replace(*spot.dir, spot.name, FileMode::kFile, process);
  // Where something were there it would have gone on from that.
  if ((record.flags & O_TRUNC) == 0) own_.begun(model_.path_of(*made));
}

// Creating what must not be there observes that nothing was.
void Observer::make_exclusive(FileMode mode, const Record& record, Process& process,
                              const Resolved& at) {
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  const Outcome outcome = outcome_of(record);
  if (outcome != Outcome::kDone) {
    if (outcome == Outcome::kUnknown && at.node == nullptr) return saw_nothing(at, process, seen);
    if (outcome == Outcome::kNothingThere && at.node == nullptr)
      return saw_no_place(at, process, seen);
    return look(kShape, record, process, at);
  }
  if (at.node == nullptr) saw_nothing(at, process, seen);
  const Spot spot = spot_of(record, process, at);
  if (spot.dir == nullptr) return;
  Node* made = replace(*spot.dir, spot.name, mode, process);
  if (mode == FileMode::kLink) made->tell().link_text = record.path2;
  made->fresh = mode == FileMode::kTree && !process.git;
}

void Observer::remove(const Record& record, Process& process, const Resolved& at) {
  const bool directory = record.op == Op::kRmdir;
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  if (outcome_of(record) != Outcome::kDone || at.node == nullptr || at.node->parent == nullptr) {
    if (directory && at.node != nullptr && !process.quiet()) saw_node(kListing, *at.node, seen);
    return look(kShape, record, process, at);
  }
  Node& node = *at.node;
  if (directory != node.directory()) return look(kShape, record, process, at);
  if (!process.quiet()) saw_node(kShape, node, seen);
  if (directory) {
    // That it was empty is a listing; and one that is not empty stays, whatever was predicted.
    if (!process.quiet()) saw_node(kListing, node, seen);
    model_.open(node);
    if (!node.children.empty()) return;
  }
  forget_git_read(node, process);
  model_.detach(node);
}

// A file or directory of the snapshot that now has another name: its content went along, all of it,
// and nothing else.
void Observer::moved_away(Node& node, const ReadLog::Seen& seen, int depth) {
  if (!node.directory()) return saw_node(kContent, node, seen);
  if (depth > kMaxDepth)
    return log_.unknown("directories too deep at '" + model_.path_of(node) + "'");
  saw_node(kShape, node, seen);
  saw_node(kListing, node, seen);
  model_.open(node);
  node.children.each([&](Node& child) { moved_away(child, seen, depth + 1); });
}

void Observer::rename(const Record& record, Process& process, const Resolved& from,
                      const Resolved& to) {
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  if (outcome_of(record) != Outcome::kDone) {
    if (from.place == Place::kTree) look(kShape, record, process, from);
    if (to.place != Place::kTree) return;
    if (to.node == nullptr && to.dir != nullptr) saw_node(kShape, *to.dir, seen);
    if (to.node == nullptr) return saw_no_place(to, process, seen);
    saw_node(kShape, *to.node, seen);
    return saw_node(kListing, *to.node, seen);  // it may have failed because something is in it
  }
  const bool from_tree = from.place == Place::kTree;
  const bool to_tree = to.place == Place::kTree;
  Node* source = from_tree ? from.node : nullptr;
  if (from_tree && source == nullptr) source = reveal(record, process, from);
  if (source != nullptr && source->parent != nullptr) moved_away(*source, seen, 0);
  // A directory takes the place of nothing or of an empty one, a file that of any file.
  const bool directory = source != nullptr ? source->directory() : S_ISDIR(record.mode);
  if (to_tree && to.node != nullptr && directory) saw_node(kListing, *to.node, seen);
  if (to_tree && to.node == nullptr && (directory || (record.flags & RENAME_NOREPLACE) != 0)) {
    saw_nothing(to, process, seen);
  }
  if ((record.flags & RENAME_EXCHANGE) != 0 && from_tree && to_tree && to.node != nullptr &&
      source != nullptr && source->parent != nullptr && to.node->parent != nullptr) {
    moved_away(*to.node, seen, 0);
    Node& dir_a = *source->parent;
    Node& dir_b = *to.node->parent;
    const std::string name_a(source->name);
    const std::string name_b(to.node->name);
    model_.detach(*source);
    model_.detach(*to.node);
    model_.attach(dir_a, name_a, *to.node);
    model_.attach(dir_b, name_b, *source);
    return;
  }
  if (source != nullptr && to.node == source) return;  // onto itself
  const Spot spot = to_tree ? spot_of(record, process, to) : Spot{};
  const bool moving = source != nullptr && source->parent != nullptr;
  if (moving) model_.detach(*source);
  if (spot.dir == nullptr) return;
  replace(*spot.dir, spot.name, moving ? source->mode : mode_from(record.mode), process);
  if (moving) model_.attach(*spot.dir, spot.name, *source);
}

void Observer::hard_link(const Record& record, Process& process, const Resolved& from,
                         const Resolved& to) {
  const ReadLog::Seen seen{.process = &process, .op = op_name(record.op)};
  const Outcome outcome = outcome_of(record);
  if (from.place == Place::kTree) look(kContent, record, process, from);
  if (to.place != Place::kTree) return;
  if (outcome == Outcome::kSomethingThere && to.node != nullptr) {
    if (!process.quiet()) saw_node(kShape, *to.node, seen);
    return;
  }
  if (outcome == Outcome::kNothingThere && to.node == nullptr) saw_no_place(to, process, seen);
  if (outcome != Outcome::kDone) return;
  if (to.node == nullptr) saw_nothing(to, process, seen);
  const Spot spot = spot_of(record, process, to);
  if (spot.dir == nullptr) return;
  const FileMode mode = from.node != nullptr ? from.node->mode : FileMode::kFile;
  Node* made = replace(*spot.dir, spot.name, mode, process);
  if (from.node != nullptr && from.node->link())
    made->tell().link_text = model_.text_of(*from.node);
}

// ---- the table ----

void Observer::on(const Record& record, Process& process, const Resolved& at, const Resolved* to) {
  if (base_tree_.empty() && input_.base != input_.snapshot) {
    auto tree = input_.objects->tree_of(input_.base);
    if (tree) base_tree_ = *tree;
  }
  followed(at.links, process, op_name(record.op));
  if (to != nullptr) followed(to->links, process, op_name(record.op));
  switch (record.op) {
    case Op::kExec:  // it would not start without the permission
      look(kShape, record, process, at);
      return look(kContent, record, process, at);
    case Op::kOpenRead:
      return look(kContent, record, process, at);
    case Op::kOpenWrite:
    case Op::kOpenReadWrite:
      return open_for_writing(record, process, at);
    case Op::kOpenCreate:
      return create(record, process, at);
    case Op::kStat:
      return look(kMetadata, record, process, at);
    case Op::kReadlink:
      return look(record.result == -EINVAL ? kShape : kContent, record, process, at);
    case Op::kList:
      return look(kListing, record, process, at);
    case Op::kMkdir:
      return make_exclusive(FileMode::kTree, record, process, at);
    case Op::kSymlink:
      return make_exclusive(FileMode::kLink, record, process, at);
    case Op::kUnlink:
    case Op::kRmdir:
      return remove(record, process, at);
    case Op::kRename:
      if (to != nullptr) rename(record, process, at, *to);
      return;
    case Op::kLink:
      if (to != nullptr) hard_link(record, process, at, *to);
      return;
    case Op::kAccess:
    case Op::kChmod:
    case Op::kTruncate:
    case Op::kSetTimes:
    case Op::kChdir:
    case Op::kOther:
      return look(kShape, record, process, at);
    case Op::kConnect:
    case Op::kMount:
    case Op::kFork:
    case Op::kExit:
    case Op::kNote:
    case Op::kBlind:
    case Op::kWasLink:
      return;
  }
}

// ---- reads by path ----

void Observer::path_contents(const std::string& path, const ReadLog::Seen& seen) {
  contents_of(model_.snapshot_entry(path), input_.snapshot, path, seen);
}

void Observer::contents_of(const TreeEntry& entry, const Oid& commit, const std::string& path,
                           const ReadLog::Seen& seen) {
  if (!entry.present()) return log_.add_at(commit, ReadKind::kAbsence, path, "", seen);
  const bool directory = entry.mode == FileMode::kTree;
  log_.add_at(commit, directory ? ReadKind::kTree : ReadKind::kContent, path, entry.oid.str(),
              seen);
}

void Observer::path_contents_at(const Oid& commit, const std::string& path,
                                const ReadLog::Seen& seen) {
  const auto tree = input_.objects->tree_of(commit);
  Result<TreeEntry> entry = TreeEntry{};
  if (tree && path.empty()) entry = TreeEntry{FileMode::kTree, *tree};
  if (tree && !path.empty()) entry = input_.objects->entry_at(*tree, path);
  if (!tree || !entry) return log_.unknown("commit " + commit.str() + " cannot be read");
  contents_of(*entry, commit, path, seen);
}

void Observer::list_all_below(const Oid& tree, const std::string& path, const ReadLog::Seen& seen,
                              int depth) {
  if (depth > kMaxDepth) return log_.unknown("directories too deep at '" + path + "'");
  log_.add(ReadKind::kListing, path, masked_listing(tree, path), seen);
  for (const repo::NamedEntry& entry : model_.list(tree)) {
    if (entry.entry.mode != FileMode::kTree) continue;
    list_all_below(entry.entry.oid, join_path(path, entry.name), seen, depth + 1);
  }
}

void Observer::path_names(const std::string& path, const ReadLog::Seen& seen) {
  const TreeEntry entry = model_.snapshot_entry(path);
  if (!entry.present()) return log_.add(ReadKind::kAbsence, path, "", seen);
  if (entry.mode == FileMode::kTree) return list_all_below(entry.oid, path, seen, 0);
  log_.add(ReadKind::kMetadata, path, mode_text(entry.mode), seen);
}

}  // namespace gittxn::capture
