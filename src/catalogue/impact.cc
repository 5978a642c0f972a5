#include "catalogue/impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/fs.h"
#include "catalogue/build_targets.h"
#include "catalogue/direct.h"
#include "catalogue/links.h"
#include "catalogue/reach.h"
#include "semantic/manifest/manifest.h"

namespace gittxn::catalogue {
namespace {

class Answer {
 public:
  Answer(Catalogue& catalogue, const Oid& tree, const std::vector<Subject>& subjects, Uses uses)
      : catalogue_(catalogue),
        tree_(tree),
        subjects_(subjects),
        direct_(catalogue, tree, subjects, uses, DirectUses::Finds::kAll) {}

  Result<Impact> run() {
    TRY(direct_.find());
    TRY(take());
    named_tests();
    TRY(targets());
    settle();
    return std::move(out_);
  }

 private:
  Status take() {
    const std::vector<DirectUse> uses = direct_.take();
    Reach reach = TRY(tests_reaching(catalogue_, tree_, subjects_, uses, direct_.tests()));
    for (const DirectUse& use : uses) {
      Affected affected = use.affected;
      const bool test = affected.relation == Relation::kTest;
      if (test) affected.steps = 1;
      // It is told all the same, though not as a test of it.
      if (test && affected.certainty != Certainty::kResolved &&
          reach.untied.contains(affected.symbol)) {
        affected.relation = Relation::kUser;
        affected.steps = 0;
        affected.why += ", and it reaches nothing of the type";
      }
      add(std::move(affected));
    }
    for (Affected& test : reach.tests) add(std::move(test));
    if (reach.cut)
      out_.notes.emplace_back("it is used by more than can be followed: there may be more tests");
    return {};
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
    for (const std::string& file : direct_.files()) {
      for (const std::string& name : names_of_module(file)) stems[name] = file;
    }
    for (const std::string& path : direct_.tests()) {
      const auto found = stems.find(tested_stem(path));
      if (found == stems.end() || direct_.files().contains(path) ||
          is_of_another(path, found->second))
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
  bool is_of_another(const std::string& test, const std::string& file) {
    const std::vector<std::string>& named = direct_.sight().namesakes(file);
    return parent_dir(test) != parent_dir(file) &&
           std::ranges::any_of(named, [&](const std::string& other) {
             return parent_dir(other) == parent_dir(test);
           });
  }

  Status targets() {
    for (const std::string& file : direct_.files()) {
      for (const std::string& manifest : semantic::manifests_governing(file, direct_.manifests())) {
        const std::string text = TRY(direct_.sight().manifest(manifest));
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
      return std::tie(a.relation, a.certainty, a.steps, a.path, a.line, a.symbol, a.name, a.of);
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
    if (direct_.left_out() > 0) {
      out_.notes.push_back(fmt::format(
          "{} uses of the same names in files that do not import it are left out; ask for a symbol "
          "to see them",
          direct_.left_out()));
    }
  }

  Catalogue& catalogue_;
  const Oid& tree_;
  const std::vector<Subject>& subjects_;
  DirectUses direct_;
  Impact out_;
};

}  // namespace

std::string_view relation_name(Relation relation) {
  constexpr std::string_view kNames[] = {"caller",   "user", "importer", "subtype",
                                         "override", "test", "target",   "mention"};
  return kNames[static_cast<std::size_t>(relation)];
}

std::string_view certainty_name(Certainty certainty) {
  constexpr std::string_view kNames[] = {"resolved", "seen", "by name", "governed"};
  return kNames[static_cast<std::size_t>(certainty)];
}

Result<Impact> impact_of(Catalogue& catalogue, const Oid& tree,
                         const std::vector<Subject>& subjects, Uses uses) {
  return Answer(catalogue, tree, subjects, uses).run();
}

}  // namespace gittxn::catalogue
