// A story told in the process of the tests, as tests/e2e/lib.sh tells one in a shell: a world of
// its own (home, configuration, a repository that is copied), commands of git-txn with their exit
// status, what they printed, and assertions that end the story at the first that does not hold.
//
// Each command runs in a forked child of the test, by run_program, which is all of the program but
// its signals. So it is a process as in life (its leases and locks end with it, failpoints kill
// it), and costs no start of a program; and its clock is the story's: `later` lets an hour pass at
// once. Agents, hooks and gates are real processes in real time, and find the built program on
// their PATH. What --json printed is judged by its schema when all stories are told. A bug of
// GIT_TXN_BUG is in the commands, too.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/subprocess.h"

namespace gittxn::cli::testing {

using Where = std::source_location;
using Words = std::vector<std::string>;

// Each ends the story where it does not hold, and says what was seen.
void is(const std::string& seen, const std::string& wanted, Where where = Where::current());
void has(const std::string& text, std::string_view part, Where where = Where::current());
void lacks(const std::string& text, std::string_view part, Where where = Where::current());

// The machine's clock, so much later.
class StoryClock final : public Clock {
 public:
  std::int64_t wall_ms() const override { return real_.wall_ms() + later_ms_; }
  std::int64_t monotonic_ns() const override { return real_.monotonic_ns() + later_ms_ * kNsPerMs; }
  std::int64_t boot_ms() const override { return real_.boot_ms() + later_ms_; }
  std::string boot_id() const override { return real_.boot_id(); }
  void sleep_ms(std::int64_t ms) override { real_.sleep_ms(ms); }
  void later(std::int64_t ms) { later_ms_ += ms; }

 private:
  SystemClock real_;
  std::int64_t later_ms_ = 0;
};

// A command line: "lease acquire src --owner 'Ann A'" (words between spaces, in '' as they are), or
// its words.
struct Line {
  Line(const char* line) : Line(std::string(line)) {}  // NOLINT: so that stories are read
  Line(const std::string& line);                       // NOLINT
  Line(Words list) : words(std::move(list)) {}         // NOLINT
  Words words;
};

class Story : public ::testing::Test {
 protected:
  Story();
  ~Story() override;

  // ---- places
  void at(const std::string& dir);
  const std::string& world() const { return world_; }  // $WORLD of agents; home/ is in it
  // A repository with ten files, checked out, and we are in it.
  void new_repo(const std::string& name = "repo");

  // ---- commands
  // Runs `git txn LINE`, which has to exit so.
  void exits(int want, const Line& line, Where where = Where::current());
  // Runs it, whatever it exits with (`code`).
  void tries(const Line& line);
  // The run of an agent, whatever becomes of it.
  void agent(const std::string& script, const Line& options = "");
  void lands(const std::string& script, const Line& options = "", Where where = Where::current());
  // Work that is kept and not landed; its transaction is `id`.
  void open_work(const std::string& script, Where where = Where::current());
  // The command reaches the failpoint and dies there.
  void killed_at(const std::string& point, const Line& line, Where where = Where::current());
  void later(std::int64_t ms) { clock_.later(ms); }

  // Of what was printed last: the value at this JSON pointer in its last line; text as it is.
  std::string field(const std::string& pointer) const;
  // The same of each line, with spaces between.
  std::string fields(const std::string& pointer) const;
  std::vector<std::string> lines() const;
  // The exit status and .state of the last run.
  std::string became() const { return std::to_string(code) + " " + field("/state"); }

  // ---- git, the shell and the store; what fails ends the story
  std::string git(const Line& line);
  std::string sh(const std::string& script);
  std::string sql(const std::string& statement);
  int events(const std::string& type);  // how many there are
  // Of the last event of that type: the value at this pointer into its payload.
  std::string last(const std::string& type, const std::string& pointer);
  void write(const std::string& name, const std::string& text);
  std::string read(const std::string& name);  // without the last line end
  bool exists(const std::string& name);
  std::string shown(const std::string& path);  // on main
  void person_commits(const std::string& name, const std::string& text);
  // The person commits a policy; one that runs something needs a yes to it.
  void commit_policy(const std::string& text) { person_commits(".gittxn.toml", text); }
  void trust();
  void policy(const std::string& text);
  // What must hold after any story: log, chain, projections, objects, no locks left behind.
  void sound(Where where = Where::current());

  std::string out, err;  // of the last command, without their last line ends
  std::string id;
  int code = 0;

 private:
  void txn(const Words& argv);
  std::string must_run(Words argv);
  std::string make_sample();

  std::string world_, dir_;
  Environment env_;
  StoryClock clock_;
};

}  // namespace gittxn::cli::testing
