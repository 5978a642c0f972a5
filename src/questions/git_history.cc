// git's commands that show commits: log and those that take its options.
#include <algorithm>

#include "base/text.h"
#include "questions/git.h"

namespace gittxn::questions {
namespace {

constexpr std::string_view kLimits =
    "n|max-count= skip= since|after= until|before= author= committer= grep= all-match "
    "invert-grep i|regexp-ignore-case basic-regexp E|extended-regexp F|fixed-strings "
    "P|perl-regexp merges no-merges min-parents= max-parents= no-min-parents no-max-parents "
    "first-parent exclude-first-parent-only not all branches=? tags=? remotes=? glob= exclude= "
    "cherry cherry-mark cherry-pick left-right left-only right-only boundary "
    "simplify-by-decoration "
    "show-pulls full-history dense sparse simplify-merges ancestry-path=? date-order "
    "author-date-order topo-order reverse no-walk=?sorted,unsorted do-walk parents children "
    "graph no-graph pretty=? format= oneline abbrev-commit no-abbrev-commit encoding= "
    "expand-tabs=? no-expand-tabs notes=? no-notes date= show-linear-break=? remove-empty "
    "color=?always,never,auto no-color abbrev=? no-abbrev ignore-missing";
constexpr std::string_view kLogAlone =
    "follow no-decorate decorate=?short,full,auto,no decorate-refs= decorate-refs-exclude= "
    "clear-decorations source mailmap use-mailmap no-mailmap no-use-mailmap log-size L= m c cc "
    "combined-all-paths "
    "diff-merges=off,none,on,m,1,first-parent,separate,c,combined,cc,dense-combined no-diff-merges "
    "t dd";
constexpr Refused kLogReflog = {kCached, "g|walk-reflogs reflog grep-reflog="};
constexpr Refused kLogExecutes = {kExecutes, "show-signature ext-diff textconv submodule=?"};

// An operand "REV:path" is a file's; every other one that may be an object is a commit's.
History history_of(const std::vector<std::string>& operands) {
  const auto of_file = [](const std::string& word) {
    return word.contains(':') && !word.starts_with(":/");
  };
  const auto files = std::ranges::count_if(operands, of_file);
  if (files == 0) return History::kAll;
  return files == std::ssize(operands) ? History::kNone : History::kSome;
}

Asked<void> check_log(const Arguments& arguments, Question& question) {
  TRY(check_git_words(arguments, question));
  return check_git_dates(arguments, question);
}

Asked<void> check_show(const Arguments& arguments, Question& question) {
  TRY(check_log(arguments, question));
  question.history = history_of(arguments.operands);
  return {};
}

Asked<void> check_rev_list(const Arguments& arguments, Question& question) {
  TRY(check_log(arguments, question));
  if (arguments.has_any("objects objects-edge")) question.history = History::kSome;
  return {};
}

Asked<void> check_rev_parse(const Arguments& arguments, Question& question) {
  TRY(check_git_words(arguments, question));
  const bool lists = arguments.has_any("all branches tags remotes glob disambiguate");
  const std::vector<std::string> words = arguments.all();
  question.history = words.empty() ? History::kNone : history_of(words);
  if (lists) question.history = History::kAll;
  return {};
}

// "-dirty" is said of the files.
Asked<void> check_describe(const Arguments& arguments, Question& question) {
  TRY(check_log(arguments, question));
  if (arguments.has_any("dirty broken")) question.history = History::kSome;
  return {};
}

// Options that make a list of what would else make a branch or a tag.
Asked<void> check_listing(const Arguments& arguments, Question& question) {
  TRY(check_log(arguments, question));
  if (!arguments.all().empty() && !arguments.has("l"))
    return no_question(question.name + " with a name and without --list makes or moves it");
  return {};
}

// Uncommitted lines are blamed on the present second.
Asked<void> check_blame(const Arguments& arguments, Question& question) {
  TRY(check_log(arguments, question));
  const bool times_hidden =
      arguments.has("s") && !arguments.has_any("p line-porcelain incremental");
  if (arguments.all().size() < 2 && !times_hidden)
    return no_question(question.name + " without -s and without a commit " + std::string(kClock));
  return {};
}

Asked<void> check_one_ref(const Arguments& arguments, Question& question) {
  if (arguments.all().size() == 1) return {};
  return no_question(question.name + " with two names writes");
}

// "list", "show [stash@{N}]".
Asked<void> check_stash(const Arguments& arguments, Question& question) {
  const std::vector<std::string>& words = arguments.operands;
  if (words == std::vector<std::string>{"list"} && arguments.options.empty()) return {};
  if (words.empty() || words.front() != "show" || words.size() > 2 || arguments.dashes)
    return no_question(question.name + " but for its list and show writes");
  if (words.size() == 1) return {};
  std::string_view number = words[1];
  if (number.starts_with("stash@{") && number.ends_with('}')) {
    number.remove_prefix(7);
    number.remove_suffix(1);
  }
  if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos)
    return {};
  return no_question("git stash show with " + words[1] + " is not on the list");
}

constexpr std::string_view kRefLists =
    "contains=+ no-contains=+ merged=+ no-merged=+ points-at= sort= format= i|ignore-case "
    "color=?always,never,auto no-color column=? no-column omit-empty";

constexpr Program kGitHistory[] = {
    {.names = "log whatchanged",
     .options = {kLimits, kLogAlone, kGitDiff},
     .refused = {kLogReflog, kLogExecutes, {kWrites, kGitDiffWrites}, {kUnread, "O= stdin"}},
     .dashes = Dashes::kSingle,
     .digits = Digits::kNumber,
     .history = History::kAll,
     .check = check_log},
    {.names = "show",
     .options = {kLimits, kLogAlone, kGitDiff},
     .refused = {kLogReflog, kLogExecutes, {kWrites, kGitDiffWrites}, {kUnread, "O= stdin"}},
     .dashes = Dashes::kSingle,
     .digits = Digits::kNumber,
     .check = check_show},
    {.names = "rev-list",
     .options = {kLimits, "count objects objects-edge timestamp header bisect quiet"},
     .refused = {kLogReflog,
                 {kTells, "disk-usage=? use-bitmap-index unpacked"},
                 {kUnread, "stdin"}},
     .dashes = Dashes::kSingle,
     .digits = Digits::kNumber,
     .history = History::kAll,
     .check = check_rev_list},
    {.names = "shortlog",
     .options = {"s|summary n|numbered c|committer group= e|email w=?", kLimits},
     .refused = {kLogReflog},
     .dashes = Dashes::kClusters,
     .digits = Digits::kNumber,
     .history = History::kAll,
     .check = check_log},
    {.names = "rev-parse",
     .options = {"verify q|quiet short=? abbrev-ref=?strict,loose symbolic symbolic-full-name "
                 "not revs-only no-revs flags no-flags default= prefix= sq all branches=? tags=? "
                 "remotes=? glob= exclude= disambiguate= git-dir absolute-git-dir git-common-dir ",
                 "git-path= show-toplevel show-cdup show-prefix show-superproject-working-tree "
                 "is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository "
                 "path-format=absolute,relative show-object-format=?storage,input,output "
                 "show-ref-format shared-index-path local-env-vars end-of-options"},
     .refused = {{kClock, "since= after= until= before="}, {kUnread, "parseopt sq-quote"}},
     .dashes = Dashes::kSingle,
     .check = check_rev_parse},
    {.names = "describe",
     .options = {"tags all long always abbrev=? exact-match match= exclude= first-parent "
                 "candidates= contains dirty=? broken=? debug"},
     .history = History::kAll,
     .check = check_describe},
    {.names = "branch",
     .options = {kRefLists, "a|all r|remotes v|verbose l|list show-current abbrev=? no-abbrev"},
     .refused = {{"makes, moves or deletes branches",
                  "d|delete D m|move M c|copy C f|force t|track=? no-track u|set-upstream-to= "
                  "unset-upstream edit-description create-reflog"}},
     .history = History::kAll,
     .check = check_listing},
    {.names = "tag",
     .options = {kRefLists, "l|list n=?"},
     .refused = {{"makes or deletes tags",
                  "a|annotate s|sign u|local-user= f|force d|delete "
                  "m|message= F|file= e|edit cleanup="},
                 {kExecutes, "v|verify"}},
     .history = History::kAll,
     .check = check_listing},
    {.names = "for-each-ref",
     .options = {kRefLists, "count= s|shell p|perl python tcl exclude= include-root-refs"},
     .refused = {{kUnread, "stdin"}},
     .history = History::kAll,
     .check = check_log},
    {.names = "show-ref",
     .options = {"head heads branches tags d|dereference s|hash=? verify abbrev=? q|quiet exists"},
     .refused = {{kUnread, "exclude-existing=?"}},
     .history = History::kAll,
     .check = check_log},
    {.names = "symbolic-ref",
     .options = {"q|quiet short recurse no-recurse"},
     .refused = {{"writes", "d|delete m="}},
     .history = History::kAll,
     .check = check_one_ref},
    {.names = "merge-base",
     .options = {"a|all octopus independent is-ancestor"},
     .refused = {{kCached, "fork-point"}},
     .history = History::kAll,
     .check = check_log},
    {.names = "name-rev",
     .options = {"tags refs= exclude= name-only always undefined no-undefined all"},
     .refused = {{kUnread, "stdin annotate-stdin"}},
     .history = History::kAll,
     .check = check_log},
    {.names = "stash",
     .options = {kGitDiff, "u|include-untracked only-untracked"},
     .refused = {{kWrites, kGitDiffWrites}, {kExecutes, kGitDiffExecutes}, {kUnread, "O="}},
     .dashes = Dashes::kSingle,
     .history = History::kAll,
     .check = check_stash},
    {.names = "blame annotate",
     .options = {"L= l t s e|show-email w M=? C=? p|porcelain line-porcelain incremental "
                 "f|show-name n|show-number root date= abbrev=? since= ignore-rev= "
                 "ignore-revs-file= b c first-parent minimal color-lines color-by-age "
                 "score-debug show-stats no-progress"},
     .refused = {{kUnread, "S= contents= reverse=?"}, {kWaits, "progress"}},
     .history = History::kSome,
     .check = check_blame},
};

}  // namespace

