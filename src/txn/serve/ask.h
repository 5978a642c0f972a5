// Questions of a hook to the `git txn run` that it works under, for what takes the repository. A
// hook is a child of the traced command: what it opened itself would count as read by the command.
// In the same way a confined command asks for a compensation: it cannot write the store itself.
//
// The hook makes a FIFO and then a file that says what is asked, both in the observed directory;
// the run answers into the FIFO with one line and removes the file. If the hook dies, there is
// nobody at the FIFO and the ask is dropped; if the run dies, its whole tree does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace gittxn::api {

struct Ask {
  enum class Verb { kWorktree, kJoin, kCompensate, kWrite } verb = Verb::kWorktree;
  // Of the sub-agent's worktree, as the agent calls it; of the compensation, "" too. At most 256
  // bytes. The path that is about to be written for the first time: at most 4096.
  std::string name;
  std::vector<std::string> argv = {};  // of the compensation
};

// From the hook. The answer: the path of the worktree, "" for a join, the number of the
// compensation, of a write what written_answer() reads. kTimeout: no answer in time;
// kFault with the run's own words when it could not do it.
Result<std::string> ask(const std::string& observed, const Ask& asked, std::int64_t timeout_ms);

// From the run: what waits for an answer, oldest name first, at most 64 at once. What makes no
// sense is removed.
struct Waiting {
  Ask asked;
  std::string file;  // of the ask
};
Result<std::vector<Waiting>> waiting_asks(const std::string& observed);
Status answer(const Waiting& waiting, const Result<std::string>& result);

// There is a child of that name, so that its end is worth an ask. A file, because hooks look.
Status mark_child(const std::string& observed, const std::string& name);
Result<bool> is_child(const std::string& observed, const std::string& name);

// Puts what there is to tell before a write into an answer, and back: a pipe may not take all of
// it. "" is the answer of nothing.
struct WriteAnswer {
  bool deny = false;
  std::string text;
};
Result<std::string> answer_of_write(const std::string& observed, const std::string& path,
                                    const WriteAnswer& told);
Result<WriteAnswer> written_answer(const std::string& observed, std::string_view answer);
// Asks, from the hook or the MCP server, what there is to tell of a path of the tree before the
// first write; nothing once it was told, or there was nothing to tell. What is denied is told each
// time.
Result<WriteAnswer> ask_before_write(const std::string& observed, const std::string& path);

// Something to be told to the agent once, by its own next tool call; not to its sub-agents.
inline constexpr std::size_t kMaxSaid = 8000;  // bytes that are told at once
Status say(const std::string& observed, int number, const std::string& text);
// All that was said and not yet told; it counts as told from here on. "" none.
Result<std::string> said(const std::string& observed);

// The exchange with an agent's hook while a transaction runs: what it tells, and its answer. It
// opens no repository and no store, because the agent waits for it: one line appended and synced,
// and a look for a brief.
struct HookCall {
  std::string event;         // the name it is registered under: "PostToolUse"
  std::string observed;      // where observations go; empty: not in a transaction
  int input = 0;             // descriptor that the event comes from; read to its end
  std::int64_t time_ms = 0;  // since 1970
};

struct HookAnswer {
  std::string output;   // for the hook's standard output; nearly always empty
  std::string trouble;  // what did not work, for the standard error; mostly empty
};

// Never fails, for a hook that fails gets in the agent's way: what could not be recorded is told
// and the trace, which needs no hook, still has every read. Any number may run at once.
HookAnswer answer_hook(const HookCall& call);

}  // namespace gittxn::api
