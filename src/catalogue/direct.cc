#include "catalogue/direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bug.h"
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

bool is_callable(const Subject& subject) {
  return is_any(subject.kind, {"function", "prototype", "constructor", "method"});
}

}  // namespace

DirectUses::DirectUses(Catalogue& catalogue, const Oid& tree, const std::vector<Subject>& subjects,
                       Uses uses, Finds finds)
    : catalogue_(catalogue), tree_(tree), subjects_(subjects), uses_(uses), finds_(finds) {}

Status DirectUses::find() {
  ask();
  TRY(look());
  TRY(sight_.read_go_modules());
  for (const Candidate& candidate : candidates_) judge(candidate);
  if (finds_ == Finds::kAll) overrides();
  return {};
}

void DirectUses::ask() {
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
    const bool called = finds_ == Finds::kAll && is_callable(subject);
    if (!owner.empty() && called) owners_[owner].push_back(i);
  }
  for (const auto& [name, unused] : asked_) wanted_.push_back(name_hash(name));
  for (const auto& [name, unused] : owners_) wanted_.push_back(name_hash(name));
  for (const std::string& file : files_) {
    if (finds_ == Finds::kNames) break;
    for (const std::string& name : names_of_module(file)) wanted_.push_back(name_hash(name));
  }
  catalogue::settle(&wanted_);
}

Status DirectUses::look() {
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

void DirectUses::note_path(const std::string& path, const std::string& name) {
  if (semantic::ecosystem_of(path) != semantic::Ecosystem::kNone) manifests_.push_back(path);
  if (is_test_path(path)) tests_.push_back(path);
  sight_.note_path(path, name);
}

void DirectUses::take(const std::string& path, const FileFacts& facts) {
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
  if (facts.language == "go") candidate.fields = field_types_of(facts);
  take_uses(facts, &candidate);
  candidates_.push_back(std::move(candidate));
}

void DirectUses::take_uses(const FileFacts& facts, Candidate* candidate) {
  std::map<std::string, std::string, std::less<>> aliases;  // local name -> what it stands for
  for (const semantic::Import& import : facts.imports) {
    for (const semantic::Binding& binding : import.binds) {
      if (binding.local != binding.original && asked_.contains(binding.original)) {
        aliases.emplace(binding.local, binding.original);
      }
    }
  }
  std::shared_ptr<const Subject> in;
  std::uint32_t last = 0;
  for (const Reference& reference : facts.references) {
    const auto alias = aliases.find(reference.name);
    const std::string& name = alias == aliases.end() ? reference.name : alias->second;
    const auto asked = asked_.find(name);
    const bool super = reference.role == UseRole::kSuper && owners_.contains(name);
    if (asked == asked_.end() && !super) continue;
    if (asked != asked_.end() && candidate->opaque && !facts.language.empty()) {
      asked->second.unparsed.emplace(family_of(facts.language), candidate->path);
    }
    if (in == nullptr || last != reference.symbol) {
      in = std::make_shared<const Subject>(subject_of(candidate->path, facts, reference.symbol));
      last = reference.symbol;
    }
    candidate->uses.push_back({reference, in});
    candidate->uses.back().reference.name = name;
  }
}

// The file of the subject, or another that declares the same thing.
Linked DirectUses::linked_to(const Candidate& candidate, const std::string& name,
                             const Subject& subject) {
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
      found->second = sight_.linked({candidate.path, candidate.language, candidate.imports}, file);
    }
    if (found->second.link > best.link) best = found->second;
  }
  return best;
}

void DirectUses::judge(const Candidate& candidate) {
  links_.clear();
  for (const std::string& file : files_) {
    if (finds_ == Finds::kAll) judge_imports(candidate, file);
  }
  for (const UsedIn& use : candidate.uses) {
    const auto asked = asked_.find(use.reference.name);
    if (asked == asked_.end()) continue;
    for (const std::size_t i : asked->second.subjects) judge_use(candidate, use, i);
  }
}

void DirectUses::judge_imports(const Candidate& candidate, const std::string& file) {
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
  found_.push_back({std::move(importer), 0, nullptr});
}

void DirectUses::judge_use(const Candidate& candidate, const UsedIn& use, std::size_t of) {
  const Reference& reference = use.reference;
  const Subject& subject = subjects_[of];
  if (use.in->symbol == subject.symbol || reference.role == UseRole::kImport) return;
  const bool family = same_family(candidate.language, subject.language);
  const bool data = is_data_language(candidate.language);
  const bool words = reference.role == UseRole::kText || candidate.opaque;
  // A name reaches into another language as text, and into C's.
  if (!family && !words && !data && family_of(candidate.language) != "c" &&
      family_of(subject.language) != "c") {
    return;
  }
  Affected affected;
  affected.path = candidate.path;
  affected.symbol = use.in->symbol;
  affected.line = reference.line;
  affected.name = reference.name;
  affected.of = subject.symbol;
  if (!words && family && !data) return judge_code(candidate, use, of, std::move(affected));
  if (finds_ == Finds::kNames) return;
  if (uses_ == Uses::kLinked) {
    ++left_out_;
    return;
  }
  affected.relation = Relation::kMention;
  affected.why = candidate.opaque ? "the file could not be looked into" : "the name as text";
  found_.push_back({std::move(affected), of, use.in});
}

