// A landing on a scratch repository's checkout, step by step as land/ does it, and processes that
// are killed or stopped at a failpoint in the middle of one.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/failpoint.h"
#include "base/sync.h"
#include "repo/checkout.h"
#include "repo/testing/agent.h"

namespace gittxn::repo::testing {

struct NewFile {
  std::string bytes;
  FileMode mode = FileMode::kFile;
};
using Edits = std::map<std::string, std::optional<NewFile>>;  // nullopt removes

class Landing {
 public:
  Landing(const ScratchRepo& repo, const Edits& edits, std::string id = "t-land")
      : Landing(repo, repo.path(), edits, std::move(id)) {}
  Landing(const ScratchRepo& repo, const std::string& checkout, const Edits& edits, std::string id)
      : repo_(repo),
        repository_(must(Repository::open(checkout, env_of(repo)))),
        txn_(std::move(id)) {
    Objects& objects = repository_.objects();
    const RefName branch = must(read_head(repository_.place().git_dir)).target;
    move_.old_commit = must(repository_.refs().read(branch));
    const Oid tree = must(objects.tree_of(move_.old_commit));
    Changes changes;
    for (const auto& [path, file] : edits) {
      PathChange change;
      change.path = path;
      change.before = must(objects.entry_at(tree, path));
      if (change.before.mode == FileMode::kTree) change.before = {};  // its files are edits too
      if (file) change.after = {file->mode, must(objects.write_blob(file->bytes))};
      changes.push_back(std::move(change));
    }
    NewCommit commit;
    commit.tree = write_tree(edits);
    commit.parents = {move_.old_commit};
    commit.author = commit.committer = "Lander <lander@example.com> 1700000000 +0000";
    commit.message = "landing\n";
    move_.new_commit = must(objects.write_commit(commit));
    move_.place = {must(real_path(checkout)), repository_.place().git_dir, branch};
    move_.files = std::move(changes);
  }

  const CheckoutMove& move() const { return move_; }
  const TxnId& txn() const { return txn_; }
  Repository& repository() { return repository_; }
  std::string staging() const { return move_.place.git_dir + "/txn/displaced/" + txn_.str(); }

  std::string blocked() {
    const auto block = must(probe_checkout(repository_, move_));
    return block ? std::string(wait_words(block->reason)) + ": " + block->path : "";
  }
  void swap_ref() {
    repo_.git(
        {"update-ref", move_.place.branch.str(), move_.new_commit.str(), move_.old_commit.str()});
  }

  // All of it; the caller dies where a failpoint says so.
  MoveReport land() {
    must(fsync_all(must(stage_checkout(repository_, txn_, move_))));
    IndexLock lock = must(IndexLock::acquire(move_.place, txn_, move_.new_commit, 0));
    if (auto block = must(probe_checkout(repository_, move_))) {
      throw std::runtime_error("blocked: " + std::string(wait_words(block->reason)) + " " +
                               block->path);
    }
    lock.abandon();
    swap_ref();
    MoveReport report = must(move_checkout(repository_, txn_, move_));
    must(finish_checkout(repository_, txn_, move_, std::move(lock)));
    return report;
  }
  // What recovery does, by where the branch is.
  MoveReport recover() {
    if (must(repository_.refs().read(move_.place.branch)) == move_.new_commit) {
      return must(resume_checkout(repository_, txn_, move_));
    }
    must(discard_checkout(txn_, move_));
    return {};
  }

 private:
  static Environment env_of(const ScratchRepo& repo) {
    return const_cast<ScratchRepo&>(repo).env();
  }

  Oid write_tree(const Edits& edits) {
    const std::string index = repo_.root() + "/index-of-landing";
    GitOptions git{.dir = repo_.root(),
                   .extra = {{"GIT_DIR", repository_.place().git_dir}, {"GIT_INDEX_FILE", index}}};
    must(remove_file(index));
    must(repository_.git().must({"read-tree", move_.old_commit.str()}, git));
    for (const auto& [path, file] : edits) {
      if (!file) git.input += "0 " + std::string(40, '0') + "\t" + path + '\0';
    }
    for (const auto& [path, file] : edits) {
      if (!file) continue;
      git.input += std::string(mode_text(file->mode)) + " " +
                   must(repository_.objects().write_blob(file->bytes)).str() + "\t" + path + '\0';
    }
    must(repository_.git().must({"update-index", "-z", "--index-info"}, git));
    git.input.clear();
    std::string tree = must(repository_.git().must({"write-tree"}, git));
    tree.pop_back();
    must(remove_file(index));
    return Oid(tree);
  }

  const ScratchRepo& repo_;
  Repository repository_;
  TxnId txn_;
  CheckoutMove move_;
};

// A process of its own that does `work` with a failpoint armed.
class Victim {
 public:
  Victim(const std::string& failpoint, const std::function<void()>& work) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    int status = 0;
    try {
      if (!failpoint.empty()) must(Failpoint::arm(failpoint));
      work();
    } catch (const std::exception& error) {
      (void)!::write(2, error.what(), std::char_traits<char>::length(error.what()));
      status = 9;
    }
    ::_exit(status);
  }
  ~Victim() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // 128 + signal when it was killed, else its exit status.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  // Until a failpoint "=stop" stops it. False: it ended before.
  bool wait_stopped() {
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
    if (WIFSTOPPED(status)) return true;
    pid_ = -1;
    return false;
  }
  void go_on() const { ::kill(pid_, SIGCONT); }

 private:
  pid_t pid_ = -1;
};

constexpr int kKilled = 128 + SIGKILL;

}  // namespace gittxn::repo::testing
