// Why a use of a name is not sure to mean a certain subject, by where it stands. Pure.
#pragma once

#include <string>

#include "catalogue/sight.h"
#include "catalogue/subjects.h"

namespace gittxn::catalogue {

struct UsedIn {
  semantic::Reference reference;
  std::string symbol, container;  // of what it stands in, with the path
  std::string kind;
};

enum class Near { kNo, kYes };  // in the same file or package

// Of a name that has one definition, in a file that is near or linked. Empty when it is sure.
std::string doubt_of_place(const UsedIn& use, const Subject& subject, const Linked& link,
                           Near near);

}  // namespace gittxn::catalogue
