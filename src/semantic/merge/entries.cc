#include "semantic/merge/entries.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/merge/plain_code.h"
#include "semantic/merge/runs.h"
#include "semantic/merge/texts/added.h"
#include "semantic/merge/texts/words.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {
namespace {

std::string_view file_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [text](std::string_view end) { return text.ends_with(end); });
}

// --- entries ---

bool is_ignore_file(std::string_view path) {
  return file_of(path).ends_with("ignore");
}

bool is_comment_line(std::string_view line) {
  const std::string_view bare = trimmed(line);
  return bare.empty() || bare.starts_with('#') || bare.starts_with('!') || bare.starts_with("//");
}

// The part of a line that tells its entry from others of its file.
std::string key_of(std::string_view path, std::string_view line) {
  const std::string_view bare = trimmed(line);
  const std::string_view file = file_of(path);
  if (is_ignore_file(path)) return std::string(bare);
  const auto words = [bare](std::size_t count) {
    std::size_t at = 0;
    for (; count > 0 && at < bare.size(); --count) {
      at = std::min(bare.find_first_not_of(" \t", at), bare.size());
      at = std::min(bare.find_first_of(" \t", at), bare.size());
    }
    return std::string(bare.substr(0, at));
  };
  if (file == "go.sum") return words(2);
  if (file == "go.mod") {
    constexpr std::string_view kGoDirectives[] = {"require", "replace", "exclude", "ignore",
                                                  "tool"};
    const bool directive = std::ranges::find(kGoDirectives, words(1)) != std::end(kGoDirectives);
    return words(directive ? 2 : 1);
  }
  return std::string(bare.substr(0, bare.find_first_of("=:<>~!;[ \t")));
}

struct KeyedEntry {
  std::string key;
  std::string text;  // with the comments above it
};

// Nothing when a key is there twice, or comments stand behind the last one.
std::optional<std::vector<KeyedEntry>> entries_in(std::string_view path, std::string_view text) {
  std::vector<KeyedEntry> found;
  std::set<std::string> keys;
  std::string lead;
  bool goes_on = false;
  for (const std::string_view line : whole_lines(text)) {
    if (goes_on) {
      found.back().text += line;
    } else if (is_comment_line(line) && !(is_ignore_file(path) && line.starts_with('!'))) {
      lead += line;
      continue;
    } else {
      KeyedEntry entry{key_of(path, line), std::exchange(lead, {}) + std::string(line)};
      // A line that takes back an earlier one has to stay behind it.
      if (entry.key.starts_with('!') || !keys.insert(entry.key).second) return std::nullopt;
      found.push_back(std::move(entry));
    }
    goes_on = trimmed(line).ends_with('\\');
  }
  if (!lead.empty() || goes_on) return std::nullopt;
  return found;
}

