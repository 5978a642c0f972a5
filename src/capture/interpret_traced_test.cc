// Real commands, really traced, in a real private worktree: the whole way from system calls to
// reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "capture/interpret.h"
#include "capture/trace/testing/traced.h"
#include "repo/testing/agent.h"

namespace gittxn::capture {
namespace {

using repo::testing::Agent;
using repo::testing::must;
using repo::testing::ScratchRepo;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

class TracedRun : public ::testing::TestWithParam<Backend> {
 protected:
  TracedRun() {
    repo.write("a.txt", "alpha\n");
    repo.write("b.txt", "beta\n");
    repo.write("src/x.c", "int x;\n");
    repo.write("src/deep/z.c", "int z;\n");
    repo.write("docs/guide.md", "guide\n");
    repo.write(".gitignore", "*.o\n");
    repo.commit("base");
    agent.emplace(repo);
  }

  void SetUp() override { SKIP_UNUSABLE(GetParam()); }

  // Runs a shell script in the worktree and says what it read: hard reads only, "kind subject".
  std::vector<std::string> reads_of(const std::string& script) {
    set = read_set_of(script);
    EXPECT_TRUE(set.complete) << set.unknown_reason;
    std::vector<std::string> lines;
    for (const Read& read : set.reads) {
      if (read.kind == ReadKind::kEnvironment || read.strength == Strength::kSoft) continue;
      lines.push_back(std::string(read_kind_name(read.kind)) + " " +
                      (read.subject.empty() ? "." : read.subject));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  ReadSet read_set_of(const std::string& script) {
    TraceSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.cwd = agent->worktree().tree;
    spec.env = repo.env();
    spec.env["REPO"] = repo.path();
    spec.env["OUT"] = repo.root();
    if (given.valid()) spec.stdin_fd = given.get();
    spec.backend = GetParam();
    spec.record_file = repo.root() + "/records-" + std::to_string(++runs);
    const UniqueFd null = must(open_fd("/dev/null", O_WRONLY));
    spec.stdout_fd = null.get();
    const TraceResult result = must(run_traced(spec));
    EXPECT_EQ(result.exit_status, 0) << script;
    const repo::Taken taken = agent->take_all();
    InterpretInput input;
    input.places.tree = agent->worktree().tree;
    input.places.private_git_dir = agent->worktree().git_dir;
    input.places.common_git_dir = repo.git_dir();
    input.places.checkouts = {repo.path()};
    input.record_files = {spec.record_file};
    input.snapshot = agent->base();
    input.writes = taken.changes;
    input.base = taken.base;
    input.ignored = [](const std::string& path) { return path.ends_with(".o"); };
    input.tool_cache_file = repo.root() + "/tools";
    return must(interpret(repo.objects(), input));
  }

  ScratchRepo repo;
  std::optional<Agent> agent;
  ReadSet set;
  UniqueFd given;  // the standard input of the next runs
  int runs = 0;
};

// A socket of somebody else, who is there all the time.
UniqueFd outside_socket(const std::string& path, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

TEST_P(TracedRun, CatReadsTheFile) {
  EXPECT_THAT(reads_of("cat a.txt"), ::testing::ElementsAre("content a.txt"));
}

TEST_P(TracedRun, WritingReadsNothing) {
  EXPECT_THAT(reads_of("echo new >a.txt; echo more >src/new.c; cat a.txt src/new.c"),
              ::testing::ElementsAre("metadata src"))
      << "that there is a directory to put it in";
}

TEST_P(TracedRun, AppendingKeepsTheBase) {
  EXPECT_THAT(reads_of("echo more >>a.txt; cat a.txt"),
              ::testing::ElementsAre("content a.txt", "content a.txt"))
      << "by the shell, to append to it, and by cat";
}

TEST_P(TracedRun, ATestForAFileIsAnAbsenceRead) {
  EXPECT_THAT(reads_of("[ -e config.ini ] || echo none >src/found.txt"),
              ::testing::ElementsAre("absence config.ini", "metadata src"));
}

TEST_P(TracedRun, AFileThatWasNotThereAndAppearsIsOneAbsence) {
  EXPECT_THAT(reads_of("cat notes.txt 2>/dev/null; echo mine >notes.txt; cat notes.txt"),
              ::testing::ElementsAre("absence notes.txt"));
}

TEST_P(TracedRun, AFileThatIsRenamedOverIsReadBeforeAndOwnAfter) {
  EXPECT_THAT(reads_of("cat a.txt; echo new >t; mv t a.txt; cat a.txt"), Contains("content a.txt"));
  EXPECT_THAT(reads_of("echo new >t; mv t b.txt; cat b.txt"), Not(Contains("content b.txt")));
}

TEST_P(TracedRun, CaseMakesAnotherPath) {
  EXPECT_THAT(reads_of("cat A.TXT 2>/dev/null; cat docs/Guide.md src/X.c 2>/dev/null; cat b.txt"),
              ::testing::IsSupersetOf(
                  {"absence A.TXT", "absence docs/Guide.md", "absence src/X.c", "content b.txt"}));
  EXPECT_EQ(std::count_if(set.reads.begin(), set.reads.end(),
                          [](const Read& read) { return read.kind == ReadKind::kContent; }),
            1);
}

TEST_P(TracedRun, ADaemonOfTheMachineMakesTheSetUnknownAndAnOwnOneDoesNot) {
  const std::string perl = "perl -MIO::Socket::UNIX -e '";
  const std::string listen = "IO::Socket::UNIX->new(Local => $a[0], Listen => 1) or die $!;";
  const std::string connect = "IO::Socket::UNIX->new(Peer => $a[0]) or die $!;";
  const auto name = [](const std::string& path) { return "@a = (\"" + path + "\");"; };
  const std::string own = repo.root() + "/own.sock";
  const ReadSet alone =
      read_set_of(perl + name(own) + "$l = " + listen + connect + "unlink $a[0]'");
  EXPECT_TRUE(alone.complete) << alone.unknown_reason;

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string daemon = repo.root() + "/watchman.sock";
  ASSERT_LT(daemon.size(), sizeof address.sun_path);
  daemon.copy(address.sun_path, daemon.size());
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const ReadSet told = read_set_of(perl + name(daemon) + connect + "'");
  EXPECT_FALSE(told.complete);
  EXPECT_NE(told.unknown_reason.find("watchman"), std::string::npos) << told.unknown_reason;
}

TEST_P(TracedRun, ListingADirectory) {
  EXPECT_THAT(reads_of("ls docs"), Contains("listing docs"));
  EXPECT_THAT(reads_of("for f in src/*; do :; done"), Contains("listing src"));
}

TEST_P(TracedRun, EditingInPlaceReadsAndReplaces) {
  EXPECT_THAT(reads_of("sed -i s/alpha/omega/ a.txt && cat a.txt"), Contains("content a.txt"));
}

TEST_P(TracedRun, GitStatusAndCommitAreNotReads) {
  EXPECT_THAT(reads_of("git status --short; echo x >n.txt; git add -A; git commit -q -m work; "
                       "git status; git diff; git diff HEAD~1 --stat >/dev/null"),
              IsEmpty());
}

TEST_P(TracedRun, GitLogIsASoftRead) {
  EXPECT_THAT(reads_of("git log --oneline -5; git branch -a; git rev-parse HEAD"),
              ::testing::ElementsAre("absence .mailmap"));
  const auto soft = std::count_if(set.reads.begin(), set.reads.end(), [](const Read& read) {
    return read.kind == ReadKind::kRef && read.strength == Strength::kSoft;
  });
  EXPECT_GT(soft, 0);
}

TEST_P(TracedRun, GitShowOfAPathFromASubdirectory) {
  EXPECT_THAT(reads_of("cd src && git show HEAD:./x.c HEAD:a.txt"),
              ::testing::IsSupersetOf({"content a.txt", "content src/x.c"}));
}

TEST_P(TracedRun, GitBlameAndLogOfAPath) {
  EXPECT_THAT(reads_of("cd src && git blame x.c >/dev/null && git log -p -- ../b.txt >/dev/null"),
              ::testing::IsSupersetOf({"content b.txt", "content src/x.c"}));
}

TEST_P(TracedRun, GitGrepReadsTheTree) {
  EXPECT_THAT(reads_of("git grep -n int -- src"), Contains("tree src"));
  EXPECT_THAT(reads_of("cd src && git grep int"), Contains("tree src"));
}

TEST_P(TracedRun, GitLsFilesReadsNames) {
  const auto reads = reads_of("git ls-files");
  EXPECT_THAT(reads, ::testing::IsSupersetOf({"listing .", "listing src", "listing src/deep"}));
  EXPECT_THAT(reads, Not(Contains("tree .")));
}

TEST_P(TracedRun, AGitThatIsNotUnderstoodReadsEverything) {
  EXPECT_THAT(reads_of("git cat-file --batch-all-objects --batch-check >/dev/null"),
              Contains("tree ."));
}

TEST_P(TracedRun, StashAndPopBringTheBaseBack) {
  EXPECT_THAT(reads_of("echo mine >a.txt; git stash -q; cat a.txt; git stash pop -q"),
              ::testing::ElementsAre("content a.txt"));
}

TEST_P(TracedRun, FetchAndMergeOfTheTarget) {
  repo.write("a.txt", "landed\n");
  const Oid landed = repo.commit("landed meanwhile");
  reads_of("git fetch -q txn-target && git merge -q --ff-only FETCH_HEAD && cat a.txt b.txt");
  const auto a = std::find_if(set.reads.begin(), set.reads.end(), [](const Read& read) {
    return read.subject == "a.txt" && read.kind == ReadKind::kContent;
  });
  ASSERT_NE(a, set.reads.end());
  EXPECT_EQ(a->snapshot, landed);
  EXPECT_EQ(std::count_if(set.reads.begin(), set.reads.end(),
                          [](const Read& read) { return read.kind == ReadKind::kTree; }),
            0);
}

TEST_P(TracedRun, ThePersonsCheckout) {
  EXPECT_THAT(reads_of("cat \"$REPO/b.txt\""), ::testing::ElementsAre("content b.txt"));
}

TEST_P(TracedRun, EverySpellingIsOnePath) {
  EXPECT_THAT(reads_of("ln -s src way; cat way/x.c ./src//../src/x.c /proc/self/cwd/src/x.c"),
              ::testing::IsSupersetOf({"content src/x.c"}));
  std::vector<std::string> contents;
  for (const Read& read : set.reads) {
    if (read.kind == ReadKind::kContent) contents.push_back(read.subject);
  }
  EXPECT_THAT(contents, ::testing::ElementsAre("src/x.c"));
}

TEST_P(TracedRun, ThroughALinkOutsideThatIsGoneOrLeadsElsewhere) {
  EXPECT_THAT(
      reads_of("ln -s \"$PWD/a.txt\" \"$OUT/way\"; cat \"$OUT/way\"; rm \"$OUT/way\"; "
               "ln -s \"$PWD/src\" \"$OUT/dir\"; cat \"$OUT/dir/x.c\"; "
               "ln -sfn \"$PWD/docs\" \"$OUT/dir\"; cat \"$OUT/dir/guide.md\"; "
               "ln -sfn /etc \"$OUT/dir\"; mv \"$OUT/dir\" \"$OUT/moved\"; "
               "rm \"$OUT/moved\""),
      ::testing::IsSupersetOf({"content a.txt", "content docs/guide.md", "content src/x.c"}));
}

TEST_P(TracedRun, ThroughALinkOutsideThatWasThereBeforeAndIsGone) {
  const std::string way = repo.root() + "/way";
  ASSERT_EQ(::symlink((agent->worktree().tree + "/a.txt").c_str(), way.c_str()), 0);
  const std::string script = "cat \"$OUT/way\"; rm \"$OUT/way\"";
  if (GetParam() != Backend::kBpf) {
    EXPECT_THAT(reads_of(script), Contains("content a.txt"));
  } else {  // which has seen that it was a link, and not what it said
    EXPECT_NE(read_set_of(script).unknown_reason.find(way), std::string::npos);
  }
}

TEST_P(TracedRun, TheFileThatIsItsStandardInput) {
  given = must(open_fd(repo.file("b.txt"), O_RDONLY));
  EXPECT_THAT(reads_of("read line; echo \"$line\" >n.txt"), Contains("content b.txt"));
}

TEST_P(TracedRun, GitReadsAFileOfThePersonsCheckout) {
  EXPECT_THAT(reads_of("git hash-object \"$REPO/b.txt\""), Contains("content b.txt"));
  EXPECT_THAT(reads_of("git diff --no-index \"$REPO/docs/guide.md\" a.txt || :"),
              Contains("content docs/guide.md"));
  EXPECT_THAT(reads_of("git config -f \"$REPO/.gitignore\" -l || :"),
              Contains("content .gitignore"));
}

TEST_P(TracedRun, AMessageToSomebodyElsesSocket) {
  const UniqueFd socket = outside_socket(repo.root() + "/dgram.sock", SOCK_DGRAM);
  const std::string begin =
      "python3 -c 'import os, socket; s = socket.socket(socket.AF_UNIX, "
      "socket.SOCK_DGRAM); to = os.environ[\"OUT\"] + \"/dgram.sock\"; ";
  for (const char* send : {"s.sendto(b\"x\", to)", "s.sendmsg([b\"x\"], [], 0, to)"}) {
    const ReadSet told = read_set_of(begin + send + "'");
    EXPECT_NE(told.unknown_reason.find("/dgram.sock"), std::string::npos) << send;
  }
  const ReadSet own = read_set_of(begin +
                                  "to += \"2\"; r = socket.socket(socket.AF_UNIX, "
                                  "socket.SOCK_DGRAM); r.bind(to); s.sendto(b\"x\", to); "
                                  "p, q = socket.socketpair(); p.sendmsg([b\"x\"])'");
  EXPECT_TRUE(own.complete) << own.unknown_reason;
}

TEST_P(TracedRun, APipeThatSomebodyElseFills) {
  const std::string path = repo.root() + "/fed";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const UniqueFd pipe(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::write(pipe.get(), "x\n", 2), 2);
  EXPECT_NE(read_set_of("read line <\"$OUT/fed\"").unknown_reason.find(path), std::string::npos);
  const ReadSet own = read_set_of("mkfifo \"$OUT/own\"; echo x >\"$OUT/own\" & cat \"$OUT/own\"");
  EXPECT_TRUE(own.complete) << own.unknown_reason;
}

TEST_P(TracedRun, AThreadWithACurrentDirectoryOfItsOwn) {
  EXPECT_THAT(reads_of("python3 -c '\n"
                       "import ctypes, os, threading\n"
                       "there, looked = threading.Event(), threading.Event()\n"
                       "def own():\n"
                       "  assert ctypes.CDLL(None).unshare(0x200) == 0\n"
                       "  os.chdir(\"src\"); there.set(); looked.wait(); open(\"x.c\")\n"
                       "thread = threading.Thread(target=own); thread.start(); there.wait()\n"
                       "open(\"a.txt\"); looked.set(); thread.join(); open(\"b.txt\")'"),
              ::testing::IsSupersetOf({"content a.txt", "content b.txt", "content src/x.c"}));
}

TEST_P(TracedRun, ATreeThatIsMountedNowhere) {
  constexpr long kOpenTree = 428;
  const UniqueFd probe(static_cast<int>(::syscall(kOpenTree, AT_FDCWD, "/tmp", 1)));
  if (!probe.valid()) GTEST_SKIP() << "it cannot be had here";
  const ReadSet told = read_set_of(
      "python3 -c '\n"
      "import ctypes, os\n"
      "tree = ctypes.CDLL(None).syscall(428, -100, b\".\", 1)\n"
      "assert tree >= 0; os.open(\"a.txt\", os.O_RDONLY, dir_fd=tree)'");
  EXPECT_FALSE(told.complete);
}

TEST_P(TracedRun, ToolsAreInTheEnvironment) {
  const Digest sh = read_set_of("true").tool_env_digest;
  EXPECT_EQ(read_set_of("true").tool_env_digest, sh);
  EXPECT_NE(read_set_of("ls >/dev/null").tool_env_digest, sh);
}

TEST_P(TracedRun, ACompilerReadsItsSourceAndProbesItsIncludes) {
  if (::access("/usr/bin/cc", X_OK) != 0) GTEST_SKIP() << "no compiler";
  agent->write("src/main.c", "#include \"x.h\"\nint main(void) { return X; }\n");
  agent->write("include/x.h", "#define X 0\n");
  const auto reads = reads_of("cc -c -Isrc/deep -Iinclude src/main.c -o main.o");
  EXPECT_THAT(reads, ::testing::IsSupersetOf({"absence src/deep/x.h", "absence src/x.h"}));
}

INSTANTIATE_TEST_SUITE_P(Backends, TracedRun,
                         ::testing::Values(Backend::kBpf, Backend::kHybrid, Backend::kNotify,
                                           Backend::kPtrace),
                         [](const auto& param) { return std::string(backend_name(param.param)); });

}  // namespace
}  // namespace gittxn::capture
