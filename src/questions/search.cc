// Programs that search contents. What runs a filter, a pager or a decompressor is refused, and so
// is what shows how long the search took.
#include <algorithm>

#include "questions/options.h"

namespace gittxn::questions {
namespace {

Asked<void> check_grep(const Arguments& arguments, Question& question) {
  if (arguments.has_any("r R d S")) question.order = Order::kAny;
  return {};
}

Asked<void> check_ripgrep(const Arguments& arguments, Question& question) {
  const auto sorted = [](const Given& one) { return one.name == "sort" && one.value == "path"; };
  if (std::ranges::any_of(arguments.options, sorted)) question.order = Order::kItsOwn;
  return {};
}

constexpr Program kSearch[] = {
    {.names = "grep egrep fgrep",
     .options = {"E|extended-regexp F|fixed-strings G|basic-regexp P|perl-regexp e|regexp= "
                 "f|file= i|ignore-case no-ignore-case y v|invert-match w|word-regexp "
                 "x|line-regexp c|count color|colour=?always,auto,never L|files-without-match "
                 "l|files-with-matches m|max-count= o|only-matching q|quiet|silent "
                 "s|no-messages b|byte-offset ",
                 "H|with-filename h|no-filename label= n|line-number T|initial-tab Z|null "
                 "z|null-data A|after-context= B|before-context= C|context= a|text "
                 "binary-files=binary,text,without-match I D|devices=read,skip "
                 "d|directories=read,recurse,skip exclude= exclude-from= exclude-dir= include= "
                 "r|recursive R|dereference-recursive line-buffered U|binary help V|version"},
     .digits = Digits::kNumber,
     .check = check_grep},
    {.names = "rg",
     .options = {"A|after-context= B|before-context= C|context= a|text b|byte-offset "
                 "s|case-sensitive color=never,auto,always,ansi colors= column no-column "
                 "c|count count-matches crlf no-crlf dfa-size-limit= E|encoding= no-encoding "
                 "engine=default,pcre2,auto field-context-separator= field-match-separator= "
                 "f|file= files l|files-with-matches files-without-match F|fixed-strings "
                 "no-fixed-strings L|follow no-follow ",
                 "g|glob= glob-case-insensitive no-glob-case-insensitive h|help heading "
                 "no-heading .|hidden no-hidden iglob= i|ignore-case ignore-file= "
                 "ignore-file-case-insensitive v|invert-match no-invert-match line-buffered "
                 "block-buffered n|line-number N|no-line-number x|line-regexp M|max-columns= "
                 "max-columns-preview m|max-count= max-depth|maxdepth= max-filesize= mmap no-mmap "
                 "U|multiline multiline-dotall no-multiline no-config no-ignore no-ignore-dot "
                 "no-ignore-exclude no-ignore-files no-ignore-global no-ignore-messages "
                 "no-ignore-parent no-ignore-vcs no-messages no-require-git no-unicode "
                 "require-git ignore ",
                 "0|null null-data no-pcre2 o|only-matching "
                 "passthru|passthrough path-separator= P|pcre2 pcre2-version p|pretty q|quiet "
                 "regex-size-limit= e|regexp= r|replace= S|smart-case sort=none,path j|threads= "
                 "trim no-trim t|type= T|type-not= type-add= type-clear= type-list "
                 "u|unrestricted V|version vimgrep I|no-filename H|with-filename w|word-regexp "
                 "binary no-binary context-separator= no-context-separator include-zero "
                 "stop-on-nonmatch"},
     .refused = {{kExecutes, "pre= pre-glob= hostname-bin= z|search-zip"},
                 {kTells, "sortr= stats json debug trace hyperlink-format="}},
     .order = Order::kAny,
     .check = check_ripgrep},
    {.names = "ugrep",
     .options = {"A|after-context= B|before-context= C|context= a|text b|byte-offset c|count "
                 "color|colour=?never,auto,always no-color encoding=UTF-8 E|extended-regexp "
                 "e|regexp= exclude= exclude-dir= f|file= F|fixed-strings G|basic-regexp g|glob= "
                 "H|with-filename h|no-filename heading no-heading ",
                 "I i|ignore-case ignore-files=? include= include-dir= J|jobs= "
                 "j|smart-case L|files-without-match l|files-with-matches m|max-count= "
                 "n|line-number o|only-matching P|perl-regexp q|quiet|silent r R "
                 "s|no-messages S v|invert-match w|word-regexp x|line-regexp hidden . "
                 "t|file-type= O|file-extension= line-buffered U|ascii|binary V|version help "
                 "max-depth= sort=?name"},
     .refused = {{kExecutes, "filter=? filter-magic-label= pager=? view=? z|decompress Q|query=?"},
                 {kWrites, "save-config=? index=?"},
                 {kUnread, "config=? ---"},
                 {kTells, "stats=? json format="}},
     .digits = Digits::kNumber,
     .next = NextWord::kWithoutDash,
     .order = Order::kAny,
     .check = check_grep},
};

}  // namespace

std::span<const Program> search_programs() {
  return kSearch;
}

}  // namespace gittxn::questions
