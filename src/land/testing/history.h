// Random histories of several transactions on one branch, and people beside them; and an oracle
// that knows nothing of reads and writes: it plays each program again where it stands in the order,
// and compares what it was shown and the whole tree, byte by byte. For tests.
//
//   exact levels   landed, or nothing after it was asked: played at the head it landed on it is
//                  shown the same and leaves the tree that landed. So landing order is serial.
//   not asked      played at its snapshot it leaves the snapshot, and is shown the same unless it
//                  looked at the branch meanwhile
//   semantic       as exact, with the answers that the verdict excuses put back; who was shown two
//                  versions of what is excused is counted, and not played again
//   below          played on its snapshot with what both made equal it is shown the same: no update
//                  that both made is there once
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "land/testing/generator.h"
#include "model/policy.h"

namespace gittxn::land::testing {

// One transaction that asks to land on a head.
struct Asked {
  Footprint footprint;
  const Tree* base = nullptr;
  const Tree* work = nullptr;
  Place head;
  Isolation level = Isolation::kStrict;
  const std::map<Oid, Tree>* commits = nullptr;
  const Policy* policy = nullptr;  // gates, and what is declared
};
struct Settled {
  enum class Kind { kLanded, kNothing, kRefused } kind = Kind::kRefused;
  Tree tree;  // kLanded
  std::vector<Excuse> excused;
  std::string why = {};  // kRefused, in a word
};

// What decides, and names commits.
class Decider {
 public:
  virtual ~Decider() = default;
  virtual Settled settle(const Asked& asked) = 0;
  virtual Oid commit(const Tree& tree) = 0;
};

struct Counts {
  int histories = 0, transactions = 0, landed = 0, nothing = 0, over = 0, refused = 0;
  int refused_exact = 0;                       // whose order was looked for
  int with_order_here = 0;                     // of them, at the head that refused it
  int with_order = 0;                          // of them, there or at an earlier place
  int outside = 0, moves = 0, back_again = 0;  // the branch had that tree before
  std::map<std::string, int> needless;         // of them, those refused at the head, by why
  std::map<std::string, int> excused;          // of semantic, where it was shown something else
};

// Whether an order is looked for in which a refusal would have had a place.
enum class Orders { kIgnored, kSought };

class History {
 public:
  History(Random& random, Texts& texts, Decider& decider, Counts& counts)
      : make_(random), texts_(texts), decider_(decider), counts_(counts) {}

  // What the oracle has against it; "" nothing.
  std::string run(Orders orders) {
    orders_ = orders;
    ++counts_.histories;
    const bool mixed = make_.below(2) == 0;
    const std::size_t size = 2 + make_.below(5);
    std::vector<Program> programs(size);
    for (Program& program : programs) program = make_.program();
    push(make_.tree(texts_), kNobody);
    policy_ = make_.policy(programs, trees_.back(), texts_);
    for (Program& program : programs) {
      const Isolation level = mixed ? make_.level() : Isolation::kStrict;
      show(program, level);
      members_.push_back({std::move(program), level, {}, 0, {}});
    }
    counts_.transactions += static_cast<int>(size);
    while (objection_.empty() && (begun_ < members_.size() || !open_.empty())) tick();
    return objection_;
  }

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;
  struct Member {
    Program program;
    Isolation level = Isolation::kStrict;
    std::optional<Player> player;
    std::size_t begun = 0;  // the place it began at
    std::vector<Excuse> excused;
  };

  // Only exact levels promise what a runner prints, and not where policy says that its status is
  // its answer.
  void show(Program& program, Isolation level) const {
    for (Step& step : program) {
      const bool declared = std::ranges::any_of(
          policy_.questions, [&](const QuestionRule& rule) { return rule.command == step.argv(); });
      const bool runs = step.kind == Step::Kind::kAsk && step.asks() == Question::Kind::kRunner;
      if (runs && (declared || level < Isolation::kSerializable)) step.shown = Step::Shown::kStatus;
    }
  }
  Place place(std::size_t at) const { return {&trees_[at], ids_[at]}; }
  Place head() const { return place(trees_.size() - 1); }
  void push(Tree tree, std::size_t by) {
    const Oid commit = decider_.commit(tree);
    commits_[commit] = tree;
    trees_.push_back(std::move(tree));
    ids_.push_back(commit);
    by_.push_back(by);
  }

