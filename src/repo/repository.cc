// Finds a repository and says no to what this program cannot do. The question "where is the
// repository" is git's own to answer (rev-parse), with the caller's GIT_DIR, so that a run from a
// hook or from a dot-files setup means the repository the person means. From then on no inherited
// variable counts: every later command names the repository (here()).
//
// The ownership check (safe.directory) is git's too: what rev-parse accepts is accepted, and
// libgit2's own check and its list of known extensions never come into it, because objects.cc opens
// the object directory and not the repository.
//
// Linked checkouts are read from worktrees/*/ (gitrepository-layout(5)): a landing asks on its
// critical path, and starting git costs more than the whole merge. Nothing is stored.
#include "repo/repository.h"

#include <array>
#include <mutex>
#include <utility>

#include "base/fs.h"
#include "base/if_there.h"
#include "base/text.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::repo {
namespace {

std::string without_fatal(std::string_view text) {
  if (text.starts_with("fatal: ")) text.remove_prefix(7);
  return std::string(trimmed(text));
}

std::unexpected<Error> refuse_discovery(const std::string& cwd, const std::string& said) {
  auto has = [&](std::string_view part) { return said.find(part) != std::string::npos; };
  if (has("refstorage")) {
    return fail(Code::kUnsupported, "the repository keeps its references in a reftable",
                "convert it with: git refs migrate --ref-format=files");
  }
  if (has("dubious ownership") || has("unsafe repository")) {
    return fail(Code::kUnsupported, "git does not trust this repository: " + without_fatal(said),
                "it belongs to another user; trust it with: git config --global --add "
                "safe.directory DIRECTORY");
  }
  if (has("not a git repository")) {
    return fail(Code::kUnsupported, "not a git repository: " + cwd,
                "run this inside a git repository, or make one with: git init");
  }
  return fail(Code::kUnsupported, "git cannot open this repository: " + without_fatal(said),
              "see what git says here with: git status");
}

// What discovery needs of the caller's environment, and nothing else.
Environment discovery_environment(const Environment& caller) {
  Environment env = caller_config(caller);
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"}) {
    if (auto found = caller.find(name); found != caller.end()) env.insert(*found);
  }
  return env;
}

struct Discovery {
  const Git& git;
  GitOptions options;

  // Answers of one rev-parse. A path may hold a line break; then each question is asked alone.
  Result<std::vector<std::string>> ask(const std::vector<std::string>& questions) const {
    std::vector<std::string> args = {"rev-parse", "--path-format=absolute"};
    args.insert(args.end(), questions.begin(), questions.end());
    Output output = TRY(git.run(args, options));
    if (!output.exit.success()) return refuse_discovery(options.dir, output.err);
    const std::vector<std::string_view> lines = lines_of(output.out);
    std::vector<std::string> answers(lines.begin(), lines.end());
    if (answers.size() == questions.size()) return answers;
    if (questions.size() == 1) {
      output.out.pop_back();
      return std::vector<std::string>{std::move(output.out)};
    }
    answers.clear();
    for (const std::string& question : questions) answers.push_back(TRY(ask({question}))[0]);
    return answers;
  }
};

Result<RepositoryPlace> discover(const Git& git, const std::string& cwd,
                                 const Environment& caller) {
  const Discovery discovery{git, {.dir = cwd, .extra = discovery_environment(caller)}};
  // The last two are answered where there is a worktree alone, which is nearly everywhere: so all
  // are asked at once, and those that anybody answers where that is refused.
  std::vector<std::string> questions = {"--is-bare-repository",
                                        "--is-inside-work-tree",
                                        "--show-object-format",
                                        "--git-common-dir",
                                        "--git-dir",
                                        "--show-toplevel",
                                        "--show-prefix"};
  Result<std::vector<std::string>> all = discovery.ask(questions);
  if (!all) {
    questions.resize(5);
    all = discovery.ask(questions);
  }
  const std::vector<std::string> found = TRY(std::move(all));
  RepositoryPlace place;
  place.bare = found[0] == "true";
  if (found[2] != "sha1") {
    const std::string format = found[2] == "sha256" ? "SHA-256" : found[2];
    return fail(Code::kUnsupported, "the repository has " + format + " objects",
                "only SHA-1 repositories are supported; make one with: "
                "git init --object-format=sha1");
  }
  place.common_dir = TRY(real_path(found[3]));
  place.git_dir = TRY(real_path(found[4]));
  if (found[1] == "true" && found.size() > 5) {
    place.worktree = found[5];
    place.prefix = found[6];
    if (place.prefix.ends_with('/')) place.prefix.pop_back();
  }
  return place;
}

