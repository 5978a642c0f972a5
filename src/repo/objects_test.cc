#include "repo/objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "repo/objects/object_store.h"
#include "repo/testing/random_trees.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::Importer;
using testing::must;
using testing::ScratchRepo;

const Oid kNobody(std::string(40, '1'));

TEST(Objects, ReadsWhatGitWrote) {
  const ScratchRepo repo;
  repo.write("d/file", "bytes\n");
  repo.write("d/run", "#!/bin/sh\n", 0755);
  repo.write("d.x", "");
  ASSERT_EQ(::symlink("d/file", repo.file("link").c_str()), 0);
  const Oid commit = repo.commit("subject\n\nbody");
  for (const bool packed : {false, true}) {
    if (packed) repo.git({"gc", "-q"});
    Objects objects = repo.objects();
    const CommitInfo info = must(objects.commit(commit));
    EXPECT_EQ(info.tree, repo.tree());
    EXPECT_TRUE(info.parents.empty());
    EXPECT_EQ(info.author, "Test Author <author@example.com> 1700000000 +0100");
    EXPECT_EQ(info.committer, "Test Committer <committer@example.com> 1700000000 +0000");
    EXPECT_EQ(info.message, "subject\n\nbody\n");
    EXPECT_EQ(must(objects.tree_of(commit)), info.tree);
    EXPECT_EQ(must(objects.tree_of(info.tree)), info.tree);
    std::vector<std::string> names;
    for (const NamedEntry& entry : must(objects.list(commit))) names.push_back(entry.name);
    EXPECT_EQ(names, (std::vector<std::string>{"d", "d.x", "link"}));
    const Listing listing = must(objects.listing(commit));
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(listing.entries.at(i).name, names[i]);
      EXPECT_EQ(listing.entries[i].entry(), must(objects.entry_at(commit, names[i])));
    }
    const TreeEntry file = must(objects.entry_at(commit, "d/file"));
    EXPECT_EQ(file, (TreeEntry{FileMode::kFile, repo.oid("HEAD:d/file")}));
    EXPECT_EQ(must(objects.blob(file.oid)), "bytes\n");
    EXPECT_EQ(must(objects.entry_at(info.tree, "d/run")).mode, FileMode::kExecutable);
    EXPECT_EQ(must(objects.entry_at(info.tree, "link")).mode, FileMode::kLink);
    EXPECT_EQ(must(objects.entry_at(info.tree, "d")).mode, FileMode::kTree);
    EXPECT_EQ(must(objects.entry_at(info.tree, "")).oid, info.tree);
    for (const char* nothing : {"x", "d/x", "d/file/x", "d.", "d/fil", "link/file"}) {
      EXPECT_FALSE(must(objects.entry_at(info.tree, nothing)).present()) << nothing;
    }
    EXPECT_TRUE(must(objects.contains(commit)));
    EXPECT_FALSE(must(objects.contains(kNobody)));
    EXPECT_EQ(objects.commit(kNobody).error().code, Code::kNotFound);
    EXPECT_EQ(objects.commit(info.tree).error().code, Code::kCorrupt);
    EXPECT_EQ(objects.blob(file.oid, 3).error().code, Code::kFault);
    EXPECT_EQ(objects.commit(Oid("HEAD")).error().code, Code::kUsage);
    EXPECT_TRUE(must(objects.list(Oid())).empty());
  }
}

TEST(Objects, AllOfANameAreThoseOfTheTreeThatIsAskedFor) {
  const ScratchRepo repo;
  for (const char* path : {"x", "a/x", "a/b/x", "c/y", "d/x/y", "e/y"}) repo.write(path, path);
  const Oid first = repo.commit("first");
  repo.write("c/x", "new");
  repo.remove("a/x");
  const Oid second = repo.commit("second");
  const Objects objects = repo.objects();
  const auto paths = [&](const Oid& commit, std::string_view name) {
    std::vector<std::string> found;
    for (const NamedEntry& one : must(objects.all_named(commit, name))) {
      EXPECT_EQ(one.entry, must(objects.entry_at(commit, one.name)));
      found.push_back(one.name);
    }
    return found;
  };
  using Paths = std::vector<std::string>;
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(paths(first, "x"), (Paths{"a/b/x", "a/x", "x"}));
    EXPECT_EQ(paths(first, "x"), (Paths{"a/b/x", "a/x", "x"}));
    EXPECT_EQ(paths(second, "x"), (Paths{"a/b/x", "c/x", "x"}));
    EXPECT_EQ(paths(second, "y"), (Paths{"c/y", "d/x/y", "e/y"}));
    EXPECT_EQ(paths(second, "z"), Paths{});
  }
}

