// The merge of texts that no grammar is known for, and whose parts can be told all the same: lists
// of one line each (properties, requirements, go.sum, ignore files), paragraphs (Markdown) and
// elements (XML). What two sides changed at one place of such a text is often no conflict, though
// the lines are the same. Everything that is not certain stays git's conflict.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {

enum class TextKind {
  kPlain,        // lines, as git has them
  kEntries,      // each line is something of its own, told by a key
  kAssignments,  // some lines are, as in a Makefile or below a section of an .ini file
  kParagraphs,   // words for people
  kElements,     // tags that open and close
  kRecords,      // lines that each declare a name (plain_code.h)
  kStyles,       // rules of CSS
  kWords,        // lists of words on some lines (texts/words.h)
  kCode,         // anything else whose name has an ending
};

// The kind that the name of the file tells. A file in a language that is understood has none.
TextKind text_kind_of(std::string_view path);

// Only where git's merge of lines has a conflict. Nothing when libgit2 fails.
//   kEntries     entries by their keys: each as the side that changed it has it; what both added
//                stands left before right. No key twice that was not; one that both changed
//                differently is a conflict.
//   kAssignments the same of what is in conflict, where all of that is assignments; or whole rules
//   of
//                a Makefile that both only added
//   kParagraphs  what both only added follows each other; never the same heading, line or number
//                twice, nor within a block of code
//   kElements    what both only added, where it is whole elements with different names, or
//                attributes with different names of one tag
//   kRecords     as entries, where all of what is in conflict is records; else as code
//   kStyles      rules, or properties of one, that both only added, under different names; else as
//                kCode
//   kWords       what both only added to one list; so it is in a Makefile and in SQL, too
//   kCode        as merge_code_run says (plain_code.h); dependencies of Gradle, and parts of a
//                schema, that both only added
std::optional<std::string> merge_entries(TextKind kind, std::string_view path,
                                         const Sides<std::string>& texts);

// A key that both sides added, each at a place of its own, and the base has not: that of an entry;
// in other texts that of "key = value" and "key: value", and the name of "class Name", at the
// beginning of a line; each in the same lines around it, by their white space, or the same section.
// A merge of lines in a language that is not known would have it twice. Empty when there is none.
std::string key_added_twice(std::string_view path, const Sides<std::string>& texts,
                            const std::string& merged);
// The lines of both sides that have the key, for a conflict.
std::vector<Span> places_of_key(std::string_view path, const Sides<std::string>& texts,
                                std::string_view key);

}  // namespace gittxn::semantic
