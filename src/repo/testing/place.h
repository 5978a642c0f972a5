// A worktree of any kind, and a shell in it, for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/subprocess.h"
#include "base/testing/campaign.h"
#include "repo/testing/scratch_repo.h"
#include "repo/worktree/worktree_mount.h"

namespace gittxn::repo::testing {

// A worktree of some kind, and a shell in it.
class Place {
 public:
  Place(ScratchRepo& repo, WorktreeKind kind, const std::string& name,
        OverlayMarks marks = OverlayMarks::kTrusted)
      : repo_(repo), repository_(repo.open()) {
    spec_.path = repo.root() + "/" + name;
    spec_.base = repo.head();
    spec_.target = RefName("refs/heads/main");
    spec_.txn = TxnId("t-test");
    spec_.kind = kind;
    spec_.shared = repo.root() + "/shared";
    spec_.marks = marks;
    worktree_ = must(create_worktree(repository_, spec_));
  }

  // The output of a script that runs in the tree, errors included.
  std::string sh(const std::string& script) {
    const Mount mount = must(Mount::open(worktree_));
    std::string out = repo_.root() + "/out";
    must(inside(mount, [&]() -> Status {
      Command command;
      command.argv = {"sh", "-c", "exec 2>&1\n" + script};
      command.cwd = worktree_.tree;
      command.env = repo_.env();
      const Output output = TRY(run(command));
      return write_file(out, output.out, Sync::kNo);
    }));
    return must(read_file(out));
  }
  // Until the holder has ended, which has its lock for as long as it lives.
  void wait_for_holder() {
    constexpr std::int64_t kPatienceMs = 60'000;
    must(FileLock::acquire(worktree_.path + "/mount.lock", kPatienceMs));
  }
  Result<Taken> try_take() { return take(repository_, worktree_, spec_.base, spec_.target); }
  Taken take_all() { return must(try_take()); }
  const Worktree& worktree() const { return worktree_; }
  void use(Worktree worktree) { worktree_ = std::move(worktree); }
  Repository& repository() { return repository_; }

 private:
  ScratchRepo& repo_;
  Repository repository_;
  WorktreeSpec spec_;
  Worktree worktree_;
};

// Overlays that this machine cannot mount are another test's business.
inline std::string missing(OverlayMarks marks) {
  if (gittxn::testing::kThreadSanitizer)
    return "who enters a namespace has one thread, and TSan one more";
  if (marks == OverlayMarks::kTrusted && overlay_marks() != marks) return "not the administrator";
  const ScratchDir dir;
  for (const KindSupport& kind : probe_kinds(dir.path())) {
    if (kind.kind == WorktreeKind::kOverlay && !kind.usable) return kind.detail;
  }
  return {};
}

class OverlayTest : public ::testing::TestWithParam<OverlayMarks> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

inline ScratchRepo some_repo() {
  ScratchRepo repo;
  repo.write("README", "hello\n");
  repo.write(".gitignore", "*.log\nbuild/\n");
  repo.write("src/a.txt", "a\n");
  repo.write("src/b.txt", "b\n");
  repo.write("src/deep/c.txt", "c\n");
  repo.write("lib/d.txt", "d\n");
  repo.write("lib/run", "#!/bin/sh\n", 0755);
  must(make_dirs(repo.file("docs"), 0755));
  ::symlink("../README", repo.file("docs/link").c_str());
  repo.commit("first");
  return repo;
}

}  // namespace gittxn::repo::testing
