// Which flags are of which verb of a command: the table of commands.h knows them by command alone.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "cli/parse.h"

namespace gittxn::cli {

struct VerbFlag {
  std::string_view flag;
  std::string_view verbs;  // between blanks
};
// kUsage: a flag of another verb was given. It would be passed over, and the opposite of what was
// asked for might be done. Flags that are not in the list are of every verb.
Status check_verb_flags(const Parsed& args, std::string_view verb, std::span<const VerbFlag> flags);

}  // namespace gittxn::cli
