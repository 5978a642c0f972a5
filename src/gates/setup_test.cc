#include "gates/checkout.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "gates/testing/gate_world.h"
#include "repo/worktree/worktree_mount.h"

namespace gittxn::gates {
namespace {

using testing::GateWorld;
using ::testing::HasSubstr;
using testing::must;

class SetUpTree : public ::testing::Test {
 protected:
  Result<std::string> prepared(const std::string& toml, Sharing sharing = Sharing::kCopy) {
    repo::WorktreeSpec spec;
    spec.path = join_path(world_.repo().root(), "worktree");
    spec.base = world_.base();
    spec.target = RefName("refs/heads/main");
    spec.txn = TxnId("t-test");
    worktree_ = must(repo::create_worktree(world_.repository(), spec));
    tree_ = worktree_.tree;
    TRY(prepare_worktree(world_.context(), must(parse_policy(toml)), worktree_, sharing, notes_));
    return tree_;
  }
  std::string text(const std::string& name) {
    return read_file(join_path(tree_, name)).value_or("(absent)");
  }
  // The output of a script that runs where the worktree's own commands run.
  std::string inside(const std::string& script) {
    const repo::Mount mount = must(repo::Mount::open(worktree_));
    const std::string out = join_path(world_.repo().root(), "out");
    must(repo::inside(mount, [&]() -> Status {
      Command command;
      command.argv = {"sh", "-c", "exec 2>&1\n" + script};
      command.cwd = tree_;
      command.env = world_.repo().env();
      return write_file(out, TRY(run(command)).out, Sync::kNo);
    }));
    return must(read_file(out));
  }
  // Why this machine mounts nothing; "" where it does, and then a note is a failure.
  std::string unmountable() {
    for (const repo::KindSupport& kind : repo::probe_kinds(world_.repo().root())) {
      if (kind.kind == repo::WorktreeKind::kOverlay && !kind.usable) return kind.detail;
    }
    return {};
  }
  GateWorld world_;
  repo::Worktree worktree_;
  std::string tree_;
  std::vector<std::string> notes_;
};

TEST_F(SetUpTree, CopiesSharesAndRuns) {
  world_.repo().write(".env", "KEY=1\n");
  world_.repo().write("node_modules/lib.js", "lib\n");
  must(
      prepared("[worktree]\ncopy = [\".env\", \"absent.log\"]\nshare = [\"node_modules\"]\n"
               "run = [\"cat .env >made.log\", [\"cp\", \"README\", \"argv.log\"]]\n"));
  EXPECT_EQ(text(".env"), "KEY=1\n");
  EXPECT_EQ(text("node_modules/lib.js"), "lib\n");
  EXPECT_EQ(text("made.log"), "KEY=1\n");
  EXPECT_EQ(text("argv.log"), "hello\n");
  EXPECT_EQ(world_.repo().git_in(tree_, {"status", "--porcelain"}), "");
}

TEST_F(SetUpTree, AFolderThatIsSharedIsNotCopiedAndKeepsWhatItHad) {
  const std::string person = world_.repo().path();
  world_.repo().write("node_modules/lib.js", "lib\n");
  world_.repo().write("web/cache.log/a/b.js", "b\n");
  must(
      prepared("[worktree]\nshare = [\"node_modules\", \"web/cache.log\", \"absent\"]\n"
               "run = [\"cat node_modules/lib.js >made.log\"]\n",
               Sharing::kMount));
  if (const std::string why = unmountable(); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(notes_.empty()) << notes_.front();
  EXPECT_EQ(text("made.log"), "lib\n");
  EXPECT_EQ(text("node_modules/lib.js"), "(absent)") << "nothing is copied";
  EXPECT_EQ(inside("cat node_modules/lib.js web/cache.log/a/b.js"), "lib\nb\n");
  EXPECT_EQ(inside("echo new >node_modules/new.js; rm node_modules/lib.js; ls node_modules"),
            "new.js\n");
  EXPECT_EQ(inside("ls node_modules"), "new.js\n") << "as a command before left it";
  EXPECT_EQ(must(read_file(person + "/node_modules/lib.js")), "lib\n");
  EXPECT_FALSE(must(exists(person + "/node_modules/new.js")));
  EXPECT_EQ(inside("git status --porcelain"), "");
  must(repo::remove_worktree(worktree_.path));
  EXPECT_EQ(must(read_file(person + "/web/cache.log/a/b.js")), "b\n");
}

TEST_F(SetUpTree, WhatIsSharedMustBeIgnored) {
  world_.repo().write("papers/draft.txt", "mine\n");
  auto result = prepared("[worktree]\nshare = [\"papers\"]\n", Sharing::kMount);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kRefused);
  EXPECT_THAT(result.error().message, HasSubstr("papers"));
}

TEST_F(SetUpTree, NothingIsMountedWhereALinkOfTheAgentsLeads) {
  world_.repo().write("node_modules/lib.js", "lib\n");
  must(prepared("[worktree]\nshare = [\"node_modules\"]\n", Sharing::kMount));
  if (const std::string why = unmountable(); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(notes_.empty()) << notes_.front();
  const std::string elsewhere = join_path(world_.repo().root(), "elsewhere");
  must(make_dirs(elsewhere));
  must(write_file(elsewhere + "/mine", "mine\n", Sync::kNo));
  const std::string place = join_path(tree_, "node_modules");
  ASSERT_EQ(::rmdir(place.c_str()), 0);
  ASSERT_EQ(::symlink(elsewhere.c_str(), place.c_str()), 0);
  EXPECT_EQ(inside("ls " + elsewhere), "mine\n");
}

TEST_F(SetUpTree, WhatWouldLandWithEveryChangeIsRefused) {
  world_.repo().write("secrets.txt", "KEY=1\n");
  auto result = prepared("[worktree]\ncopy = [\"secrets.txt\"]\n");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kRefused);
  EXPECT_THAT(result.error().message, HasSubstr("secrets.txt"));
  EXPECT_THAT(result.error().hint, HasSubstr(".gitignore"));
}

TEST_F(SetUpTree, WhatTheTreeHasIsItsOwn) {
  world_.repo().write("README", "my unfinished edit\n");
  must(prepared("[worktree]\ncopy = [\"README\"]\n"));
  EXPECT_EQ(text("README"), "hello\n");
}

TEST_F(SetUpTree, AFailingCommandIsQuoted) {
  auto result = prepared("[worktree]\nrun = [\"echo the reason; exit 9\"]\n");
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("ended with 9: the reason"));
}

class Listener {
 public:
  explicit Listener(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    bound_ = bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
             listen(fd_.get(), 1) == 0;
  }
  bool bound() const { return bound_; }

