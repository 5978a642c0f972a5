// Completion for shells: what may stand next on a command line, and the scripts that ask for it.
//
// A script gives `git txn internal complete -- WORD...` the words behind the program's name, the
// last of them as far as it is typed, and gets lines: first "words", "files", "folders" or
// "command" (one follows that is not ours), then a word each that begins as it is typed, with a tab
// and a description. Of --name=value they are the values. An error completes nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace gittxn::cli {

struct Completion {
  // kTransactions and kBranches: whoever has the repository fills in the words.
  enum class Kind { kWords, kTransactions, kBranches, kFiles, kFolders, kCommand };
  struct Word {
    std::string text;
    std::string says;  // may be empty
    bool operator==(const Word&) const = default;
  };
  Kind kind = Kind::kWords;
  std::vector<Word> words;
  std::string typed;    // of the value
  std::string command;  // that takes it
};
Completion completion_of(const std::vector<std::string>& words,
                         const Table& table = command_table());

// For "bash", "zsh" and "fish"; empty for another one.
std::string completion_script(std::string_view shell);

}  // namespace gittxn::cli