const KeyedEntry* find_entry(const std::vector<KeyedEntry>& entries, const std::string& key) {
  const auto found = std::ranges::find(entries, key, &KeyedEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

// One entry in its three versions, by nullptr where it is not. Nothing: both changed it
// differently.
std::optional<std::string> merge_entry(const Sides<const KeyedEntry*>& versions) {
  const auto text = [&](Side side) {
    return versions[side] == nullptr ? std::string() : with_line_end(versions[side]->text);
  };
  if (text(kLeft) == text(kRight) || text(kRight) == text(kBase)) return text(kLeft);
  if (text(kLeft) == text(kBase)) return text(kRight);
  return std::nullopt;
}

std::optional<std::string> merge_entry_run(std::string_view path,
                                           const Sides<std::string_view>& run) {
  Sides<std::vector<KeyedEntry>> all;
  for (std::size_t i = 0; i < 3; ++i) {
    auto entries = entries_in(path, run[i]);
    if (!entries) return std::nullopt;
    all[i] = *std::move(entries);
  }
  // Left's order; what only the right has stands behind what it follows there.
  std::vector<std::string> order;
  for (const KeyedEntry& entry : all[kLeft]) order.push_back(entry.key);
  std::string before;
  for (const KeyedEntry& entry : all[kRight]) {
    auto at = std::ranges::find(order, entry.key);
    if (at == order.end()) {
      at = std::ranges::find(order, before);
      if (at != order.end()) ++at;
      // Entries that the left added there stand before it.
      while (at != order.end() && find_entry(all[kBase], *at) == nullptr &&
             find_entry(all[kRight], *at) == nullptr) {
        ++at;
      }
      order.insert(before.empty() ? order.end() : at, entry.key);
    }
    before = entry.key;
  }
  std::string out;
  for (const std::string& key : order) {
    const auto merged = merge_entry(
        {find_entry(all[kBase], key), find_entry(all[kLeft], key), find_entry(all[kRight], key)});
    if (!merged) return std::nullopt;
    out += *merged;
  }
  return out;
}

// No key is there more often than in the version that has it most often.
bool has_key_twice(std::string_view path, const Sides<std::string>& texts,
                   const std::string& merged) {
  const auto count = [path](const std::string& text) {
    std::map<std::string, int> keys;
    for (const std::string_view line : whole_lines(text)) {
      if (!is_comment_line(line)) ++keys[key_of(path, line)];
    }
    return keys;
  };
  Sides<std::map<std::string, int>> before;
  for (std::size_t i = 0; i < 3; ++i) before[i] = count(texts[i]);
  return std::ranges::any_of(count(merged), [&](const auto& entry) {
    const auto& [key, times] = entry;
    return times > std::max({1, before[0][key], before[1][key], before[2][key]});
  });
}

// --- keys in files of unknown languages ---

// "key" of "  key = value" and "key: value", with the white space before it.
std::string_view assigned_key(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  std::size_t end = begin;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 ||
                               std::string_view("_-.\"'").contains(line[end]))) {
    ++end;
  }
  const std::size_t sign = line.find_first_not_of(" \t", end);
  if (end == begin || sign == std::string_view::npos) return {};
  const char after = sign + 1 < line.size() ? line[sign + 1] : '\n';
  const bool assigns = (line[sign] == '=' && after != '=' && after != '>') ||
                       (line[sign] == ':' && (after == ' ' || after == '\n'));
  return assigns ? line.substr(0, end) : std::string_view();
}

// Each line gives something a value, or says nothing.
bool assigns_only(std::string_view text) {
  return std::ranges::all_of(whole_lines(text), [](std::string_view line) {
    if (is_comment_line(line)) return !line.starts_with('\t');
    const std::string_view bare = trimmed(line);
    const std::size_t sign = bare.find('=');
    return !line.starts_with('\t') && sign != std::string_view::npos && sign > 0 &&
           bare.substr(0, sign).find_first_of("$(){}[],;\"'") == std::string_view::npos;
  });
}

// Each line declares a name, or is empty.
bool records_only(std::string_view text) {
  return std::ranges::all_of(whole_lines(text), [](std::string_view line) {
    return is_blank(line) || !record_name(line).empty();
  });
}

std::optional<std::string> resolve(TextKind kind, std::string_view path, std::string_view before,
                                   const Sides<std::string_view>& run) {
  if (kind == TextKind::kEntries) return merge_entry_run(path, run);
  if (auto words = both_words(path, before, run)) return words;
  if (kind == TextKind::kWords) return std::nullopt;
  const bool only_added = run[kBase].empty() && !run[kLeft].empty() && !run[kRight].empty();
  if (kind == TextKind::kAssignments) {
    const bool makefile = only_added && has_word_lists(path);
    if (auto rules = makefile ? both_targets(run[kLeft], run[kRight]) : std::nullopt) return rules;
    if (!std::ranges::all_of(run, assigns_only)) return std::nullopt;
    return merge_entry_run(path, run);
  }
  if (kind == TextKind::kRecords && std::ranges::all_of(run, records_only)) {
    return merge_entry_run(path, run);
  }
  if (kind == TextKind::kStyles) {
    auto styles = only_added ? both_styles(run[kLeft], run[kRight]) : std::nullopt;
    return styles ? styles : merge_code_run(run);
  }
  if (only_added && path.ends_with(".gradle")) {
    if (auto both = both_dependencies(run[kLeft], run[kRight])) return both;
  }
  if (only_added && is_schema(path)) {
    if (auto both = both_in_schema(run[kLeft], run[kRight])) return both;
  }
  if (kind == TextKind::kCode || kind == TextKind::kRecords) return merge_code_run(run);
  if (kind == TextKind::kElements && !run[kBase].empty()) return both_attributes(run);
  if (!only_added) return std::nullopt;
  if (kind == TextKind::kElements) return both_elements(run[kLeft], run[kRight]);
  return both_paragraphs(before, run[kLeft], run[kRight]);
}

