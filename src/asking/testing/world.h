// A repository, a place for askings that is not below a temporary directory, and questions. For
// tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "asking/ask.h"
#include "base/fs.h"
#include "base/testing/campaign.h"
#include "repo/testing/place.h"

namespace gittxn::asking::testing {

using repo::testing::must;
using repo::testing::ScratchRepo;

// Beside the program of the test.
class PlaceOutside {
 public:
  PlaceOutside() {
    std::string name = parent_dir(must(read_link("/proc/self/exe"))) + "/asking-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = must(real_path(name));
  }
  ~PlaceOutside() { EXPECT_TRUE(remove_tree(path_).has_value()) << path_; }
  PlaceOutside(const PlaceOutside&) = delete;
  PlaceOutside& operator=(const PlaceOutside&) = delete;
  std::string operator/(std::string_view name) const { return join_path(path_, name); }

 private:
  std::string path_;
};

// Returns what this machine lacks for an asking: overlays, or the means to confine. "" is nothing.
inline std::string missing_for_asking() {
  std::string why = repo::testing::missing(repo::overlay_marks());
  const auto means = capture::confine_means();
  return why.empty() && !means ? means.error().message : why;
}

// A directory as txn/ lays it out: worktrees of all transactions, and what belongs to none of them.
class World : public ::testing::Test {
 protected:
  World()
      : repo_(repo::testing::some_repo()),
        repository_(repo_.open()),
        worktrees_(outside_ / "worktrees"),
        at_(worktrees_ + "/t-1/1/tree"),
        home_(outside_ / "home") {
    must(make_dirs(at_));
    must(make_dirs(home_));
    must(write_file(home_ + "/mine", "mine\n", Sync::kNo));
  }
  void SetUp() override {
    if (const std::string why = missing_for_asking(); !why.empty()) GTEST_SKIP() << why;
  }

  AskSpec spec(std::vector<std::string> argv) const {
    AskSpec spec;
    spec.argv = std::move(argv);
    spec.at = at_;
    spec.cwd = at_;
    spec.tree = repo_.tree();
    spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", home_}};
    spec.hidden = {worktrees_};
    spec.timeout_ms = 60'000;
    return spec;
  }
  AskSpec shell(const std::string& script) const { return spec({"/bin/sh", "-c", script}); }

  Asker open() { return must(Asker::open(repository_, root(), worktrees_ + "/shared")); }
  std::string root() const { return worktrees_ + "/asking"; }

  Result<Asked> ask(const AskSpec& spec) {
    if (!asker_) asker_.emplace(open());
    return asker_->ask(spec);
  }
  // Returns both streams, and the status where it is not 0.
  std::string said(const AskSpec& spec) {
    const Asked asked = must(ask(spec));
    EXPECT_EQ(asked.no_answer, "");
    std::string text = asked.out.end + asked.err.end;
    if (asked.status != 0) text += "status " + std::to_string(asked.status) + "\n";
    return text;
  }
  std::string said(const std::string& script) { return said(shell(script)); }

  ScratchRepo repo_;
  repo::Repository repository_;
  PlaceOutside outside_;
  std::string worktrees_, at_, home_;
  std::optional<Asker> asker_;
};

}  // namespace gittxn::asking::testing
