#include "semantic/merge/texts/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "base/text.h"
#include "semantic/merge/texts/added.h"

namespace gittxn::semantic {
namespace {

using ListWords = std::vector<std::string_view>;

enum class ListsOf { kNone, kMakefile, kCmake, kDockerfile, kSql };

ListsOf lists_of(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file == "Makefile" || file == "GNUmakefile" || file.ends_with(".mk")) {
    return ListsOf::kMakefile;
  }
  if (file == "CMakeLists.txt" || file.ends_with(".cmake")) return ListsOf::kCmake;
  if (file == "Dockerfile" || file.starts_with("Dockerfile.") || file.ends_with(".dockerfile")) {
    return ListsOf::kDockerfile;
  }
  return file.ends_with(".sql") ? ListsOf::kSql : ListsOf::kNone;
}

bool is_plain_word(std::string_view word) {
  return std::isalnum(static_cast<unsigned char>(word.front())) != 0 &&
         std::ranges::all_of(word, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("._/+-").contains(c);
         });
}

// "o" of "a.o"; empty of what has no ending.
std::string_view ending_of(std::string_view word) {
  const std::size_t dot = word.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : word.substr(dot + 1);
}

// --- words on one line: "OBJS = a.o b.o" ---

struct WordLine {
  std::string_view head;  // up to the sign, and the space behind it
  ListWords words;
};

// Nothing where more than one space stands between two, or one says anything but itself.
std::optional<WordLine> word_line(std::string_view line) {
  if (!line.ends_with('\n') || line.starts_with('\t')) return std::nullopt;
  line.remove_suffix(1);
  const std::size_t sign = line.find(line.starts_with(".PHONY") ? ':' : '=');
  if (sign == std::string_view::npos || sign + 2 >= line.size() || line[sign + 1] != ' ') {
    return std::nullopt;
  }
  WordLine found{line.substr(0, sign + 2), {}};
  for (std::size_t at = sign + 2; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (end == at || !is_plain_word(line.substr(at, end - at))) return std::nullopt;
    found.words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

// The words that `side` has at each place between those of `base`; nothing where it has not all of
// these in their order.
std::optional<std::vector<ListWords>> added_between(const ListWords& base, const ListWords& side) {
  std::vector<ListWords> added(1);
  for (const std::string_view word : side) {
    if (added.size() <= base.size() && word == base[added.size() - 1]) {
      added.emplace_back();
    } else {
      added.back().push_back(word);
    }
  }
  return added.size() == base.size() + 1 ? std::optional(added) : std::nullopt;
}

// The base has more than one word, and each word that a side added looks like these.
bool are_alike(const ListWords& base, const std::vector<ListWords>& added) {
  return base.size() >= 2 && std::ranges::all_of(added, [&](const ListWords& words) {
           return std::ranges::all_of(words, [&](std::string_view word) {
             return std::ranges::find(base, ending_of(word), ending_of) != base.end();
           });
         });
}

std::optional<std::string> both_on_a_line(const Sides<std::string_view>& run) {
  Sides<WordLine> lines;
  for (std::size_t i = 0; i < 3; ++i) {
    auto line = word_line(run[i]);
    if (!line || (i > 0 && line->head != lines[0].head)) return std::nullopt;
    lines[i] = *std::move(line);
  }
  const ListWords& base = lines[kBase].words;
  const auto left = added_between(base, lines[kLeft].words);
  const auto right = added_between(base, lines[kRight].words);
  if (!left || !right || !are_alike(base, *left) || !are_alike(base, *right)) return std::nullopt;
  std::string out(lines[kBase].head.substr(0, lines[kBase].head.size() - 1));
  ListWords all;
  for (std::size_t i = 0; i <= base.size(); ++i) {
    all.insert(all.end(), (*left)[i].begin(), (*left)[i].end());
    all.insert(all.end(), (*right)[i].begin(), (*right)[i].end());
    if (i < base.size()) all.push_back(base[i]);
  }
  if (std::set<std::string_view>(all.begin(), all.end()).size() < all.size()) return std::nullopt;
  for (const std::string_view word : all) out += " " + std::string(word);
  return out + "\n";
}

// --- words, or columns, on lines of their own ---

std::string_view separator_of(ListsOf kind) {
  if (kind == ListsOf::kCmake) return {};
  return kind == ListsOf::kSql ? "," : "\\";
}

// "a.o" of "  a.o \\" and of "  a.o".
std::string_view without_separator(ListsOf kind, std::string_view line) {
  line = trimmed(line);
  if (line.ends_with(separator_of(kind))) line.remove_suffix(separator_of(kind).size());
  return trimmed(line);
}

bool ends_in_separator(ListsOf kind, std::string_view line) {
  return trimmed(line).ends_with(separator_of(kind));
}

// The name of a column, "email" of "email TEXT NOT NULL"; empty of anything else.
std::string column_name(std::string_view text) {
  const std::string lower = lower_ascii(text);
  const std::size_t end = lower.find(' ');
  if (end == std::string::npos ||
      std::ranges::count(lower, '(') != std::ranges::count(lower, ')')) {
    return {};
  }
  const std::string name = lower.substr(0, end);
  static const std::set<std::string_view> kOthers = {
      "primary", "foreign",  "constraint", "unique", "check", "index",  "key",    "exclude",
      "like",    "fulltext", "period",     "alter",  "add",   "select", "create", "insert"};
  const bool plain = std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_\"`").contains(c);
  });
  return plain && !kOthers.contains(name) ? name : std::string();
}

