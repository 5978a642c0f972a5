#include "catalogue/impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/bug.h"
#include "base/fs.h"
#include "catalogue/build_targets.h"
#include "catalogue/links.h"
#include "catalogue/sight.h"
#include "semantic/kinds.h"
#include "semantic/manifest/manifest.h"

namespace gittxn::catalogue {
namespace {

using semantic::FileFacts;
using semantic::is_any;
using semantic::Opaque;
using semantic::Reference;
using semantic::UseRole;

constexpr std::size_t kMostCandidates = 50'000;
constexpr std::size_t kMostDeclaring = 8;  // files that declare one thing

// A file that has one of the names, without what is of no interest.
struct Candidate {
  std::string path;
  std::string language;
  bool opaque = false;
  std::vector<semantic::Import> imports;
  std::vector<UsedIn> uses;
};

// A name, and what of the subjects is called by it.
struct Asked {
  std::vector<std::size_t> subjects;
  // By language family: what has the name, and the files that declare it.
  std::map<std::string, std::map<std::string, std::set<std::string>>> entities;
  std::map<std::string, std::string> unparsed;  // a file that may define it too
};

class Judge {
 public:
  Judge(Catalogue& catalogue, const Oid& tree, const std::vector<Subject>& subjects, Uses uses)
      : catalogue_(catalogue), tree_(tree), subjects_(subjects), uses_(uses) {}

  Result<Impact> run() {
    ask();
    TRY(look());
    TRY(sight_.read_go_modules());
    for (const Candidate& candidate : candidates_) judge(candidate);
    overrides();
    named_tests();
    TRY(targets());
    settle();
    return std::move(out_);
  }

 private:
  // --- what is asked for ---

  void ask() {
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const Subject& subject = subjects_[i];
      files_.insert(subject.path);
      for (const std::string& name : subject.defines) {
        asked_[name].subjects.push_back(i);
        // It counts where the tree does not have it any more, too.
        asked_[name].entities[family_of(subject.language)][entity_of(subject)].insert(subject.path);
      }
      // Whoever extends its type may override it.
      const std::string owner = owner_of(subject);
      if (!owner.empty() && is_callable(subject)) owners_[owner].push_back(i);
    }
    for (const auto& [name, unused] : asked_) wanted_.push_back(name_hash(name));
    for (const auto& [name, unused] : owners_) wanted_.push_back(name_hash(name));
    for (const std::string& file : files_) {
      for (const std::string& name : names_of_module(file)) wanted_.push_back(name_hash(name));
    }
    catalogue::settle(&wanted_);
  }

  static bool is_callable(const Subject& subject) {
    return is_any(subject.kind, {"function", "prototype", "constructor", "method"});
  }

  // --- the tree ---

  Status look() {
    return catalogue_.visit(tree_, [&](const std::string& path, const FileNames& file) -> Status {
      note_path(path, file.name);
      if (!meet(wanted_, file.names)) return {};
      if (candidates_.size() == kMostCandidates) {
        return fail(Code::kUsage,
                    fmt::format("more than {} files have one of these names", kMostCandidates),
                    "ask for one symbol, with what it is in");
      }
      const FileFacts facts = TRY(catalogue_.file(path, file.entry));
      take(path, facts);
      return {};
    });
  }

  void note_path(const std::string& path, const std::string& name) {
    if (semantic::ecosystem_of(path) != semantic::Ecosystem::kNone) manifests_.push_back(path);
    if (is_test_path(path)) tests_.push_back(path);
    sight_.note_path(path, name);
  }

