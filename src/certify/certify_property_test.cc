// The certifier against the reference, on random histories; and proof that this test would notice:
// with each of several bugs put in between, the two must disagree.
#include <gtest/gtest.h>
#include <time.h>

#include <functional>

#include "base/bug.h"
#include "base/testing/campaign.h"
#include "certify/certify.h"
#include "certify/judge.h"
#include "certify/testing/reference.h"

namespace gittxn::certify {
namespace {

using testing::Case;
using testing::Generator;

constexpr std::uint64_t kSeed = 20261121;
constexpr int kTries = 6000;  // until a bug must have been noticed
const int kCases = gittxn::testing::campaign_rounds(kTries);

Input input_of(const Case& c, Isolation level) {
  Input input;
  input.txn = &c.txn;
  input.diffs = c.diffs;
  input.history = c.history;
  input.level = level;
  input.kernel = c.kernel;
  input.symbols = &c.symbols;
  input.says_the_same = [&c](const Read& read, const PathChange&) {
    return c.laid_out.contains(read.subject);
  };
  input.names.named = [&c](std::string_view word) { return c.named.contains(std::string(word)); };
  input.names.hard = c.listings;
  return input;
}

std::string text_of(const Case& c) {
  std::string text = "writes:\n" + changes_to_lines(c.txn.writes) + "head:\n" +
                     changes_to_lines(c.diffs[0].changes) + "reads:\n" +
                     reads_to_lines(c.txn.reads);
  return text;
}

TEST(CertifyProperty, AgreesWithTheReferenceAtEveryLevel) {
  Generator generator(kSeed);
  int landed = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = generator.make();
    for (Isolation level : {Isolation::kReadCommitted, Isolation::kSnapshot, Isolation::kSemantic,
                            Isolation::kSerializable, Isolation::kStrict}) {
      const Verdict verdict = certify(input_of(c, level));
      ASSERT_EQ(verdict.commit, testing::may_land(c, level))
          << "seed " << kSeed << " case " << i << " " << isolation_name(level) << "\n"
          << text_of(c);
      ASSERT_EQ(verdict.commit, verdict.conflicts.empty());
      landed += level == Isolation::kStrict && verdict.commit;
    }
  }
  // Both answers must be common, or the agreement says little.
  EXPECT_GT(landed, kCases / 10);
  EXPECT_LT(landed, kCases * 9 / 10);
}

TEST(CertifyProperty, AStaleReadIsNamedAndAHoldingOneIsNot) {
  Generator generator(kSeed + 1);
  for (int i = 0; i < kCases; ++i) {
    const Case c = generator.make();
    for (const Read& read : c.txn.reads.reads) {
      const bool holds = testing::observe(c.base, read) == testing::observe(c.head, read);
      const auto stale = judge(read, c.diffs[0].changes);
      ASSERT_EQ(!stale, holds) << "case " << i << " " << read_kind_name(read.kind) << " '"
                               << read.subject << "'\n"
                               << text_of(c);
      if (!stale) continue;
      ASSERT_NE(find_change(c.diffs[0].changes, stale->cause), nullptr) << stale->cause;
    }
  }
}

// The same question with so many reads that the certifier starts from the changes instead.
TEST(CertifyProperty, ManyReadsGiveTheSameAnswerAsEachAlone) {
  Generator generator(kSeed + 2);
  for (int i = 0; i < 150; ++i) {
    Case c = generator.make();
    c.txn.reads.complete = true;
    for (int more = 0; more < 60; ++more) {
      const Case other = generator.make();
      for (Read read : other.txn.reads.reads) {
        // Keep what could have been read of this base.
        const TreeEntry seen = testing::entry_of(c.base, read.subject);
        const bool absent = read.kind == ReadKind::kAbsence;
        if (read.kind != ReadKind::kTree && seen.present() == absent) continue;
        c.txn.reads.reads.push_back(std::move(read));
      }
    }
    normalize(c.txn.reads);
    std::set<std::string> stale_alone;
    for (const Read& read : c.txn.reads.reads) {
      if (read.strength == Strength::kSoft) continue;
      if (judge(read, c.diffs[0].changes)) {
        stale_alone.insert(read.subject.empty() ? "." : read.subject);
      }
    }
    std::set<std::string> stale_together;
    for (const Conflict& conflict : certify(input_of(c, Isolation::kStrict)).conflicts) {
      if (conflict.kind == ConflictKind::kReadStale && conflict.subject != "HEAD")
        stale_together.insert(conflict.subject);
    }
    ASSERT_EQ(stale_together, stale_alone) << "case " << i << "\n" << text_of(c);
  }
}

struct Bug {
  const char* name;
  std::function<void(Case&)> put_in;
};

void drop_reads(Case& c, ReadKind kind) {
  std::erase_if(c.txn.reads.reads, [&](const Read& read) { return read.kind == kind; });
}

const Bug kBugs[] = {
    {"ignores all reads", [](Case& c) { c.txn.reads.reads.clear(); }},
    {"ignores content", [](Case& c) { drop_reads(c, ReadKind::kContent); }},
    {"ignores metadata", [](Case& c) { drop_reads(c, ReadKind::kMetadata); }},
    {"ignores absence", [](Case& c) { drop_reads(c, ReadKind::kAbsence); }},
    {"ignores listings", [](Case& c) { drop_reads(c, ReadKind::kListing); }},
    {"ignores trees", [](Case& c) { drop_reads(c, ReadKind::kTree); }},
    {"ignores writes", [](Case& c) { c.txn.writes.clear(); }},
    {"ignores deletions",
     [](Case& c) {
       std::erase_if(c.diffs[0].changes, [](const PathChange& p) { return !p.after.present(); });
     }},
    {"ignores directories",
     [](Case& c) {
       std::erase_if(c.diffs[0].changes, [](const PathChange& p) { return p.is_directory(); });
     }},
    {"ignores modes",
     [](Case& c) {
       std::erase_if(c.diffs[0].changes,
                     [](const PathChange& p) { return p.before.oid == p.after.oid; });
     }},
    {"takes soft for hard",
     [](Case& c) {
       for (Read& read : c.txn.reads.reads) read.strength = Strength::kHard;
     }},
    {"takes unknown for complete", [](Case& c) { c.txn.reads.complete = true; }},
    {"certifies against the snapshot itself", [](Case& c) { c.diffs[0].changes.clear(); }},
};

TEST(CertifyProperty, EachInjectedBugIsNoticed) {
  for (const Bug& bug : kBugs) {
    Generator generator(kSeed);
    bool noticed = false;
    for (int i = 0; i < kTries && !noticed; ++i) {
      Case c = generator.make();
      const bool right = testing::may_land(c, Isolation::kStrict);
      bug.put_in(c);
      noticed = certify(input_of(c, Isolation::kStrict)).commit != right;
    }
    EXPECT_TRUE(noticed) << "a certifier that " << bug.name << " would pass";
  }
}

#ifdef GIT_TXN_BUGS
TEST(CertifyProperty, SoIsEachBugThatIsPutIntoTheCertifierItself) {
  for (const char* bug :
       {"certify.wide_masks", "certify.equal_is_nothing", "certify.strict_refines",
        "certify.ignore_unknown", "certify.series_ignored", "certify.gone_names_ignored",
        "certify.listings_of_anybody", "certify.soft_listings", "certify.any_reader"}) {
    Generator generator(kSeed);
    bool noticed = false;
    for (int i = 0; i < kTries && !noticed; ++i) {
      const Case c = generator.make();
      for (const Isolation level :
           {Isolation::kSnapshot, Isolation::kSemantic, Isolation::kStrict}) {
        const bool right = testing::may_land(c, level);
        arm_bug(bug);
        noticed = noticed || certify(input_of(c, level)).commit != right;
        arm_bug("");
      }
    }
    EXPECT_TRUE(noticed) << "a certifier with " << bug << " would pass";
  }
}
#endif

// Returns the processor time of this thread, which other work on the machine is no part of.
double thread_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Timed {
  std::size_t reads;
  std::size_t landings;
  double best_ms;
};

// `reads` reads of a tree of 100,000 paths against a head that is `landings` landings of 3 files
// ahead.
Timed time_validation(std::size_t reads, std::size_t landings) {
  Random random(kSeed);
  const auto path = [&] {
    return fmt::format("src/module{:03}/part{:02}/file{:02}.cc", random.below(100),
                       random.below(20), random.below(50));
  };
  const Oid before("1111111111111111111111111111111111111111");
  const Oid after("2222222222222222222222222222222222222222");
  Case c;
  c.txn.base = Oid("b");
  c.txn.reads.complete = true;
  std::set<std::string> changed;
  while (changed.size() < landings * 3) changed.insert("other/" + path());
  c.diffs.push_back({Oid("b"), {}});
  for (const std::string& p : changed) {
    c.diffs[0].changes.push_back({p, {FileMode::kFile, before}, {FileMode::kFile, after}});
  }
  std::set<std::string> subjects;
  while (subjects.size() < reads) subjects.insert(path());
  for (const std::string& p : subjects) {
    Read read;
    read.subject = p;
    read.digest = before.str();
    read.snapshot = Oid("b");
    c.txn.reads.reads.push_back(read);
  }
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const double start = thread_ms();
    const Verdict verdict = certify(input_of(c, Isolation::kStrict));
    const double took = thread_ms() - start;
    EXPECT_TRUE(verdict.commit);
    EXPECT_EQ(verdict.checked, reads);
    best = std::min(best, took);
  }
  return {reads, landings, best};
}

TEST(CertifyTime, GrowsWithTheSmallerSide) {
  const Timed usual = time_validation(1000, 50);
  const Timed many_reads = time_validation(80000, 5);
  const Timed many_changes = time_validation(10, 20000);
  for (const Timed& t : {usual, many_reads, many_changes}) {
    fmt::print("validation: {} reads, {} landings: {:.3f} ms\n", t.reads, t.landings, t.best_ms);
  }
  // Far from the figures a release build reaches, so that a sanitizer passes.
  EXPECT_LT(usual.best_ms, 20.0);
  // One by one 80,000 reads would cost 80 times the usual, and 60,000 changes 400 times.
  EXPECT_LT(many_reads.best_ms, usual.best_ms * 80);
  EXPECT_LT(many_changes.best_ms, usual.best_ms * 40);
}

}  // namespace
}  // namespace gittxn::certify
