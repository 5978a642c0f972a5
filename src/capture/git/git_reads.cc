#include "capture/git/git_reads.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/text.h"
#include "search/argv.h"

namespace gittxn::capture {
namespace {

// A difference of more files is a read of the whole tree.
constexpr std::size_t kMostDifferences = 1000;

bool is_peeled(std::string_view suffix) {
  return suffix.empty() || suffix == "~0" || suffix == "^0" || suffix.starts_with("^{");
}

// The checked-out commit itself, by whatever name.
bool is_snapshot(const GitMeaning& meaning) {
  return meaning.kind == GitMeaning::Kind::kSnapshot && is_peeled(meaning.suffix);
}

// No landing moves it, or a read of its ref says when one does.
bool stays(const GitMeaning& meaning) {
  return !meaning.relative &&
         (meaning.kind == GitMeaning::Kind::kFixed || meaning.kind == GitMeaning::Kind::kOtherRef);
}

}  // namespace

GitReads::GitReads(const repo::Objects& objects, const InterpretInput& input, TreeModel& model,
                   PathResolver& resolver, Observer& observer, ReadLog& log)
    : objects_(objects),
      input_(input),
      model_(model),
      resolver_(resolver),
      observer_(observer),
      log_(log),
      revisions_(objects, input) {}

void GitReads::everything(const Process& process, std::string_view why) {
  if (INJECTED_BUG("interpret.no_copies")) return;
  log_.add(ReadKind::kTree, "", model_.snapshot_tree().str(),
           {.process = &process, .op = why, .source = ReadSource::kCoarse});
}

void GitReads::history(const Process& process, std::string_view op) {
  log_.add(ReadKind::kRef, "HEAD", input_.snapshot.str(),
           {.process = &process, .op = op, .strength = Strength::kSoft});
}

void GitReads::other_ref(const GitMeaning& meaning, const Process& process) {
  if (INJECTED_BUG("interpret.no_other_refs")) return;
  log_.add(ReadKind::kRef, meaning.ref, meaning.commit.str(), {.process = &process, .op = "git"});
}

void GitReads::wrote_ref(std::string_view name) {
  constexpr std::string_view kLock = ".lock";
  if (name.ends_with(kLock)) name.remove_suffix(kLock.size());
  revisions_.written(name);
}

void GitReads::explain(Process& process) {
  if (!process.git || process.explained) return;
  const bool says_which = std::ranges::any_of(
      process.use.reads, [](const GitRead& read) { return read.what == GitRead::What::kPath; });
  if (process.exported && process.in_our_repository && !says_which) {
    everything(process, "files that git wrote outside of the worktree");
  }
  if (process.helper) return;
  if (INJECTED_BUG("interpret.no_git_objects")) return;
  process.explained = true;
  const GitUse& use = process.use;
  if (use.is(kPushes) && process.in_our_repository) {
    log_.note("the command tried to push: " + process.argv);
  }
  if (use.is(kServes)) {
    // Commits that a fetch inside the worktree brings are the transaction's own.
    if (process.served && !process.parent_ours) {
      everything(process, "a copy of the repository made by git");
    }
    return;
  }
  if (process.in_other_checkout) {
    log_.note("git was used in another checkout of this repository: " + process.argv);
    return everything(process, "git in another checkout");
  }
  if (!process.in_our_repository) return;
  if (use.understood) return said(process);
  if (process.opened_objects) return everything(process, "git command that is not understood");
  history(process);
}

void GitReads::said(const Process& process) {
  if (process.use.command == "commit-tree") ++trees_[process.parent].committed;
  if (process.use.command == "write-tree") {
    Trees& trees = trees_[process.parent];
    if (trees.made++ == 0) trees.first = process;
    return;
  }
  Said said;
  for (const GitRead& read : process.use.reads) take(read, process, said);
  const bool names_object =
      std::ranges::any_of(said.paths, [](const GitRead* read) { return !read->revision.empty(); });
  if (said.or_head && said.revisions.empty() && !names_object) history(process);
  if (process.use.compares) return compare(said, process);
  const bool here_not_read = !said.revisions.empty() && std::ranges::all_of(said.revisions, stays);
  for (const GitRead* read : said.paths.empty() ? said.fallbacks : said.paths) {
    if (!here_not_read || !read->revision.empty()) path(*read, process);
  }
}

// The id of a tree is a digest of everything. Whoever makes a commit of it, as "git commit" does
// itself, builds on it and shows it to nobody.
void GitReads::finish() {
  for (const auto& [parent, trees] : trees_) {
    if (trees.made <= trees.committed || INJECTED_BUG("interpret.no_written_trees")) continue;
    observer_.path_contents("", {.process = &trees.first, .op = "git"});
  }
  trees_.clear();
}

void GitReads::take(const GitRead& read, const Process& process, Said& said) {
  switch (read.what) {
    case GitRead::What::kEverything:
      return everything(process, "git command that shows everything, or with options unknown");
    case GitRead::What::kHistory:
      return history(process);
    case GitRead::What::kStart:
      return start(read, process);
    case GitRead::What::kRevision:
      if (!read.fallback) return revision(read.revision, process, said);
      said.or_head = true;
      return;
    case GitRead::What::kPath:
    case GitRead::What::kNames:
      break;
  }
  if (read.fallback) {
    said.fallbacks.push_back(&read);
  } else if (read.perhaps_revision && !names_a_path(read, process)) {
    for (const std::string& end : ends_of_range(read.path)) revision(end, process, said);
  } else {
    said.paths.push_back(&read);
  }
}

void GitReads::revision(const std::string& text, const Process& process, Said& said) {
  GitMeaning meaning = revisions_.meaning_of(text);
  const bool own_changes = process.use.compares && is_snapshot(meaning);
  if (meaning.kind == GitMeaning::Kind::kOtherRef) {
    other_ref(meaning, process);
  } else if (!own_changes && (meaning.relative || meaning.kind == GitMeaning::Kind::kUnknown)) {
    history(process);
  }
  said.revisions.push_back(std::move(meaning));
}

// What is made from another branch is made again when that moves; what of its own the transaction
// builds on, and the target, is its business.
void GitReads::start(const GitRead& read, const Process& process) {
  if (read.perhaps_revision) {
    GitRead word;
    word.path = read.revision;
    if (names_a_path(word, process)) return;
  }
  const GitMeaning meaning = revisions_.meaning_of(read.revision);
  if (meaning.kind == GitMeaning::Kind::kOtherRef) other_ref(meaning, process);
}

// With the worktree or HEAD on one side it shows the transaction's own changes, and what differs
// between the snapshot and the other side. What of two other commits it shows cannot change.
void GitReads::compare(const Said& said, const Process& process) {
  const bool only_head = std::ranges::all_of(said.revisions, is_snapshot);
  const bool elsewhere = said.revisions.size() > 1 && std::ranges::all_of(said.revisions, stays);
  for (const GitRead* read : said.paths) {
    if (!read->revision.empty() || (!only_head && !elsewhere)) path(*read, process);
  }
  if (only_head || elsewhere || !said.paths.empty()) return;
  const bool one = said.revisions.size() == 1;
  for (const GitMeaning& meaning : said.revisions) {
    const bool known =
        meaning.kind == GitMeaning::Kind::kFixed || meaning.kind == GitMeaning::Kind::kOtherRef;
    if (!known) continue;
    if (!process.use.from_merge_base) {
      difference(meaning, process);
    } else if (one || &meaning == &said.revisions.front()) {
      // "HEAD...A" shows what A has since then, which stays.
      GitMeaning both{GitMeaning::Kind::kFixed, {}, {}, {}};
      const GitMeaning here{GitMeaning::Kind::kSnapshot, input_.snapshot, {}, {}};
      both.commit = revisions_.merge_base(meaning, here).value_or(Oid());
      difference(both, process);
    }
  }
}

// Which files differ from an older commit is history; what is in them now is not. Of a tree it is
// everything that is there.
void GitReads::difference(const GitMeaning& from, const Process& process) {
  const ReadLog::Seen seen{.process = &process, .op = "git"};
  const std::optional<Oid> tree = revisions_.tree_of(from);
  const bool commit = tree && *tree != from.commit && from.suffix != "^{tree}";
  const auto changes = tree ? objects_.diff(*tree, model_.snapshot_tree()) : Changes{};
  if (!commit || !changes || changes->size() > kMostDifferences) {
    return observer_.path_contents("", seen);
  }
  for (const PathChange& change : *changes) {
    if (!change.is_directory()) observer_.path_contents(change.path, seen);
  }
}

// Where a path given to git is. Relative ones are seen from where git began to look for its
// repository.
GitReads::Where GitReads::repository_path(const GitRead& read, const Process& process) const {
  const bool object = !read.revision.empty();
  const PlainPathspec plain = object ? PlainPathspec{.path = read.path} : plain_pathspec(read.path);
  const std::string& tree = input_.places.tree;
  std::string from = tree;
  if (!read.from_top && !plain.from_top && !plain.path.starts_with('/')) {
    from = process.started_in.empty() ? process.cwd : process.started_in;
    if (from.empty() || process.use.elsewhere) return {};
    const Resolved at = resolver_.resolve(from, LastLink::kFollow);
    if (at.place != Place::kTree || at.node == nullptr) return {};
    from = join_path(tree, model_.path_of(*at.node));
  }
  Where where;
  const bool inside = path_below(normal_path(join_path(from, plain.path)), tree, &where.path);
  where.kind = inside ? Where::Kind::kInside : Where::Kind::kOutside;
  return where;
}

bool GitReads::names_a_path(const GitRead& read, const Process& process) const {
  const PlainPathspec plain = plain_pathspec(read.path);
  if (plain.wild || plain.from_top || plain.excludes) return true;
  const Where where = repository_path(read, process);
  if (where.kind == Where::Kind::kUnknown) return true;
  if (where.kind == Where::Kind::kOutside) return false;
  if (model_.snapshot_entry(where.path).present()) return true;
  const Resolved now =
      resolver_.resolve(join_path(input_.places.tree, where.path), LastLink::kKeep);
  return now.place == Place::kTree && now.node != nullptr;
}

// A search that finds a name in a directory; it is judged as a search by find is.
bool GitReads::name_in_any_case(const std::string& directory, std::vector<std::string> asked,
                                const ReadLog::Seen& seen) {
  search::Surroundings around;
  around.top = input_.places.tree;
  around.env = {{"LC_ALL", "C"}};
  const std::string from = directory.empty() ? "." : "./" + directory;
  asked.insert(asked.begin(), {"find", from, "-mindepth", "1", "-maxdepth", "1"});
  const auto query = search::query_from_argv("/usr/bin/find", asked, around);
  if (!query) return false;
  Read read{.kind = ReadKind::kSearch, .subject = directory, .snapshot = input_.snapshot};
  read.query = search::query_text(*query);
  read.digest = sha256(read.query).str();
  read.op = seen.op;
  read.pid = seen.process->pid;
  read.argv = seen.process->argv;
  read.question = seen.process->question;
  log_.add(std::move(read));
  return true;
}

// Other names in the directory do not matter to it.
void GitReads::names_in_any_case(const std::string& directory, std::span<const std::string> names,
                                 const ReadLog::Seen& seen) {
  if (names.empty()) return observer_.path_names(directory, seen);
  const TreeEntry entry = model_.snapshot_entry(directory);
  if (entry.mode != FileMode::kTree) return;
  const std::string& name = names.front();
  const bool last = names.size() == 1;
  // A directory of the name has more to say than a file.
  const bool known = name_in_any_case(directory, {"-iname", name, "-type", "d"}, seen) &&
                     (!last || name_in_any_case(directory, {"-iname", name}, seen));
  if (!known) return observer_.path_names(directory, seen);
  for (const repo::NamedEntry& one : model_.list(entry.oid)) {
    if (one.entry.mode != FileMode::kTree || lower_ascii(one.name) != lower_ascii(name)) continue;
    names_in_any_case(join_path(directory, one.name), names.subspan(1), seen);
  }
}

void GitReads::path(const GitRead& read, const Process& process) {
  const bool object = !read.revision.empty();
  const PlainPathspec plain = object ? PlainPathspec{} : plain_pathspec(read.path);
  if (plain.excludes) return;
  GitMeaning meaning{GitMeaning::Kind::kSnapshot, input_.snapshot, {}, {}};
  if (object) meaning = revisions_.meaning_of(read.revision);
  if (meaning.kind == GitMeaning::Kind::kUnknown) return history(process);
  if (meaning.kind == GitMeaning::Kind::kOtherRef) return other_ref(meaning, process);
  if (stays(meaning)) return;
  if (meaning.relative && !is_snapshot(meaning)) history(process);
  const Where where = repository_path(read, process);
  if (where.kind == Where::Kind::kUnknown)
    return everything(process, "git in an unknown directory");
  if (where.kind == Where::Kind::kOutside) return;  // nothing of ours is there
  const ReadLog::Seen seen{.process = &process, .op = "git"};
  if (meaning.kind == GitMeaning::Kind::kTargetLater) {
    return observer_.path_contents_at(meaning.commit, where.path, seen);
  }
  if (read.what == GitRead::What::kNames && INJECTED_BUG("interpret.no_git_names")) return;
  if (read.what == GitRead::What::kNames && !plain.any_case.empty()) {
    return names_in_any_case(where.path, plain.any_case, seen);
  }
  if (read.what == GitRead::What::kNames) return observer_.path_names(where.path, seen);
  observer_.path_contents(where.path, seen);
}

}  // namespace gittxn::capture