Asked<void> check_git_words(const Arguments& arguments, const Question& question) {
  for (const std::string& word : arguments.operands) {
    const std::size_t at = word.find("@{");
    if (at == std::string::npos) continue;
    constexpr std::string_view kNames[] = {"@{u}", "@{upstream}", "@{push}"};
    const std::string_view rest = std::string_view(word).substr(at);
    const bool name =
        std::ranges::any_of(kNames, [&](std::string_view one) { return rest.starts_with(one); });
    if (name && !rest.substr(2).contains("@{")) continue;
    return no_question(question.name + " with " + word +
                       " depends on when something happened here");
  }
  return {};
}

bool is_whole_date(std::string_view date) {
  if (date.starts_with('@'))
    return date.size() > 9 && date.find_first_not_of("0123456789", 1) == std::string_view::npos;
  constexpr std::string_view kShape = "dddd-dd-dd_dd:dd:dd";
  if (date.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const char c = date[i];
    const bool digit = c >= '0' && c <= '9';
    const bool fits = kShape[i] == 'd'   ? digit
                      : kShape[i] == '_' ? c == ' ' || c == 'T'
                                         : c == kShape[i];
    if (!fits) return false;
  }
  std::string_view zone = date.substr(kShape.size());
  if (zone.starts_with(' ')) zone.remove_prefix(1);
  if (zone.empty() || zone == "Z") return true;
  if (zone.front() != '+' && zone.front() != '-') return false;
  return zone.size() >= 5 && zone.size() <= 6 &&
         zone.find_first_not_of("0123456789:", 1) == std::string_view::npos;
}

