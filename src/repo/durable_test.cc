// Bringing objects home (import) and making them durable: which objects, found where.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "repo/objects.h"
#include "repo/objects/object_store.h"
#include "repo/refs.h"
#include "repo/testing/random_trees.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::Importer;
using testing::must;
using testing::RandomTree;
using testing::ScratchRepo;

class Durable : public ::testing::Test {
 protected:
  Durable() : store_(repo_.git_dir(), repo_.runner()) { must(store_.open()); }

  Unsynced set(const Oid& tip, const std::vector<Oid>& durable) {
    store_.refresh();
    return must(internal::unsynced(store_, tip, durable));
  }
  std::string loose(const Oid& oid) const {
    return internal::loose_path(repo_.git_dir() + "/objects", internal::checked_oid(oid));
  }
  // Every object git counts between the two, as loose files.
  std::set<std::string> counted(const std::string& range) const {
    std::set<std::string> files;
    std::string lines = repo_.git({"rev-list", "--objects", range}) + "\n";
    for (std::size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n')) {
      files.insert(loose(Oid(lines.substr(0, 40))));
      lines.erase(0, end + 1);
    }
    return files;
  }

  const ScratchRepo repo_;
  internal::ObjectStore store_;
};

template <typename T>
std::set<T> as_set(const std::vector<T>& list) {
  return {list.begin(), list.end()};
}

TEST_F(Durable, IsExactlyWhatTheNewCommitsAdded) {
  repo_.write("a/b/f", "1");
  repo_.write("a/c/f", "1");
  repo_.write("g", "1");
  const Oid base = repo_.commit("base");
  repo_.write("a/b/f", "2");
  repo_.commit("two");
  repo_.write("new/deep/file", "3");
  repo_.remove("g");
  const Oid tip = repo_.commit("three");
  const Unsynced found = set(tip, {base});
  EXPECT_EQ(as_set(found.files), counted(base.str() + ".." + tip.str()));
  EXPECT_EQ(found.files.size(), as_set(found.files).size());
  std::set<std::string> directories = {repo_.git_dir() + "/objects"};
  for (const std::string& file : found.files) directories.insert(parent_dir(file));
  EXPECT_EQ(as_set(found.directories), directories);
  EXPECT_TRUE(set(base, {tip}).files.empty());
  must(repo_.objects().make_durable(tip, {base}));
  must(repo_.objects().make_durable(tip, {}));
}

TEST_F(Durable, OfRandomHistoriesMissesNothing) {
  repo_.git({"config", "fastimport.unpackLimit", "100000"});  // loose objects
  testing::TreeMaker maker(99);
  Importer importer;
  std::vector<RandomTree> trees = {maker.tree(20)};
  importer.add(trees[0]);
  for (int i = 1; i < 25; ++i) {
    const int a = static_cast<int>(maker.random().below(static_cast<std::uint64_t>(i)));
    const int b = static_cast<int>(maker.random().below(static_cast<std::uint64_t>(i)));
    trees.push_back(maker.mutated(trees[static_cast<std::size_t>(a)], 3));
    importer.add(trees.back(), a == b ? std::vector<int>{a} : std::vector<int>{a, b});
  }
  const std::vector<Oid> commits = importer.run(repo_);
  std::size_t needed = 0;
  for (int i = 0; i < 20; ++i) {
    const Oid& tip = commits[maker.random().below(commits.size())];
    const Oid& old = commits[maker.random().below(commits.size())];
    const auto found = as_set(set(tip, {old}).files);
    const auto here = counted(old.str());
    // the range as git counts it has objects of both, where a change was undone
    for (const std::string& file : counted(tip.str())) {
      EXPECT_TRUE(here.contains(file) || found.contains(file)) << file;
      needed += !here.contains(file);
    }
  }
  EXPECT_GT(needed, 100u);
}

TEST_F(Durable, APackedObjectMeansItsPackOnce) {
  repo_.write("f", "1");
  const Oid base = repo_.commit("base");
  repo_.write("f", "2");
  const Oid packed = repo_.commit("packed");
  repo_.git({"gc", "-q"});
  repo_.write("f", "3");
  const Oid tip = repo_.commit("loose");
  const Unsynced found = set(tip, {base});
  const std::string pack_dir = repo_.git_dir() + "/objects/pack";
  std::set<std::string> expected = counted(packed.str() + ".." + tip.str());
  for (const DirEntry& entry : must(list_dir(pack_dir))) {
    expected.insert(pack_dir + "/" + entry.name);
  }
  EXPECT_GE(expected.size(), 5u);
  EXPECT_EQ(as_set(found.files), expected);
  EXPECT_TRUE(as_set(found.directories).contains(pack_dir));
  must(internal::make_durable(store_, tip, {base}));
  EXPECT_EQ(as_set(set(tip, {base}).files), counted(packed.str() + ".." + tip.str()));
}