// The word or column that a line is about; empty if it is about none.
std::string name_in_list(ListsOf kind, std::string_view line) {
  const std::string_view text = without_separator(kind, line);
  if (text.empty()) return {};
  if (kind == ListsOf::kSql) return column_name(text);
  return is_plain_word(text) ? std::string(text) : std::string();
}

// The line opens a list whose order says nothing.
bool opens_list(ListsOf kind, std::string_view line) {
  const std::string bare = lower_ascii(trimmed(line));
  if (kind == ListsOf::kSql) return bare.starts_with("create table") && bare.ends_with('(');
  if (kind == ListsOf::kMakefile) return !line.starts_with('\t') && bare.contains('=');
  if (kind == ListsOf::kCmake) {
    return std::ranges::any_of(
        std::array{"add_executable(", "add_library(", "target_sources(", "set("},
        [&](std::string_view name) { return bare.starts_with(name) && !bare.contains(')'); });
  }
  const std::string last = bare.substr(bare.rfind("&&") + 1);
  return last.contains(" install ") || last.contains("apk add ");
}

// The lines above open such a list.
bool is_in_list(ListsOf kind, const std::vector<std::string_view>& above) {
  for (auto line = above.rbegin(); line != above.rend(); ++line) {
    if (opens_list(kind, *line)) return true;
    const bool item = !name_in_list(kind, *line).empty();
    if (!item) return false;
  }
  return false;
}

// The lines that a side added behind those of the base, of which the last one got a separator;
// nothing where it did more.
std::optional<std::vector<std::string_view>> lines_behind(ListsOf kind,
                                                          const std::vector<std::string_view>& base,
                                                          std::string_view side) {
  std::vector<std::string_view> lines = whole_lines(side);
  if (lines.size() <= base.size()) return std::nullopt;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const bool last = i + 1 == base.size();
    const bool same = last ? !ends_in_separator(kind, base[i]) &&
                                 ends_in_separator(kind, lines[i]) &&
                                 trimmed(base[i]) == without_separator(kind, lines[i])
                           : base[i] == lines[i];
    if (!same) return std::nullopt;
  }
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(base.size()));
  return lines;
}

// "  a.o" with the separator that another last line got, " \\" or ",".
std::string separated(ListsOf kind, std::string_view line) {
  std::string out(line.substr(0, line.find_last_not_of(" \t\r\n") + 1));
  out += kind == ListsOf::kSql ? "," : " \\";
  return out + "\n";
}

std::optional<std::string> both_on_lines(ListsOf kind, std::string_view before,
                                         const Sides<std::string_view>& run) {
  const std::vector<std::string_view> base = whole_lines(run[kBase]);
  if (kind == ListsOf::kCmake && !base.empty()) return std::nullopt;
  std::vector<std::string_view> above = whole_lines(before);
  above.insert(above.end(), base.begin(), base.end());
  if (!is_in_list(kind, above)) return std::nullopt;
  Sides<std::vector<std::string_view>> added;
  std::set<std::string> names;
  for (const Side side : {kLeft, kRight}) {
    const auto lines =
        base.empty() ? std::optional(whole_lines(run[side])) : lines_behind(kind, base, run[side]);
    if (!lines || lines->empty()) return std::nullopt;
    for (const std::string_view& line : *lines) {
      const bool last = !base.empty() && &line == &lines->back();
      const std::string name = name_in_list(kind, line);
      const bool file = kind != ListsOf::kCmake || name.contains('.');
      if (name.empty() || !file || !line.ends_with('\n') || !names.insert(name).second) {
        return std::nullopt;
      }
      if (!separator_of(kind).empty() && ends_in_separator(kind, line) == last) return std::nullopt;
    }
    added[side] = *lines;
  }
  std::string out;
  if (base.empty()) return std::string(run[kLeft]) + std::string(run[kRight]);
  const std::size_t shared = run[kLeft].size() - added[kLeft].back().size();
  out = std::string(run[kLeft].substr(0, shared)) + separated(kind, added[kLeft].back());
  for (const std::string_view line : added[kRight]) out += line;
  return out;
}

}  // namespace

bool has_word_lists(std::string_view path) {
  return lists_of(path) != ListsOf::kNone;
}

std::optional<std::string> both_words(std::string_view path, std::string_view before,
                                      const Sides<std::string_view>& run) {
  const ListsOf kind = lists_of(path);
  if (kind == ListsOf::kNone) return std::nullopt;
  if (kind == ListsOf::kMakefile) {
    if (auto line = both_on_a_line(run)) return line;
  }
  return both_on_lines(kind, before, run);
}

}  // namespace gittxn::semantic