Status check_supported(const RepositoryPlace& place) {
  // git before 2.45 refuses reftable itself; newer ones open it.
  if (TRY(exists(place.common_dir + "/reftable"))) return refuse_discovery("", "refstorage");
  if (TRY(fs_kind(place.common_dir)) == FsKind::kNetwork) {
    return fail(Code::kUnsupported,
                "the repository is on a network file system: " + place.common_dir,
                "locks do not hold there; work in a clone on a local disk");
  }
  return {};
}

// The branches that the operation in progress in this checkout will move when it ends.
Result<std::vector<RefName>> held_by_rebase(const std::string& git_dir) {
  std::vector<RefName> held;
  for (const char* file :
       {"/rebase-merge/head-name", "/rebase-apply/head-name", "/rebase-merge/update-refs"}) {
    const std::string text = TRY(or_empty(read_file(git_dir + file, 1u << 20)));
    for (const std::string_view line : lines_of(text)) {
      if (line.starts_with(kHeads)) held.emplace_back(std::string(line));
    }
  }
  return held;
}

Status add_checkout(std::vector<CheckoutPlace>& places, CheckoutPlace place) {
  const HeadValue head = TRY(read_head(place.git_dir));
  if (head.symbolic) {
    place.branch = head.target;
    places.push_back(std::move(place));
    return {};
  }
  const std::vector<RefName> held = TRY(held_by_rebase(place.git_dir));
  if (held.empty()) places.push_back(place);
  for (const RefName& branch : held) {
    place.branch = branch;
    places.push_back(place);
  }
  return {};
}

}  // namespace

struct Repository::KnownIdentity {
  std::mutex mutex;
  std::uint64_t asked = 0;  // 0: none is known
  Identity who;
};

Repository::Repository(RepositoryPlace place, Git git, Environment caller_config, Objects objects)
    : place_(std::move(place)),
      git_(std::move(git)),
      caller_config_(std::move(caller_config)),
      config_(std::make_shared<Config>(git_, asking())),
      identity_(std::make_shared<KnownIdentity>()),
      refs_(place_.common_dir, git_),
      objects_(std::move(objects)) {}

Result<Repository> Repository::open(const std::string& cwd, const Environment& caller) {
  Git git(caller);
  RepositoryPlace place = TRY(discover(git, cwd, caller));
  TRY(check_supported(place));
  Objects objects = TRY(Objects::open(place.common_dir, git));
  return Repository(std::move(place), std::move(git), caller_config(caller), std::move(objects));
}

GitOptions Repository::here() const {
  GitOptions options;
  options.dir = place_.worktree.value_or(place_.git_dir);
  options.extra["GIT_DIR"] = place_.git_dir;
  if (place_.worktree) options.extra["GIT_WORK_TREE"] = *place_.worktree;
  return options;
}

GitOptions Repository::asking() const {
  GitOptions options = here();
  options.extra.insert(caller_config_.begin(), caller_config_.end());
  return options;
}

Result<RefName> Repository::target_branch(const std::optional<std::string>& onto) const {
  RefName name;
  if (!onto || *onto == "HEAD" || *onto == "@") {
    const HeadValue head = TRY(read_head(place_.git_dir));
    if (!head.symbolic) {
      return fail(Code::kUsage, "HEAD is detached, so there is no current branch to land on",
                  "name the branch with --onto BRANCH");
    }
    name = head.target;
  } else {
    name = RefName(onto->starts_with("refs/") ? *onto : std::string(kHeads) + *onto);
    if (!name.str().starts_with(kHeads)) {
      return fail(Code::kUsage, "'" + *onto + "' is not a local branch",
                  "landings move local branches only; make one with: git branch NAME " + *onto);
    }
  }
  name = TRY(refs_.resolve_name(name));
  if (!name.str().starts_with(kHeads)) {
    return fail(Code::kUsage,
                "the current branch is " + name.str() + ", which is not a local branch",
                "name a branch with --onto BRANCH");
  }
  auto value = refs_.read(name);
  if (value) return name;
  if (value.error().code != Code::kNotFound) return std::unexpected(std::move(value).error());
  return missing_branch(name, onto);
}

