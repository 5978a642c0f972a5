#include "semantic/symbols/linkage.h"

#include <algorithm>

#include "semantic/kinds.h"
#include "semantic/read/patterns.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

constexpr int kMostMacros = 8;  // that stand for one another

// Attributes that neither the code of a function nor who uses it can tell.
bool says_linkage(std::string_view attribute) {
  while (attribute.starts_with('_')) attribute.remove_prefix(1);
  while (attribute.ends_with('_')) attribute.remove_suffix(1);
  return is_any(attribute, {"visibility", "dllexport", "dllimport", "externally_visible", "used",
                            "unused", "maybe_unused", "deprecated", "noinline", "cold", "hot",
                            "cdecl", "stdcall", "fastcall", "thiscall", "vectorcall"});
}

bool is_convention(std::string_view word) {
  return is_any(word, {"__cdecl", "__stdcall", "__fastcall", "__thiscall", "__vectorcall"});
}

// Words and signs of a text of C; of a string and of a comment the whole.
Words lexemes(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word_byte(text[at])) {
      while (end < text.size() && is_word_byte(text[end])) ++end;
    } else if (text[at] == '"') {
      end = std::min(text.find('"', end), text.size() - 1) + 1;
    } else if (text.substr(at, 2) == "/*") {
      end = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      at = end;
      continue;
    } else if (text.substr(at, 2) == "//") {
      break;
    } else if (is_space(text[at]) || text[at] == '\\') {
      at = end;
      continue;
    }
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The text of a macro, read word by word.
class Replacement {
 public:
  explicit Replacement(std::string_view text) : words_(lexemes(text)) {}

  bool ended() const { return at_ == words_.size(); }
  std::string_view next() { return ended() ? std::string_view() : words_[at_++]; }

  // True: all attributes behind the word that begins them say how something is linked.
  bool attributes(std::string_view word) {
    if (is_any(word, {"__attribute__", "__attribute"})) {
      return takes("(") && takes("(") && list(")") && takes(")");
    }
    if (word == "__declspec") return takes("(") && list(")");
    return word == "[" && takes("[") && list("]") && takes("]");
  }

 private:
  bool takes(std::string_view word) { return next() == word; }

  // Up to and with the bracket that ends it.
  bool list(std::string_view close) {
    std::string_view word = next();
    for (; word != close; word = next()) {
      if (word == ",") continue;
      if (!says_linkage(word)) return false;
      if (!ended() && words_[at_] == "(") skip_brackets();
    }
    return true;
  }

  void skip_brackets() {
    int open = 0;
    do {
      const std::string_view word = next();
      open += word == "(" ? 1 : word == ")" ? -1 : 0;
    } while (open > 0 && !ended());
  }

  Words words_;
  std::size_t at_ = 0;
};

}  // namespace

MacroLinkage::MacroLinkage(const Outline& outline) {
  for (const Outlined& symbol : outline.symbols) {
    if (symbol.kind == "macro") macros_[symbol.name].push_back(&symbol);
  }
}

const std::set<std::string>& MacroLinkage::of(std::string_view name, int depth) {
  static const std::set<std::string> kNothing;
  const auto macros = macros_.find(name);
  if (depth > kMostMacros || macros == macros_.end()) return kNothing;
  // A macro that stands for itself finds nothing here.
  const auto [known, fresh] = known_.try_emplace(macros->first);
  if (fresh) known->second = of_all(name, depth);
  return known->second;
}

std::set<std::string> MacroLinkage::of_all(std::string_view name, int depth) {
  std::set<std::string> all;
  for (const Outlined* symbol : macros_.find(name)->second) {
    if (symbol->opaque || symbol->nodes.empty()) return {};
    for (const Node* node : symbol->nodes) {
      const auto besides = of_one(*node, depth);
      if (!besides) return {};
      all.insert(*besides);
    }
  }
  return all;
}

std::optional<std::string> MacroLinkage::of_one(const Node& macro, int depth) {
  if (!macro.kind.starts_with("preproc_")) return std::nullopt;  // of another language
  const Node *list = kid_in(macro, "parameters"), *value = kid_in(macro, "value");
  const Words parameters = list == nullptr ? Words() : lexemes(list->text);
  if (list != nullptr && parameters.size() != 3) return std::nullopt;  // one, in parentheses
  const std::set<std::string> mere = {""};  // of a macro that says nothing besides
  std::string besides;
  int types = 0;
  for (Replacement text(value == nullptr ? "" : value->text); !text.ended();) {
    const std::string_view word = text.next();
    if (list != nullptr && word == parameters[1]) {
      ++types;
    } else if (is_any(word, {"extern", "static", "inline", "\"C\""})) {
      besides += std::string(word) + " ";
    } else if (!is_convention(word) && !text.attributes(word) && of(word, depth + 1) != mere) {
      return std::nullopt;
    }
  }
  if (types != (list == nullptr ? 0 : 1)) return std::nullopt;
  return besides + (list == nullptr ? "" : "()");
}

bool Linkage::stays(std::string_view name) {
  const std::set<std::string>& was = before_.of(name);
  return !was.empty() && was == after_.of(name);
}

}  // namespace gittxn::semantic
