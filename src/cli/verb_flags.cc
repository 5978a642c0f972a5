#include "cli/verb_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace gittxn::cli {

Status check_verb_flags(const Parsed& args, std::string_view verb,
                        std::span<const VerbFlag> flags) {
  for (const VerbFlag& one : flags) {
    if (!args.has(std::string(one.flag))) continue;
    const std::string padded = fmt::format(" {} ", one.verbs);
    if (padded.find(fmt::format(" {} ", verb)) != std::string::npos) continue;
    std::string owners(one.verbs);
    std::ranges::replace(owners, ' ', '|');
    return fail(Code::kUsage,
                fmt::format("git txn {} {} does not take {}", args.command->name, verb, one.flag),
                fmt::format("it is of git txn {} {}", args.command->name, owners));
  }
  return {};
}

}  // namespace gittxn::cli
