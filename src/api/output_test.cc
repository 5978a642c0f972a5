// Output of a detached run: bounded, and read while it is written.
#include "api/output.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "api/testing/kernel_world.h"
#include "base/testing/temp_dir.h"

namespace gittxn::api {
namespace {

using gittxn::testing::TempDir;
using repo::testing::must;

constexpr OutputBound kSmall{.part_bytes = 10, .parts = 3};

std::string all_of(OutputReader& reader, std::uint64_t* cut = nullptr) {
  std::string all;
  while (true) {
    const OutputPiece piece = must(reader.next());
    if (cut != nullptr) *cut += piece.cut;
    if (piece.bytes.empty()) return all;
    all += piece.bytes;
  }
}

TEST(Output, IsReadWhileItIsWritten) {
  const TempDir dir;
  OutputWriter writer = must(OutputWriter::open(dir.path(), kSmall));
  OutputReader reader(dir.path(), kSmall);
  EXPECT_EQ(all_of(reader), "");
  ASSERT_TRUE(writer.append("one"));
  EXPECT_EQ(all_of(reader), "one");
  EXPECT_EQ(all_of(reader), "");
  ASSERT_TRUE(writer.append(" two three four"));  // over the end of a part
  EXPECT_EQ(all_of(reader), " two three four");
  ASSERT_TRUE(writer.append("12"));  // up to the end of one
  ASSERT_TRUE(writer.append("x"));
  EXPECT_EQ(all_of(reader), "12x");
}

TEST(Output, KeepsTheNewestAndSaysHowMuchIsGone) {
  const TempDir dir;
  OutputWriter writer = must(OutputWriter::open(dir.path(), kSmall));
  OutputReader slow(dir.path(), kSmall);
  ASSERT_TRUE(writer.append("first"));
  EXPECT_EQ(all_of(slow), "first");
  std::string text = "first";
  for (int i = 0; i < 1000; ++i) {
    const std::string line = fmt::format("line {}\n", i);
    ASSERT_TRUE(writer.append(line));
    text += line;
  }
  std::uint64_t cut = 0;
  const std::string rest = all_of(slow, &cut);
  EXPECT_EQ("first" + std::string(cut, '.') + rest,
            std::string("first") + std::string(cut, '.') + text.substr(5 + cut));
  EXPECT_GT(cut, 8000U);
  EXPECT_LE(rest.size(), 30U);
  EXPECT_GT(rest.size(), 20U);
  std::size_t parts = 0;
  for (const DirEntry& entry : must(list_dir(dir.path()))) {
    struct stat info = {};
    ASSERT_EQ(::stat(join_path(dir.path(), entry.name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << entry.name;
    parts += entry.name == "process" ? 0 : 1;
  }
  EXPECT_EQ(parts, 3U);
}

TEST(Output, BeginsWithTheLastLines) {
  const auto last = [](const std::string& text, std::size_t lines) {
    const TempDir dir;
    OutputWriter writer = must(OutputWriter::open(dir.path()));
    EXPECT_TRUE(writer.append(text));
    OutputReader reader(dir.path());
    EXPECT_TRUE(reader.go_to_last(lines));
    return all_of(reader);
  };
  EXPECT_EQ(last("", 2), "");
  EXPECT_EQ(last("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last("a\nb\n", 2), "a\nb\n");
  EXPECT_EQ(last("a\n\n\n", 2), "\n\n");
  EXPECT_EQ(last("a\nb", 0), "");
  EXPECT_EQ(last("a\nb\n", 0), "");
  EXPECT_EQ(last(std::string(100'000, 'x') + "\nend\n", 5), "end\n");
  EXPECT_EQ(last(std::string(100'000, 'x'), 5), "");
}

TEST(Output, EndsOnce) {
  const TempDir dir;
  EXPECT_FALSE(must(run_end(dir.path())));
  ASSERT_TRUE(write_run_end(dir.path(), {3, "{\"a\":\"b\"}\n"}));
  const auto end = must(run_end(dir.path()));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit, 3);
  EXPECT_EQ(end->result, "{\"a\":\"b\"}\n");
  ASSERT_TRUE(write_file(join_path(dir.path(), "end"), "{\"exit\":", Sync::kNo));
  EXPECT_FALSE(run_end(dir.path()));
}

// The writer keeps going where it cannot write: what is lost is what it printed, and no more.
TEST(Output, OfAFolderThatIsGoneIsAnError) {
  EXPECT_FALSE(OutputWriter::open("/nowhere/at/all"));
  const TempDir dir;
  const std::string folder = join_path(dir.path(), "gone");
  ASSERT_TRUE(make_dirs(folder));
  OutputWriter writer = must(OutputWriter::open(folder, kSmall));
  ASSERT_TRUE(remove_tree(folder));
  EXPECT_TRUE(writer.append("is open"));
  EXPECT_FALSE(writer.append("and no further"));
  EXPECT_FALSE(writer.append("x"));
  OutputReader reader(folder, kSmall);
  EXPECT_FALSE(reader.next());
}

class OutputOfTest : public ::testing::Test, public testing::KernelWorld {
 protected:
  OutputOfTest() {
    scratch_.write("f", "line\n");
    scratch_.commit("start");
  }
};

TEST_F(OutputOfTest, IsFoundUntilItIsCollected) {
  Kernel kernel = this->kernel();
  const TxnId id = must(kernel.begin(RunOptions{}, Progress{})).id;
  const auto none = find_output(kernel, id.str());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kUsage);
  EXPECT_NE(none.error().hint.find("git txn show " + id.str()), std::string::npos);
  const std::string folder = must(make_output_folder(kernel, id));
  EXPECT_EQ(must(find_output(kernel, id.str())).folder, folder);
  must(kernel.gc(true, Progress{}));
  EXPECT_TRUE(must(exists(folder))) << "it is open";
  must(kernel.abort(id.str(), "", Progress{}));
  must(kernel.gc(false, Progress{}));
  EXPECT_TRUE(must(exists(folder))) << "somebody may want to read it";
  must(kernel.gc(true, Progress{}));
  EXPECT_FALSE(must(exists(folder)));
}

TEST_F(OutputOfTest, ARunIsToldOfBeforeItStartsAndOnceItRuns) {
  Kernel kernel = this->kernel();
  std::vector<std::string> told;
  Progress progress;
  progress.on_begun = [&](const TxnId& id) -> Status {
    told.push_back("begun " + std::string(state_name(must(kernel.show(id.str())).txn.state)));
    return {};
  };
  progress.on_started = [&] { told.emplace_back("started"); };
  const Outcome outcome = must(kernel.run(script("echo x >f"), progress));
  EXPECT_EQ(outcome.txn.state, TxnState::kLanded);
  EXPECT_EQ(told, (std::vector<std::string>{"begun open", "started"}));
  RunOptions missing;
  missing.command = {"./not-there"};
  EXPECT_FALSE(kernel.run(missing, progress));
  EXPECT_EQ(told.back(), "begun open");
}

TEST_F(OutputOfTest, NothingRunsOfOneThatCannotBeTold) {
  Kernel kernel = this->kernel();
  TxnId begun;
  Progress progress;
  progress.on_begun = [&](const TxnId& id) -> Status {
    begun = id;
    return fail(Code::kFault, "nobody keeps what it prints");
  };
  const auto outcome = kernel.run(script("echo x >f"), progress);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "nobody keeps what it prints");
  EXPECT_EQ(must(kernel.show(begun.str())).txn.state, TxnState::kAborted);
}

}  // namespace
}  // namespace gittxn::api
