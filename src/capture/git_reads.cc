#include "capture/git_reads.h"

#include <vector>

#include "base/bug.h"
#include "base/fs.h"
#include "repo/refs.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kShortestId = 4;  // git takes no shorter abbreviation
constexpr std::size_t kMaxFetchHead = 1u << 20;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

GitReads::GitReads(const repo::Objects& objects, const InterpretInput& input, TreeModel& model,
                   PathResolver& resolver, Observer& observer, ReadLog& log)
    : objects_(objects),
      input_(input),
      model_(model),
      resolver_(resolver),
      observer_(observer),
      log_(log) {}

void GitReads::everything(const Process& process, std::string_view why) {
  log_.add(ReadKind::kTree, "", model_.snapshot_tree().str(),
           {.process = &process, .op = why, .source = ReadSource::kCoarse});
}

void GitReads::history(const std::string& revision, const Process& process) {
  log_.add(ReadKind::kRef, revision.empty() ? "HEAD" : revision, input_.snapshot.str(),
           {.process = &process, .op = "git", .strength = Strength::kSoft});
}

void GitReads::explain(Process& process) {
  if (!process.git || process.helper || process.explained) return;
  if (INJECTED_BUG("interpret.no_git_objects")) return;
  process.explained = true;
  const GitUse& use = process.use;
  if (use.pushes && process.in_our_repository) {
    log_.note("the command tried to push: " + process.argv);
  }
  if (process.in_other_checkout) {
    log_.note("git was used in another checkout of this repository: " + process.argv);
    return everything(process, "git in another checkout");
  }
  if (!process.in_our_repository) return;
  if (!use.understood) {
    if (process.opened_objects) return everything(process, "git command that is not understood");
    return history("HEAD", process);
  }
  std::vector<const GitRead*> paths;
  std::vector<const GitRead*> fallbacks;
  bool other_revision = false;
  for (const GitRead& read : use.reads) {
    if (read.what == GitRead::What::kEverything) {
      everything(process, "git options that are not understood");
    } else if (read.what == GitRead::What::kRef) {
      other_revision = other_revision || !names_head(read.revision);
      history(read.revision, process);
    } else if (read.fallback) {
      fallbacks.push_back(&read);
    } else if (read.perhaps_revision && !names_a_path(read, process)) {
      if (names_head(read.path)) continue;
      other_revision = true;
      history(read.path, process);
    } else {
      paths.push_back(&read);
    }
  }
  if (paths.empty()) paths = fallbacks;
  for (const GitRead* read : paths) {
    const bool of_a_revision = !read->revision.empty() || other_revision;
    if (!use.needs_revision || of_a_revision) path(*read, process);
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

GitReads::Meaning GitReads::meaning_of_commit(const Oid& commit, Fetched fetched) const {
  if (commit == input_.snapshot) return {Meaning::Kind::kSnapshot, commit};
  const auto here = objects_.contains(commit);
  if (fetched == Fetched::kFromTarget) {
    const bool known = here && *here;
    return {known ? Meaning::Kind::kTargetLater : Meaning::Kind::kElse, commit};
  }
  // A commit the repository does not have yet is the transaction's own, as is one on top of the
  // snapshot: what it did not change is the snapshot's.
  if (here && !*here) return {Meaning::Kind::kSnapshot, commit};
  const auto own = objects_.is_ancestor(input_.snapshot, commit);
  return {own && *own ? Meaning::Kind::kSnapshot : Meaning::Kind::kElse, commit};
}

GitReads::Meaning GitReads::meaning_of(const std::string& revision) const {
  if (revision.empty() || names_head(revision)) return {Meaning::Kind::kSnapshot, input_.snapshot};
  if (revision.size() >= kShortestId && is_hex(revision) &&
      input_.snapshot.str().starts_with(revision)) {
    return {Meaning::Kind::kSnapshot, input_.snapshot};
  }
  const std::string& git_dir = input_.places.private_git_dir;
  if (revision == "FETCH_HEAD") {
    const auto text = read_file(join_path(git_dir, "FETCH_HEAD"), kMaxFetchHead);
    if (!text || !repo::is_oid(text->substr(0, 40))) return {};
    return meaning_of_commit(Oid(text->substr(0, 40)), Fetched::kFromTarget);
  }
  const repo::Refs refs(git_dir, repo::Git(Environment{}));
  for (const char* prefix : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    const std::string name = prefix + revision;
    if (!repo::is_ref_name(name)) continue;
    const auto value = refs.read(RefName(name));
    if (!value) continue;
    const bool of_target = name.starts_with("refs/remotes/txn-target/");
    return meaning_of_commit(*value, of_target ? Fetched::kFromTarget : Fetched::kElsewhere);
  }
  return {};
}

void GitReads::path(const GitRead& read, const Process& process) {
  const bool object = !read.revision.empty();
  const PlainPathspec plain = object ? PlainPathspec{} : plain_pathspec(read.path);
  if (plain.excludes) return;
  const Meaning meaning = meaning_of(read.revision);
  if (meaning.kind == Meaning::Kind::kElse) return history(read.revision, process);
  const Where where = repository_path(read, process);
  if (where.kind == Where::Kind::kUnknown)
    return everything(process, "git in an unknown directory");
  if (where.kind == Where::Kind::kOutside) return;  // nothing of ours is there
  const ReadLog::Seen seen{.process = &process, .op = "git"};
  if (meaning.kind == Meaning::Kind::kTargetLater) {
    return observer_.path_contents_at(meaning.commit, where.path, seen);
  }
  if (read.what == GitRead::What::kNames) return observer_.path_names(where.path, seen);
  observer_.path_contents(where.path, seen);
}

}  // namespace gittxn::capture
