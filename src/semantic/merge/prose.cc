#include "semantic/merge/prose.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "semantic/merge/runs.h"

namespace gittxn::semantic {
namespace {

// The place of the signs that end a comment or a string, and of the white space before them.
std::size_t end_of_words(std::string_view text) {
  return text.find_last_not_of(" \t\r\n\"'*/") + 1;
}

// Lines that each side added at one place.
std::string both_added(std::string_view left, std::string_view right) {
  const TextLines first(left), second(right);
  const auto line = [](const TextLines& lines, std::size_t i) { return lines.of({i, i + 1}); };
  std::size_t begin = 0, end = 0;
  const std::size_t least = std::min(first.count(), second.count());
  while (begin < least && line(first, begin) == line(second, begin)) ++begin;
  while (begin + end < least &&
         line(first, first.count() - 1 - end) == line(second, second.count() - 1 - end)) {
    ++end;
  }
  // Empty lines alone are what stands between two paragraphs.
  if (is_blank(first.of({0, begin}))) begin = 0;
  if (is_blank(first.of({first.count() - end, first.count()}))) end = 0;
  return std::string(first.of({0, first.count() - end})) +
         std::string(second.of({begin, second.count()}));
}

// A paragraph of the base that one side changed, and lines that the other side put directly behind
// it, which stand behind what the paragraph is now. Nothing where it is no more, and where the
// other side did more.
std::optional<std::string> added_behind(const TextRun& run, Side adds) {
  const std::string_view base = run.texts[kBase], changed = run.texts[other(adds)];
  const std::string_view added =
      run.texts[adds].substr(std::min(base.size(), run.texts[adds].size()));
  if (!run.texts[adds].starts_with(base) || is_blank(base) || is_blank(changed)) {
    return std::nullopt;
  }
  const TextLines lines(changed);
  std::size_t end = 0;
  while (end < lines.count() && !is_blank(lines.of({end, end + 1}))) ++end;
  if (end == 0 || is_blank(added.substr(0, added.find('\n')))) end = lines.count();
  return std::string(lines.of({0, end})) + std::string(added) +
         std::string(lines.of({end, lines.count()}));
}

// The numbers of "1.2.3-dev": two at least. Empty of anything else.
std::vector<unsigned long> release_numbers(std::string_view text) {
  constexpr std::size_t kMaxDigits = 9;
  const std::size_t begin = std::min(text.find_first_not_of(" \t\"'v"), text.size());
  text = text.substr(begin, text.find_last_not_of(" \t\"'") + 1 - begin);
  std::vector<unsigned long> numbers;
  for (;;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    if (end == 0 || end > kMaxDigits) return {};
    numbers.push_back(std::stoul(std::string(text.substr(0, end))));
    text.remove_prefix(end);
    const bool more =
        text.size() > 1 && text[0] == '.' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
    if (!more) break;
    text.remove_prefix(1);
  }
  constexpr std::string_view kBehind =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-";
  if (numbers.size() < 2 || text.find_first_not_of(kBehind) != std::string_view::npos) return {};
  while (numbers.back() == 0 && numbers.size() > 1) numbers.pop_back();
  return numbers;
}

// Letters and digits in a row that are more than a number of a release, and that the base has not.
bool says_more(std::string_view text, std::string_view base) {
  constexpr std::size_t kWord = 4;
  const auto is_in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_word(text[end])) ++end;
    if (end - at >= kWord && !base.contains(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

// "Debug, Clone" of the one "#[derive(Debug, Clone)]" of a text, on one line; empty of others.
std::string_view derived_in(std::string_view text) {
  constexpr std::string_view kDerive = "#[derive(";
  const std::size_t at = text.find(kDerive);
  if (at == std::string_view::npos || text.find(kDerive, at + 1) != std::string_view::npos)
    return {};
  const std::string_view names = text.substr(at + kDerive.size());
  const std::size_t end = names.find(')');
  if (end == std::string_view::npos || !names.substr(end).starts_with(")]")) return {};
  return names.substr(0, end).contains('\n') ? std::string_view() : names.substr(0, end);
}

std::vector<std::string> names_between_commas(std::string_view text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else if (!is_space(c)) {
      names.back() += c;
    }
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

bool has_all(const std::vector<std::string>& names, const std::vector<std::string>& of) {
  return std::ranges::all_of(
      of, [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
}

// What both sides changed at one place.
std::optional<std::string> merge_run(const TextRun& run) {
  if (run.texts[kBase].empty()) return both_added(run.texts[kLeft], run.texts[kRight]);
  if (auto behind = added_behind(run, kRight)) return behind;
  return added_behind(run, kLeft);
}

}  // namespace

std::optional<Sides<std::string>> with_one_derive(const Sides<std::string_view>& texts) {
  Sides<std::string_view> lists;
  Sides<std::vector<std::string>> names;
  for (std::size_t i = 0; i < 3; ++i) {
    lists[i] = derived_in(texts[i]);
    if (lists[i].empty()) return std::nullopt;
    names[i] = names_between_commas(lists[i]);
  }
  if (!has_all(names[kLeft], names[kBase]) || !has_all(names[kRight], names[kBase])) {
    return std::nullopt;
  }
  std::string all;
  for (const std::string& name : names[kRight]) {
    if (std::ranges::find(names[kLeft], name) == names[kLeft].end()) names[kLeft].push_back(name);
  }
  for (const std::string& name : names[kLeft]) all += (all.empty() ? "" : ", ") + name;
  Sides<std::string> out;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(lists[i].data() - texts[i].data());
    out[i] = std::string(texts[i].substr(0, at)) + all +
             std::string(texts[i].substr(at + lists[i].size()));
  }
  return out;
}

std::optional<Side> higher_release(const Sides<std::string_view>& texts) {
  Sides<std::vector<unsigned long>> numbers;
  for (std::size_t i = 0; i < 3; ++i) {
    numbers[i] = release_numbers(texts[i]);
    if (numbers[i].empty()) return std::nullopt;
  }
  if (numbers[kLeft] == numbers[kRight]) return std::nullopt;
  if (std::min(numbers[kLeft], numbers[kRight]) < numbers[kBase]) return std::nullopt;
  const Side higher = numbers[kLeft] > numbers[kRight] ? kLeft : kRight;
  return says_more(texts[other(higher)], texts[kBase]) ? std::nullopt : std::optional(higher);
}

bool is_for_people(const Node& node) {
  if (node.comment) return true;
  if (node.kind == "expression_statement")
    return node.kids.size() == 1 && is_for_people(*node.kids[0]);
  return node.kids.empty() && node.kind == "string" && node.parent != nullptr &&
         node.parent->kind == "expression_statement" && node.parent->kids.size() == 1;
}

std::optional<std::string> merge_prose(const Sides<std::string_view>& texts) {
  Sides<std::string> words;
  Sides<std::string_view> ends;
  for (const Side side : {kBase, kLeft, kRight}) {
    const std::size_t end = end_of_words(texts[side]);
    words[side] = std::string(texts[side].substr(0, end)) + "\n";
    ends[side] = texts[side].substr(end);
  }
  const bool one_end = ends[kLeft] == ends[kRight] || ends[kRight] == ends[kBase];
  if (!one_end && ends[kLeft] != ends[kBase]) return std::nullopt;
  const auto runs = runs_of(words);
  if (!runs) return std::nullopt;
  std::string merged;
  for (const TextRun& run : *runs) {
    auto text = run.clashes ? merge_run(run) : std::string(run.texts[run.taken]);
    if (!text) return std::nullopt;
    merged += *text;
  }
  if (merged.ends_with('\n')) merged.pop_back();
  return merged + std::string(one_end ? ends[kLeft] : ends[kRight]);
}

}  // namespace gittxn::semantic
