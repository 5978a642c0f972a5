// How a symbol is printed: the descriptors of SCIP, behind the path and those of its containers.
#pragma once

#include <string>
#include <string_view>

namespace gittxn::semantic {

// "Token#", "validate(int).", "LIMIT.", "shop/", "MIN!", "DEBUG:"; of an implementation
// "impl#[Cart][Priced]". Two different declarations of one container have different ones.
std::string descriptor(std::string_view kind, std::string_view name, std::string_view detail);

}  // namespace gittxn::semantic
