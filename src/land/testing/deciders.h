// Who decides in a history (history.h): the certifier and the merges of files alone, on trees in
// memory, which is quick; and landing's own decide(), on a repository. For tests.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "certify/certify.h"
#include "land/candidate.h"
#include "land/judge/asking/answers.h"
#include "land/judge/asking/asking_trees.h"
#include "land/judge/asking/questions.h"
#include "land/judge/symbols.h"
#include "land/testing/history.h"
#include "land/testing/land_world.h"
#include "search/argv.h"
#include "search/evaluate.h"
#include "semantic/merge.h"
#include "semantic/symbol.h"

namespace gittxn::land::testing {

// Bugs of whoever asks the certifier; those of its own are injected (base/bug.h).
enum class Mutant {
  kNone,
  kLandedForWrites,   // what landing adds to the head is taken for what was written
  kNetDifference,     // every read is judged from the last base on, whatever it was read from
  kNothingUnchecked,  // what adds nothing to the head is not asked
  kToldIgnored,       // what it was told of the branch is no read
  kSoftIgnored,       // nor is history
  kLevelsSwapped,     // exact and snapshot
  kRefined,           // exact is semantic
  kOwnAreMasked,      // reads of what it wrote itself are dropped
  kNobodyAsks,        // no bug: looks alone decide
};

inline search::Query the_search() {
  search::Surroundings around;
  around.git_settings = search::Vouched::kYes;
  around.outside_rules = search::Vouched::kYes;
  return search::query_from_argv("/usr/bin/rg", {"rg", "1", "."}, around).value();
}

class TextTree final : public search::Tree {
 public:
  TextTree(const testing::Tree& tree, const Texts& texts) : tree_(tree), texts_(texts) {}
  Result<TreeEntry> entry(const std::string& path) const override {
    return path.empty() ? TreeEntry{FileMode::kTree, Oid()} : entry_of(tree_, path);
  }
  Result<std::vector<search::NamedEntry>> list(const std::string& path) const override {
    const std::string prefix = path.empty() ? "" : path + "/";
    std::set<std::string> names;
    for (const auto& [file, entry] : tree_) {
      if (!file.starts_with(prefix)) continue;
      names.insert(file.substr(prefix.size(), file.find('/', prefix.size()) - prefix.size()));
    }
    std::vector<search::NamedEntry> entries;
    for (const std::string& name : names) entries.push_back({name, entry_of(tree_, prefix + name)});
    return entries;
  }
  Result<std::string> blob(const Oid& oid) const override { return texts_.of(oid); }

 private:
  const testing::Tree& tree_;
  const Texts& texts_;
};

class InMemory final : public Decider {
 public:
  InMemory(Texts& texts, Mutant mutant) : texts_(texts), mutant_(mutant) {}

  Oid commit(const Tree&) override { return Oid(fmt::format("c{}", ++made_)); }

  Settled settle(const Asked& asked) override {
    Isolation level = asked.level;
    if (mutant_ == Mutant::kLevelsSwapped && certify::is_exact(level)) level = Isolation::kSnapshot;
    if (mutant_ == Mutant::kRefined && certify::is_exact(level)) level = Isolation::kSemantic;
    certify::Symbols symbols;
    symbols.checks = certify::Symbols::Checks::kGates;
    const auto merged = merge(asked, level, symbols);
    const bool nothing = merged && *merged == *asked.head.tree;
    if (nothing && mutant_ == Mutant::kNothingUnchecked) return {Settled::Kind::kNothing, {}, {}};
    Footprint footprint = asked.footprint;
    mutate(asked, merged, footprint);
    Verdict verdict = ask(asked, level, symbols, footprint, {});
    const bool only_asks = verdict.of_unanswered == verdict.conflicts.size();
    if (!verdict.unanswered.empty() && only_asks && merged && mutant_ != Mutant::kNobodyAsks) {
      const auto answers = answers_to(asked, level, *merged, footprint, verdict.unanswered);
      verdict = ask(asked, level, symbols, footprint, answers);
    }
    if (!verdict.commit || !merged) return refused(footprint, verdict);
    if (!nothing && !passes_gates(asked, *merged))
      return {Settled::Kind::kRefused, {}, {}, "a gate"};
    return {nothing ? Settled::Kind::kNothing : Settled::Kind::kLanded, *merged,
            std::move(verdict.excused)};
  }

