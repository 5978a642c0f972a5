// Tests of what an asking sees, and of what it cannot do.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "asking/testing/world.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/hash.h"

namespace gittxn::asking {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::must;
using ::testing::Not;

using Asking = testing::World;

// The entries by name, kind, mode and bytes.
constexpr const char* kListing =
    "find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | LC_ALL=C sort; "
    "find . -path ./.git -prune -o -type f -print | LC_ALL=C sort | xargs cat";

class Trees : public testing::World {
 protected:
  // The files that git itself checks out of the head.
  std::string expected() {
    const std::string plain = repo_.root() + "/plain." + std::to_string(number_++);
    repo_.git({"worktree", "add", "-q", "--detach", plain});
    must(remove_file(plain + "/.git"));
    Command command;
    command.argv = {"sh", "-c", kListing};
    command.cwd = plain;
    command.env = repo_.env();
    return must(run(command)).out;
  }
  void change_much() {
    repo_.write("src/a.txt", "changed\n");
    repo_.write("src/new/n.txt", "new\n");
    repo_.write("lib/run", "#!/bin/sh\n", 0644);
    repo_.git({"rm", "-q", "src/b.txt", "src/deep/c.txt", "lib/d.txt", "README"});
    repo_.write("src/deep", "a file now\n");
    repo_.write("README/is/a", "directory now\n");
    ASSERT_EQ(::symlink("../src/new", repo_.file("docs/way").c_str()), 0);
    repo_.commit("second");
  }

  int number_ = 0;
};

TEST_F(Trees, AreSeenAsGitWritesThem) {
  EXPECT_EQ(said(kListing), expected());
  change_much();
  EXPECT_EQ(said(kListing), expected());
  repo_.git({"rm", "-q", "-r", "README", "docs", "lib"});
  repo_.commit("third");
  EXPECT_EQ(said(kListing), expected());
}

TEST_F(Trees, AreSeenOverACheckoutThatWorktreesShare) {
  const repo::testing::Place place(repo_, repo::WorktreeKind::kOverlay, "wt",
                                   repo::overlay_marks());
  asker_.emplace(must(Asker::open(repository_, root(), repo_.root() + "/shared")));
  EXPECT_EQ(said(kListing), expected());
  change_much();
  EXPECT_EQ(said(kListing), expected());
  EXPECT_EQ(said("find . -name .git; cat .git/index"),
            "cat: .git/index: No such file or directory\nstatus 1\n");
  const std::string listed = must(ask(shell("true"))).record_file;
  const std::string trees = parent_dir(parent_dir(parent_dir(listed))) + "/trees";
  EXPECT_THAT(must(list_dir(trees)), Not(Contains(::testing::Field(&DirEntry::name, "whole.0"))));
}

TEST_F(Trees, FollowARuleOfTheirOwn) {
  repo_.write("src/.gitattributes", "*.txt text eol=crlf\n");
  repo_.commit("second");
  EXPECT_EQ(said("od -c src/a.txt | head -1"), "0000000   a  \\r  \\n\n");
  EXPECT_EQ(said(kListing), expected());
  // Over that one the rule counts also for what is written for a layer.
  repo_.write("src/new.txt", "n\n");
  repo_.commit("third");
  EXPECT_EQ(said("od -An -c src/new.txt"), "   n  \\r  \\n\n");
  EXPECT_EQ(said("od -An -c lib/d.txt"), "   d  \\n\n");
}

TEST_F(Trees, HaveTheSameTimesWhereTheyAreTheSame) {
  const std::string times = "find . -printf '%p %T@\\n' | sort";
  const std::string before = said(times);
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  EXPECT_EQ(said(times), before);
}

TEST_F(Trees, AreSeenAtOnePath) {
  const std::string before = said("pwd; ls $PWD/README");
  EXPECT_EQ(before, at_ + "\n" + at_ + "/README\n");
  repo_.write("src/a.txt", "changed\n");
  repo_.commit("second");
  EXPECT_EQ(said("pwd; ls $PWD/README"), before);
}

TEST_F(Trees, NeedACheckoutThatStays) {
  const repo::testing::Place place(repo_, repo::WorktreeKind::kOverlay, "wt",
                                   repo::overlay_marks());
  asker_.emplace(must(Asker::open(repository_, root(), repo_.root() + "/shared")));
  AskSpec slow = shell("sleep 0.3; cat README");
  slow.interrupted = [&] {
    must(remove_tree(parent_dir(place.worktree().shared)));
    return false;
  };
  const auto asked = ask(slow);
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Code::kStale);
  EXPECT_EQ(said("cat README"), "hello\n") << "made anew";
}

