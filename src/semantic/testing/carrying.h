// A rename that one side made, carried to the other one. For tests.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "semantic/mend.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic::testing {

using FilesOfThree = std::vector<ThreeVersions>;

// "a" and "./a.js" are a.py and a.js at the top.
inline bool links(std::string_view /*language*/, std::string_view /*from*/, const Import& import,
                  std::string_view to) {
  const std::string& module = import.module;
  return module + ".py" == to || module == "./" + std::string(to);
}

struct Both {
  Footprint renamer, user;
};

inline Both footprints_of(const FilesOfThree& files) {
  std::vector<FileChange> renamer, user;
  for (const ThreeVersions& file : files) {
    renamer.push_back({file.path, file.base, file.renamer});
    user.push_back({file.path, file.base, file.user});
  }
  return {footprint_of(renamer, {}), footprint_of(user, {})};
}

inline Carried carried(const FilesOfThree& files) {
  const Both both = footprints_of(files);
  return carry_renames(both.renamer, both.user, files, links, {});
}

inline CarriedFile file_of(const Carried& all, const std::string& path) {
  const auto found = std::ranges::find(all.files, path, &CarriedFile::path);
  return found == all.files.end() ? CarriedFile() : *found;
}

// The three versions as they are merged.
inline FilesOfThree mended(FilesOfThree files, const Carried& all) {
  for (ThreeVersions& file : files) {
    const CarriedFile made = file_of(all, file.path);
    if (made.path.empty()) continue;
    file.base = made.base;
    file.user = made.user;
  }
  return files;
}

}  // namespace gittxn::semantic::testing
