#include "semantic/merge/texts/added.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/text.h"
#include "semantic/merge/runs.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

bool shares_a_line(std::string_view left, std::string_view right,
                   bool (*counts)(std::string_view)) {
  std::set<std::string, std::less<>> lines;
  for (const std::string_view line : whole_lines(left)) {
    if (counts(line)) lines.emplace(squeeze(line));
  }
  return std::ranges::any_of(whole_lines(right), [&](std::string_view line) {
    return counts(line) && lines.contains(squeeze(line));
  });
}

int fences(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(whole_lines(text), [](std::string_view line) {
    const std::string_view bare = trimmed(line);
    return bare.starts_with("```") || bare.starts_with("~~~");
  }));
}

bool is_numbered(std::string_view line) {
  const std::string_view bare = trimmed(line);
  const std::size_t digits = bare.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos &&
         (bare[digits] == '.' || bare[digits] == ')');
}

// "- " of "  - An item", with the white space before it; empty of anything else.
std::string_view bullet_of(std::string_view line) {
  const std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  const bool bullet =
      line.size() > at + 1 && std::string_view("-*+").contains(line[at]) && line[at + 1] == ' ';
  return bullet ? line.substr(0, at + 2) : std::string_view();
}

// A list of which no two lines are apart, with what is empty around it.
struct TightList {
  std::string_view before, items, after;
};

std::optional<TightList> tight_list(std::string_view text) {
  const std::string_view items = trimmed(text);
  if (items.empty()) return std::nullopt;
  std::size_t from = static_cast<std::size_t>(items.data() - text.data());
  while (from > 0 && text[from - 1] == ' ') --from;
  const std::size_t end = std::min(text.find('\n', from + items.size() - 1), text.size() - 1) + 1;
  TightList list{text.substr(0, from), text.substr(from, end - from), text.substr(end)};
  const auto lines = whole_lines(list.items);
  if (lines.empty() || bullet_of(lines[0]).empty()) return std::nullopt;
  return std::ranges::none_of(lines, is_blank) ? std::optional(list) : std::nullopt;
}

// Items that both sides added to one list stay one list.
std::optional<std::string> both_items(std::string_view left, std::string_view right) {
  const auto first = tight_list(left), second = tight_list(right);
  if (!first || !second || bullet_of(first->items) != bullet_of(second->items)) return std::nullopt;
  if (first->before != second->before || first->after != second->after) return std::nullopt;
  return std::string(first->before) + with_line_end(std::string(first->items)) +
         std::string(second->items) + std::string(second->after);
}

// The tags of a text close each other.
bool is_balanced(std::string_view text) {
  std::vector<std::string_view> open;
  bool some = false;
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string_view::npos;) {
    if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at);
      if (at == std::string_view::npos) return false;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return false;
    std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with('!') || tag.starts_with('?')) return false;
    some = true;
    if (tag.ends_with('/')) continue;
    const bool closes = tag.starts_with('/');
    if (closes) tag.remove_prefix(1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n"));
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return some && open.empty();
}

// A line by which an element is called what it is: with a value, in an attribute or between tags.
bool names_an_element(std::string_view line) {
  constexpr std::string_view kNames[] = {
      "id=",  "name=", "key=",  "Include=", "<artifactId>", "<name>",
      "<id>", "<key>", "path=", "href=",    "src="};
  return std::ranges::any_of(kNames, [line](std::string_view name) { return line.contains(name); });
}

using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;  // name, text

bool has_attribute(const Attributes& attributes, std::string_view name) {
  return std::ranges::find(attributes, name, &Attributes::value_type::first) != attributes.end();
}

// A line that begins with a tag. The text of an attribute has the space before it.
struct Tag {
  std::string_view before, after;  // up to its attributes, and from behind them
  Attributes attributes;
};

