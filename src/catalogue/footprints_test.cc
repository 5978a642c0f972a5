#include "catalogue/footprints.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/fs.h"
#include "catalogue/testing/world.h"
#include "semantic/testing/edits.h"

namespace gittxn::catalogue {
namespace {

using testing::must;
using testing::World;
namespace edits = semantic::testing;

TEST(FootprintBytes, GiveBackWhatWasPut) {
  Random random(3);
  for (const auto& [path, text] : edits::samples()) {
    for (int round = 0; round < 10; ++round) {
      const semantic::FileChange change{path, text, edits::edited(path, text, random, "qlq")};
      const KeptFootprint kept{{random.below(1u << 26), random.below(1u << 26)},
                               semantic::footprint_of_file(change, {})};
      const std::string bytes = encode(kept);
      const KeptFootprint again = must(decode_footprint(bytes));
      EXPECT_EQ(encode(again), bytes) << path;
      EXPECT_EQ(again.bytes.before, kept.bytes.before);
      EXPECT_EQ(again.bytes.after, kept.bytes.after);
      const semantic::Footprint &made = kept.footprint, &back = again.footprint;
      const auto same = [](const auto& a, const auto& b) { return *a == *b; };
      EXPECT_TRUE(std::ranges::equal(back.definitions, made.definitions, same));
      EXPECT_EQ(back.writes.size(), made.writes.size());
      EXPECT_EQ(back.uses.size(), made.uses.size());
      EXPECT_EQ(made.empty(), text == *change.after || back.writes.empty());
    }
  }
}

TEST(FootprintBytes, AreRefusedWhereTheyDoNotFit) {
  const std::string bytes =
      encode({{14, 15},
              semantic::footprint_of_file(
                  semantic::FileChange{"a.py", "def f(a): g(a)\n", "def f(): g()\n"}, {})});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_footprint(std::string_view(bytes).substr(0, size)));
  }
  EXPECT_FALSE(decode_footprint(bytes + "x"));
  Random random(9);
  for (int round = 0; round < 2000; ++round) {  // whatever it is, it ends
    std::string damaged = bytes;
    damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    static_cast<void>(decode_footprint(damaged));
  }
}

class KeptFootprints : public ::testing::Test {
 protected:
  KeptFootprints() {
    before_ = world_.commit({{"a.py", "def f(a):\n    g(a)\n"}});
    after_ = world_.commit({{"a.py", "def f():\n    g()\n"}, {"b.py", "x = 1\n"}});
    changes_ = must(world_.objects().diff(before_, after_));
  }
  // A reader of its own, which finds what others have kept.
  Footprints look(CacheOptions options = {}, std::size_t most = 1000) {
    return {world_.objects(), std::move(options), most};
  }
  std::string kept(Footprints& footprints, const PathChange& change) {
    return encode({must(footprints.bytes_of(change)), *must(footprints.of(change))});
  }

  World world_;
  Oid before_, after_;
  Changes changes_;
};

TEST_F(KeptFootprints, AreTheSameWithACacheAndWithout) {
  ASSERT_EQ(changes_.size(), 2u);
  Footprints without = look();
  for (const PathChange& change : changes_) {
    const std::string fresh = kept(without, change);
    {
      Footprints making = look(world_.options().cache);
      EXPECT_EQ(kept(making, change), fresh) << "made";
      EXPECT_EQ(must(making.of(change)), must(making.of(change))) << "once";
    }
    Footprints finding = look(world_.options().cache);
    EXPECT_EQ(kept(finding, change), fresh) << "kept";
  }
  EXPECT_NE(kept(without, changes_[0]), kept(without, changes_[1]));
}

TEST_F(KeptFootprints, AreFoundByTheNext) {
  {
    Footprints making = look(world_.options().cache);
    must(making.of(changes_[0]));
  }
  // With no object left to read it from.
  repo::testing::ScratchRepo empty;
  const repo::Objects nothing = empty.objects();
  Footprints finding(nothing, world_.options().cache, 1000);
  EXPECT_EQ(must(finding.bytes_of(changes_[0])).both(), 19u + 17u);
  EXPECT_TRUE(finding.of(changes_[0]));
  EXPECT_FALSE(finding.bytes_of(changes_[1]));
  EXPECT_FALSE(finding.of(changes_[1]));
}

TEST_F(KeptFootprints, SayTheirBytesBeforeTheyAreMade) {
  Footprints footprints = look();
  const Bytes bytes = must(footprints.bytes_of(changes_[0]));
  must(footprints.of(changes_[0]));
  EXPECT_EQ(must(footprints.bytes_of(changes_[0])).before, bytes.before);
  EXPECT_EQ(must(footprints.bytes_of(changes_[0])).after, bytes.after);
  EXPECT_EQ(must(footprints.bytes_of(changes_[1])).before, 0u) << "added";
  EXPECT_EQ(must(footprints.bytes_of(changes_[1])).after, 6u);
}

TEST_F(KeptFootprints, OfAnotherPathOrVersionAreOthers) {
  Footprints footprints = look(world_.options().cache);
  must(footprints.of(changes_[0]));
  PathChange moved = changes_[0];
  moved.path = "c.py";
  EXPECT_EQ(must(footprints.of(moved))->paths.front(), "c.py");
  PathChange added = changes_[0];
  added.before = {};
  EXPECT_EQ(must(footprints.of(added))->writes.front().change, semantic::Change::kAdded);
}

TEST_F(KeptFootprints, AreMadeAheadUpToABound) {
  const std::uint64_t first = must(look().bytes_of(changes_[0])).both();
  look(world_.options().cache).make(changes_, first);
  repo::testing::ScratchRepo empty;
  const repo::Objects nothing = empty.objects();
  Footprints finding(nothing, world_.options().cache, 1000);
  EXPECT_TRUE(finding.of(changes_[0]));
  EXPECT_FALSE(finding.of(changes_[1]));
  look(world_.options().cache).make(changes_, first + 6);
  EXPECT_TRUE(finding.of(changes_[1]));
}

TEST_F(KeptFootprints, OfWhatIsTooLargeAreAnError) {
  EXPECT_FALSE(look({}, 3).of(changes_[0]));
}

}  // namespace
}  // namespace gittxn::catalogue
