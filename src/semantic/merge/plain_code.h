// The merge of code in a language without a grammar, where lines alone say enough: what both sides
// added or changed at one place of it and that is told by its name, not by where it stands. In a
// file that declares (Nix, HCL, records of OCaml) that is each line "name = value;".
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "semantic/merge/line_merge.h"

namespace gittxn::semantic {

// True of a file that only declares; the name tells.
bool is_record_file(std::string_view path);

// The name that a line of such a file declares: "a.b" of "a.b = 1;", and "a" of "a,". Empty when it
// declares none, or goes on in the next line.
std::string_view record_name(std::string_view line);

// "class Name" of "  public class Name {", with the white space before it.
std::string_view declared_type(std::string_view line);

// A place where both sides changed the lines, in three versions; nothing where that is not one of
//   - imports that both added: left's, then those of right's that left has not
//   - fields without a value ("int? a;") that both added, under different names
//   - names that both added at one place of a list on one line ("import M (a, b)", "{a, b}:",
//     "integer :: a, b"): left's, then right's
std::optional<std::string> merge_code_run(const Sides<std::string_view>& run);

// The versions of a file that both sides declare a name in, at different places and in the same
// words, with right's line taken away. Nothing when the words differ, and in other files.
std::optional<Sides<std::string>> without_second(std::string_view path,
                                                 const Sides<std::string>& texts,
                                                 std::string_view name);

}  // namespace gittxn::semantic