std::optional<Tag> tag_in(std::string_view line) {
  const std::size_t open = line.find('<');
  if (open == std::string_view::npos || !is_blank(line.substr(0, open))) return std::nullopt;
  std::size_t at = line.find_first_of(" \t>/\r\n", open + 1);
  if (at == std::string_view::npos || at == open + 1) return std::nullopt;
  Tag tag{line.substr(0, at), {}, {}};
  for (;;) {
    const std::size_t name = std::min(line.find_first_not_of(" \t", at), line.size());
    const std::size_t sign = line.find_first_of("=<>/ \t\"'", name);
    if (sign == std::string_view::npos) return std::nullopt;
    if (sign == name) break;
    if (line[sign] != '=' || sign + 1 >= line.size()) return std::nullopt;
    const char quote = line[sign + 1];
    const std::size_t end = line.find(quote, sign + 2);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return std::nullopt;
    const std::string_view key = line.substr(name, sign - name);
    if (has_attribute(tag.attributes, key)) return std::nullopt;
    tag.attributes.emplace_back(key, line.substr(at, end + 1 - at));
    at = end + 1;
  }
  tag.after = line.substr(at);
  return tag;
}

// "margin" of "  margin: 0;", a line that gives one property a value; empty of anything else.
std::string_view property_of(std::string_view line) {
  const std::string_view bare = trimmed(line);
  const std::size_t sign = bare.find(':');
  if (sign == std::string_view::npos || !bare.ends_with(';')) return {};
  if (std::ranges::count(bare, ';') != 1 || bare.find_first_of("{}") != bare.npos) return {};
  const std::string_view name = trimmed(bare.substr(0, sign));
  const bool plain = std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
  return plain ? name : std::string_view();
}

// "group:name" of a line of Gradle that names a dependency with a version, or without one.
std::string_view dependency_of(std::string_view line) {
  const std::string_view bare = trimmed(line);
  const std::size_t word = std::min(bare.find_first_of(" ("), bare.size());
  const std::size_t open = bare.find_first_of("'\"");
  if (word == 0 || open == std::string_view::npos || open > word + 2) return {};
  const std::size_t end = bare.find(bare[open], open + 1);
  if (end == std::string_view::npos ||
      !is_blank(bare.substr(end + 1 + (bare.ends_with(')') ? 1 : 0))))
    return {};
  const std::string_view what = bare.substr(open + 1, end - open - 1);
  const std::size_t name = what.find(':');
  return name == std::string_view::npos ? what.substr(0, 0)
                                        : what.substr(0, what.find(':', name + 1));
}

using NameOfLine = std::string_view (*)(std::string_view line);

// The names of the lines of a text; nothing where one has none, or two have one.
std::optional<std::set<std::string_view>> names_of_lines(std::string_view text,
                                                         NameOfLine name_of) {
  std::set<std::string_view> names;
  for (const std::string_view line : whole_lines(text)) {
    if (is_blank(line)) continue;
    const std::string_view name = name_of(line);
    if (name.empty() || !names.insert(name).second) return std::nullopt;
  }
  return names.empty() ? std::nullopt : std::optional(names);
}

bool opens_rule(std::string_view line) {
  return trimmed(line).ends_with('{');
}

// Rules from their beginnings to their ends.
bool are_rules(std::string_view text) {
  int depth = 0;
  bool some = false;
  for (const std::string_view line : whole_lines(text)) {
    if (depth == 0 && !is_blank(line) && !opens_rule(line) && !trimmed(line).ends_with(','))
      return false;
    for (const char c : line) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      some = some || c == '{';
      if (depth < 0) return false;
    }
  }
  return some && depth == 0;
}

bool is_remark(std::string_view line) {
  const std::string_view bare = trimmed(line);
  return bare.starts_with("//") || bare.starts_with('#');
}

// "lint" of "lint: build", and all of ".PHONY: lint"; empty of what is no target.
std::string target_of(std::string_view line) {
  const std::size_t sign = line.find(':');
  if (sign == std::string_view::npos || line.find('=') != std::string_view::npos) return {};
  return squeeze(line.starts_with(".PHONY") ? line : line.substr(0, sign));
}

