// Makes the programs, policies and commits of histories (history.h) from a seed. For tests.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "land/testing/program.h"
#include "model/policy.h"
#include "model/txn.h"

namespace gittxn::land::testing {

class Generator {
 public:
  // All that programs do; or mostly that they ask, and write what they ask about.
  enum class Flavour { kAll, kAsking };
  explicit Generator(Random& random)
      : random_(random), flavour_(random.below(2) == 0 ? Flavour::kAll : Flavour::kAsking) {}
  Flavour flavour() const { return flavour_; }

  Tree tree(Texts& texts) {
    Tree tree;
    for (const char* path : kPaths) {
      if (random_.below(3) != 0) tree[path] = texts.file(text(path));
    }
    if (random_.below(3) != 0) tree.erase(kIgnoreFile);
    return tree;
  }
  Program program() {
    Program steps;
    if (flavour_ == Flavour::kAsking) return asking();
    const std::uint64_t looks = random_.below(4),
                        writes = random_.below(8) == 0 ? 0 : 1 + random_.below(2);
    for (std::uint64_t i = 0; i < looks; ++i) steps.push_back(look());
    for (std::uint64_t i = 0; i < writes; ++i) {
      steps.push_back(write());
      if (random_.below(6) == 0) steps.push_back(look());
    }
    repeat_some(steps);
    return steps;
  }
  // Commands that some of the programs run, as gates and as those that policy names. A gate that
  // fails as it is would refuse everybody.
  Policy policy(const std::vector<Program>& programs, const Tree& tree, const Texts& texts) {
    Policy policy;
    for (const Program& program : programs) {
      for (const Step& step : program) {
        if (step.kind != Step::Kind::kAsk || step.asks() != Question::Kind::kRunner) continue;
        if (random_.below(4) != 0) policy.questions.push_back({step.argv()});
        const bool passes = answer(step.argv(), senses_of(tree, texts)).status == 0;
        if (passes && policy.gates.empty() && random_.below(3) == 0) {
          policy.gates.push_back({.name = GateName("tests"), .command = step.argv()});
        }
      }
    }
    return policy;
  }
  // A commit by a person, who may have merged somebody's work by hand, or gone back to what was
  // there before.
  void edit(Tree& tree, const std::vector<Tree>& before, Texts& texts) {
    if (random_.below(3) == 0) {
      tree = before[random_.below(before.size())];
      return;
    }
    const std::string where = flavour_ == Flavour::kAsking ? source() : path();
    if (random_.below(4) == 0) {
      tree.erase(where);
    } else {
      tree[where] = texts.file(text(where));
    }
  }
  Isolation level() {
    if (flavour_ == Flavour::kAsking) return Isolation::kSemantic;
    return static_cast<Isolation>(random_.below(5));
  }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

