// Splitting a git command's words into options, words before "--" and paths after it, by tables of
// the options that take a value in the next word. Only where a table is closed does an option
// outside it count as not understood; elsewhere options change what is shown, not what is read.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gittxn::capture {

struct OptionTable {
  std::string_view short_values = {};  // letters with a value, attached or in the next word
  std::string_view short_flags = {};   // letters without; when not closed, those that are combined
  std::string_view long_values = {};   // "--path --format"
  std::string_view long_flags = {};
  bool closed = false;
};

struct GitArguments {
  std::vector<std::string> before_dashes;
  std::vector<std::string> after_dashes;
  bool saw_dashes = false;
  bool unknown_option = false;                 // of a closed table
  std::set<std::string, std::less<>> options;  // "-e", "--cached"
  std::vector<std::string> line_range_files;   // of -L START,END:FILE
  bool has(std::string_view option) const { return options.contains(option); }
};

bool among(std::string_view list, std::string_view word);  // of words with a blank between them

GitArguments split_arguments(const OptionTable& table, const std::vector<std::string>& words);

// The values of these options ("-F --file"), wherever they stand before "--". A letter that only
// looks like one of them, in the value of another option, gives a value too many.
std::vector<std::string> option_values(const std::vector<std::string>& words,
                                       std::string_view options);

extern const OptionTable kLogOptions;  // log, show, diff and their plumbing
extern const OptionTable kStatusOptions;
extern const OptionTable kStartOptions;  // checkout, merge, branch and others that build on commits
extern const OptionTable kCheckoutIndexOptions;
extern const OptionTable kBlameOptions;
extern const OptionTable kGrepOptions;
extern const OptionTable kLsFilesOptions;
extern const OptionTable kLsTreeOptions;
extern const OptionTable kCatFileOptions;
extern const OptionTable kArchiveOptions;

}  // namespace gittxn::capture
