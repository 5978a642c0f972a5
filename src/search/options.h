// Splits an argument vector by a table of options. Private to the parsers of this module.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/argv.h"

namespace gittxn::search {

enum class Value { kNone, kNeeded, kOptional };  // kOptional: only after '='

struct Option {
  char letter;            // 0: none
  std::string_view name;  // without dashes; "": none
  Value value;
  int id;             // for the parser's switch; by custom the letter
  unsigned of = ~0u;  // where programs share a table: those that have it
};

struct Given {
  int id = 0;
  std::string value;
};

enum class Order { kMixed, kOptionsFirst };

struct Words {
  std::vector<Given> options;
  std::vector<std::string> operands;
  std::vector<std::string> after_dashes;
  bool dashes = false;
  std::vector<std::string> all() const;  // operands, then what is behind the dashes
};

// Long names must be whole: an abbreviation depends on every option the program has.
Refined<Words> split_words(std::span<const Option> table, std::span<const std::string> words,
                           Order order, unsigned of = ~0u);

Refined<std::uint32_t> parse_number(const std::string& text);  // 1 to 100,000

// The paths given to a program that ran in `around.cwd`; none: where it ran.
Refined<void> add_roots(Query& query, const std::vector<std::string>& paths,
                        const Surroundings& around);
// "auto" marks what matched on a terminal: the same lines have the same marks.
Refined<void> check_colors(const std::string& when);

// One parser a program. `words` begin after the program's own name.
Refined<Query> parse_grep(std::span<const std::string> words, const Surroundings& around);
Refined<Query> parse_ripgrep(std::span<const std::string> words, const Surroundings& around);
Refined<Query> parse_git_grep(std::span<const std::string> words, const Surroundings& around);
Refined<Query> parse_find(std::span<const std::string> words, const Surroundings& around);
Refined<Query> parse_bfs(std::span<const std::string> words, const Surroundings& around);
Refined<Query> parse_fd(std::span<const std::string> words, const Surroundings& around);
Refined<Query> parse_ls(std::span<const std::string> words, const Surroundings& around);

}  // namespace gittxn::search