 private:
  static Settled refused(const Footprint& footprint, const Verdict& verdict) {
    Settled settled;
    settled.why = "a merge";
    if (!verdict.commit) settled.why = conflict_kind_name(verdict.conflicts.front().kind);
    if (!footprint.reads.complete) settled.why = "unknown reads";
    const std::string stale = verdict.commit ? "" : verdict.conflicts.front().subject;
    for (const Read& read : footprint.reads.reads) {
      if (settled.why != "read-stale" || read.subject != stale) continue;
      settled.why = fmt::format("{} read", read_kind_name(read.kind));
    }
    return settled;
  }

  using Three = std::tuple<Oid, Oid, Oid>;

  void mutate(const Asked& asked, const std::optional<Tree>& merged, Footprint& footprint) const {
    std::vector<Read>& reads = footprint.reads.reads;
    if (mutant_ == Mutant::kLandedForWrites && merged) {
      footprint.writes = gittxn::testing::diff(*asked.head.tree, *merged);
    }
    if (mutant_ == Mutant::kNetDifference) {
      for (Read& read : reads) read.snapshot = footprint.base;
    }
    std::erase_if(reads, [&](const Read& read) {
      const bool own = certify::find_change(footprint.writes, read.subject) != nullptr;
      return (mutant_ == Mutant::kToldIgnored && read.op == kToldOp) ||
             (mutant_ == Mutant::kSoftIgnored && read.strength == Strength::kSoft) ||
             (mutant_ == Mutant::kOwnAreMasked && own);
    });
  }

  Verdict ask(const Asked& asked, Isolation level, const certify::Symbols& symbols,
              const Footprint& footprint, std::span<const certify::Answer> answers) {
    std::set<Oid> snapshots{footprint.base};
    for (const Read& read : footprint.reads.reads) snapshots.insert(read.snapshot);
    std::vector<SnapshotDiff> diffs;
    for (const Oid& snapshot : snapshots) {
      diffs.push_back(
          {snapshot, gittxn::testing::diff(asked.commits->at(snapshot), *asked.head.tree)});
    }
    const std::vector<Landed> history;
    const std::vector<std::pair<std::string, std::string>> versions{
        {"policy", "1"}, {kTarget, asked.head.commit.str()}};
    certify::Input input{&footprint, diffs, history, versions, level};
    input.symbols = &symbols;
    input.answers = answers;
    input.contents = [&](const Read& read, const SnapshotDiff& diff, const Changes& own) {
      return stale(asked, read, diff, own);
    };
    input.says_the_same = [this](const Read& read, const PathChange& change) {
      return says_the_same(read.subject, change);
    };
    return certify::certify(input);
  }

  bool passes_gates(const Asked& asked, const Tree& tree) const {
    return std::ranges::all_of(asked.policy->gates, [&](const GateSpec& gate) {
      return answer(gate.command, senses_of(tree, texts_)).status == 0;
    });
  }

  // Answers as landing does, with trees in memory to ask on.
  std::vector<certify::Answer> answers_to(const Asked& asked, Isolation level, const Tree& merged,
                                          const Footprint& footprint,
                                          const std::vector<std::int64_t>& questions) const {
    Candidate candidate;
    candidate.level = level;
    candidate.policy = *asked.policy;
    candidate.head_tree = Oid("head");
    candidate.tree = Oid(merged == *asked.head.tree ? "head" : "merged");
    auto answers = answers_by_gates(footprint.reads, questions, candidate);
    for (const std::int64_t number : questions) {
      if (std::ranges::find(answers, number, &certify::Answer::question) != answers.end()) continue;
      const Question& question = *question_of(footprint.reads, number);
      if (!may_be_asked(question, candidate)) continue;
      answers.push_back(ask_again(asked, merged, footprint, question));
    }
    return answers;
  }

