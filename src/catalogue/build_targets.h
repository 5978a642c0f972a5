// The targets of a manifest that a source may be part of. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gittxn::catalogue {

struct BuildTarget {
  std::string name;
  bool names_file = false;  // the manifest says that the file is part of it
};

// Of the manifest at `path`, for the file `source` of the same tree. Bounded; where a manifest
// names the file for some target, those alone.
std::vector<BuildTarget> build_targets(std::string_view path, std::string_view text,
                                       std::string_view source);

// The module that a go.mod names; empty when it names none.
std::string go_module(std::string_view text);

}  // namespace gittxn::catalogue