// "[^2]:" and "[name]:", what a reference in prose is looked up by.
std::string_view reference_in(std::string_view line) {
  const std::size_t end = line.find("]:");
  return line.starts_with('[') && end != line.npos && end > 1 ? line.substr(0, end + 2)
                                                              : std::string_view();
}

// " id="top"" of a tag; of a project of Maven or .NET what it takes from elsewhere.
std::string_view named_in_tag(std::string_view line) {
  const std::string_view bare = trimmed(line);
  if (bare.starts_with("<artifactId>") || bare.starts_with("<PackageReference ")) {
    const std::size_t quote = bare.find('"');
    return bare.substr(0, quote == bare.npos ? quote : bare.find('"', quote + 1));
  }
  const std::size_t id = line.find(" id=\"");
  if (id == line.npos) return {};
  const std::size_t end = line.find('"', id + 5);
  return end == line.npos ? std::string_view() : line.substr(id, end + 1 - id);
}

// "[section]", and in HCL 'resource "type" "name" {'.
bool opens_section(std::string_view path, std::string_view line) {
  const std::string_view end = path.substr(std::min(path.rfind('.'), path.size()));
  const std::string_view bare = trimmed(line);
  const bool first = line.starts_with(bare);
  if (is_any(end, {".ini", ".cfg", ".conf"})) return bare.starts_with('[') && bare.ends_with(']');
  const bool block = first && bare.ends_with('{') && bare.contains('"');
  return is_any(end, {".tf", ".hcl"}) && block;
}

// The key by which a line would be there twice; empty when it has none.
std::string key_of_line(std::string_view path, std::string_view line) {
  const TextKind kind = text_kind_of(path);
  if (kind == TextKind::kParagraphs) return lower_ascii(reference_in(line));
  if (kind == TextKind::kElements && !named_in_tag(line).empty()) {
    return std::string(named_in_tag(line));
  }
  if (opens_section(path, line)) return squeeze(line);
  if (kind == TextKind::kEntries) {
    const bool entry = !is_comment_line(line) && !is_blank(line);
    std::string key = entry ? key_of(path, line) : std::string();
    const bool word = std::ranges::any_of(
        key, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    return word && !key.ends_with('(') ? key : std::string();
  }
  if (is_record_file(path) && trimmed(line).ends_with(',')) return std::string(record_name(line));
  // ".PHONY: lint" adds to what other lines of a Makefile say of it.
  if (kind == TextKind::kAssignments && line.starts_with('.')) return {};
  const std::string_view type = declared_type(line);
  return std::string(type.empty() ? assigned_key(line) : type);
}

// The key of a line, and the lines that it is in: each with less white space before it than the one
// below, and the section of an .ini file.
struct PlacedKey {
  std::string key, in;
  std::size_t from = 0, to = 0;  // bytes of the line, without its end
};

std::vector<PlacedKey> placed_keys(std::string_view path, std::string_view text) {
  std::vector<PlacedKey> keys;
  std::vector<std::pair<std::size_t, std::string_view>> open;
  const TextKind kind = text_kind_of(path);
  const bool flat = kind == TextKind::kEntries || kind == TextKind::kParagraphs;
  for (const std::string_view line : whole_lines(text)) {
    const std::string_view bare = trimmed(line);
    if (bare.empty()) continue;
    const auto indent = static_cast<std::size_t>(bare.data() - line.data());
    const bool section = indent == 0 && bare.starts_with('[') && bare.ends_with(']');
    const auto is_above = [&](const auto& each) {
      return each.first < indent || (!section && indent == 0 && each.second.starts_with('['));
    };
    while (!open.empty() && !is_above(open.back())) open.pop_back();
    const auto place = [&](std::string key) {
      PlacedKey placed{std::move(key), {}, 0, 0};
      // A tag is told by its id wherever it is.
      const bool anywhere = flat || placed.key.starts_with(" id=");
      for (const auto& [width, around] : open) {
        if (!anywhere) placed.in += std::string(around) + "\n";
      }
      placed.from = static_cast<std::size_t>(line.data() - text.data());
      placed.to = placed.from + line.size() - (line.ends_with('\n') ? 1 : 0);
      keys.push_back(std::move(placed));
    };
    if (std::string key = key_of_line(path, line); !key.empty()) place(std::move(key));
    const bool proto = path.ends_with(".proto");
    const auto number = proto ? number_of_line(line) : std::string_view();
    if (!number.empty() && !open.empty()) {
      place("number " + std::string(number) + " in " + std::string(open.back().second));
    }
    // A field inside a oneof is a field of the message, too.
    if (!proto || !bare.starts_with("oneof ")) open.emplace_back(indent, bare);
  }
  return keys;
}

using KeysByPlace = std::map<std::pair<std::string, std::string>, int>;

KeysByPlace keys_in(std::string_view path, const std::string& text) {
  KeysByPlace keys;
  for (PlacedKey& each : placed_keys(path, text)) {
    ++keys[{std::move(each.key), std::move(each.in)}];
  }
  return keys;
}

}  // namespace

