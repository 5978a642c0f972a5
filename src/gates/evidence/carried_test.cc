// Certificates that are carried to other trees: random programs on random trees, run again where
// they were carried to, have to say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/bug.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "capture/trace/testing/traced.h"
#include "gates/gate.h"
#include "gates/testing/gate_world.h"
#include "gates/units/table.h"
#include "repo/testing/random_trees.h"

namespace gittxn::gates {
namespace {

using repo::testing::Importer;
using repo::testing::must;
using repo::testing::RandomTree;
using testing::GateWorld;

constexpr std::uint64_t kSeed = 20261127;
const int kRounds = std::max(6, gittxn::testing::campaign_rounds(16));  // fewer carry nothing
constexpr int kTreesEach = 3;
constexpr int kMostLines = 5;

// Trees of a few names, so that a program meets what is there and what is not.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  RandomTree tree() {
    RandomTree made{{"a", {"100644", "top\n"}}};
    for (int i = 0; i < 5; ++i) put(made, pick(kPaths));
    return made;
  }
  RandomTree another(RandomTree tree) {
    if (random_.below(3) == 0 && tree.size() > 1) {
      tree.erase(std::next(tree.begin(), static_cast<std::ptrdiff_t>(random_.below(tree.size()))));
    } else {
      put(tree, pick(kPaths));
    }
    return tree;
  }
  // The candidates are of the same base: what differs is what is looked at.
  std::string program() {
    std::string text;
    const auto lines = static_cast<int>(1 + random_.below(kMostLines));
    for (int i = 0; i < lines; ++i) text += line() + "\n";
    return text + "true\n";
  }

 private:
  std::string pick(const std::vector<std::string>& all) { return all[random_.below(all.size())]; }

  void put(RandomTree& tree, const std::string& path) {
    std::erase_if(tree, [&](const auto& file) {
      return file.first.starts_with(path + "/") || path.starts_with(file.first + "/");
    });
    const std::string version = std::to_string(random_.below(3));
    switch (random_.below(5)) {
      case 0:
        tree[path] = {"120000", pick(kPaths)};
        return;
      case 1:
        tree[path] = {"100755", "#!/bin/sh\necho ran " + version + "\n"};
        return;
      default:
        tree[path] = {"100644", "echo text " + version + "\n"};
    }
  }

  std::string line() {
    static const std::vector<std::string> kLines = {
        "cat @p",
        "test -e @p && echo there || echo not",
        "test -x @p && echo runs || echo not",
        "test -L @p && echo link || echo not",
        "ls @p",
        "ls @d",
        "readlink @p",
        "stat -c %A @p",
        "find @d | sort",
        "for f in @d/*; do echo \"$f\"; done",
        "grep -rn text @d",
        "cd @d && cat a; cd \"$OLDPWD\"",
        "sh @p",
        "./@p",
        "echo more >>@p; cat @p",
        "echo new >@p && echo wrote",
        "rm @p && echo gone",
        "rm -f @p; ls @d",
        "mv @p @q && cat @q",
        "mkdir @p && echo made; ls @p",
        "mkdir -p @p/x && echo made",
        "ln @p @q && cat @q",
        "ln -s @p new-link && cat new-link",
        "cp @p @q && cat @q",
        "chmod +x @p; ./@p",
        "rmdir @d && echo gone",
        "echo x >$HOME/x; mv $HOME/x @p && cat @p",
        "sed -i s/text/edited/ @p; cat @p",
        "tar cf - @d | tar tf - | sort",
    };
    std::string made = pick(kLines);
    for (std::size_t at = made.find('@'); at != std::string::npos; at = made.find('@', at)) {
      made.replace(at, 2, pick(made[at + 1] == 'd' ? kFolders : kPaths));
    }
    return made + " 2>&1";
  }

  inline static const std::vector<std::string> kPaths = {"a", "b", "d", "d/a", "d/b", "e/a", "e/d"};
  inline static const std::vector<std::string> kFolders = {"d", "e", ".", "d/a"};
  Random random_;
};

struct Tally {
  int carried = 0;
  int run = 0;
  std::string wrong;  // the first program that said something else where it was carried to
};

