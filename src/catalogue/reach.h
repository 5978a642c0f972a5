// Tests that reach a subject through others: a test that calls what calls it, also where the way
// goes through a value, an initialiser, or a member that is found by its name alone.
//
// The uses of the uses are looked for, step by step, until nothing is new (closure). A step by name
// into a member of a type is believed only of a test that reaches something in which that type is
// named, for nobody else has a value of it. Of two ways the surer one counts, then the shorter.
//
// Bounded: see kMostSteps and its neighbours in the source; `cut` says that a bound was met, and
// what is beyond is not told. One look through the tree for each step.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "catalogue/direct.h"

namespace gittxn::catalogue {

struct Reach {
  std::vector<Affected> tests;  // of two steps or more, each once
  // Ids of what uses a member by name, and reaches nothing of its type.
  std::set<std::string> untied;
  bool cut = false;
};

// `direct` are the uses of the subjects themselves, `tests` the paths of all tests of the tree.
Result<Reach> tests_reaching(Catalogue& catalogue, const Oid& tree,
                             const std::vector<Subject>& subjects,
                             const std::vector<DirectUse>& direct,
                             const std::vector<std::string>& tests);

}  // namespace gittxn::catalogue
