// Programs that compare files, dump them, or say what they are; and sed and jq, whose scripts
// sed.cc and jq.cc read.
#include <algorithm>

#include "questions/options.h"

namespace gittxn::questions {
namespace {

// Its headers show when a file changed, unless both have a label. -p alone chooses context, too.
Asked<void> check_diff(const Arguments& arguments, Question& /*question*/) {
  if (arguments.has_any("u U c C p unified context") && arguments.count("L") < 2)
    return no_question("diff with headers and without two labels " + std::string(kTells));
  return {};
}

// "@FILE" stands for options.
Asked<void> check_strings(const Arguments& arguments, Question& /*question*/) {
  const std::vector<std::string> words = arguments.all();
  if (std::ranges::any_of(words, [](const std::string& word) { return word.starts_with('@'); }))
    return no_question("strings with @FILE " + std::string(kUnread));
  return {};
}

constexpr Program kText[] = {
    {.names = "diff",
     .options = {"normal q|brief s|report-identical-files u c p|show-c-function U= unified=? "
                 "C= context=? e|ed n|rcs y|side-by-side W|width= left-column "
                 "suppress-common-lines F|show-function-line= L|label= t|expand-tabs "
                 "T|initial-tab tabsize= suppress-blank-empty r|recursive no-dereference "
                 "N|new-file unidirectional-new-file ignore-file-name-case ",
                 "no-ignore-file-name-case x|exclude= X|exclude-from= S|starting-file= from-file= "
                 "to-file= i|ignore-case E|ignore-tab-expansion Z|ignore-trailing-space "
                 "b|ignore-space-change w|ignore-all-space B|ignore-blank-lines "
                 "I|ignore-matching-lines= a|text strip-trailing-cr d|minimal horizon-lines= "
                 "speed-large-files color=?always,auto,never help v|version"},
     .refused = {{kExecutes, "l|paginate"}},
     .digits = Digits::kNumber,
     .check = check_diff},
    {.names = "cmp",
     .options = {"b|print-bytes i|ignore-initial= l|verbose n|bytes= s|quiet|silent help "
                 "v|version"}},
    {.names = "od",
     .options = {"A|address-radix= j|skip-bytes= N|read-bytes= S= strings=? t|format= "
                 "v|output-duplicates w|width=? a b c d f i l o s x traditional "
                 "endian=big,little help version"}},
    {.names = "xxd",
     .options = {"a b c= e E g= i l= p ps s= seek= u v d len= cols= groupsize= name= n="},
     .refused = {{kWrites, "r revert"}},
     .most_operands = 1,
     .dashes = Dashes::kWords},
    {.names = "hexdump hd",
     .options = {"b|one-byte-octal c|one-byte-char C|canonical d|two-bytes-decimal "
                 "o|two-bytes-octal x|two-bytes-hex n|length= s|skip= v|no-squeezing e|format= "
                 "h|help V|version"},
     .refused = {{kUnread, "f|format-file="}}},
    {.names = "strings",
     .options = {"a|all d|data f|print-file-name n|bytes= t|radix=o,d,x o "
                 "w|include-all-whitespace e|encoding= s|output-separator= h|help v|V|version"},
     .digits = Digits::kNumber,
     .check = check_strings},
    {.names = "file",
     .options = {"b|brief e|exclude= F|separator= i|mime apple extension mime-type mime-encoding "
                 "k|keep-going L|dereference h|no-dereference n|no-buffer N|no-pad 0|print0 r|raw "
                 "help v|version"},
     .refused = {{kWrites, "C|compile p|preserve-date"},
                 {kExecutes, "z|uncompress Z|uncompress-noreport"},
                 {kUnread, "f|files-from= m|magic-file="}}},
    {.names = "sed gsed",
     .options = {"n|quiet|silent e|expression= E|r|regexp-extended z|null-data u|unbuffered "
                 "s|separate l|line-length= posix sandbox debug b|binary help version"},
     .refused = {{kWrites, "i|in-place=?"}, {kUnread, "f|file="}},
     .check = check_sed},
    {.names = "jq gojq",
     .options = {"n|null-input r|raw-output j|join-output a|ascii-output s|slurp c|compact-output "
                 "C|color-output M|monochrome-output S|sort-keys e|exit-status R|raw-input tab "
                 "indent= stream stream-errors seq unbuffered raw-output0 yaml-input yaml-output "
                 "arg== argjson== slurpfile== rawfile== args jsonargs h|help V|v|version"},
     .refused = {{kUnread, "f|from-file L"}},
     .check = check_jq},
};

}  // namespace

std::span<const Program> text_programs() {
  return kText;
}

}  // namespace gittxn::questions
