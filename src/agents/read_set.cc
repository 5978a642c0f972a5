#include "agents/observe.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "agents/fields.h"
#include "base/text.h"

namespace gittxn::agents {

namespace {

constexpr std::size_t kMaxEntries = 10'000;

// The fence a block opens with ("```" or longer, "~~~"), "" when the line opens none.
std::string_view fence_of(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return "";
  const std::size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  return length >= 3 ? line.substr(0, length) : "";
}

bool closes(std::string_view line, std::string_view fence) {
  const std::string_view mark = fence_of(line);
  return mark.size() == line.size() && mark.starts_with(fence) && !mark.empty();
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool fits = error == std::errc() && end == text.data() + text.size();
  return fits && value >= 1 && value <= (std::int64_t{1} << 53) ? std::optional(value)
                                                                : std::nullopt;
}

// "src/a.c lines 10-40": the suffix is cut off `path`. One that is not two numbers in order belongs
// to the name.
LineRange cut_range(std::string_view* path) {
  constexpr std::string_view kWord = " lines ";
  const std::size_t at_word = path->rfind(kWord);
  if (at_word == path->npos) return {};
  const std::string_view figures = path->substr(at_word + kWord.size());
  const std::size_t dash = figures.find('-');
  if (dash == figures.npos) return {};
  const auto first = number(trimmed(figures.substr(0, dash)));
  const auto last = number(trimmed(figures.substr(dash + 1)));
  if (!first || !last || *last < *first) return {};
  *path = trimmed(path->substr(0, at_word));
  return {*first, *last - *first + 1};
}

std::optional<Detail> query_entry(QueryKind kind, std::string_view text) {
  constexpr std::string_view kIn = " in ";
  Query query;
  query.kind = kind;
  const std::size_t at_in = text.rfind(kIn);
  query.pattern = std::string(trimmed(text.substr(0, at_in)));
  if (at_in != text.npos) {
    const auto root = as_path(trimmed(text.substr(at_in + kIn.size())));
    if (!root) return {};
    query.root = *root;
  }
  if (query.pattern.empty()) return {};
  return query;
}

struct Entry {
  Detail detail;
  Outcome outcome = Outcome::kDone;
};

std::optional<Entry> entry_of(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) line = trimmed(line.substr(2));
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return {};
  const std::string_view word = line.substr(0, colon);
  std::string_view rest = trimmed(line.substr(colon + 1));
  if (rest.size() >= 2 && rest.front() == '`' && rest.back() == '`') {
    rest = rest.substr(1, rest.size() - 2);
  }
  if (rest.empty() || rest.size() > kMaxText) return {};
  if (word == "url") return Entry{Url{std::string(rest)}};
  if (word == "search" || word == "glob") {
    auto query = query_entry(word == "glob" ? QueryKind::kGlob : QueryKind::kGrep, rest);
    return query ? std::optional(Entry{std::move(*query)}) : std::nullopt;
  }
  const LineRange lines = word == "read" ? cut_range(&rest) : LineRange{};
  auto path = as_path(rest);
  if (!path) return {};
  if (word == "read") return Entry{FileRead{std::move(*path), lines, Via::kTool}};
  if (word == "list") return Entry{Listing{std::move(*path), Via::kTool}};
  if (word == "absent") return Entry{FileRead{std::move(*path), {}, Via::kTool}, Outcome::kAbsent};
  return {};
}

}  // namespace

std::size_t observe_read_set(const Observation& base, std::string_view message, const Sink& sink,
                             Tally& tally) {
  std::size_t blocks = 0;
  std::size_t entries = 0;
  std::string_view fence;  // of the block we are in; any block hides what is written in it
  bool ours = false;
  for (const std::string_view whole : lines_of(message)) {
    const std::string_view line = trimmed(whole);
    if (fence.empty()) {
      fence = fence_of(line);
      ours = !fence.empty() && trimmed(line.substr(fence.size())) == "read_set";
      if (ours) ++blocks;
      continue;
    }
    if (closes(line, fence)) {
      fence = {};
      continue;
    }
    if (!ours || line.empty() || line.starts_with('#')) continue;
    ++tally.lines;
    auto entry = ++entries <= kMaxEntries ? entry_of(line) : std::nullopt;
    if (!entry) {
      ++tally.damaged;
      continue;
    }
    Observation observation = base;
    observation.source = ReadSource::kDeclared;
    observation.outcome = entry->outcome;
    observation.detail = std::move(entry->detail);
    sink(std::move(observation));
  }
  return blocks;
}

}  // namespace gittxn::agents
