// A repository for a test: a fresh directory with `git init -b main`, an identity and a clock that
// are always the same, and nothing of the person's own configuration. Removed when it goes out of
// scope. A git command that fails throws, which fails the test with git's own words.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/fs.h"
#include "base/ids.h"
#include "base/subprocess.h"
#include "repo/git.h"
#include "repo/repository.h"

namespace gittxn::repo::testing {

template <typename T>
T must(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().where + ": " + result.error().message);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// A directory of its own below TMPDIR.
class ScratchDir {
 public:
  ScratchDir() {
    const char* parent = std::getenv("TMPDIR");
    std::string name = std::string(parent != nullptr ? parent : "/tmp") + "/gittxn-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = must(real_path(name));
  }
  ~ScratchDir() {
    if (!path_.empty()) (void)remove_tree(path_);
  }
  ScratchDir(ScratchDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDir& operator=(ScratchDir&&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return join_path(path_, name); }

 private:
  std::string path_;
};

// What a git command sees in a test: the machine's PATH, an empty home, fixed names and dates.
inline Environment test_environment(const std::string& home) {
  Environment env;
  const char* path = std::getenv("PATH");
  env["PATH"] = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  env["HOME"] = home;
  env["XDG_CONFIG_HOME"] = home + "/.config";
  env["XDG_STATE_HOME"] = home + "/.local/state";
  env["GIT_CONFIG_GLOBAL"] = "/dev/null";
  env["GIT_CONFIG_NOSYSTEM"] = "1";
  env["GIT_CONFIG_SYSTEM"] = "/dev/null";
  env["GIT_AUTHOR_NAME"] = "Test Author";
  env["GIT_AUTHOR_EMAIL"] = "author@example.com";
  env["GIT_AUTHOR_DATE"] = "1700000000 +0100";
  env["GIT_COMMITTER_NAME"] = "Test Committer";
  env["GIT_COMMITTER_EMAIL"] = "committer@example.com";
  env["GIT_COMMITTER_DATE"] = "1700000000 +0000";
  env["TZ"] = "UTC";
  return env;
}

class ScratchRepo {
 public:
  explicit ScratchRepo(std::vector<std::string> init_options = {})
      : env_(test_environment(home())) {
    must(make_dirs(home()));
    std::vector<std::string> args = {"init", "-q", "-b", "main"};
    args.insert(args.end(), init_options.begin(), init_options.end());
    args.push_back(path());
    run_git(std::move(args), {}, scratch_.path());
  }

  std::string path() const { return scratch_ / "repo"; }  // the worktree
  std::string git_dir() const { return path() + "/.git"; }
  std::string home() const { return scratch_ / "home"; }
  std::string root() const { return scratch_.path(); }  // for other things of the same test
  std::string file(std::string_view name) const { return join_path(path(), name); }
  Environment& env() { return env_; }  // tests may add to it
  Git runner() const { return Git(env_); }

  // Standard output without its last line break.
  std::string git(std::vector<std::string> args, std::string input = {}) const {
    return run_git(std::move(args), std::move(input), path());
  }
  std::string git_in(const std::string& dir, std::vector<std::string> args,
                     std::string input = {}) const {
    return run_git(std::move(args), std::move(input), dir);
  }
  // The exit status of a command that may fail.
  int git_status(std::vector<std::string> args) const {
    args.insert(args.begin(), "git");
    Command command;
    command.argv = std::move(args);
    command.cwd = path();
    command.env = env_;
    return must(gittxn::run(command)).exit.status;
  }

  void write(std::string_view name, std::string_view bytes, mode_t mode = 0644) const {
    must(make_dirs(parent_dir(file(name)), 0755));
    must(write_file(file(name), bytes, Sync::kNo, mode));
  }
  void remove(std::string_view name) const { must(remove_tree(file(name))); }
  // Everything in the worktree as one commit, empty or not.
  Oid commit(const std::string& message) const {
    git({"add", "-A"});
    git({"commit", "-q", "--allow-empty", "-m", message});
    return head();
  }
  Oid head() const { return oid("HEAD"); }
  Oid oid(const std::string& revision) const {
    return Oid(git({"rev-parse", "--verify", revision}));
  }
  Oid tree(const std::string& revision = "HEAD") const { return oid(revision + "^{tree}"); }

  Repository open() const { return must(Repository::open(path(), env_)); }
  Objects objects() const { return must(Objects::open(git_dir(), runner())); }

 private:
  std::string run_git(std::vector<std::string> args, std::string input,
                      const std::string& dir) const {
    args.insert(args.begin(), "git");
    Command command;
    command.argv = std::move(args);
    command.cwd = dir;
    command.env = env_;
    command.input = std::move(input);
    Output output = must(gittxn::run(command));
    if (!output.exit.success()) {
      throw std::runtime_error(quote_argv(command.argv) + ": " + output.err + output.out);
    }
    if (output.out.ends_with('\n')) output.out.pop_back();
    return std::move(output.out);
  }

  ScratchDir scratch_;
  Environment env_;
};

}  // namespace gittxn::repo::testing