Result<RefName> Repository::missing_branch(const RefName& name,
                                           const std::optional<std::string>& onto) const {
  const std::string short_name = short_branch(name);
  if (TRY(refs_.list("refs/")).empty()) {
    return fail(Code::kUnsupported, "the repository is empty: it has no commit to start from",
                "make a first commit: git commit --allow-empty -m start");
  }
  const HeadValue head = TRY(read_head(place_.git_dir));
  if (head.symbolic && head.target == name) {
    return fail(Code::kUnsupported, "the branch '" + short_name + "' has no commit yet",
                "make its first commit, or name another branch with --onto BRANCH");
  }
  for (const auto& [prefix, what] :
       {std::pair("refs/tags/", "a tag"), std::pair("refs/remotes/", "a remote branch")}) {
    if (!onto || !refs_.read(RefName(prefix + *onto))) continue;
    return fail(Code::kUsage, "'" + *onto + "' is " + what + ", not a local branch",
                "make a branch of it with: git branch NAME " + *onto);
  }
  return fail(Code::kUsage, "there is no branch '" + short_name + "'",
              "list the branches with: git branch --list");
}

Result<std::optional<std::string>> Repository::main_worktree() const {
  if (place_.git_dir == place_.common_dir && place_.worktree) return place_.worktree;
  if (TRY(refs_.config().flag("core.bare")).value_or(false)) return std::nullopt;
  const std::string set = TRY(refs_.config().path("core.worktree")).value_or("");
  if (!set.empty()) return normal_path(join_path(place_.common_dir, set));
  if (base_name(place_.common_dir) == ".git") return parent_dir(place_.common_dir);
  return std::nullopt;
}

Result<std::vector<CheckoutPlace>> Repository::checkouts() const {
  std::vector<CheckoutPlace> places;
  if (const auto main = TRY(main_worktree())) {
    TRY(add_checkout(places, {*main, place_.common_dir, {}}));
  }
  for (const DirEntry& entry : TRY(or_empty(list_dir(place_.common_dir + "/worktrees")))) {
    const std::string git_dir = place_.common_dir + "/worktrees/" + entry.name;
    auto pointer = TRY(if_there(read_file(git_dir + "/gitdir", 1u << 16)));
    if (!pointer) continue;  // being made or removed
    // "<worktree>/.git", absolute or relative to where it is written
    const std::string dot_git = normal_path(join_path(git_dir, trimmed(*pointer)));
    if (!TRY(exists(dot_git))) continue;  // prunable: its directory is gone
    TRY(add_checkout(places, {parent_dir(dot_git), git_dir, {}}));
  }
  return places;
}

Result<std::vector<ListedConfig>> Repository::lasting_config() const {
  return caller_config_.empty() ? config_->listed() : list_config(git_, here());
}

// A name or an address that git does not take signs from (crud() in git's ident.c, of all
// versions).
bool is_kept_by_git(std::string_view said) {
  const auto may_end = [](char c) {
    return static_cast<unsigned char>(c) > ' ' && !std::string_view(".,:;<>\"\\'").contains(c);
  };
  return !said.empty() && may_end(said.front()) && may_end(said.back()) &&
         said.find_first_of("<>\n") == std::string_view::npos;
}

Result<Identity> Repository::identity() const {
  TRY(config_->get("user.email"));
  const std::scoped_lock lock(identity_->mutex);
  if (identity_->asked != config_->times_asked()) {
    identity_->who = TRY(ask_identity());
    identity_->asked = config_->times_asked();
  }
  return identity_->who;
}

Result<std::optional<std::string>> Repository::identity_part(const std::string& part) const {
  const auto& env = git_.env();
  const auto given = env.find(part == "name" ? "GIT_COMMITTER_NAME" : "GIT_COMMITTER_EMAIL");
  std::optional<std::string> said;
  if (given != env.end()) said = given->second;
  for (const char* section : {"committer.", "user."}) {
    if (!said) said = TRY(config_->get(section + part));
  }
  return said && is_kept_by_git(*said) ? said : std::nullopt;
}

Result<Identity> Repository::ask_identity() const {
  const auto name = TRY(identity_part("name")), email = TRY(identity_part("email"));
  if (name && email) return Identity{*name, *email};
  const Output output = TRY(git_.run({"var", "GIT_COMMITTER_IDENT"}, asking()));
  const std::size_t open = output.out.find(" <");
  const std::size_t close = output.out.rfind("> ");
  const bool parsed = open != std::string::npos && close != std::string::npos && open + 2 <= close;
  if (!output.exit.success() || !parsed) {
    return fail(Code::kUsage, "git does not know who you are",
                "tell it: git config --global user.name \"Your Name\" && "
                "git config --global user.email you@example.com");
  }
  return Identity{output.out.substr(0, open), output.out.substr(open + 2, close - open - 2)};
}

Result<bool> Repository::has_uncommitted_changes() const {
  if (!place_.worktree) return false;
  const std::string status =
      TRY(git_.must({"status", "--porcelain", "-z", "--untracked-files=normal"}, here()));
  return !status.empty();
}

}  // namespace gittxn::repo
