#include "capture/git/git_options.h"

#include <algorithm>

namespace gittxn::capture {

bool among(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Splitter {
 public:
  Splitter(const OptionTable& table, const std::vector<std::string>& words)
      : table_(table), words_(words) {}

  GitArguments split() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        out_.saw_dashes = true;
        out_.after_dashes.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                                 words_.end());
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        out_.before_dashes.push_back(word);
      } else if (word[1] == '-') {
        long_option(word);
      } else {
        short_options(word);
      }
    }
    return std::move(out_);
  }

 private:
  void long_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    out_.options.emplace(name);
    if (among(table_.long_values, name)) {
      if (equals == std::string::npos) ++at_;
      return;
    }
    if (table_.closed && !among(table_.long_flags, name)) out_.unknown_option = true;
  }

  void short_options(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const char letter = word[i];
      out_.options.insert({'-', letter});
      if (table_.short_values.find(letter) != std::string_view::npos) {
        std::string value = word.substr(i + 1);
        if (value.empty() && at_ + 1 < words_.size()) value = words_[++at_];
        if (letter == 'L') line_range(value);
        return;
      }
      // "-M50%": letters after the first may be its value.
      if (!table_.closed && table_.short_flags.find(letter) == std::string_view::npos) return;
      if (table_.short_flags.find(letter) == std::string_view::npos && !is_digit(letter)) {
        out_.unknown_option = true;
      }
    }
  }

  void line_range(const std::string& value) {
    const std::size_t colon = value.rfind(':');
    if (colon != std::string::npos) out_.line_range_files.push_back(value.substr(colon + 1));
  }

  const OptionTable& table_;
  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  GitArguments out_;
};

constexpr std::string_view kLogValues[] = {
    "--max-count",
    "--skip",
    "--since",
    "--until",
    "--after",
    "--before",
    "--author",
    "--committer",
    "--grep",
    "--grep-reflog",
    "--date",
    "--encoding",
    "--glob",
    "--exclude",
    "--decorate-refs",
    "--decorate-refs-exclude",
    "--output",
    "--diff-filter",
    "--inter-hunk-context",
    "--word-diff-regex",
    "--src-prefix",
    "--dst-prefix",
    "--line-prefix",
    "--anchored",
    "--skip-to",
    "--rotate-to",
    "--min-parents",
    "--max-parents",
};
constexpr std::string_view kBlameValues[] = {
    "--since", "--contents", "--ignore-rev", "--ignore-revs-file", "--date", "--abbrev"};
constexpr std::string_view kGrepValues[] = {
    "--max-depth",     "--threads",        "--max-count",      "--context",
    "--after-context", "--before-context", "--parent-basename"};
constexpr std::string_view kGrepFlags[] = {
    "--cached",
    "--untracked",
    "--no-index",
    "--index",
    "--exclude-standard",
    "--no-exclude-standard",
    "--recurse-submodules",
    "--invert-match",
    "--ignore-case",
    "--word-regexp",
    "--text",
    "--textconv",
    "--no-textconv",
    "--recursive",
    "--no-recursive",
    "--basic-regexp",
    "--extended-regexp",
    "--fixed-strings",
    "--perl-regexp",
    "--line-number",
    "--column",
    "--files-with-matches",
    "--name-only",
    "--files-without-match",
    "--null",
    "--only-matching",
    "--count",
    "--color",
    "--no-color",
    "--break",
    "--heading",
    "--show-function",
    "--function-context",
    "--quiet",
    "--all-match",
    "--and",
    "--or",
    "--not",
    "--full-name",
    "--no-full-name",
};
constexpr std::string_view kLsFilesValues[] = {
    "--exclude", "--exclude-from", "--exclude-per-directory", "--with-tree", "--format"};
constexpr std::string_view kLsFilesFlags[] = {
    "--cached",      "--deleted",   "--modified",           "--others",          "--ignored",
    "--stage",       "--directory", "--no-empty-directory", "--empty-directory", "--unmerged",
    "--killed",      "--full-name", "--recurse-submodules", "--abbrev",          "--debug",
    "--eol",         "--sparse",    "--exclude-standard",   "--error-unmatch",   "--resolve-undo",
    "--deduplicate",
};
constexpr std::string_view kLsTreeFlags[] = {"--name-only", "--name-status", "--full-name",
                                             "--full-tree", "--long",        "--object-only",
                                             "--abbrev"};
