// Three versions of a text, cut into runs of lines that are the same in all of them and runs that a
// side changed. Both differences are libgit2's, of which git's merge is made as well.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "semantic/merge/line_merge.h"
#include "semantic/read/text_lines.h"

namespace gittxn::semantic {

struct TextRun {
  Sides<LineRange> lines;
  Sides<std::string_view> texts;  // views of the versions
  bool changed = false;           // by a side or by both
  bool clashes = false;           // by both, differently
  std::size_t taken = kBase;      // the version that a merge takes; left of one that clashes
};

// Runs in order, which together are each version. Changes that touch are one run. kFault when
// libgit2 fails. The texts must outlive it.
Result<std::vector<TextRun>> runs_of(const Sides<std::string>& texts);
Result<std::vector<TextRun>> runs_of(Sides<std::string>&& texts) = delete;

// The merge of lines that do not count their indentation, where a side indented lines otherwise
// that the other changed, or put something between: what the other wrote is indented by as much
// more or less. It goes into what the side put directly around those lines. Nothing where nothing
// was indented otherwise, where lines conflict all the same, and where the lines around a place
// were indented by different amounts.
std::optional<std::string> merge_indented(const Sides<std::string>& texts);

}  // namespace gittxn::semantic
