#include "semantic/symbols/hints.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/names.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

constexpr int kMostSteps = 8;  // from a token to its attribute

// The attribute that a token is a part of; nullptr: it is of none.
const Node* attribute_of(const Node& leaf) {
  const Node* at = &leaf;
  for (int i = 0; i < kMostSteps && at != nullptr; ++i, at = at->parent) {
    if (is_any(at->kind,
               {"attribute_item", "marker_annotation", "annotation", "attribute_declaration"})) {
      return at;
    }
  }
  return nullptr;
}

bool is_hint(const Node& attribute) {
  return is_any(first_word(attribute.text),
                {"inline", "must_use", "allow", "warn", "cold", "doc", "deprecated", "Deprecated",
                 "Override", "SuppressWarnings", "SafeVarargs", "Nullable", "NonNull", "Nonnull",
                 "NotNull", "nodiscard", "maybe_unused"});
}

bool is_derive(const Node& attribute) {
  return first_word(attribute.text) == "derive";
}

// The head without attributes of a kind, whose words are told apart from it.
std::pair<Head, Words> head_without(const Outline& outline, const Outlined& symbol,
                                    bool (*is_left_out)(const Node&)) {
  Head head;
  Words left_out;
  for (const std::uint32_t token : symbol.units.front().tokens) {
    const Node& leaf = *outline.tree->leaves()[token];
    const Node* attribute = attribute_of(leaf);
    if (attribute != nullptr && is_left_out(*attribute)) {
      left_out.push_back(leaf.text);
    } else {
      (leaf.says == Fact::kParameter ? head.parameters : head.words).push_back(leaf.text);
    }
  }
  return {std::move(head), std::move(left_out)};
}

bool is_known(std::string_view language) {
  return is_any(language, {"cpp", "java", "rust"});
}

}  // namespace

bool only_hints(const Outlines& pair, const Outlined& was, const Outlined& is) {
  if (!is_known(pair.after.language->name) || was.nodes.size() != is.nodes.size()) return false;
  if (pair.after.language->name == "cpp" && !is_shared(was, is, Capability::kVisibility)) {
    return false;
  }
  const auto [before, old_hints] = head_without(pair.before, was, is_hint);
  const auto [after, hints] = head_without(pair.after, is, is_hint);
  return old_hints != hints && before.words == after.words &&
         keep_places(before.parameters, after.parameters);
}

bool derives_more(const Outlines& pair, const Outlined& was, const Outlined& is) {
  if (pair.after.language->name != "rust" || is.kind != "type") return false;
  const auto [before, derived] = head_without(pair.before, was, is_derive);
  const auto [after, derives] = head_without(pair.after, is, is_derive);
  return before.words == after.words && std::ranges::all_of(derived, [&](std::string_view word) {
           return std::ranges::find(derives, word) != derives.end();
         });
}

}  // namespace gittxn::semantic
