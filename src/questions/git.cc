// git's reading commands that are about files, settings and objects, and the words before a
// command.
#include "questions/git.h"

#include <algorithm>

#include "base/fs.h"
#include "base/text.h"

namespace gittxn::questions {
namespace {

constexpr Refused kDiffWrites = {kWrites, kGitDiffWrites};
constexpr Refused kDiffExecutes = {kExecutes, kGitDiffExecutes};
constexpr Refused kDiffUnread = {kUnread, "O= stdin"};

Asked<void> check_diff_words(const Arguments& arguments, Question& question) {
  return check_git_words(arguments, question);
}

// Its branch lines.
Asked<void> check_status(const Arguments& arguments, Question& question) {
  const bool brief = arguments.has_any("s porcelain z");
  if (!brief || arguments.has("b")) question.history = History::kSome;
  return {};
}

Asked<void> check_cat_file(const Arguments& arguments, Question& question) {
  TRY(check_git_words(arguments, question));
  for (const Given& option : arguments.options) {
    if (option.value.contains("disk") || option.value.contains("delta"))
      return no_question("git cat-file with " + option.value + " " + std::string(kTells));
  }
  const std::vector<std::string> words = arguments.all();
  const bool of_file = !words.empty() && words.back().contains(':');
  question.history = of_file ? History::kNone : History::kSome;
  return {};
}

// One name alone is read, two are written. "get" and "list" are words of newer versions, and of
// older ones names that no setting can have.
Asked<void> check_config(const Arguments& arguments, Question& /*question*/) {
  const std::vector<std::string> words = arguments.all();
  const bool by_option = arguments.has_any("get get-all get-regexp get-urlmatch");
  if (arguments.has("l") && words.empty()) return {};
  if (by_option && !words.empty() && words.size() <= 2) return {};
  if (!by_option && words.size() == 1 && words[0] != "edit") return {};
  if (!by_option && words.size() == 2 && words[0] == "get") return {};
  return no_question("git config that may set a value is not on the list");
}

Asked<void> check_remote(const Arguments& arguments, Question& /*question*/) {
  const std::vector<std::string> words = arguments.all();
  if (words.empty() || (words.size() == 2 && words[0] == "get-url")) return {};
  return no_question("git remote " + words[0] + " is not on the list");
}

// The times in an archive of a tree are those at which it is made, so a commit has to be meant.
Asked<void> check_archive(const Arguments& arguments, Question& /*question*/) {
  if (arguments.has("l")) return {};
  const std::vector<std::string> words = arguments.all();
  const bool commit = !words.empty() && words[0].starts_with("HEAD") &&
                      words[0].find_first_not_of("~^0123456789", 4) == std::string::npos;
  if (commit) return {};
  return no_question("git archive of anything but HEAD " + std::string(kClock));
}

Asked<void> no_words(const Arguments& arguments, Question& /*question*/) {
  if (arguments.all().empty()) return {};
  return no_question("git version with an operand is not on the list");
}

constexpr Program kGit[] = {
    {.names = "ls-files",
     .options = {"c|cached d|deleted m|modified o|others i|ignored s|stage u|unmerged k|killed "
                 "t v f z x|exclude= X|exclude-from= exclude-per-directory= exclude-standard "
                 "directory no-empty-directory empty-directory error-unmatch with-tree= "
                 "full-name recurse-submodules abbrev=? eol sparse deduplicate resolve-undo "
                 "format="},
     .refused = {{kTells, "debug"}}},
    {.names = "status",
     .options = {"s|short b|branch porcelain=?v1,v2,1,2 long v|verbose z|null "
                 "u|untracked-files=?no,normal,all,true,false ignored=?traditional,no,matching "
                 "ignore-submodules=?none,untracked,dirty,all column=? no-column ahead-behind "
                 "no-ahead-behind renames no-renames find-renames=?"},
     .refused = {{kCached, "show-stash"}},
     .check = check_status},
    {.names = "diff",
     .options = {kGitDiff, "cached staged merge-base no-index base ours theirs 0 1 2 3 c cc"},
     .refused = {kDiffWrites, kDiffExecutes, kDiffUnread},
     .dashes = Dashes::kSingle,
     .check = check_diff_words},
    {.names = "diff-index",
     .options = {kGitDiff, "cached merge-base m c cc r"},
     .refused = {kDiffWrites, kDiffExecutes, kDiffUnread},
     .dashes = Dashes::kSingle,
     .check = check_diff_words},
    {.names = "diff-files",
     .options = {kGitDiff, "q base ours theirs 0 1 2 3 c cc"},
     .refused = {kDiffWrites, kDiffExecutes, kDiffUnread},
     .dashes = Dashes::kSingle,
     .check = check_diff_words},
    {.names = "diff-tree",
     .options = {kGitDiff, "r t m c cc root merge-base no-commit-id always combined-all-paths"},
     .refused = {kDiffWrites, kDiffExecutes, kDiffUnread},
     .dashes = Dashes::kSingle,
     .history = History::kSome,
     .check = check_diff_words},
    {.names = "ls-tree",
     .options = {"d r t l|long z name-only|name-status object-only full-name full-tree abbrev=? "
                 "format="},
     .check = check_diff_words},
    {.names = "cat-file",
     .options = {"t s e p batch=? batch-check=? batch-command=? buffer follow-symlinks z Z "
                 "use-mailmap|mailmap"},
     .refused = {{kExecutes, "textconv filters path="},
                 {"shows objects that no commit has", "batch-all-objects unordered"}},
     .check = check_cat_file},
    {.names = "grep",
     .options = {"cached untracked no-index exclude-standard no-exclude-standard "
                 "recurse-submodules v|invert-match i|ignore-case w|word-regexp a|text I "
                 "no-textconv r|recursive no-recursive max-depth= E|extended-regexp "
                 "G|basic-regexp F|fixed-strings P|perl-regexp n|line-number column h H full-name ",
                 "l|files-with-matches name-only L|files-without-match z|null o|only-matching "
                 "c|count color=?always,never,auto no-color break heading C|context= "
                 "B|before-context= A|after-context= threads= p|show-function "
                 "W|function-context f= e= and or not q|quiet all-match m|max-count="},
     .refused = {{kExecutes, "O|open-files-in-pager=? textconv ext-grep"}},
     .digits = Digits::kNumber,
     .check = check_diff_words},
    {.names = "config",
     .options = {"get get-all get-regexp get-urlmatch l|list show-origin show-scope name-only "
                 "z|null local global system worktree f|file= blob= bool int bool-or-int path "
                 "type=bool,int,bool-or-int,path,color default= includes no-includes all regexp "
                 "show-names value="},
     .refused = {{kWrites, "add replace-all unset unset-all rename-section remove-section e|edit"},
                 {kClock, "expiry-date"}},
     .check = check_config},
    {.names = "check-ignore", .options = {"q|quiet v|verbose n|non-matching no-index z stdin"}},
    {.names = "check-attr", .options = {"a|all cached stdin z source="}},
    {.names = "remote",
     .options = {"v|verbose all push"},
     .history = History::kNone,
     .check = check_remote},
    {.names = "archive",
     .options = {"format=tar,zip prefix= l|list worktree-attributes 0 9"},
     .refused = {{kWrites, "o|output="},
                 {kExecutes, "remote= exec="},
                 {kClock, "add-file= add-virtual-file= mtime="}},
     .history = History::kSome,
     .check = check_archive},
    {.names = "version", .options = {"build-options"}, .check = no_words},
};

// Settings that change how a name or a color is shown and nothing else, or that switch off what
// git would start.
bool is_harmless(const std::string& setting) {
  constexpr std::string_view kAnyValue =
      "color.ui color.diff color.status color.branch color.grep core.quotepath core.abbrev "
      "diff.noprefix diff.mnemonicprefix diff.renames diff.algorithm diff.context "
      "status.showuntrackedfiles status.relativepaths status.branch log.decorate log.mailmap "
      "grep.linenumber grep.column safe.directory core.precomposeunicode core.longpaths "
      "advice.detachedhead";
  constexpr std::string_view kWithValue =
      "core.pager=cat core.pager= core.fsmonitor=false core.fsmonitor= core.hookspath=/dev/null "
      "log.showsignature=false diff.external= core.untrackedcache=false";
  const std::size_t equals = setting.find('=');
  const std::string key = lower_ascii(setting.substr(0, equals));
  if (among(kAnyValue, key)) return true;
  if (equals == std::string::npos) return false;
  return among(kWithValue, key + setting.substr(equals));
}

}  // namespace

std::span<const Program> git_commands() {
  return kGit;
}

Classified classify_git(Words words) {
  constexpr std::string_view kFlags =
      "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs "
      "--noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch";
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    if (among(kFlags, word)) continue;
    if (word == "--version" && words.size() == 1) return Question{.name = "git version"};
    const bool value = word == "-C" || word == "-c";
    if (!value || at + 1 == words.size())
      return no_question("git with the option " + word + " is not on the list");
    ++at;
    if (word == "-c" && !is_harmless(words[at]))
      return no_question("git with the setting " + words[at] + " is not on the list");
  }
  if (at == words.size()) return no_question("git without a command asks nothing");
  const std::string& command = words[at];
  const Program* program = find_program(git_commands(), command);
  if (program == nullptr) program = find_program(git_history_commands(), command);
  if (program == nullptr) return no_question("git " + command + " is not on the list");
  // Many of git's values may lack, and what begins with a dash is then an option.
  Program row = *program;
  row.next = NextWord::kWithoutDash;
  Question question = TRY(ask(row, "git " + command, words.subspan(at + 1)));
  const Arguments arguments = TRY(split_words(row, question.name, words.subspan(at + 1)));
  question.git = git_state_of(command, arguments);
  return question;
}

}  // namespace gittxn::questions
