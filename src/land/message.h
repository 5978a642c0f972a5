// The words of a landing commit: who made it, what it says, and the trailers that tie it to the
// log. Pure functions of their arguments, and the local time zone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/txn.h"
#include "model/verdict.h"

namespace gittxn::land {

// "Name <mail> 1700000000 +0100", with characters that would end a field taken out as git does.
std::string raw_identity(const Identity& who, std::int64_t wall_ms);

using Trailers = std::vector<std::pair<std::string, std::string>>;

// `message` with trailing white space removed, trailers of ours from an earlier life (a
// cherry-picked landing) removed, and these appended, in git's form: in the last paragraph when
// that is one of trailers, else as a paragraph of their own.
std::string with_trailers(std::string_view message, const Trailers& trailers);

// A mended path as the value of its trailer: "rename src/a.py"; a path that would not
// stand on a line as it is stands in quotes, as a string of JSON.
inline constexpr std::string_view kMendedTrailer = "Txn-Mended";
std::string mended_words(const Mended& one);
// Reads it from the trailers of a message; those that cannot be read say nothing.
std::vector<Mended> mended_in(std::string_view message);

// The value of the last trailer of that name; empty: none.
std::string trailer_of(std::string_view message, std::string_view name);

}  // namespace gittxn::land
