#include "semantic/symbols/outline.h"

#include <unordered_set>
#include <utility>

#include "semantic/read/brackets.h"
#include "semantic/symbols/outliner.h"

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

// `versions` is of the language, with Detail::kFacts; none where the language is not known.
Outline outlined(const Language* language, std::string_view path, std::string_view text,
                 Versions* versions) {
  Outline outline;
  outline.path = path;
  outline.language = language;
  if (versions != nullptr) outline.tree = versions->parse(std::string(text));
  if (outline.tree == nullptr) return opaque_outline(std::move(outline), text);
  std::unordered_set<const Node*> opaque;
  for (;;) {
    outline.symbols.clear();
    const std::vector<std::size_t> errors = outline_tree(&outline, opaque);
    if (errors.empty()) return outline;
    const std::size_t before = opaque.size();
    for (const std::size_t index : errors) {
      const std::vector<const Node*>& nodes = outline.symbols[index].nodes;
      if (nodes.size() == 1 && errs_inside_only(*outline.tree, *nodes.front())) {
        opaque.insert(nodes.front());
        continue;
      }
      const std::size_t parent = outline.symbols[index].parent;
      if (index == 0 || parent == 0) return opaque_outline(std::move(outline), text);
      const Outlined& sealed = outline.symbols[parent];
      opaque.insert(sealed.nodes.begin(), sealed.nodes.end());
    }
    if (opaque.size() == before) return opaque_outline(std::move(outline), text);
  }
}

}  // namespace

Outline outline_of(const Language* language, std::string_view path, std::string_view text,
                   const Budget& budget) {
  if (language == nullptr) return outlined(nullptr, path, text, nullptr);
  Versions versions(*language, budget, Detail::kFacts);
  return outlined(language, path, text, &versions);
}

Outlines outlines_of(std::string_view path, const std::optional<std::string>& before,
                     const std::optional<std::string>& after, const Budget& budget) {
  const Language* known = nullptr;
  std::optional<Versions> versions;
  const auto outline = [&](const std::optional<std::string>& text) {
    if (!text) {
      Outline absent;
      absent.path = path;
      return absent;
    }
    const Language* language = language_of(path, *text);
    if (language != known) versions.reset();
    known = language;
    if (language != nullptr && !versions) versions.emplace(*language, budget, Detail::kFacts);
    return outlined(language, path, *text, versions ? &*versions : nullptr);
  };
  Outlines both;
  both.before = outline(before);
  both.after = outline(after);
  return both;
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
