// A policy for a repository that has none, by what is in it: which runner its tests are for. Reads
// names of files and a few of them; runs nothing. What it says is a beginning for a person to read.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gittxn::gates {

struct SuggestedGate {
  std::string name;    // "tests"
  std::string preset;  // of presets.h; "": `run` is a gate without units
  std::string run;     // with a preset: of an array of words, as TOML has it; "" the preset's
  std::string why;     // "go.mod": the file that says so
};

// `files`: paths of the tree, sorted. `text_of`: of one of them; at most 1 MiB of it counts.
using TextOf = std::function<Result<std::string>(const std::string& path)>;
Result<std::vector<SuggestedGate>> suggested_gates(const std::vector<std::string>& files,
                                                   const TextOf& text_of);

// Writes them as .gittxn.toml; a comment alone where there are none.
std::string suggested_policy(const std::vector<SuggestedGate>& gates);

}  // namespace gittxn::gates