  // Merges into a person's tree what one open transaction has done so far.
  void merge_by_hand(Tree& tree) {
    if (open_.empty()) return;
    const Player& player = *members_[open_[make_.below(open_.size())]].player;
    if (auto both = together(player.base(), player.view(), tree)) tree = *std::move(both);
  }

  void tick() {
    if (make_.below(make_.flavour() == Generator::Flavour::kAll ? 10 : 5) == 0 &&
        trees_.size() < 12) {
      Tree tree = trees_.back();
      if (make_.below(4) == 0) merge_by_hand(tree);
      if (make_.below(2) == 0 || tree == trees_.back()) make_.edit(tree, trees_, texts_);
      if (tree == trees_.back()) return;
      for (const Tree& before : trees_) counts_.back_again += before == tree ? 1 : 0;
      push(std::move(tree), kNobody);
      ++counts_.outside;
      return;
    }
    if (begun_ < members_.size() && (open_.empty() || make_.below(3) == 0)) {
      Member& member = members_[begun_];
      member.begun = trees_.size() - 1;
      member.player.emplace(member.program, texts_, head(), Trace::kOn);
      open_.push_back(begun_++);
      return;
    }
    if (open_.empty()) return;
    const std::size_t at = make_.below(open_.size());
    Player& player = *members_[open_[at]].player;
    if (!player.done()) {
      player.step(head());
      return;
    }
    const std::size_t who = open_[at];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    land(who);
  }

  void land(std::size_t who);
  void refused(const Member& member, const std::string& why);
  bool has_place(const Member& member, std::size_t at, const Tree& both);
  void check_exact(const Member& member, const Tree& after, const char* how);
  void check_over(const Member& member);
  enum class Told { kNo, kYes };
  void put_back(const Member& member, const std::string& path, Told told, Tree& tree) const;
  std::vector<Oid> history_as_read(const Member& member) const;
  static std::size_t versions_seen(const Member& member, const std::string& path);
  void put_back_parts(const Member& member, Tree& tree);
  bool passes_on(const std::string& command, const Tree& tree) const {
    return answer(words_of(command), senses_of(tree, texts_)).status == 0;
  }
  static bool excuses_answer(const Member& member, std::size_t number);
  bool passes_still(const Member& member, const Tree& after) const;
  void check_semantic(const Member& member, const Tree& after);
  static void apply(const Changes& changes, Tree& tree);
  void check_equal_writes(const Member& member);
  Tree with_equal_writes(const Member& member, Tree tree) const;
  void object(const Member& member, const std::string& what, const Player* again);

