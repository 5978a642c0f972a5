// Programs that read bytes or lines and print them, as GNU coreutils 9 and util-linux have them.
#include <algorithm>

#include "questions/options.h"

namespace gittxn::questions {
namespace {

constexpr std::string_view kGnuHelp = "help version";
constexpr std::string_view kListed = "takes the names of its files from a file";
constexpr std::string_view kDigestOptions =
    "b|binary c|check t|text z|zero tag ignore-missing quiet status strict w|warn";
constexpr std::string_view kBaseOptions = "d|decode i|ignore-garbage w|wrap=";

// An operand that begins with a plus is an option by the rules of 1992, which a variable brings
// back.
Asked<void> no_plus(const Arguments& arguments, Question& question) {
  for (const std::string& word : arguments.operands) {
    if (word.starts_with('+'))
      return no_question(question.name + " with the operand " + word + " is not understood");
  }
  return {};
}

Asked<void> any_words(Words /*words*/, Question& /*question*/) {
  return {};
}

// The shell's own printf has a format of the time; the program has not.
Asked<void> printf_words(Words words, Question& /*question*/) {
  if (!words.empty() && words.front().contains("%("))
    return no_question("printf with the format %( " + std::string(kClock));
  return {};
}

// Comparisons of strings and numbers, and whether a path is there and what it is.
Asked<void> test_words(Words words, Question& question) {
  constexpr std::string_view kSigns =
      "! ( ) -a -o -z -n = == != -eq -ne -lt -le -gt -ge -l -e -f -d -h -L -s -x ]";
  for (const std::string& word : words) {
    if (!word.starts_with('-') || word == "-" || among(kSigns, word)) continue;
    const bool number = word.find_first_not_of("0123456789", 1) == std::string::npos;
    if (!number) return no_question(question.name + " with " + word + " is not on the list");
  }
  return {};
}

constexpr Program kCoreutils[] = {
    {.names = "cat",
     .options = {"A|show-all b|number-nonblank e E|show-ends n|number s|squeeze-blank t "
                 "T|show-tabs u v|show-nonprinting",
                 kGnuHelp}},
    {.names = "head",
     .options = {"c|bytes= n|lines= q|quiet|silent v|verbose z|zero-terminated", kGnuHelp},
     .digits = Digits::kNumber},
    {.names = "tail",
     .options = {"c|bytes= n|lines= q|quiet|silent v|verbose z|zero-terminated", kGnuHelp},
     .refused = {{kWaits, "f|follow=? F retry pid= s|sleep-interval= max-unchanged-stats="}},
     .digits = Digits::kNumber,
     .check = no_plus},
    {.names = "wc",
     .options = {"c|bytes m|chars l|lines w|words L|max-line-length "
                 "total=auto,always,only,never",
                 kGnuHelp},
     .refused = {{kListed, "files0-from="}}},
    {.names = "sort",
     .options = {"b|ignore-leading-blanks d|dictionary-order f|ignore-case g|general-numeric-sort "
                 "i|ignore-nonprinting M|month-sort h|human-numeric-sort n|numeric-sort r|reverse "
                 "sort=general-numeric,human-numeric,month,numeric,version V|version-sort "
                 "c check=?quiet,silent,diagnose-first C k|key= m|merge s|stable S|buffer-size= "
                 "t|field-separator= u|unique z|zero-terminated parallel=",
                 kGnuHelp},
     .refused = {{kWrites, "o|output= T|temporary-directory="},
                 {kRandom, "R|random-sort random-source="},
                 {kExecutes, "compress-program="},
                 {kListed, "files0-from="}},
     .check = no_plus},
    {.names = "uniq",
     .options = {"c|count d|repeated D all-repeated=?none,prepend,separate f|skip-fields= "
                 "group=?separate,prepend,append,both i|ignore-case s|skip-chars= u|unique "
                 "z|zero-terminated w|check-chars=",
                 kGnuHelp},
     .most_operands = 1,
     .digits = Digits::kNumber,
     .check = no_plus},
    {.names = "cut",
     .options = {"b|bytes= c|characters= d|delimiter= f|fields= n s|only-delimited complement "
                 "output-delimiter= z|zero-terminated",
                 kGnuHelp}},
    {.names = "tr",
     .options = {"c|complement C d|delete s|squeeze-repeats t|truncate-set1", kGnuHelp}},
    {.names = "nl",
     .options = {"b|body-numbering= d|section-delimiter= f|footer-numbering= "
                 "h|header-numbering= i|line-increment= l|join-blank-lines= n|number-format= "
                 "p|no-renumber s|number-separator= v|starting-line-number= w|number-width=",
                 kGnuHelp}},
    {.names = "tac", .options = {"b|before r|regex s|separator=", kGnuHelp}},
    {.names = "rev", .options = {"h|help V|version"}},
    {.names = "fold",
     .options = {"b|bytes s|spaces w|width=", kGnuHelp},
     .digits = Digits::kNumber},
    {.names = "fmt",
     .options = {"c|crown-margin p|prefix= s|split-only t|tagged-paragraph u|uniform-spacing "
                 "w|width= g|goal=",
                 kGnuHelp},
     .digits = Digits::kNumber},
    {.names = "expand", .options = {"i|initial t|tabs=", kGnuHelp}, .digits = Digits::kNumber},
    {.names = "unexpand",
     .options = {"a|all first-only t|tabs=", kGnuHelp},
     .digits = Digits::kNumber},
    {.names = "paste", .options = {"d|delimiters= s|serial z|zero-terminated", kGnuHelp}},
    {.names = "join",
     .options = {"a= e= i|ignore-case j= o= t= v= 1= 2= check-order nocheck-order header "
                 "z|zero-terminated",
                 kGnuHelp}},
    {.names = "comm",
     .options = {"1 2 3 check-order nocheck-order output-delimiter= total z|zero-terminated",
                 kGnuHelp}},
    {.names = "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum",
     .options = {kDigestOptions, kGnuHelp}},
    {.names = "b2sum", .options = {kDigestOptions, "l|length=", kGnuHelp}},
    {.names = "cksum",
     .options = {"a|algorithm= c|check l|length= untagged tag z|zero ignore-missing quiet status "
                 "strict w|warn",
                 kGnuHelp}},
    {.names = "base64 base32", .options = {kBaseOptions, kGnuHelp}},
    {.names = "basename", .options = {"a|multiple s|suffix= z|zero", kGnuHelp}},
    {.names = "dirname", .options = {"z|zero", kGnuHelp}},
    {.names = "seq",
     .options = {"f|format= s|separator= w|equal-width", kGnuHelp},
     .digits = Digits::kNumber},
    {.names = "echo true false", .parse = any_words},
    {.names = "printf", .parse = printf_words},
    {.names = "test [", .parse = test_words},
};

}  // namespace

std::span<const Program> coreutils_programs() {
  return kCoreutils;
}

}  // namespace gittxn::questions
