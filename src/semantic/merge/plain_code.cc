#include "semantic/merge/plain_code.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
}

std::string_view head_word(std::string_view line) {
  line = trimmed(line);
  std::size_t end = 0;
  while (end < line.size() && (is_in_name(line[end]) || (end == 0 && line[0] == '#'))) ++end;
  return line.substr(0, end);
}

// Every bracket and every quotation ends on the line.
bool is_whole(std::string_view line) {
  int depth = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return false;
  }
  return depth == 0 && !quoted;
}

std::string with_end(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

// --- imports ---

bool is_import_line(std::string_view line) {
  return is_any(head_word(line),
                {"import", "use", "using", "alias", "include", "#include", "#import", "export"}) &&
         head_word(line).size() < trimmed(line).size() && is_whole(line);
}

bool are_all(std::string_view text, bool (*is)(std::string_view)) {
  bool some = false;
  for (const std::string_view line : lines_of(text)) {
    if (is_blank(line)) continue;
    if (!is(line)) return false;
    some = true;
  }
  return some;
}

// Left's lines, and those of right's that are not among them.
std::string one_of_each(std::string_view left, std::string_view right) {
  std::set<std::string> there;
  for (const std::string_view line : lines_of(left)) there.insert(squeeze(line));
  std::string out = with_end(left);
  for (const std::string_view line : lines_of(right)) {
    if (!is_blank(line) && !there.contains(squeeze(line))) out += std::string(line) + "\n";
  }
  return out;
}

// --- fields ---

// "  final int? a;": what it is, and its name, which stands last.
bool is_field_line(std::string_view line) {
  constexpr std::string_view kSigns = " _?<>.,[]*&";
  const std::string_view bare = trimmed(line);
  if (line.starts_with(bare) || !bare.ends_with(';')) return false;
  const std::string_view words = bare.substr(0, bare.size() - 1);
  const bool plain =
      std::ranges::all_of(words, [&](char c) { return is_in_name(c) || kSigns.contains(c); });
  const std::size_t space = words.rfind(' ');
  if (!plain || space == std::string_view::npos || space + 1 == words.size()) return false;
  const bool name = std::ranges::all_of(words.substr(space + 1), is_in_name);
  return name && std::isdigit(static_cast<unsigned char>(words[space + 1])) == 0 &&
         !is_any(head_word(line),
                 {"return",   "throw", "await", "yield",   "delete", "goto",    "new",  "break",
                  "continue", "case",  "echo",  "print",   "raise",  "assert",  "emit", "else",
                  "import",   "use",   "using", "package", "export", "library", "part", "module",
                  "open",     "not",   "in",    "do",      "end",    "my",      "our"});
}

std::set<std::string_view> field_names(std::string_view text) {
  std::set<std::string_view> names;
  for (const std::string_view line : lines_of(text)) {
    if (!is_blank(line)) names.insert(trimmed(line).substr(trimmed(line).rfind(' ') + 1));
  }
  return names;
}

// --- names in a list on one line ---

// The text between the two ends that `whole` has in common with `base`, and where that is.
struct Inserted {
  std::size_t at = 0;
  std::string_view text;
};

std::optional<Inserted> inserted_in(std::string_view base, std::string_view whole) {
  if (whole.size() <= base.size()) return std::nullopt;
  const auto ends = std::ranges::mismatch(base, whole);
  auto at = static_cast<std::size_t>(ends.in1 - base.begin());
  const std::size_t more = whole.size() - base.size();
  if (whole.substr(at + more) != base.substr(at)) return std::nullopt;
  // The text before it may be read as its end: it begins with the comma, where there is one.
  while (at > 0 && whole[at] != ',' && whole[at - 1] == whole[at + more - 1]) --at;
  return Inserted{at, whole.substr(at, more)};
}

// ", a, b": the names. Empty when it is anything else.
std::vector<std::string_view> names_behind_commas(std::string_view text) {
  std::vector<std::string_view> names;
  if (!text.starts_with(',')) return names;
  for (const std::string_view piece : pieces_of(text.substr(1), ',')) {
    const std::string_view name = trimmed(piece);
    if (name.empty() || !std::ranges::all_of(name, is_in_name)) return {};
    names.push_back(name);
  }
  return names;
}

// The place is in a list of names that has no order: in braces, behind "::", or in parentheses
// behind a word of an import or of what is derived.
bool is_in_list_of_names(std::string_view line, std::size_t at) {
  const auto is_of_list = [](char c) { return is_in_name(c) || c == ',' || c == ' '; };
  std::size_t open = at, close = at;
  while (open > 0 && is_of_list(line[open - 1])) --open;
  while (close < line.size() && is_of_list(line[close])) ++close;
  if (open == 0 || trimmed(line.substr(open, at - open)).empty()) return false;
  const char before = line[open - 1];
  const bool to_the_end = trimmed(line.substr(close)).empty();
  if (before == ':') return open > 1 && line[open - 2] == ':' && to_the_end;
  if (close == line.size()) return false;
  if (before == '{') return line[close] == '}';
  const std::string_view head = trimmed(line.substr(0, open - 1));
  const std::string_view word = head.substr(head.rfind(' ') + 1);
  return before == '(' && line[close] == ')' &&
         (is_import_line(line) || is_any(word, {"deriving", "exposing", "hiding", "only"}));
}

std::optional<std::string> merge_names(const Sides<std::string_view>& run) {
  if (std::ranges::any_of(run, [](std::string_view text) { return lines_of(text).size() != 1; })) {
    return std::nullopt;
  }
  const auto left = inserted_in(run[kBase], run[kLeft]);
  const auto right = inserted_in(run[kBase], run[kRight]);
  if (!left || !right || left->at != right->at) return std::nullopt;
  if (!is_in_list_of_names(run[kBase], left->at)) return std::nullopt;
  const auto names = names_behind_commas(left->text);
  const auto more = names_behind_commas(right->text);
  const bool differ = std::ranges::none_of(
      more, [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
  if (names.empty() || more.empty() || !differ) return std::nullopt;
  return std::string(run[kBase].substr(0, left->at)) + std::string(left->text) +
         std::string(right->text) + std::string(run[kBase].substr(left->at));
}

}  // namespace

bool is_record_file(std::string_view path) {
  constexpr std::string_view kEnds[] = {".nix", ".ml", ".tf", ".tfvars", ".hcl"};
  return std::ranges::any_of(kEnds, [path](std::string_view end) { return path.ends_with(end); });
}

std::string_view record_name(std::string_view line) {
  const std::string_view bare = trimmed(line);
  std::size_t end = 0;
  while (end < bare.size() && (is_in_name(bare[end]) || bare[end] == '.' || bare[end] == '-')) {
    ++end;
  }
  const std::string_view rest = trimmed(bare.substr(end));
  if (rest == ",") return bare.substr(0, end);
  const bool gives = rest.size() > 1 && rest[0] == '=' && rest[1] != '=' && is_whole(rest);
  return gives ? bare.substr(0, end) : std::string_view();
}

std::string_view declared_type(std::string_view line) {
  const auto is_type = [](std::string_view word) {
    return is_any(word, {"class", "interface", "struct", "enum", "trait", "object", "protocol",
                         "module", "defmodule", "contract"});
  };
  const auto may_stand_before = [](std::string_view word) {
    return is_any(word, {"public", "private", "internal", "abstract", "final", "sealed", "data",
                         "case", "export", "open"});
  };
  std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  for (bool type = false; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t\r\n({<:;", at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (type) {
      const bool name = !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0;
      return name ? line.substr(0, end) : std::string_view();
    }
    type = is_type(word);
    if (!type && !may_stand_before(word)) return {};
    at = std::min(line.find_first_not_of(" \t", end), line.size());
  }
  return {};
}

std::optional<std::string> merge_code_run(const Sides<std::string_view>& run) {
  if (!run[kBase].empty()) return merge_names(run);
  if (are_all(run[kLeft], is_import_line) && are_all(run[kRight], is_import_line)) {
    return one_of_each(run[kLeft], run[kRight]);
  }
  if (!are_all(run[kLeft], is_field_line) || !are_all(run[kRight], is_field_line)) {
    return std::nullopt;
  }
  const auto names = field_names(run[kLeft]);
  const auto differs = [&](std::string_view name) { return !names.contains(name); };
  if (!std::ranges::all_of(field_names(run[kRight]), differs)) return std::nullopt;
  return with_end(run[kLeft]) + std::string(run[kRight]);
}

std::optional<Sides<std::string>> without_second(std::string_view path,
                                                 const Sides<std::string>& texts,
                                                 std::string_view name) {
  if (!is_record_file(path)) return std::nullopt;
  Sides<std::string> line;
  Sides<std::string> out = texts;
  for (const Side side : {kLeft, kRight}) {
    std::string rest;
    for (const std::string_view each : lines_of(texts[side])) {
      if (record_name(each) != name) {
        rest += std::string(each) + "\n";
      } else if (line[side].empty()) {
        line[side] = squeeze(each);
      } else {
        return std::nullopt;
      }
    }
    if (!texts[side].ends_with('\n') && !rest.empty()) rest.pop_back();
    if (side == kRight) out[kRight] = rest;
  }
  if (line[kLeft].empty() || line[kLeft] != line[kRight]) return std::nullopt;
  return out;
}

}  // namespace gittxn::semantic