  void take(const std::string& path, const FileFacts& facts) {
    Candidate candidate;
    candidate.path = path;
    candidate.language = facts.language;
    candidate.opaque = facts.opaque != Opaque::kNo;
    candidate.imports = facts.imports;
    const std::string family = family_of(facts.language);
    for (std::size_t i = 1; i < facts.symbols.size(); ++i) {
      const semantic::Symbol& symbol = facts.symbols[i];
      if (symbol.kind == "import") continue;
      for (const std::string& name : symbol.defines) {
        const auto asked = asked_.find(name);
        if (asked == asked_.end()) continue;
        asked->second.entities[family][entity_of(subject_of(path, facts, i))].insert(path);
      }
    }
    std::map<std::string, std::string, std::less<>> aliases;  // local name -> what it stands for
    for (const semantic::Import& import : facts.imports) {
      for (const semantic::Binding& binding : import.binds) {
        if (binding.local != binding.original && asked_.contains(binding.original)) {
          aliases.emplace(binding.local, binding.original);
        }
      }
    }
    for (const Reference& reference : facts.references) {
      const auto alias = aliases.find(reference.name);
      const std::string& name = alias == aliases.end() ? reference.name : alias->second;
      const auto asked = asked_.find(name);
      const bool super = reference.role == UseRole::kSuper && owners_.contains(name);
      if (asked == asked_.end() && !super) continue;
      if (asked != asked_.end() && candidate.opaque && !facts.language.empty()) {
        asked->second.unparsed.emplace(family, path);
      }
      const Subject in = subject_of(path, facts, reference.symbol);
      candidate.uses.push_back({reference, in.symbol, in.container, in.kind});
      candidate.uses.back().reference.name = name;
    }
    candidates_.push_back(std::move(candidate));
  }

  // --- one file ---

  // The file of the subject, or another that declares the same thing.
  Linked linked_to(const Candidate& candidate, const std::string& name, const Subject& subject) {
    std::set<std::string> files{subject.path};
    const auto& entities = asked_.at(name).entities[family_of(subject.language)];
    const auto declared = entities.find(entity_of(subject));
    if (declared != entities.end() && declared->second.size() <= kMostDeclaring) {
      files.insert(declared->second.begin(), declared->second.end());
    }
    Linked best;
    for (const std::string& file : files) {
      const auto [found, first] = links_.try_emplace(file);
      if (first) {
        found->second =
            sight_.linked({candidate.path, candidate.language, candidate.imports}, file);
      }
      if (found->second.link > best.link) best = found->second;
    }
    return best;
  }

  void judge(const Candidate& candidate) {
    links_.clear();
    for (const std::string& file : files_) judge_imports(candidate, file);
    for (const UsedIn& use : candidate.uses) {
      const auto asked = asked_.find(use.reference.name);
      if (asked == asked_.end()) continue;
      for (const std::size_t i : asked->second.subjects) judge_use(candidate, use, subjects_[i]);
    }
  }

  void judge_imports(const Candidate& candidate, const std::string& file) {
    if (candidate.path == file) return;
    Affected importer{.relation = Relation::kImporter};
    Link best = Link::kNo;
    for (const semantic::Import& import : candidate.imports) {
      const Link link =
          link_of(candidate.language, candidate.path, import, {file, sight_.layout_of(file)});
      if (link <= best) continue;
      best = link;
      importer.line = import.line;
      importer.name = import.module;
    }
    if (best == Link::kNo) return;
    importer.path = candidate.path;
    importer.symbol = candidate.path + "/";
    importer.of = file;
    importer.certainty = best == Link::kYes ? Certainty::kResolved : Certainty::kByName;
    importer.why = best == Link::kYes ? "its import names this file"
                                      : "its import may name this file, or another one";
    add(std::move(importer));
  }

