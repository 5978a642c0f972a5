// A transaction that starts at a base, and a head that others moved to: what the certifier says of
// it is asked case by case.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "certify/certify.h"
#include "certify/testing/reference.h"

namespace gittxn::certify::testing {

inline TreeEntry file(const char* oid) {
  return {FileMode::kFile, Oid(oid)};
}
inline TreeEntry executable(const char* oid) {
  return {FileMode::kExecutable, Oid(oid)};
}
inline TreeEntry link(const char* oid) {
  return {FileMode::kLink, Oid(oid)};
}

inline constexpr Isolation kLevels[] = {Isolation::kReadCommitted, Isolation::kSnapshot,
                                        Isolation::kSemantic, Isolation::kSerializable,
                                        Isolation::kStrict};

// A transaction that starts at `base`, and a head that others moved to.
class Scene : public ::testing::Test {
 protected:
  Tree base{{"a", file("a0")}, {"b", file("b0")}, {"d/x", file("x0")}, {"d/s/y", file("y0")}};
  Tree ours = base;
  Tree head = base;
  ReadSet reads;
  std::vector<std::pair<std::string, std::string>> kernel;
  std::vector<SummaryState> summaries;
  std::optional<Symbols> symbols;
  SaysTheSame says_the_same;
  JudgeContents contents;
  FindOutOfDate out_of_date;
  NameRules names;
  OnlyCame only_came;
  std::vector<std::string> hard_listings;

  void SetUp() override { reads.complete = true; }

  Read& saw(ReadKind kind, std::string subject, std::string digest) {
    Read read;
    read.kind = kind;
    read.subject = std::move(subject);
    read.digest = std::move(digest);
    read.snapshot = Oid("base");
    reads.reads.push_back(read);
    return reads.reads.back();
  }

  template <typename Use>
  auto with_input(Isolation level, Use use) {
    Footprint txn{TxnId("t-me"), reads, diff(base, ours), Oid("base")};
    const std::vector<SnapshotDiff> diffs{{Oid("base"), diff(base, head)}};
    const std::vector<Landed> history{{Oid("0123456789"), TxnId{},
                                       "Pat Person <pat@example.org> 1700000000 +0100",
                                       diff(base, head)}};
    Input input;
    input.txn = &txn;
    input.diffs = diffs;
    input.history = history;
    input.kernel = kernel;
    input.summaries = summaries;
    input.level = level;
    if (symbols) input.symbols = &*symbols;
    input.says_the_same = says_the_same;
    input.contents = contents;
    input.out_of_date = out_of_date;
    input.names = names;
    input.names.hard = hard_listings;
    input.only_came = only_came;
    return use(input);
  }
  Verdict at(Isolation level) {
    return with_input(level, [](const Input& input) { return certify(input); });
  }
  Verdict strict() { return at(Isolation::kStrict); }
  Verdict semantic() { return at(Isolation::kSemantic); }
  std::vector<Conflict> soft() {
    return with_input(Isolation::kStrict, [](const Input& i) { return stale_soft_reads(i); });
  }
};

}  // namespace gittxn::certify::testing
