// The three-way merge of a file. What one side left alone is the other's; then git's merge of
// lines; where that conflicts, a merge of the syntax tree, in which declarations are told by name
// and imports are sets. Every clean result is checked (merge/checks.cc), git's too; what fails a
// check, and what neither could merge, is git's text with conflict markers, and the left side for
// bytes that are no text, as git has it. No side is lost: what a side added or removed is in the
// result or there is a conflict.
//
// Pure: the same bytes give the same result. Time and memory are bounded by Budget (syntax.h); a
// file over it, and one in an unknown language, is merged by its lines, and by what its name tells
// of these (merge/entries.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "semantic/language.h"
#include "semantic/merge/line_merge.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

enum class MergeRule {
  kOneSide,    // a side changed nothing, or both are the same
  kLines,      // git's merge of lines
  kStructure,  // the merge of the tree, or of entries, paragraphs or elements
  kConflict,
};
std::string_view rule_name(MergeRule rule);

// A conflict in the text of a merge.
struct ConflictPlace {
  std::size_t line = 0;  // of its first marker, from 1
  std::string why;       // what stood against the merge
};

struct Merged {
  MergeRule rule = MergeRule::kConflict;
  std::string text;
  std::string why;  // of the first conflict; else what the merge was made of
  std::vector<ConflictPlace> conflicts = {};  // in order; none for bytes that are no text
  bool clean() const { return rule != MergeRule::kConflict; }
};

// The language, or the kind of text, that a file is merged as.
struct MergeAs {
  // NOLINTNEXTLINE(google-explicit-constructor): a language alone says all that there is to say.
  MergeAs(const Language* in = nullptr) : language(in) {}
  // The name of the file decides; where it tells nothing, its first line (language_of).
  MergeAs(std::string_view name, std::string_view text)
      : language(language_of(name, text)), path(name) {}

  const Language* language;  // nullptr: `path` says what is known of its lines
  std::string_view path;
};

// Fails only when libgit2 does.
Result<Merged> merge_file(const MergeAs& as, const Sides<std::string>& texts,
                          const MergeLabels& labels);

}  // namespace gittxn::semantic
