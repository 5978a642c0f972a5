// Subjects of leases: a path and all below it, a glob, or a symbol. Paths are those of the tree,
// from its top. Pure; callable from any thread.
//
// Whether two of them overlap is decided by their text alone, for all trees that could be: two
// globs that both match some path overlap, whether there is such a file or not. A symbol lies in
// its file; two symbols of one file overlap where one is in the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/result.h"

namespace gittxn::store {

struct LeaseSubject {
  enum class Kind { kPrefix, kGlob, kSymbol } kind = Kind::kPrefix;
  std::string path;    // "" the whole tree; a glob from the top; the file of a symbol
  std::string symbol;  // kSymbol: its descriptors behind the path, "Token#validate()."

  bool operator==(const LeaseSubject&) const = default;
};

// "src/api", ".", "src/**/*.cc", "symbol:src/auth.py/Token#validate().". A glob is what has a '*'.
// kUsage: outside of the tree, absolute, empty, a glob that is not understood. Of a symbol only the
// tree knows where the path ends: its `path` is left empty, and `symbol` is all of it.
Result<LeaseSubject> parse_lease_subject(std::string_view text);
// As it is typed and shown.
std::string subject_text(const LeaseSubject& subject);

bool overlap(const LeaseSubject& a, const LeaseSubject& b);
// Whether a file of this path is what the subject is on, or part of it, or has it in it.
bool covers(const LeaseSubject& subject, std::string_view path);
// Whether two descriptors of one file name the same thing, or one what is in the other.
bool one_in_the_other(std::string_view a, std::string_view b);

void fields(FieldIo& io, LeaseSubject& subject);  // its text, with the path of a symbol apart

}  // namespace gittxn::store
