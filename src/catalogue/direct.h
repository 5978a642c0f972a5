// Uses of symbols of a tree by their names: who may mean a subject, and how sure that is. One step
// of `impact`; reach.h goes on from where the uses stand.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "catalogue/go_names.h"
#include "catalogue/impact.h"
#include "catalogue/sight.h"

namespace gittxn::catalogue {

// Importers have no `in`.
struct DirectUse {
  Affected affected;
  std::size_t subject = 0;            // its place among those that were asked for
  std::shared_ptr<const Subject> in;  // what the use stands in
};

class DirectUses {
 public:
  // kNames: uses in code, and neither importers, overrides nor mentions.
  enum class Finds { kAll, kNames };
  // The caller keeps all that is passed by reference alive.
  DirectUses(Catalogue& catalogue, const Oid& tree, const std::vector<Subject>& subjects, Uses uses,
             Finds finds);

  // Looks through the tree once. kUsage: too many files have one of the names.
  Status find();
  std::vector<DirectUse> take() { return std::move(found_); }

  // These know what find() met.
  const std::set<std::string>& files() const { return files_; }  // of the subjects
  const std::vector<std::string>& manifests() const { return manifests_; }
  const std::vector<std::string>& tests() const { return tests_; }  // paths
  std::size_t left_out() const { return left_out_; }
  const Sight& sight() const { return sight_; }

 private:
  // A file that has one of the names, without what is of no interest.
  struct Candidate {
    std::string path;
    std::string language;
    bool opaque = false;
    std::vector<semantic::Import> imports;
    std::vector<UsedIn> uses;
    FieldTypes fields;  // in Go
  };
  // A name, and what of the subjects is called by it.
  struct Asked {
    std::vector<std::size_t> subjects;
    // The things of that name and the files that declare them, by language family.
    std::map<std::string, std::map<std::string, std::set<std::string>>> entities;
    std::map<std::string, std::string> unparsed;  // a file that may define it too
  };

  void ask();
  Status look();
  void note_path(const std::string& path, const std::string& name);
  void take(const std::string& path, const semantic::FileFacts& facts);
  void take_uses(const semantic::FileFacts& facts, Candidate* candidate);
  Linked linked_to(const Candidate& candidate, const std::string& name, const Subject& subject);
  void judge(const Candidate& candidate);
  void judge_imports(const Candidate& candidate, const std::string& file);
  void judge_use(const Candidate& candidate, const UsedIn& use, std::size_t subject);
  void judge_code(const Candidate& candidate, const UsedIn& use, std::size_t subject,
                  Affected affected);
  std::string doubt(const Candidate& candidate, const UsedIn& use, const Subject& subject,
                    const Linked& link);
  void overrides();
  void add_override(const Candidate& candidate, const UsedIn& use, std::size_t subject);

  Catalogue& catalogue_;
  const Oid& tree_;
  const std::vector<Subject>& subjects_;
  Uses uses_;
  Finds finds_;
  std::vector<DirectUse> found_;
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

}  // namespace gittxn::catalogue
