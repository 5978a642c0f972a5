#include "semantic/symbols/outline.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "semantic/kinds.h"
#include "semantic/symbols/by_default.h"

namespace gittxn::semantic {
namespace {

Outline opaque_outline(Outline outline, std::string_view text) {
  outline.text = text;
  outline.tree.reset();
  Outlined file;
  file.id = outline.path + "/";
  file.kind = "file";
  file.opaque = true;
  file.extents = {{0, text.size()}};
  file.units.emplace_back();
  outline.symbols.clear();
  outline.symbols.push_back(std::move(file));
  return outline;
}

// A file with more of them has hardly anything that is certain.
constexpr std::size_t kMostSealed = 500;

// The declaration that an error is in becomes opaque, and nothing else; whether that was certain.
bool seal_alone(const Outline& outline, const std::vector<Brackets>& brackets, const Misfit& error,
                std::unordered_set<const Node*>* opaque) {
  if (error.in != nullptr && opaque->contains(error.in)) return true;
  if (opaque->size() > kMostSealed) return false;
  const std::vector<const Node*>& nodes = outline.symbols[error.symbol].nodes;
  if (nodes.size() == 1 && errs_inside_only(*outline.tree, brackets, *nodes.front())) {
    opaque->insert(nodes.front());
    return true;
  }
  if (error.in == nullptr) return false;
  const std::vector<const Node*> alone = stand_alone(*outline.tree, brackets, *error.in);
  opaque->insert(alone.begin(), alone.end());
  return !alone.empty();
}

// `versions` is of the language, with Detail::kFacts; none where the language is not known.
Outline outlined(const Language* language, std::string_view path, std::string_view text,
                 Versions* versions) {
  Outline outline;
  outline.path = path;
  outline.language = language;
  if (versions != nullptr) outline.tree = versions->parse(std::string(text));
  if (outline.tree == nullptr) return opaque_outline(std::move(outline), text);
  outline.by_default = given_by_default(outline);
  std::unordered_set<const Node*> opaque;
  std::optional<std::optional<std::vector<Brackets>>> brackets;
  for (;;) {
    outline.symbols.clear();
    const std::vector<Misfit> errors = outline_tree(&outline, opaque);
    if (errors.empty()) {
      add_views(&outline);
      return outline;
    }
    if (!brackets) brackets = brackets_of(*outline.tree);
    const std::size_t before = opaque.size();
    for (const Misfit& error : errors) {
      if (*brackets && seal_alone(outline, **brackets, error, &opaque)) continue;
      const std::size_t parent = outline.symbols[error.symbol].parent;
      if (error.symbol == 0 || parent == 0) return opaque_outline(std::move(outline), text);
      const Outlined& sealed = outline.symbols[parent];
      opaque.insert(sealed.nodes.begin(), sealed.nodes.end());
    }
    if (opaque.size() == before) return opaque_outline(std::move(outline), text);
  }
}

// --- descriptors ---

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
  if (is_function(kind)) return escaped(name) + "(" + listed(detail) + ").";
  return escaped(name) + ".";
}

Outline outline_of(const Language* language, std::string_view path, std::string_view text,
                   const Budget& budget) {
  if (language == nullptr) return outlined(nullptr, path, text, nullptr);
  Versions versions(*language, budget, Detail::kFacts, Texts::kOne);
  return outlined(language, path, text, &versions);
}

Outlines outlines_of(std::string_view path, const std::optional<std::string>& before,
                     const std::optional<std::string>& after, const Budget& budget) {
  const Language* known = nullptr;
  std::optional<Versions> versions;
  const auto language = [&](const std::optional<std::string>& text) {
    return text ? language_of(path, *text) : nullptr;
  };
  const Language *was = language(before), *is = language(after);
  // A header that becomes one of C++, or was one, is read as that in both versions.
  const bool header = path.ends_with(".h") && was != is && was != nullptr && is != nullptr;
  if (header) was = is = was->name == "cpp" ? was : is;
  const auto outline = [&](const std::optional<std::string>& text, const Language* of) {
    if (!text) {
      Outline absent;
      absent.path = path;
      return absent;
    }
    if (of != known) versions.reset();
    known = of;
    if (of != nullptr && !versions) versions.emplace(*of, budget, Detail::kFacts);
    return outlined(of, path, *text, versions ? &*versions : nullptr);
  };
  Outlines both;
  both.before = outline(before, was);
  both.after = outline(after, is);
  return both;
}

void names_in(const Outline& outline, const Outlined& symbol, const Unit& unit,
              const std::function<void(NameIn)>& use) {
  std::vector<NameRead> found;
  for (const std::uint32_t token : unit.tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    const bool own = &unit == &symbol.units.front() && leaf.is_name && symbol.kind != "file";
    if (own && !leaf.named) continue;
    found.clear();
    names_of(*outline.tree, token, &found);
    for (const NameRead& read : found) {
      const bool given =
          own && std::ranges::find(symbol.defines, read.name) != symbol.defines.end();
      use({read, leaf, given});
    }
  }
}

std::string raw_of(const Outline& outline, const Outlined& symbol) {
  std::string raw;
  for (const Extent& extent : symbol.extents) {
    put_code(&raw, 'r', {}, outline.bytes().substr(extent.begin, extent.end - extent.begin));
  }
  return raw;
}

std::string code_of(const Outlined& symbol) {
  std::string all;
  for (const std::string& code : symbol.code) put_code(&all, 'c', {}, code);
  put_code(&all, 'd', {}, symbol.docs);
  put_code(&all, 'm', {}, symbol.remarks);
  return all;
}

}  // namespace gittxn::semantic
