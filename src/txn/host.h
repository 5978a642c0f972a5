// What a face hands in: what it knows of its process, the calls back it wants, and the options of a
// command. Plain values; what is behind State is for the files below the faces.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "model/txn.h"

namespace gittxn::api {

struct State;  // state.h. NOLINT(bugprone-forward-declaration-namespace): others have one, too

struct Host {  // what the face knows about its process
  std::string cwd;
  std::string program;  // its own file, absolute: what agents are told to call; "" not known
  Environment env;
  Clock* clock = nullptr;
  Random* random = nullptr;
  bool stdin_is_terminal = false;
  bool json = false;  // the command's stdout goes to our stderr

  // Of the caller's environment; "" when it is unset.
  std::string variable(const std::string& name) const {
    const auto found = env.find(name);
    return found == env.end() ? std::string() : found->second;
  }
};

struct Choice {
  char key;
  std::string words;
};

struct Progress {
  // run: the transaction is on record and nothing of it has started; an error aborts it.
  std::function<Status(const TxnId& id)> on_begun;
  std::function<void()> on_started;                      // a command's program runs
  std::function<void(std::string_view phase)> on_phase;  // "running", "gate test"
  std::function<void(std::string_view gate, std::string_view bytes)> on_gate_output;
  std::function<void(WaitReason reason, std::string_view subject)> on_wait;  // kNone ends it
  std::function<void(std::string_view text)> on_note;  // one line for a person
  std::function<bool()> interrupted;
  // The key of what a person chose; the last where they say nothing. Unset: nobody is there.
  std::function<char(std::string_view question, const std::vector<Choice>& choices)> on_ask;

  bool is_interrupted() const { return interrupted && interrupted(); }
  void note(std::string_view text) const {
    if (on_note) on_note(text);
  }
  void note_all(const std::vector<std::string>& notes) const {
    for (const std::string& one : notes) note(one);
  }
};

struct RunOptions {
  std::optional<std::string> onto;
  std::optional<std::string> isolation;
  std::string name;
  std::string trace = "auto";
  std::optional<std::string> confine;  // writes or off; unset: txn.confine, else off
  std::optional<std::string>
      worktree;  // auto, plain, overlay or reflink; unset: txn.worktree, else auto
  std::string owner;
  // begin and run: the transaction begun under this key is returned, and none begins. "": no key.
  std::string key;
  std::optional<std::string>
      instead;  // run: of another transaction, which is aborted once this began
  std::optional<std::string> subdir;    // where the command starts; unset: where the caller is
  std::optional<std::string> workflow;  // belongs to this one's open phase
  std::optional<std::string> phase;     // refused when another is open
  std::optional<std::string> author;    // "Name <mail>"
  int retries = 2;
  int repairs = 3;  // rounds of its agent on the new head, before it is run again
  int priority = 0;
  std::int64_t timeout_ms = -1;
  std::optional<std::int64_t> wait_ms;  // unset: for ever with a terminal, else 0
  std::vector<std::string> leases =
      {};  // held while it runs and lands, as store/work/leases.h has it
  std::vector<std::string> budget = {};  // KIND=VALUE each
  bool no_land = false;
  bool keep = false;               // keep the worktree after landing
  bool keep_commits = false;       // the command's own commits land as they are
  bool accept_unfinished = false;  // land what a command left that did not end well
  bool keep_running = false;
  bool inject = true;  // hooks into an agent that the command starts; also needs txn.inject
  std::vector<std::string> command;
  std::string input;  // the file that is its standard input; "": ours
};

}  // namespace gittxn::api