Asked<void> check_git_format(std::string_view format) {
  constexpr std::string_view kNamed = "oneline short medium full fuller reference email mboxrd raw";
  if (format.empty() || among(kNamed, format)) return {};
  const auto never = [](std::string_view what, std::string_view why) {
    return no_question("git with " + std::string(what) + " in a format " + std::string(why));
  };
  if (!format.contains('%')) {
    if (format.starts_with("format:") || format.starts_with("tformat:")) return {};
    return never(format, "names a setting");
  }
  for (const std::string_view word : {"relative", "human"}) {
    if (format.contains(word)) return never(word, kClock);
  }
  if (format.contains("signature")) return never("signature", kExecutes);
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%') continue;
    std::size_t at = i + 1;
    if (std::string_view("+- ").contains(format[at])) ++at;
    const std::string_view two = format.substr(at, 2);
    if (two == "ar" || two == "cr" || two == "ah" || two == "ch")
      return never("%" + std::string(two), kClock);
    if (two.starts_with('G')) return never("%G", kExecutes);
    if (two.starts_with('g')) return never("%g", kCached);
    if (two.starts_with('%')) i = at;
  }
  return {};
}

Asked<void> check_git_dates(const Arguments& arguments, const Question& question) {
  constexpr std::string_view kModes =
      "iso iso8601 iso-strict iso8601-strict short raw unix default local rfc rfc2822 iso-local "
      "iso8601-local iso-strict-local short-local raw-local default-local rfc-local rfc2822-local";
  for (const auto& [name, value] : arguments.options) {
    if (name == "since" || name == "until") {
      if (is_whole_date(value)) continue;
      return no_question(question.name + " since or until '" + value + "' " + std::string(kClock));
    }
    if (name == "date" && !among(kModes, value) && !value.starts_with("format:"))
      return no_question(question.name + " with --date=" + value + " " + std::string(kClock));
    if (name == "pretty" || name == "format") TRY(check_git_format(value));
  }
  return {};
}

std::span<const Program> git_history_commands() {
  return kGitHistory;
}

}  // namespace gittxn::questions
