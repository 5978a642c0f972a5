#include "land/under_way.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "repo/testing/scratch_repo.h"

namespace gittxn::land {
namespace {

using repo::testing::must;

TEST(UnderWay, IsSeenWhileItsProcessIsAtIt) {
  const repo::testing::ScratchRepo repo;
  const std::string dir = repo.root() + "/txn";
  const TxnId id("t-a");
  EXPECT_EQ(under_way(dir, id), std::nullopt);
  {
    UnderWay landing(dir, id);
    EXPECT_EQ(under_way(dir, id), "");
    landing.say("gate test: 3 of 40 units");
    EXPECT_EQ(under_way(dir, id), "gate test: 3 of 40 units");
    landing.say("landing");
    EXPECT_EQ(under_way(dir, id), "landing");
    UnderWay again(dir, id);
    again.say("the first one is seen");
    EXPECT_EQ(under_way(dir, id), "landing");
  }
  EXPECT_EQ(under_way(dir, id), std::nullopt);
  EXPECT_TRUE(must(list_dir(dir + "/landing")).empty());
}

TEST(UnderWay, OfADeadProcessIsNotSeenAndGoes) {
  const repo::testing::ScratchRepo repo;
  const std::string dir = repo.root() + "/txn";
  must(make_dirs(dir + "/landing"));
  must(write_file(dir + "/landing/t-dead", "gate test\n", Sync::kNo));
  EXPECT_EQ(under_way(dir, TxnId("t-dead")), std::nullopt);
  const UnderWay other(dir, TxnId("t-a"));
  EXPECT_EQ(must(list_dir(dir + "/landing")).size(), 1u);
}

TEST(UnderWay, IsSeenWhenManyBeginAtOnce) {
  const repo::testing::ScratchRepo repo;
  const std::string dir = repo.root() + "/txn";
  std::atomic<int> unseen = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&dir, &unseen, id = TxnId("t-" + std::to_string(i))] {
      for (int round = 0; round < 50; ++round) {
        UnderWay landing(dir, id);
        landing.say("landing");
        if (under_way(dir, id) != "landing") ++unseen;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(unseen, 0);
}

TEST(UnderWay, ThatCannotBeToldIsNotSeen) {
  const repo::testing::ScratchRepo repo;
  const std::string dir = repo.root() + "/txn";
  must(write_file(dir, "no directory\n", Sync::kNo));
  UnderWay landing(dir, TxnId("t-a"));
  landing.say("landing");
  EXPECT_EQ(under_way(dir, TxnId("t-a")), std::nullopt);
}

}  // namespace
}  // namespace gittxn::land
