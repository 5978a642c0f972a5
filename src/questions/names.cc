// Programs that list names: ls, tree and find, without what no tree of git has: times, sizes of
// directories, owners, rights, inodes, and the order of a directory where one is asked for.
#include <algorithm>

#include "base/fs.h"
#include "questions/options.h"

namespace gittxn::questions {
namespace {

// find's own words.
constexpr std::string_view kFindAlone =
    "( ) ! -not -a -and -o -or , -print -print0 -prune -depth -empty -true -false -follow "
    "-noleaf -ignore_readdir_race -noignore_readdir_race -nowarn -warn -help --help -version "
    "--version";
constexpr std::string_view kFindWithValue =
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype "
    "-lname -ilname -maxdepth -mindepth";
constexpr Refused kFindRefused[] = {
    {kWrites, "-delete -fprint -fprint0 -fprintf -fls"},
    {kExecutes, "-exec -execdir -ok -okdir"},
    {kClock,
     "-amin -atime -cmin -ctime -mmin -mtime -daystart -newer -anewer -cnewer -used -newermt"},
    {kTells,
     "-ls -perm -user -group -uid -gid -nouser -nogroup -inum -links -samefile -size -readable "
     "-writable -executable -fstype -context -xdev -mount"},
    {kUnordered, "-quit"},
    {kUnread, "-files0-from"},
};

Asked<void> check_find_format(std::string_view format) {
  constexpr std::string_view kDirectives = "pfhPHydl%";  // names, kinds, depths
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '\\') {
      ++i;
    } else if (format[i] == '%') {
      ++i;
      const std::string_view letter = format.substr(std::min(i, format.size()), 1);
      if (letter.empty() || !kDirectives.contains(letter))
        return no_question("find with -printf %" + std::string(letter) + " is not on the list");
    }
  }
  return {};
}

// Words that stand before the expression, then tests and actions. What is no word of find's is a
// path or ends it with an error.
Asked<void> find_words(Words words, Question& /*question*/) {
  std::size_t at = 0;
  while (at < words.size() && (words[at] == "-P" || words[at] == "-L" || words[at] == "-H")) ++at;
  bool paths = true;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    const bool sign = word.starts_with('-') || among("( ) ! ,", word);
    paths = paths && !sign;
    if (paths || among(kFindAlone, word)) continue;
    const bool format = word == "-printf";
    if (format || among(kFindWithValue, word)) {
      if (++at == words.size()) return no_question("find with " + word + " lacks its value");
      if (format) TRY(check_find_format(words[at]));
      continue;
    }
    const auto* const why = std::ranges::find_if(
        kFindRefused, [&](const Refused& one) { return among(one.options, word); });
    const bool known = why != std::end(kFindRefused);
    return no_question("find with " + word + " " +
                       std::string(known ? why->why : "is not on the list"));
  }
  return {};
}

// Its operands are directories; with -R and -H it writes a page into each.
constexpr Program kTree{
    .names = "tree",
    .options = {"a d f i l L= P= I= r v n C A N q Q F noreport prune dirsfirst filesfirst "
                "matchdirs ignore-case filelimit= charset= gitignore J X help version"},
    .refused = {{kTells, "p s h D u g inodes device du si timefmt= t c sort=?"},
                {kUnordered, "U"},
                {kWrites, "o R H"},
                {kUnread, "fromfile gitfile= infofile= info"}}};

// tree reads on in a word of letters behind one that has a value: "-Lo 2 x" writes into x.
Asked<void> tree_words(Words words, Question& /*question*/) {
  const auto hides = [](const std::string& word) {
    return word.starts_with('-') && !word.starts_with("--") && word.size() > 2 &&
           word.find_first_of("LPI") != std::string::npos;
  };
  const auto word = std::ranges::find_if(words, hides);
  if (word != words.end()) return no_question("tree with the word " + *word + " is not understood");
  TRY(split_words(kTree, "tree", words));
  return {};
}

// bfs, as Claude Code 2.1.329 starts its own in the place of find.
Asked<void> bfs_words(Words words, Question& question) {
  constexpr std::string_view kAsFind[] = {"-S", "dfs", "-regextype", "findutils-default"};
  const bool as_find = words.size() >= std::size(kAsFind) &&
                       std::ranges::equal(words.first(std::size(kAsFind)), kAsFind);
  if (!as_find) return no_question("bfs is not started in the place of find");
  return find_words(words.subspan(std::size(kAsFind)), question);
}

constexpr Program kNames[] = {
    {.names = "ls dir",
     .options = {"a|all A|almost-all b|escape B|ignore-backups C d|directory F "
                 "classify=?always,auto,never file-type "
                 "format=across,commas,horizontal,single-column,vertical "
                 "group-directories-first h|human-readable H|dereference-command-line "
                 "dereference-command-line-symlink-to-dir hide= ",
                 "indicator-style=none,slash,file-type,classify I|ignore= k|kibibytes "
                 "L|dereference m N|literal p q|hide-control-chars show-control-chars "
                 "Q|quote-name "
                 "quoting-style=literal,locale,shell,shell-always,shell-escape,"
                 "shell-escape-always,c,escape r|reverse R|recursive ",
                 "sort=name,extension,version,width T|tabsize= v w|width= x X 1 zero "
                 "color=?always,auto,never help version"},
     .refused = {{kTells,
                  "l g o n|numeric-uid-gid G|no-group s|size S i|inode author Z|context t u c "
                  "D|dired full-time time= time-style= block-size= si hyperlink=?"},
                 {kUnordered, "U f"}}},
    {.names = "tree", .parse = tree_words},
    {.names = "find", .order = Order::kAny, .parse = find_words},
    {.names = "bfs", .order = Order::kAny, .parse = bfs_words},
};

}  // namespace

std::span<const Program> name_programs() {
  return kNames;
}

bool lists_names(const std::vector<std::string>& argv) {
  if (argv.empty()) return false;
  const std::string name = base_name(argv.front());
  const Words words = Words(argv).subspan(1);
  // A link that leads nowhere is an error where it is followed.
  const auto follows = [&](const std::string& word) {
    if (name == "find" || name == "bfs") return among("-L -H -follow", word);
    if (name != "ls" && name != "dir") return false;
    const bool letters = word.starts_with('-') && !word.starts_with("--");
    return word.starts_with("--deref") || (letters && word.find_first_of("LH") != word.npos);
  };
  if (std::ranges::any_of(words, follows)) return false;
  if (name == "ls" || name == "dir") return true;
  const Program* const program = find_program(kNames, name);
  return program != nullptr && ask(*program, name, words).has_value();
}

}  // namespace gittxn::questions