TEST_F(Durable, ObjectsOfAnAlternateAreSyncedThere) {
  repo_.write("f", "1");
  const Oid base = repo_.commit("base");
  repo_.write("f", "2");
  const Oid tip = repo_.commit("two");
  const std::string shared = repo_.root() + "/shared";
  repo_.git({"clone", "-q", "--shared", repo_.path(), shared});
  internal::ObjectStore borrower(shared + "/.git", repo_.runner());
  must(borrower.open());
  const Unsynced found = must(internal::unsynced(borrower, tip, {base}));
  EXPECT_EQ(as_set(found.files), counted(base.str() + ".." + tip.str()));
}

TEST_F(Durable, WhatADurableCommitHasIsNotSyncedAgain) {
  repo_.write("a/f", "1");
  repo_.write("b/f", "1");
  const Oid base = repo_.commit("base");
  repo_.git({"checkout", "-q", "-b", "kept"});
  repo_.write("a/f", "2");
  const Oid kept = repo_.commit("work");
  repo_.git({"checkout", "-q", "main"});
  repo_.write("b/f", "2");
  const Oid head = repo_.commit("of somebody else");
  repo_.git({"checkout", "-q", kept.str(), "--", "a/f"});
  const Oid landed = repo_.commit("work, landed");
  const Oid root = repo_.oid("HEAD^{tree}");
  EXPECT_EQ(as_set(set(landed, {head, kept}).files), (std::set{loose(landed), loose(root)}));
  EXPECT_EQ(set(landed, {head}).files.size(), 4U);  // the tree a and the file in it, too
  EXPECT_TRUE(set(kept, {base, kept}).files.empty());
  EXPECT_TRUE(set(kept, {base, kept}).directories.empty());
}

TEST_F(Durable, AMissingOrEmptyObjectIsAStop) {
  repo_.write("d/f", "1");
  const Oid base = repo_.commit("base");
  repo_.write("d/f", "2");
  const Oid tip = repo_.commit("two");
  const Oid blob = repo_.oid("HEAD:d/f");
  for (const bool empty : {true, false}) {
    must(remove_file(loose(blob)));
    if (empty) must(write_file(loose(blob), "", Sync::kNo, 0444));
    const Status status = repo_.objects().make_durable(tip, {base});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kCorrupt);
    EXPECT_NE(status.error().message.find(blob.str()), std::string::npos);
  }
  EXPECT_EQ(must(repo_.objects().write_blob("2")), blob);
  must(repo_.objects().make_durable(tip, {base}));
}

TEST_F(Durable, WhatARemotePromisedIsNotOurs) {
  repo_.write("f", "1");
  const Oid base = repo_.commit("base");
  repo_.write("f", "2");
  const Oid tip = repo_.commit("two");
  repo_.git({"config", "uploadpack.allowFilter", "true"});
  const std::string partial = repo_.root() + "/partial";
  repo_.git(
      {"clone", "-q", "--no-checkout", "--filter=blob:none", "file://" + repo_.path(), partial});
  const Objects objects = must(Objects::open(partial + "/.git", repo_.runner()));
  must(objects.make_durable(tip, {base}));
  EXPECT_FALSE(must(objects.contains(repo_.oid("HEAD:f"))));
}

// ---- import ----

// A private git directory that borrows the repository's objects, as transactions have.
class Import : public ::testing::Test {
 protected:
  Import() {
    repo_.write("a/f", "1");
    repo_.write("b/f", "1");
    base_ = repo_.commit("base");
    repo_.git({"clone", "-q", "--shared", repo_.path(), private_});
  }
  Objects from() const { return must(Objects::open(private_ + "/.git", repo_.runner())); }
  void put(const std::string& name, const std::string& bytes) const {
    must(make_dirs(parent_dir(private_ + "/" + name)));
    must(write_file(private_ + "/" + name, bytes, Sync::kNo, 0644));
  }
  Oid commit(const std::string& message) const {
    repo_.git_in(private_, {"add", "-A"});
    repo_.git_in(private_, {"commit", "-q", "-m", message});
    return Oid(repo_.git_in(private_, {"rev-parse", "HEAD"}));
  }
  // Complete in the repository alone.
  void expect_home(const Oid& oid) const {
    EXPECT_EQ(repo_.git_status({"rev-list", "--objects", "--quiet", oid.str()}), 0);
    EXPECT_EQ(repo_.git({"fsck", "--no-dangling"}), "");
  }

  const ScratchRepo repo_;
  const std::string private_ = repo_.root() + "/private";
  Oid base_;
};

TEST_F(Import, BringsTreesAndCommitsHome) {
  put("a/f", "2");
  put("new/deep/file", "3");
  const Oid middle = commit("one");
  put("b/f", "4");
  const Oid tip = commit("two");
  put("uncommitted", "5");
  repo_.git_in(private_, {"add", "-A"});
  const Oid tree(repo_.git_in(private_, {"write-tree"}));
  Objects home = repo_.objects();
  ASSERT_FALSE(must(home.contains(tip)));
  must(home.import(from(), tree, {tip, base_}));
  expect_home(tip);
  expect_home(tree);
  EXPECT_EQ(must(home.commit(tip)).parents, std::vector<Oid>{middle});
  EXPECT_TRUE(must(list_dir(repo_.git_dir() + "/objects/pack")).empty());
  must(home.import(from(), tree, {tip}));  // again: nothing to do
  must(home.make_durable(tip, {base_}));
}

