// go.mod, go.work and go.sum: lines of words, in blocks. Comments count for nothing, "// indirect"
// neither. What has quotes, and a directive that is not known, makes the file opaque.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "semantic/manifest/reader.h"

namespace gittxn::semantic {
namespace {

using Words = std::vector<std::string>;

Words directive_words(std::string_view line) {
  Words words;
  std::string word;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    const bool alone = c == '(' || c == ')';
    if ((blank || alone) && !word.empty()) words.push_back(std::exchange(word, {}));
    if (alone) words.emplace_back(1, c);
    if (!blank && !alone) word += c;
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::string joined_words(const Words& words, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < words.size(); ++i) out += (i > from ? " " : "") + words[i];
  return out;
}

struct Directive {
  std::string_view name;
  BuildKind kind;
  std::string_view target;
  bool itself;  // named by the directive, else by its first word
};
constexpr Directive kDirectives[] = {
    {"module", BuildKind::kOption, "", true},
    {"go", BuildKind::kToolchain, "", true},
    {"toolchain", BuildKind::kToolchain, "", true},
    {"require", BuildKind::kDependency, "", false},
    {"exclude", BuildKind::kDependency, "exclude", false},
    {"tool", BuildKind::kDependency, "tool", false},
    {"use", BuildKind::kDependency, "use", false},
    {"godebug", BuildKind::kOption, "", true},
    {"retract", BuildKind::kOption, "", true},
    {"ignore", BuildKind::kOption, "", true},
};

// The words behind a directive, on its line or on one of its block.
std::string add_directive(const std::string& name, const Words& words, Manifest* manifest) {
  if (words.empty()) return "'" + name + "' says nothing";
  if (name == "replace") {
    const auto arrow = std::ranges::find(words, "=>");
    if (arrow == words.end()) return "a 'replace' has no '=>'";
    const auto at = static_cast<std::size_t>(arrow - words.begin());
    manifest->symbols.push_back({BuildKind::kDependency, joined_words({words.begin(), arrow}, 0),
                                 shown(joined_words(words, at + 1)), "replace"});
    return {};
  }
  const auto* row = std::ranges::find(kDirectives, name, &Directive::name);
  if (row == std::end(kDirectives)) return "'" + name + "' is not known";
  manifest->symbols.push_back({row->kind, row->itself ? name : words[0],
                               shown(joined_words(words, row->itself ? 0 : 1)),
                               std::string(row->target)});
  return {};
}

}  // namespace

std::string read_go_mod(std::string_view text, Manifest* manifest) {
  std::string block;  // the directive whose block is open
  for (std::string_view line : lines_of(text)) {
    line = line.substr(0, line.find("//"));
    if (line.find_first_of("\"`") != std::string_view::npos) return "a string is quoted";
    Words words = directive_words(line);
    if (words.empty()) continue;
    if (!block.empty() && words == Words{")"}) {
      block.clear();
      continue;
    }
    if (block.empty() && words.size() == 2 && words[1] == "(") {
      block = words[0];
      continue;
    }
    if (std::ranges::count(words, "(") + std::ranges::count(words, ")") > 0) {
      return "a parenthesis stands where none is known";
    }
    std::string name = block;
    if (name.empty()) {
      name = words[0];
      words.erase(words.begin());
    }
    if (std::string why = add_directive(name, words, manifest); !why.empty()) return why;
  }
  return block.empty() ? std::string() : "the block '" + block + "' does not end";
}

std::string read_go_sum(std::string_view text, Manifest* manifest) {
  for (const std::string_view line : lines_of(text)) {
    const Words words = directive_words(line);
    if (words.empty()) continue;
    if (words.size() != 3) return "a line is not a module, a version and a hash";
    manifest->symbols.push_back(
        {BuildKind::kDependency, words[0] + "@" + words[1], shown(words[2]), {}});
  }
  return {};
}

std::string read_toolchain_version(std::string_view text, Manifest* manifest) {
  const Words words = directive_words(text.substr(0, text.find('\n')));
  if (words.size() != 1 || !is_blank(text.substr(std::min(text.find('\n'), text.size())))) {
    return "it is not one version alone";
  }
  manifest->symbols.push_back({BuildKind::kToolchain, "version", shown(words[0]), {}});
  return {};
}

}  // namespace gittxn::semantic