TEST(Objects, SeesWhatOthersWriteWhileItIsOpen) {
  const ScratchRepo repo;
  repo.commit("one");
  const Objects objects = repo.objects();
  repo.write("f", "new");
  const Oid loose = repo.commit("two");
  EXPECT_TRUE(must(objects.contains(loose)));
  repo.write("f", "newer");
  const Oid packed = repo.commit("three");
  repo.git({"repack", "-q", "-a", "-d"});
  EXPECT_TRUE(must(objects.contains(packed)));
  EXPECT_EQ(must(objects.commit(packed)).message, "three\n");
}

TEST(Objects, AnotherThreadReadsBesideThem) {
  ScratchRepo repo;
  constexpr int kFolders = 60;
  for (int i = 0; i < kFolders; ++i) repo.write(fmt::format("d{}/f{}", i, i), fmt::format("{}", i));
  const Oid commit = repo.commit("many");
  Objects objects = repo.objects();
  const Objects beside = must(objects.beside());
  const auto files_of = [&](const Objects& of) {
    std::size_t files = 0;
    for (const NamedEntry& folder : must(of.list(commit))) {
      files += must(of.list(folder.entry.oid)).size();
    }
    return files;
  };
  std::size_t theirs = 0;
  std::thread reader([&] { theirs = files_of(beside); });
  Oid written;
  for (int i = 0; i < kFolders; ++i) written = must(objects.write_blob(fmt::format("new {}", i)));
  EXPECT_EQ(files_of(objects), std::size_t{kFolders});
  reader.join();
  EXPECT_EQ(theirs, std::size_t{kFolders});
  EXPECT_EQ(must(beside.blob(written)), fmt::format("new {}", kFolders - 1));
}

// Objects that one has unpacked are there for both, also when one of them has gone.
TEST(Objects, WhatIsUnpackedIsThereForThoseBeside) {
  ScratchRepo repo;
  repo.write("a/f", "f");
  repo.write("b/g", "g");
  const Oid commit = repo.commit("two folders");
  const Objects objects = repo.objects();
  const Oid ours = must(objects.entry_at(commit, "a")).oid;
  const Oid theirs = must(objects.entry_at(commit, "b")).oid;
  const auto forget = [&](const Oid& oid) {
    const std::string path =
        internal::loose_path(objects.git_dir() + "/objects", internal::checked_oid(oid));
    ASSERT_EQ(::unlink(path.c_str()), 0) << path;
  };
  ASSERT_EQ(must(objects.list(ours)).size(), 1u);
  forget(ours);
  {
    const Objects beside = must(objects.beside());
    EXPECT_TRUE(beside.list(ours));
    ASSERT_EQ(must(beside.list(theirs)).size(), 1u);
    forget(theirs);
  }
  EXPECT_TRUE(objects.list(ours));
  EXPECT_TRUE(objects.list(theirs));
}