TEST_F(Trees, AreNoneOfASparseCheckout) {
  repo_.git({"config", "core.sparseCheckout", "true"});
  const auto opened = Asker::open(repository_, root(), worktrees_ + "/shared");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::kUnsupported);
  EXPECT_THAT(must(list_dir(root())), ElementsAre(::testing::Field(&DirEntry::name, "lock")));
}

TEST_F(Asking, NothingOfTheWorktreeIsSeen) {
  must(make_dirs(at_ + "/build"));
  must(write_file(at_ + "/build/out.o", "made\n", Sync::kNo));
  must(write_file(at_ + "/README", "of the worktree\n", Sync::kNo));
  EXPECT_EQ(said("cat README; ls -A"), "hello\n.gitignore\nREADME\ndocs\nlib\nsrc\n");
}

TEST_F(Asking, WhatItWritesVanishes) {
  EXPECT_EQ(said("echo new >new; rm README; echo more >>src/a.txt; mkdir build; touch /tmp/x; "
                 "rm -r lib; mkdir lib; ls; ls /tmp; cat src/a.txt"),
            "build\ndocs\nlib\nnew\nsrc\nx\na\nmore\n");
  EXPECT_EQ(said("ls; ls /tmp; cat src/a.txt"), "README\ndocs\nlib\nsrc\na\n");
  EXPECT_THAT(must(list_dir(at_)), IsEmpty());
}

