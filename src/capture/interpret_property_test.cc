// Strict means that landing order is the serial order. So: run a random program on a snapshot,
// interpret its records, and move the head at random. If every hard read still holds and the writes
// merge, then the same program run on that head must observe the same and leave exactly the merged
// tree. A read that the interpreter forgot shows as a program that would have done something else.
#include <gtest/gtest.h>

#include "base/testing/campaign.h"
#include "capture/interpret.h"
#include "capture/testing/simulation.h"
#include "capture/trace/record_file.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::capture {
namespace {

using repo::testing::must;
using testing::Blobs;
using testing::Dice;
using testing::Ran;
using testing::Runner;
using testing::Step;
using testing::Tree;

const int kCases = gittxn::testing::campaign_rounds(800);

std::uint64_t seed() {
  return gittxn::testing::campaign_seed(20261121);
}

std::string text_of(const Tree& tree, const Blobs& blobs) {
  std::string text;
  for (const auto& [path, entry] : tree) {
    text +=
        "  " + path + " " + std::string(mode_text(entry.mode)) + " " + blobs.at(entry.oid) + "\n";
  }
  return text;
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

class SerialOrder : public ::testing::Test {
 protected:
  SerialOrder() : objects(repo.objects()) {}

  Oid store(const Tree& tree) {
    for (const auto& [path, entry] : tree) {
      if (stored.insert(entry.oid).second) must(objects.write_blob(blobs.at(entry.oid)));
    }
    Changes files;
    for (const auto& [path, entry] : tree) files.push_back({path, {}, entry});
    return must(objects.apply(Oid{}, files));
  }

  ReadSet interpreted(const Tree& base, const Ran& ran) {
    const std::string file = repo.root() + "/records";
    const UniqueFd fd = must(open_fd(file, O_WRONLY | O_CREAT | O_TRUNC));
    RecordWriter writer(fd.get());
    for (const Record& record : ran.records) writer.add(record);
    writer.finish();
    InterpretInput input;
    input.places.tree = root;
    input.places.private_git_dir = root + "/.git";
    input.places.common_git_dir = repo.git_dir();
    input.record_files = {file};
    input.snapshot = store(base);
    input.writes = gittxn::testing::diff(base, ran.after);
    return must(interpret(objects, input));
  }

  repo::testing::ScratchRepo repo;
  repo::Objects objects;
  const std::string root = "/nowhere/tree";
  Blobs blobs;
  std::set<Oid> stored;
};

// True when every hard read holds on `head`.
bool all_hold(const ReadSet& reads, const Tree& base, const Tree& head) {
  for (const Read& read : reads.reads) {
    if (read.strength == Strength::kSoft) continue;
    using gittxn::testing::observe;
    if (observe(base, read) != observe(head, read)) return false;
  }
  return true;
}

TEST_F(SerialOrder, WhatIsCertifiedWouldHaveHappenedOnTheHead) {
  Dice dice(seed());
  int certified = 0;
  int needlessly_refused = 0;
  for (int i = 0; i < kCases; ++i) {
    const Tree base = dice.tree(blobs);
    const std::vector<Step> program = dice.program();
    const Ran ran = Runner(base, blobs, root).run(program);
    const ReadSet reads = interpreted(base, ran);
    ASSERT_TRUE(reads.complete) << reads.unknown_reason;
    for (int move = 0; move < 4; ++move) {
      const Tree head = dice.edited(base, blobs);
      const auto merged = gittxn::testing::merge(base, ran.after, head);
      const Ran again = Runner(head, blobs, root).run(program);
      const bool same = merged && again.observed == ran.observed && again.after == *merged;
      if (!merged || !all_hold(reads, base, head)) {
        needlessly_refused += same;
        continue;
      }
      ++certified;
      ASSERT_TRUE(same) << "seed " << seed() << " case " << i << " move " << move << "\nbase\n"
                        << text_of(base, blobs) << "head\n"
                        << text_of(head, blobs) << "ran on the base\n"
                        << lines_of(ran.observed) << "on the head\n"
                        << lines_of(again.observed) << "merged\n"
                        << text_of(*merged, blobs) << "left on the head\n"
                        << text_of(again.after, blobs) << "reads\n"
                        << reads_to_lines(reads);
    }
  }
  fmt::print("serial order: {} of {} certified, {} refused needlessly\n", certified, kCases * 4,
             needlessly_refused);
  EXPECT_GT(certified, kCases / 4) << "an interpreter that reads everything passes too";
  EXPECT_LT(needlessly_refused, kCases * 4 / 5);
}

}  // namespace
}  // namespace gittxn::capture