  certify::Answer ask_again(const Asked& asked, const Tree& merged, const Footprint& footprint,
                            const Question& question) const {
    if (question.in_between) {
      const testing::Said said = answer(question.argv, senses_of(merged, texts_));
      return passes(question, {}, {}, {.status = said.status});
    }
    std::set<Look> looks;
    Oid snapshot = footprint.base;
    for (const Read& read : footprint.reads.reads) {
      if (read.question != question.number) continue;
      snapshot = read.snapshot;
      looks.emplace(read.kind, read.subject, read.digest);
    }
    const auto finished = [&](const std::string& path) -> Result<std::optional<TreeEntry>> {
      return std::optional(entry_of(merged, path));
    };
    const auto trees = must(asking_trees(question, footprint.writes, finished));
    if (!trees) return {question.number, certify::Answer::How::kOther, "not known"};
    const auto on = [&](const AskingTree& its) {
      const bool on_head = its.of == AskingTree::Of::kHead;
      const Tree& commit = on_head ? *asked.head.tree : asked.commits->at(snapshot);
      Tree tree = commit;
      for (const auto& [path, entry] : its.own) {
        tree.erase(path);
        if (entry.present()) tree[path] = entry;
      }
      const auto has = [](const Tree& one) {
        return [&one](const std::string& path) { return Result<bool>(is_directory(one, path)); };
      };
      std::set<Look> met;
      land::Said said = hear(question, tree, footprint.writes, met);
      said.repeats = std::ranges::includes(met, looks);
      const bool lost = must(lost_a_directory(question, its, has(commit), has(tree)));
      if (lost || met_unsettled(question, met)) said.no_answer = "it cannot be asked there";
      return said;
    };
    const land::Said before = on(trees->before);
    if (auto refused = refuse_first(question, before)) return *refused;
    return compare(question, {}, before, on(trees->after));
  }

  land::Said hear(const Question& question, const Tree& tree, const Changes& writes,
                  std::set<Look>& met) const {
    const auto looked = [&](ReadKind kind, const std::string& path, std::string digest) {
      met.emplace(kind, path, std::move(digest));
    };
    const Senses plain = senses_of(tree, texts_);
    Senses senses = plain;
    senses.open = [&](const std::string& path) {
      const std::string* text = plain.open(path);
      looked(text == nullptr ? ReadKind::kAbsence : ReadKind::kContent, path,
             text == nullptr ? "" : tree.at(path).oid.str());
      return text;
    };
    senses.stat = [&](const std::string& path) {
      const bool there = plain.stat(path);
      looked(there ? ReadKind::kMetadata : ReadKind::kAbsence, path, there ? "100644" : "");
      return there;
    };
    senses.list = [&](const std::string& directory) {
      const bool there = is_directory(tree, directory);
      looked(there ? ReadKind::kListing : ReadKind::kAbsence, directory,
             there ? listing_digest(tree, directory, writes) : "");
      return plain.list(directory);
    };
    const Said its = answer(question.argv, senses);
    land::Said said;
    said.status = its.status;
    said.out = printed(sha256(its.out), its.out.size(), its.out, questions::Order::kItsOwn);
    return said;
  }

  std::optional<certify::Stale> stale(const Asked& asked, const Read& read,
                                      const SnapshotDiff& diff, const Changes& own) {
    if (read.kind == ReadKind::kSearch) {
      std::vector<std::string> paths;
      for (const PathChange& change : own) paths.push_back(change.path);
      const auto judged = search::judge(query_, TextTree(asked.commits->at(diff.snapshot), texts_),
                                        TextTree(*asked.head.tree, texts_), diff.changes, paths);
      if (judged.holds) return std::nullopt;
      return certify::Stale{judged.path, "another answer"};
    }
    const PathChange* change = certify::find_change(diff.changes, read.subject);
    if (change == nullptr) return std::nullopt;
    if (change->after.present()) {
      const std::string& text = texts_.of(change->after.oid);
      if (capture::lines_digest(text, read.lines).str() == read.digest) return std::nullopt;
    }
    return certify::Stale{read.subject, "other lines"};
  }

  bool says_the_same(const std::string& path, const PathChange& change) {
    const auto* language = semantic::language_of_path(path);
    if (language == nullptr) return false;
    const auto [at, fresh] = same_.try_emplace({change.before.oid, change.after.oid});
    if (fresh) {
      const auto before = semantic::symbols_of(language, path, texts_.of(change.before.oid), {});
      const auto after = semantic::symbols_of(language, path, texts_.of(change.after.oid), {});
      at->second = semantic::same_to(semantic::Reader::kPerson, before, after);
    }
    return at->second;
  }

