// What a side moved to another file and hands on from where it was: for who is in neither of the
// two files, it is where and what it was.
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
  // The write is a half of such a move, and the use is in neither of its files.
  bool stays(const Write& write, const Use& use) const;

 private:
  std::set<const Write*> writes_;
  std::set<std::pair<const Write*, std::string>> files_;  // of both halves
};

Moved handed_on(const Footprint& side);

}  // namespace gittxn::semantic
