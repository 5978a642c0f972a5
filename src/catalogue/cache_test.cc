#include "catalogue/cache.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/random.h"
#include "base/testing/child.h"
#include "catalogue/testing/world.h"

namespace gittxn::catalogue {
namespace {

using gittxn::testing::in_child;
using gittxn::testing::status_of;
using repo::testing::ScratchDir;
using testing::FakeClock;
using testing::must;

constexpr std::int64_t kTwoHoursMs = 7'200'000;

class Kept : public ::testing::Test {
 protected:
  std::string directory() const { return scratch_ / "catalogue"; }
  std::string file() const { return directory() + "/cache.db"; }
  // However slow the disk is, what is to be kept is kept.
  static constexpr std::int64_t kPatientMs = 300'000;
  CacheOptions options() { return {directory(), limit_, &clock_, kPatientMs}; }
  static Oid oid(int n) {
    std::string hex = std::to_string(n);
    return Oid(std::string(40 - hex.size(), '0') + hex);
  }
  static Key key(const Oid& object) { return {"file", &object, ".c"}; }
  static std::string text(int n) {
    return "entry " + std::string(1, '\0') + std::to_string(n) + "\xff\x80";
  }

  void fill(int from, int to, std::size_t padding = 0) {
    Cache cache(options());
    for (int n = from; n < to; ++n) {
      const Oid object = oid(n);
      cache.put(key(object), text(n) + std::string(padding, 'x'));
    }
    cache.flush();
    EXPECT_EQ(cache.trouble(), "");
  }
  int found(int from, int to) {
    Cache cache(options());
    int count = 0;
    for (int n = from; n < to; ++n) {
      const Oid object = oid(n);
      const auto there = cache.find(key(object));
      if (!there) continue;
      EXPECT_EQ(there->substr(0, text(n).size()), text(n));
      ++count;
    }
    return count;
  }
  static mode_t mode(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777u;
  }

