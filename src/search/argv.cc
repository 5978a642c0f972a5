#include "search/argv.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/fs.h"
#include "search/options.h"

namespace gittxn::search {
namespace {

constexpr std::size_t kMaxWords = 2'000;

// Case and classes of ASCII are the same in these; Turkish has another lower case i.
Refined<void> check_locale(const Surroundings& around) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto at = around.env.find(name);
    if (at == around.env.end() || at->second.empty()) continue;
    const std::string& locale = at->second;
    const bool utf8 = locale.ends_with(".UTF-8") || locale.ends_with(".utf8");
    const bool plain = locale == "C" || locale == "POSIX";
    if (plain || (utf8 && (locale.starts_with("C.") || locale.starts_with("en_")))) return {};
    return not_refined("locale " + locale);
  }
  return {};
}

Refined<void> check_environment(const Surroundings& around) {
  TRY(check_locale(around));
  for (const char* name : {"GREP_OPTIONS", "POSIXLY_CORRECT", "RIPGREP_CONFIG_PATH",
                           "TEST_BLOCK_SIZE", "LD_LIBRARY_PATH", "LOCPATH"}) {
    if (around.env.contains(name)) return not_refined(std::string("environment: ") + name);
  }
  return {};
}

Refined<void> check_git_environment(const Surroundings& around) {
  static constexpr std::string_view kHarmless[] = {"GIT_PAGER",
                                                   "GIT_EDITOR",
                                                   "GIT_SEQUENCE_EDITOR",
                                                   "GIT_TERMINAL_PROMPT",
                                                   "GIT_AUTHOR_NAME",
                                                   "GIT_AUTHOR_EMAIL",
                                                   "GIT_AUTHOR_DATE",
                                                   "GIT_COMMITTER_NAME",
                                                   "GIT_COMMITTER_EMAIL",
                                                   "GIT_COMMITTER_DATE",
                                                   "GIT_OPTIONAL_LOCKS",
                                                   "GIT_ASKPASS",
                                                   "GIT_EXEC_PATH",  // grep is built in
                                                   "GIT_SSH",
                                                   "GIT_SSH_COMMAND"};
  for (const auto& [name, value] : around.env) {
    const bool of_git =
        name.starts_with("GIT_") && !name.starts_with("GIT_TXN_") && !name.starts_with("GIT_SSL_");
    if (!of_git) continue;
    if (std::ranges::find(kHarmless, name) == std::end(kHarmless)) {
      return not_refined("environment: " + name);
    }
  }
  if (around.git_settings != Vouched::kYes) return not_refined("git's settings are not known");
  return {};
}

// The options that one program has.
struct Table {
  std::span<const Option> rows;
  unsigned of;
  const Option* find(auto is_meant) const {
    const auto row = std::ranges::find_if(
        rows, [&](const Option& one) { return (one.of & of) != 0 && is_meant(one); });
    return row == rows.end() ? nullptr : &*row;
  }
};
using Strings = std::span<const std::string>;

// Both take the word at `i`, and with it the value that follows.
Refined<void> take_long(const Table& table, Strings words, std::size_t& i, Words& result) {
  const std::string& word = words[i];
  const std::size_t equals = word.find('=');
  const bool has = equals != std::string::npos;
  const std::string name = word.substr(2, has ? equals - 2 : equals);
  const Option* option =
      table.find([&](const Option& o) { return !name.empty() && o.name == name; });
  if (option == nullptr) return not_refined("option --" + name);
  if (has && option->value == Value::kNone)
    return not_refined("option --" + name + " with a value");
  std::string value = has ? word.substr(equals + 1) : std::string();
  if (!has && option->value == Value::kNeeded) {
    if (++i == words.size()) return not_refined("option " + word + " needs a value");
    value = words[i];
  }
  result.options.push_back({option->id, std::move(value)});
  return {};
}

Refined<void> take_letters(const Table& table, Strings words, std::size_t& i, Words& result) {
  const std::string& word = words[i];
  for (std::size_t k = 1; k < word.size(); ++k) {
    const Option* option = table.find([&](const Option& o) { return o.letter == word[k]; });
    if (option == nullptr) return not_refined(std::string("option -") + word[k]);
    if (option->value != Value::kNeeded) {
      result.options.push_back({option->id, {}});
      continue;
    }
    std::string value = word.substr(k + 1);
    if (value.empty()) {
      if (++i == words.size()) return not_refined("option " + word + " needs a value");
      value = words[i];
    }
    result.options.push_back({option->id, std::move(value)});
    break;
  }
  return {};
}

