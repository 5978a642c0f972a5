// A transaction's worktree in a test, and an agent that works in it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "repo/testing/scratch_repo.h"
#include "repo/worktree.h"

namespace gittxn::repo::testing {

// Not write_file: that needs room for a longer name beside the file.
inline void write_raw(const std::string& path, std::string_view bytes, mode_t mode = 0644) {
  const UniqueFd fd = must(open_fd(path, O_WRONLY | O_CREAT | O_TRUNC, mode));
  must(write_all(fd.get(), bytes));
  if (::fchmod(fd.get(), mode) != 0) throw std::runtime_error("fchmod " + path);
}

// A repository with something of everything to take.
inline ScratchRepo take_repo() {
  ScratchRepo repo;
  repo.write("README", "hello\n");
  repo.write("src/a.txt", "a\n");
  repo.write("src/b.txt", "b\n");
  repo.write("src/run.sh", "#!/bin/sh\n", 0755);
  repo.write(".gitignore", "*.log\nbuild/\n");
  repo.commit("first");
  return repo;
}

// What a person's own git would be given in a private worktree: the same home, no identity by
// environment, so that what is configured is what counts.
class Agent {
 public:
  explicit Agent(const ScratchRepo& repo, const std::string& name = "wt",
                 RefName target = RefName("refs/heads/main"))
      : repo_(repo), repository_(repo.open()), target_(std::move(target)) {
    base_ = must(repository_.refs().read(target_));
    WorktreeSpec spec;
    spec.path = repo.root() + "/" + name;
    spec.base = base_;
    spec.target = target_;
    spec.txn = TxnId("t-test");
    worktree_ = must(create_worktree(repository_, spec));
  }

  Repository& repository() { return repository_; }
  const Worktree& worktree() const { return worktree_; }
  const Oid& base() const { return base_; }
  std::string file(std::string_view name) const { return join_path(worktree_.tree, name); }

  void write(std::string_view name, std::string_view bytes, mode_t mode = 0644) const {
    must(make_dirs(parent_dir(file(name)), 0755));
    write_raw(file(name), bytes, mode);
  }
  void remove(std::string_view name) const { must(remove_tree(file(name))); }
  std::string read(std::string_view name) const { return must(read_file(file(name))); }
  std::string git(std::vector<std::string> args, std::string input = {}) const {
    return repo_.git_in(worktree_.tree, std::move(args), std::move(input));
  }
  // Any exit status; output and errors together.
  Output try_git(std::vector<std::string> args) const {
    args.insert(args.begin(), "git");
    return sh(std::move(args));
  }
  Output sh(std::vector<std::string> argv) const {
    Command command;
    command.argv = std::move(argv);
    command.cwd = worktree_.tree;
    command.env = const_cast<ScratchRepo&>(repo_).env();
    return must(gittxn::run(command));
  }
  void commit(const std::string& message) const {
    git({"add", "-A"});
    git({"commit", "-q", "--allow-empty", "-m", message});
  }
  Oid oid(const std::string& revision) const {
    return Oid(git({"rev-parse", "--verify", revision}));
  }

  Result<Taken> try_take() { return take(repository_, worktree_, base_, target_); }
  Taken take_all() { return must(try_take()); }

 private:
  const ScratchRepo& repo_;
  Repository repository_;
  RefName target_;
  Oid base_;
  Worktree worktree_;
};

inline std::vector<std::string> paths_of(const Changes& changes) {
  std::vector<std::string> paths;
  for (const PathChange& change : files_of(changes)) paths.push_back(change.path);
  return paths;
}

}  // namespace gittxn::repo::testing
