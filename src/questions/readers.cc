// Programs by what becomes of what they read: those that show it, and those that edit it.
#include <algorithm>

#include "base/fs.h"
#include "base/text.h"
#include "questions/options.h"

namespace gittxn::questions {
namespace {

// Programs, and the options with which their status, or what they do, tells what is in a file.
struct Shows {
  std::string_view names;
  std::string_view but;
};
constexpr Shows kShows[] = {
    {"cat head tail nl tac rev fold fmt expand unexpand wc cut uniq paste od xxd hexdump hd "
     "strings file sed",
     ""},
    {"sort", "c C check"},
    {"base64 base32", "d"},
    {"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum", "c"},
};
constexpr std::string_view kGitShows = "show diff log blame cat-file ls-tree";
constexpr std::string_view kGitTells = "--exit-code --quiet --check --no-index -q -e";

// Names of what it copies beside a file are no part of an edit: a suffix of -i, -b of patch.
constexpr Program kEditors[] = {
    {.names = "sed", .options = {"e|expression= E|r|regexp-extended i|in-place=?"}},
    {.names = "patch",
     .options = {"p|strip= i|input= N|forward R|reverse s|quiet|silent u|unified f|force t|batch "
                 "F|fuzz= l|ignore-whitespace E|remove-empty-files d|directory= "
                 "no-backup-if-mismatch binary verbose"}},
    {.names = "apply",
     .options = {"p= R|reverse recount whitespace= C= unidiff-zero directory= include= exclude= "
                 "v|verbose q|quiet index"}},
};

constexpr std::string_view kScreenEditors =
    "vi vim vim.basic vim.tiny vim.nox vim.gtk3 nvim nano mg emacs micro helix hx kak joe jed "
    "mcedit "
    "ne zile";

// "+12", "+12,3": where the editor is to begin. Any other word with a plus may be a command.
bool is_line(std::string_view word) {
  return word.starts_with('+') && word.find_first_not_of("0123456789,:", 1) == word.npos;
}

bool edits_in_place(const Arguments& arguments) {
  const auto in_place = [](const Given& one) { return one.name == "i"; };
  const auto copies = [&](const Given& one) { return in_place(one) && !one.value.empty(); };
  return std::ranges::any_of(arguments.options, in_place) &&
         std::ranges::none_of(arguments.options, copies) &&
         check_sed_script(arguments, SedUse::kEdits).has_value();
}

// The mode of another file.
bool names_another_file(const std::string& word) {
  return word.starts_with("--ref");
}

bool git_shows(Words words) {
  while (!words.empty() && words.front() == "--no-pager") words = words.subspan(1);
  const bool tells =
      std::ranges::any_of(words, [](const std::string& word) { return among(kGitTells, word); });
  return !tells && !words.empty() && among(kGitShows, words.front());
}

}  // namespace

bool only_shows(const std::vector<std::string>& argv) {
  const Classified asked = classify(argv);
  if (!asked || asked->kind != Kind::kPure) return false;
  const std::string name = base_name(argv.front());
  const Words words = Words(argv).subspan(1);
  if (name == "git") return git_shows(words);
  const auto* const row =
      std::ranges::find_if(kShows, [&](const Shows& one) { return among(one.names, name); });
  const Program* const program = find_pure(name);
  if (row == std::end(kShows) || program == nullptr) return false;
  const auto arguments = split_words(*program, name, words);
  if (!arguments || arguments->has_any(row->but)) return false;
  return name != "sed" || check_sed_script(*arguments, SedUse::kShows).has_value();
}

bool shows_lines(const std::vector<std::string>& argv) {
  return only_shows(argv) && among("cat head tail nl sed", base_name(argv.front()));
}

bool only_edits(const std::vector<std::string>& argv) {
  if (argv.empty()) return false;
  std::string name = base_name(argv.front());
  Words words = Words(argv).subspan(1);
  if (name == "git") {
    if (words.empty() || words.front() != "apply") return false;
    name = words.front();
    words = words.subspan(1);
  } else if (name == "apply") {
    return false;
  }
  if (name == "chmod") return std::ranges::none_of(words, names_another_file);
  const Program* const program = find_program(kEditors, name);
  if (program == nullptr) return false;
  const auto arguments = split_words(*program, name, words);
  return arguments && (name != "sed" || edits_in_place(*arguments));
}

bool edits_on_screen(const std::vector<std::string>& argv) {
  if (argv.empty() || !among(kScreenEditors, base_name(argv.front()))) return false;
  return std::ranges::all_of(Words(argv).subspan(1), [](const std::string& word) {
    return (!word.starts_with('-') && !word.starts_with('+')) || word == "--" || word == "-nw" ||
           is_line(word);
  });
}

}  // namespace gittxn::questions
