// The command that goes on with a conversation of an agent: the one that began it, with its
// options, without its prompt, and with the conversation named. Pure: values in, values out.
//
// The next words for the agent come on the standard input. Known are `claude -p` and `codex exec`;
// in a conversation at a terminal a person is there to go on with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/inject.h"
#include "base/result.h"

namespace gittxn::agents {

// kUnsupported, with the reason as a sentence: an option is not known, so that the prompt cannot be
// told from a value; the conversation is kept nowhere, or at another place; nothing of it is on
// standard input.
Result<std::vector<std::string>> resuming_command(const FoundAgent& found,
                                                  const std::vector<std::string>& argv,
                                                  std::string_view session);

}  // namespace gittxn::agents
