#include "catalogue/footprints.h"

#include <gtest/gtest.h>

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
      const semantic::Footprint made = semantic::footprint_of_file(change, {});
      const std::string bytes = encode(made);
      const semantic::Footprint back = must(decode_footprint(bytes));
      EXPECT_EQ(encode(back), bytes) << path;
      EXPECT_EQ(back.definitions, made.definitions);
      EXPECT_EQ(back.writes.size(), made.writes.size());
      EXPECT_EQ(back.uses.size(), made.uses.size());
      EXPECT_EQ(made.empty(), text == *change.after || back.writes.empty());
    }
  }
}

TEST(FootprintBytes, AreRefusedWhereTheyDoNotFit) {
  const std::string bytes = encode(semantic::footprint_of_file(
      semantic::FileChange{"a.py", "def f(a): g(a)\n", "def f(): g()\n"}, {}));
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
  std::string look(Cache* cache, std::size_t which = 0) {
    return encode(must(footprint_of(world_.objects(), changes_[which], 1000, cache)));
  }

  World world_;
  Oid before_, after_;
  Changes changes_;
};

TEST_F(KeptFootprints, AreTheSameWithACacheAndWithout) {
  ASSERT_EQ(changes_.size(), 2u);
  Cache cache(world_.options().cache);
  for (const std::size_t which : {0u, 1u}) {
    const std::string fresh = look(nullptr, which);
    EXPECT_EQ(look(&cache, which), fresh) << "made";
    EXPECT_EQ(look(&cache, which), fresh) << "kept";
  }
  EXPECT_NE(look(&cache, 0), look(&cache, 1));
}

TEST_F(KeptFootprints, AreFoundByTheNext) {
  {
    Cache cache(world_.options().cache);
    look(&cache);
  }
  // With no object left to read it from.
  repo::testing::ScratchRepo empty;
  const repo::Objects nothing = empty.objects();
  Cache cache(world_.options().cache);
  EXPECT_TRUE(footprint_of(nothing, changes_[0], 1000, &cache));
  EXPECT_FALSE(footprint_of(nothing, changes_[1], 1000, &cache));
}

TEST_F(KeptFootprints, OfAnotherPathOrVersionAreOthers) {
  Cache cache(world_.options().cache);
  look(&cache);
  PathChange moved = changes_[0];
  moved.path = "c.py";
  EXPECT_EQ(must(footprint_of(world_.objects(), moved, 1000, &cache)).paths.front(), "c.py");
  PathChange added = changes_[0];
  added.before = {};
  const auto footprint = must(footprint_of(world_.objects(), added, 1000, &cache));
  EXPECT_EQ(footprint.writes.front().change, semantic::Change::kAdded);
}

TEST_F(KeptFootprints, OfWhatIsTooLargeAreAnError) {
  EXPECT_FALSE(footprint_of(world_.objects(), changes_[0], 3, nullptr));
}

}  // namespace
}  // namespace gittxn::catalogue