// Not refined when it leaves the tree.
Refined<Root> parse_root(const std::string& given, const Surroundings& around) {
  if (given.empty()) return not_refined("an empty path");
  if (given.find("//") != std::string::npos) return not_refined("path '" + given + "'");
  std::string path = given;
  if (given[0] == '/') {
    if (around.top.empty() || !path_below(given, around.top, &path)) {
      return not_refined("'" + given + "' is outside the tree");
    }
  } else {
    path = join_path(around.cwd, given);
  }
  // "x/.." is only lexically nothing when x is a directory: x may be a link, or missing.
  const std::size_t dots = given.find("..");
  if (dots != std::string::npos && given.find_first_not_of("./") != std::string::npos &&
      given.find("/..", given.find_first_not_of("./")) != std::string::npos) {
    return not_refined("path '" + given + "'");
  }
  path = normal_path(path);
  if (path == ".") path.clear();
  if (path == ".." || path.starts_with("../") || path.starts_with('/')) {
    return not_refined("'" + given + "' is outside the tree");
  }
  if (path == ".git" || path.starts_with(".git/")) return not_refined("git's own directory");
  return Root{given, path};
}

}  // namespace

std::vector<std::string> Words::all() const {
  std::vector<std::string> words = operands;
  words.insert(words.end(), after_dashes.begin(), after_dashes.end());
  return words;
}

Refined<Words> split_words(std::span<const Option> rows, Strings words, Order order, unsigned of) {
  const Table table{rows, of};
  Words result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      result.dashes = true;
      result.after_dashes.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      return result;
    }
    if (word == "-") return not_refined("standard input");
    if (!word.starts_with('-')) {
      result.operands.push_back(word);
      continue;
    }
    if (order == Order::kOptionsFirst && !result.operands.empty()) {
      return not_refined("an option after the first word");
    }
    if (word[1] == '-') {
      TRY(take_long(table, words, i, result));
    } else {
      TRY(take_letters(table, words, i, result));
    }
  }
  return result;
}

Refined<std::uint32_t> parse_number(const std::string& text) {
  if (text.empty() || text.size() > 5 || text[0] == '0') return not_refined("number " + text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || *end != '\0') return not_refined("number " + text);
  return value;
}

Refined<void> add_roots(Query& query, const std::vector<std::string>& paths,
                        const Surroundings& around) {
  for (const std::string& path : paths) query.roots.push_back(TRY(parse_root(path, around)));
  if (query.roots.empty()) query.roots.push_back({"", around.cwd});
  return {};
}

Refined<void> check_colors(const std::string& when) {
  if (when == "never" || when == "auto") return {};
  return not_refined("colours");
}

Refined<Query> query_from_argv(const std::string& program, const std::vector<std::string>& argv,
                               const Surroundings& around) {
  if (argv.empty() || argv.size() > kMaxWords) return not_refined("no argument vector");
  const std::string name = base_name(argv[0]);
  const std::string file = base_name(program);
  const bool fd = (name == "fd" || name == "fdfind") && (file == "fd" || file == "fdfind");
  if (name != file && !fd && around.name == Vouched::kNo) {
    return not_refined("'" + file + "' under the name '" + name + "'");
  }
  TRY(check_environment(around));
  const std::span<const std::string> words = std::span(argv).subspan(1);
  Refined<Query> query = not_refined("'" + name + "' is no searcher that is known");
  if (name == "grep") query = parse_grep(words, around);
  if (name == "rg") query = parse_ripgrep(words, around);
  if (name == "find") query = parse_find(words, around);
  if (name == "bfs") query = parse_bfs(words, around);
  if (name == "ls") query = parse_ls(words, around);
  if (fd) query = parse_fd(words, around);
  if (name == "git") {
    TRY(check_git_environment(around));
    if (words.empty() || words[0] != "grep") return not_refined("git, but not grep");
    query = parse_git_grep(words.subspan(1), around);
  }
  if (!query) return query;
  query->cwd = around.cwd;
  const bool ruled = !query->rules.empty() || query->tool == Tool::kGitGrep;
  // rg 13 and fd 8 apply the rules above a root wrongly when there are more.
  if (query->ignore_files && query->roots.size() > 1) {
    return not_refined("ignore rules and many paths");
  }
  for (const Root& root : query->roots) {
    const bool below = around.cwd.empty() || path_below(root.path, around.cwd, nullptr);
    if (ruled && !below) return not_refined("a path above where it ran");
  }
  return query;
}

}  // namespace gittxn::search