TEST(Objects, TreesAreUnpackedFromTheLastUntilItIsEnough) {
  ScratchRepo repo;
  for (const char* file : {"a/f", "b/deep/g", "c/h"}) repo.write(file, file);
  const Oid commit = repo.commit("folders");
  const Objects objects = repo.objects();
  const auto tree = [&](const char* path) { return must(objects.entry_at(commit, path)).oid; };
  const Oid a = tree("a"), b = tree("b"), c = tree("c"), deep = repo.oid("HEAD:b/deep");
  const Objects fresh = repo.objects();
  int asked = 0;
  fresh.unpack_trees(commit, [&asked] { return ++asked > 4; });  // not before the root, c, b, deep
  for (const Oid& oid : {a, b, c, deep}) {
    const std::string path =
        internal::loose_path(objects.git_dir() + "/objects", internal::checked_oid(oid));
    ASSERT_EQ(::unlink(path.c_str()), 0) << path;
  }
  for (const Oid& oid : {b, c, deep}) EXPECT_TRUE(fresh.list(oid)) << oid.str();
  EXPECT_FALSE(fresh.list(a));
}

TEST(Objects, InMemoryLeaveNothingBehind) {
  const ScratchRepo repo;
  repo.write("d/file", "bytes\n");
  const Oid commit = repo.commit("first");
  const std::string before = repo.git({"count-objects", "-v"});
  Objects memory = must(Objects::open_in_memory(repo.git_dir(), repo.runner()));
  // The file need not be anywhere, and what is written is read again.
  const Oid tree = must(memory.apply(
      commit, {{"d/new", {}, {FileMode::kFile, kNobody}}, {"x", {}, {FileMode::kLink, kNobody}}}));
  EXPECT_EQ(must(memory.entry_at(tree, "d/new")).oid, kNobody);
  EXPECT_EQ(must(memory.diff(commit, tree)).size(), 2u);
  const Oid text = must(memory.write_blob("only here\n"));
  EXPECT_EQ(must(memory.blob(text)), "only here\n");
  EXPECT_EQ(must(memory.blob(repo.oid("HEAD:d/file"))), "bytes\n");
  EXPECT_EQ(must(memory.write_blob("bytes\n")), repo.oid("HEAD:d/file"));
  EXPECT_EQ(repo.git({"count-objects", "-v"}), before);
  EXPECT_EQ(repo.objects().diff(commit, tree).error().code, Code::kNotFound);
}

TEST(Objects, WritesCommitsAsGitDoes) {
  const ScratchRepo repo;
  repo.write("f", "1");
  const Oid one = repo.commit("one");
  Objects objects = repo.objects();
  NewCommit commit{
      repo.tree(),         {one}, "A <a@b> 1700000000 +0130", "C <c@d> 1700000001 -0700",
      "subject\n\nbody\n", {}};
  const Oid written = must(objects.write_commit(commit));
  EXPECT_EQ(repo.git({"hash-object", "-t", "commit", "--stdin"}, objects.commit_bytes(commit)),
            written.str());
  EXPECT_EQ(repo.git({"log", "-1", "--format=%an %ae %at|%cn %ct|%P|%B", written.str()}),
            "A a@b 1700000000|C 1700000001|" + one.str() + "|subject\n\nbody\n");
  EXPECT_EQ(repo.git({"fsck", "--strict", "--no-dangling"}), "");
  commit.encoding = "ISO-8859-1";
  EXPECT_EQ(must(objects.commit(must(objects.write_commit(commit)))).encoding, "ISO-8859-1");
  EXPECT_EQ(must(objects.write_commit(commit)), must(objects.write_commit(commit)));

  commit.author = "A <a@b> 1700000000 +0130\nparent " + one.str();
  EXPECT_EQ(objects.write_commit(commit).error().code, Code::kUsage);
  commit.author = commit.committer;
  commit.parents = {kNobody};
  EXPECT_EQ(objects.write_commit(commit).error().code, Code::kNotFound);
  commit.parents = {one};
  commit.tree = kNobody;
  EXPECT_EQ(objects.write_commit(commit).error().code, Code::kNotFound);
}

TEST(Objects, KeepsAForeignHeaderOfARawCommit) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  Objects objects = repo.objects();
  const std::string bytes = "tree " + repo.tree().str() + "\nparent " + one.str() +
                            "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
                            "gpgsig -----BEGIN\n tree of nothing\n -----END\n\nsigned\n";
  const CommitInfo info = must(objects.commit(must(objects.write_raw_commit(bytes))));
  EXPECT_EQ(info.message, "signed\n");
  EXPECT_EQ(info.parents, std::vector<Oid>{one});
  for (const std::string& broken : {std::string(), std::string("tree x\n"), bytes.substr(46),
                                    "tree " + bytes, bytes.substr(0, 100), bytes + '\0'}) {
    EXPECT_FALSE(objects.write_raw_commit(broken)) << broken;
  }
}

