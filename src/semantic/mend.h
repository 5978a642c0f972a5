// Carrying a rename: one side renamed a definition, and the other uses it by its old name.
//
// Nothing is guessed into the merge. The rename is made in the versions that do not have it, the
// base's and that of the side that uses the name, so that what is left between the three is as if
// the definition had been called so from the beginning. That is merged and judged like any other
// pair of changes: a mend only ever changes what is asked, and never what is allowed.
//
// Carried is a rename of a function, a type or a value at the top of a file that changed nothing of
// it but names, where the other side left the definition alone. All of its uses on the other side
// must be proven (merge/uses.h): of one that is known by its name alone, of a name that is there
// already, and of two renames that have a name in common, nothing is carried. Words in strings and
// comments are nobody's uses: they stay, and what commute.h says of them stands.
//
// Text outside of the rewritten names is the same, byte by byte.
//
// Pure; any thread. Time and memory grow with the size of the files, each bounded by Budget.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/merge/uses.h"

namespace gittxn::semantic {

// One file; nothing where a version has none. `renamer` and `user`: after what each did.
struct ThreeVersions {
  std::string path;
  std::optional<std::string> base, renamer, user;
};

struct CarriedRename {
  std::string path;  // of the definition
  std::string from, to;
};

// A file that has the new name in these versions, too.
struct CarriedFile {
  std::string path;
  std::optional<std::string> base, user;
  bool for_user = false;  // the user's change of it has uses that were rewritten
};

struct Carried {
  std::vector<CarriedRename> renames;  // empty: nothing is carried, and the rest is empty too
  std::vector<CarriedFile> files;      // sorted by path; those that are otherwise than given
  // Findings by the names that stay: nothing that blocks. `left` is the renamer's.
  std::vector<Finding> left;
};

// The files that have to be known to carry what `renamer` renamed to the uses of `user`, sorted;
// none: there is nothing to carry. Footprints are of the changes from one base.
std::vector<std::string> files_to_carry(const Footprint& renamer, const Footprint& user);

// `files`: those of files_to_carry.
Carried carry_renames(const Footprint& renamer, const Footprint& user,
                      const std::vector<ThreeVersions>& files, const LinkedTo& linked,
                      const Budget& budget);

}  // namespace gittxn::semantic
