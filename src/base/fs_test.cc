#include "base/fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/temp_dir.h"

namespace gittxn {
namespace {

using testing::TempDir;

void put(const std::string& path, std::string_view bytes) {
  auto done = write_file(path, bytes, Sync::kNo);
  ASSERT_TRUE(done) << done.error().message;
}

TEST(Paths, SplitAndJoin) {
  EXPECT_EQ(parent_dir("a/b"), "a");
  EXPECT_EQ(parent_dir("a"), ".");
  EXPECT_EQ(parent_dir("/a"), "/");
  EXPECT_EQ(parent_dir("/"), "/");
  EXPECT_EQ(parent_dir("a//b/"), "a");
  EXPECT_EQ(base_name("a/b/"), "b");
  EXPECT_EQ(base_name("/"), "/");
  EXPECT_EQ(base_name("b"), "b");
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(join_path("a", ""), "a");
}

TEST(Paths, Normal) {
  EXPECT_EQ(normal_path("a//b/./c/../d"), "a/b/d");
  EXPECT_EQ(normal_path("../a/../../b"), "../../b");
  EXPECT_EQ(normal_path("/../a"), "/a");
  EXPECT_EQ(normal_path("a/.."), ".");
  EXPECT_EQ(normal_path("/"), "/");
  EXPECT_EQ(normal_path(""), ".");
}

TEST(Paths, Below) {
  std::string relative = "unset";
  EXPECT_TRUE(path_below("/a/b/c", "/a/b", &relative));
  EXPECT_EQ(relative, "c");
  EXPECT_TRUE(path_below("/a/b", "/a/b/", &relative));
  EXPECT_EQ(relative, "");
  EXPECT_TRUE(path_below("/a", "/", &relative));
  EXPECT_EQ(relative, "a");
  EXPECT_FALSE(path_below("/a/bc", "/a/b", &relative));
  EXPECT_FALSE(path_below("/a", "/a/b", nullptr));
}

TEST(Files, AreWrittenWholeOverOldOnes) {
  TempDir dir;
  put(dir.at("f"), "old");
  put(dir.at("f"), "new");
  EXPECT_EQ(*read_file(dir.at("f")), "new");
  EXPECT_TRUE(write_file(dir.at("f"), "synced", Sync::kYes, 0644));
  EXPECT_EQ(*read_file(dir.at("f")), "synced");
  EXPECT_EQ(list_dir(dir.path())->size(), 1u) << "no temporary file is left";
  EXPECT_EQ(read_file(dir.at("f"), 5).error().code, Code::kFault);
  EXPECT_EQ(read_file(dir.at("absent")).error().code, Code::kNotFound);
}

TEST(Files, LeaveTheOldOneWhenTheWriteFails) {
  TempDir dir;
  ASSERT_TRUE(make_dirs(dir.at("d/e")));
  put(dir.at("d/e/old"), "kept");
  EXPECT_FALSE(write_file(dir.at("d"), "a directory is in the way", Sync::kYes));
  EXPECT_EQ(list_dir(dir.path())->size(), 1u) << "no temporary file is left";
  EXPECT_EQ(*read_file(dir.at("d/e/old")), "kept");
}

// A reader beside a writer that is killed at any moment sees one of the whole contents.
TEST(Files, AreNeverSeenHalfWritten) {
  TempDir dir;
  const std::string a(200'000, 'a');
  const std::string b(300'000, 'b');
  put(dir.at("f"), a);
  for (int round = 0; round < 20; ++round) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      while (true) {
        if (!write_file(dir.at("f"), b, Sync::kNo) || !write_file(dir.at("f"), a, Sync::kNo))
          ::_exit(1);
      }
    }
    for (int i = 0; i < 20; ++i) {
      const auto seen = read_file(dir.at("f"));
      ASSERT_TRUE(seen);
      ASSERT_TRUE(*seen == a || *seen == b);
    }
    ::kill(writer, SIGKILL);
    int status = 0;
    ::waitpid(writer, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
    const auto left = read_file(dir.at("f"));
    ASSERT_TRUE(left && (*left == a || *left == b));
  }
}

TEST(Files, LinesAreAppendedAfterATornOne) {
  TempDir dir;
  ASSERT_TRUE(append_line_durable(dir.at("log"), "one"));
  UniqueFd fd = *open_fd(dir.at("log"), O_WRONLY | O_APPEND);
  ASSERT_TRUE(write_all(fd.get(), "tor"));
  ASSERT_TRUE(append_line_durable(dir.at("log"), "two"));
  EXPECT_EQ(*read_file(dir.at("log")), "one\ntor\ntwo\n");
  EXPECT_EQ(append_line_durable(dir.at("log"), "a\nb").error().code, Code::kUsage);
}

TEST(Trees, AreMadeListedAndRemoved) {
  TempDir dir;
  ASSERT_TRUE(make_dirs(dir.at("t/a/b")));
  ASSERT_TRUE(make_dirs(dir.at("t/a/b")));
  put(dir.at("t/z"), "");
  const auto entries = *list_dir(dir.at("t"));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].type, DT_DIR);
  EXPECT_EQ(entries[1].type, DT_REG);
  EXPECT_EQ(make_dirs(dir.at("t/z")).error().code, Code::kExists);
  ASSERT_TRUE(remove_tree(dir.at("t")));
  EXPECT_FALSE(*exists(dir.at("t")));
  EXPECT_TRUE(remove_tree(dir.at("t"))) << "absent is success";
  EXPECT_TRUE(remove_tree(dir.at("t/below")));
}

TEST(Trees, RemovalNeverFollowsLinks) {
  TempDir dir;
  ASSERT_TRUE(make_dirs(dir.at("outside/sub")));
  put(dir.at("outside/sub/kept"), "precious");
  ASSERT_TRUE(make_dirs(dir.at("t/inner")));
  ASSERT_EQ(::symlink(dir.at("outside").c_str(), dir.at("t/link").c_str()), 0);
  ASSERT_EQ(::symlink("../../outside/sub", dir.at("t/inner/link").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", dir.at("t/dangling").c_str()), 0);
  ASSERT_EQ(::symlink(dir.at("outside").c_str(), dir.at("root-link").c_str()), 0);
  ASSERT_TRUE(remove_tree(dir.at("t")));
  ASSERT_TRUE(remove_tree(dir.at("root-link")));
  EXPECT_FALSE(*exists(dir.at("t")));
  EXPECT_FALSE(*exists(dir.at("root-link")));
  EXPECT_EQ(*read_file(dir.at("outside/sub/kept")), "precious");
}

TEST(Trees, RemovalReachesReadOnlyAndDeepDirectories) {
  TempDir dir;
  ASSERT_TRUE(make_dirs(dir.at("t/ro")));
  put(dir.at("t/ro/f"), "");
  ASSERT_EQ(::chmod(dir.at("t/ro").c_str(), 0500), 0);
  // Deeper than a path can be long: made and checked through descriptors.
  ASSERT_TRUE(make_dirs(dir.at("t/deep")));
  UniqueFd at = *open_fd(dir.at("t/deep"), O_RDONLY | O_DIRECTORY);
  const std::string name(200, 'd');
  for (int depth = 0; depth < 1200; ++depth) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at = UniqueFd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at.valid());
  }
  at.reset();
  const auto removed = remove_tree(dir.at("t"));
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(*exists(dir.at("t")));
}

TEST(Renames, ExchangeAndNoReplace) {
  TempDir dir;
  put(dir.at("a"), "A");
  put(dir.at("b"), "B");
  ASSERT_TRUE(rename_exchange(dir.at("a"), dir.at("b")));
  EXPECT_EQ(*read_file(dir.at("a")), "B");
  EXPECT_EQ(*read_file(dir.at("b")), "A");
  EXPECT_EQ(rename_noreplace(dir.at("a"), dir.at("b")).error().code, Code::kExists);
  EXPECT_EQ(*read_file(dir.at("b")), "A");
  EXPECT_TRUE(rename_noreplace(dir.at("a"), dir.at("c")));
  EXPECT_EQ(rename_exchange(dir.at("a"), dir.at("b")).error().code, Code::kNotFound);
  EXPECT_EQ(hard_link(dir.at("b"), dir.at("c")).error().code, Code::kExists);
  EXPECT_TRUE(hard_link(dir.at("b"), dir.at("d")));
}

TEST(Links, AreReadWhole) {
  TempDir dir;
  const std::string target(1000, 'x');
  ASSERT_EQ(::symlink(target.c_str(), dir.at("l").c_str()), 0);
  EXPECT_EQ(*read_link(dir.at("l")), target);
  EXPECT_TRUE(*exists(dir.at("l"))) << "a dangling link is there";
  EXPECT_EQ(*real_path(dir.at("./")), *real_path(dir.path()));
}

TEST(FileSystems, OfTestsAreLocal) {
  TempDir dir;
  EXPECT_EQ(*fs_kind(dir.path()), FsKind::kLocal);
  EXPECT_EQ(*fs_kind("/proc"), FsKind::kLocal);
  EXPECT_EQ(fs_kind(dir.at("absent")).error().code, Code::kNotFound);
}

// By statfs(2)'s own table of numbers.
TEST(FileSystems, OfTheNetworkAreKnownByTheirMagic) {
  struct Known {
    const char* name;
    unsigned long magic;
    FsKind kind;
  };
  for (const Known& known :
       {Known{"nfs", 0x6969, FsKind::kNetwork}, Known{"smb", 0x517b, FsKind::kNetwork},
        Known{"smb2", 0xfe534d42, FsKind::kNetwork}, Known{"cifs", 0xff534d42, FsKind::kNetwork},
        Known{"cifs, sign extended", 0xffffffffff534d42, FsKind::kNetwork},
        Known{"9p", 0x01021997, FsKind::kNetwork},
        Known{"afs of openafs", 0x5346414f, FsKind::kNetwork},
        Known{"afs of the kernel", 0x6b414653, FsKind::kNetwork},
        Known{"ceph", 0x00c36400, FsKind::kNetwork}, Known{"coda", 0x73757245, FsKind::kNetwork},
        Known{"ncp", 0x564c, FsKind::kNetwork}, Known{"gfs2", 0x01161970, FsKind::kNetwork},
        Known{"lustre", 0x0bd00bd0, FsKind::kNetwork}, Known{"ext4", 0xef53, FsKind::kLocal},
        Known{"xfs", 0x58465342, FsKind::kLocal}, Known{"btrfs", 0x9123683e, FsKind::kLocal},
        Known{"tmpfs", 0x01021994, FsKind::kLocal}, Known{"overlay", 0x794c7630, FsKind::kLocal},
        Known{"zfs", 0x2fc12fc1, FsKind::kLocal}}) {
    EXPECT_EQ(fs_kind_of(known.magic, ""), known.kind) << known.name;
  }
}

TEST(FileSystems, OfFuseAreKnownByTheirType) {
  constexpr unsigned long kFuse = 0x65735546;
  for (const char* type : {"fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph",
                           "fuse.davfs", "fuse.curlftpfs", "fuse.gcsfuse"}) {
    EXPECT_EQ(fs_kind_of(kFuse, type), FsKind::kNetwork) << type;
  }
  for (const char* type : {"", "fuseblk", "fuse.fuse-overlayfs", "fuse.encfs"}) {
    EXPECT_EQ(fs_kind_of(kFuse, type), FsKind::kLocal) << type;
  }
}

}  // namespace
}  // namespace gittxn