  void judge_use(const Candidate& candidate, const UsedIn& use, const Subject& subject) {
    const Reference& reference = use.reference;
    if (use.symbol == subject.symbol || reference.role == UseRole::kImport) return;
    const bool family = same_family(candidate.language, subject.language);
    const bool words = reference.role == UseRole::kText || candidate.opaque;
    // From one language into another a name reaches as text, and into C's.
    if (!family && !words && !is_data_language(candidate.language) &&
        family_of(candidate.language) != "c" && family_of(subject.language) != "c") {
      return;
    }
    Affected affected;
    affected.path = candidate.path;
    affected.symbol = use.symbol;
    affected.line = reference.line;
    affected.name = reference.name;
    affected.of = subject.symbol;
    affected.relation = Relation::kUser;
    if (words || !family || is_data_language(candidate.language)) {
      affected.relation = Relation::kMention;
      affected.why = candidate.opaque ? "the file could not be looked into" : "the name as text";
    } else {
      if (reference.role == UseRole::kSuper) affected.relation = Relation::kSubtype;
      if (reference.role == UseRole::kCall || reference.arity >= 0) {
        affected.relation = Relation::kCaller;
      }
      const Linked link = linked_to(candidate, reference.name, subject);
      // In Go what is behind a '.', or a key of a literal, is nothing of a package that the file
      // does not import.
      const bool field = reference.role == UseRole::kMember && !is_member(subject);
      if (candidate.language == "go" && field && link.link == Link::kNo) return;
      affected.why = doubt(candidate, use, subject, link);
      if (affected.why.empty()) {
        affected.certainty = Certainty::kResolved;
        affected.why = candidate.path == subject.path ? "the one definition, in the same file"
                       : link.link == Link::kYes      ? "the one definition, in a file it imports"
                                                      : "the one definition, in the same package";
      } else if (uses_ == Uses::kLinked && link.link == Link::kNo &&
                 candidate.path != subject.path &&
                 !same_package(candidate.language, candidate.path, subject.path)) {
        ++left_out_;
        return;
      }
    }
    if (affected.relation == Relation::kMention && uses_ == Uses::kLinked) {
      ++left_out_;
      return;
    }
    if (is_test_path(candidate.path) && affected.relation != Relation::kMention) {
      affected.relation = Relation::kTest;
      affected.why = "it uses the name; " + affected.why;
    }
    add(std::move(affected));
  }

  // Why a use is not sure to mean the subject; empty when it is.
  std::string doubt(const Candidate& candidate, const UsedIn& use, const Subject& subject,
                    const Linked& link) {
    const Reference& reference = use.reference;
    Asked& asked = asked_.at(reference.name);
    const std::string family = family_of(subject.language);
    const std::size_t entities = asked.entities[family].size();
    if (INJECTED_BUG("catalogue.sure")) return {};
    if (entities > 1) return fmt::format("{} definitions have the name", entities);
    if (const auto other = asked.unparsed.find(family); other != asked.unparsed.end()) {
      return fmt::format("'{}', which could not be looked into, has the name too", other->second);
    }
    const bool here = candidate.path == subject.path;
    const bool package = same_package(candidate.language, candidate.path, subject.path);
    if (!here && !package && link.link != Link::kYes) {
      return link.link == Link::kPerhaps ? "its import may name another file"
                                         : "nothing says where it comes from";
    }
    return doubt_of_place(use, subject, link, here || package ? Near::kYes : Near::kNo);
  }

  // --- what follows from the others ---

  // Types below the subject's have a member of its name.
  void overrides() {
    for (const Candidate& candidate : candidates_) {
      for (const UsedIn& use : candidate.uses) {
        if (use.reference.role != UseRole::kSuper) continue;
        const auto owned = owners_.find(use.reference.name);
        if (owned == owners_.end()) continue;
        for (const std::size_t i : owned->second) add_override(candidate, use, subjects_[i]);
      }
    }
  }

  void add_override(const Candidate& candidate, const UsedIn& use, const Subject& subject) {
    if (!same_family(candidate.language, subject.language)) return;
    const auto facts = sight_.facts_at(candidate.path);
    if (!facts) return;
    for (std::size_t i = 1; i < facts->symbols.size(); ++i) {
      const Subject member = subject_of(candidate.path, *facts, i);
      if (member.container != use.symbol || member.symbol == subject.symbol) continue;
      if (member.name != subject.name) continue;
      add({.relation = Relation::kOverride,
           .path = candidate.path,
           .symbol = member.symbol,
           .line = member.line,
           .name = member.name,
           .of = subject.symbol,
           .why = fmt::format("its type extends '{}'", use.reference.name)});
    }
  }

