// Usage of a command, measured by us and as its agent tells it, and the limits it runs under.
// docs/enforces.md says what is enforced.
//
// While a command runs, what it has used is noted four times a second in a file beside its records;
// that is no event, or the log would be full of them. If we die, the next command that asks for the
// budget, takes the work or removes the worktree charges what is noted. The file is gone when the
// end is on record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/work/budgets.h"
#include "txn/attempt.h"

namespace gittxn::api {

// The bytes that a command prints, counted as they pass: its standard output and standard error are
// pipes of ours then, and everything is handed on at once.
class OutputMeter {
 public:
  // Puts its pipes into `spec`, in front of the descriptors that are there.
  Status open(capture::TraceSpec& spec);
  // Hands on what has come. To be called often, and once after the command has ended. Where nobody
  // reads any more the pipe is closed, and the command gets what it would have got without us.
  void pass();
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Stream {
    UniqueFd from, command;  // the ends of the pipe
    int to = -1;
  };
  void pass(Stream& stream);

  Stream streams_[2];
  UniqueFd both_;  // an epoll instance: readable when either is
  std::int64_t bytes_ = 0;
};

// The measured budgets of one command, from before it starts until its end is on record.
class UsageLimits {
 public:
  // After charging what others of its budgets have noted. kBusy: nothing is left of a measured one.
  static Status check(State& state, const Txn& txn);
  // Shortens the time limit of `spec` to what is left, and counts its output where a budget asks
  // for that. As check(); kUsage: with --keep-running its output cannot be counted.
  Status put_on(State& state, const Txn& txn, const RunOptions& options, capture::TraceSpec& spec);
  // The command starts: from here on it is measured. Its beginning is on record.
  Status start(State& state, const Txn& txn);
  // To be asked where the trace asks whether it was interrupted: yes once to ask the command to
  // end, yes again to end it. What others that draw on the same budgets have used since counts.
  bool look();
  // What could not be counted while it ran.
  const std::vector<std::string>& notes() const { return notes_; }
  // After the end: records the time and the bytes. The sentence that says which budget ended the
  // command; "" when none did.
  Result<std::string> settle(State& state, const Txn& txn, const capture::TraceResult& trace,
                             std::int64_t duration_ms);

 private:
  // A budget that is used up while the command runs.
  struct Over {
    store::Kind kind = store::Kind::kWall;
    store::Scope scope;
    std::int64_t limit = 0;
  };
  bool note();  // true: it did, which is seldom
  Result<std::optional<Over>> count_beside() const;

  State* state_ = nullptr;
  std::optional<Txn> txn_;  // where it shares a budget with others
  std::optional<Over> over_;
  std::vector<std::string> notes_;
  std::string noted_file_;
  UniqueFd noted_;
  std::int64_t began_ns_ = 0;
  std::int64_t next_note_ns_ = 0;
  std::optional<store::Left> wall_;  // when it is what limits the time
  std::optional<store::Left> bytes_;
  OutputMeter meter_;
  int ending_ = 0;
};

// What its commands have noted and nobody recorded, because their git-txn was killed.
Status charge_noted(State& state, const Txn& txn);

// Reports the tokens and calls that the agent's session files and hooks tell of, those that are not
// on record yet and not older than the transaction. One without a time counts. Lines that make no
// sense are passed over; they are counted where reads are taken.
Status report_agent_usage(State& state, const Txn& txn);

// What the session files of the agent tell of its last attempt until now, while it is at work;
// nullopt: they tell of none. Records nothing.
Result<std::optional<store::Amounts>> told_until_now(const Txn& txn);

}  // namespace gittxn::api