TEST(Objects, MalformedTreesAreNamedAndNotGuessedAt) {
  const ScratchRepo repo;
  repo.write("f", "1");
  repo.commit("one");
  const Objects objects = repo.objects();
  const std::string id(20, '\1');
  auto tree = [&](const std::string& bytes) {
    return Oid(repo.git({"hash-object", "-t", "tree", "-w", "--literally", "--stdin"}, bytes));
  };
  auto entry = [&](const std::string& head) { return head + '\0' + id; };
  for (const std::string& bytes :
       {std::string("100644 a"), std::string("100644 a\0short", 14), entry("100644 "),
        entry("999999 a"), entry("0 a"), entry("100644 a/b"), entry(" a"), entry("777777777777 a"),
        entry("100644 a") + entry("100644 a"), entry("100644 a") + entry("40000 a")}) {
    const Oid oid = tree(bytes);
    auto listed = objects.list(oid);
    ASSERT_FALSE(listed) << bytes;
    EXPECT_EQ(listed.error().code, Code::kCorrupt);
    EXPECT_NE(listed.error().message.find(oid.str()), std::string::npos);
  }
  // a difference names it too, also where what is wrong is the same in both
  const std::string twice = entry("100644 a") + entry("100644 a");
  const auto differs =
      objects.diff(tree(twice + entry("100644 b")), tree(twice + entry("100755 b")));
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error().code, Code::kCorrupt);
  // what old versions of git wrote is read, and kept as it is where nothing changes
  const Oid old = tree(entry("100664 a") + entry("100644 b") + entry("040000 c"));
  const auto entries = must(objects.list(old));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].entry.mode, FileMode::kFile);
  const TreeEntry blob{FileMode::kFile, repo.oid("HEAD:f")};
  const Oid changed = must(objects.apply(old, {{"b", entries[1].entry, blob}}));
  EXPECT_TRUE(repo.git({"cat-file", "tree", changed.str()}).starts_with("100664 a"));
}

TEST(Objects, AnEmptyFileLeftByAPowerCutIsNoObject) {
  const ScratchRepo repo;
  repo.write("f", "lost\n");
  repo.commit("one");
  const Oid blob = repo.oid("HEAD:f");
  const std::string path =
      internal::loose_path(repo.git_dir() + "/objects", must(internal::parse_oid(blob)));
  must(remove_file(path));
  must(write_file(path, "", Sync::kNo, 0444));
  Objects objects = repo.objects();
  EXPECT_FALSE(must(objects.contains(blob)));
  EXPECT_FALSE(objects.blob(blob));
  EXPECT_EQ(must(objects.write_blob("lost\n")), blob);
  EXPECT_EQ(must(objects.blob(blob)), "lost\n");
  EXPECT_EQ(repo.git({"fsck"}), "");
}

TEST(Objects, APromisedObjectIsFetchedByGit) {
  const ScratchRepo repo;
  repo.write("d/f", "far away\n");
  repo.commit("one");
  repo.git({"config", "uploadpack.allowFilter", "true"});
  repo.git({"config", "uploadpack.allowAnySHA1InWant", "true"});
  for (const char* filter : {"blob:none", "tree:0"}) {
    const std::string partial = repo.root() + "/partial-" + std::string(filter).substr(0, 4);
    repo.git(
        {"clone", "-q", "--no-checkout", "--filter", filter, "file://" + repo.path(), partial});
    const Objects objects = must(Objects::open(partial + "/.git", repo.runner()));
    EXPECT_FALSE(must(objects.contains(repo.oid("HEAD:d/f")))) << filter;
    EXPECT_EQ(must(objects.blob(must(objects.entry_at(repo.head(), "d/f")).oid)), "far away\n");
    EXPECT_TRUE(must(objects.contains(repo.oid("HEAD:d/f")))) << filter;
  }
}

