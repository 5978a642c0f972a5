// Filters of jq and gojq. Each word of a filter outside of its strings must be a built-in function
// on a closed list, a field, a variable or a key: what tells the time, the environment or the place
// of modules is not on it. Strings are followed into "\(...)". Remarks and functions of one's own
// are not read.
#include <algorithm>
#include <cctype>

#include "questions/options.h"

namespace gittxn::questions {
namespace {

constexpr std::size_t kMaxFilter = 65'536;
constexpr std::size_t kMaxBrackets = 200;

constexpr std::string_view kKeywords =
    "if then elif else end as reduce foreach try catch label and or not null true false";
constexpr std::string_view kFunctions =
    "IN INDEX abs acos acosh add all any arrays ascii ascii_downcase ascii_upcase asin asinh "
    "atan atan2 atanh booleans break bsearch capture cbrt ceil combinations contains cos cosh "
    "debug del delpaths drem empty endswith error exp exp10 exp2 explode fabs finites first "
    "flatten floor fma fmax fmin fmod frexp from_entries fromdate fromdateiso8601 fromjson "
    "fromstream gamma getpath gmtime group_by gsub halt halt_error has have_decnum "
    "have_literal_numbers implode in index indices infinite input input_filename "
    "input_line_number inputs inside isempty isinfinite isnan isnormal isvalid iterables join "
    "keys keys_unsorted last ldexp length lgamma lgamma_r limit log log10 log2 logb ltrim "
    "ltrimstr map map_values match max max_by min min_by mktime modf nan nearbyint normals "
    "nth nulls numbers objects path paths pick pow range recurse repeat reverse rindex round "
    "rtrim rtrimstr scalars scalb scalbln scan select setpath significand sin sinh skip sort "
    "sort_by split splits sqrt startswith stderr strings strptime sub tan tanh test tgamma "
    "to_entries toarray todate todateiso8601 tojson tonumber tostream tostring transpose trim "
    "trimstr trunc truncate_stream type unique unique_by until utf8bytelength values walk "
    "while with_entries";

class Filter {
 public:
  explicit Filter(std::string_view text) : text_(text) {}

  Asked<void> parse() {
    if (text_.size() > kMaxFilter) return refused("is too long");
    while (at_ < text_.size()) TRY(token());
    if (!open_.empty()) return refused("lacks a closing bracket or quote");
    return {};
  }

 private:
  static std::unexpected<NoQuestion> refused(std::string_view what) {
    return no_question("jq with a filter that " + std::string(what) + " is not understood");
  }
  static bool begins_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  static bool in_word(char c) { return begins_word(c) || (c >= '0' && c <= '9'); }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  char inside() const { return open_.empty() ? '\0' : open_.back(); }

  Asked<void> token() {
    const char c = text_[at_];
    if (c == '"') {
      TRY(open('"'));
      return string();
    }
    if (c == '#') return refused("has remarks");
    if (c == '(' || c == '[' || c == '{') return open(c);
    if (c == ')' || c == ']' || c == '}') return close(c);
    if (begins_word(c)) return word();
    if (c == '@') return format();
    if (c >= '0' && c <= '9') {  // "1e5": no word begins there
      while (in_word(at(at_)) || at(at_) == '.') ++at_;
      last_ = '0';
      return {};
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) last_ = c;
    ++at_;
    return {};
  }

  Asked<void> open(char c) {
    if (open_.size() >= kMaxBrackets) return refused("nests deep");
    open_ += c;
    last_ = c;
    ++at_;
    return {};
  }

  // The end of "\(" goes on with the string that it stands in: its mark is a bar.
  Asked<void> close(char c) {
    const char expected = inside() == '[' ? ']' : inside() == '{' ? '}' : ')';
    if (open_.empty() || c != expected) return refused("closes another bracket");
    const bool in_string = inside() == '|';
    open_.pop_back();
    last_ = c;
    ++at_;
    return in_string ? string() : Asked<void>{};
  }

  // From behind its quote, or behind "\(...)".
  Asked<void> string() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') {
        open_.pop_back();
        last_ = '"';
        return {};
      }
      if (c != '\\') continue;
      if (at(at_) == '(') return open('|');
      ++at_;
    }
    return {};  // parse() sees that the quote is open
  }

  Asked<void> format() {
    constexpr std::string_view kFormats =
        "text json html uri csv tsv sh base64 base64d base32 base32d urid";
    ++at_;
    const std::size_t begin = at_;
    while (in_word(at(at_))) ++at_;
    last_ = '@';
    if (!among(kFormats, text_.substr(begin, at_ - begin)))
      return refused("has a format of its own");
    return {};
  }

  // A key of an object: "name:" or, between '{' or ',' and ',' or '}', "name" alone.
  bool is_key(char before) const {
    if (inside() != '{') return false;
    std::size_t place = at_;
    while (std::isspace(static_cast<unsigned char>(at(place))) != 0) ++place;
    const char next = at(place);
    if (next == ':') return at(place + 1) != ':';
    return (before == '{' || before == ',') && (next == ',' || next == '}');
  }

  Asked<void> word() {
    const std::size_t begin = at_;
    while (in_word(at(at_))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const char before = last_;
    const char beside = begin > 0 ? text_[begin - 1] : '\0';
    last_ = 'w';
    if (at(at_) == ':' && at(at_ + 1) == ':') return refused("uses modules");
    if (beside == '.' && (begin < 2 || text_[begin - 2] != '.')) return {};
    if (beside == '$') {
      if (name == "ENV") return said("$ENV");
      return {};
    }
    if (is_key(before) || among(kKeywords, name) || among(kFunctions, name)) return {};
    return said(name);
  }

  static std::unexpected<NoQuestion> said(std::string_view name) {
    constexpr std::string_view kTimes = "now localtime strflocaltime date dateadd datesub";
    const std::string start = "jq with " + std::string(name) + " ";
    if (among(kTimes, name)) return no_question(start + std::string(kClock));
    return no_question(start + "is not on the list");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // what is open: ( [ { and " with | for \(
  char last_ = '\0';  // the last token: a sign, or a letter for a kind of word
};

}  // namespace

Asked<void> check_jq(const Arguments& arguments, Question& /*question*/) {
  const std::vector<std::string> words = arguments.all();
  if (words.empty()) return no_question("jq without a filter asks nothing");
  return Filter(words.front()).parse();
}

}  // namespace gittxn::questions
