// Compiled patterns: fixed strings by ourselves, POSIX ones by libc with GNU grep's syntax bits,
// the others by PCRE2.
#include <regex.h>

#include <algorithm>
#include <cctype>
#include <mutex>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "search/pattern.h"

namespace gittxn::search {
namespace {

constexpr std::uint32_t kMatchLimit = 1'000'000;  // steps a line before we say "unknown"
constexpr int kMaxLine = 1 << 28;                 // libc counts in int

char fold(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
// The first one counts, and of those that begin together the longest.
void keep_better(const Match& here, Found& found, Match& best) {
  const bool better = found == Found::kNo || here.begin < best.begin ||
                      (here.begin == best.begin && here.end > best.end);
  if (better) best = here;
  found = Found::kYes;
}
bool stands_alone(std::string_view line, const Match& match) {
  return (match.begin == 0 || !is_word(line[match.begin - 1])) &&
         (match.end == line.size() || !is_word(line[match.end]));
}

// Frees what a library made, with the function that it has for that.
template <auto kFree>
struct FreeWith {
  void operator()(auto* made) const { kFree(made); }
};
void free_regex(re_pattern_buffer* buffer) {
  regfree(buffer);
  delete buffer;
}
using Regex = std::unique_ptr<re_pattern_buffer, FreeWith<free_regex>>;

}  // namespace

struct Matcher::Parts {
  Query query;
  std::vector<Regex> regexes;
  std::unique_ptr<pcre2_code, FreeWith<pcre2_code_free>> code;
  std::unique_ptr<pcre2_match_data, FreeWith<pcre2_match_data_free>> data;
  std::unique_ptr<pcre2_match_context, FreeWith<pcre2_match_context_free>> limits;

  Found find_fixed(std::string_view line, std::size_t from, Match& match) const {
    const auto same = [this](char a, char b) {
      return query.ignore_case ? fold(a) == fold(b) : a == b;
    };
    Found found = Found::kNo;
    for (const std::string& text : query.patterns) {
      auto at = line.begin() + static_cast<std::ptrdiff_t>(from);
      while ((at = std::search(at, line.end(), text.begin(), text.end(), same)) != line.end()) {
        const auto begin = static_cast<std::size_t>(at - line.begin());
        const Match here{begin, begin + text.size()};
        ++at;
        if (query.whole_line && (begin != 0 || here.end != line.size())) continue;
        if (query.word && !stands_alone(line, here)) continue;
        keep_better(here, found, match);
        break;
      }
    }
    return found;
  }

  Found one_posix(re_pattern_buffer& regex, std::string_view line, std::size_t from,
                  Match& match) const {
    const auto size = static_cast<regoff_t>(line.size());
    regex.not_bol = 0;
    regex.not_eol = 0;
    if (query.whole_line) {
      const regoff_t length = re_match(&regex, line.data(), size, 0, nullptr);
      if (length < -1) return Found::kUnknown;
      match = {0, line.size()};
      return from == 0 && length == size ? Found::kYes : Found::kNo;
    }
    for (auto start = static_cast<regoff_t>(from); start <= size; ++start) {
      start = re_search(&regex, line.data(), size, start, size - start, nullptr);
      if (start == -1) return Found::kNo;
      if (start < 0) return Found::kUnknown;
      regoff_t end = size;
      // The longest match at this place, and with -w ever shorter ones until one stands alone.
      while (end >= start) {
        const regoff_t length = re_match(&regex, line.data(), end, start, nullptr);
        if (length < -1) return Found::kUnknown;
        if (length < 0) break;
        match = {static_cast<std::size_t>(start), static_cast<std::size_t>(start + length)};
        if (!query.word || stands_alone(line, match)) return Found::kYes;
        end = start + length - 1;
      }
    }
    return Found::kNo;
  }

  Found find_posix(std::string_view line, std::size_t from, Match& match) const {
    Found found = Found::kNo;
    for (const Regex& regex : regexes) {
      Match here;
      const Found one = one_posix(*regex, line, from, here);
      if (one == Found::kUnknown) return one;
      if (one == Found::kYes) keep_better(here, found, match);
    }
    return found;
  }