 private:
  UniqueFd fd_;
  bool bound_ = false;
};

// Ports that the kernel gives to nobody by itself.
TEST(Ports, BlocksDoNotMeetAndFreeThemselves) {
  GateWorld world;
  Policy policy = must(parse_policy("[worktree]\nports = [22310, 22329]\n"));
  auto first = must(reserve_ports(world.context(), policy, "seed"));
  auto second = must(reserve_ports(world.context(), policy, "seed"));
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->first, second->first);
  auto third = reserve_ports(world.context(), policy, "seed");
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, Code::kBusy);
  int freed = first->first;
  first.reset();
  EXPECT_EQ(must(reserve_ports(world.context(), policy, "other"))->first, freed);
  EXPECT_FALSE(must(reserve_ports(world.context(), must(parse_policy("")), "seed")).has_value());
}

TEST(Ports, APortInUseIsNotGiven) {
  GateWorld world;
  Policy policy = must(parse_policy("[worktree]\nports = [22330, 22330]\n"));
  ASSERT_TRUE(must(reserve_ports(world.context(), policy, "seed")).has_value());
  Listener listener(22330);
  ASSERT_TRUE(listener.bound());
  EXPECT_FALSE(reserve_ports(world.context(), policy, "seed").has_value());
}

}  // namespace
}  // namespace gittxn::gates