TEST_F(Asking, OutsideIsReadOnly) {
  for (const char* write : {"echo x >$HOME/mine", "echo x >$HOME/new", "chmod 777 $HOME/mine",
                            "mv $HOME/mine $HOME/yours", "rm $HOME/mine", "touch $HOME/mine",
                            "mkdir $HOME/d", "ln -s / $HOME/l", "echo 1 >/proc/sys/vm/drop_caches",
                            "echo x >/run/x", "echo x >/run/git-txn/records",
                            "echo x >/proc/1/root$HOME/new", "echo x >/proc/$PPID/root$HOME/new"}) {
    EXPECT_THAT(said(write), HasSubstr("status ")) << write;
  }
  EXPECT_EQ(said("cat $HOME/mine; ls -A $HOME"), "mine\nmine\n");
  struct stat info{};
  EXPECT_EQ(::stat((home_ + "/mine").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(Asking, ALinkInTheTreeLeadsToNothingThatCanBeWritten) {
  ASSERT_EQ(::symlink(home_.c_str(), repo_.file("out").c_str()), 0);
  repo_.commit("a link");
  EXPECT_THAT(said("echo x >out/new"), HasSubstr("status "));
  AskSpec there = shell("echo x >new");
  there.cwd = at_ + "/out";
  EXPECT_THAT(said(there), HasSubstr("status "));
  AskSpec temporary = shell("echo x >$TMPDIR/new");
  temporary.env["TMPDIR"] = at_ + "/out";
  EXPECT_THAT(said(temporary), HasSubstr("status "));
  EXPECT_EQ(must(list_dir(home_)).size(), 1u);
}

// A link in the tree that has the name of a place which the original command could write.
TEST_F(Asking, ARightToAPlaceInTheTreeIsNoneToWhereALinkLeads) {
  ASSERT_EQ(::symlink(home_.c_str(), repo_.file("build").c_str()), 0);
  repo_.commit("a link");
  AskSpec ask = shell("echo x >build/new; echo x >new && echo there");
  ask.confine.emplace();
  ask.confine->write = {at_, at_ + "/build"};
  EXPECT_THAT(said(ask), ::testing::StartsWith("there\n"));
  EXPECT_EQ(must(list_dir(home_)).size(), 1u);
}

TEST_F(Asking, TmpdirGivesNoRightToWhatIsThere) {
  AskSpec file = shell("echo x >>$TMPDIR; cat $TMPDIR");
  file.env["TMPDIR"] = home_ + "/mine";
  EXPECT_THAT(said(file), HasSubstr("Read-only file system"));
  AskSpec directory = shell("ls -A $TMPDIR; echo x >$TMPDIR/new; cat $TMPDIR/new");
  directory.env["TMPDIR"] = home_;
  EXPECT_EQ(said(directory), "x\n");
  AskSpec records = shell("echo x >/run/git-txn/records");
  records.env["TMPDIR"] = "/run";
  EXPECT_THAT(said(records), HasSubstr("status "));
  EXPECT_EQ(must(read_file(home_ + "/mine")), "mine\n");
  EXPECT_EQ(must(list_dir(home_)).size(), 1u);
}

TEST_F(Asking, TemporaryDirectoriesAreItsOwn) {
  must(write_file("/tmp/asking-test-outside", "", Sync::kNo));
  EXPECT_EQ(said("ls -A /tmp /var/tmp /dev/shm; echo x >/dev/shm/x; echo y >$TMPDIR/y; "
                 "cat /dev/shm/x /tmp/y; stat -c %a /tmp /dev/shm"),
            "/dev/shm:\n\n/tmp:\n\n/var/tmp:\nx\ny\n1777\n1777\n");
  must(remove_file("/tmp/asking-test-outside"));
  AskSpec below = shell("echo x >$TMPDIR/x; ls $TMPDIR");
  below.env["TMPDIR"] = worktrees_ + "/t-1/1/temp";
  EXPECT_EQ(said(below), "x\n");
}

TEST_F(Asking, TheTreeMayBeInATemporaryDirectory) {
  AskSpec there = shell("pwd; cat README; ls -A /tmp");
  there.at = there.cwd = "/tmp/asking-test/1/tree";
  there.cwd += "/src";
  there.argv = {"/bin/sh", "-c", "pwd; cat ../README; ls -A /tmp"};
  EXPECT_EQ(said(there), "/tmp/asking-test/1/tree/src\nhello\nasking-test\n");
  there.at = there.cwd = "/dev/shm/asking-test/tree";
  there.argv = {"/bin/sh", "-c", "pwd; cat README"};
  EXPECT_EQ(said(there), "/dev/shm/asking-test/tree\nhello\n");
}

TEST_F(Asking, WhatIsHiddenIsEmptyAndWhoWantsItIsNamed) {
  must(make_dirs(worktrees_ + "/t-2/1/tree"));
  must(write_file(worktrees_ + "/t-2/1/tree/secret", "secret\n", Sync::kNo));
  ASSERT_EQ(::symlink((worktrees_ + "/t-2").c_str(), repo_.file("other").c_str()), 0);
  repo_.commit("a link to a neighbour");
  Asked asked = must(ask(shell("cat other/1/tree/secret; ls " + worktrees_ + "; ls -A /run")));
  EXPECT_EQ(asked.out.end,
            "t-1\n"
            "git-txn\n");
  EXPECT_THAT(asked.err.end, HasSubstr("No such file"));
  EXPECT_THAT(asked.wanted_hidden,
              ElementsAre(worktrees_ + "/t-2/1/tree/secret", worktrees_, "/run"));
  EXPECT_EQ(asked.lost, "");
  asked = must(ask(shell("cat README; realpath .; ls -A $HOME; cat /tmp/x")));
  EXPECT_THAT(asked.wanted_hidden, IsEmpty()) << "what is above the tree is walked by all";
}

// A server of the person's, or an agent's.
TEST_F(Asking, ASocketThatItTalksToIsNamed) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // A path of this machine may be longer than a socket's name.
  const UniqueFd home = must(open_fd(home_, O_RDONLY | O_DIRECTORY));
  const std::string path = "/proc/self/fd/" + std::to_string(home.get()) + "/server";
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  const std::string script = "IO::Socket::UNIX->new(Peer => $ARGV[0]) or die";
  AskSpec talk = spec({"perl", "-MIO::Socket::UNIX", "-e", script, "server"});
  ASSERT_EQ(::symlink(home_.c_str(), repo_.file("home").c_str()), 0);
  repo_.commit("a link");
  talk.tree = repo_.tree();
  talk.cwd = at_ + "/home";
  EXPECT_THAT(must(ask(talk)).reached, ElementsAre(home_ + "/server"));
  talk.hidden.push_back(home_);
  const Asked hidden = must(ask(talk));
  EXPECT_THAT(hidden.reached, IsEmpty());
  EXPECT_THAT(hidden.wanted_hidden, Contains(home_ + "/server"));
}

#ifdef GIT_TXN_BUGS
TEST_F(Asking, WhatIsNotHiddenWouldBeNoticed) {
  must(write_file(worktrees_ + "/secret", "secret\n", Sync::kNo));
  arm_bug("asking.nothing_hidden");
  const std::string found = said("cat ../../../secret");
  arm_bug("");
  EXPECT_EQ(found, "secret\n");
}

TEST_F(Asking, ALayerThatStaysWouldBeNoticed) {
  said("echo new >new");
  arm_bug("asking.layer_stays");
  const std::string found = said("cat new");
  arm_bug("");
  EXPECT_EQ(found, "new\n");
}
#endif

TEST_F(Asking, OtherProcessesAreNeitherSeenNorSignalled) {
  EXPECT_THAT(said("ls /proc | grep -c '^[0-9]*$'"), ::testing::MatchesRegex("[1-9]\n"));
  EXPECT_THAT(said("kill -0 " + std::to_string(::getpid()) + " && echo reached"),
              Not(HasSubstr("reached")));
}

TEST_F(Asking, HasANetworkWithNobodyInIt) {
  EXPECT_EQ(said("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"), "lo\n");
  EXPECT_THAT(said("cat /proc/net/fib_trie"), HasSubstr("127.0.0.1"));
  AskSpec host = shell("readlink /proc/self/ns/net");
  host.network = Network::kHost;
  EXPECT_EQ(said(host), must(read_link("/proc/self/ns/net")) + "\n");
}

TEST_F(Asking, GainsNoRights) {
  EXPECT_THAT(said("grep NoNewPrivs /proc/self/status"), EndsWith("1\n"));
  for (const char* gain : {"mount -t tmpfs none /tmp", "mount -o remount,rw,bind /usr", "umount ",
                           "mknod d b 8 0", "unshare -m true && false"}) {
    EXPECT_THAT(said(gain), HasSubstr("status ")) << gain;
  }
  EXPECT_EQ(said("ls -A /dev | tr '\\n' ' '; head -c 3 /dev/zero | od -An -c; echo x >/dev/null; "
                 "test -c /dev/pts/ptmx && echo terminals"),
            "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero "
            "  \\0  \\0  \\0\nterminals\n");
}

TEST_F(Asking, HasNoMoreRightsThanTheOriginalCommand) {
  AskSpec narrow = shell("echo x >README; echo x >/tmp/x; cat README; ls /tmp");
  narrow.confine.emplace();
  narrow.confine->write = {at_, "/dev/null", home_};
  narrow.confine->kept = {worktrees_, at_ + "/src"};
  EXPECT_EQ(said(narrow), "x\n/bin/sh: 1: cannot create /tmp/x: Read-only file system\n");
  narrow.argv = {"/bin/sh", "-c", "echo x >$HOME/x; echo quiet >/dev/null; echo x >README"};
  EXPECT_THAT(said(narrow), HasSubstr("/x: "));
  EXPECT_EQ(must(list_dir(home_)).size(), 1u);
  narrow.confine->write = {"/tmp"};
  narrow.argv = {"/bin/sh", "-c", "echo x >README"};
  EXPECT_THAT(said(narrow), HasSubstr("status "));
}

TEST_F(Asking, SeesTheVariablesItWasAskedWith) {
  AskSpec env = spec({"/usr/bin/env"});
  EXPECT_EQ(said(env).find("LD_PRELOAD") == std::string::npos, false) << "it is traced";
  const std::string bare = said(shell("echo $TZ $LC_ALL $TMPDIR"));
  EXPECT_EQ(bare, "UTC C.UTF-8 /tmp\n");
  AskSpec own = shell("echo $TZ $LC_ALL $LC_TIME $TMPDIR");
  own.env.insert({{"TZ", "Asia/Tokyo"}, {"LC_TIME", "de_DE"}, {"TMPDIR", "/var/tmp"}});
  EXPECT_EQ(said(own), "Asia/Tokyo de_DE /var/tmp\n");
}

TEST_F(Asking, ADashIsNoOption) {
  repo_.write("-n", "dash\n");
  repo_.commit("a dash");
  EXPECT_EQ(said(spec({"cat", "--", "-n"})), "dash\n");
  const auto asked = ask(spec({"-n"}));
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Code::kNotFound);
}

TEST_F(Asking, PathsThatMakeNoSenseAreRefused) {
  AskSpec wrong = spec({"true"});
  wrong.cwd = home_;
  EXPECT_EQ(ask(wrong).error().code, Code::kUsage);
  wrong = spec({"true"});
  wrong.hidden = {"/"};
  EXPECT_EQ(ask(wrong).error().code, Code::kUsage);
  wrong = spec({"true"});
  wrong.at = wrong.cwd = outside_ / "nowhere";
  EXPECT_EQ(ask(wrong).error().code, Code::kNotFound);
  wrong = spec({"true"});
  wrong.cwd = at_ + "/nowhere";
  EXPECT_EQ(ask(wrong).error().code, Code::kNotFound);
  EXPECT_EQ(said("cat README"), "hello\n");
}

TEST_F(Asking, WhatItReadsIsRecordedAsSeenFromInside) {
  const Asked asked = must(ask(spec({"cat", "src/a.txt"})));
  std::vector<std::string> opened;
  const auto summary = must(capture::read_records(asked.record_file, [&](const auto& record) {
    if (capture::content_open(record)) opened.push_back(record.path);
  }));
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_THAT(opened, Contains(at_ + "/src/a.txt"));
  EXPECT_EQ(asked.out.digest, sha256("a\n"));
  EXPECT_EQ(asked.out.bytes, 2u);
}

TEST_F(Asking, StandardInputIsAFileOrNothing) {
  EXPECT_EQ(said("cat; readlink /proc/self/fd/0"), "/dev/null\n");
  AskSpec with = spec({"wc", "-c"});
  with.input = "README";
  EXPECT_EQ(said(with), "6\n");
  with.input = home_ + "/mine";
  EXPECT_EQ(said(with), "5\n");
  with.argv = {"/bin/sh", "-c", "echo x >/proc/self/fd/0"};
  EXPECT_THAT(said(with), HasSubstr("status "));
  ASSERT_EQ(::mkfifo((home_ + "/fifo").c_str(), 0600), 0);
  with.input = home_ + "/fifo";
  EXPECT_EQ(ask(with).error().code, Code::kUsage);
  with.input = "nothing";
  EXPECT_EQ(ask(with).error().code, Code::kNotFound);
  EXPECT_EQ(must(read_file(home_ + "/mine")), "mine\n");
}

TEST_F(Asking, FilesMayLieOverThoseOfTheTree) {
  const std::string over = outside_ / "over";
  must(make_dirs(over + "/src/made", 0777));
  must(write_file(over + "/src/a.txt", "another\n", Sync::kNo));
  must(write_file(over + "/src/made/x", "new\n", Sync::kNo));
  AskSpec spec = shell("cat src/a.txt src/made/x README; ls -a; echo more >>src/made/x");
  spec.over = over;
  const Asked asked = must(ask(spec));
  EXPECT_EQ(asked.out.end, "another\nnew\nhello\n.\n..\n.gitignore\nREADME\ndocs\nlib\nsrc\n")
      << asked.err.end;
  EXPECT_EQ(must(read_file(over + "/src/made/x")), "new\n");
}

TEST_F(Asking, CachesMayBeWrittenToNoEffect) {
  const std::string cache = home_ + "/cache";
  must(make_dirs(cache + "/below"));
  must(write_file(cache + "/warm", "warm\n", Sync::kNo));
  AskSpec spec = shell("cat ~/cache/warm && echo x >~/cache/below/new && cat ~/cache/below/new");
  spec.caches = {cache, cache + "/below", home_ + "/nowhere", "/tmp", "/", "relative", at_};
  const Asked asked = must(ask(spec));
  EXPECT_EQ(asked.out.end, "warm\nx\n") << asked.err.end;
  EXPECT_TRUE(must(list_dir(cache + "/below")).empty());
  EXPECT_EQ(must(ask(spec)).out.end, "warm\nx\n") << "nothing of it stays for the next one either";
  spec.caches.clear();
  EXPECT_THAT(must(ask(spec)).err.end, HasSubstr("Read-only file system"));
}

TEST_F(Asking, BothStreamsMayBeOne) {
  AskSpec spec = shell("echo 1; echo 2 >&2; echo 3; echo 4 >&2");
  spec.one_stream = true;
  const Asked asked = must(ask(spec));
  EXPECT_EQ(asked.out.end, "1\n2\n3\n4\n");
  EXPECT_EQ(asked.err.bytes, 0u);
}

TEST_F(Asking, SeveralRunAtATime) {
  Asker one = open(), two = open();
  must(make_dirs(at_));
  auto first = must(one.begin(shell("echo one; sleep 0.2; cat README")));
  auto second = must(two.begin(shell("echo two; sleep 0.2; cat README")));
  const std::int64_t start_ns = SystemClock().monotonic_ns();
  for (bool ended = false; !ended;) {
    ended = must(first.ended(5)) && must(second.ended(5));
    ASSERT_LT(SystemClock().monotonic_ns() - start_ns, 60'000 * kNsPerMs);
  }
  EXPECT_EQ(must(first.finish()).out.end, "one\nhello\n");
  EXPECT_EQ(must(second.finish()).out.end, "two\nhello\n");
}

TEST_F(Asking, WhereItsLinksLedIsTold) {
  must(write_file(home_ + "/far", "far\n", Sync::kNo));
  ASSERT_EQ(::symlink((home_ + "/far").c_str(), repo_.file("docs/far").c_str()), 0);
  repo_.commit("a link");
  AskSpec spec =
      shell("cat docs/far; cat README; ln -s src/a.txt own && cat own; cat docs/../README");
  spec.follow_links = true;
  const Asked asked = must(ask(spec));
  EXPECT_EQ(asked.led.at(at_ + "/docs/far"), home_ + "/far");
  EXPECT_EQ(asked.led.at(at_ + "/own"), at_ + "/src/a.txt");
  EXPECT_FALSE(asked.led.contains(at_ + "/README"));
  spec.follow_links = false;
  EXPECT_TRUE(must(ask(spec)).led.empty());
}

}  // namespace
}  // namespace gittxn::asking
