// Whether a use in one file can mean a definition in another one, by what its file says of the
// name. Judged by names and paths alone: what is not sure to be somebody else's may be meant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/compare/events.h"
#include "semantic/footprint.h"

namespace gittxn::semantic {

// kSure: the module that it is a name of is the file of the definition.
enum class Sight : std::uint8_t { kNone, kMaybe, kSure };

// `side` is the one with the uses, and has to outlive it.
class Sights {
 public:
  explicit Sights(const Footprint& side) : side_(side) {}
  Sight of(const Defined& defined, const Use& use) const;
  // The file declares the name at its top, itself.
  bool declares(std::string_view path, std::string_view name) const;

 private:
  using Bounds = std::span<const Bound>;
  Bounds bound(std::string_view path) const;
  Bounds bound(std::string_view path, std::string_view name) const;
  Sight of_import(const Defined& defined, const Use& use) const;
  Sight in_modules(const Defined& defined, const Use& use) const;
  Sight by_star(const Write& write, const Use& use) const;
  Sight of_module(const Defined& defined, const Use& use) const;
  bool is_apart(const Write& write, const Use& use) const;
  bool is_of_others_in_c(const Defined& defined, const Use& use) const;
  bool may_be_given(const Write& write, const Use& use) const;
  bool may_hear(const Write& write, const Use& use) const;
  bool takes_from(const Write& write, const Use& use) const;
  bool is_standard_in_go(const Use& use) const;
  Sight in_go(const Defined& defined, const Use& use) const;
  Sight in_java(const Defined& defined, const Use& use) const;
  Sight in_rust(const Defined& defined, const Use& use) const;
  bool is_of_library(const Use& use) const;

  const Footprint& side_;
};

// `Cart::total`, defined where it is not declared: what declares it is what others see of it.
bool is_declared_elsewhere(const Write& write);

// The use of a type in Java says a type in another one than that which the member is of.
bool names_another_type(const Use& type, const Write& member);

// An import of `module` by a file at `from` may be one of the file at `path`.
bool may_be_module(std::string_view module, std::string_view from, std::string_view path);

// The module that a name imported in Python may be itself, where its package has one of that name:
// "shop.lib" of `from shop import lib`; empty: it is none.
std::string module_within(const Bound& bound);

// The name may stand for the file at `path`, or for something of it.
bool is_bound_to(const Bound& bound, std::string_view path);

// --- module_files.cc ---

// Paths of the tree that an import of `module` by the file at `from` may be, the first that is
// there first. Of Python and of scripts, where these say a path; empty for the others.
std::vector<std::string> files_of_module(std::string_view module, std::string_view from);

}  // namespace gittxn::semantic
