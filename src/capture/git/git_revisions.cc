#include "capture/git/git_revisions.h"

#include <algorithm>
#include <array>

#include "base/fs.h"
#include "capture/interpret.h"
#include "repo/refs.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kShortestId = 4;  // git takes no shorter abbreviation
constexpr std::size_t kIdSize = 40;
constexpr std::string_view kEmptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
constexpr std::size_t kMaxFetchHead = 1u << 20;
constexpr std::size_t kMostQuestions = 256;  // to git's program, of one transaction

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "main~3^2" -> "main". "@" alone is HEAD, "@{1}" is of HEAD.
std::string_view base_of(std::string_view revision) {
  std::size_t end = revision.find_first_of("~^");
  end = std::min(end, revision.find("@{"));
  return revision.substr(0, end);
}

bool is_head(std::string_view base) {
  return base.empty() || base == "HEAD" || base == "@";
}

// Names that git itself makes in the private git directory.
bool is_private(std::string_view base) {
  static constexpr std::string_view kNames[] = {"stash",       "refs/stash",       "ORIG_HEAD",
                                                "MERGE_HEAD",  "CHERRY_PICK_HEAD", "REVERT_HEAD",
                                                "REBASE_HEAD", "BISECT_HEAD",      "AUTO_MERGE"};
  return std::ranges::find(kNames, base) != std::end(kNames) || base.starts_with("refs/bisect/");
}

// "origin/main" of the target "refs/heads/main", and "origin/HEAD": what landed, by another name.
bool follows_target(std::string_view ref, std::string_view target) {
  constexpr std::string_view kRemotes = "refs/remotes/";
  constexpr std::string_view kHeads = "refs/heads/";
  if (!ref.starts_with(kRemotes)) return false;
  const std::string_view rest = ref.substr(kRemotes.size());
  const std::size_t slash = rest.find('/');
  if (slash == rest.npos) return false;
  const std::string_view branch = rest.substr(slash + 1);
  if (branch == "HEAD") return true;
  return target.starts_with(kHeads) && branch == target.substr(kHeads.size());
}

}  // namespace

bool names_head(std::string_view revision) {
  if (const std::size_t peel = revision.find("^{"); peel != std::string_view::npos) {
    if (revision.ends_with('}')) revision = revision.substr(0, peel);
  }
  if (revision.ends_with("~0") || revision.ends_with("^0")) revision.remove_suffix(2);
  return revision == "HEAD" || revision == "@";
}

bool is_range(std::string_view word) {
  if (word.starts_with('^')) return word.size() > 1;
  return word.find("..") != word.npos || word.ends_with("^!") || word.ends_with("^@") ||
         word.ends_with("^-");
}

std::vector<std::string> ends_of_range(std::string_view word) {
  if (word.starts_with('^')) return {std::string(word.substr(1))};
  for (const std::string_view sign : {"^!", "^@", "^-"}) {
    if (word.ends_with(sign)) return {std::string(word.substr(0, word.size() - sign.size()))};
  }
  const std::size_t dots = word.find("..");
  if (dots == word.npos) return {std::string(word)};
  const std::size_t width = word.substr(dots).starts_with("...") ? 3 : 2;
  const auto end = [](std::string_view text) { return std::string(text.empty() ? "HEAD" : text); };
  return {end(word.substr(0, dots)), end(word.substr(dots + width))};
}

std::optional<std::string> without_tree(std::string_view word) {
  constexpr std::string_view kTree = "^{tree}";
  if (!word.ends_with(kTree)) return std::nullopt;
  return std::string(word.substr(0, word.size() - kTree.size()));
}

bool split_object(const std::string& text, GitRead& read) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  if (colon == 0 && text.find_first_of("/(!^", 1) == 1) return false;
  read.what = GitRead::What::kPath;
  read.revision = text.substr(0, colon);
  read.path = text.substr(colon + 1);
  if (colon == 0 && read.path.size() > 1 && read.path[1] == ':' && read.path[0] >= '0' &&
      read.path[0] <= '3') {
    read.path.erase(0, 2);
  }
  read.from_top = !read.path.starts_with("./") && !read.path.starts_with("../");
  return true;
}

GitRevisions::GitRevisions(const repo::Objects& objects, const InterpretInput& input)
    : objects_(objects), input_(input), target_(input.target.str()) {}

const std::string& GitRevisions::git_dir() const {
  const Places& places = input_.places;
  return places.git_dir_on_disk.empty() ? places.private_git_dir : places.git_dir_on_disk;
}

// A commit the repository does not have yet is the transaction's own, as is one on top of the
// snapshot: what it did not change is the snapshot's.
GitMeaning GitRevisions::meaning_of_commit(const Oid& commit) const {
  if (commit == input_.snapshot) return {GitMeaning::Kind::kSnapshot, commit};
  if (commit.str() == kEmptyTree) return {GitMeaning::Kind::kFixed, commit};
  const auto here = objects_.contains(commit);
  if (here && !*here) return {GitMeaning::Kind::kSnapshot, commit};
  const auto own = objects_.is_ancestor(input_.snapshot, commit);
  return {own && *own ? GitMeaning::Kind::kSnapshot : GitMeaning::Kind::kFixed, commit};
}