constexpr std::string_view kLsTreeValues[] = {"--format"};
constexpr std::string_view kCatFileFlags[] = {
    "--batch",           "--batch-check",
    "--batch-command",   "--batch-all-objects",
    "--textconv",        "--filters",
    "--buffer",          "--unordered",
    "--follow-symlinks", "--allow-unknown-type",
    "--use-mailmap",
};
constexpr std::string_view kCatFileValues[] = {"--path"};
// Options of commands that build on commits; flags stay flags.
constexpr std::string_view kStartValues[] = {"--strategy",
                                             "--strategy-option",
                                             "--message",
                                             "--file",
                                             "--onto",
                                             "--exec",
                                             "--into-name",
                                             "--pathspec-from-file",
                                             "--source",
                                             "--mainline",
                                             "--set-upstream-to",
                                             "--reason",
                                             "--orphan",
                                             "--sort",
                                             "--format",
                                             "--local-user",
                                             "--whitespace",
                                             "--cleanup",
                                             "--prefix",
                                             "--index-output"};
constexpr std::string_view kCheckoutIndexValues[] = {"--prefix", "--stage"};
constexpr std::string_view kArchiveValues[] = {"--format",   "--output", "--prefix",
                                               "--add-file", "--remote", "--exec"};
constexpr std::string_view kArchiveFlags[] = {"--list", "--verbose", "--worktree-attributes"};

}  // namespace

const OptionTable kLogOptions{.short_values = "nLSGOUl",
                              .short_flags = {},
                              .long_values = kLogValues,
                              .long_flags = {},
                              .closed = false};
const OptionTable kStatusOptions{.short_values = {},
                                 .short_flags = "sbvzuM",
                                 .long_values = {},
                                 .long_flags = {},
                                 .closed = false};
const OptionTable kStartOptions{.short_values = "u",
                                .short_flags = {},
                                .long_values = kStartValues,
                                .long_flags = {},
                                .closed = false};
const OptionTable kCheckoutIndexOptions{.short_values = {},
                                        .short_flags = "aufnqz",
                                        .long_values = kCheckoutIndexValues,
                                        .long_flags = {},
                                        .closed = false};
const OptionTable kBlameOptions{.short_values = "LS",
                                .short_flags = {},
                                .long_values = kBlameValues,
                                .long_flags = {},
                                .closed = false};
const OptionTable kGrepOptions{.short_values = "efABCm",
                               .short_flags = "ivwIarnlLhHocqEGPFzpW",
                               .long_values = kGrepValues,
                               .long_flags = kGrepFlags,
                               .closed = true};
const OptionTable kLsFilesOptions{.short_values = "xX",
                                  .short_flags = "cdmoisukztvf",
                                  .long_values = kLsFilesValues,
                                  .long_flags = kLsFilesFlags,
                                  .closed = true};
const OptionTable kLsTreeOptions{.short_values = {},
                                 .short_flags = "drtlz",
                                 .long_values = kLsTreeValues,
                                 .long_flags = kLsTreeFlags,
                                 .closed = true};
const OptionTable kCatFileOptions{.short_values = {},
                                  .short_flags = "tsepzZ",
                                  .long_values = kCatFileValues,
                                  .long_flags = kCatFileFlags,
                                  .closed = true};
const OptionTable kArchiveOptions{.short_values = "o",
                                  .short_flags = "lv",
                                  .long_values = kArchiveValues,
                                  .long_flags = kArchiveFlags,
                                  .closed = true};

GitArguments split_arguments(const OptionTable& table, const std::vector<std::string>& words) {
  return Splitter(table, words).split();
}

namespace {

// git takes a long option's beginning where there is no other.
bool is_long_option(std::string_view name, std::span<const std::string_view> options) {
  constexpr std::size_t kShortest = 4;
  return name.size() >= kShortest &&
         std::any_of(options.begin(), options.end(),
                     [&](std::string_view option) { return option.starts_with(name); });
}

}  // namespace

std::vector<std::string> option_values(const std::vector<std::string>& words,
                                       std::span<const std::string_view> options) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') continue;
    std::string attached;
    bool wanted = false;
    if (word[1] == '-') {
      const std::size_t equals = word.find('=');
      wanted = is_long_option(std::string_view(word).substr(0, equals), options);
      if (equals != std::string::npos) attached = word.substr(equals + 1);
    } else {
      for (std::size_t letter = 1; letter < word.size() && !wanted; ++letter) {
        wanted = among(options, std::string{'-', word[letter]});
        if (wanted) attached = word.substr(letter + 1);
      }
    }
    if (!wanted) continue;
    if (attached.empty() && i + 1 < words.size()) attached = words[++i];
    values.push_back(std::move(attached));
  }
  return values;
}

}  // namespace gittxn::capture