  Generator make_;
  Texts& texts_;
  Decider& decider_;
  Counts& counts_;
  Orders orders_ = Orders::kIgnored;
  Policy policy_;
  std::vector<Member> members_;
  std::vector<Tree> trees_;  // of the branch, from the first
  std::vector<Oid> ids_;
  std::vector<std::size_t> by_;  // who landed it
  std::map<Oid, Tree> commits_;
  std::size_t begun_ = 0;
  std::vector<std::size_t> open_;
  std::string objection_;
};

inline std::string text_of(const Program& program) {
  static constexpr const char* kNames[] = {
      "read", "part",  "stat",  "list",   "whole",    "search", "told",   "history", "unseen",
      "ask",  "cache", "write", "append", "set line", "copy",   "delete", "move"};
  std::string text;
  for (const Step& step : program) {
    text += fmt::format("  {} {} '{}' {} {}{}{}\n", kNames[static_cast<int>(step.kind)], step.what,
                        step.path, step.to, step.number, step.decides ? " by what it saw" : "",
                        step.aside.empty() ? "" : ", meanwhile " + step.aside + " is written");
  }
  return text;
}

inline std::string text_of(const Tree& tree, const Texts& texts) {
  std::string text;
  for (const auto& [path, entry] : tree) text += path + "\n" + texts.of(entry.oid);
  return text;
}

inline void History::apply(const Changes& changes, Tree& tree) {
  for (const PathChange& change : files_of(changes)) {
    if (change.after.present()) {
      tree[change.path] = change.after;
    } else {
      tree.erase(change.path);
    }
  }
}

inline void History::object(const Member& member, const std::string& what, const Player* again) {
  objection_ = fmt::format(
      "{} at {}, begun at place {} of {}\nprogram:\n{}was shown:\n{}snapshot:\n{}base:\n{}"
      "work:\n{}head:\n{}reads:\n{}",
      what, isolation_name(member.level), member.begun, trees_.size(), text_of(member.program),
      member.player->seen(), text_of(trees_[member.begun], texts_),
      text_of(member.player->base(), texts_), text_of(member.player->view(), texts_),
      text_of(trees_.back(), texts_), reads_to_lines(member.player->reads()));
  if (again == nullptr) return;
  objection_ += fmt::format("again it is shown:\n{}and leaves:\n{}", again->seen(),
                            text_of(again->view(), texts_));
}

inline void History::land(std::size_t who) {
  Member& member = members_[who];
  const Player& player = *member.player;
  counts_.moves += player.moved() ? 1 : 0;
  if (certify::changed_nothing(player.view(), player.base(), trees_[member.begun])) {
    ++counts_.over;
    return check_over(member);
  }
  Asked asked;
  asked.footprint = {TxnId(fmt::format("t-{}", who)), player.reads(),
                     gittxn::testing::diff(player.base(), player.view()), player.base_commit()};
  asked.base = &player.base();
  asked.work = &player.view();
  asked.head = head();
  asked.level = member.level;
  asked.commits = &commits_;
  asked.policy = &policy_;
  Settled settled = decider_.settle(asked);
  if (settled.kind == Settled::Kind::kRefused) {
    ++counts_.refused;
    return refused(member, settled.why);
  }
  const bool landed = settled.kind == Settled::Kind::kLanded;
  ++(landed ? counts_.landed : counts_.nothing);
  member.excused = std::move(settled.excused);
  const Tree& after = landed ? settled.tree : trees_.back();
  if (member.level >= Isolation::kSerializable) {
    check_exact(member, after, landed ? "landed" : "ended as nothing");
  } else if (member.level == Isolation::kSemantic) {
    check_semantic(member, after);
  } else {
    check_equal_writes(member);
  }
  if (landed) push(std::move(settled.tree), who);
}

inline void History::check_exact(const Member& member, const Tree& after, const char* how) {
  const Player again = play(member.program, texts_, head());
  if (again.seen() == member.player->seen() && again.view() == after) return;
  object(member, fmt::format("{}, and is another where it stands", how), &again);
}

inline void History::check_over(const Member& member) {
  const Player again = play(member.program, texts_, place(member.begun));
  const bool looked = std::ranges::any_of(member.program, [](const Step& step) {
    return step.kind == Step::Kind::kTold || step.kind == Step::Kind::kMove;
  });
  // Who was shown the branch meanwhile and left nothing of it did nothing at all.
  if (looked && member.player->view() == member.player->base()) return;
  if (again.view() == trees_[member.begun] && again.seen() == member.player->seen()) return;
  object(member, "was over without being asked, and is another at its snapshot", &again);
}

// Puts back what was there when it was read. Of one commit what it was told and what it read is one
// read.
inline void History::put_back(const Member& member, const std::string& path, Told told,
                              Tree& tree) const {
  const Read* found = nullptr;
  for (const Read& read : member.player->reads().reads) {
    if (read.subject != path) continue;
    const bool wanted = (read.op == kToldOp) == (told == Told::kYes);
    if (found == nullptr || wanted) found = &read;
  }
  if (found == nullptr) return;
  const TreeEntry was = entry_of(commits_.at(found->snapshot), path);
  if (was.mode == FileMode::kFile) tree[path] = was;
}

inline std::size_t History::versions_seen(const Member& member, const std::string& path) {
  std::set<std::string> versions;
  for (const Read& read : member.player->reads().reads) {
    const bool whole = read.kind == ReadKind::kContent && read.lines == LineSpan{};
    if (whole && read.subject == path) versions.insert(read.digest);
  }
  return versions.size();
}

inline std::vector<Oid> History::history_as_read(const Member& member) const {
  std::vector<Oid> commits;
  for (const Read& read : member.player->reads().reads) {
    if (read.kind == ReadKind::kRef) commits.emplace_back(read.digest);
  }
  return commits;
}

// Lines that stand elsewhere now hold at semantic, which is no excuse but what a part of a file is.
inline void History::put_back_parts(const Member& member, Tree& tree) {
  const Tree& head = trees_.back();
  for (const Read& read : member.player->reads().reads) {
    if (read.lines == LineSpan{} || !head.contains(read.subject)) continue;
    const TreeEntry was = entry_of(commits_.at(read.snapshot), read.subject);
    bool whole = false;
    const std::string_view some = capture::lines_text(texts_.of(was.oid), read.lines, &whole);
    const std::string& now = texts_.of(head.at(read.subject).oid);
    if (now.find(some) == std::string::npos) continue;
    if (capture::lines_digest(now, read.lines).str() == read.digest) continue;
    tree[read.subject] = was;
    ++counts_.excused["lines elsewhere"];
  }
}

inline std::string excuse_name(Excuse::Why why) {
  constexpr std::array kNames{"layout", "merged",       "history", "status",   "replaced",
                              "gate",   "housekeeping", "listing", "candidate"};
  return kNames[static_cast<std::size_t>(why)];
}

// Excuses runs that a gate covers, or that were made again on what lands, and runs that were
// repeated later.
inline bool History::excuses_answer(const Member& member, std::size_t number) {
  std::vector<const Step*> asked;
  for (const Step& step : member.program) {
    if (step.kind == Step::Kind::kAsk) asked.push_back(&step);
  }
  const auto argv = asked.at(number)->argv();
  const auto excused = [&](Excuse::Why why) {
    return std::ranges::find(member.excused, Excuse{why, argv_text(argv)}) != member.excused.end();
  };
  if (excused(Excuse::Why::kGate) || excused(Excuse::Why::kCandidate)) return true;
  if (!excused(Excuse::Why::kReplaced)) return false;
  for (std::size_t later = number + 1; later < asked.size(); ++later) {
    if (asked[later]->argv() == argv && member.player->said()[later].status == 0) return true;
  }
  return false;
}

// True if the runs that passed after its last change pass on what landed. A run that an ignored
// file led elsewhere is left out, and who moved its base had no questions.
inline bool History::passes_still(const Member& member, const Tree& after) const {
  if (member.player->moved()) return true;
  std::size_t number = member.player->said().size();
  for (const Step& step : member.program | std::views::reverse) {
    if (is_write(step.kind)) return true;
    if (step.kind != Step::Kind::kAsk) continue;
    const bool passed = member.player->said()[--number].status == 0;
    if (step.what == "report" || !step.aside.empty()) return true;
    if (step.asks() != Question::Kind::kRunner || step.what == "cached" || !passed) continue;
    if (answer(step.argv(), senses_of(after, texts_)).status != 0) return false;
  }
  return true;
}

// The answers that it excuses are put back, and then it has to be shown the same.
inline void History::check_semantic(const Member& member, const Tree& after) {
  const Player& player = *member.player;
  const Player there = play(member.program, texts_, head());
  // An emptied directory stays for the transaction alone, and what landed may fail without it.
  const bool serial = there.seen() == player.seen() && there.view() == after;
  const bool beside = serial && gittxn::testing::empties_directory(trees_.back(), after);
  if (!beside && !passes_still(member, after))
    return object(member, "landed, and a run that had passed fails there", &there);
  if (serial) return;
  Tree shown, told = trees_.back();  // instead of the head's
  Oid commit = ids_.back();
  for (const Excuse& excuse : member.excused) {
    ++counts_.excused[excuse_name(excuse.why)];
    const bool on_what_lands =
        excuse.why == Excuse::Why::kGate || excuse.why == Excuse::Why::kCandidate;
    if (on_what_lands && !passes_on(excuse.subject, after)) {
      return object(member, "ended by a run that does not pass", &there);
    }
    if (excuse.why == Excuse::Why::kHistory) {
      const std::vector<Oid> commits = history_as_read(member);
      if (commits.size() > 1) return;  // it moved its base, and no one place has both
      commit = commits.front();
      continue;
    }
    if (versions_seen(member, excuse.subject) > 1) return;  // the same
    put_back(member, excuse.subject, Told::kNo, shown);
    put_back(member, excuse.subject, Told::kYes, told);
  }
  put_back_parts(member, shown);
  Player again(member.program, texts_, {&trees_.back(), commit}, Trace::kOff);
  again.show_instead(shown);
  again.answer_instead(player.said(),
                       [&](std::size_t number) { return excuses_answer(member, number); });
  while (!again.done()) again.step({&told, commit});
  Tree expected = trees_.back();
  apply(gittxn::testing::diff(player.base(), player.view()), expected);
  for (const auto& [path, entry] : shown) {
    // Written again as it was shown: then it is the head's that stays.
    const bool kept = entry_of(player.view(), path) == entry_of(player.base(), path);
    if (kept && entry_of(again.view(), path) == entry) expected[path] = entry;
  }
  if (again.seen() == player.seen() && again.view() == expected) return;
  object(member, "landed, and was shown what nothing excuses", &again);
}

// A tree with what both made the same, and with nothing else of either.
inline Tree History::with_equal_writes(const Member& member, Tree tree) const {
  const Player& player = *member.player;
  for (const PathChange& change : gittxn::testing::diff(player.base(), player.view())) {
    if (entry_of(trees_.back(), change.path) == change.after) apply({change}, tree);
  }
  return tree;
}

inline void History::check_equal_writes(const Member& member) {
  const Player& player = *member.player;
  const bool looked = std::ranges::any_of(member.program, [](const Step& step) {
    return step.kind == Step::Kind::kTold || step.kind == Step::Kind::kMove;
  });
  if (looked) return;  // it saw some of the branch, and which is not asked for at these levels
  const auto seen_on = [&](const Tree& tree) {
    return play(member.program, texts_, {&tree, player.base_commit()}).seen();
  };
  const Tree equal = with_equal_writes(member, player.base());
  const Player again = play(member.program, texts_, {&equal, player.base_commit()});
  if (again.seen() == player.seen()) return;
  // Rules that came with the branch may hide from a search what both made.
  Tree ruled = player.base();
  ruled.erase(kIgnoreFile);
  const TreeEntry rules = entry_of(trees_.back(), kIgnoreFile);
  if (rules.present()) ruled[kIgnoreFile] = rules;
  if (seen_on(with_equal_writes(member, ruled)) == seen_on(ruled)) return;
  object(member, "landed, and an update that both made is there once", &again);
}

// ---- refusals ----

inline void History::refused(const Member& member, const std::string& why) {
  if (orders_ == Orders::kIgnored || member.level < Isolation::kSerializable) return;
  ++counts_.refused_exact;
  const Player& player = *member.player;
  const auto both = together(player.base(), player.view(), trees_.back());
  if (!both) return;
  for (std::size_t at = trees_.size(); at-- > member.begun;) {
    if (!has_place(member, at, *both)) continue;
    if (at + 1 == trees_.size()) {
      ++counts_.with_order_here;
      ++counts_.needless[why];
    }
    ++counts_.with_order;
    return;
  }
}

// Put in after this place: is it shown the same, is everybody after it, and is the end the same?
inline bool History::has_place(const Member& member, std::size_t at, const Tree& both) {
  const Player here = play(member.program, texts_, place(at));
  if (here.seen() != member.player->seen()) return false;
  Tree tree = here.view();
  for (std::size_t i = at + 1; i < trees_.size(); ++i) {
    const bool exact = by_[i] != kNobody && members_[by_[i]].level >= Isolation::kSerializable;
    if (exact) {
      const Member& next = members_[by_[i]];
      const Player again = play(next.program, texts_, {&tree, Oid("another")});
      if (again.seen() != next.player->seen()) return false;
      tree = again.view();
      continue;
    }
    const Changes changes = files_of(gittxn::testing::diff(trees_[i - 1], trees_[i]));
    for (const PathChange& change : changes) {
      if (entry_of(tree, change.path) != change.before) return false;
    }
    apply(changes, tree);
  }
  return tree == both;
}

}  // namespace gittxn::land::testing