TextKind text_kind_of(std::string_view path) {
  const std::string_view file = file_of(path);
  if (file == "go.sum" || file == "go.mod" || file == ".env" || is_ignore_file(path) ||
      ends_with_any(file, {".properties", ".env"}) ||
      (file.starts_with("requirements") && file.ends_with(".txt"))) {
    return TextKind::kEntries;
  }
  if (file == "Makefile" || file == "GNUmakefile" ||
      ends_with_any(file, {".mk", ".ini", ".cfg", ".conf"})) {
    return TextKind::kAssignments;
  }
  if (ends_with_any(file, {".md", ".markdown", ".rst", ".adoc"})) return TextKind::kParagraphs;
  if (ends_with_any(file, {".xml", ".csproj", ".fsproj", ".vbproj", ".props", ".targets", ".html",
                           ".htm", ".svg", ".plist", ".xaml", ".resx"})) {
    return TextKind::kElements;
  }
  if (is_record_file(file)) return TextKind::kRecords;
  if (ends_with_any(file, {".css", ".scss", ".less"})) return TextKind::kStyles;
  const bool code = file.find('.', 1) != std::string_view::npos &&
                    !ends_with_any(file, {".txt", ".csv", ".tsv", ".log"});
  if (code) return TextKind::kCode;
  return has_word_lists(file) ? TextKind::kWords : TextKind::kPlain;
}

std::optional<std::string> merge_entries(TextKind kind, std::string_view path,
                                         const Sides<std::string>& texts) {
  const auto runs = runs_of(texts);
  if (kind == TextKind::kPlain || !runs) return std::nullopt;
  std::string out;
  for (const TextRun& run : *runs) {
    if (!run.clashes) {
      out += run.texts[run.taken];
      continue;
    }
    const auto resolved = resolve(kind, path, out, run.texts);
    if (!resolved) return std::nullopt;
    out += *resolved;
  }
  if (kind == TextKind::kEntries && has_key_twice(path, texts, out)) return std::nullopt;
  return out;
}

std::string key_added_twice(std::string_view path, const Sides<std::string>& texts,
                            const std::string& merged) {
  const Sides<KeysByPlace> keys = {keys_in(path, texts[0]), keys_in(path, texts[1]),
                                   keys_in(path, texts[2])};
  for (const auto& [key, times] : keys_in(path, merged)) {
    const auto left = keys[kLeft].find(key), right = keys[kRight].find(key);
    if (times < 2 || left == keys[kLeft].end() || right == keys[kRight].end()) continue;
    const auto known = keys[kBase].lower_bound({key.first, {}});
    if (known != keys[kBase].end() && known->first.first == key.first) continue;
    if (times > std::max(left->second, right->second)) return std::string(trimmed(key.first));
  }
  return {};
}

std::vector<Span> places_of_key(std::string_view path, const Sides<std::string>& texts,
                                std::string_view key) {
  Sides<std::vector<PlacedKey>> placed;
  for (const Side side : {kLeft, kRight}) placed[side] = placed_keys(path, texts[side]);
  std::vector<Span> places;
  for (const Side side : {kLeft, kRight}) {
    for (const PlacedKey& each : placed[side]) {
      const bool both = std::ranges::any_of(placed[other(side)], [&](const PlacedKey& there) {
        return there.key == each.key && there.in == each.in;
      });
      if (both && trimmed(each.key) == key) places.push_back({side, each.from, each.to});
    }
  }
  return places;
}

}  // namespace gittxn::semantic
