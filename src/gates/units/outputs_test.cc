#include "gates/units/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "gates/units/table.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::gates {
namespace {

using repo::testing::must;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TakenOutputs : public ::testing::Test {
 protected:
  TakenOutputs() {
    repo_.write("a", "a\n");
    repo_.write("lib/b", "b\n");
    repo_.commit("first");
  }
  void write(const std::string& path, const std::string& bytes, mode_t mode = 0644) {
    must(make_dirs(parent_dir(repo_.file(path)), 0777));
    must(write_file(repo_.file(path), bytes, Sync::kNo, mode));
  }
  // Takes them from the repository's own checkout, as if it were a gate's.
  Result<Outputs> take() { return take_outputs(objects_, repo_.tree(), repo_.path(), 0, dir()); }
  std::string dir() const { return repo_.root() + "/outputs"; }
  static std::vector<std::string> paths(const Outputs& outputs) {
    std::vector<std::string> paths;
    for (const auto& [path, is] : outputs.files) paths.push_back(path);
    return paths;
  }

  repo::testing::ScratchRepo repo_;
  repo::Objects objects_ = repo_.objects();
};

TEST_F(TakenOutputs, AreWhatTheTreeHasNotOrOtherwise) {
  EXPECT_EQ(must(take()), Outputs());
  write("a", "changed\n");
  write("out/x", "x\n", 0755);
  write("out/deep/.git/config", "no\n");
  ASSERT_EQ(::symlink("x", repo_.file("out/way").c_str()), 0);
  ASSERT_EQ(::mkfifo(repo_.file("out/pipe").c_str(), 0600), 0);
  must(make_dirs(repo_.file("out/empty")));
  const Outputs taken = must(take());
  EXPECT_THAT(paths(taken), ElementsAre("a", "out/way", "out/x"));
  EXPECT_EQ(taken.files[1].second.mode, FileMode::kLink);
  EXPECT_EQ(taken.files[2].second.mode, FileMode::kExecutable);
  EXPECT_EQ(must(read_file(taken.layer + "/out/x")), "x\n");
  EXPECT_EQ(must(kept_outputs(dir(), taken.digest)), taken);
  EXPECT_EQ(must(outputs_from_lines(outputs_to_lines(taken))).files, taken.files);
}

TEST_F(TakenOutputs, AreOneWhereTheyAreTheSame) {
  write("out/x", "x\n");
  const Outputs first = must(take());
  write("out/x", "x\n");
  EXPECT_EQ(must(take()), first);
  write("out/x", "y\n");
  EXPECT_NE(must(take()).digest, first.digest);
}

TEST_F(TakenOutputs, LackNoFileOfTheTree) {
  must(remove_file(repo_.file("lib/b")));
  EXPECT_EQ(take().error().message,
            "its set-up or build removed 'lib/b', which is a file of the candidate");
  must(remove_tree(repo_.file("lib")));
  write("lib", "a file now\n");
  EXPECT_EQ(take().error().code, Code::kRefused);
}

TEST_F(TakenOutputs, GoWithATreeThatHasRoomForThem) {
  write("out/x", "x\n");
  ASSERT_EQ(::symlink("out", repo_.file("way").c_str()), 0);
  const Outputs taken = must(take());
  repo::Objects memory = must(repo::Objects::open_in_memory(repo_.git_dir(), repo_.runner()));
  const Oid files = must(with_outputs(memory, repo_.tree(), taken));
  EXPECT_EQ(must(memory.entry_at(files, "out/x")), taken.files[0].second);
  EXPECT_EQ(must(memory.blob(must(memory.entry_at(files, "way")).oid)), "out");
  repo_.write("out/x/below", "a directory now\n");
  must(remove_file(repo_.file("way")));
  repo_.commit("second");
  EXPECT_EQ(with_outputs(memory, repo_.tree(), taken).error().code, Code::kStale);
}

TEST_F(TakenOutputs, TheNewestStay) {
  std::vector<Outputs> all;
  for (int i = 0; i < 6; ++i) {
    write("out", std::to_string(i));
    all.push_back(must(take()));
    const timespec time[2] = {{i + 1, 0}, {i + 1, 0}};
    ::utimensat(AT_FDCWD, parent_dir(all.back().layer).c_str(), time, 0);
  }
  must(make_dirs(dir() + "/new.1"));
  must(kept_outputs(dir(), all[0].digest));  // used
  must(prune_outputs(dir()));
  EXPECT_EQ(must(list_dir(dir())).size(), kKeptOutputs);
  for (const int kept : {0, 3, 4, 5}) EXPECT_TRUE(kept_outputs(dir(), all[kept].digest)) << kept;
  EXPECT_EQ(kept_outputs(dir(), all[1].digest).error().code, Code::kNotFound);
}

TEST(UnitTables, AreReadStrictly) {
  UnitTable table(2);
  table[0] = {.part = UnitSaid::Part::kPrepared, .tree = Oid(std::string(40, '1'))};
  table[1] = {.unit = "a b\n\xff", .passed = true, .ran = true, .limited = "why"};
  const std::string lines = units_to_lines(table);
  EXPECT_EQ(must(units_from_lines(lines)), table);
  for (std::size_t cut = 0; cut < lines.size(); ++cut) {
    EXPECT_FALSE(units_from_lines(lines.substr(0, cut)).has_value()) << cut;
  }
  EXPECT_FALSE(units_from_lines(lines + lines).has_value());
  EXPECT_EQ(tally_of(table).units, 1);
}

}  // namespace
}  // namespace gittxn::gates
