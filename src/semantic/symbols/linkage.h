// Macros of C and C++ that say how something is linked: for file_footprint.cc alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantic/symbols/outline.h"

namespace gittxn::semantic {

// The macros of one version of a file. Each is looked at once, however many stand for it.
class MacroLinkage {
 public:
  // `outline` must outlive it.
  explicit MacroLinkage(const Outline& outline);

  // The parameter and the words of storage of each macro of the name; nothing where there is none,
  // or one says anything else than linkage.
  const std::set<std::string>& of(std::string_view name, int depth = 0);

 private:
  std::optional<std::string> of_one(const Node& macro, int depth);
  std::set<std::string> of_all(std::string_view name, int depth);

  std::unordered_map<std::string_view, std::vector<const Outlined*>> macros_;
  std::map<std::string_view, std::set<std::string>> known_;
};

class Linkage {
 public:
  explicit Linkage(const Outlines& pair) : before_(pair.before), after_(pair.after) {}

  // Each macro of the name says of what it stands at how others are linked with it or call it, and
  // nothing that its code can tell: which words of storage, such as `static`, and of which type, is
  // as it was. So it is in both versions of the file.
  bool stays(std::string_view name);

 private:
  MacroLinkage before_, after_;
};

}  // namespace gittxn::semantic