  ScratchDir scratch_;
  FakeClock clock_;
  std::uint64_t limit_ = kCacheLimit;
};

TEST_F(Kept, WhatWasPutIsFoundAtOnceAndByTheNext) {
  {
    Cache cache(options());
    const Oid one = oid(1);
    EXPECT_FALSE(cache.find(key(one)));
    cache.put(key(one), text(1));
    EXPECT_EQ(cache.find(key(one)), text(1));
    const Key other{"file", &one, ".h"};
    EXPECT_FALSE(cache.find(other));
  }
  EXPECT_EQ(found(0, 3), 1);
  EXPECT_EQ(mode(directory()), 0700u);
  EXPECT_EQ(mode(file()), 0600u);
}

TEST_F(Kept, LogBesideItIsPrivateToo) {
  Cache cache(options());
  const Oid one = oid(1);
  cache.put(key(one), text(1));
  cache.flush();
  EXPECT_EQ(mode(file() + "-wal"), 0600u);
  EXPECT_EQ(mode(file() + "-shm"), 0600u);
}

// At random in the whole file: an entry is right or it is not there, and what was lost is kept
// again. (A row whose number was damaged can stay lost: it is looked for elsewhere, and nothing
// tells.)
TEST_F(Kept, DamageIsNoticed) {
  fill(0, 200, 100);
  const std::string whole = must(read_file(file()));
  ASSERT_GT(whole.size(), 8192u);
  Random random(20);
  int lost = 0, back = 0;
  for (int round = 0; round < 60; ++round) {
    std::string damaged = whole;
    const std::size_t at = random.below(damaged.size());
    const std::size_t size = 1 + random.below(round % 3 == 0 ? 4096 : 8);
    for (std::size_t i = at; i < std::min(at + size, damaged.size()); ++i) {
      damaged[i] = static_cast<char>(random.below(256));
    }
    if (round % 10 == 0) damaged.resize(at);
    must(remove_tree(directory()));
    must(make_dirs(directory()));
    must(write_file(file(), damaged, Sync::kNo));
    lost += 200 - found(0, 200);
    fill(0, 200, 100);
    back += found(0, 200);
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(back, 60 * 200 * 9 / 10);
}

TEST_F(Kept, EntryThatSaysSomethingElseIsNotBelieved) {
  fill(0, 2);
  {
    db::Database database = must(db::Database::open(file(), {}));
    must(database.execute("UPDATE entry SET body=(SELECT max(body) FROM entry)"));
  }
  EXPECT_LE(found(0, 2), 1);
  EXPECT_EQ(found(0, 2), 0);  // where one is wrong none is trusted
  fill(0, 2);
  EXPECT_EQ(found(0, 2), 2);
}

TEST_F(Kept, ForeignFilesAreReplaced) {
  must(make_dirs(directory()));
  must(write_file(file(), "something else entirely, and long enough to be a header of a page",
                  Sync::kNo));
  fill(0, 3);
  EXPECT_EQ(found(0, 3), 3);

  must(remove_tree(directory()));
  must(make_dirs(directory()));
  {
    db::OpenOptions create;
    create.mode = db::OpenMode::kCreate;
    db::Database database = must(db::Database::open(file(), create));
    must(database.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, mine)"));
  }
  fill(0, 3);
  EXPECT_EQ(found(0, 3), 3);

  must(remove_tree(directory()));
  must(make_dirs(file() + "/a folder"));
  fill(0, 3);
  EXPECT_EQ(found(0, 3), 3);

  // What a link names is left alone.
  must(remove_tree(directory()));
  must(make_dirs(directory()));
  must(write_file(scratch_ / "elsewhere", "precious", Sync::kNo));
  ASSERT_EQ(::symlink((scratch_ / "elsewhere").c_str(), file().c_str()), 0);
  fill(0, 3);
  EXPECT_EQ(found(0, 3), 3);
  EXPECT_EQ(must(read_file(scratch_ / "elsewhere")), "precious");
}

TEST_F(Kept, DeletedWhileInUse) {
  Cache cache(options());
  const Oid one = oid(1), two = oid(2), three = oid(3);
  cache.put(key(one), text(1));
  cache.flush();
  must(remove_tree(directory()));
  cache.put(key(two), text(2));
  cache.flush();
  EXPECT_EQ(cache.find(key(two)).value_or(text(2)), text(2));
  fill(10, 20);  // somebody else, who makes it anew
  cache.put(key(three), text(3));
  cache.flush();
  EXPECT_EQ(found(10, 20), 10);
  must(remove_tree(file()));
  EXPECT_EQ(found(0, 20), 0);
  fill(0, 20);
  EXPECT_EQ(found(0, 20), 20);
}

TEST_F(Kept, OldestUsedGoFirstAndTheBoundHolds) {
  limit_ = 1u << 20;
  for (int batch = 0; batch < 8; ++batch) {
    fill(batch * 20, batch * 20 + 20, 5'000);
    clock_.now_ms += kTwoHoursMs;
    EXPECT_EQ(found(0, 20), 20) << batch;  // used again and again
    clock_.now_ms += kTwoHoursMs;
  }
  for (int batch = 8; batch < 30; ++batch) {
    fill(batch * 20, batch * 20 + 20, 5'000);
    clock_.now_ms += kTwoHoursMs;
    EXPECT_EQ(found(0, 20), 20) << batch;
    clock_.now_ms += kTwoHoursMs;
    Cache cache(options());
    EXPECT_LE(cache.bytes_on_disk(), limit_);
  }
  EXPECT_EQ(found(29 * 20, 30 * 20), 20);
  EXPECT_EQ(found(40, 160), 0);
  struct stat info{};
  ASSERT_EQ(::stat(file().c_str(), &info), 0);
  EXPECT_LE(static_cast<std::uint64_t>(info.st_size), limit_ + limit_ / 4);
}

TEST_F(Kept, EntryThatWouldPushOutTheOthersIsNotKept) {
  limit_ = 1u << 20;
  fill(0, 10, 1'000);
  fill(10, 11, 500'000);
  EXPECT_EQ(found(0, 11), 10);
}

TEST_F(Kept, WhereNothingCanBeWrittenNothingIsKept) {
  must(write_file(scratch_ / "catalogue", "a file where the folder goes", Sync::kNo));
  Cache cache(options());
  EXPECT_NE(cache.trouble(), "");
  const Oid one = oid(1);
  cache.put(key(one), text(1));
  EXPECT_FALSE(cache.find(key(one)));
}

// A child that writes batch after batch until it is killed in the middle of one.
TEST_F(Kept, KilledWhileWriting) {
  fill(0, 50, 200);
  for (int round = 1; round <= 3; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!Failpoint::arm("catalogue.batch=" + std::to_string(round))) ::_exit(3);
      fill(1'000 * round, 1'000 * round + 128 * 4, 300);
      ::_exit(4);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    EXPECT_EQ(found(0, 50), 50);
    EXPECT_EQ(found(1'000 * round, 1'000 * round + 128 * 4), 128 * (round - 1));
    fill(1'000 * round, 1'000 * round + 128 * 4, 300);
    EXPECT_EQ(found(1'000 * round, 1'000 * round + 128 * 4), 128 * 4);
  }
}

TEST_F(Kept, SeveralProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int who = 0; who < 4; ++who) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int round = 0; round < 20; ++round) {
      const int from = who * 1'000 + round * 10;
      Cache cache(options());
      for (int n = from; n < from + 10; ++n) {
        const Oid object = oid(n);
        cache.put(key(object), text(n));
        if (cache.find(key(object)) != text(n)) ::_exit(5);
      }
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (int who = 0; who < 4; ++who) EXPECT_EQ(found(who * 1'000, who * 1'000 + 200), 200);
}

// All of them find no file, and make one.
TEST_F(Kept, MadeBySeveralProcessesAtOnce) {
  constexpr int kProcesses = 6;
  for (int round = 0; round < 20; ++round) {
    must(remove_tree(directory()));
    int gate[2];
    ASSERT_EQ(::pipe(gate), 0);
    std::vector<pid_t> children;
    for (int who = 0; who < kProcesses; ++who) {
      children.push_back(in_child([&] {
        ::close(gate[1]);
        char go = 0;
        static_cast<void>(::read(gate[0], &go, 1));  // ends when all are there
        Cache cache(options());
        const Oid object = oid(who);
        cache.put(key(object), text(who));
        cache.flush();
        return cache.trouble().empty() ? 0 : 6;
      }));
    }
    ::close(gate[0]);
    ::close(gate[1]);
    for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
    EXPECT_EQ(found(0, kProcesses), kProcesses);
  }
}

}  // namespace
}  // namespace gittxn::catalogue
