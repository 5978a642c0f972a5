#include "capture/git/git_options.h"

#include <algorithm>
#include <ranges>

namespace gittxn::capture {

bool among(std::string_view list, std::string_view word) {
  return std::ranges::any_of(std::views::split(list, ' '),
                             [&](const auto& one) { return std::string_view(one) == word; });
}

namespace {

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
      if (table_.short_values.contains(letter)) {
        std::string value = word.substr(i + 1);
        if (value.empty() && at_ + 1 < words_.size()) value = words_[++at_];
        if (letter == 'L') line_range(value);
        return;
      }
      // "-M50%": letters after the first may be its value.
      const bool known = table_.short_flags.contains(letter);
      if (!table_.closed && !known) return;
      if (!known && (letter < '0' || letter > '9')) out_.unknown_option = true;
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

}  // namespace

const OptionTable kLogOptions{
    .short_values = "nLSGOUl",
    .long_values =
        "--max-count --skip --since --until --after --before --author --committer --grep "
        "--grep-reflog --date --encoding --glob --exclude --decorate-refs "
        "--decorate-refs-exclude --output --diff-filter --inter-hunk-context "
        "--word-diff-regex --src-prefix --dst-prefix --line-prefix --anchored --skip-to "
        "--rotate-to --min-parents --max-parents",
};
const OptionTable kStatusOptions{
    .short_flags = "sbvzuM",
};
// Flags stay flags.
const OptionTable kStartOptions{
    .short_values = "u",
    .long_values =
        "--strategy --strategy-option --message --file --onto --exec --into-name "
        "--pathspec-from-file --source --mainline --set-upstream-to --reason --orphan --sort "
        "--format --local-user --whitespace --cleanup --prefix --index-output",
};
const OptionTable kCheckoutIndexOptions{
    .short_flags = "aufnqz",
    .long_values = "--prefix --stage",
};
const OptionTable kBlameOptions{
    .short_values = "LS",
    .long_values = "--since --contents --ignore-rev --ignore-revs-file --date --abbrev",
};
const OptionTable kGrepOptions{
    .short_values = "efABCm",
    .short_flags = "ivwIarnlLhHocqEGPFzpW",
    .long_values =
        "--max-depth --threads --max-count --context --after-context --before-context "
        "--parent-basename",
    .long_flags =
        "--cached --untracked --no-index --index --exclude-standard --no-exclude-standard "
        "--recurse-submodules --invert-match --ignore-case --word-regexp --text --textconv "
        "--no-textconv --recursive --no-recursive --basic-regexp --extended-regexp "
        "--fixed-strings --perl-regexp --line-number --column --files-with-matches "
        "--name-only --files-without-match --null --only-matching --count --color --no-color "
        "--break --heading --show-function --function-context --quiet --all-match --and --or "
        "--not --full-name --no-full-name",
    .closed = true,
};
const OptionTable kLsFilesOptions{
    .short_values = "xX",
    .short_flags = "cdmoisukztvf",
    .long_values = "--exclude --exclude-from --exclude-per-directory --with-tree --format",
    .long_flags =
        "--cached --deleted --modified --others --ignored --stage --directory "
        "--no-empty-directory --empty-directory --unmerged --killed --full-name "
        "--recurse-submodules --abbrev --debug --eol --sparse --exclude-standard "
        "--error-unmatch --resolve-undo --deduplicate",
    .closed = true,
};
const OptionTable kLsTreeOptions{
    .short_flags = "drtlz",
    .long_values = "--format",
    .long_flags = "--name-only --name-status --full-name --full-tree --long --object-only --abbrev",
    .closed = true,
};
const OptionTable kCatFileOptions{
    .short_flags = "tsepzZ",
    .long_values = "--path",
    .long_flags =
        "--batch --batch-check --batch-command --batch-all-objects --textconv --filters "
        "--buffer --unordered --follow-symlinks --allow-unknown-type --use-mailmap",
    .closed = true,
};
const OptionTable kArchiveOptions{
    .short_values = "o",
    .short_flags = "lv",
    .long_values = "--format --output --prefix --add-file --remote --exec",
    .long_flags = "--list --verbose --worktree-attributes",
    .closed = true,
};

GitArguments split_arguments(const OptionTable& table, const std::vector<std::string>& words) {
  return Splitter(table, words).split();
}

namespace {

// git takes a long option's beginning where there is no other.
bool is_long_option(std::string_view name, std::string_view options) {
  constexpr std::size_t kShortest = 4;
  const auto begins = [&](const auto& one) { return std::string_view(one).starts_with(name); };
  return name.size() >= kShortest && std::ranges::any_of(std::views::split(options, ' '), begins);
}

}  // namespace

std::vector<std::string> option_values(const std::vector<std::string>& words,
                                       std::string_view options) {
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