 private:
  static constexpr const char* kPaths[] = {"a.py", "b", "d/x", "d/y", kIgnoreFile};
  std::string path() { return kPaths[random_.below(random_.below(4) == 0 ? 5 : 4)]; }
  std::string source() {
    const std::uint64_t first = flavour_ == Flavour::kAsking ? 1 : 0;  // without code
    return kPaths[first + random_.below(4 - first)];
  }
  std::string another_than(const std::string& path) {
    std::string other = source();
    while (other == path) other = source();
    return other;
  }
  std::string text(const std::string& where) {
    const auto& texts = texts_for(where);
    return texts[random_.below(texts.size())];
  }
  Step look() {
    using Kind = Step::Kind;
    static constexpr Kind kLooks[] = {Kind::kRead, Kind::kRead, Kind::kRead,  Kind::kPart,
                                      Kind::kStat, Kind::kList, Kind::kWhole, Kind::kSearch,
                                      Kind::kTold, Kind::kMove, Kind::kMove,  Kind::kAsk,
                                      Kind::kAsk,  Kind::kCache};
    Step step;
    step.kind = kLooks[random_.below(std::size(kLooks))];
    if (random_.below(16) == 0) step.kind = Kind::kHistory;
    if (random_.below(20) == 0) step.kind = Kind::kUnseen;
    step.path = path();
    if (step.kind == Kind::kList) step.path = random_.below(2) == 0 ? "" : "d";
    if (step.kind == Kind::kWhole) step.path = "d";
    step.number = static_cast<unsigned>(random_.below(6));
    step.reader = reader();
    if (step.kind == Kind::kAsk) ask(step);
    return step;
  }
  ReaderClass reader() {
    static constexpr ReaderClass kReaders[] = {ReaderClass::kAny, ReaderClass::kEdits,
                                               ReaderClass::kShown};
    return kReaders[random_.below(std::size(kReaders))];
  }
  Program asking() {
    using Kind = Step::Kind;
    static constexpr Kind kSteps[] = {Kind::kAsk,   Kind::kAsk,   Kind::kAsk,   Kind::kCache,
                                      Kind::kWrite, Kind::kWrite, Kind::kWrite, Kind::kDelete};
    if (random_.below(4) == 0) return around_a_check();
    Program steps;
    for (std::uint64_t i = 2 + random_.below(4); i > 0; --i) {
      Step step;
      step.kind = kSteps[random_.below(std::size(kSteps))];
      step.path = source();
      step.number = static_cast<unsigned>(random_.below(6));
      step.decides = random_.below(4) == 0;
      if (step.kind == Kind::kAsk) ask(step);
      steps.push_back(std::move(step));
      if (random_.below(3) == 0) steps.push_back(steps[random_.below(steps.size())]);
    }
    return steps;
  }
  // Cases that are seldom met by chance: a file that changes again after it was asked about, and a
  // check that looks elsewhere when it is run again.
  Program around_a_check() {
    const bool rewrites = random_.below(2) == 0;
    Step check, other;
    check.kind = Step::Kind::kAsk;
    check.what = rewrites ? "imply" : "cached";
    check.path = source();
    check.to = another_than(check.path);
    other.kind = rewrites ? Step::Kind::kWrite : Step::Kind::kCache;
    other.path = rewrites ? check.to : source();
    other.number = static_cast<unsigned>(random_.below(5));
    Step again = rewrites ? other : check;
    again.number = static_cast<unsigned>(random_.below(5));
    Step last = other;
    last.kind = Step::Kind::kWrite;
    last.path = source();
    if (!rewrites) return {check, other, again, last};
    if (random_.below(2) == 0) return {other, check};
    return {other, check, again};
  }
  void ask(Step& step) {
    const bool shows = random_.below(2) == 0;
    step.what = shows ? kShows[random_.below(std::size(kShows))]
                      : kChecks[random_.below(std::size(kChecks))];
    step.path = source();
    step.to = another_than(step.path);
    if (random_.below(10) == 0) step.aside = source();
  }
  // Runs again at the end what it ran before, and writes again what it wrote.
  void repeat_some(Program& steps) {
    for (std::size_t i = 0, all = steps.size(); i < all; ++i) {
      const bool asks = steps[i].kind == Step::Kind::kAsk;
      if (random_.below(asks ? 3 : 12) == 0) steps.push_back(steps[i]);
    }
  }
  Step write() {
    using Kind = Step::Kind;
    static constexpr Kind kWrites[] = {Kind::kWrite,   Kind::kWrite,   Kind::kWrite, Kind::kAppend,
                                       Kind::kSetLine, Kind::kSetLine, Kind::kCopy,  Kind::kDelete};
    Step step;
    step.kind = kWrites[random_.below(std::size(kWrites))];
    step.path = path();
    step.to = path();
    step.number = static_cast<unsigned>(random_.below(6));
    step.decides = random_.below(2) == 0;
    step.reader = reader();
    return step;
  }

  Random& random_;
  Flavour flavour_;
};

}  // namespace gittxn::land::testing