TEST_F(Import, OfManyObjectsMakesOnePack) {
  RandomTree many;
  for (int i = 0; i < 1100; ++i) many[std::to_string(i)] = {"100644", std::to_string(i)};
  Importer importer;
  importer.add(many);
  const Oid tip = importer.run(repo_, private_)[0];
  Objects home = repo_.objects();
  must(home.import(from(), tip, {tip}));
  expect_home(tip);
  int packs = 0;
  for (const DirEntry& entry : must(list_dir(repo_.git_dir() + "/objects/pack"))) {
    packs += entry.name.ends_with(".pack");
  }
  EXPECT_EQ(packs, 1);
  must(home.make_durable(tip, {base_}));
}

TEST_F(Import, OfALargeFileDoesNotPassThroughMemory) {
  const std::string odd = repo_.root() + "/odd:name";  // needs quoting as an alternate
  repo_.git({"clone", "-q", "--shared", repo_.path(), odd});
  must(write_file(odd + "/large", std::string(17u << 20, 'x'), Sync::kNo, 0644));
  repo_.git_in(odd, {"add", "large"});
  const Oid tree(repo_.git_in(odd, {"write-tree"}));
  Objects home = repo_.objects();
  must(home.import(must(Objects::open(odd + "/.git", repo_.runner())), tree, {}, base_));
  EXPECT_EQ(repo_.git({"cat-file", "-s", tree.str() + ":large"}), std::to_string(17u << 20));
  EXPECT_FALSE(must(list_dir(repo_.git_dir() + "/objects/pack")).empty());
}

TEST_F(Import, OfALongHistory) {
  std::string stream;
  for (int i = 0; i < 300; ++i) {
    stream += "commit refs/heads/long\ncommitter T <t@example.com> 1700000000 +0000\ndata 1\nc\n";
    if (i == 0) stream += "from " + base_.str() + "\n";
    const std::string bytes = std::to_string(i);
    stream += "M 100644 inline a/f\ndata " + std::to_string(bytes.size()) + "\n" + bytes + "\n";
  }
  repo_.git_in(private_, {"fast-import", "--quiet"}, stream);
  const Oid tip(repo_.git_in(private_, {"rev-parse", "refs/heads/long"}));
  Objects home = repo_.objects();
  must(home.import(from(), Oid(repo_.git_in(private_, {"rev-parse", "long^{tree}"})), {tip}));
  expect_home(tip);
  EXPECT_EQ(repo_.git({"rev-list", "--count", base_.str() + ".." + tip.str()}), "300");
}

// After a power cut a tree may be here without its blobs; against a base that is complete it is
// mended.
TEST_F(Import, MendsWhatAPowerCutTore) {
  put("a/f", "2");
  put("a/g", "3");
  const Oid tip = commit("one");
  const Oid tree(repo_.git_in(private_, {"rev-parse", "HEAD^{tree}"}));
  Objects home = repo_.objects();
  must(home.import(from(), tree, {}, base_));
  const Oid lost(repo_.git_in(private_, {"rev-parse", "HEAD:a/f"}));
  const Oid emptied(repo_.git_in(private_, {"rev-parse", "HEAD:a/g"}));
  const std::string objects_dir = repo_.git_dir() + "/objects";
  auto path = [&](const Oid& oid) {
    return internal::loose_path(objects_dir, internal::checked_oid(oid));
  };
  must(remove_file(path(lost)));
  must(remove_file(path(emptied)));
  must(write_file(path(emptied), "", Sync::kNo, 0444));
  Objects later = repo_.objects();
  // the private store has lost the same file if it borrows it; an agent's own objects are its own
  must(later.import(from(), tree, {}, base_));
  EXPECT_EQ(must(later.blob(lost)), "2");
  EXPECT_EQ(must(later.blob(emptied)), "3");
  must(later.import(from(), tree, {tip}, base_));
  expect_home(tip);
}

TEST_F(Import, OfAShallowHistoryIsRefused) {
  const ScratchRepo other;
  other.commit("one");
  other.write("f", "1");
  other.commit("two");
  repo_.git_in(private_, {"fetch", "-q", "--depth=1", "file://" + other.path(), "main"});
  const Oid tip(repo_.git_in(private_, {"rev-parse", "FETCH_HEAD"}));
  const Status refused = repo_.objects().import(from(), tip, {tip});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_NE(refused.error().hint.find("--unshallow"), std::string::npos);
}

TEST_F(Import, WorksWithoutBorrowingToo) {
  const std::string apart = repo_.root() + "/apart";
  repo_.git({"clone", "-q", "file://" + repo_.path(), apart});
  must(write_file(apart + "/only-here", "x", Sync::kNo, 0644));
  repo_.git_in(apart, {"add", "-A"});
  repo_.git_in(apart, {"commit", "-q", "-m", "apart"});
  const Oid tip(repo_.git_in(apart, {"rev-parse", "HEAD"}));
  must(repo_.objects().import(must(Objects::open(apart + "/.git", repo_.runner())), tip, {tip}));
  expect_home(tip);
}

}  // namespace
}  // namespace gittxn::repo