TEST(Objects, FollowsAlternates) {
  const ScratchRepo repo;
  repo.write("f", "1");
  const Oid commit = repo.commit("one");
  const std::string shared = repo.root() + "/shared";
  repo.git({"clone", "-q", "--shared", repo.path(), shared});
  const Objects objects = must(Objects::open(shared + "/.git", repo.runner()));
  EXPECT_EQ(must(objects.commit(commit)).message, "one\n");
  internal::ObjectStore store(shared + "/.git", repo.runner());
  must(store.open());
  EXPECT_EQ(must(store.object_dirs()),
            (std::vector<std::string>{shared + "/.git/objects", repo.git_dir() + "/objects"}));
}

TEST(Objects, LetTheGroupWriteWhereTheRepositoryIsShared) {
  const ScratchRepo repo({"--shared=group"});
  Objects objects = repo.objects();
  const Oid blob = must(objects.write_blob("for all"));
  struct stat st{};
  const std::string dir = repo.git_dir() + "/objects/" + blob.str().substr(0, 2);
  ASSERT_EQ(::stat(dir.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 02775u);
}

TEST(Objects, ManyWideTreesAreWrittenOnce) {
  const ScratchRepo repo;
  std::string lines;
  const std::string blob = repo.git({"hash-object", "-w", "--stdin"}, "x");
  for (int i = 0; i < 3000; ++i) lines += "100644 blob " + blob + "\tf" + std::to_string(i) + "\n";
  const Oid wide(repo.git({"mktree"}, lines));
  Objects objects = repo.objects();
  const TreeEntry was{FileMode::kFile, Oid(blob)};
  const TreeEntry is{FileMode::kFile, must(objects.write_blob("y"))};
  const Oid changed = must(objects.apply(wide, {{"f7", was, is}}));
  const Changes changes = must(objects.diff(wide, changed));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0], (PathChange{"f7", was, is}));
  EXPECT_EQ(must(objects.apply(changed, {{"f7", is, was}})), wide);
}

// More directories than parsed trees are kept, and those of two trees by turns.
TEST(Objects, LookUpEntriesOfManyTrees) {
  const ScratchRepo repo;
  constexpr int kDirectories = 100;
  std::vector<Oid> trees;
  for (const std::string version : {"1", "2"}) {
    for (int i = 0; i < kDirectories; ++i) {
      repo.write("d" + std::to_string(i) + "/f", version + " " + std::to_string(i));
    }
    trees.push_back(repo.commit(version));
  }
  const Objects objects = repo.objects();
  for (int i = 0; i < kDirectories; ++i) {
    for (const std::string version : {"1", "2"}) {
      const std::string path = "d" + std::to_string(i) + "/f";
      const TreeEntry entry = must(objects.entry_at(trees[version == "1" ? 0 : 1], path));
      EXPECT_EQ(entry.oid, must(objects.blob_id(version + " " + std::to_string(i)))) << path;
      EXPECT_FALSE(must(objects.entry_at(trees[0], path + "/g")).present());
    }
  }
}

// ---- history ----

