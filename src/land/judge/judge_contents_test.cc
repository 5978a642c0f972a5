// Whether a part of a file that was read still stands at the head.
#include "land/judge/judge_contents.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "capture/lines.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::land {
namespace {

using repo::testing::must;
using repo::testing::ScratchRepo;

class PartsOfAFile : public ::testing::Test {
 protected:
  // Reads the lines from `before`, and asks when the file is `after`; "" removes it.
  bool holds(const std::string& before, const LineSpan& lines, const std::string& after,
             Isolation level = Isolation::kSemantic) {
    scratch.write("file", before);
    scratch.write("other", std::to_string(++turn_));
    const Oid snapshot = scratch.commit("before");
    after.empty() ? scratch.remove("file") : scratch.write("file", after);
    scratch.write("other", std::to_string(++turn_));
    const Oid head = scratch.commit("after");
    const repo::Objects objects = scratch.objects();
    const Oid from = must(objects.tree_of(snapshot)), to = must(objects.tree_of(head));
    const SnapshotDiff diff{snapshot, must(objects.diff(from, to))};
    Read read;
    read.subject = "file";
    read.snapshot = snapshot;
    read.lines = lines;
    read.digest = capture::lines_digest(before, lines).str();
    return !judge_contents(objects, to, level)(read, diff, {});
  }

  ScratchRepo scratch;

 private:
  int turn_ = 0;
};

const std::string kText = "a\nb\nc\nd\ne\n";

TEST_F(PartsOfAFile, HoldWhereOnlyOtherLinesChanged) {
  EXPECT_TRUE(holds(kText, {2, 2}, "A\nb\nc\nd\nE\n"));
  EXPECT_TRUE(holds(kText, {2, 2}, "a\nb\nc\n"));
}

TEST_F(PartsOfAFile, HoldWhereTheyMoved) {
  EXPECT_TRUE(holds(kText, {2, 2}, "new\nnew\na\nb\nc\nd\ne\n")) << "down";
  EXPECT_TRUE(holds(kText, {3, 2}, "c\nd\ne\n")) << "up";
  EXPECT_TRUE(holds(kText, {2, 2}, "a\nnew\nb\nc\nnew\nd\ne\n")) << "and what is beside them";
}

// A reader of the lines may have seen their numbers.
TEST_F(PartsOfAFile, AtExactLevelsTheyStandWhereTheyStood) {
  EXPECT_TRUE(holds(kText, {2, 2}, "A\nb\nc\nd\n", Isolation::kStrict));
  EXPECT_FALSE(holds(kText, {2, 2}, "new\n" + kText, Isolation::kStrict));
  EXPECT_FALSE(holds(kText, {2, 2}, "new\n" + kText, Isolation::kSerializable));
}

TEST_F(PartsOfAFile, DoNotWhereTheyChanged) {
  EXPECT_FALSE(holds(kText, {2, 2}, "a\nB\nc\nd\ne\n"));
  EXPECT_FALSE(holds(kText, {2, 2}, "new\na\nB\nc\nd\ne\n"));
  EXPECT_FALSE(holds(kText, {2, 2}, "a\nb\nnew\nc\nd\ne\n")) << "something between them";
  EXPECT_FALSE(holds(kText, {2, 2}, "a\nb\nd\ne\n"));
  EXPECT_FALSE(holds(kText, {2, 2}, "")) << "gone";
}

TEST_F(PartsOfAFile, ThatReachedTheEndSawTheEnd) {
  EXPECT_TRUE(holds(kText, {4, 9}, "A\nb\nc\nd\ne\n"));
  EXPECT_FALSE(holds(kText, {4, 9}, kText + "f\n"));
  EXPECT_TRUE(holds(kText, {4, 9}, "new\n" + kText)) << "they moved, and it with them";
  EXPECT_TRUE(holds(kText, {4, 9}, "c\nd\ne\n"));
  EXPECT_FALSE(holds(kText, {4, 9}, "new\n" + kText + "f\n"));
  EXPECT_FALSE(holds("a\nb\nc", {2, 9}, "new\na\nb\nc\n")) << "its last line has an end now";
  EXPECT_FALSE(holds(kText, {8, 9}, kText + kText)) << "behind the end there was nothing";
}

// What holds is there, in one piece.
TEST_F(PartsOfAFile, ThatHoldAreThere) {
  Random random(7);
  int held = 0, moved = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<std::string> lines;
    for (int i = 0; i < 12; ++i) lines.push_back(std::string(1, "abcdef"[random.below(6)]) + "\n");
    std::string before, after;
    for (const std::string& line : lines) before += line;
    const LineSpan span{1 + static_cast<std::int64_t>(random.below(10)),
                        1 + static_cast<std::int64_t>(random.below(3))};
    const std::size_t at = random.below(lines.size());
    if (random.below(2) == 0)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), "x\n");
    else
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    for (const std::string& line : lines) after += line;
    if (before == after || !holds(before, span, after)) continue;
    ++held;
    bool whole = false;
    const std::string part(capture::lines_text(before, span, &whole));
    EXPECT_NE(("\n" + after).find("\n" + part), std::string::npos) << before << "--\n" << after;
    if (capture::lines_digest(after, span) != capture::lines_digest(before, span)) ++moved;
  }
  EXPECT_GT(held, 30);
  EXPECT_GT(moved, 10);
}

}  // namespace
}  // namespace gittxn::land
