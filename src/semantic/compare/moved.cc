#include "semantic/compare/moved.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/bug.h"
#include "semantic/compare/events.h"
#include "semantic/compare/sight.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_in_c(const Write& write) {
  return is_any(write.language, {"c", "cpp"});
}

// The namespace in C++ that a definition is in, behind its path; "/" of the file itself.
std::string_view namespace_of(const Write& write) {
  return std::string_view(write.container).substr(write.path.size());
}

bool may_move(const Write& write) {
  if (write.container.empty()) return false;
  const bool top = namespace_of(write) == "/" || (write.language == "cpp" && !write.member);
  return top && write.kind != "import" && !write.opaque;
}

// The file that a line `#include "a/b.h"` names, without the folders that it goes up to; empty: the
// import is no such line.
std::string_view file_included(const Write& import) {
  const std::string_view id = import.symbol;
  const std::size_t begin = id.find_first_of("\"<", import.container.size());
  if (import.kind != "import" || begin == id.npos) return {};
  const std::size_t end = id.find_first_of("\">", begin + 1);
  std::string_view file = id.substr(begin + 1, end == id.npos ? end : end - begin - 1);
  while (file.starts_with("./") || file.starts_with("../")) file.remove_prefix(file.find('/') + 1);
  return file;
}

// The header that a definition was in includes the one that has it now, which is new there and on
// no condition. Programs are linked with all of their sources, so a definition in a source may be
// in any of them.
bool is_included(const Footprint& side, const Write& from, const Write& to) {
  if (namespace_of(from) != namespace_of(to) || is_header(from.path) != is_header(to.path)) {
    return false;
  }
  return !is_header(from.path) || std::ranges::any_of(side.writes, [&](const Write& write) {
    if (write.change != Change::kAdded || write.container != from.path + "/") return false;
    const std::string_view file = file_included(write);
    return !file.empty() && ("/" + to.path).ends_with("/" + std::string(file));
  });
}

// The file that the name was in has it from the other one now.
bool hands_on(const Footprint& side, const Write& from, const Write& to) {
  if (INJECTED_BUG("semantic.hands_on_anything")) return true;
  if (is_in_c(from)) return is_included(side, from, to);
  return std::ranges::all_of(from.defines, [&](const std::string& name) {
    return std::ranges::any_of(side.bound, [&](const Bound& bound) {
      const bool its = bound.path == from.path && !bound.module.empty() && bound.handed &&
                       may_be_module(bound.module, from.path, to.path);
      const bool named = bound.name == name && bound.original == name;
      const bool any = bound.name == kAnyName && !name.starts_with('_') && name != kGivenByDefault;
      return its && (named || any);
    });
  });
}

// Those of the same tokens that were in it, too.
void add_members(const Footprint& side, const Write& from, const Write& to, Moved* moved) {
  auto at = std::ranges::upper_bound(side.writes, from.symbol, {}, &Write::symbol);
  for (; at != side.writes.end() && at->symbol.starts_with(from.symbol); ++at) {
    if (at->change != Change::kRemoved) continue;
    const std::string there = to.symbol + at->symbol.substr(from.symbol.size());
    const Write* member = write_in(side, there);
    const bool same =
        member != nullptr && member->change == Change::kAdded && member->after == at->before;
    if (same) moved->add(*at, *member);
  }
}

// Adds the statements that gave the name to others in the old file and do so in the new one, by the
// same tokens.
void add_exports(const Footprint& side, const Write& from, const Write& to, Moved* moved) {
  for (const Write& given : side.writes) {
    const bool was = given.path == from.path && given.change != Change::kAdded &&
                     given.symbol.contains("exports") && hands_on(side, given, to);
    if (!was) continue;
    const std::string there = to.path + given.symbol.substr(given.path.size());
    const Write* is = write_in(side, there);
    const bool same = is != nullptr && is->change == Change::kAdded && is->after == given.before;
    if (same) moved->add(given, *is);
  }
}