// The targets of a text that is nothing but rules of a Makefile; nothing of another one.
std::optional<std::set<std::string>> targets_in(std::string_view text) {
  std::set<std::string> targets;
  for (const std::string_view line : whole_lines(text)) {
    if (is_blank(line) || line.starts_with('#')) continue;
    if (line.starts_with('\t') && !targets.empty()) continue;
    std::string target = target_of(line);
    if (target.empty() || line.starts_with('\t') || !targets.insert(std::move(target)).second) {
      return std::nullopt;
    }
  }
  return targets.empty() ? std::nullopt : std::optional(targets);
}

// The parts that a text adds to a schema: blocks by the lines that open them, or lines.
struct SchemaParts {
  bool blocks = false;
  std::set<std::string> names, numbers;
};

// "Get" of "rpc Get(A) returns (B);", "name" of "optional string name = 3;", of "name: Text!" and
// of "name Text".
std::string name_in_schema(std::string_view line) {
  std::string_view bare = trimmed(line);
  if (bare.starts_with("rpc ")) bare = trimmed(bare.substr(4));
  if (!number_of_line(line).empty()) {
    bare = trimmed(bare.substr(0, bare.find('=')));
    bare.remove_prefix(bare.find_last_of(" \t>") + 1);
  }
  const auto end = std::ranges::find_if(
      bare, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
  return std::string(bare.begin(), end);
}

// Nothing of what begins or ends in the middle of a block, of an option and of what says one thing
// twice.
std::optional<SchemaParts> schema_parts(std::string_view text) {
  SchemaParts parts;
  int depth = 0;
  for (const std::string_view line : whole_lines(text)) {
    if (is_blank(line) || is_remark(line)) continue;
    if (depth == 0) {
      const bool block = line.contains('{') && !line.contains('}');
      const bool first = parts.names.empty();
      std::string name = block ? squeeze(line) : name_in_schema(line);
      const bool option = name.empty() || name == "option" || name == "reserved";
      if (option || (!first && block != parts.blocks)) return std::nullopt;
      if (std::ranges::count(line, '(') != std::ranges::count(line, ')')) return std::nullopt;
      parts.blocks = block;
      const auto number = block ? std::string_view() : number_of_line(line);
      const bool taken = !number.empty() && !parts.numbers.emplace(number).second;
      if (taken || !parts.names.insert(std::move(name)).second) return std::nullopt;
    }
    for (const char c : line) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (depth < 0) return std::nullopt;
    }
  }
  return depth == 0 && !parts.names.empty() ? std::optional(parts) : std::nullopt;
}

bool have_common(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&b](const std::string& each) { return b.contains(each); });
}

std::string one_behind_the_other(std::string_view left, std::string_view right) {
  return with_line_end(std::string(left)) + std::string(right);
}

}  // namespace