void DirectUses::judge_code(const Candidate& candidate, const UsedIn& use, std::size_t of,
                            Affected affected) {
  const Reference& reference = use.reference;
  const Subject& subject = subjects_[of];
  affected.relation = Relation::kUser;
  if (reference.role == UseRole::kSuper) affected.relation = Relation::kSubtype;
  if (reference.role == UseRole::kCall || reference.arity >= 0) {
    affected.relation = Relation::kCaller;
  }
  const Linked link = linked_to(candidate, reference.name, subject);
  const bool package = same_package(candidate.language, candidate.path, subject.path);
  if (candidate.language == "go") {
    const auto& entities = asked_.at(reference.name).entities;
    const GoUse in{use, candidate.imports, link, package ? Near::kYes : Near::kNo,
                   candidate.fields};
    if (!may_mean_in_go(in, subject, entities)) return;
  }
  affected.why = doubt(candidate, use, subject, link);
  if (affected.why.empty()) {
    affected.certainty = Certainty::kResolved;
    affected.why = candidate.path == subject.path ? "the one definition, in the same file"
                   : link.link == Link::kYes      ? "the one definition, in a file it imports"
                                                  : "the one definition, in the same package";
  } else if (uses_ == Uses::kLinked && link.link == Link::kNo && candidate.path != subject.path &&
             !package) {
    ++left_out_;
    return;
  }
  if (is_test_path(candidate.path)) {
    affected.relation = Relation::kTest;
    affected.why = "it uses the name; " + affected.why;
  }
  found_.push_back({std::move(affected), of, use.in});
}

// Why a use is not sure to mean the subject; empty when it is.
std::string DirectUses::doubt(const Candidate& candidate, const UsedIn& use, const Subject& subject,
                              const Linked& link) {
  const Reference& reference = use.reference;
  Asked& asked = asked_.at(reference.name);
  const std::string family = family_of(subject.language);
  const std::size_t entities = asked.entities[family].size();
  const bool package = same_package(candidate.language, candidate.path, subject.path);
  if (INJECTED_BUG("catalogue.sure")) return {};
  const bool go = subject.language == "go" && is_member(subject);
  if (go && is_of_its_type(
                {use, candidate.imports, link, package ? Near::kYes : Near::kNo, candidate.fields},
                subject)) {
    return {};
  }
  if (entities > 1) return fmt::format("{} definitions have the name", entities);
  if (const auto other = asked.unparsed.find(family); other != asked.unparsed.end()) {
    return fmt::format("'{}', which could not be looked into, has the name too", other->second);
  }
  const bool here = candidate.path == subject.path;
  if (!here && !package && link.link != Link::kYes) {
    return link.link == Link::kPerhaps ? "its import may name another file"
                                       : "nothing says where it comes from";
  }
  return doubt_of_place(use, subject, link, here || package ? Near::kYes : Near::kNo);
}

// Types below the subject's have a member of its name.
void DirectUses::overrides() {
  for (const Candidate& candidate : candidates_) {
    for (const UsedIn& use : candidate.uses) {
      if (use.reference.role != UseRole::kSuper) continue;
      const auto owned = owners_.find(use.reference.name);
      if (owned == owners_.end()) continue;
      for (const std::size_t i : owned->second) add_override(candidate, use, i);
    }
  }
}

void DirectUses::add_override(const Candidate& candidate, const UsedIn& use, std::size_t of) {
  const Subject& subject = subjects_[of];
  if (!same_family(candidate.language, subject.language)) return;
  const auto facts = sight_.facts_at(candidate.path);
  if (!facts) return;
  for (std::size_t i = 1; i < facts->symbols.size(); ++i) {
    const auto member = std::make_shared<const Subject>(subject_of(candidate.path, *facts, i));
    if (member->container != use.in->symbol || member->symbol == subject.symbol) continue;
    if (member->name != subject.name) continue;
    found_.push_back({{.relation = Relation::kOverride,
                       .path = candidate.path,
                       .symbol = member->symbol,
                       .line = member->line,
                       .name = member->name,
                       .of = subject.symbol,
                       .why = fmt::format("its type extends '{}'", use.reference.name)},
                      of,
                      member});
  }
}

}  // namespace gittxn::catalogue