std::string_view folder_in(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

// The type of `member` is gone, and the one that has the same member came in its folder.
bool is_renamed_type(const Footprint& side, const Write& member) {
  const auto any = [&](Change change, const std::string& name) {
    return std::ranges::any_of(side.writes, [&](const Write& write) {
      return write.change == change && write.kind == "type" &&
             folder_in(write.path) == folder_in(member.path) &&
             std::ranges::binary_search(write.defines, name);
    });
  };
  return any(Change::kRemoved, member.of_type) && any(Change::kAdded, member.with_type);
}

// `from m import a` is `from m import a as a`, which says that others may have it.
bool is_said_anew(const Footprint& side, const Write& gone) {
  if (gone.kind != "import" || gone.change != Change::kRemoved || gone.defines.size() != 1) {
    return false;
  }
  const std::string& name = gone.defines.front();
  const bool plain = gone.symbol == gone.container + name + ":";
  return plain && gone.container != gone.path + "/" &&
         std::ranges::any_of(side.writes, [&](const Write& write) {
           return write.change == Change::kAdded && write.container == gone.container &&
                  write.defines == gone.defines &&
                  write.symbol.ends_with(":" + name + "as" + name + ":");
         });
}

// The id of a function behind its name: what its parameters are in C++.
std::string_view parameters_of(const Write& write) {
  const std::size_t open = write.symbol.find('(', write.container.size());
  return open == std::string::npos ? std::string_view()
                                   : std::string_view(write.symbol).substr(open);
}

// The functions in C++ that a file defines and a header declares, gone or there again with other
// parameters that callers may leave out.
void add_definitions(const Footprint& side, Moved* moved) {
  const auto is_told = [](const Write& write) {
    return write.language == "cpp" && is_function(write.kind) &&
           (write.change == Change::kAdded || write.change == Change::kRemoved);
  };
  for (const Write& header : side.writes) {
    if (!is_told(header) || !header.takes_more || !is_header(header.path)) continue;
    for (const Write& definition : side.writes) {
      const bool its = is_told(definition) && definition.change == header.change &&
                       definition.defines == header.defines && !is_header(definition.path) &&
                       parameters_of(definition) == parameters_of(header);
      if (its) moved->add_declared(definition);
    }
  }
}

// A type that the one of `gone` extends has the same member, which is new.
bool is_inherited(const Footprint& side, const Write& gone) {
  if (gone.bases.empty() || gone.change != Change::kRemoved) return false;
  return std::ranges::any_of(side.writes, [&](const Write& write) {
    return write.change == Change::kAdded && write.after == gone.before &&
           write.kind == gone.kind && write.defines == gone.defines &&
           std::ranges::find(gone.bases, write.of_type) != gone.bases.end();
  });
}

}  // namespace

void Moved::add(const Write& from, const Write& to) {
  for (const Write* write : {&from, &to}) {
    writes_.insert(write);
    files_.emplace(write, from.path);
    files_.emplace(write, to.path);
  }
}

bool Moved::stays(const Write& write, const Use& use) const {
  if (said_anew_.contains(&write)) return true;
  // The header is judged in its place.
  if (declared_.contains(&write)) return use.path != write.path;
  if (use.role == UseRole::kMember && behind_values_.contains(&write)) return true;
  return writes_.contains(&write) && !files_.contains({&write, use.path});
}

Moved moved_by(const Footprint& side) {
  Moved moved;
  std::map<Digest, std::vector<const Write*>> fresh;
  for (const Write& write : side.writes) {
    if (write.change == Change::kAdded && may_move(write)) fresh[write.after].push_back(&write);
  }
  for (const Write& from : side.writes) {
    if (is_said_anew(side, from)) moved.add_said_anew(from);
    if (is_inherited(side, from)) moved.add_inherited(from);
    if (!from.with_type.empty() && is_renamed_type(side, from)) moved.add_renamed(from);
    if (from.change != Change::kRemoved || !may_move(from)) continue;
    const auto found = fresh.find(from.before);
    if (found == fresh.end()) continue;
    for (const Write* to : found->second) {
      if (to->path != from.path && to->kind == from.kind && to->defines == from.defines &&
          hands_on(side, from, *to)) {
        moved.add(from, *to);
        add_members(side, from, *to, &moved);
        add_exports(side, from, *to, &moved);
      }
    }
  }
  add_definitions(side, &moved);
  return moved;
}

}  // namespace gittxn::semantic
