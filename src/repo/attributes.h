// Attributes of paths (gitattributes(5)) as a commit has them: the .gitattributes of its tree, the
// repository's info/attributes and the person's own files. Nothing of any checkout counts, because
// what is asked about is what the branch would be.
//
// git's own program answers. An older one (2.39) can be asked about a work tree or an index only,
// so the .gitattributes above the paths are put in an index of their own in txn/tmp, where there
// are any; a kill leaves that file to `gc`. Cost grows with the paths and their depth.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::repo {

// What such a file's name begins with.
inline constexpr std::string_view kAttributesIndex = "attributes-";

// For each path the values of these attributes, in their order, in git's words: "set", "unset",
// "unspecified", or the value.
Result<std::vector<std::vector<std::string>>> attributes_of(
    Repository& repository, const Oid& commitish, const std::vector<std::string>& attributes,
    const std::vector<std::string>& paths, Random& random);

}  // namespace gittxn::repo
