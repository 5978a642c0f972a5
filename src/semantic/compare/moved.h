// Definitions that are still where and what they were for others: those that a side moved to
// another file and hands on from where they were, for who is in neither of the two files; imports
// that a side says in another way; members of a type that a side renamed, or that it has from
// another one now, for who names them behind a value of it; and functions in C++ that a header
// declares, for who sees the header alone.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "semantic/footprint.h"

namespace gittxn::semantic {

class Moved {
 public:
  // `from` is gone, and stands in another file as `to`.
  void add(const Write& from, const Write& to);
  // `from` is gone with its type, which has it under another name.
  void add_renamed(const Write& from) { behind_values_.insert(&from); }
  // `from` is gone, and a type that its own extends has the same one now.
  void add_inherited(const Write& from) { behind_values_.insert(&from); }
  // An import is gone that another one says in its place.
  void add_said_anew(const Write& from) { said_anew_.insert(&from); }
  // A function that is gone and there again takes what it took, by what a header says.
  void add_declared(const Write& definition) { declared_.insert(&definition); }
  // The write is no change for the use.
  bool stays(const Write& write, const Use& use) const;

 private:
  std::set<const Write*> writes_, behind_values_, said_anew_, declared_;
  std::set<std::pair<const Write*, std::string>> files_;  // of both halves
};

Moved moved_by(const Footprint& side);

}  // namespace gittxn::semantic
