// The version of the analysis that a catalogue's entries were made by. What another one made is
// never found, so every change of what is found out about a file must change it.
#pragma once

#include <string_view>

#include "base/ids.h"

namespace gittxn::catalogue {

// Raise it when code in semantic/ or codec.cc changes what is kept of a file. A test compares what
// is kept of the samples with golden/analysis.txt and says when it must be raised.
inline constexpr int kAnalysis = 3;

// A digest of the queries and of the pinned grammars, made when the program is built.
std::string_view analysis_inputs();

// Of both.
const Digest& analysis_version();

}  // namespace gittxn::catalogue