  // Tests that are called after a file that is asked about, or after one that uses it.
  void named_tests() {
    std::map<std::string, std::string> stems;  // -> file
    for (const Affected& affected : out_.affected) {
      if (affected.relation != Relation::kCaller && affected.relation != Relation::kSubtype)
        continue;
      for (const std::string& name : names_of_module(affected.path)) {
        stems.emplace(name, affected.path);
      }
    }
    for (const std::string& file : files_) {
      for (const std::string& name : names_of_module(file)) stems[name] = file;
    }
    for (const std::string& path : tests_) {
      const auto found = stems.find(tested_stem(path));
      if (found == stems.end() || files_.contains(path) || is_of_another(path, found->second))
        continue;
      add({.relation = Relation::kTest,
           .path = path,
           .symbol = path + "/",
           .line = 1,
           .of = found->second,
           .why = fmt::format("called after '{}'", found->second)});
    }
  }

  // Beside the test there is a file of the same name.
  bool is_of_another(const std::string& test, const std::string& file) const {
    const std::vector<std::string>& named = sight_.namesakes(file);
    return parent_dir(test) != parent_dir(file) &&
           std::ranges::any_of(named, [&](const std::string& other) {
             return parent_dir(other) == parent_dir(test);
           });
  }

  Status targets() {
    for (const std::string& file : files_) {
      for (const std::string& manifest : semantic::manifests_governing(file, manifests_)) {
        const std::string text = TRY(sight_.manifest(manifest));
        if (text.empty()) continue;
        for (const BuildTarget& target : build_targets(manifest, text, file)) {
          add({.relation = Relation::kTarget,
               .certainty = target.names_file ? Certainty::kResolved : Certainty::kGoverned,
               .path = manifest,
               .symbol = target.name,
               .of = file,
               .why = target.names_file ? "the manifest names the file for it"
                                        : "the manifest is above the file, and does not name it"});
        }
      }
    }
    return {};
  }

  void add(Affected affected) { out_.affected.push_back(std::move(affected)); }

  void settle() {
    auto& all = out_.affected;
    const auto key = [](const Affected& a) {
      return std::tie(a.relation, a.certainty, a.path, a.line, a.symbol, a.name, a.of);
    };
    std::ranges::sort(all, {}, key);
    // A test that uses it need not be told again for what it is called.
    std::set<std::pair<Relation, std::string>> told;
    std::vector<Affected> each;
    for (Affected& affected : all) {
      const bool named = affected.relation == Relation::kTest && affected.name.empty();
      if (named && told.contains({affected.relation, affected.path})) continue;
      if (!each.empty() && key(each.back()) == key(affected)) continue;
      told.emplace(affected.relation, affected.path);
      each.push_back(std::move(affected));
    }
    all = std::move(each);
    if (left_out_ > 0) {
      out_.notes.push_back(fmt::format(
          "{} uses of the same names in files that do not import it are left out; ask for a symbol "
          "to see them",
          left_out_));
    }
  }

  Catalogue& catalogue_;
  const Oid& tree_;
  const std::vector<Subject>& subjects_;
  Uses uses_;
  Impact out_;
  std::size_t left_out_ = 0;

  std::map<std::string, Asked, std::less<>> asked_;
  std::map<std::string, std::vector<std::size_t>>
      owners_;                   // types of the subjects that are members
  std::set<std::string> files_;  // of the subjects
  NameSet wanted_;

  std::vector<Candidate> candidates_;
  std::map<std::string, Linked> links_;  // of the candidate that is judged
  std::vector<std::string> manifests_, tests_;
  Sight sight_{catalogue_, tree_};
};

}  // namespace

std::string_view relation_name(Relation relation) {
  constexpr std::string_view kNames[] = {"caller",   "user", "importer", "subtype",
                                         "override", "test", "target",   "mention"};
  return kNames[static_cast<std::size_t>(relation)];
}

std::string_view certainty_name(Certainty certainty) {
  constexpr std::string_view kNames[] = {"resolved", "by name", "governed"};
  return kNames[static_cast<std::size_t>(certainty)];
}

Result<Impact> impact_of(Catalogue& catalogue, const Oid& tree,
                         const std::vector<Subject>& subjects, Uses uses) {
  return Judge(catalogue, tree, subjects, uses).run();
}

}  // namespace gittxn::catalogue
