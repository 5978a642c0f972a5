#include "gates/fresh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "asking/testing/world.h"
#include "gates/testing/gate_world.h"
#include "gates/units/table.h"
#include "store/events.h"
#include "store/gate_marks.h"

namespace gittxn::gates {
namespace {

using repo::testing::must;
using ::testing::ElementsAre;
using testing::GateWorld;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A gate that depends on a look which its policy says does not count.
class Fresh : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { SystemClock().sleep_ms(100); }

  static Policy whole(const std::string& more = "fresh = 1\n") {
    return GateWorld::policy("test -z \"$(ls | grep extra)\" && cat src/a.txt",
                             "blind = [\"list:.\"]\n" + more);
  }
  static Policy units() {
    return must(parse_policy(
        "[[gate]]\nname = \"test\"\nblind = [\"list:.\"]\nfresh = 1\n"
        "units = [\"one\", \"two\"]\n"
        "run = [\"sh\", \"-c\", 'test $1 = two || test -z \"$(ls | grep extra)\"', \"sh\", "
        "\"{unit}\"]\n"));
  }
  // Makes a candidate on top of the last one.
  Candidate next(const std::map<std::string, std::string>& files) {
    Candidate made = world_.candidate(files);
    if (!last_.empty()) made.parent = last_;
    last_ = made.commit;
    return made;
  }
  std::vector<std::string> audited(const Policy& policy, const Candidate& landed) {
    const auto reports = must(run_gates(world_.context(), policy, landed));
    EXPECT_TRUE(reports.front().certificate.passed);
    return must(audit_carried(world_.context(), policy, landed, reports));
  }
  auto mark(const Policy& policy) {
    const GateSpec& gate = policy.gates.front();
    return must(store::unsound_gate(world_.store(), gate.name, gate.version));
  }

  GateWorld world_;
  Oid last_;
};

TEST_F(Fresh, WhatWasCarriedRightlyIsNoNote) {
  const Policy policy = whole();
  EXPECT_THAT(audited(policy, next({{"src/b.txt", "1\n"}})), IsEmpty()) << "it ran";
  EXPECT_THAT(audited(policy, next({{"src/b.txt", "2\n"}})), IsEmpty());
  EXPECT_EQ(mark(policy), std::nullopt);
}

TEST_F(Fresh, AGateThatWasCarriedWronglyIsCarriedNoMore) {
  const Policy policy = whole();
  const Candidate first = next({{"src/b.txt", "1\n"}});
  audited(policy, first);
  const Candidate second = next({{"extra", "x\n"}});
  EXPECT_THAT(
      audited(policy, second),
      ElementsAre("gate test was carried over and fails on what landed; nothing of that gate "
                  "is carried until `git txn gate clear test`"));
  const auto found = mark(policy);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->passed_on, first.tree);
  EXPECT_EQ(found->failed_on, second.tree);
  const Candidate third = next({{"src/b.txt", "3\n"}});
  EXPECT_FALSE(must(run_gates(world_.context(), policy, third)).front().reused);
  // Another version of the gate is another gate, and a person may say that it is right now.
  EXPECT_EQ(mark(whole("fresh = 2\n")), std::nullopt);
  must(world_.store().append({store::events::gate_cleared(GateName("test"), "Ada")}));
  EXPECT_EQ(mark(policy), std::nullopt);
  EXPECT_TRUE(
      must(run_gates(world_.context(), policy, next({{"src/b.txt", "4\n"}}))).front().reused);
}

TEST_F(Fresh, AUnitThatWasCarriedWronglyIsNamed) {
  if (const std::string why = asking::testing::missing_for_asking(); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const Policy policy = units();
  audited(policy, next({{"src/b.txt", "1\n"}}));
  EXPECT_THAT(audited(policy, next({{"src/b.txt", "2\n"}})), IsEmpty());
  EXPECT_THAT(audited(policy, next({{"extra", "x\n"}})),
              ElementsAre(HasSubstr("unit one of gate test was carried over and fails")));
  ASSERT_TRUE(mark(policy).has_value());
  EXPECT_EQ(mark(policy)->unit, "one");
  const auto report = must(run_gates(world_.context(), policy, next({{"src/b.txt", "3\n"}})));
  EXPECT_EQ(report.front().certificate.tally.ran, 2);
}

TEST_F(Fresh, OneThatFailsNowAndThenIsFlaky) {
  const std::string count = world_.home("count");
  const Policy policy = GateWorld::policy(
      "echo >>\"$HOME/count\"; test $(wc -l <\"$HOME/count\") != 2", "fresh = 1\n");
  // It may be carried although it writes there: its mark is taken away each time.
  audited(policy, next({{"src/b.txt", "1\n"}}));
  must(write_file(count, "\n", Sync::kNo));
  const Candidate landed = next({{"src/b.txt", "2\n"}});
  GateReport carried = must(run_gates(world_.context(), policy, landed)).front();
  carried.reused = true;
  carried.certificate.carried_from = Oid(std::string(40, '1'));
  must(write_file(count, "\n", Sync::kNo));
  EXPECT_THAT(
      must(audit_carried(world_.context(), policy, landed, {carried})),
      ElementsAre("gate test was carried over and is flaky: it fails, and passes, on one tree"));
  EXPECT_EQ(mark(policy), std::nullopt);
}

TEST_F(Fresh, NothingIsAuditedWhereThePolicySaysNothingOfIt) {
  const Policy policy = whole("");
  audited(policy, next({{"src/b.txt", "1\n"}}));
  EXPECT_THAT(audited(policy, next({{"extra", "x\n"}})), IsEmpty());
}

}  // namespace
}  // namespace gittxn::gates