TEST(History, IsWhatGitSays) {
  const ScratchRepo repo;
  testing::TreeMaker maker(7);
  Importer importer;
  constexpr int kCommits = 40;
  for (int i = 0; i < kCommits; ++i) {
    std::vector<int> parents;
    const int most = i == 0 || maker.random().below(30) == 0 ? 0 : 2;
    for (int p = 0; p < most; ++p) {
      const int recent = std::min(i, 5);
      const int parent =
          i - 1 - static_cast<int>(maker.random().below(static_cast<std::uint64_t>(recent)));
      if (std::find(parents.begin(), parents.end(), parent) == parents.end()) {
        parents.push_back(parent);
      }
      if (maker.random().below(2) == 0) break;
    }
    importer.add(maker.tree(2), parents);
  }
  const std::vector<Oid> commits = importer.run(repo);
  const Objects objects = repo.objects();
  int related = 0;
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    std::size_t one = maker.random().below(kCommits);
    std::size_t other = maker.random().below(kCommits);
    if (i % 3 != 0 && one > other) std::swap(one, other);  // more of those that are related
    const Oid& a = commits[one];
    const Oid& b = commits[other];
    const bool is = repo.git_status({"merge-base", "--is-ancestor", a.str(), b.str()}) == 0;
    EXPECT_EQ(must(objects.is_ancestor(a, b)), is);
    const auto base = must(objects.merge_base(a, b));
    const Output all =
        must(repo.runner().run({"merge-base", "--all", a.str(), b.str()}, {.dir = repo.path()}));
    EXPECT_EQ(base.has_value(), !all.out.empty());
    EXPECT_NE(all.out.find(base.value_or(Oid()).str()), std::string::npos);
    const auto path = must(objects.first_parent_path(a, b));
    EXPECT_EQ(path.has_value(), is);
    related += is;
    if (!path) continue;
    found += static_cast<int>(path->size());
    Oid before = a;
    for (const Oid& step : *path) {  // each one's predecessor is its parent
      const std::vector<Oid> parents = must(objects.commit(step)).parents;
      EXPECT_NE(std::find(parents.begin(), parents.end(), before), parents.end());
      before = step;
    }
    EXPECT_EQ(before, b);
  }
  EXPECT_GT(related, 10);
  EXPECT_GT(found, 10);
}

TEST(History, FollowsFirstParentsWhereItCan) {
  const ScratchRepo repo;
  Importer importer;
  const int root = importer.add({{"f", {"100644", "0"}}});
  const int main1 = importer.add({{"f", {"100644", "1"}}}, {root});
  const int side = importer.add({{"g", {"100644", "1"}}}, {root});
  const int merge = importer.add({{"f", {"100644", "2"}}}, {main1, side});
  const int tip = importer.add({{"f", {"100644", "3"}}}, {merge});
  const std::vector<Oid> c = importer.run(repo);
  auto at = [&](int i) { return c[static_cast<std::size_t>(i)]; };
  const Objects objects = repo.objects();
  auto path = [&](int from, int to) { return must(objects.first_parent_path(at(from), at(to))); };
  EXPECT_EQ(path(root, tip), (std::vector<Oid>{at(main1), at(merge), at(tip)}));
  EXPECT_EQ(path(side, tip), (std::vector<Oid>{at(merge), at(tip)}));  // merged from the side
  EXPECT_EQ(path(tip, tip), std::vector<Oid>{});
  EXPECT_EQ(path(tip, root), std::nullopt);
  EXPECT_EQ(path(main1, side), std::nullopt);
  EXPECT_EQ(objects.first_parent_path(at(root), kNobody).error().code, Code::kNotFound);
}

TEST(History, OfAShallowRepositoryEndsWhereItEnds) {
  const ScratchRepo repo;
  for (int i = 0; i < 6; ++i) repo.commit(std::to_string(i));
  const std::string shallow = repo.root() + "/shallow";
  repo.git({"clone", "-q", "--depth=3", "file://" + repo.path(), shallow});
  Objects objects = must(Objects::open(shallow + "/.git", repo.runner()));
  const Oid head = repo.head();
  const Oid oldest = repo.oid("HEAD~2");
  EXPECT_TRUE(must(objects.is_ancestor(oldest, head)));
  EXPECT_FALSE(must(objects.is_ancestor(head, oldest)));
  EXPECT_EQ(must(objects.merge_base(oldest, head)), oldest);
  EXPECT_EQ(must(objects.first_parent_path(oldest, head)),
            (std::vector<Oid>{repo.oid("HEAD~1"), head}));
  EXPECT_EQ(must(objects.first_parent_path(head, oldest)), std::nullopt);
  must(objects.make_durable(head, {oldest}));
  must(objects.make_durable(
      oldest, {Oid(repo.git_in(shallow, {"commit-tree", "-m", "x", repo.tree().str()}))}));
}

}  // namespace
}  // namespace gittxn::repo