// A program as a gate, or as the only unit of one.
enum class As { kGate, kUnit };
Policy policy_of(const std::string& program, As as) {
  if (as == As::kGate) return GateWorld::policy(program);
  return must(
      parse_policy("[[gate]]\nname = \"test\"\nunits = [\"one\"]\nrun = [\"sh\", \"-c\", '''" +
                   program + "''', \"sh\", \"{unit}\"]\n"));
}

std::string said(GateWorld& world, const GateReport& report) {
  if (report.certificate.units.empty()) return world.output_of(report);
  const UnitTable table =
      must(units_from_lines(must(world.store().artifact(report.certificate.units))));
  return must(world.store().artifact(table.back().output));
}

Tally tally_of(std::uint64_t seed, int rounds, As as = As::kGate) {
  Maker maker(seed);
  GateWorld world;
  Tally tally;
  for (int round = 0; round < rounds && tally.wrong.empty(); ++round) {
    std::vector<RandomTree> trees{maker.tree()};
    for (int i = 0; i < kTreesEach; ++i) trees.push_back(maker.another(trees.front()));
    Importer importer;
    for (const RandomTree& tree : trees) importer.add(tree);
    std::vector<Candidate> candidates;
    for (const Oid& commit : importer.run(world.repo())) {
      candidates.push_back({commit, Oid(world.repo().tree(commit.str())), world.base(),
                            RefName("refs/heads/main"), TxnId("t-test")});
    }
    const std::string program = maker.program();
    const Policy policy = policy_of(program, as);
    // The first is what has landed: the others are candidates on top of it.
    world.run(policy, candidates.front());
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      candidates[i].parent = candidates.front().commit;
      const GateReport report = world.run(policy, candidates[i]);
      if (!report.carried()) {
        ++tally.run;
        continue;
      }
      ++tally.carried;
      const GateReport truth =
          must(run_gate(world.context(), policy, policy.gates.front(), candidates[i]));
      if (said(world, truth) == said(world, report)) continue;
      tally.wrong = "seed " + std::to_string(seed) + ", round " + std::to_string(round) + ":\n" +
                    program + "carried:\n" + said(world, report) + "run:\n" + said(world, truth);
      break;
    }
  }
  return tally;
}

TEST(Carried, AProgramSaysTheSameWhereWhatItLookedAtIsTheSame) {
  const Tally tally = tally_of(kSeed, kRounds);
  EXPECT_EQ(tally.wrong, "");
  EXPECT_GT(tally.carried, tally.run / 8) << tally.run;
}

TEST(Carried, AUnitSaysTheSameWhereWhatItLookedAtIsTheSame) {
  const Tally tally = tally_of(kSeed, kRounds, As::kUnit);
  EXPECT_EQ(tally.wrong, "");
  EXPECT_GT(tally.carried, tally.run / 8) << tally.run;
}

// A program that runs on {a, b, lib/c}, a tree that differs in one path, and whether its
// certificate is carried there.
struct Case {
  const char* program;
  std::map<std::string, std::string> other;  // "": it is not there
  bool carries;
};

bool carries(GateWorld& world, const Case& one) {
  const std::map<std::string, std::string> files = {
      {"a", "one\n"}, {"b", "two\n"}, {"lib/c", "c\n"}};
  RandomTree first;
  for (const auto& [path, bytes] : files) first[path] = {"100644", bytes};
  RandomTree second = first;
  for (const auto& [path, bytes] : one.other) {
    if (bytes.empty()) {
      second.erase(path);
    } else {
      second[path] = {bytes == "executable" ? "100755" : "100644",
                      bytes == "executable" ? first[path].bytes : bytes};
    }
  }
  Importer importer;
  importer.add(first);
  importer.add(second);
  const std::vector<Oid> commits = importer.run(world.repo());
  const auto candidate = [&](std::size_t i, const Oid& parent) {
    return Candidate{commits[i], Oid(world.repo().tree(commits[i].str())), parent,
                     RefName("refs/heads/main"), TxnId("t-test")};
  };
  const Policy policy = GateWorld::policy(one.program);
  const GateReport ran = world.run(policy, candidate(0, world.base()));
  EXPECT_FALSE(ran.certificate.tool_env.empty()) << one.program << ran.certificate.limited;
  return world.run(policy, candidate(1, commits[0])).carried();
}

void expect_as_told(const std::vector<Case>& cases) {
  GateWorld world;
  SystemClock().sleep_ms(100);  // what was written a moment ago counts as changed while it ran
  for (const Case& one : cases) {
    EXPECT_EQ(carries(world, one), one.carries) << one.program << ", " << one.other.begin()->first;
  }
}