  // What a file is that both changed; "" nothing that anybody could land.
  const std::string& one_of(const std::string& path, const Three& three) {
    const auto [at, fresh] = one_.try_emplace(three);
    if (!fresh) return at->second;
    const auto& [base, head, work] = three;
    const semantic::Sides<std::string> texts{texts_.of(base), texts_.of(head), texts_.of(work)};
    const auto* language = semantic::language_of_path(path);
    const auto merged = semantic::merge_file(language, texts, {});
    if (merged && merged->clean() && !made_once(language, texts, merged->text)) {
      at->second = merged->text;
    }
    return at->second;
  }

  std::optional<Tree> merge(const Asked& asked, Isolation level, certify::Symbols& symbols) {
    Tree head = *asked.head.tree, work = *asked.work;
    if (!certify::is_exact(level)) {
      for (const auto& [path, was] : *asked.base) {
        const TreeEntry theirs = entry_of(head, path), mine = entry_of(work, path);
        const bool edited = theirs.mode == FileMode::kFile && mine.mode == FileMode::kFile;
        if (!edited || theirs == was || mine == was || theirs == mine) continue;
        const std::string& text = one_of(path, {was.oid, theirs.oid, mine.oid});
        if (text.empty()) continue;
        symbols.merged.push_back(path);
        head[path] = work[path] = texts_.file(text);
      }
    }
    return together(*asked.base, work, head);
  }

  Texts& texts_;
  Mutant mutant_;
  search::Query query_ = the_search();
  int made_ = 0;
  std::map<std::pair<Oid, Oid>, bool> same_;
  std::map<Three, std::string> one_;
};

class ByLanding final : public Decider {
 public:
  // `query`: the_search() as reads have it.
  explicit ByLanding(std::string query)
      : query_(std::move(query)),
        process_(world_.process()),
        texts_([this](const std::string& text) { return must(objects().write_blob(text)); }) {}
  Texts& texts() { return texts_; }

  Oid commit(const Tree& tree) override {
    std::vector<Oid> parents;
    if (!head_.empty()) parents.push_back(head_);
    head_ = write(git_tree(tree), parents, "on the branch\n");
    return head_;
  }

  Settled settle(const Asked& asked) override {
    Work work;
    work.txn.id = asked.footprint.txn;
    work.txn.target = RefName(kTarget);
    work.txn.isolation = asked.level;
    work.txn.committer = {"Owner", "owner@example.com"};
    work.footprint = asked.footprint;
    for (Read& read : work.footprint.reads.reads) {
      if (read.kind == ReadKind::kSearch) read.query = query_;
    }
    const Oid tree = git_tree(*asked.work);
    work.attempt.kept = write(tree, {asked.footprint.base}, "work\n");
    work.kept = must(objects().commit(work.attempt.kept));
    Decision decision = must(decide(process_.context, work, asked.head.commit));
    Candidate& candidate = decision.candidate;
    switch (decision.kind) {
      case Decision::Kind::kCandidate:
        return {Settled::Kind::kLanded, tree_of(candidate.tree),
                std::move(candidate.admitted.excused)};
      case Decision::Kind::kNothing:
        return {Settled::Kind::kNothing, {}, std::move(candidate.admitted.excused)};
      default:
        return {};
    }
  }

 private:
  repo::Objects& objects() { return process_.repository.objects(); }
  Oid write(const Oid& tree, const std::vector<Oid>& parents, const std::string& message) {
    const std::string who = "Agent <agent@example.com> 1700000000 +0000";
    return must(objects().write_commit({tree, parents, who, who, message, ""}));
  }
  Oid git_tree(const Tree& tree) {
    return must(objects().apply(Oid{}, gittxn::testing::diff({}, tree)));
  }
  Tree tree_of(const Oid& oid) {
    Tree tree;
    for (const PathChange& change : files_of(must(objects().diff(Oid{}, oid)))) {
      tree[change.path] = change.after;
      if (!texts_.knows(change.after.oid)) {
        texts_.learn(change.after.oid, must(objects().blob(change.after.oid)));
      }
    }
    return tree;
  }

  std::string query_;
  LandWorld world_;
  Process process_;
  Texts texts_;
  Oid head_;
};

}  // namespace gittxn::land::testing
