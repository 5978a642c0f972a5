// Patterns. A pattern is taken only when it is written in a subset whose meaning on ASCII text is
// certain: fixed strings, GNU basic and extended expressions (evaluated by libc's own, with GNU
// grep's syntax bits), Perl's (PCRE2, as grep -P), and Rust's where they mean the same to PCRE2.
// Text that is not ASCII has a certain answer for case-sensitive fixed strings alone; see
// answer_is_certain.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/query.h"

namespace gittxn::search {

// Says why not, in words for `why`. Empty patterns and patterns of more than one line are outside.
Refined<void> check_pattern(Dialect dialect, std::string_view pattern);

// Whether a pattern has upper case letters that stand for themselves; smart case asks.
// Not refined when that depends on how the tool counts (no letter or digit at all).
Refined<bool> smart_case_ignores(std::string_view pattern);

bool is_ascii(std::string_view text);  // a byte 0 is none

// A pattern that is the very text it looks for, in any dialect. Not all of them are known.
bool is_literal(Dialect dialect, std::string_view pattern);

// `text` is what the tool calls text, and the pattern's meaning on it is certain.
bool answer_is_certain(const Query& query, std::string_view text);

struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
};
enum class Found { kNo, kYes, kUnknown };  // kUnknown: the library gave up (limits)

// The compiled patterns of a query. Not for use by two threads at once.
class Matcher {
 public:
  static Refined<Matcher> compile(const Query& query);
  // The first match in `line` (no newline in it) at or after `from`, leftmost; inversion is not
  // applied.
  Found find(std::string_view line, std::size_t from, Match& match) const;

 private:
  struct Parts;
  explicit Matcher(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

// What a query prints about one path. The lines of a path whose answer is not certain are a token
// that is the same only for the same bytes.
struct PathAnswer {
  bool certain = true;
  bool selected = false;  // a line was selected, printed or not: the program's status tells
  std::vector<std::string> lines;
};

// What a text searcher prints about one file; without lines when that cannot be told. `name` as the
// tool shows it; empty: it shows none. Groups of context within the file are parted by "--"; the
// one that the tool puts between files is not there.
PathAnswer lines_of(const Query& query, const Matcher& matcher, const std::string& name,
                    std::string_view text);

}  // namespace gittxn::search