  Found find_pcre(std::string_view line, std::size_t from, Match& match) const {
    const int found = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(line.data()),
                                  line.size(), from, 0, data.get(), limits.get());
    if (found == PCRE2_ERROR_NOMATCH) return Found::kNo;
    if (found < 0) return Found::kUnknown;
    const std::size_t* offsets = pcre2_get_ovector_pointer(data.get());
    match = {offsets[0], offsets[1]};
    return Found::kYes;
  }
};

namespace {

Refined<Regex> compile_posix(const std::string& pattern, const Query& query) {
  // The syntax is a global of libc, read while compiling.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  reg_syntax_t bits = query.dialect == Dialect::kBasic ? RE_SYNTAX_GREP : RE_SYNTAX_EGREP;
  if (query.ignore_case) bits |= RE_ICASE;
  const reg_syntax_t old = re_set_syntax(bits);
  Regex regex(new re_pattern_buffer{});
  const char* error = re_compile_pattern(pattern.data(), pattern.size(), regex.get());
  re_set_syntax(old);
  if (error != nullptr) return not_refined(std::string("pattern: ") + error);
  return regex;
}

// -w: GNU grep and rg both look for some match with no word character on either side.
std::string wrapped(const Query& query) {
  std::string all;
  for (const std::string& pattern : query.patterns) {
    all += (all.empty() ? "(?:" : "|(?:") + pattern + ")";
  }
  if (query.whole_line) return "^(?:" + all + ")$";
  if (query.word) return "(?<!\\w)(?:" + all + ")(?!\\w)";
  return all;
}

bool cuts_change_it(std::string_view pattern) {
  for (const std::string_view part : {"\\b", "\\B", "\\<", "\\>", "$"}) {
    if (pattern.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Refined<Matcher> Matcher::compile(const Query& query) {
  const auto parts = std::make_shared<Parts>();
  parts->query = query;
  if (query.patterns.empty()) return not_refined("no pattern");
  for (const std::string& pattern : query.patterns) {
    TRY(check_pattern(query.dialect, pattern));
    // Some letters beyond ASCII are the other case of ASCII ones.
    if (query.ignore_case && !is_ascii(pattern)) return not_refined("pattern: case beyond ASCII");
    const bool posix = query.dialect == Dialect::kBasic || query.dialect == Dialect::kExtended;
    if (!posix) continue;
    if (query.word && cuts_change_it(pattern)) return not_refined("pattern: an anchor and -w");
    parts->regexes.push_back(TRY(compile_posix(pattern, query)));
  }
  if (query.dialect == Dialect::kPerl || query.dialect == Dialect::kRust) {
    const std::string text = wrapped(query);
    const std::unique_ptr<pcre2_compile_context, FreeWith<pcre2_compile_context_free>> context(
        pcre2_compile_context_create(nullptr));
    if (!context) return not_refined("PCRE2 has no memory");
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int error = 0;
    std::size_t offset = 0;
    parts->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                    query.ignore_case ? PCRE2_CASELESS : 0, &error, &offset,
                                    context.get()));
    if (!parts->code) return not_refined("pattern: PCRE2 does not take it");
    parts->data.reset(pcre2_match_data_create_from_pattern(parts->code.get(), nullptr));
    parts->limits.reset(pcre2_match_context_create(nullptr));
    if (!parts->data || !parts->limits) return not_refined("PCRE2 has no memory");
    pcre2_set_match_limit(parts->limits.get(), kMatchLimit);
  }
  return Matcher(parts);
}

Found Matcher::find(std::string_view line, std::size_t from, Match& match) const {
  if (line.size() > kMaxLine || from > line.size()) return Found::kUnknown;
  const Dialect dialect = parts_->query.dialect;
  if (dialect == Dialect::kFixed) return parts_->find_fixed(line, from, match);
  if (dialect == Dialect::kBasic || dialect == Dialect::kExtended) {
    return parts_->find_posix(line, from, match);
  }
  if (dialect == Dialect::kPerl || dialect == Dialect::kRust) {
    return parts_->find_pcre(line, from, match);
  }
  return Found::kUnknown;
}

}  // namespace gittxn::search
