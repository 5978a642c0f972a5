// Gives the certifier the names and words by which it judges listings that an agent alone was shown
// (certify/listings.h), from real files.
//
// Words of what a transaction wrote are those of lines that its files have and those of its base
// have not, of the text of links, and of the names of what it made. One counts wherever no letter
// or digit of ASCII stands beside it, in either case.
#pragma once

#include "certify/listings.h"
#include "repo/objects.h"

namespace gittxn::land {

// The files are read when somebody first asks, at most 32 MiB of them; what is beyond that, or
// cannot be read, has every word. `objects` and `txn` must outlive it, and the prefixes.
certify::NameRules name_rules(const repo::Objects& objects, const Footprint& txn,
                              std::span<const std::string> hard);

}  // namespace gittxn::land
