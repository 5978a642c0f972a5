// Dependents of a symbol or a file of a tree, who may be affected when it changes: callers and
// other users, importers, subtypes and what overrides, tests, build targets, and files that mention
// the name.
//
// Each answer says how sure it is. kResolved: the name has one definition in the tree that it could
// mean here, nothing unparsed could hold another, and the file sees that definition by an import
// that names it, or because it is in the same file or package. All else is kByName: the name is the
// same. Nothing is left out because it is not sure, except where `uses` says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/subjects.h"

namespace gittxn::catalogue {

enum class Relation : std::uint8_t {
  kCaller,
  kUser,  // names it otherwise: a type, a value
  kImporter,
  kSubtype,
  kOverride,
  kTest,
  kTarget,   // of the build
  kMention,  // as text, or in a file that could not be looked into
};
std::string_view relation_name(Relation relation);  // "caller"

enum class Certainty : std::uint8_t {
  kResolved,
  kSeen,  // of a test: it looked into the file when it last ran; never an answer of impact_of()
  kByName,
  kGoverned,  // of a build target: its manifest is above the file, and does not name it
};
std::string_view certainty_name(Certainty certainty);  // "resolved", "seen", "by name", "governed"

struct Affected {
  Relation relation = Relation::kUser;
  Certainty certainty = Certainty::kByName;
  std::string path;
  std::string symbol;  // id of what it stands in; the name of a build target
  std::uint32_t line = 0;
  std::string name;  // that it uses
  std::string of;    // id or path of the subject
  std::string why;   // why it is as sure as it is
  // The steps from a test: 1 if it uses the subject itself, 2 if it uses a user of it; 0: no use.
  std::uint32_t steps = 0;
};

enum class Uses : std::uint8_t {
  kAll,
  kLinked,  // by name alone only in files that may import the subject's
};

struct Impact {
  std::vector<Affected> affected;  // by relation, the sure ones first, then by place
  std::vector<std::string> notes;
};

Result<Impact> impact_of(Catalogue& catalogue, const Oid& tree,
                         const std::vector<Subject>& subjects, Uses uses);

}  // namespace gittxn::catalogue
