#include "semantic/symbols/descriptor.h"

#include <algorithm>

namespace gittxn::semantic {
namespace {

bool is_simple(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '+' || c == '-' || c == '$';
}

std::string quoted(std::string_view text) {
  std::string out = "`";
  for (const char c : text) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + "`";
}

std::string escaped(std::string_view name) {
  if (!name.empty() && std::ranges::all_of(name, is_simple)) return std::string(name);
  return quoted(name);
}

// Types as they are, unless they would be taken for the end of the list.
std::string listed(std::string_view detail) {
  if (!detail.empty() && detail.back() == ',') detail.remove_suffix(1);
  if (detail.find_first_of("()`") == std::string_view::npos) return std::string(detail);
  return quoted(detail);
}

}  // namespace

std::string descriptor(std::string_view kind, std::string_view name, std::string_view detail) {
  if (kind == "impl") {
    const std::string trait = detail.empty() ? "" : "[" + escaped(listed(detail)) + "]";
    return "impl#[" + escaped(name) + "]" + trait;
  }
  if (kind == "type") return escaped(name) + "#";
  if (kind == "namespace") return escaped(name) + "/";
  if (kind == "macro") return escaped(name) + "!";
  if (kind == "guard" || kind == "import") return escaped(name) + ":";
  if (kind == "function" || kind == "prototype" || kind == "constructor") {
    return escaped(name) + "(" + listed(detail) + ").";
  }
  return escaped(name) + ".";
}

}  // namespace gittxn::semantic
