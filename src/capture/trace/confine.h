// Landlock around a command's process tree: where it may write, and what of its tree it may read.
// Everything else of the system stays readable. What is refused is EACCES to whoever asked.
//
// Landlock knows what is allowed at or below a directory, and nothing that takes away from that
// again. So with a scope of reads every neighbour of each directory above the tree is allowed by
// itself; those directories themselves, and the top of the tree, can then be entered and not
// listed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"

namespace gittxn::capture {

struct Confine {
  std::vector<std::string> write;  // absolute: may be written at or below; what is not there is not
  std::string tree;                // absolute
  // Of the tree, absolute: may be read at or below. Unset: everything.
  std::optional<std::vector<std::string>> read;
};

// What this kernel gives; kUnsupported with the reason when that is not enough.
Result<int> landlock_abi();
// Opens what the confinement names, as the caller sees it.
Result<UniqueFd> make_ruleset(const Confine& confine);
// For a child before exec, for good: 0 or an errno. Sets no_new_privs.
int confine_self(int ruleset);

// What of a record file was outside: paths, each once, in order, `most` at most. From the paths
// that were asked for, because not every back end knows the kernel's answer; links are not
// followed.
Result<std::vector<std::string>> outside_scope(const std::string& record_file,
                                               const Confine& confine, std::size_t most);

}  // namespace gittxn::capture
