// The parts of the interpreter that stand alone: bind mounts, connections, the tool digest, blob
// ids.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "capture/channels.h"
#include "capture/paths/other_checkout.h"
#include "capture/paths/path_resolver.h"
#include "capture/tool_digest.h"
#include "repo/testing/scratch_repo.h"
#include "repo/worktree/worktree_index.h"

namespace gittxn::capture {
namespace {

using repo::testing::must;
using repo::testing::ScratchDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kMounts =
    "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "21 20 8:2 / /users rw - ext4 /dev/sda2 rw\n"
    "22 20 8:2 /pat/tree /mnt/bound rw - ext4 /dev/sda2 rw\n"
    "23 20 8:2 /pat /mnt/with\\040space rw - ext4 /dev/sda2 rw\n"
    "24 20 8:2 /pat/tree/src /mnt/part rw - ext4 /dev/sda2 rw\n"
    "25 20 8:1 /pat/tree /mnt/other-device rw - ext4 /dev/sda1 rw\n";

TEST(BindAliases, EveryOtherPlaceWhereTheTreeCanBeSeen) {
  EXPECT_THAT(bind_aliases(kMounts, "/users/pat/tree"),
              ElementsAre(Pair("/mnt/bound", "/users/pat/tree"),
                          Pair("/mnt/with space/tree", "/users/pat/tree"),
                          Pair("/mnt/part", "/users/pat/tree/src")));
  EXPECT_THAT(bind_aliases(kMounts, "/srv/tree"), IsEmpty());
  EXPECT_THAT(bind_aliases("nonsense\n\n1 2\n", "/srv/tree"), IsEmpty());
}

class Resolver : public ::testing::Test {
 protected:
  Resolver() {
    repo.write("src/x.c", "x");
    const Oid snapshot = repo.commit("base");
    objects = std::make_unique<repo::Objects>(repo.objects());
    model = std::make_unique<TreeModel>(*objects, must(objects->tree_of(snapshot)));
    places.tree = repo.root() + "/wt";
    places.common_git_dir = repo.git_dir();
    places.checkouts = {repo.path(), repo.path() + "/inner"};
  }
  Resolved resolve(const std::string& path,
                   std::vector<std::pair<std::string, std::string>> aliases = {}) {
    PathResolver resolver(places, *model, std::move(aliases));
    return resolver.resolve(path, LastLink::kFollow);
  }
  repo::testing::ScratchRepo repo;
  std::unique_ptr<repo::Objects> objects;
  std::unique_ptr<TreeModel> model;
  Places places;
};

TEST_F(Resolver, ABindMountOfTheTreeIsTheTree) {
  const Resolved at = resolve("/mnt/bound/./src//x.c", {{"/mnt/bound", places.tree}});
  ASSERT_EQ(at.place, Place::kTree);
  ASSERT_NE(at.node, nullptr);
  EXPECT_EQ(at.node->snapshot_path(), "src/x.c");
}

TEST_F(Resolver, ABindMountOfAPartOfTheTree) {
  const Resolved at = resolve("/mnt/part/x.c", {{"/mnt/part", places.tree + "/src"}});
  ASSERT_NE(at.node, nullptr);
  EXPECT_EQ(at.node->snapshot_path(), "src/x.c");
}

TEST_F(Resolver, PlacesOutside) {
  EXPECT_EQ(resolve(repo.git_dir() + "/HEAD").place, Place::kCommonGit);
  EXPECT_EQ(resolve(repo.git_dir() + "/HEAD").rest, "HEAD");
  EXPECT_EQ(resolve(repo.path() + "/src/x.c").rest, "src/x.c");
  EXPECT_EQ(resolve(repo.path() + "/inner/f").rest, "f") << "the innermost checkout counts";
  EXPECT_EQ(resolve("/proc/1/maps").place, Place::kPseudo);
  EXPECT_EQ(resolve("/dev/null").place, Place::kPseudo);
  EXPECT_EQ(resolve("/dev").place, Place::kPseudo);
  EXPECT_EQ(resolve("/dev/shm/../null").place, Place::kPseudo);
  EXPECT_EQ(resolve("/dev/../dev/./shm/f").place, Place::kOutside) << "a file, in memory";
  EXPECT_EQ(resolve(places.tree + "-sibling/f").place, Place::kOutside);
  EXPECT_EQ(resolve(places.tree + "/.git/objects/aa").rest, "objects/aa");
  EXPECT_EQ(resolve(places.tree + "/..").place, Place::kOutside);
}

TEST(Connections, ByAddress) {
  const auto peer = [](const char* address) { return classify_connection(address).peer; };
  EXPECT_EQ(peer("inet:127.0.0.1:80"), Peer::kNetwork);
  EXPECT_EQ(peer("inet6:[::1]:80"), Peer::kNetwork);
  EXPECT_EQ(peer("unix:/run/systemd/resolve/io.systemd.Resolve"), Peer::kHarmless);
  EXPECT_EQ(peer("unix:/run/user/1000/bus"), Peer::kHarmless);
  EXPECT_EQ(peer("unix:/run/user/1000/docker.sock"), Peer::kDaemon);
  EXPECT_EQ(peer("unix:/tmp/ssh-abc/agent.12"), Peer::kHarmless);
  EXPECT_EQ(peer("unix:/users/pat/.gnupg/S.gpg-agent"), Peer::kHarmless);
  EXPECT_EQ(peer("unix:@/tmp/.X11-unix/X0"), Peer::kHarmless);
  EXPECT_EQ(peer("unix:@somebody"), Peer::kDaemon);
  EXPECT_EQ(peer("unix:/tmp/pytest-1/s.sock"), Peer::kDaemon);
  EXPECT_EQ(peer("unix:/tmp/tmux-1000/default"), Peer::kDaemon);
  EXPECT_EQ(peer("unix:/var/run/docker.sock"), Peer::kDaemon);
  EXPECT_EQ(peer("unix:/run/postgresql/.s.PGSQL.5432"), Peer::kDaemon);
}

class Tools : public ::testing::Test {
 protected:
  Digest digest() {
    ToolDigest tools(dir / "cache");
    for (const std::string& name : names) tools.add_file(dir / name);
    return must(tools.finish());
  }
  void write(const std::string& name, const std::string& bytes) {
    must(write_file(dir / name, bytes, Sync::kNo));
  }
  ScratchDir dir;
  std::vector<std::string> names;
};

TEST_F(Tools, ContentsCountAndSoDoesTheirAbsence) {
  write("a", "1");
  names = {"a"};
  const Digest one = digest();
  EXPECT_EQ(digest(), one);
  write("a", "2");
  const Digest two = digest();
  EXPECT_NE(two, one);
  must(remove_file(dir / "a"));
  EXPECT_NE(digest(), two);
}

TEST_F(Tools, TheCacheIsBelievedOnlyForOldFiles) {
  write("a", "1");
  names = {"a"};
  const Digest right = digest();
  // A wrong digest under the file's own identity, in a cache that is written right after the file.
  struct stat info{};
  ASSERT_EQ(::stat((dir / "a").c_str(), &info), 0);
  const std::string line =
      std::to_string(info.st_dev) + " " + std::to_string(info.st_ino) + " " +
      std::to_string(info.st_size) + " " +
      std::to_string(info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec) + " " +
      std::string(64, 'f') + "\n";
  write("cache", "git-txn tool digests 1\n" + line);
  EXPECT_EQ(digest(), right) << "too young to be believed";
  timespec later[2] = {{info.st_ctim.tv_sec + 60, 0}, {info.st_ctim.tv_sec + 60, 0}};
  write("cache", "git-txn tool digests 1\n" + line);
  ASSERT_EQ(::utimensat(AT_FDCWD, (dir / "cache").c_str(), later, 0), 0);
  EXPECT_NE(digest(), right) << "an old file is not hashed again";
}

TEST_F(Tools, ADamagedCacheCostsTimeOnly) {
  write("a", "1");
  names = {"a"};
  const Digest right = digest();
  for (const char* damage : {"", "garbage", "git-txn tool digests 1\n1 2 3",
                             "git-txn tool digests 1\n"
                             "1 2 3 4 zz\n"}) {
    write("cache", damage);
    EXPECT_EQ(digest(), right) << damage;
  }
}

TEST_F(Tools, AProgramBringsItsLoader) {
  ToolDigest with(dir / "cache");
  with.add_program("/bin/sh");
  ToolDigest without(dir / "cache");
  without.add_file("/bin/sh");
  EXPECT_NE(must(with.finish()), must(without.finish()));
}

TEST(ToolPaths, WhatIsATool) {
  EXPECT_TRUE(under_tool_prefix("/usr/include/stdio.h"));
  EXPECT_FALSE(under_tool_prefix("/etc/passwd"));
  EXPECT_FALSE(under_tool_prefix("/users/pat/bin/x"));
  EXPECT_TRUE(is_shared_library("/users/pat/lib/libx.so"));
  EXPECT_TRUE(is_shared_library("/users/pat/lib/libx.so.1.2.3"));
  EXPECT_FALSE(is_shared_library("/users/pat/notes.so.txt"));
}

TEST(BlobId, IsGits) {
  EXPECT_EQ(repo::blob_oid("hello\n").str(), "ce013625030ba8dba906f756967f9e9ca394464a");
  const ScratchDir dir;
  must(write_file(dir / "f", "hello\n", Sync::kNo));
  EXPECT_EQ(blob_id_of_file(dir / "f"), repo::blob_oid("hello\n"));
  EXPECT_TRUE(blob_id_of_file(dir / "none").empty());
}

}  // namespace
}  // namespace gittxn::capture