TEST(Carried, OnlyWhereWhatItLookedAtIsTheSame) {
  const std::vector<Case> cases = {
      {"cat a", {{"b", "other\n"}}, true},
      {"cat a", {{"a", "other\n"}}, false},
      {"cat a", {{"lib/d", "new\n"}}, true},
      {"cat a", {{".gitattributes", "a text eol=crlf\n"}}, false},
      {"cat a", {{"a", "executable"}}, false},
      {"test -e a", {{"a", "executable"}}, false},  // stat has the mode
      {"test ! -e d", {{"d", "new\n"}}, false},
      {"test ! -e d/e", {{"d/f", "new\n"}}, true},
      {"ls lib", {{"lib/c", "other\n"}}, true},
      {"ls lib", {{"lib/d", "new\n"}}, false},
      {"ls lib", {{"lib/c", ""}}, false},
      {"cat lib/*", {{"a", "other\n"}}, true},
      {"mkdir out && echo made >out/x && cat out/x", {{"a", "other\n"}}, true},
      {"mkdir -p out && ls out", {{"out/x", "new\n"}}, false},
      {"sh lib/c || true", {{"lib/c", "echo other\n"}}, false},
      // The answers of git about a commit hold for that commit alone.
      {"git log -1 --format=%s", {{"b", "other\n"}}, false},
      {"git rev-parse HEAD", {{"b", "other\n"}}, false},
      {"cat .git/HEAD", {{"b", "other\n"}}, false},
      {"git show HEAD:b", {{"b", "other\n"}}, false},
      {"git ls-files", {{"d", "new\n"}}, false},
      {"git diff --no-index --stat a b || true", {{"b", "other\n"}}, false},
      {"cat a; git status --porcelain", {{"b", "other\n"}}, true},
  };
  expect_as_told(cases);
}

// Changes of a transaction are writes, which are compared with those of others. Changes of a gate
// are compared with nothing, so they have to be looks.
TEST(Carried, WhatItChangedIsLookedAt) {
  const std::vector<Case> cases = {
      {"echo more >>a; cat a", {{"a", "other\n"}}, false},
      {"echo more >>lib/c; cat a", {{"lib/c", ""}, {"lib", "a file now\n"}}, false},
      {"mv a d; cat d", {{"a", "other\n"}}, false},
      {"exec 3<>a; cat <&3", {{"a", "other\n"}}, false},
      {"exec 3<>a; echo X >&3; cat <&3", {{"a", "longer than it was\n"}}, false},
      {"truncate -s 2 a; cat a", {{"a", "other\n"}}, false},
      {"dd if=b of=a conv=notrunc bs=1 count=1; cat a", {{"a", "other\n"}}, false},
      {"chmod 600 a; cat a", {{"a", "other\n"}}, false},
      {"touch a; test -s a", {{"a", ""}}, false},
      {"touch -r a b; test -s b", {{"a", ""}}, false},
      {"ln a lib/c && echo linked; true", {{"lib/c", ""}}, false},
      {"cp b a && cat a", {{"a", "executable"}}, false},
      {"cp b a && cat a", {{"a", ""}}, false},
      {"cat b >a; stat -c %A a", {{"a", "executable"}}, false},
      {"rm a b; rmdir lib; rm lib/c; rmdir lib; ls", {{"lib/d", "x\n"}}, false},
      {"rm -f a", {{"a", ""}}, false},
      {"rm -f a", {{"b", "other\n"}}, true},
      {"echo new >d; cat d", {{"d", "other\n"}}, false},
      {"ln -s lib/c d; echo more >>d; cat d", {{"lib/c", "other\n"}}, false},
      {"mkdir out; mv lib out; cat out/lib/c", {{"lib/d", "new\n"}}, false},
  };

  expect_as_told(cases);
}

#ifdef GIT_TXN_BUGS
TEST(Carried, ACertificateThatCountsForAnyTreeWouldBeNoticed) {
  arm_bug("gates.carry_anything");
  const Tally tally = tally_of(kSeed, kRounds);
  arm_bug("");
  EXPECT_NE(tally.wrong, "");
}
#endif

}  // namespace
}  // namespace gittxn::gates