GitMeaning GitRevisions::fetched(const Oid& commit) const {
  if (commit == input_.snapshot) return {GitMeaning::Kind::kSnapshot, commit};
  const auto known = objects_.contains(commit);
  return {known && *known ? GitMeaning::Kind::kTargetLater : GitMeaning::Kind::kUnknown, commit};
}

// The caller looked at the text: an id, whole or abbreviated, and no option.
std::optional<Oid> GitRevisions::ask_git(const std::string& revision) {
  const auto known = asked_.find(revision);
  if (known != asked_.end()) return known->second;
  if (asked_.size() >= kMostQuestions) return std::nullopt;
  std::optional<Oid> answer;
  const repo::Git git(Environment{});
  repo::GitOptions options;
  options.dir = input_.places.common_git_dir;
  const auto out =
      git.must({"rev-parse", "--verify", "--quiet", "--end-of-options", revision}, options);
  if (out) {
    const std::string_view id = std::string_view(*out).substr(0, out->find('\n'));
    if (repo::is_oid(id)) answer = Oid(std::string(id));
  }
  asked_.emplace(revision, answer);
  return answer;
}

GitMeaning GitRevisions::meaning_of_id(const std::string& id) {
  if (input_.snapshot.str().starts_with(id)) {
    return {GitMeaning::Kind::kSnapshot, input_.snapshot};
  }
  const std::optional<Oid> whole = id.size() == kIdSize ? Oid(id) : ask_git(id);
  if (!whole) return {};
  return meaning_of_commit(*whole);
}

std::optional<GitMeaning> GitRevisions::meaning_of_ref(const std::string& name,
                                                       const std::string& suffix) {
  if (!repo::is_ref_name(name)) return std::nullopt;
  const repo::Git git(Environment{});
  const repo::Refs now(git_dir(), git);
  const bool fetched_target = name.starts_with("refs/remotes/txn-target/");
  if (fetched_target || written_.contains(name)) {
    const auto value = now.read(RefName(name));
    if (!value) return std::nullopt;
    GitMeaning meaning = fetched_target ? fetched(*value) : meaning_of_commit(*value);
    meaning.suffix = suffix;
    return meaning;
  }
  const std::string& first = input_.places.first_refs;
  const repo::Refs then(first.empty() ? git_dir() : first, git);
  const auto value = then.read(RefName(name));
  if (!value) return std::nullopt;
  if (name == target_) {
    return GitMeaning{GitMeaning::Kind::kSnapshot, *value, {}, suffix, true};
  }
  if (follows_target(name, target_)) {
    GitMeaning meaning = meaning_of_commit(*value);
    meaning.relative = true;
    meaning.suffix = suffix;
    return meaning;
  }
  return GitMeaning{GitMeaning::Kind::kOtherRef, *value, name, suffix};
}

GitMeaning GitRevisions::meaning_of(const std::string& revision) {
  const std::string base(base_of(revision));
  const std::string suffix = revision.substr(base.size());
  if (is_head(base)) {
    return {GitMeaning::Kind::kSnapshot, input_.snapshot, {}, suffix, true};
  }
  if (is_private(base)) return {GitMeaning::Kind::kSnapshot, input_.snapshot, {}, suffix};
  if (base == "FETCH_HEAD") {
    const std::string file = join_path(git_dir(), "FETCH_HEAD");
    const auto text = read_file(file, kMaxFetchHead);
    if (!text || !repo::is_oid(text->substr(0, kIdSize))) return {};
    return fetched(Oid(text->substr(0, kIdSize)));
  }
  for (const char* prefix : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    if (auto meaning = meaning_of_ref(prefix + base, suffix)) return *std::move(meaning);
  }
  if (auto meaning = meaning_of_ref("refs/remotes/" + base + "/HEAD", suffix)) return *meaning;
  if (base.size() < kShortestId || base.size() > kIdSize || !is_hex(base)) return {};
  GitMeaning meaning = meaning_of_id(base);
  meaning.suffix = suffix;
  return meaning;
}

std::optional<Oid> GitRevisions::tree_of(const GitMeaning& meaning) {
  if (meaning.commit.empty()) return std::nullopt;
  const bool plain = meaning.suffix.empty() || meaning.suffix == "^{commit}" ||
                     meaning.suffix == "^{tree}" || meaning.suffix == "^{}";
  std::optional<Oid> commit = meaning.commit;
  if (!plain) commit = ask_git(meaning.commit.str() + meaning.suffix);
  if (!commit) return std::nullopt;
  auto tree = objects_.tree_of(*commit);
  if (tree) return *tree;
  commit = ask_git(commit->str() + "^{tree}");  // an annotated tag
  return commit;
}

std::optional<Oid> GitRevisions::merge_base(const GitMeaning& a, const GitMeaning& b) {
  const auto commit_of = [&](const GitMeaning& meaning) {
    const bool plain = meaning.suffix.empty() && objects_.commit(meaning.commit).has_value();
    return plain ? meaning.commit : ask_git(meaning.commit.str() + meaning.suffix + "^{commit}");
  };
  const std::optional<Oid> first = commit_of(a);
  const std::optional<Oid> second = commit_of(b);
  if (!first || !second) return std::nullopt;
  const auto base = objects_.merge_base(*first, *second);
  if (!base) return std::nullopt;
  return *base;
}

}  // namespace gittxn::capture