std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string with_line_end(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

std::optional<std::string> both_paragraphs(std::string_view before, std::string_view left,
                                           std::string_view right) {
  if (fences(before) % 2 != 0 || fences(left) % 2 != 0 || fences(right) % 2 != 0) {
    return std::nullopt;
  }
  const auto says_something = [](std::string_view line) { return !is_blank(line); };
  if (shares_a_line(left, right, says_something)) return std::nullopt;
  const auto numbered = [](std::string_view text) {
    return std::ranges::any_of(whole_lines(text), is_numbered);
  };
  if (numbered(left) && numbered(right)) return std::nullopt;
  if (auto items = both_items(left, right)) return items;
  return one_behind_the_other(left, right);
}

std::optional<std::string> both_attributes(const Sides<std::string_view>& run) {
  Sides<Tag> tags;
  for (std::size_t i = 0; i < 3; ++i) {
    if (whole_lines(run[i]).size() != 1) return std::nullopt;
    auto tag = tag_in(run[i]);
    if (!tag) return std::nullopt;
    tags[i] = *std::move(tag);
  }
  const Tag& base = tags[kBase];
  std::string added;
  for (const Side side : {kLeft, kRight}) {
    const Tag& tag = tags[side];
    if (tag.before != base.before || tag.after != base.after) return std::nullopt;
    const bool kept = std::ranges::all_of(base.attributes, [&](const auto& attribute) {
      return std::ranges::find(tag.attributes, attribute) != tag.attributes.end();
    });
    if (!kept) return std::nullopt;
    for (const auto& [name, text] : tag.attributes) {
      if (has_attribute(base.attributes, name)) continue;
      if (has_attribute(tags[other(side)].attributes, name)) return std::nullopt;
      added += text;
    }
  }
  const std::size_t at = run[kBase].size() - base.after.size();
  return std::string(run[kBase].substr(0, at)) + added + std::string(base.after);
}

std::optional<std::string> both_elements(std::string_view left, std::string_view right) {
  if (!is_balanced(left) || !is_balanced(right)) return std::nullopt;
  if (shares_a_line(left, right, names_an_element)) return std::nullopt;
  const bool named = std::ranges::any_of(whole_lines(left), names_an_element) &&
                     std::ranges::any_of(whole_lines(right), names_an_element);
  if (!named && shares_a_line(left, right, [](std::string_view line) { return !is_blank(line); })) {
    return std::nullopt;
  }
  return one_behind_the_other(left, right);
}

std::optional<std::string> both_styles(std::string_view left, std::string_view right) {
  const auto first = names_of_lines(left, property_of), second = names_of_lines(right, property_of);
  if (first && second) {
    const auto is_part = [](std::string_view name, std::string_view of) {
      return name == of || (name.starts_with(of) && name[of.size()] == '-');
    };
    for (const std::string_view a : *first) {
      for (const std::string_view b : *second) {
        if (is_part(a, b) || is_part(b, a)) return std::nullopt;
      }
    }
    return one_behind_the_other(left, right);
  }
  if (!are_rules(left) || !are_rules(right)) return std::nullopt;
  if (shares_a_line(left, right, opens_rule)) return std::nullopt;
  return one_behind_the_other(left, right);
}

std::optional<std::string> both_targets(std::string_view left, std::string_view right) {
  const auto first = targets_in(left), second = targets_in(right);
  if (!first || !second || have_common(*first, *second)) return std::nullopt;
  return one_behind_the_other(left, right);
}

bool is_schema(std::string_view path) {
  return path.ends_with(".proto") || path.ends_with(".graphql") || path.ends_with(".gql") ||
         path.ends_with(".prisma");
}

std::string_view number_of_line(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos || line.substr(0, sign).contains('(')) return {};
  const std::string_view rest = trimmed(line.substr(sign + 1));
  const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const bool whole = end < rest.size() && (rest[end] == ';' || rest[end] == ' ');
  return whole ? rest.substr(0, end) : std::string_view();
}

std::optional<std::string> both_in_schema(std::string_view left, std::string_view right) {
  const auto first = schema_parts(left), second = schema_parts(right);
  if (!first || !second || first->blocks != second->blocks) return std::nullopt;
  if (have_common(first->names, second->names) || have_common(first->numbers, second->numbers)) {
    return std::nullopt;
  }
  return one_behind_the_other(left, right);
}

std::optional<std::string> both_dependencies(std::string_view left, std::string_view right) {
  const auto first = names_of_lines(left, dependency_of),
             second = names_of_lines(right, dependency_of);
  if (!first || !second) return std::nullopt;
  const bool shared =
      std::ranges::any_of(*first, [&](std::string_view name) { return second->contains(name); });
  return shared ? std::nullopt : std::optional(one_behind_the_other(left, right));
}

}  // namespace gittxn::semantic
