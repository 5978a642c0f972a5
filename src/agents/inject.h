// Finding an agent in a command, and what to add to the command so that this one run of it reports
// to git-txn: a plugin folder for Claude Code, options for Codex. Nothing of the user's own
// settings is read or changed. Pure: values in, values out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/observation.h"

namespace gittxn::agents {

struct FoundAgent {
  Program program = Program::kUnknown;
  std::size_t at = 0;  // argv[at] starts it; its own options come behind
};

// The agent that a command starts: by its name, by the file that the name leads to, or behind env,
// nice, nohup, timeout, npx, bunx, npm exec, pnpm dlx or node. `file_of` gives the real file that a
// word leads to as a program, "" when there is none. None also for a sub-command that is no session
// ("claude mcp list").
std::optional<FoundAgent> find_agent(
    const std::vector<std::string>& argv,
    const std::function<std::string(const std::string& word)>& file_of);

struct Reporting {       // how the run reports
  std::string program;   // of git-txn, absolute
  std::string version;   // of git-txn
  std::string observed;  // where observations go, absolute
};

struct Injection {
  std::vector<std::pair<std::string, std::string>> files;  // below `folder`: name, content
  std::vector<std::string> options;                        // to insert behind argv[at]
  // What the user's own options switch off, as a sentence for a person; "" nothing.
  std::string switched_off;
};
// `folder`: where the files will be. kUnsupported: a path that is not UTF-8, which neither
// program's settings can name.
Result<Injection> injection_for(const FoundAgent& found, const std::vector<std::string>& argv,
                                const Reporting& reporting, const std::string& folder);

}  // namespace gittxn::agents
