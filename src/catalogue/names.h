// Sets of names, as their hashes: what tells which files need a look when somebody asks for a name.
// A file in which the name is has its hash; the other way round it may be another name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "semantic/file_facts.h"

namespace gittxn::catalogue {

using NameSet = std::vector<std::uint32_t>;  // sorted, each once

std::uint32_t name_hash(std::string_view name);
void settle(NameSet* names);
bool contains(const NameSet& names, std::uint32_t hash);
bool meet(const NameSet& a, const NameSet& b);

// What a module or a path calls a file, without folders and endings: "auth" of "./lib/auth.js".
std::string_view module_stem(std::string_view module);

// All that stands in a file: what it defines, uses, mentions, and the words of what it imports.
NameSet names_in(const semantic::FileFacts& facts);

}  // namespace gittxn::catalogue
